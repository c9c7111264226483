"""What a commit changed, from the clone: its message, and hunks whose added lines carry the verdict on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attribution.queries.verdicts import AttributedLines
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo, line_changes
from collector.model import FileChange, LineChange
from collector.text import decode, is_binary, split_lines

_AROUND = 3  # lines of context
_FILE, _COMMIT = 600, 4000  # lines that are shown of a file and of a commit
_LARGE = 2_000_000  # bytes of a file beyond which it is not compared


class ShownLine(NamedTuple):
    """A line of a hunk."""

    mark: str  # "+", "-", " "
    old: int | None  # its number before
    new: int | None  # and after
    text: str
    span: AttributedLines | None  # verdict on an added line


@dataclass(frozen=True, slots=True)
class FileDiff:
    hunks: list[list[ShownLine]]
    cut: int  # lines that are left out
    note: str = ""  # why there are no hunks


@dataclass(frozen=True, slots=True)
class CommitDiff:
    message: str
    files: dict[str, FileDiff]  # by path after the commit; before it for a deletion


def commit_diff(path: str | None, sha: str, spans: Mapping[str, Sequence[AttributedLines]]) -> CommitDiff | None:
    """None when the clone at `path` is gone or does not have the commit. A merge is compared with its first parent."""
    if not path:
        return None
    try:
        clone = GitRepo(path)
    except WhoWroteError:
        return None
    commit = clone.commit(sha)
    if commit is None:
        return None
    files: dict[str, FileDiff] = {}
    left = _COMMIT
    for change in clone.changes(commit) or []:
        files[change.path] = diff = _file(clone, change, spans.get(change.path, ()), left)
        left -= sum(map(len, diff.hunks))
    return CommitDiff(commit.message, files)


def _file(clone: GitRepo, change: FileChange, spans: Sequence[AttributedLines], left: int) -> FileDiff:
    texts = [clone.blob(oid) if oid else b"" for oid in (change.old, change.new)]
    old, new = texts
    if old is None or new is None:
        return FileDiff([], 0, "the content is not in the clone")
    if is_binary(old) or is_binary(new):
        return FileDiff([], 0, "a binary file")
    if max(len(old), len(new)) > _LARGE:
        return FileDiff([], 0, "a large file")
    if left <= 0:
        return FileDiff([], 0, "left out: the commit is long")
    hunks: list[list[ShownLine]] = []
    listing = cut = 0
    for hunk in _hunks(old, new, spans):
        room = max(0, min(_FILE, left) - listing)
        if room:
            hunks.append(hunk[:room])
        cut += max(0, len(hunk) - room)
        listing += min(len(hunk), room)
    return FileDiff(hunks, cut)


def _hunks(old: bytes, new: bytes, spans: Sequence[AttributedLines]) -> Iterator[list[ShownLine]]:
    before = [decode(line) for line in split_lines(old)]
    after = [decode(line) for line in split_lines(new)]
    verdicts = {number: span for span in spans for number in range(span.start, span.end + 1)}
    for group in _together(line_changes(old, new)):
        hunk: list[ShownLine] = []
        a = max(0, group[0].a0 - _AROUND)
        b = group[0].b0 - (group[0].a0 - a)
        for change in group:
            hunk += _context(before, a, change.a0, b)
            hunk += [ShownLine("-", n + 1, None, before[n], None) for n in range(change.a0, change.a1)]
            hunk += [ShownLine("+", None, n + 1, after[n], verdicts.get(n + 1)) for n in range(change.b0, change.b1)]
            a, b = change.a1, change.b1
        hunk += _context(before, a, min(len(before), a + _AROUND), b)
        yield hunk


def _context(before: Sequence[str], start: int, end: int, new: int) -> list[ShownLine]:
    return [ShownLine(" ", n + 1, new + n - start + 1, before[n], None) for n in range(start, end)]


def _together(changes: Iterable[LineChange]) -> Iterator[list[LineChange]]:
    """Changes whose contexts touch, put together."""
    group: list[LineChange] = []
    for change in changes:
        if group and change.a0 - group[-1].a1 > 2 * _AROUND:
            yield group
            group = []
        group.append(change)
    if group:
        yield group
