"""`~/.copilot/session-state/<id>/events.jsonl`, before that `<id>.jsonl`; the first event names the directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_str

NAME = "copilot-cli"
AGENT = "copilot-cli"
KNOWN = Known.REAL
KEPT_DAYS = None

_EVENTS = "events.jsonl"


def places(machine: Machine) -> list[Path]:
    home = machine.variable("COPILOT_HOME", machine.home / ".copilot")
    return machine.existing([home / "session-state", home / "history-session-state"])


def stored(place: Path) -> Iterator[Path]:
    for path in files.listed(place, (".jsonl",), depth=2):
        if path.parent == place or path.name == _EVENTS:
            yield path


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in stored(place):
        first = files.first_line(path)
        named = [get_str(first, "data", "context", name) for name in ("cwd", "gitRoot")]
        cwd = next((one for one in named if roots.of(one)), "")
        if cwd:
            usual = path.parent.name if path.name == _EVENTS else path.stem
            yield LocalSession(NAME, AGENT, get_str(first, "data", "sessionId") or usual, (path,), f"started in {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    return map(files.lines, session.files)
