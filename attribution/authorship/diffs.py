"""What one commit adds and deletes, file by file and line by line: git's own numbers."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from collector.files.kinds import BY_HAND, Attributes, kind_of, kind_of_version
from collector.git.base import is_regular
from collector.git.repository import GitRepo, line_changes
from collector.limits import COMMIT_LINES
from collector.model import Commit, FileChange
from collector.text import is_binary, split_lines
from collector.vocabulary.lines import FileKind

_SUBMODULE = 0o160000
_SYMLINK = 0o120000

# half-open range in the new version, and how many lines in it have text
AddedLines = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One changed file of one commit."""

    change: FileChange
    content: str  # text | binary | symlink | submodule | too_large | missing
    added: tuple[AddedLines, ...] = ()
    deleted: int = 0
    # of the new version; of the old one where the file was deleted
    kind: FileKind = FileKind.SOURCE

    @property
    def lines_added(self) -> int:
        return sum(b - a for a, b, _ in self.added)


@dataclass(slots=True)
class CommitDiff:
    commit: Commit
    files: list[FileDiff] | None  # None: a tree is missing


Count = Callable[[str, Sequence[bytes]], None]
"""Takes the path of a file and lines that were added to it."""


def diff_of(
    repo: GitRepo, commit: Commit, attributes: Sequence[Attributes] = (), count: Count | None = None
) -> CommitDiff:
    """Compares its trees and texts through libgit2.

    `count` is told the lines that it added, unless it is a merge.
    """
    if commit.is_merge:
        result = merge_diff(repo, commit, attributes)
        return CommitDiff(commit, None if result is None else list(result.values()))
    changes = repo.changes(commit)
    if changes is None:
        return CommitDiff(commit, None)
    files = []
    lines = Counter[bool]()
    for change in changes:
        kind = kind_of(change.path, attributes)
        if lines[kind in BY_HAND] < COMMIT_LINES:
            files.append(file_diff(repo, change, attributes, count))
        else:
            files.append(FileDiff(change, "too_large", kind=kind))
        lines[kind in BY_HAND] += files[-1].lines_added
    return CommitDiff(commit, files)


def file_diff(
    repo: GitRepo, change: FileChange, attributes: Sequence[Attributes], count: Count | None = None
) -> FileDiff:
    for mode in (change.old_mode, change.new_mode):
        if mode in (_SUBMODULE, _SYMLINK):
            other = change.old_mode if mode == change.new_mode else change.new_mode
            if not is_regular(other):
                return FileDiff(
                    change, "submodule" if mode == _SUBMODULE else "symlink", kind=FileKind.DATA
                )
    old, new = (
        _text(repo, oid, mode)
        for oid, mode in ((change.old, change.old_mode), (change.new, change.new_mode))
    )
    if isinstance(old, str) or isinstance(new, str):
        return FileDiff(
            change, old if isinstance(old, str) else str(new), kind=kind_of(change.path, attributes)
        )
    if is_binary(old) or is_binary(new):
        return FileDiff(change, "binary", kind=FileKind.DATA)
    hunks = line_changes(old, new)
    ranges = [(h.b0, h.b1) for h in hunks if h.b1 > h.b0]
    lines = split_lines(new) if ranges else []
    added = tuple(
        (start, end, sum(1 for line in lines[start:end] if line.strip())) for start, end in ranges
    )
    if count is not None:
        for start, end in ranges:
            count(change.path, lines[start:end])
    kind = kind_of_version(change.path, new if change.new is not None else old, attributes)
    return FileDiff(change, "text", added, sum(h.a1 - h.a0 for h in hunks), kind)


def _text(repo: GitRepo, oid: str | None, mode: int) -> bytes | str:
    """Content of a regular file (empty when there is none on that side), or the reason why it
    cannot be compared.
    """
    if oid is None or not is_regular(mode):
        return b""
    if not repo.has(oid):
        return "missing"
    data = repo.text_blob(oid)
    return "too_large" if data is None else data


def merge_diff(
    repo: GitRepo, commit: Commit, attributes: Sequence[Attributes]
) -> dict[str, FileDiff] | None:
    """Lines of a merge that none of its parents has, what whoever merged wrote, by path; None
    when a tree is missing.
    """
    sides = repo.merge_changes(commit)
    if sides is None:
        return None
    # A file equal to one parent's was taken over, not written.
    touched = set.intersection(
        *({c.path for c in changes if c.new is not None} for changes in sides)
    )
    result: dict[str, FileDiff] = {}
    for changes in sides if touched else ():
        for change in repo.pair_renames(changes):
            if change.path in touched:
                diff = file_diff(repo, change, attributes)
                existing = result.get(change.path)
                result[change.path] = common(repo, existing, diff) if existing else diff
    return {path: f for path, f in result.items() if f.added or f.content != "text"}


def common(repo: GitRepo, a: FileDiff, b: FileDiff) -> FileDiff:
    """What a merge added to a file for the parents of `a` as well as for that of `b`."""
    if a.content != "text" or b.content != "text":
        return a if a.content != "text" else b
    mine, theirs = (
        {i for start, end, _ in file.added for i in range(start, end)} for file in (a, b)
    )
    texts = split_lines(repo.content(a.change.new or "")) if mine & theirs else []
    ranges = tuple(
        (s, e, sum(1 for text in texts[s:e] if text.strip()))
        for s, e in runs(sorted(mine & theirs))
    )
    return FileDiff(a.change, "text", ranges, 0, a.kind)


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Half-open ranges of consecutive numbers (sorted)."""
    result: list[tuple[int, int]] = []
    for n in numbers:
        if result and result[-1][1] == n:
            result[-1] = (result[-1][0], n + 1)
        else:
            result.append((n, n + 1))
    return result
