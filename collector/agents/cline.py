"""Cline: one JSON document `{task, api, ui}`, put together from the files of a task's directory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from collector.agents.formats import tasks
from collector.agents.formats.tasks import is_task, read_task, task_store
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine, Store
from collector.agents.machine.roots import Roots
from collector.json_values import get_list, get_str
from collector.model import Session
from collector.vocabulary.agents import Agent

NAME = "cline"
AGENT = Agent(NAME, "Cline", aliases=("claude-dev",), tools={"edit": "replace_in_file"})
GIVES = tasks.GIVES | {"reads", "before"}
ORDER = 23


def sniff(head: object) -> bool:
    return is_task(head, NAME)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return read_task(NAME, session_id, blobs)


# --- sessions on this machine ----------------------------------------------------------------------------------------

_MESSAGES = ".messages.json"


def _places(machine: Machine) -> list[Path]:
    root = machine.variable("CLINE_DIR", machine.home / ".cline")
    data = machine.variable("CLINE_DATA_DIR", root / "data")
    return machine.existing([machine.variable("CLINE_SESSION_DATA_DIR", data / "sessions")])


def _session_files(location: Path) -> Iterator[Path]:
    for session in files.directories(location):
        path = session / (session.name + _MESSAGES)
        if files.is_plain(path):
            yield path


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in _session_files(location):
        about = path.with_name(f"{path.parent.name}.json")
        document = files.document(about)
        cwd = get_str(document, "cwd") or get_str(document, "workspace_root")
        if roots.of(cwd):
            yield LocalSession(path.parent.name, (path, about), f"started in {cwd}", cwd=cwd)


def _load(session: LocalSession) -> Iterator[bytes]:
    """Raises ValueError for messages that are no JSON: they are being written."""
    messages = get_list(json.loads(files.content(session.files[0])), "messages")
    task = {"agent": session.agent, "cwd": session.cwd, "as_typed": True}
    yield json.dumps({"task": task, "api": messages, "ui": []}).encode()


STORES = (
    task_store(
        NAME,
        "saoudrizwan.claude-dev",
        "`globalStorage/saoudrizwan.claude-dev/tasks/<id>/` of an editor, `~/.cline/data/tasks/`; "
        "`taskHistory.json` names directories.",
        Known.REAL,
        "2 whole tasks of 3.51 and the entries shown of 3 others, committed to 4 public repositories; its source",
        home=".cline/data",
    ),
    Store(
        NAME,
        "`~/.cline/data/sessions/<id>/` of Cline's command line since version 3: `<id>.json`, and `<id>.messages.json` beside it.",
        Known.DOCUMENTATION,
        _places,
        _find,
        load=_load,
        stored=_session_files,
        evidence="what other projects read",
        form="cline-cli",
    ),
)
