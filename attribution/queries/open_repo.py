"""The clone that is looked at together with its repository in the database, and how a file is
found in it.
"""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from collector.errors import UnknownBranch, WhoWroteError
from collector.git.repository import GitRepo, line_changes
from collector.storage.store import Store
from collector.text import (
    command_line,
    count_of,
    file_name,
    from_utf_16,
    is_binary,
    normal_path,
    printable,
)

SHORT = 9  # digits of a commit id for people

_NAMED_FROM = (
    "With PATH, files are named from the root of the repository; without it, from the current"
    " directory"
)


@dataclass(slots=True)
class KnownRepo:
    """A repository of the database."""

    store: Store
    repo_id: int
    name: str
    head: str  # tip of the branch when it was attributed
    branch: str
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class OpenRepo(KnownRepo):
    """An attributed clone. Questions that name no commit are about `tip`, the HEAD of the worktree
    that was asked from, with what is changed there.
    """

    repo: GitRepo = field(kw_only=True)
    tip: str = field(kw_only=True, default="")  # of the branch now
    # commits that it has and the attributed branch had not, oldest first
    newer: tuple[str, ...] = field(kw_only=True, default=())
    # commits on `tip` as if what is changed were committed now: what is staged, then the rest; ""
    # where there is nothing. None: not looked at yet
    pending: tuple[str, str] | None = field(kw_only=True, default=None)
    # puts what a run would write about those, for some files or all, into a copy of the database;
    # None: everything is there
    complete: Callable[[OpenRepo, Collection[str]], None] | None = field(kw_only=True, default=None)

    def __post_init__(self) -> None:
        self.tip = self.tip or self.head

    @property
    def waiting(self) -> list[str]:
        """The commits that no run has read, oldest first, also those that were never made."""
        return [*self.newer, *self.unmade]

    @property
    def unmade(self) -> list[str]:
        """The commits that were never made: of what is staged, and of what is not."""
        return [sha for sha in self.pending or () if sha]


class StateNow(NamedTuple):
    """What is checked out."""

    branch: str
    tip: str
    newer: tuple[str, ...]  # its commits that what was attributed does not have, oldest first

    def differs(self, branch: str, head: str) -> str:
        """How it differs from the branch that was attributed at `head`; "" where it does not."""
        if self.tip == head:
            return ""
        how = "was moved back" if self.branch == branch else "is checked out"
        if self.newer:
            how = f"has {count_of(len(self.newer), 'commit')} since the last run"
        of = "" if self.branch == branch else f", which read {branch}"
        return f"{self.branch} at {self.tip[:SHORT]} {how}{of}"


def commits_since(repo: GitRepo, branch: str, head: str) -> StateNow:
    """What is checked out where the clone was asked from, since `branch` was attributed at
    `head`; in a bare clone, where nothing is, that branch as it is now.
    """
    try:
        now = repo.default_branch() if repo.worktree() or not branch else repo.resolve(branch)
    except UnknownBranch:  # an empty worktree
        return StateNow(branch, head, ())
    newer = repo.history_of([now.sha], [head]) if now.sha != head else ()
    return StateNow(now.name, now.sha, tuple(commit.sha for commit in newer))


def stand_at(opened: OpenRepo, sha: str) -> None:
    """Questions are about this commit and what led to it, whatever is checked out; about what is
    changed in the working tree only where it is the tip.
    """
    if sha == opened.tip:
        with_changes(opened)
    else:
        wait_for(opened, sha)
    if opened.waiting and opened.complete is not None:
        opened.complete(opened, ())


def wait_for(opened: OpenRepo, sha: str) -> None:
    """What waits to be worked out is what led to this commit."""
    if sha not in opened.waiting:
        since = opened.repo.history_of([sha], [opened.head])
        opened.newer = tuple(commit.sha for commit in since)
        opened.pending = ("", "")


class AnsweredAt(NamedTuple):
    commit: str
    behind: int  # commits that the branch has got since it was attributed


NOT_ASKED = AnsweredAt("", 0)
"""Of a line that a page shows as it is stored."""


class LineRange(NamedTuple):
    """Lines of a file from `first` (from 1) to `last`; None: to its end."""

    first: int
    last: int | None

    def within(self, count: int) -> Sequence[int]:
        """The numbers of those that a file of `count` lines has; where the range begins behind
        its end, the first one asked for.
        """
        end = count if self.last is None else min(self.last, count)
        return range(self.first, end + 1) or (self.first,)


def file_in(opened: OpenRepo, sha: str, name: str) -> tuple[str, bytes]:
    """Path and content of a file of a commit; `name` may also be relative to the working directory.

    Raises UnknownBranch, WhoWroteError.
    """
    for path in (name, normal_path(name), *_worktree_paths(opened.repo, name)):
        oid = opened.repo.file_at(sha, path) if path else None
        if oid is not None:
            data = opened.repo.blob(oid)
            if data is None:
                raise WhoWroteError(
                    f"the content of {path} is not in this clone",
                    "This is a partial clone; fetch the file with git",
                )
            return path, data
    paths = list(opened.repo.paths(sha))
    stem, colon, lines = name.rpartition(":")
    if colon and stem in paths:
        raise WhoWroteError(f"{lines} is not a line number", f"Write {stem}:10 or {stem}:10-20")
    directory = normal_path(name).rstrip("/") + "/"
    inside = next((path for path in paths if path.startswith(directory)), "")
    if inside:
        raise WhoWroteError(f"{name} is a directory", f"Name a file in it, for example {inside}")
    if gone := _gone_in(opened.repo, sha, normal_path(name)):
        raise UnknownBranch(*gone)
    same_name = [path for path in paths if file_name(path) == file_name(name)]
    similar = same_name[:3] or difflib.get_close_matches(name, paths, 3, 0.7)
    hint = "Did you mean: " + ", ".join(similar) if similar else _NAMED_FROM
    raise UnknownBranch(f"there is no file {name} in {sha[:SHORT]}", hint)


def _gone_in(repo: GitRepo, sha: str, path: str) -> tuple[str, str] | None:
    """Which commit took a file away, and how it is seen as it was; None where none had it."""
    for commit in reversed(list(repo.history_of([sha]))):
        before = commit.parents[0] if commit.parents else ""
        if before and repo.file_at(before, path) and not repo.file_at(commit.sha, path):
            changes = (c for c in repo.changes(commit) or () if c.old_path == path)
            became = next((c.path for c in changes if c.status == "R"), "")
            what = f"was renamed to {became} in" if became else "was deleted in"
            by = f"{what} {commit.sha[:SHORT]} {printable(commit.subject)}"
            see = command_line("whowrote", "why", f"{path}:1", "--commit", before[:SHORT])
            return f"{path} {by}", f"As it was before: {see}"
    return None


def _worktree_paths(repo: GitRepo, name: str) -> Iterator[str]:
    """The path below the work tree, when `name` is one of its files."""
    top = repo.path.parent.resolve()
    full = Path(name).resolve()
    if repo.path.name == ".git" and full.is_relative_to(top):
        yield full.relative_to(top).as_posix()


# --- the files that are checked out ---------------------------------------------------------------


_MOST = 50_000  # lines of a file


_AFTER_SAVING = 5.0  # seconds; a call is on record as ended some moments after it wrote a file
_MOST_CHANGED = 500  # files


def with_changes(opened: OpenRepo, name: str = "") -> str:
    """The tip, or a commit on it that has the files as the working tree has them; where it has
    very many changes, the one file and records of agents alone.

    The tip also where the two cannot be compared: a bare clone, a link, a file that a filter keeps
    elsewhere.
    """
    if opened.pending is None:
        staged, changed = opened.repo.changed_files()
        names = {name, normal_path(name), *_worktree_paths(opened.repo, name)}
        if len(changed) > _MOST_CHANGED:
            from collector.checkpoints.unread import PATHS

            records = filter(PATHS.fullmatch, changed[-_MOST_CHANGED:])
            changed = [*names.intersection(changed), *records]
        first = _commit_files(opened, opened.tip, staged, opened.repo.path / "index")
        top = opened.repo.worktree() or Path()
        on = first or opened.tip
        texts = ((path, _file_now(top, path)) for path in changed)
        files = {p: text for p, text in texts if text is not None or not os.path.lexists(top / p)}
        newest = max((top / p for p in files), key=_saved_at, default=top)
        opened.pending = first, _commit_files(opened, on, files, newest)
    return opened.pending[1] or opened.pending[0] or opened.tip


def _commit_files(
    opened: OpenRepo, parent: str, files: Mapping[str, bytes | None], saved: Path
) -> str:
    """The id of a commit with these files; "" where none differs."""
    texts = {}
    for path, data in files.items():
        oid = opened.repo.file_at(parent, path)
        before = opened.repo.content(oid) if oid is not None else None
        gone = data is None and before is not None
        if gone or (data is not None and _differs(before, data)):
            texts[path] = data
    at = min(_saved_at(saved) + _AFTER_SAVING, time.time())
    return (opened.repo.as_committed(parent, texts, at) or "") if texts else ""


def _saved_at(file: Path) -> float:
    return file.stat().st_mtime if file.is_file() else 0.0


def _file_now(top: Path, path: str) -> bytes | None:
    """A regular file of the working tree, no link and nothing of git's own."""
    from collector.agents.machine import files

    if not path or path.startswith(("/", ".git/")):
        return None
    try:
        file = top / path
        inside = file.parent.resolve().is_relative_to(top.resolve())
        data = files.content(file) if inside else None
    except (OSError, ValueError):
        return None
    # git turns the ends of lines of Windows into its own when they are committed
    return data.replace(b"\r\n", b"\n") if data is not None and not is_binary(data) else data


def _differs(committed: bytes | None, data: bytes) -> bool:
    from collector.files.kinds import is_pointer

    if max(data.count(b"\n"), (committed or b"").count(b"\n")) > _MOST:
        return False
    if committed is None:
        return True
    same = committed.replace(b"\r\n", b"\n") == from_utf_16(data)
    return not (same or is_pointer(committed) or is_binary(from_utf_16(data)))


def committed_numbers(committed: Sequence[bytes], lines: Sequence[bytes]) -> list[int | None]:
    """For each of `lines` its number (from 1) among the lines of the commit; None where the commit
    does not have it.

    Ends of lines do not count. [] for a file of more than 50,000 lines.
    """
    if len(lines) > _MOST or len(committed) > _MOST:
        return []
    numbers: list[int | None] = []
    following = 1  # line of the commit
    for change in line_changes(_joined(committed), _joined(lines)):
        numbers += range(following, following + change.b0 - len(numbers))
        numbers += [None] * (change.b1 - change.b0)
        following = change.a1 + 1
    remaining = range(following, following + len(lines) - len(numbers))
    return numbers + [number if number <= len(committed) else None for number in remaining]


def _joined(lines: Sequence[bytes]) -> bytes:
    return b"".join(line.removesuffix(b"\r") + b"\n" for line in lines)
