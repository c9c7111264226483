"""What commits add and delete, read from the patches that git prints of all of them.

Git compares texts several times faster than libgit2 does for us. Merges, and what is no plain text,
got another name or git cannot tell, is compared one by one (`diffs`).
"""

from collections.abc import Collection, Sequence
from functools import partial

from attribution.authorship.diffs import AddedLines, CommitDiff, Count, FileDiff, diff_of, file_diff
from attribution.authorship.scope import ALL, Scope
from collector.files.kinds import (
    BY_TEXT,
    HEAD_LINES,
    Attributes,
    kind_of,
    kind_of_text,
    may_tell_kind,
    suffix_of,
    text_decides,
)
from collector.git.base import is_regular
from collector.git.diff_tree import FileDelta, PatchStream
from collector.git.program import ScratchGit
from collector.git.repository import GitRepo
from collector.limits import TEXT_BYTES
from collector.model import Commit, FileChange
from collector.vocabulary.lines import FileKind


class PrintedDiffs:
    """The diffs of commits, to be asked for in the order in which they are given."""

    def __init__(
        self,
        repo: GitRepo,
        git: ScratchGit,
        commits: Sequence[Commit],
        attributes: Sequence[Attributes] = (),
        count: Count | None = None,
        scope: Scope = ALL,
    ) -> None:
        """`attributes` are the repository's own; `count` is told the lines that each commit but
        merges added to a file.

        The lines of files beyond the scope are not counted where it is known which are shared.
        """
        self._repo = repo
        self._attributes = attributes
        self._count = count
        self._paths = scope.paths
        self._kinds = _Kinds(repo, attributes)
        # most come again and again in a history, which keeps each once
        self._ranges: dict[AddedLines, AddedLines] = {}
        self._unknown = frozenset(repo.censored().shallow)  # git would show them as first commits
        self._alone: Collection[str] = scope.paths if scope.shared is not None else ()
        self._patches = PatchStream(git, TEXT_BYTES, with_text=True, paths=self._alone)
        self._patches.feed([commit.sha for commit in commits if self._is_printed(commit)])

    def close(self) -> None:
        """Ends the git process."""
        self._patches.close()

    def _is_printed(self, commit: Commit) -> bool:
        return not commit.is_merge and commit.sha not in self._unknown

    def diff_of(self, commit: Commit) -> CommitDiff:
        """What the next commit changed."""
        files = self._changed_files(commit) if self._is_printed(commit) else None
        result = (
            diff_of(self._repo, commit, self._attributes, self._count)
            if files is None
            else CommitDiff(commit, files)
        )
        if result.files is not None:
            result.files = [file for file in result.files if file.change.path in self._paths]
        return result

    def _changed_files(self, commit: Commit) -> list[FileDiff] | None:
        """None where it has to be compared one by one."""
        deltas = self._patches.read(commit.sha)
        if deltas is None or not all(map(_is_plain, deltas)):
            return None
        of_path = {delta.path: delta for delta in deltas}
        # it may have got the name of another file
        if self._alone and not all(delta.new for delta in deltas):
            changes = [
                change for change in self._repo.changes(commit) or () if change.path in of_path
            ]
        else:
            changes = self._repo.pair_renames([_change(delta) for delta in deltas])
        compare = partial(file_diff, self._repo, attributes=self._attributes, count=self._count)
        return [compare(c) if c.status == "R" else self._file(c, of_path[c.path]) for c in changes]

    def _file(self, change: FileChange, delta: FileDelta) -> FileDiff:
        added = []
        deleted = 0
        says = False
        for (a0, a1, b0, b1), (_, lines) in zip(delta.hunks or (), delta.text or (), strict=True):
            deleted += a1 - a0
            if lines:
                says = says or may_tell_kind(b"\n".join(lines))
                bare = [line.strip() for line in lines]
                result = (b0, b1, len(bare) - bare.count(b""))
                added.append(self._ranges.setdefault(result, result))
                if self._count is not None:
                    self._count(change.path, bare)
        start = min(delta.hunks[0][0], delta.hunks[0][2]) if delta.hunks else 0
        kind = (
            self._kinds.of(change, says, start) if change.path in self._paths else FileKind.SOURCE
        )
        return FileDiff(change, "text", tuple(added), deleted, kind)


class _Kinds:
    """The kinds of versions of files; most texts need not be read for that.

    A version has a generator's note only if the one before it had the word, or a line that came in
    has it.
    """

    def __init__(self, repo: GitRepo, attributes: Sequence[Attributes]) -> None:
        self._repo = repo
        self._attributes = attributes
        self._by_path: dict[str, tuple[FileKind, bool]] = {}  # and whether its text has a say in it
        self._silent: set[str] = set()  # blobs without the word
        self._read: dict[str, FileKind | None] = {}  # the others, as their text has it

    def of(self, change: FileChange, says: bool, start: int) -> FileKind:
        """Of the new version, the old one of a deleted file.

        `says`: the word came in; `start`: lines before the first change.
        """
        old = change.old
        new = change.new
        if new is not None and not says and (old is None or old in self._silent):
            self._silent.add(new)
        elif new is not None and start >= HEAD_LINES and old in self._read:
            self._read[new] = self._read[old]
        if change.path not in self._by_path:
            kind = kind_of(change.path, self._attributes)
            self._by_path[change.path] = kind, text_decides(change.path, kind, self._attributes)
        kind, by_text = self._by_path[change.path]
        return (
            (self._kind_by_text(new or old or "", suffix_of(change.path)) or kind)
            if by_text
            else kind
        )

    def _kind_by_text(self, oid: str, suffix: str) -> FileKind | None:
        if suffix in BY_TEXT:
            return kind_of_text(self._repo.content(oid), suffix)
        return None if oid in self._silent else self._kind_of_blob(oid, suffix)

    def _kind_of_blob(self, oid: str, suffix: str) -> FileKind | None:
        if oid not in self._read:
            data = self._repo.content(oid)
            if not may_tell_kind(data):
                self._silent.add(oid)
                return None
            self._read[oid] = kind_of_text(data, suffix)
        return self._read[oid]


def _is_plain(delta: FileDelta) -> bool:
    """Whether the patch tells all about a file: no link, no submodule, no binary one, not only
    another mode.
    """
    modes = (mode for mode in (delta.old_mode, delta.new_mode) if mode)
    return delta.hunks is not None and bool(delta.old or delta.new) and all(map(is_regular, modes))


def _change(delta: FileDelta) -> FileChange:
    status = "M" if delta.old and delta.new else "A" if delta.new else "D"
    return FileChange(
        delta.path,
        delta.path,
        delta.old or None,
        delta.new or None,
        delta.old_mode,
        delta.new_mode,
        status,
    )
