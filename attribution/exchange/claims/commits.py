"""Commits of a clone, as the check of claims sees them."""

from __future__ import annotations

from functools import cached_property

from collector.git.ranges import Ranges, united
from collector.git.repository import MAX_TEXT, OTHER_LOOKS, GitRepo, line_changes
from collector.model import Commit, FileChange, LineChange
from collector.text import decode, is_binary, split_lines


class CommittedFiles:
    """One commit with the files that claims ask for. A merge adds what it adds to any of its parents."""

    def __init__(self, repo: GitRepo, commit: Commit) -> None:
        self._repo, self._commit = repo, commit
        self._files: dict[str, CommittedFile | None] = {}

    def file(self, path: str) -> CommittedFile | None:
        if path not in self._files:
            self._files[path] = self._look(path)
        return self._files[path]

    @cached_property
    def _changes(self) -> list[dict[str, FileChange]] | None:
        """Changed files against each parent; None when a tree is missing."""
        against = []
        for parent in range(max(1, len(self._commit.parents))):
            changes = self._repo.changes(self._commit, parent)
            if changes is None:
                return None
            against.append({change.path: change for change in changes if change.status != "D"})
        return against

    def paths(self) -> set[str]:
        """Of files it adds lines to, or may."""
        return {path for changes in self._changes or () for path in changes}

    def _look(self, path: str) -> CommittedFile | None:
        if not path or path.startswith("/"):
            return None
        blob = self._repo.file_at(self._commit.sha, path)
        if blob is None:
            return None
        size = self._repo.blob_size(blob)
        new = self._repo.blob(blob) if size is not None and size <= MAX_TEXT else None
        if self._changes is None or size is None:
            return CommittedFile([], complete=False)
        if new is None or is_binary(new):
            return CommittedFile([])  # no lines that anybody could claim
        olds = []
        for changes in self._changes:
            change = changes.get(path)
            old = new if change is None else self._repo.blob(change.old) if change.old else b""
            if old is None:
                return CommittedFile([], complete=False)
            olds.append(old)
        return CommittedFile(olds, new)


class CommittedFile:
    """A file of a commit, and what it was in each parent."""

    def __init__(self, olds: list[bytes], new: bytes = b"", complete: bool = True) -> None:
        self.complete = complete  # False: its text, or the text before, is not in this clone
        self._olds, self._new, self._lines = olds, new, split_lines(new)

    @property
    def lines(self) -> int:
        return len(self._lines)

    def text(self, line: int) -> str:
        return decode(self._lines[line - 1]) if 0 < line <= len(self._lines) else ""

    @cached_property
    def added_lines(self) -> Ranges:
        """Lines that the commit adds, as git's own diff says."""
        return united(span for old in self._olds for span in _new_lines(line_changes(old, self._new)))

    @cached_property
    def perhaps_added(self) -> Ranges:
        """Lines that it adds as some other diff says; which of several equal lines is the new one is a matter of taste."""
        changed = [old for old in self._olds if old and old != self._new]
        return united(span for old in changed for look in OTHER_LOOKS for span in _new_lines(line_changes(old, self._new, look)))


def _new_lines(changes: list[LineChange]) -> Ranges:
    return tuple((change.b0 + 1, change.b1) for change in changes if change.b1 > change.b0)
