"""`~/.local/share/opencode/storage/`: a JSON file per session, message and part, as OpenCode kept them before its database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get, get_str, time_of

NAME = "opencode-files"
AGENT = "opencode"
KNOWN = Known.DOCUMENTATION
KEPT_DAYS = None

_JSON = (".json",)


def places(machine: Machine) -> list[Path]:
    return machine.existing([machine.data / "opencode" / "storage"])


def stored(place: Path) -> Iterator[Path]:
    return files.listed(place / "session", _JSON, depth=2)


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    """Sessions name their directory; where one does not, its project does."""
    for path in stored(place):
        info = files.document(path)
        project = get_str(files.document(place / "project" / f"{path.parent.name}.json"), "worktree")
        directory = get_str(info, "directory") or project
        if roots.of(directory):
            stamp = files.stamp([path, *files.listed(place / "message" / path.stem, _JSON)])
            yield LocalSession(NAME, AGENT, path.stem, (path,), f"its directory is {directory}", "", directory, stamp)


def load(session: LocalSession) -> Iterator[bytes]:
    (path,) = session.files
    storage = path.parents[2]
    messages: list[dict[str, Any]] = []
    for message in files.listed(storage / "message" / session.id, _JSON):
        parts = [_object(part) | {"id": part.stem} for part in files.listed(storage / "part" / message.stem, _JSON)]
        messages.append({"info": _object(message) | {"id": message.stem, "sessionID": session.id}, "parts": parts})
    messages.sort(key=lambda one: (time_of(get(one, "info", "time", "created")) or 0.0, get_str(one, "info", "id")))
    yield json.dumps({"info": _object(path) | {"id": session.id, "directory": session.cwd}, "messages": messages}).encode()


def _object(path: Path) -> dict[str, Any]:
    value = files.document(path)
    return value if isinstance(value, dict) else {}
