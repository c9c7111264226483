"""`globalStorage/kiro.kiroagent/workspace-sessions/` of Kiro's editor: chats; logs beside that directory say what they did."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.agents.machine.workspaces import editor_users
from collector.json_values import get_list, get_str, objects

NAME = "kiro-editor"
AGENT = "kiro"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "its plug-in for Entire, and what other projects read"
KEPT_DAYS = None

_LIST = "sessions.json"
_LOGS = "414d1636299d2b9e4ce7e17fb11f63e9"  # the directory of logs, in each workspace's own


def places(machine: Machine) -> list[Path]:
    users = editor_users(machine, ("Kiro",))
    return machine.existing(user / "globalStorage" / "kiro.kiroagent" / "workspace-sessions" for user in users)


def stored(place: Path) -> Iterator[Path]:
    for workspace in files.directories(place):
        yield from (path for path in files.listed(workspace, (".json",)) if path.name != _LIST)


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    for workspace in files.directories(place):
        for one in objects(files.document(workspace / _LIST)):
            cwd, number = get_str(one, "workspaceDirectory"), get_str(one, "sessionId")
            path = next((path for path in files.listed(workspace, (".json",)) if number and path.stem == number), None)
            if path is not None and roots.of(cwd):
                name = hashlib.sha256(cwd.encode("utf-8", "surrogateescape")).hexdigest()[:32]
                logs = files.listed(place.parent / name / _LOGS, ("",))
                yield LocalSession(NAME, AGENT, number, (path, *logs), f"kept for {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    """The chat with the logs that it names. Raises ValueError for a chat that is no JSON: it is being written."""
    path, *logs = session.files
    chat: dict[str, Any] = json.loads(files.content(path))
    wanted = {get_str(entry, "executionId") for entry in get_list(chat, "history")} - {""}
    found = (files.document(log) for log in logs)
    executions = [log for log in found if get_str(log, "executionId") in wanted]
    yield json.dumps({"kiroEditor": {"cwd": session.cwd, "chat": chat, "executions": executions}}).encode()
