"""The nouns of line history: where a line was born, what one commit did to lines, what the files of
a commit consist of.

Every line that a commit writes gets a number of its own, its origin. Numbers of one hunk are
consecutive, so that a table with one row per hunk gives back commit, path and line number. The
content of a file is a row of such numbers, kept as the bytes of 32-bit integers: cutting and
joining bytes is all that an edit costs, and equal files share one object.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from collector.groups import positions
from collector.model import Problem

BEFORE = 0  # origin of every line that is older than what was looked at
WIDTH = 4  # bytes of an origin in a vector
_ZERO = bytes(WIDTH)

# Flags of a hunk
# the file is binary to git: its "lines" follow git blame, but nobody wrote them as lines
BINARY = 1
AT_MERGE = 2  # written by the merge itself
# the old or the new content is missing or too large: these lines may be older than they seem
UNREADABLE = 4
COPY = 8  # a new file with exactly the content of another file of the same commit

# Why a line ended
MODIFIED = "modified"
DELETED = "deleted"
FILE_DELETED = "file_deleted"
LOST = "unreadable"
MERGED_AWAY = "merge"  # dropped by a merge; no other commit removed it


class Origin(NamedTuple):
    commit: int  # index of the commit
    path: str  # as it was called there
    line: int  # 1-based
    flags: int


class FileLines(NamedTuple):
    oid: str
    mode: int
    vector: bytes


State = dict[str, FileLines]


class IntroducedLines(NamedTuple):
    """Lines that a commit wrote: `path` from 1-based `line` on."""

    path: str
    line: int
    first: int  # origin of the first one, the others follow
    lines: int
    flags: int
    # which of them have no text, counted from 0; filled in when texts are looked at
    blank: tuple[int, ...] = ()


class LineRange(NamedTuple):
    """Lines of a commit: `path`, 1-based first line, number of lines."""

    path: str
    line: int
    lines: int


class RemovedLines(NamedTuple):
    """Lines of the first parent that a commit took away."""

    origins: bytes
    cause: str
    into: LineRange  # the lines that the commit put in their place; none of them: where they stood


class KeptLines(NamedTuple):
    """Lines that went on in a changed shape or place and kept their origin."""

    path: str
    line: int
    origins: bytes
    how: str  # whitespace | moved | reformatted


class MergedFile(NamedTuple):
    """A file of a parent and what a merge made of it, as vectors."""

    old: bytes
    new: bytes
    # lines of the parent whose text the merge has, but from another parent -> those lines
    same: Callable[[], dict[int, int]]


class Fingerprint(NamedTuple):
    """Hash of the lines that a patch removes and adds, whatever their numbers; equals `inverse`
    of the patch that it reverts.
    """

    forward: str
    inverse: str


@dataclass(slots=True)
class CommitStep:
    """What one commit did, seen from its first parent.

    `lines present` changes by `born + again - gone`.
    """

    index: int
    sha: str
    parents: tuple[str, ...]
    mainline: bool  # on the first-parent chain of the tip
    born: list[IntroducedLines] = field(default_factory=list)
    gone: list[RemovedLines] = field(default_factory=list)
    # origins that exist once more: copies; at a merge what it brings in
    again: list[bytes] = field(default_factory=list)
    kept: list[KeptLines] = field(default_factory=list)
    # at a merge: origins of each file before and after, trimmed
    swapped: list[tuple[bytes, bytes]] = field(default_factory=list)
    # at a merge: files of a parent whose lines it has from elsewhere
    merged: list[MergedFile] = field(default_factory=list)
    # paths whose old or new content is missing or too large
    unread: list[str] = field(default_factory=list)
    present: int = 0  # lines in all files of the commit, those from before the window left out
    state: State = field(default_factory=dict)  # its files; the next commits change this dictionary
    patch: Fingerprint | None = None  # when texts are looked at

    @property
    def merge(self) -> bool:
        return len(self.parents) > 1

    def flow(self) -> tuple[dict[int, int], dict[int, int]]:
        """Origins with the number of their lines that the commit took away, and those that it
        brought back or in; no births.
        """
        old = [*(gone.origins for gone in self.gone), *(before for before, _ in self.swapped)]
        new = [*self.again, *(after for _, after in self.swapped)]
        left, came = _difference(numbers(b"".join(old)), numbers(b"".join(new)))
        for born in self.born if self.swapped else ():
            for origin in range(born.first, born.first + born.lines):
                del came[origin]
        return left, came


def _difference(old: memoryview, new: memoryview) -> tuple[dict[int, int], dict[int, int]]:
    """What only one of two bags has, with the number of times.

    Bags without repetitions, the usual case, are faster.
    """
    a = set(old)
    b = set(new)
    if len(a) == len(old) and len(b) == len(new):
        return dict.fromkeys(a - b, 1), dict.fromkeys(b - a, 1)
    left = Counter(old)
    came = Counter(new)
    return _more(left, came), _more(came, left)


def _more(a: Counter[int], b: Counter[int]) -> dict[int, int]:
    """`a - b`; what both have equally often, nearly everything, is passed over at once."""
    return {
        origin: times - b[origin] for origin, times in a.items() - b.items() if times > b[origin]
    }


def trim_common_lines(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Two vectors without the lines that both begin and end with."""
    if old == new:
        return b"", b""
    limit = min(len(old), len(new)) // WIDTH
    head = _equal(limit, lambda n: old[: n * WIDTH] == new[: n * WIDTH])
    a = old[head * WIDTH :]
    b = new[head * WIDTH :]
    tail = _equal(limit - head, lambda n: a[len(a) - n * WIDTH :] == b[len(b) - n * WIDTH :])
    return a[: len(a) - tail * WIDTH], b[: len(b) - tail * WIDTH]


def _equal(limit: int, equal: Callable[[int], bool]) -> int:
    """The largest number up to `limit` for which `equal` still holds."""
    low = 0
    high = limit
    while low < high:
        middle = (low + high + 1) // 2
        if equal(middle):
            low = middle
        else:
            high = middle - 1
    return low


Observer = Callable[[CommitStep], None]
"""Called for every commit, parents before children."""


class Paths:
    """Paths with a number for each, which columns of integers hold instead."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._numbers = positions(names)
        self.names = list(self._numbers)

    def number(self, path: str) -> int:
        number = self._numbers.setdefault(path, len(self.names))
        if number == len(self.names):
            self.names.append(path)
        return number


def integers(*values: int) -> array[int]:
    return array("i", values)


@dataclass(slots=True)
class Origins:
    """The table of hunks: one row for each piece of text that a commit wrote."""

    first: array[int] = field(default_factory=partial(integers, BEFORE))
    commit: array[int] = field(default_factory=partial(integers, -1))
    path: array[int] = field(default_factory=partial(integers, 0))
    line: array[int] = field(default_factory=partial(integers, 0))
    flags: array[int] = field(default_factory=partial(integers, 0))
    paths: Paths = field(default_factory=lambda: Paths([""]))
    next: int = BEFORE + 1

    def add(self, commit: int, path: str, line: int, count: int, flags: int = 0) -> int:
        """Numbers for `count` new lines; gives the first."""
        first = self.next
        self.first.append(first)
        self.commit.append(commit)
        self.path.append(self.paths.number(path))
        self.line.append(line)
        self.flags.append(flags)
        self.next = first + count
        return first

    def birth_of(self, origin: int) -> Origin:
        """Where a line was born.

        Commit -1 stands for everything before the history that was read.
        """
        row = self.row(origin)
        path = self.paths.names[self.path[row]]
        return Origin(
            self.commit[row], path, self.line[row] + origin - self.first[row], self.flags[row]
        )

    def row(self, origin: int) -> int:
        """The hunk to which a line belongs."""
        return bisect_right(self.first, origin) - 1

    def hunks(self, rows: Iterable[int] | None = None) -> Iterator[tuple[Origin, int, int]]:
        """(where its first line was born, number of that line, lines) of some hunks; default: of
        all but the one from before.
        """
        for row in range(1, len(self.first)) if rows is None else rows:
            first = self.first[row]
            after = self.first[row + 1] if row + 1 < len(self.first) else self.next
            yield (
                Origin(
                    self.commit[row],
                    self.paths.names[self.path[row]],
                    self.line[row],
                    self.flags[row],
                ),
                first,
                after - first,
            )

    def __len__(self) -> int:
        return len(self.first)


@dataclass(slots=True)
class LineHistory:
    """The result of a pass: everything about the origins, and the files of the tip."""

    shas: list[str]
    origins: Origins
    tip: str
    state: State
    problems: list[Problem]
    # False in window mode: `state` then holds only files that changed in the window
    complete: bool = True
    # commits whose parents the clone does not have: their lines may be older
    boundary: frozenset[str] = frozenset()
    # lines at each commit, those from before left out
    present: array[int] = field(default_factory=integers)

    def line(self, origin: int) -> tuple[str, str, int]:
        """(commit id, path, line number) of an origin; the id is empty for lines older than what
        was read.
        """
        born = self.origins.birth_of(origin)
        return ("" if born.commit < 0 else self.shas[born.commit]), born.path, born.line


def numbers(vector: bytes) -> memoryview:
    return memoryview(vector).cast("i")


def vector(origins: Iterable[int]) -> bytes:
    return array("i", origins).tobytes()


def count_lines(values: bytes) -> int:
    """Lines in a vector that are not from before what was read."""
    lines = len(values) // WIDTH
    if _ZERO not in values:  # bytes are searched much faster than numbers
        return lines
    return lines - numbers(values).tolist().count(BEFORE)


def runs(values: bytes) -> Iterator[tuple[int, int]]:
    """(first, length) of each row of consecutive origins; lines from before count as one row,
    too.
    """
    first = length = 0
    for value in numbers(values):
        if length and value == (first + length if first != BEFORE else BEFORE):
            length += 1
            continue
        if length:
            yield first, length
        first = value
        length = 1
    if length:
        yield first, length
