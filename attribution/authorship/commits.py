"""What each commit adds and deletes, line by line: git's own numbers, and the texts when the lines are to be judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from attribution.authorship.align import text_of
from attribution.authorship.lines import AddedFile
from attribution.authorship.worktrees import added_file
from collector.files.kinds import BY_HAND, Attributes, kind_of, kind_of_version
from collector.git.ancestry import Ancestry
from collector.git.repository import MAX_TEXT, GitRepo, is_regular, line_changes
from collector.model import Commit, FileChange
from collector.text import is_binary, split_lines
from collector.vocabulary.lines import FileKind

_SUBMODULE, _SYMLINK = 0o160000, 0o120000
RARE = 3  # text of lines that more files than this ever had proves nothing


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One changed file of one commit."""

    change: FileChange
    content: str  # text | binary | symlink | submodule | too_large | missing
    added: tuple[tuple[int, int, int], ...] = ()  # half-open ranges in the new version, and how many lines in them have text
    deleted: int = 0
    kind: FileKind = FileKind.SOURCE  # of the new version; of the old one where the file was deleted

    @property
    def lines_added(self) -> int:
        return sum(b - a for a, b, _ in self.added)


@dataclass(slots=True)
class CommitDiff:
    commit: Commit
    files: list[FileDiff] | None  # None: a tree is missing


@dataclass(slots=True)
class CommitHistory:
    """The commits of a branch, parents first, with their changes, and how common each added line is."""

    commits: list[Commit]
    diffs: dict[str, CommitDiff]
    paths: set[str] = field(default_factory=set)
    versions: dict[str, list[tuple[float, str]]] = field(default_factory=dict)  # path -> (author time, blob), in order of commits
    _ancestry: Ancestry | None = None
    lines: LineFiles = field(default_factory=lambda: LineFiles())

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        """Whether `ancestor` can be reached from `descendant`, both commits of this history."""
        if self._ancestry is None:
            self._ancestry = Ancestry((commit.sha, commit.parents) for commit in self.commits)
        return self._ancestry.is_ancestor(ancestor, descendant)

    def rarity(self, text: str) -> float:
        """1 / number of files that ever added the line; 0 for lines of many files and for ones that are too short to tell."""
        stripped = text.strip()
        files = max(1, self.lines.files(stripped.encode("utf-8", "replace")))
        return 1.0 / files if len(stripped) >= 4 and files <= RARE else 0.0


class LineFiles:
    """In how many files each line was ever added, layout aside; hashes stand for texts, and `RARE + 1` for any larger number.

    A history has millions of lines, most of them in one file: for those only the file is kept, not a set of files.
    """

    def __init__(self) -> None:
        self._files: dict[int, int | tuple[int, ...]] = {}

    def add(self, path: str, lines: Iterable[bytes]) -> None:
        """Lines that a commit added to a file."""
        files, file = self._files, hash(path)
        for line in lines:
            key = hash(line.strip())
            known = files.setdefault(key, file)
            if known == file:
                continue
            several = (known,) if isinstance(known, int) else known
            if file not in several and len(several) <= RARE:
                files[key] = (*several, file)

    def files(self, line: bytes) -> int:
        """Of a line without its layout; 0 when no commit added it."""
        known = self._files.get(hash(line))
        if known is None:
            return 0
        return 1 if isinstance(known, int) else len(known)


def read_history(repo: GitRepo, commits: Sequence[Commit], attributes: Sequence[Attributes] = ()) -> CommitHistory:
    """Diffs of all commits, with the kind of each file; `attributes` are the repository's own. Texts are not kept."""
    history = CommitHistory(list(commits), {})
    for commit in commits:
        found = _diff_of(repo, commit, attributes, history.lines.add)
        history.diffs[commit.sha] = found
        for file in found.files or ():
            history.paths.add(file.change.path)
            if file.change.new is not None and file.content == "text":
                history.versions.setdefault(file.change.path, []).append((commit.author_time, file.change.new))
    return history


_Count = Callable[[str, Sequence[bytes]], None]
"""Takes the path of a file and lines that were added to it."""


def _diff_of(repo: GitRepo, commit: Commit, attributes: Sequence[Attributes], count: _Count) -> CommitDiff:
    if len(commit.parents) > 1:
        return CommitDiff(commit, _merge_diff(repo, commit, attributes))
    changes = repo.changes(commit)
    return CommitDiff(commit, None if changes is None else [_file_diff(repo, change, attributes, count) for change in changes])


def _file_diff(repo: GitRepo, change: FileChange, attributes: Sequence[Attributes], count: _Count | None = None) -> FileDiff:
    for mode in (change.old_mode, change.new_mode):
        if mode in (_SUBMODULE, _SYMLINK):
            other = change.old_mode if mode == change.new_mode else change.new_mode
            if not is_regular(other):
                return FileDiff(change, "submodule" if mode == _SUBMODULE else "symlink", kind=FileKind.DATA)
    old, new = (_text(repo, oid, mode) for oid, mode in ((change.old, change.old_mode), (change.new, change.new_mode)))
    if isinstance(old, str) or isinstance(new, str):
        return FileDiff(change, old if isinstance(old, str) else str(new), kind=kind_of(change.path, attributes))
    if is_binary(old) or is_binary(new):
        return FileDiff(change, "binary", kind=FileKind.DATA)
    hunks = line_changes(old, new)
    ranges = [(h.b0, h.b1) for h in hunks if h.b1 > h.b0]
    lines = split_lines(new) if ranges else []
    added = tuple((start, end, sum(1 for line in lines[start:end] if line.strip())) for start, end in ranges)
    if count is not None:
        for start, end in ranges:
            count(change.path, lines[start:end])
    kind = kind_of_version(change.path, new if change.new is not None else old, attributes)
    return FileDiff(change, "text", added, sum(h.a1 - h.a0 for h in hunks), kind)


def _text(repo: GitRepo, oid: str | None, mode: int) -> bytes | str:
    """Content of a regular file (empty when there is none on that side), or the reason why it cannot be compared."""
    if oid is None or not is_regular(mode):
        return b""
    size = repo.blob_size(oid)
    if size is None:
        return "missing"
    if size > MAX_TEXT:
        return "too_large"
    return repo.blob(oid) or b""


def _merge_diff(repo: GitRepo, commit: Commit, attributes: Sequence[Attributes]) -> list[FileDiff] | None:
    """Lines of a merge that none of its parents has: what whoever merged wrote."""
    sides = repo.merge_changes(commit)
    if sides is None:
        return None
    # A file equal to one parent's was taken over, not written.
    touched = set.intersection(*({c.path for c in changes if c.new is not None} for changes in sides))
    found: dict[str, FileDiff] = {}
    for changes in sides if touched else ():
        for change in _named(repo, changes, touched):
            if change.path in touched:
                diff = _file_diff(repo, change, attributes)
                known = found.get(change.path)
                found[change.path] = _common(repo, known, diff) if known else diff
    return [f for f in found.values() if f.added or f.content != "text"]


def _named(repo: GitRepo, changes: list[FileChange], touched: set[str]) -> list[FileChange]:
    """The changes with renames, which are looked for only if a file that counts may have had another name in this parent."""
    return repo.with_renames(changes, touched) if any(c.status == "A" and c.path in touched for c in changes) else changes


def _common(repo: GitRepo, a: FileDiff, b: FileDiff) -> FileDiff:
    if a.content != "text" or b.content != "text":
        return a if a.content != "text" else b
    lines = sorted({i for s, e, _ in a.added for i in range(s, e)} & {i for s, e, _ in b.added for i in range(s, e)})
    texts = split_lines(repo.blob(a.change.new or "") or b"") if lines else []
    ranges = tuple((s, e, sum(1 for t in texts[s:e] if t.strip())) for s, e in runs(lines))
    return FileDiff(a.change, "text", ranges, 0, a.kind)


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Half-open ranges of consecutive numbers (sorted)."""
    found: list[tuple[int, int]] = []
    for n in numbers:
        if found and found[-1][1] == n:
            found[-1] = (found[-1][0], n + 1)
        else:
            found.append((n, n + 1))
    return found


def added_files(repo: GitRepo, diff: CommitDiff) -> list[AddedFile]:
    """The added lines of a commit with the texts around them."""
    result = []
    for file in diff.files or ():
        if file.content == "text" and file.added and file.change.new is not None:
            text = text_of(repo.blob(file.change.new) or b"")
            before = text_of(repo.blob(file.change.old) or b"") if file.change.old is not None else ""
            ranges = ((a, b) for a, b, _ in file.added)
            result.append(added_file(file.change.path, file.change.old_path, text, ranges, before, file.kind in BY_HAND))
    return result
