"""What commits add and delete, read from what two git processes print about all of them.

One prints the patches of ordinary commits, the other the files of merges that differ from all parents: git compares texts
several times faster than libgit2 does for us. What is no plain text, got another name, or what git cannot tell is compared one
by one (`diffs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from attribution.authorship.diffs import CommitDiff, Count, FileDiff, common, diff_of, file_diff
from collector.files.kinds import BY_TEXT, HEAD_LINES, Attributes, kind_of, kind_of_text, says_generated, suffix_of, text_decides
from collector.git.diff_tree import FileDelta, MergedFile, combined_lists, patches
from collector.git.program import ScratchGit
from collector.git.repository import MAX_TEXT, GitRepo, is_regular
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
    ) -> None:
        """`attributes` are the repository's own; `count` is told the lines that each commit but merges added to a file."""
        self._repo, self._attributes, self._count = repo, attributes, count
        self._kinds = _Kinds(repo, attributes)
        self._unknown = frozenset(repo.censored().shallow)  # git would show them as first commits
        self._patches, self._merges = patches(git, MAX_TEXT, with_text=True), combined_lists(git)
        asked = [commit for commit in commits if commit.sha not in self._unknown]
        self._patches.feed([commit.sha for commit in asked if len(commit.parents) < 2])
        self._merges.feed([commit.sha for commit in asked if len(commit.parents) > 1])

    def close(self) -> None:
        """Ends the git processes."""
        self._patches.close()
        self._merges.close()

    def diff_of(self, commit: Commit) -> CommitDiff:
        """What the next commit changed."""
        files = None
        if commit.sha not in self._unknown:
            files = self._merged(commit) if len(commit.parents) > 1 else self._changed(commit)
        return diff_of(self._repo, commit, self._attributes, self._count) if files is None else CommitDiff(commit, files)

    def _changed(self, commit: Commit) -> list[FileDiff] | None:
        """None where it has to be compared one by one."""
        deltas = self._patches.read(commit.sha)
        if deltas is None or not all(map(_is_plain, deltas)):
            return None
        of_path = {delta.path: delta for delta in deltas}
        changes = self._repo.with_renames([_change(delta) for delta in deltas])
        return [self._renamed(c) if c.status == "R" else self._file(c, of_path[c.path]) for c in changes]

    def _renamed(self, change: FileChange) -> FileDiff:
        return file_diff(self._repo, change, self._attributes, self._count)

    def _file(self, change: FileChange, delta: FileDelta) -> FileDiff:
        added, deleted, says = [], 0, False
        for (a0, a1, b0, b1), (_, lines) in zip(delta.hunks or (), delta.text or (), strict=True):
            deleted += a1 - a0
            if lines:
                says = says or says_generated(b"\n".join(lines))
                bare = [line.strip() for line in lines]
                added.append((b0, b1, len(bare) - bare.count(b"")))
                if self._count is not None:
                    self._count(change.path, bare)
        start = min(delta.hunks[0][0], delta.hunks[0][2]) if delta.hunks else 0
        return FileDiff(change, "text", tuple(added), deleted, self._kinds.of(change, says, start))

    def _merged(self, commit: Commit) -> list[FileDiff] | None:
        """None where it has to be compared one by one: also where a file is new to a parent, which may have had it elsewhere."""
        merged = self._merges.read(commit.sha)
        touched = [file for file in merged or () if file.new]
        if merged is None or not all(_is_common(file, len(commit.parents)) for file in touched):
            return None
        found = [self._merged_file(file) for file in touched]
        return [file for file in found if file.added or file.content != "text"]

    def _merged_file(self, file: MergedFile) -> FileDiff:
        sides = (
            FileChange(file.path, file.path, old, file.new, mode, file.new_mode, "M")
            for old, mode in zip(file.old, file.old_modes, strict=True)
        )
        return reduce(lambda a, b: common(self._repo, a, b), (file_diff(self._repo, side, self._attributes) for side in sides))


class _Kinds:
    """The kinds of versions of files; most texts need not be read for that.

    A version has a generator's note only if the one before it had the word, or a line that came in has it.
    """

    def __init__(self, repo: GitRepo, attributes: Sequence[Attributes]) -> None:
        self._repo, self._attributes = repo, attributes
        self._by_path: dict[str, tuple[FileKind, bool]] = {}  # and whether its text has a say in it
        self._silent: set[str] = set()  # blobs without the word
        self._read: dict[str, FileKind | None] = {}  # the others, as their text has it

    def of(self, change: FileChange, says: bool, start: int) -> FileKind:
        """Of the new version, the old one of a deleted file. `says`: the word came in; `start`: lines before the first change."""
        kind, by_text = self._of_path(change.path)
        return (self._of_text(change, says, start) or kind) if by_text else kind

    def _of_path(self, path: str) -> tuple[FileKind, bool]:
        found = self._by_path.get(path)
        if found is None:
            kind = kind_of(path, self._attributes)
            found = self._by_path[path] = (kind, text_decides(path, kind, self._attributes))
        return found

    def _of_text(self, change: FileChange, says: bool, start: int) -> FileKind | None:
        suffix, oid = suffix_of(change.path), change.new or change.old or ""
        if suffix in BY_TEXT:
            return kind_of_text(self._repo.blob(oid) or b"", suffix)
        if change.new is not None and not says and (change.old is None or change.old in self._silent):
            self._silent.add(oid)
        elif start >= HEAD_LINES and change.old in self._read:
            self._read[oid] = self._read[change.old]
        return None if oid in self._silent else self._of_blob(oid, suffix)

    def _of_blob(self, oid: str, suffix: str) -> FileKind | None:
        if oid not in self._read:
            data = self._repo.blob(oid) or b""
            if not says_generated(data):
                self._silent.add(oid)
                return None
            self._read[oid] = kind_of_text(data, suffix)
        return self._read[oid]


def _is_plain(delta: FileDelta) -> bool:
    """Whether the patch tells all about a file: no link, no submodule, no binary one, not only another mode."""
    modes = (mode for mode in (delta.old_mode, delta.new_mode) if mode)
    return delta.hunks is not None and bool(delta.old or delta.new) and all(map(is_regular, modes))


def _is_common(file: MergedFile, parents: int) -> bool:
    """Whether all parents have the file, as a file."""
    return len(file.old) == parents and all(map(is_regular, (*file.old_modes, file.new_mode)))


def _change(delta: FileDelta) -> FileChange:
    status = "M" if delta.old and delta.new else "A" if delta.new else "D"
    return FileChange(delta.path, delta.path, delta.old or None, delta.new or None, delta.old_mode, delta.new_mode, status)
