"""The life of every line: where it was born, which commit ended it and why, when that reached the main line.

A line counts as dead when the tip does not have it. Of several commits that removed it on parallel branches the one counts
whose branch took it from the main line; if that branch had been merged before without effect on the line, still that commit.
A line that vanished although no commit removed it was dropped by a merge: a conflict resolved otherwise, or the same text
written on both sides, of which the merge kept the other.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from attribution.history.keep import REFORMATTED
from attribution.history.model import (
    BEFORE,
    DELETED,
    FILE_DELETED,
    LOST,
    MERGED_AWAY,
    MODIFIED,
    History,
    Origin,
    Step,
    numbers,
)

_CAUSES = ("", MODIFIED, DELETED, FILE_DELETED, LOST, MERGED_AWAY, REFORMATTED)
_NONE = -1
_MERGE = _CAUSES.index(MERGED_AWAY)


Fate = tuple[int, int, int]  # commit that ended it, number of the cause, main-line commit without it


class Life(NamedTuple):
    """Consecutive lines with one fate. Commits are indices into `History.shas`; death -1 is alive at the tip."""

    birth: int
    path: str  # at birth
    line: int  # at birth, 1-based
    lines: int
    flags: int
    death: int
    cause: str
    left: int  # main-line commit that first did without the lines: the death, or the merge that brought it; else -1
    origin: int  # number of the first line


@dataclass(slots=True)
class Lives:
    """An observer that keeps, for every line, the commit that removed it last."""

    killer: array[int] = field(default_factory=lambda: array("i", [_NONE]))  # by origin: commit that removed it
    cause: bytearray = field(default_factory=lambda: bytearray(1))
    left: array[int] = field(default_factory=lambda: array("i", [_NONE]))  # main-line commit that did without it first
    others: dict[int, list[tuple[int, int]]] = field(default_factory=dict)  # earlier removals on other branches
    landed: array[int] = field(default_factory=lambda: array("i"))  # by commit: main-line commit that brought it
    alive: bytearray = field(default_factory=bytearray)
    _parents: list[tuple[str, ...]] = field(default_factory=list)
    _known: dict[str, int] = field(default_factory=dict)

    def step(self, step: Step) -> None:
        self._note(step)
        for born in step.born:
            self._grow(born.first + born.lines)
        if step.merge:
            if step.mainline:
                self._merge(step)
            return
        for gone in step.gone:
            self._kill(numbers(gone.origins), step.index, _CAUSES.index(gone.cause))
        if step.mainline:
            for gone in step.gone:
                for origin in numbers(gone.origins):
                    self.left[origin] = step.index
            for again in step.again:
                for origin in numbers(again):
                    self.left[origin] = _NONE

    def know(self, shas: list[str]) -> None:
        """Commits of an earlier run: all of them have landed."""
        self._parents = [()] * len(shas)
        self._known = {sha: number for number, sha in enumerate(shas)}

    def _note(self, step: Step) -> None:
        """Which commits this one brings to the main line: all its ancestors that have not landed yet."""
        while len(self.landed) <= step.index:
            self.landed.append(_NONE)
            self._parents.append(())
        self._parents[step.index] = step.parents
        self._known[step.sha] = step.index
        if not step.mainline:
            return
        stack = [step.index]
        while stack:
            at = stack.pop()
            if self.landed[at] == _NONE:
                self.landed[at] = step.index
                stack += [self._known[parent] for parent in self._parents[at] if parent in self._known]

    def _grow(self, size: int) -> None:
        more = size - len(self.killer)
        if more > 0:
            empty = array("i", [_NONE]) * more
            self.killer += empty
            self.left += empty
            self.cause += bytes(more)

    def _kill(self, origins: memoryview, commit: int, cause: int) -> None:
        killer, causes = self.killer, self.cause
        for origin in origins:
            if origin == BEFORE:
                continue
            if killer[origin] != _NONE:
                self.others.setdefault(origin, []).append((killer[origin], causes[origin]))
            killer[origin] = commit
            causes[origin] = cause

    def _merge(self, step: Step) -> None:
        gone, came = step.flow()
        for origin in gone:
            self.left[origin] = step.index
        for origin in came:
            self.left[origin] = _NONE

    def lives(self, history: History, first_row: int = 1) -> Iterator[Life]:
        """Lives of all hunks from row `first_row` of the origin table on, in order of birth."""
        self._grow(history.origins.next)
        self._mark(history)
        for origin, first, count in history.origins.hunks(first_row):
            at = first
            while at < first + count:
                fate = self.fate(at, origin.commit)
                end = at + 1
                while end < first + count and self._alike(at, end) and self.fate(end, origin.commit) == fate:
                    end += 1
                yield self._life(origin, first, at, end, fate)
                at = end

    def _alike(self, a: int, b: int) -> bool:
        return self.alive[a] == self.alive[b] and self.killer[a] == self.killer[b] and self.left[a] == self.left[b]

    def _life(self, origin: Origin, first: int, start: int, end: int, fate: Fate) -> Life:
        line = origin.line + start - first
        return Life(origin.commit, origin.path, line, end - start, origin.flags, fate[0], _CAUSES[fate[1]], fate[2], start)

    def _mark(self, history: History) -> None:
        self.alive = bytearray(history.origins.next)
        for file in history.state.values():
            for origin in numbers(file.vector):
                self.alive[origin] = 1

    def fate(self, origin: int, birth: int) -> Fate:
        if self.alive[origin]:
            return _NONE, 0, _NONE
        killer, cause, left = self.killer[origin], self.cause[origin], self.left[origin]
        if left == _NONE:  # it never was on the main line
            return (killer, cause, _NONE) if killer != _NONE else (self._landing(birth), _MERGE, _NONE)
        removals = [(killer, cause), *reversed(self.others.get(origin, ()))] if killer != _NONE else []
        for commit, why in removals:
            if self._landing(commit) == left:
                return commit, why, left
        for commit, why in removals:
            if commit != self._landing(commit) < left:
                return commit, why, left
        return left, _MERGE, left

    def _landing(self, commit: int) -> int:
        return self.landed[commit] if 0 <= commit < len(self.landed) else _NONE
