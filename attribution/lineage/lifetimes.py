"""The lifetime of every line: where it was born, which commit ended it and why, when that reached
the main line.

A line counts as dead when the tip does not have it. If several commits removed it on parallel
branches, the commit counts whose branch took it from the main line, even if that branch had been
merged before without effect on the line. A line that vanished although no commit removed it was
dropped by a merge: a conflict resolved otherwise. If the merge has the same text there from the
other side, the line did not end: it goes on as the other one and shares its fate.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from attribution.lineage.match_policy import REFORMATTED
from attribution.lineage.model import (
    BEFORE,
    DELETED,
    FILE_DELETED,
    LOST,
    MERGED_AWAY,
    MODIFIED,
    CommitStep,
    LineHistory,
    LineRange,
    Origin,
    Paths,
    RemovedLines,
    integers,
    numbers,
    trim_common_lines,
)
from collector.git.ancestry import Ancestry
from collector.groups import positions
from collector.json_values import Numbers

_CAUSES = ("", MODIFIED, DELETED, FILE_DELETED, LOST, MERGED_AWAY, REFORMATTED)
_NONE = -1
_MERGE = _CAUSES.index(MERGED_AWAY)


class LineEnd(NamedTuple):
    """How a line ended; commits are indices, -1 for none."""

    death: int  # commit that ended it
    cause: int
    left: int  # main-line commit without it
    removal: int  # row of the removal
    same_as: int = _NONE  # origin as which it goes on after a merge


_ALIVE = LineEnd(_NONE, 0, _NONE, _NONE)


class LineLifetime(NamedTuple):
    """Consecutive lines with one fate.

    Commits are indices into `LineHistory.shas`; death -1 is alive at the tip.
    """

    birth: int
    path: str  # at birth
    line: int  # at birth, 1-based
    lines: int
    flags: int
    death: int
    cause: str
    # main-line commit that first did without the lines: the death, or the merge that brought it;
    # else -1
    left: int
    origin: int  # number of the first line
    nonblank: int  # lines with text; all of them when texts were not looked at
    into: LineRange | None  # what the death put in their place; None for a merge that dropped them
    # origin of the first of the lines as which they go on after a merge, BEFORE for older ones; -1:
    # none
    same_as: int = _NONE


@dataclass(slots=True)
class Removals:
    """A table with one row for each piece of text that a commit took away."""

    commit: array[int] = field(default_factory=integers)
    cause: array[int] = field(default_factory=integers)
    path: array[int] = field(default_factory=integers)  # what came instead: its path
    line: array[int] = field(default_factory=integers)  # its first line
    lines: array[int] = field(default_factory=integers)  # and how many, 0 for nothing
    paths: Paths = field(default_factory=Paths)

    def add(self, commit: int, gone: RemovedLines) -> int:
        self.commit.append(commit)
        self.cause.append(_CAUSES.index(gone.cause))
        self.path.append(self.paths.number(gone.into.path))
        self.line.append(gone.into.line)
        self.lines.append(gone.into.lines)
        return len(self.commit) - 1

    def target(self, row: int) -> LineRange | None:
        return (
            LineRange(self.paths.names[self.path[row]], self.line[row], self.lines[row])
            if row >= 0
            else None
        )


@dataclass(slots=True)
class LineLifetimes:
    """An observer that keeps, for every line, the commit that removed it last."""

    # by origin: row of its removal
    remover: array[int] = field(default_factory=partial(integers, _NONE))
    # main-line commit that did without it first
    left: array[int] = field(default_factory=partial(integers, _NONE))
    # by origin: 1 when the line has no text
    blank: bytearray = field(default_factory=lambda: bytearray(1))
    others: dict[int, list[int]] = field(default_factory=dict)  # earlier removals on other branches
    # by commit: main-line commit that brought it
    landed: array[int] = field(default_factory=integers)
    removals: Removals = field(default_factory=Removals)
    # dropped by a merge -> the line with the same text that the merge has
    same: dict[int, int] = field(default_factory=dict)
    # older lines of a continued history whose fate may have changed
    touched: set[int] | None = None
    alive: bytearray = field(default_factory=bytearray)
    # commit that wrote an origin
    _birth: Callable[[int], int] = field(default=lambda origin: _NONE)
    _parents: list[tuple[str, ...]] = field(default_factory=list)
    _known: Numbers = field(default_factory=dict)
    _ancestry: Ancestry[int] = field(default_factory=Ancestry)  # of the commits of this run

    def step(self, step: CommitStep) -> None:
        self._note(step)
        for born in step.born:
            self._grow(born.first + born.lines)
            for offset in born.blank:
                self.blank[born.first + offset] = 1
        if step.merge:
            if step.mainline:
                gone, came = step.flow()
                self._leave(gone, step.index)
                self._leave(came, _NONE)
            for file in step.merged:
                old, new = trim_common_lines(file.old, file.new)
                if any(
                    not self._is_explained(origin, step)
                    for origin in set(numbers(old)).difference(numbers(new), (BEFORE,))
                ):
                    same = file.same()
                    self.same.update(same)
                    self._touch(same)
            return
        for removed in step.gone:
            self._remove(numbers(removed.origins), self.removals.add(step.index, removed))
        if step.mainline:
            for removed in step.gone:
                self._leave(numbers(removed.origins), step.index)
            for again in step.again:
                self._leave(numbers(again), _NONE)

    def know(self, shas: list[str]) -> None:
        """Registers the commits of an earlier run, all of which have landed."""
        self._parents = [()] * len(shas)
        self._known = positions(shas)
        self.touched = set()

    def _note(self, step: CommitStep) -> None:
        """Notes the commits that this commit brings to the main line: all its ancestors that
        have not landed yet.
        """
        while len(self.landed) <= step.index:
            self.landed.append(_NONE)
            self._parents.append(())
        self._parents[step.index] = step.parents
        self._known[step.sha] = step.index
        self._ancestry.add(
            step.index, [self._known[parent] for parent in step.parents if parent in self._known]
        )
        if not step.mainline:
            return
        stack = [step.index]
        while stack:
            commit = stack.pop()
            if self.landed[commit] == _NONE:
                self.landed[commit] = step.index
                stack += [
                    self._known[parent] for parent in self._parents[commit] if parent in self._known
                ]

    def _grow(self, size: int) -> None:
        more = size - len(self.remover)
        if more > 0:
            empty = array("i", [_NONE]) * more
            self.remover += empty
            self.left += empty
            self.blank += bytes(more)

    def _remove(self, origins: memoryview, row: int) -> None:
        remover = self.remover
        for origin in origins:
            if origin == BEFORE:
                continue
            if remover[origin] != _NONE:
                self.others.setdefault(origin, []).append(remover[origin])
            remover[origin] = row
        self._touch(origins)

    def _touch(self, origins: Iterable[int]) -> None:
        if self.touched is not None:
            self.touched.update(origins)

    def _is_explained(self, origin: int, step: CommitStep) -> bool:
        """Whether a commit that a merge comes from removed a line, so that the line ended there
        and not at the merge.
        """
        if not step.mainline:
            removing = (self.removals.commit[row] for row in self._rows(origin))
            return any(self._ancestry.is_ancestor(commit, step.index) for commit in removing)
        row = self._counting(origin)
        return row != _NONE and self.landed[self.removals.commit[row]] != _NONE

    def touched_origins(self) -> set[int]:
        """The `touched` lines of a continued history and all lines that go on as one of them."""
        origins = set(self.touched or ())
        for origin in self.same:
            chain = [origin]
            while (following := self.same.get(chain[-1])) is not None and following not in chain:
                chain.append(following)
            if not origins.isdisjoint(chain):
                origins.add(origin)
        return origins

    def _leave(self, origins: Collection[int], commit: int) -> None:
        for origin in origins:
            self.left[origin] = commit
        self._touch(origins)

    def spans(
        self, history: LineHistory, rows: Iterable[int] | None = None
    ) -> Iterator[LineLifetime]:
        """Lifetimes of some hunks (rows of the origin table), in order of birth; default: of
        all.
        """
        self._grow(history.origins.next)
        self._mark(history)
        for origin, first, count in history.origins.hunks(rows):
            line = first
            while line < first + count:
                fate = self.fate(line, origin.commit)
                end = self._end_of_span(line, first + count, fate, origin.commit)
                yield self._lifetime(origin, first, line, end, fate)
                line = end

    def _end_of_span(self, start: int, stop: int, fate: LineEnd, birth: int) -> int:
        """The end of the run of lines that share the fate of the first line, at most `stop`."""
        if self.alive[start]:
            end = self.alive.find(0, start, stop)
            return stop if end < 0 else end
        end = self._end_alike(start, stop)
        if (
            fate.cause != _MERGE
            and fate.same_as == _NONE
            and self.others.keys().isdisjoint(range(start, end))
        ):
            return end  # all were removed by the same commit and by no other
        for line in range(start + 1, end):
            if self.fate(line, birth) != (
                fate._replace(same_as=fate.same_as + line - start)
                if fate.same_as > BEFORE
                else fate
            ):
                return line
        return end

    def _end_alike(self, start: int, stop: int) -> int:
        """The end of the run of dead lines whose last removal is that of the first line."""
        remover = self.remover
        left = self.left
        alive = self.alive
        row = remover[start]
        commit = left[start]
        end = start + 1
        while end < stop and remover[end] == row and left[end] == commit and not alive[end]:
            end += 1
        return end

    def _lifetime(
        self, origin: Origin, first: int, start: int, end: int, fate: LineEnd
    ) -> LineLifetime:
        line = origin.line + start - first
        nonblank = end - start - self.blank.count(1, start, end)
        into = self.removals.target(fate.removal)
        cause = _CAUSES[fate.cause]
        return LineLifetime(
            origin.commit,
            origin.path,
            line,
            end - start,
            origin.flags,
            fate.death,
            cause,
            fate.left,
            start,
            nonblank,
            into,
            fate.same_as,
        )

    def _mark(self, history: LineHistory) -> None:
        self._birth = lambda origin: history.origins.birth_of(origin).commit
        self.alive = bytearray(history.origins.next)
        for file in history.state.values():
            for origin in numbers(file.vector):
                self.alive[origin] = 1

    def fate(self, origin: int, birth: int) -> LineEnd:
        """How a line ended, or the line as which it goes on after a merge."""
        end = self._own_end(origin, birth)
        chain = [origin]
        while end.cause == _MERGE:
            following = self.same.get(chain[-1])
            if following is None or following in chain:
                break
            if following == BEFORE:
                return _ALIVE._replace(same_as=BEFORE)
            chain.append(following)
            end = self._own_end(following, self._birth(following))
        return end._replace(same_as=chain[-1]) if len(chain) > 1 else end

    def _own_end(self, origin: int, birth: int) -> LineEnd:
        if self.alive[origin]:
            return _ALIVE
        row = self._counting(origin)
        left = self.left[origin]
        if row != _NONE:
            return LineEnd(self.removals.commit[row], self.removals.cause[row], left, row)
        return LineEnd(self._landing(birth) if left == _NONE else left, _MERGE, left, _NONE)

    def _counting(self, origin: int) -> int:
        """Row of the removal that counts; -1 when there is none."""
        left = self.left[origin]
        rows = self._rows(origin)
        commits = self.removals.commit
        if left == _NONE:  # it never was on the main line
            return rows[0] if rows else _NONE
        for row in rows:
            if self._landing(commits[row]) == left:
                return row
        for row in rows:
            if commits[row] != self._landing(commits[row]) < left:
                return row
        return _NONE

    def _rows(self, origin: int) -> list[int]:
        """Rows of the removals of a line, the last one first."""
        last = self.remover[origin]
        return [last, *reversed(self.others.get(origin, ()))] if last != _NONE else []

    def _landing(self, commit: int) -> int:
        return self.landed[commit] if 0 <= commit < len(self.landed) else _NONE
