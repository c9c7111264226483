"""`~/.grok/sessions/<directory>/<id>/chat_history.jsonl` of Grok Build; `summary.json` beside it names the directory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.jsonl import records
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get, get_str, time_of

NAME = "grok"
AGENT = "grok"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "its plug-in for Entire, and what other projects read"
KEPT_DAYS = None

_CHAT, _ABOUT, _UPDATES = "chat_history.jsonl", "summary.json", "updates.jsonl"


def places(machine: Machine) -> list[Path]:
    return machine.existing([machine.variable("GROK_HOME", machine.home / ".grok") / "sessions"])


def stored(place: Path) -> Iterator[Path]:
    for directory in files.directories(place):
        for session in files.directories(directory):
            if (session / _CHAT).is_file() and not (session / _CHAT).is_symlink():
                yield session / _CHAT


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in stored(place):
        cwd = get_str(files.document(path.with_name(_ABOUT)), "info", "cwd")
        if roots.of(cwd):
            beside = (path.with_name(name) for name in (_ABOUT, _UPDATES))
            used = (path, *(other for other in beside if other.is_file() and not other.is_symlink()))
            yield LocalSession(NAME, AGENT, path.parent.name, used, f"started in {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    """The lines, after one with what they lack: the directory, when the session began and ended, and times of calls."""
    known = {path.name: path for path in session.files}
    summary = files.document(known[_ABOUT]) if _ABOUT in known else None
    about: dict[str, Any] = {name: get(summary, name) for name in ("created_at", "updated_at", "parent_session_id")}
    times = _times(files.lines(known[_UPDATES])) if _UPDATES in known else {}
    head = {"type": "system", "content": [], "about": {**about, "cwd": session.cwd, "times": times}}
    yield json.dumps(head).encode() + b"\n" + files.lines(known[_CHAT])


def _times(updates: bytes) -> dict[str, tuple[float, float]]:
    """Call -> when it was first and last heard of."""
    found: dict[str, tuple[float, float]] = {}
    for record in records([updates], [], ""):
        update = get(record, "params", "update")
        call, at = get_str(update, "toolCallId"), time_of(record.get("timestamp"))
        if call and at is not None:
            began = found.get(call, (at, at))[0]
            found[call] = (min(began, at), max(began, at))
    return found
