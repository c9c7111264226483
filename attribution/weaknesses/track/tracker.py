"""Findings followed through a history: which commit brought each in, which took it away, where it is at the tip. Pure.

Commits come parents first. Each has a state: for every file with findings the findings in order, as instances that go on from
version to version. A merge takes over what one of its parents has; what both sides brought in alike becomes one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from attribution.weaknesses.track.identity import VersionFinding, Versions, compare, occurrences, touches
from collector.model import LineChange

State = dict[str, "tuple[tuple[Instance, VersionFinding], ...]"]
"""File -> its findings in order: which one it is, and how it stands there."""
Lines = tuple[tuple[int, int], ...]
"""First and last lines, from 1."""


@dataclass(slots=True, eq=False)
class Instance:
    """One finding from the commit that brought it in on."""

    hit: VersionFinding  # as it came in
    sha: str  # "" when it is older than what can be seen
    path: str
    occurrence: int
    status: str  # introduced | reintroduced | uncertain
    older: bool = False
    fixed_sha: str = ""
    fixed_how: str = ""  # changed | elsewhere | file_deleted | merge | unseen
    fixed_path: str = ""
    fixed_lines: Lines = ()  # what came in the place of the lines of the match
    moves: int = 0
    rewords: int = 0
    same_as: Instance | None = None  # the other side of a merge brought in the same, and that one went on
    head: tuple[str, int] | None = None  # path and first line at the tip

    def fate(self) -> Instance:
        """The instance whose end is this one's: one of the same that is at the tip, else one that was fixed."""
        chain: list[Instance] = []
        at: Instance | None = self
        while at is not None and not any(at is one for one in chain):
            chain.append(at)
            at = at.same_as
        alive = (one for one in chain if one.head is not None)
        fixed = (one for one in chain if one.fixed_sha)
        return next(alive, None) or next(fixed, self)


@dataclass(slots=True)
class Changed:
    """A file that differs from a parent, with the findings of both versions. Paths are None where it does not exist."""

    old_path: str | None
    path: str | None
    before: Sequence[VersionFinding]
    after: Sequence[VersionFinding]
    lines: Callable[[], Sequence[LineChange]]
    blind_before: frozenset[str] | None = frozenset()  # rules that were not run on the old version; None: none was
    blind_after: frozenset[str] | None = frozenset()


@dataclass(slots=True)
class Tracker:
    """`children`: how many commits have a commit as parent, so that states nobody needs any more are dropped."""

    children: Mapping[str, int]
    instances: list[Instance] = field(default_factory=list)
    _states: dict[str, State] = field(default_factory=dict)
    _left: Counter[str] = field(default_factory=Counter)
    _fixed: set[tuple[str, str, str]] = field(default_factory=set)

    # --- an ordinary commit -------------------------------------------------------------------------------------------

    def step(self, sha: str, parent: str | None, files: Sequence[Changed]) -> None:
        """A commit with at most one parent."""
        above = self._states.get(parent, {}) if parent is not None else {}
        telling = [f for f in files if f.before or f.after]
        state = dict(above)
        versions = [Versions(f.before, f.after, f.lines()) for f in telling]
        olds = [_instances_before(above, f) for f in telling]
        placed: list[dict[int, Instance]] = []
        for number, paired in enumerate(compare(versions)):
            here = {j: olds[number][i] for i, j in paired.matched}
            for i, j in paired.reworded:
                here[j] = olds[number][i]
                here[j].rewords += 1
            for source, i, j in paired.moved_in:
                here[j] = olds[source][i]
                here[j].moves += 1
            for i in paired.gone:
                self._fix(olds[number][i], sha, telling[number], versions[number], telling[number].before[i])
            placed.append(here)
        for f in files:  # before any arrives: two files may have changed names
            if f.old_path is not None:
                state.pop(f.old_path, None)
        for f, here in zip(telling, placed, strict=True):
            self._arrive(sha, f, here, state)
        self._store(sha, state, (parent,) if parent is not None else ())

    def _arrive(self, sha: str, f: Changed, placed: Mapping[int, Instance], state: State) -> None:
        """The findings of a new version, known ones and new ones, into the state."""
        if f.path is None or not f.after:
            return
        counts = occurrences(f.after)
        row = []
        for j, hit in enumerate(f.after):
            one = placed.get(j)
            if one is None:
                one = Instance(hit, sha, f.path, counts[j], self._status(hit, f))
                self.instances.append(one)
            row.append((one, hit))
        state[f.path] = tuple(row)

    def _status(self, hit: VersionFinding, f: Changed) -> str:
        if f.blind_before is None or hit.rule in f.blind_before:
            return "uncertain"
        return "reintroduced" if (f.path, *hit.key) in self._fixed else "introduced"

    def _fix(self, instance: Instance, sha: str, f: Changed, versions: Versions, hit: VersionFinding) -> None:
        """When several branches fix it the last one counts: an earlier one may have got lost in a merge."""
        into: Lines = ()
        if f.path is None:
            how = "file_deleted"
        elif f.blind_after is None or hit.rule in f.blind_after:
            how = "unseen"
        elif touches(hit, versions.hunks, old=True):
            how = "changed"
            over = (h for h in versions.hunks if hit.start - 1 < h.a1 and h.a0 < hit.end)
            into = tuple((h.b0 + 1, h.b1) for h in over if h.b1 > h.b0)
        else:
            how = "elsewhere"
        instance.fixed_sha, instance.fixed_how, instance.fixed_path, instance.fixed_lines = (
            sha,
            how,
            f.path or f.old_path or "",
            into,
        )
        if how != "unseen":
            self._fixed.add((f.old_path or "", *hit.key))

    # --- a merge ------------------------------------------------------------------------------------------------------

    def merge(self, sha: str, parents: Sequence[str], sides: Sequence[Sequence[Changed]]) -> None:
        """A commit with several parents; `sides`: what differs from each of them."""
        states = [self._states.get(parent, {}) for parent in parents]
        state = dict(states[0])
        differing = {f.path: f for f in sides[0] if f.path is not None}
        for f in sides[0]:
            if f.old_path is not None and f.old_path != f.path and f.old_path not in differing:
                state.pop(f.old_path, None)
        for path in differing:
            state.pop(path, None)
        used = {id(instance) for row in state.values() for instance, _ in row}  # each stands in one place
        for path, f in differing.items():
            placed: dict[int, Instance] = {}
            for number, side in enumerate(sides):
                self._take_over(path, f, states[number], side, placed, used)
            self._arrive(sha, f, placed, state)
        self._settle(sha, states, state)
        self._store(sha, state, parents)

    def _take_over(
        self, path: str, f: Changed, state: State, side: Sequence[Changed], placed: dict[int, Instance], used: set[int]
    ) -> None:
        """What one parent has of the findings of a merged file. `used`: instances that have their place in the merge."""
        other = next((one for one in side if one.path == path), None)
        if other is None:  # the file is as this parent has it
            olds = _matching(state.get(path, ()), f.after, path)
            pairs: Iterable[tuple[int, int]] = ((j, j) for j in range(len(f.after)))
        else:
            olds = _instances_before(state, other)
            paired = compare([Versions(other.before, other.after, other.lines())])[0]
            pairs = [*paired.matched, *paired.reworded]
        for i, j in pairs:
            one = olds[i]
            if id(one) in used:
                continue
            if j in placed:
                one.same_as = placed[j]
            else:
                placed[j] = one
                used.add(id(one))

    def _settle(self, sha: str, states: Sequence[State], state: State) -> None:
        """What a parent had and the merge has not: the same came from the other side, was fixed there, or the merge dropped it."""
        there = {id(instance) for row in state.values() for instance, _ in row}
        by_key: dict[tuple[str, str, str], list[Instance]] = defaultdict(list)
        for path, row in state.items():
            for instance, hit in row:
                by_key[path, *hit.key].append(instance)
        for above in states:
            for path, row in above.items():
                for instance, hit in row:
                    if id(instance) in there or instance.fixed_sha or instance.same_as is not None:
                        continue
                    twins = by_key.get((path, *hit.key))
                    if twins:
                        instance.same_as = twins[0]
                    else:
                        instance.fixed_sha, instance.fixed_how, instance.fixed_path = sha, "merge", path

    # --- the end ------------------------------------------------------------------------------------------------------

    def _store(self, sha: str, state: State, parents: Iterable[str]) -> None:
        self._states[sha] = state
        for parent in parents:
            self._left[parent] += 1
            if self._left[parent] >= self.children.get(parent, 0):
                self._states.pop(parent, None)

    def finish(self, tip: str) -> list[Instance]:
        """Settles what became of each; gives back those that are at the tip."""
        there = []
        for path, row in self._states.get(tip, {}).items():
            for instance, hit in row:
                instance.head = (path, hit.start)
                there.append(instance)
        for instance in there:
            instance.fixed_sha, instance.fixed_how, instance.fixed_path, instance.fixed_lines = "", "", "", ()
        ends = [instance.fate() for instance in self.instances]
        for instance, end in zip(self.instances, ends, strict=True):
            if end is not instance:
                instance.head = end.head
                instance.fixed_sha, instance.fixed_how, instance.fixed_path, instance.fixed_lines = (
                    end.fixed_sha, end.fixed_how, end.fixed_path, end.fixed_lines,
                )  # fmt: skip
        return there


def _instances_before(state: State, f: Changed) -> list[Instance]:
    """The instances behind the findings of the old version; ones nobody saw coming are older than what can be seen."""
    return _matching(state.get(f.old_path or "", ()), f.before, f.old_path or "")


def _matching(row: Sequence[tuple[Instance, VersionFinding]], hits: Sequence[VersionFinding], path: str) -> list[Instance]:
    if [hit.key for _, hit in row] == [hit.key for hit in hits]:
        return [instance for instance, _ in row]
    waiting: dict[tuple[str, str], list[Instance]] = defaultdict(list)
    for instance, hit in row:
        waiting[hit.key].append(instance)
    return [waiting[hit.key].pop(0) if waiting[hit.key] else Instance(hit, "", path, 0, "introduced", older=True) for hit in hits]
