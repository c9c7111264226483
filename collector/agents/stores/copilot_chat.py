"""`workspaceStorage/<hash>/chatSessions/` of VS Code, and its timeline of the files in `chatEditingSessions/` beside it.

`workspace.json` names the folder. A session is a document, or a log of changes to one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.jsonl import values
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.agents.machine.workspaces import editor_users, folders
from collector.json_values import get_list

NAME = "copilot-chat"
AGENT = "copilot-chat"
KNOWN = Known.DOCUMENTATION
KEPT_DAYS = None

_EDITORS = ("Code", "Code - Insiders", "VSCodium")
_SESSIONS = (".json", ".jsonl")
_SET, _PUSH, _DELETE = 1, 2, 3


def places(machine: Machine) -> list[Path]:
    users = editor_users(machine, _EDITORS)
    servers = [machine.home / name / "data" / "User" for name in (".vscode-server", ".vscode-server-insiders")]
    return machine.existing(user / "workspaceStorage" for user in (*users, *servers))


def stored(place: Path) -> Iterator[Path]:
    for workspace in files.directories(place):
        yield from files.listed(workspace / "chatSessions", _SESSIONS)


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    for workspace in files.directories(place):
        folder = next((one for one in folders(workspace) if roots.of(one)), "")
        for path in files.listed(workspace / "chatSessions", _SESSIONS) if folder else ():
            timeline = workspace / "chatEditingSessions" / path.stem / "state.json"
            used = (path, timeline) if timeline.is_file() else (path,)
            yield LocalSession(NAME, AGENT, path.stem, used, f"VS Code opened {folder}", cwd=folder)


def load(session: LocalSession) -> Iterator[bytes]:
    path, *timeline = session.files
    talk = replayed(files.lines(path)) if path.suffix == ".jsonl" else files.document(path)
    editing = files.document(timeline[0]) if timeline else None
    folder = {"scheme": "file", "path": session.cwd}
    yield json.dumps({"chatSession": talk, "editing": editing, "folder": folder}).encode()


def replayed(data: bytes) -> dict[str, Any]:
    """The document that a log of changes amounts to. Raises ValueError."""
    document: dict[str, Any] = {}
    for entry in (value for line in data.split(b"\n") if line.strip() for value in values(line)):
        if not isinstance(entry, dict):
            continue
        where, value = get_list(entry, "k"), entry.get("v")
        if where:
            _change(document, where, entry)
        elif isinstance(value, dict):
            document = value
    return document


def _change(document: dict[str, Any], where: list[Any], entry: dict[str, Any]) -> None:
    """One entry of a log; one that fits nowhere is left out."""
    inside: Any = document
    for key in where[:-1]:
        inside = _inside(inside, key)
    key, kind = where[-1], entry.get("kind")
    if kind == _PUSH:
        several = _inside(inside, key)
        if several is None and isinstance(inside, dict) and _fits(inside, key):
            several = inside[key] = []
        if isinstance(several, list):
            if isinstance(entry.get("i"), int):
                del several[entry["i"] :]
            several.extend(get_list(entry, "v"))
    elif kind == _SET and _fits(inside, key):
        inside[key] = entry.get("v")
    elif kind == _DELETE and isinstance(inside, dict):
        inside.pop(key, None)


def _inside(value: Any, key: Any) -> Any:
    if isinstance(value, dict) and isinstance(key, str):
        return value.get(key)
    return value[key] if isinstance(value, list) and _fits(value, key) else None


def _fits(value: Any, key: Any) -> bool:
    if isinstance(value, list):
        return isinstance(key, int) and not isinstance(key, bool) and 0 <= key < len(value)
    return isinstance(value, dict) and isinstance(key, str)
