"""Following lines back to the commit that added them.

The same diffs are used as in the attribution, so that every line ends in a span of the database, also in merges and where objects
are missing.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from collector.git.repository import GitRepo, line_changes


@dataclass(frozen=True, slots=True)
class Introduction:
    """The commit that added a line, and where the line stood there."""

    sha: str
    path: str
    line: int  # 1-based


Pair = tuple[int, int]
"""(line of the version at hand, wanted line); after a merge two wanted lines can come from the same one."""


def introductions(repo: GitRepo, sha: str, path: str, wanted: Sequence[int]) -> dict[int, Introduction]:
    """Where each wanted line (1-based, of a file of a commit) was added. Lines go to the first parent that has them."""
    found: dict[int, Introduction] = {}
    pending: dict[tuple[str, str], list[Pair]] = {(sha, path): [(n, n) for n in wanted]}
    queue = [(0.0, sha, path)]
    while queue:
        _, sha, path = heapq.heappop(queue)
        lines = pending.pop((sha, path), [])
        commit = repo.commit(sha)
        if commit is None:
            continue
        new = repo.file_at(sha, path)
        # As git blame: a parent with the very same file takes all lines, then the parents in order.
        for number, parent in sorted(enumerate(commit.parents), key=lambda p: (repo.file_at(p[1], path) != new, p[0])):
            known = repo.commit(parent)
            if known is None or not lines:
                continue
            old_path, passed = _handed_on(repo, sha, number, parent, path, lines)
            if passed:
                pending.setdefault((parent, old_path), []).extend(passed)
                heapq.heappush(queue, (-known.commit_time, parent, old_path))
                gone = {n for _, n in passed}
                lines = [pair for pair in lines if pair[1] not in gone]
        found.update((n, Introduction(sha, path, line)) for line, n in lines)
    return found


def _handed_on(repo: GitRepo, sha: str, number: int, parent: str, path: str, lines: list[Pair]) -> tuple[str, list[Pair]]:
    """The path in the parent and the lines that it has too."""
    new, old_path = repo.file_at(sha, path), path
    old = repo.file_at(parent, path)
    if old is None:
        old_path = _renamed_from(repo, sha, number, path)
        old = repo.file_at(parent, old_path) if old_path else None
    if old is None or new is None:
        return path, []
    if old == new:
        return old_path, lines
    a, b = repo.blob(old), repo.blob(new)
    if a is None or b is None:
        return path, []
    return old_path, _unchanged(a, b, lines)


def _renamed_from(repo: GitRepo, sha: str, number: int, path: str) -> str:
    commit = repo.commit(sha)
    changes = repo.changes(commit, number) if commit is not None else None
    return next((c.old_path for c in changes or () if c.path == path and c.status == "R"), "")


def _unchanged(old: bytes, new: bytes, lines: Sequence[Pair]) -> list[Pair]:
    """The lines that both versions have, by their number in the old one."""
    kept: list[Pair] = []
    hunks = line_changes(old, new)
    at, shift = 0, 0
    for line, wanted in sorted(lines):
        while at < len(hunks) and hunks[at].b1 < line:
            shift = hunks[at].a1 - hunks[at].b1
            at += 1
        if at == len(hunks) or line <= hunks[at].b0:
            kept.append((line + shift, wanted))
    return kept


def trail(repo: GitRepo, sha: str, path: str, line: int) -> tuple[list[tuple[Introduction, str]], Introduction]:
    """One line followed back: ([(place in a commit that renamed the file, the name before)], where it was added), newest first.

    Where it was added is what `births` says.
    """
    renames: list[tuple[Introduction, str]] = []
    here = Introduction(sha, path, line)
    while (older := _before(repo, here.sha, here.path, here.line)) is not None:
        if older.path != here.path:
            renames.append((here, older.path))
        here = older
    return renames, here


def _before(repo: GitRepo, sha: str, path: str, line: int) -> Introduction | None:
    """The line in the first parent that has it."""
    commit = repo.commit(sha)
    if commit is None:
        return None
    new = repo.file_at(sha, path)
    for number, parent in sorted(enumerate(commit.parents), key=lambda p: (repo.file_at(p[1], path) != new, p[0])):
        if repo.commit(parent) is None:
            continue
        old_path, passed = _handed_on(repo, sha, number, parent, path, [(line, line)])
        if passed:
            return Introduction(parent, old_path, passed[0][0])
    return None
