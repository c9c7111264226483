"""`~/.cline/data/sessions/<id>/` of Cline's command line since version 3: `<id>.json`, and `<id>.messages.json` beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_list, get_str

NAME = "cline-cli"
AGENT = "cline"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "what other projects read"
KEPT_DAYS = None

_MESSAGES = ".messages.json"


def places(machine: Machine) -> list[Path]:
    root = machine.variable("CLINE_DIR", machine.home / ".cline")
    data = machine.variable("CLINE_DATA_DIR", root / "data")
    return machine.existing([machine.variable("CLINE_SESSION_DATA_DIR", data / "sessions")])


def stored(place: Path) -> Iterator[Path]:
    for session in files.directories(place):
        path = session / (session.name + _MESSAGES)
        if path.is_file() and not path.is_symlink():
            yield path


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in stored(place):
        about = path.with_name(f"{path.parent.name}.json")
        document = files.document(about)
        cwd = get_str(document, "cwd") or get_str(document, "workspace_root")
        if roots.of(cwd):
            yield LocalSession(NAME, AGENT, path.parent.name, (path, about), f"started in {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    """Raises ValueError for messages that are no JSON: they are being written."""
    messages = get_list(json.loads(files.content(session.files[0])), "messages")
    task = {"agent": session.agent, "cwd": session.cwd, "as_typed": True}
    yield json.dumps({"task": task, "api": messages, "ui": []}).encode()
