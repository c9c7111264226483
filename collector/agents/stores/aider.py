"""`.aider.chat.history.md` in the worktree itself: each time that Aider was started begins with a line that says when."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots

NAME = "aider"
AGENT = "aider"
KNOWN = Known.REAL
EVIDENCE = "a history with 6 edits and 3 without any, from public repositories; its source"
KEPT_DAYS = None

_HISTORY = ".aider.chat.history.md"
_BEGINNING = re.compile(rb"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$", re.M)


def places(machine: Machine) -> list[Path]:
    return []  # it keeps nothing outside of worktrees


def inside(worktree: Path) -> list[Path]:
    place = worktree / _HISTORY
    return [place] if place.is_file() and not place.is_symlink() else []


def stored(place: Path) -> Iterator[Path]:
    yield place


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    cwd = str(place.parent)
    if not roots.of(cwd):
        return
    data = files.content(place)
    for number, one in enumerate(_BEGINNING.finditer(data)):
        began = one[1].decode()
        if b"\n> Applied edit to " in _run(data, number):
            key = f"aider {began}"
            why = f"kept in {cwd}"
            yield LocalSession(NAME, AGENT, key, (place,), why, str(number), cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    """One run; lines before it name the directory and, in seconds since 1970, when it began. Raises ValueError for another date."""
    run = _run(files.content(session.files[0]), int(session.key))
    head = f"> whowrote: {session.cwd}\n"
    if found := _BEGINNING.match(run):
        began = datetime.strptime(found[1].decode(), "%Y-%m-%d %H:%M:%S")  # on the clock of this machine
        head += f"> whowrote began: {max(int(began.timestamp()), 0)}\n"
    yield head.encode("utf-8", "surrogateescape") + run


def _run(data: bytes, number: int) -> bytes:
    starts = [one.start() for one in _BEGINNING.finditer(data)]
    if number >= len(starts):
        return b""
    return data[starts[number] : starts[number + 1] if number + 1 < len(starts) else len(data)]
