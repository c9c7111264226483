"""Where the lines of a merge come from, as `git blame` decides it.

A path that is equal in the first parent needs nothing. Any other path is taken whole from the first
parent that has the same content at that path, else from one where the same content was renamed to
it. Otherwise each parent in turn explains what it can by a line diff, and what is left was written
by the merge.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush

from attribution.lineage.files import Contents
from attribution.lineage.model import AT_MERGE, BEFORE, UNREADABLE, WIDTH, FileLines, State, numbers
from attribution.lineage.outside import Outside
from collector.git.diff_tree import FileDelta, Range
from collector.git.renames import File, RenameSources, RenameTexts

_TYPE = 0o170000
_UNCLAIMED = -1
_END = FileLines("", 0, b"")


@dataclass
class Parent:
    """A parent of a merge: its files, and those that the merge no longer has."""

    sha: str
    base: str  # answers for files that are not in `state`
    state: State
    outside: Outside | None
    deleted: Callable[[], list[File]]

    def file(self, path: str) -> FileLines | None:
        file_lines = self.state.get(path)
        if file_lines is None and self.outside is not None:
            listed = self.outside.entry(self.sha, path)
            if listed is not None:
                file_lines = FileLines(*listed, self.outside.vector(self.base, path, listed[0]))
        return file_lines

    @cached_property
    def sources(self) -> RenameSources:
        return RenameSources(self.deleted())


class Merger:
    """Works out the files of one merge that differ from its first parent."""

    def __init__(self, parents: Sequence[Parent], contents: Contents) -> None:
        self._parents = parents
        self._contents = contents

    def file(
        self, path: str, oid: str, mode: int, write: Callable[[int, int, int], bytes]
    ) -> FileLines:
        """Its origins; `write(first line, lines, flags)` gives numbers for lines that only the
        merge has.
        """
        bases = []
        absent = set()
        for number, parent in enumerate(self._parents):
            file = parent.file(path)
            if file is None:
                absent.add(number)
            elif file.mode & _TYPE != mode & _TYPE:
                file = None
            elif file.oid == oid:
                return FileLines(oid, mode, file.vector)
            bases.append(file)
        for number in sorted(absent):
            if self._parents[number].sources.has(oid):
                renamed = self._renamed_file(number, path, oid, mode)
                if renamed is not None and renamed.oid == oid:
                    return FileLines(oid, mode, renamed.vector)

        def base(number: int) -> FileLines | None:
            return (
                self._renamed_file(number, path, oid, mode) if number in absent else bases[number]
            )

        return FileLines(oid, mode, self._combine(oid, map(base, range(len(bases))), write))

    @cached_property
    def _texts(self) -> RenameTexts:
        return self._contents.texts()

    def _renamed_file(self, number: int, path: str, oid: str, mode: int) -> FileLines | None:
        parent = self._parents[number]
        sources = parent.sources
        if not sources.files:
            return None
        source = sources.best(path, oid, mode, self._texts)
        return None if source is None else parent.file(source)

    def _combine(
        self, oid: str, bases: Iterator[FileLines | None], write: Callable[[int, int, int], bytes]
    ) -> bytes:
        """Each base explains what it can; those behind it are looked for only while lines are
        left.
        """
        count, flags = self._contents.count(oid)
        result = array("i", [_UNCLAIMED]) * count
        left = [(0, count)] if count else []
        while left and (base := next(bases, _END)) is not _END:
            if base is not None:
                if self._contents.get(base.oid) is None:
                    flags |= UNREADABLE
                left = self._claim(result, left, base, oid)
        for start, end in left:
            result[start:end] = array("i", numbers(write(start + 1, end - start, flags | AT_MERGE)))
        return result.tobytes()

    def _claim(
        self, result: array[int], left: list[tuple[int, int]], base: FileLines, oid: str
    ) -> list[tuple[int, int]]:
        """Gives the unclaimed lines that are unchanged since `base` its origins; what is still
        unclaimed.
        """
        hunks = self._contents.diff(base.oid, oid)
        if hunks is None or len(base.vector) // WIDTH != self._contents.count(base.oid)[0]:
            return left
        origins = array("i", numbers(base.vector))
        same = _unchanged_runs(hunks, len(result))
        for start, end, shift in same if left == [(0, len(result))] else _within(same, left):
            result[start:end] = origins[start + shift : end + shift]
        right = [(b0, b1, 0) for _, _, b0, b1 in hunks if b1 > b0]
        return [(start, end) for start, end, _ in _within(right, left)]  # of both


def _unchanged_runs(hunks: Sequence[Range], lines: int) -> list[tuple[int, int, int]]:
    """(from, to, shift to the old line number) of the new lines outside the hunks."""
    runs = []
    old = new = 0
    for _, a1, b0, b1 in hunks:
        if b0 > new:
            runs.append((new, b0, old - new))
        old = a1
        new = b1
    if lines > new:
        runs.append((new, lines, old - new))
    return runs


def _within(
    same: Sequence[tuple[int, int, int]], left: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, int]]:
    """The parts of `same` that lie in `left`; both in order."""
    index = 0
    for start, end in left:
        while index < len(same) and same[index][1] <= start:
            index += 1
        probe = index
        while probe < len(same) and same[probe][0] < end:
            first, last, shift = same[probe]
            yield max(start, first), min(end, last), shift
            probe += 1


def same_lines(old: FileLines, new: FileLines, contents: Contents) -> dict[int, int]:
    """Lines that a merge took over from a file of a parent word for word, but with the origins
    of another parent.
    """
    hunks = contents.diff(old.oid, new.oid)
    before = numbers(old.vector)
    after = numbers(new.vector)
    if hunks is None or (hunks and (hunks[-1][1] > len(before) or hunks[-1][3] > len(after))):
        return {}
    return {
        before[index + shift]: after[index]
        for start, end, shift in _unchanged_runs(hunks, len(after))
        if old.vector[(start + shift) * WIDTH : (end + shift) * WIDTH]
        != new.vector[start * WIDTH : end * WIDTH]
        if end + shift <= len(before)
        for index in range(start, end)
        if before[index + shift] not in (BEFORE, after[index])
    }


class SideBranches:
    """Commits that the main line does not have yet, with their parents and the paths they
    changed.
    """

    def __init__(self) -> None:
        self._parents: dict[int, tuple[int, ...]] = {}
        self._paths: dict[int, tuple[str, ...]] = {}

    def add(self, commit: int, parents: tuple[int, ...], paths: Iterable[str]) -> None:
        """Registers a commit by its index; parents have smaller indices."""
        self._parents[commit] = parents
        self._paths[commit] = tuple(paths)

    def land(self, commit: int) -> None:
        """A commit and all that it comes from are on the main line from now on."""
        stack = [commit]
        while stack:
            number = stack.pop()
            if number in self._parents:
                stack += self._parents.pop(number)
                del self._paths[number]

    def changed_paths(self, side: int, other: int) -> set[str]:
        """Paths changed by commits that `side` comes from, that are not on the main line and
        that `other` does not come from.
        """
        paths: set[str] = set()
        ours = {side}
        theirs = {other}
        waiting = [-commit for commit in {side, other} if commit in self._parents]
        heapify(waiting)
        while waiting and any(-commit in ours and -commit not in theirs for commit in waiting):
            commit = -heappop(waiting)
            above = [parent for parent in self._parents[commit] if parent in self._parents]
            queued = ours | theirs
            if commit in theirs:
                theirs.update(above)
            else:
                paths.update(self._paths[commit])
                ours.update(above)
            for parent in above:
                if parent not in queued:
                    heappush(waiting, -parent)
        return paths


def merge_deltas(deltas: Sequence[FileDelta]) -> tuple[list[FileDelta], list[File]]:
    """Files that the merge has and its first parent has not like that, and files that only its
    first parent has.
    """
    present = [d for d in deltas if d.new]
    names = {d.path for d in present}
    return present, [
        (d.path, d.old, d.old_mode) for d in deltas if not d.new and d.path not in names
    ]
