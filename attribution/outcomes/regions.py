"""Regions: places of a file that a session edits, followed by line identity, so that edits
elsewhere do not matter. Pure.

Two hunks of a session are the same region when the later hunk changes or removes lines of the
earlier hunk, or inserts strictly between them, or puts lines exactly where the earlier hunk only
took lines away; regions are the connected components. A region edited by two or more calls is
`re-edited`; how its edits develop is told by `convergence_of`.
"""

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from attribution.authorship.replay import Change
from collector.groups import group_pairs, positions
from collector.vocabulary.sessions import Convergence

State = Hashable
"""The same for the same text of a region, whitespace and blank lines aside."""
_MOST_ORDERED = 5_000_000  # lines of all texts of a region
Scar = tuple[int, str, int, int]
"""Where a session only took lines away: session, path, the line above and the line below."""


@dataclass(slots=True)
class Region:
    """`hunks` are indices into the worktree's changes, in order; `states` has one more entry
    than there are rounds.
    """

    session_id: int
    path: str
    hunks: list[int]
    rounds: list[list[int]] = field(default_factory=list)  # hunks of each call, calls in order
    sizes: list[int] = field(default_factory=list)  # lines added and removed by each round
    # before the first round, then after each; only of re-edited regions
    states: list[State] = field(default_factory=list)
    convergence: str = ""  # a Convergence; "" when edited by one call only
    # oscillating because a round brought this earlier state back (0: as before the first)
    returned_to: int = -1


@dataclass(slots=True)
class Regions:
    """Regions of one worktree, and for each session the earlier sessions whose lines it changed."""

    regions: list[Region]
    prior: dict[int, set[int]]
    where: dict[int, list[int]]  # line -> the changes that brought it or took it away


def regions_of(changes: Sequence[Change]) -> Regions:
    """All regions of one worktree; `changes` in the order they happened."""
    writer: dict[int, int] = {}  # line -> the change that wrote it
    parent = list(range(len(changes)))
    prior = defaultdict(set)
    scars: dict[Scar, int] = {}

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    for number, change in enumerate(changes):
        if change.call is not None:
            for source in _sources(change, writer, root):
                other = changes[source].call
                if other is None:
                    continue
                if other.session_id == change.call.session_id:
                    parent[root(number)] = root(source)
                else:
                    prior[change.call.session_id].add(other.session_id)
            scar = (change.call.session_id, change.path, change.before, change.below)
            if change.fresh and not change.gone and scar in scars:
                parent[root(number)] = root(scars.pop(scar))
            elif change.gone and not change.fresh:
                scars[scar] = number
            writer.update(dict.fromkeys(change.fresh, number))
    members = group_pairs(
        (root(number), number) for number, change in enumerate(changes) if change.call is not None
    )
    touching = _touching(changes)
    regions = [_region(hunks, changes, touching) for hunks in sorted(members.values())]
    return Regions(regions, dict(prior), touching)


def _sources(change: Change, writer: Mapping[int, int], root: Callable[[int], int]) -> set[int]:
    """Earlier changes whose lines this change replaces or removes, or between whose lines it
    inserts.
    """
    sources = {writer[line] for line in change.gone if line in writer}
    above = writer.get(change.before)
    below = writer.get(change.below)
    if not change.gone and above is not None and below is not None and root(above) == root(below):
        sources.add(above)
    return sources


def _touching(changes: Sequence[Change]) -> dict[int, list[int]]:
    """Line -> the changes that took it away or brought it."""
    touching = defaultdict(list)
    for number, change in enumerate(changes):
        for line in (*change.gone, *change.fresh):
            touching[line].append(number)
    return touching


def _region(
    hunks: list[int], changes: Sequence[Change], touching: Mapping[int, Sequence[int]]
) -> Region:
    first = changes[hunks[0]]
    assert first.call is not None
    region = Region(first.call.session_id, changes[hunks[-1]].path, hunks)
    by_call: dict[str, list[int]] = {}
    for number in hunks:
        call = changes[number].call
        assert call is not None
        by_call.setdefault(call.call_id, []).append(number)
    region.rounds = list(by_call.values())
    region.sizes = [
        sum(len(changes[n].gone) + len(changes[n].fresh) for n in round_)
        for round_ in region.rounds
    ]
    if len(region.rounds) > 1:
        region.states = history_of(hunks, changes, touching).states(
            [round_[-1] for round_ in region.rounds]
        )
        region.convergence, region.returned_to = convergence_of(region.sizes, region.states)
    return region


def convergence_of(sizes: Sequence[int], states: Sequence[State]) -> tuple[Convergence, int]:
    """How a region developed, and the state that came back or -1.

    Oscillating: a state comes back after another one. Otherwise S = sum over i<j of sign(sizes[j] -
    sizes[i]): negative converging, positive expanding, zero converging when all are equal, else
    oscillating.
    """
    back = first_return(states)
    if back >= 0:
        return Convergence.OSCILLATING, back
    trend = 0
    before = list[int]()
    for size in sizes:
        trend += bisect_left(before, size) + bisect_right(before, size) - len(before)
        insort(before, size)
    if trend:
        return (Convergence.CONVERGING if trend < 0 else Convergence.EXPANDING), -1
    return (Convergence.CONVERGING if len(set(sizes)) <= 1 else Convergence.OSCILLATING), -1


def first_return(states: Sequence[State]) -> int:
    """The first state that comes back after a different state; -1 when none does."""
    first_at: dict[State, int] = {}
    last: State | None = None
    for number, state in enumerate(states):
        if state != last and state in first_at:
            return first_at[state]
        first_at.setdefault(state, number)
        last = state
    return -1


class RegionHistory:
    """The text of a region over time, from the moment before its session first touched it.

    Texts are told apart by a sum over their lines, which a change moves by its own lines alone; in
    order they are compared only where the sums are equal, and up to `_MOST_ORDERED` lines.
    """

    def __init__(
        self,
        numbers: list[int],
        first: frozenset[int],
        text: Mapping[int, str],
        changes: Sequence[Change],
        start: int,
    ) -> None:
        """`first`: its lines before the changes of these numbers; `text`: of all its lines;
        `start`: the region's first hunk.
        """
        self._numbers = numbers
        self._first = first
        self._text = text
        self._changes = changes
        # the work of earlier sessions is the text that this session started from
        self._start = bisect_left(numbers, start)
        self._sums = [0]
        self._sizes = [0]
        alive: set[int] = set()
        self._count(self._step(alive, (), first))
        del self._sums[0], self._sizes[0]
        for number in numbers:
            self._count(self._step(alive, changes[number].gone, changes[number].fresh))

    def _step(
        self, alive: set[int], gone: Iterable[int], fresh: Iterable[int]
    ) -> tuple[set[int], set[int]]:
        """Changes the lines; returns those that went and those that came."""
        went = alive.intersection(gone)
        alive -= went
        came = self._text.keys() & set(fresh) - alive
        alive |= came
        return went, came

    def _count(self, step: tuple[set[int], set[int]]) -> None:
        went, came = ([text for line in lines if (text := self._text[line])] for lines in step)
        self._sums.append(self._sums[-1] + sum(map(hash, came)) - sum(map(hash, went)))
        self._sizes.append(self._sizes[-1] + len(came) - len(went))

    def states(self, ends: Iterable[int]) -> list[State]:
        """Its text as the session found it and after the changes of these numbers."""
        indices = [self._start, *(self._index(end) for end in ends)]
        count = Counter(self._sums[index] for index in indices)
        ordered = self._order_edits({index for index in indices if count[self._sums[index]] > 1})
        return [ordered.get(index, self._sums[index]) for index in indices]

    def is_back(self, number: int) -> bool:
        """Whether its text after the change of that number is what it was at first."""
        first, last = self.states([number])
        return first == last

    def _index(self, number: int) -> int:
        return bisect_right(self._numbers, number)

    def _order_edits(self, indices: Set[int]) -> dict[int, State]:
        """Index -> what the lines after so many changes are, in order."""
        sizes = [self._sizes[index] for index in indices]
        if max(sizes, default=0) < 2 or sum(sizes) > _MOST_ORDERED:
            return {}
        lines = _in_order(self._numbers, self._changes)
        place = positions(lines)
        alive = set(self._first)
        found = dict[int, State]()
        for index in range(max(indices) + 1):
            if index:
                change = self._changes[self._numbers[index - 1]]
                self._step(alive, change.gone, change.fresh)
            if index in indices:
                texts = map(self._text.__getitem__, sorted(alive, key=place.__getitem__))
                found[index] = hash(tuple(filter(None, texts)))
        return found


def history_of(
    hunks: Sequence[int], changes: Sequence[Change], touching: Mapping[int, Sequence[int]]
) -> RegionHistory:
    """The region that these hunks make, before and after every change that touches one of its
    lines.
    """
    lines = {line for n in hunks for line in (*changes[n].gone, *changes[n].fresh)}
    ordered = sorted(set(hunks) | {n for line in lines for n in touching[line]})
    for n in ordered:  # lines that others put in the place of the region's lines belong to it
        if changes[n].call is None:
            lines.update(changes[n].fresh)
    text: dict[int, str] = {}
    for n in ordered:
        change = changes[n]
        texts = zip((*change.gone, *change.fresh), (*change.old, *change.new), strict=True)
        text.update((line, "".join(whole.split())) for line, whole in texts if line in lines)
    born = {line for n in ordered for line in changes[n].fresh}
    first = min((line for n in hunks for line in changes[n].fresh), default=1 << 62)
    # A line that no change brought was there from the start, unless its number tells that it came
    # later, from outside: such a line is left out, it came and went between two rounds.
    alive = frozenset(line for line in lines if line not in born and line < first)
    return RegionHistory(ordered, alive, text, changes, min(hunks))


def _in_order(numbers: Iterable[int], changes: Sequence[Change]) -> list[int]:
    """The lines of these changes in an order that agrees with the file at every moment."""
    graph: TopologicalSorter[int] = TopologicalSorter()
    lines: set[int] = set()
    for n in numbers:
        change = changes[n]
        lines.update(change.gone, change.fresh)
        for run in (
            (change.before, *change.gone, change.below),
            (change.before, *change.fresh, change.below),
        ):
            texts = [line for line in run if line >= 0]
            for above, below in pairwise(texts):
                graph.add(below, above)
        for line in (*change.gone, *change.fresh):
            graph.add(line)
    try:
        return [*graph.static_order()]
    # lines that moved past each other: any fixed order will do to compare states
    except CycleError:
        return sorted(lines)
