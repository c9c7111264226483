"""OpenCode: one JSON document `{info, messages: [{info, parts}]}` per copy; a large one is split into several documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.facets import FACETS
from collector.agents.formats.opencode import database_store, read_exported
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine, Store
from collector.agents.machine.roots import Roots
from collector.json_values import get, get_str, time_of
from collector.model import Session
from collector.vocabulary.agents import Agent

NAME = "opencode"
AGENT = Agent(
    NAME,
    "OpenCode",
    accounts=r"noreply@opencode\.ai|opencode-agent\[bot\]|opencode@",
    tools={
        "read": "read",
        "grep": "grep",
        "glob": "glob list",
        "write": "write",
        "edit": "edit multiedit patch apply_patch",
        "web": "webfetch websearch",
        "agent": "task",
        "todo": "todowrite todoread",
        "ask": "question",
        "plan": "plan_exit",
        "skill": "skill",
    },
)
GIVES = frozenset(FACETS) - {"commits", "subagents"}
ORDER = 20


def sniff(head: object) -> bool:
    if not isinstance(head, dict) or not isinstance(head.get("info"), dict) or not isinstance(head.get("messages"), list):
        return False
    return all(isinstance(get(message, "info"), dict) and "parts" in message for message in head["messages"])


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return read_exported(NAME, session_id, blobs)


# --- sessions on this machine ----------------------------------------------------------------------------------------

_JSON = (".json",)


def _places(machine: Machine) -> list[Path]:
    return machine.existing([machine.data / "opencode" / "storage"])


def _session_files(location: Path) -> Iterator[Path]:
    return files.listed(location / "session", _JSON, depth=2)


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    """Sessions name their directory; where one does not, its project does."""
    for path in _session_files(location):
        info = files.document(path)
        project = get_str(files.document(location / "project" / f"{path.parent.name}.json"), "worktree")
        directory = get_str(info, "directory") or project
        if roots.of(directory):
            stamp = files.stamp([path, *files.listed(location / "message" / path.stem, _JSON)])
            yield LocalSession(path.stem, (path,), f"its directory is {directory}", "", directory, stamp)


def _load(session: LocalSession) -> Iterator[bytes]:
    (path,) = session.files
    storage = path.parents[2]
    messages: list[dict[str, Any]] = []
    for message in files.listed(storage / "message" / session.id, _JSON):
        parts = [_object(part) | {"id": part.stem} for part in files.listed(storage / "part" / message.stem, _JSON)]
        messages.append({"info": _object(message) | {"id": message.stem, "sessionID": session.id}, "parts": parts})
    messages.sort(key=lambda entry: (time_of(get(entry, "info", "time", "created")) or 0.0, get_str(entry, "info", "id")))
    yield json.dumps({"info": _object(path) | {"id": session.id, "directory": session.cwd}, "messages": messages}).encode()


def _object(path: Path) -> dict[str, Any]:
    value = files.document(path)
    return value if isinstance(value, dict) else {}


def _databases(machine: Machine) -> list[Path]:
    named = machine.variables.get("OPENCODE_DB", "").strip()
    directory = machine.data / "opencode"
    return machine.existing([directory / named] if named else files.listed(directory, (".db",)))


# The database comes first: it was filled from the files.
STORES = (
    database_store(NAME, NAME, "`~/.local/share/opencode/opencode.db`, tables `session`, `message` and `part`.", _databases),
    Store(
        NAME,
        "`~/.local/share/opencode/storage/`: a JSON file per session, message and part, as OpenCode kept them before its database.",
        Known.DOCUMENTATION,
        _places,
        _find,
        load=_load,
        stored=_session_files,
        form="opencode-files",
    ),
)
