"""The files that are checked out, beside those of a commit: which of their lines the commit has."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.queries.open_repo import OpenRepo
from collector.agents.machine import files
from collector.errors import UnknownBranch
from collector.files.kinds import is_pointer
from collector.git.repository import line_changes
from collector.text import is_binary, split_lines

_MOST = 50_000  # lines of a file


def checked_out(opened: OpenRepo, path: str, committed: bytes) -> list[bytes] | None:
    """The lines of a file in the working tree, where the tip is checked out and they differ from those that are `committed`.

    None also where they cannot be compared: a bare clone, a link, a file that a filter keeps elsewhere.
    """
    top = opened.repo.worktree()
    if top is None or is_pointer(committed) or not _is_at_tip(opened):
        return None
    try:
        file = top / path
        data = files.content(file) if file.parent.resolve().is_relative_to(top.resolve()) else committed
    except (OSError, ValueError):
        return None
    lines = split_lines(data)
    comparable = not is_binary(data) and max(len(lines), committed.count(b"\n")) <= _MOST
    return lines if comparable and data != committed else None


def _is_at_tip(opened: OpenRepo) -> bool:
    try:
        return opened.repo.default_branch().sha == opened.tip
    except UnknownBranch:
        return False


def committed_numbers(committed: Sequence[bytes], lines: Sequence[bytes]) -> list[int | None]:
    """For each of `lines` its number (from 1) among the lines of the commit; None where the commit does not have it.

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
