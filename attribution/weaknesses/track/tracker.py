"""Findings followed through a history: which commit brought each in, which took it away, where it
is at the tip. Pure.

Commits come parents first. Each has a state: for every file with findings the findings in order, as
instances that go on from version to version. A merge takes over what one of its parents has; what
both sides brought in alike becomes one.

Within a file of a commit, a finding is known by its rule and the matched text without white space;
equal ones are counted. They are paired first, on unchanged lines before changed ones. What is left
over in one file and missing in another of the same commit was moved, so that renames, moves and new
layout bring nothing in. What then remains of one rule in one hunk, old and new, is the same
weakness in other words: somebody who edits a vulnerable line does not introduce it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from attribution.weaknesses.words import FindingStatus, FixHow
from collector.groups import group_pairs
from collector.json_values import Numbers
from collector.model import LineChange


class VersionFinding(NamedTuple):
    rule: str
    cwe: str
    text: str  # hash of the matched text without white space
    start: int  # first line, from 1
    end: int
    start_byte: int
    end_byte: int
    suppressed: bool

    @property
    def key(self) -> tuple[str, str]:
        return (self.rule, self.text)


@dataclass
class Changed:
    """A file that differs from a parent, with the findings of both versions.

    Paths are None where it does not exist.
    """

    old_path: str | None
    path: str | None
    before: Sequence[VersionFinding]
    after: Sequence[VersionFinding]
    lines: Callable[[], Sequence[LineChange]]
    # rules that were not run on the old version; None: none was
    blind_before: frozenset[str] | None = frozenset()
    blind_after: frozenset[str] | None = frozenset()

    @cached_property
    def hunks(self) -> Sequence[LineChange]:
        """The lines that differ."""
        return self.lines()


@dataclass(slots=True)
class Paired:
    """Places of findings in `before` and `after` of one file."""

    matched: list[tuple[int, int]] = field(default_factory=list)
    reworded: list[tuple[int, int]] = field(default_factory=list)
    # file it comes from, place there, place here
    moved_in: list[tuple[int, int, int]] = field(default_factory=list)
    new: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)


def compare(files: Sequence[Changed]) -> list[Paired]:
    """What became of the findings of the files of one commit."""
    pairings = [_within(file) for file in files]
    _across(files, pairings)
    for file, paired in zip(files, pairings, strict=True):
        _reword(file, paired)
    return pairings


def _within(file: Changed) -> Paired:
    """Equal findings of one file, the ones on unchanged lines first, in order."""
    before = _group_by_key(file.before)
    after = _group_by_key(file.after)
    paired = Paired()
    for key, positions in after.items():
        olds = sorted(
            before.get(key, ()), key=lambda i: touches(file.before[i], file.hunks, old=True)
        )
        news = sorted(positions, key=lambda j: touches(file.after[j], file.hunks, old=False))
        count = min(len(olds), len(news))
        paired.matched += zip(sorted(olds[:count]), sorted(news[:count]), strict=True)
        paired.new += news[count:]
    matched = {i for i, _ in paired.matched}
    paired.gone = [i for i in range(len(file.before)) if i not in matched]
    paired.new.sort()
    return paired


def _across(files: Sequence[Changed], pairings: Sequence[Paired]) -> None:
    """What is gone here and new there was moved."""
    gone = defaultdict(list)
    for number, (file, paired) in enumerate(zip(files, pairings, strict=True)):
        for i in paired.gone:
            gone[file.before[i].key].append((number, i))
    for file, paired in zip(files, pairings, strict=True):
        for j in list(paired.new):
            sources = gone.get(file.after[j].key)
            if sources:
                number, i = sources.pop(0)
                pairings[number].gone.remove(i)
                paired.new.remove(j)
                paired.moved_in.append((number, i, j))


def _reword(file: Changed, paired: Paired) -> None:
    """Findings of one rule that left and came in the same hunk."""
    for hunk in file.hunks:
        for j in list(paired.new):
            if not _overlaps(file.after[j], hunk.b0, hunk.b1):
                continue
            rule = file.after[j].rule
            same = (
                i
                for i in paired.gone
                if file.before[i].rule == rule and _overlaps(file.before[i], hunk.a0, hunk.a1)
            )
            i = next(same, None)
            if i is not None:
                paired.gone.remove(i)
                paired.new.remove(j)
                paired.reworded.append((i, j))


def touches(hit: VersionFinding, hunks: Iterable[LineChange], *, old: bool) -> bool:
    """Whether the commit took away (`old`) or added a line of the match."""
    return any(_overlaps(hit, *((h.a0, h.a1) if old else (h.b0, h.b1))) for h in hunks)


def _overlaps(hit: VersionFinding, start: int, end: int) -> bool:
    """`start` and `end` are a half-open range of lines from 0."""
    return hit.start - 1 < end and start < hit.end


def _group_by_key(hits: Sequence[VersionFinding]) -> dict[tuple[str, str], list[int]]:
    groups = group_pairs((hit.key, place) for place, hit in enumerate(hits))
    return groups


def strongest(
    hits: Iterable[VersionFinding], strength: Callable[[str], tuple[int, ...]]
) -> tuple[VersionFinding, ...]:
    """Of findings with one CWE whose matches overlap only the one of the strongest rule: a
    statement is counted once. In order.
    """
    kept_by_cwe: dict[str, list[VersionFinding]] = defaultdict(list)
    for hit in sorted(
        hits, key=lambda h: (*strength(h.rule), h.end_byte - h.start_byte, h.start_byte, h.rule)
    ):
        others = kept_by_cwe[hit.cwe or hit.rule]
        if not any(hit.start_byte < o.end_byte and o.start_byte < hit.end_byte for o in others):
            others.append(hit)
    return tuple(
        sorted(
            (h for group in kept_by_cwe.values() for h in group),
            key=lambda h: (h.start_byte, h.end_byte, h.rule),
        )
    )


def occurrences(hits: Sequence[VersionFinding]) -> list[int]:
    """For each finding how many equal ones stand above it."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    numbers = []
    for hit in hits:
        numbers.append(counts[hit.key])
        counts[hit.key] += 1
    return numbers


State = dict[str, "tuple[tuple[Instance, VersionFinding], ...]"]
"""File -> its findings in order: which one it is, and how it stands there."""
Lines = tuple[tuple[int, int], ...]
"""First and last lines, from 1."""


class Fix(NamedTuple):
    """How a finding went away."""

    sha: str
    how: FixHow
    path: str
    lines: Lines = ()  # what came in the place of the lines of the match


@dataclass(slots=True, eq=False)
class Instance:
    """One finding from the commit that brought it in on."""

    hit: VersionFinding  # as it came in
    sha: str  # "" when it is older than what can be seen
    path: str
    occurrence: int
    status: FindingStatus
    older: bool = False
    fix: Fix | None = None
    moves: int = 0
    rewords: int = 0
    # the other side of a merge brought in the same, and that one went on
    same_as: Instance | None = None
    head: tuple[str, int] | None = None  # path and first line at the tip

    def fate(self) -> Instance:
        """The instance whose end is this one's: one of the same that is at the tip, else one
        that was fixed.
        """
        chain = []
        twin: Instance | None = self
        while twin is not None and twin not in chain:
            chain.append(twin)
            twin = twin.same_as
        alive = (each for each in chain if each.head is not None)
        return next(alive, None) or next((each for each in chain if each.fix is not None), self)


@dataclass(slots=True)
class Tracker:
    """`children`: how many commits have a commit as parent, so that states nobody needs any more
    are dropped.
    """

    children: Numbers
    instances: list[Instance] = field(default_factory=list)
    _states: dict[str, State] = field(default_factory=dict)
    _left: Counter[str] = field(default_factory=Counter)
    _fixed: set[tuple[str, str, str]] = field(default_factory=set)

    def step(self, sha: str, parent: str | None, files: Sequence[Changed]) -> None:
        """A commit with at most one parent."""
        above = self._states.get(parent, {}) if parent is not None else {}
        state = dict(above)
        telling = [f for f in files if f.before or f.after]
        olds = [_instances_before(above, f) for f in telling]
        placed = []
        for f, of_file, paired in zip(telling, olds, compare(telling), strict=True):
            here = {j: of_file[i] for i, j in (*paired.matched, *paired.reworded)}
            for i, _ in paired.reworded:
                of_file[i].rewords += 1
            for source, i, j in paired.moved_in:
                here[j] = olds[source][i]
                here[j].moves += 1
            for i in paired.gone:
                self._fix(of_file[i], sha, f, f.before[i])
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
            instance = placed.get(j)
            if instance is None:
                instance = Instance(hit, sha, f.path, counts[j], self._status(hit, f))
                self.instances.append(instance)
            row.append((instance, hit))
        state[f.path] = tuple(row)

    def _status(self, hit: VersionFinding, f: Changed) -> FindingStatus:
        if f.blind_before is None or hit.rule in f.blind_before:
            return FindingStatus.UNCERTAIN
        if (f.path, *hit.key) in self._fixed:
            return FindingStatus.REINTRODUCED
        return FindingStatus.INTRODUCED

    def _fix(self, instance: Instance, sha: str, f: Changed, hit: VersionFinding) -> None:
        """When several branches fix it the last one counts: an earlier one may have got lost in
        a merge.
        """
        lines: Lines = ()
        if f.path is None:
            how = FixHow.FILE_DELETED
        elif f.blind_after is None or hit.rule in f.blind_after:
            how = FixHow.UNSEEN
        elif touches(hit, f.hunks, old=True):
            how = FixHow.CHANGED
            over = (h for h in f.hunks if hit.start - 1 < h.a1 and h.a0 < hit.end)
            lines = tuple((h.b0 + 1, h.b1) for h in over if h.b1 > h.b0)
        else:
            how = FixHow.ELSEWHERE
        instance.fix = Fix(sha, how, f.path or f.old_path or "", lines)
        if how != FixHow.UNSEEN:
            self._fixed.add((f.old_path or "", *hit.key))

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
        # each stands in one place
        used = {id(instance) for row in state.values() for instance, _ in row}
        for path, f in differing.items():
            placed: dict[int, Instance] = {}
            for number, side in enumerate(sides):
                self._take_over(path, f, states[number], side, placed, used)
            self._arrive(sha, f, placed, state)
        self._settle(sha, states, state)
        self._store(sha, state, parents)

    def _take_over(
        self,
        path: str,
        f: Changed,
        state: State,
        side: Sequence[Changed],
        placed: dict[int, Instance],
        used: set[int],
    ) -> None:
        """What one parent has of the findings of a merged file.

        `used`: instances that have their place in the merge.
        """
        other = next((changed for changed in side if changed.path == path), None)
        if other is None:  # the file is as this parent has it
            olds = _matching(state.get(path, ()), f.after, path)
            pairs: Iterable[tuple[int, int]] = ((j, j) for j in range(len(f.after)))
        else:
            olds = _instances_before(state, other)
            paired = compare([other])[0]
            pairs = [*paired.matched, *paired.reworded]
        for i, j in pairs:
            instance = olds[i]
            if id(instance) in used:
                continue
            if j in placed:
                instance.same_as = placed[j]
            else:
                placed[j] = instance
                used.add(id(instance))

    def _settle(self, sha: str, states: Sequence[State], state: State) -> None:
        """What a parent had and the merge has not: the same came from the other side, was fixed
        there, or the merge dropped it.
        """
        there = {id(instance) for row in state.values() for instance, _ in row}
        by_key = defaultdict(list)
        for path, row in state.items():
            for instance, hit in row:
                by_key[path, *hit.key].append(instance)
        for above in states:
            for path, row in above.items():
                for instance, hit in row:
                    if (
                        id(instance) in there
                        or instance.fix is not None
                        or instance.same_as is not None
                    ):
                        continue
                    twins = by_key.get((path, *hit.key))
                    if twins:
                        instance.same_as = twins[0]
                    else:
                        instance.fix = Fix(sha, FixHow.MERGE, path)

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
            instance.fix = None
        for instance, end in zip(
            self.instances, [instance.fate() for instance in self.instances], strict=True
        ):
            instance.head = end.head
            instance.fix = end.fix
        return there


def _instances_before(state: State, f: Changed) -> list[Instance]:
    """The instances behind the findings of the old version; ones nobody saw coming are older
    than what can be seen.
    """
    return _matching(state.get(f.old_path or "", ()), f.before, f.old_path or "")


def _matching(
    row: Sequence[tuple[Instance, VersionFinding]], hits: Sequence[VersionFinding], path: str
) -> list[Instance]:
    if [hit.key for _, hit in row] == [hit.key for hit in hits]:
        return [instance for instance, _ in row]
    waiting = group_pairs((hit.key, instance) for instance, hit in row)
    return [
        (
            waiting[hit.key].pop(0)
            if waiting[hit.key]
            else Instance(hit, "", path, 0, FindingStatus.INTRODUCED, older=True)
        )
        for hit in hits
    ]
