"""Directories of tasks, as Cline and the extensions that grew out of it keep them: `tasks/<id>/` beside `state/`.

A list of all tasks names the directory of each, or a file of its own does; else the first message to the model says it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collector.agents.machine import files
from collector.agents.machine.model import LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.agents.machine.workspaces import editor_users
from collector.json_values import get_list, get_str, objects

_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_SERVERS = (".vscode-server", ".vscode-server-insiders", ".vscode-remote", ".cursor-server", ".windsurf-server")
_API, _UI, _ABOUT, _ITEM = "api_conversation_history.json", "ui_messages.json", "task_metadata.json", "history_item.json"
_DIRECTORY = re.compile(rb"# Current (?:Working|Workspace) Directory \(((?:[^\"\\]|\\.){1,4000}?)\) Files")


def places(machine: Machine, extension: str, *more: Path) -> list[Path]:
    users = editor_users(machine, _EDITORS) + [machine.home / name / "data" / "User" for name in _SERVERS]
    kept = [*(user / "globalStorage" / extension for user in users), *more]
    return machine.existing(place / "tasks" for place in kept)


def stored(place: Path) -> Iterator[Path]:
    for task in files.directories(place):
        if (task / _API).is_file():
            yield task / _API


def find(source: str, place: Path, roots: Roots) -> Iterator[LocalSession]:
    history = files.document(place.parent / "state" / "taskHistory.json")
    listed = {get_str(one, "id"): get_str(one, "cwdOnTaskInitialization") for one in objects(history)}
    for path in stored(place):
        task = path.parent
        cwd = listed.get(task.name) or get_str(files.document(task / _ITEM), "workspace") or _mentioned(path)
        if roots.of(cwd):
            used = [path, *(task / name for name in (_UI, _ABOUT, _ITEM) if (task / name).is_file())]
            yield LocalSession(source, source, task.name, tuple(used), f"started in {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    """Raises ValueError for messages that are no JSON: they are being written."""
    known = {path.name: path for path in session.files}
    api = json.loads(files.content(known[_API]))
    about, item = _document(known, _ABOUT), _document(known, _ITEM)
    task: dict[str, Any] = {"agent": session.agent, "cwd": session.cwd, "parent": get_str(item, "parentTaskId")}
    task["environments"] = get_list(about, "environment_history")
    yield json.dumps({"task": task, "api": api, "ui": _document(known, _UI) or []}).encode()


def _document(known: dict[str, Path], name: str) -> Any:
    return files.document(known[name]) if name in known else None


def _mentioned(path: Path) -> str:
    found = _DIRECTORY.search(files.head(path))
    return files.some_value(b'"' + found[1] + b'"') if found else ""
