"""Kilo Code: `{task, api, ui}` until 2026-04; then, grown out of OpenCode, messages `{info, parts}`.

They are a document with a `project`, or JSONL with a message in each line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from collector.agents.common.jsonl import copies, first_value, records
from collector.agents.formats.opencode import database_store, read_exported
from collector.agents.formats.tasks import GIVES as OF_TASKS
from collector.agents.formats.tasks import is_task, read_task, task_store
from collector.agents.machine.model import Known, Machine
from collector.json_values import get, get_dict, get_list, get_str
from collector.model import Problem, Session
from collector.vocabulary.agents import Agent

NAME = "kilo-code"
AGENT = Agent(NAME, "Kilo Code", aliases=("kilo", "kilocode"))
GIVES = OF_TASKS
ORDER = 23
UNTESTED = "all of it"


def sniff(head: object) -> bool:
    if is_task(head, NAME) or _is_message(head):
        return True
    listed = get(head, "messages")
    return (
        isinstance(listed, list)
        and isinstance(get(head, "id"), str)
        and all(map(_is_message, listed))
        and get(head, "info") is None
    )


def _is_message(value: object) -> bool:
    return isinstance(get(value, "info", "role"), str) and isinstance(get(value, "parts"), list)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    value = copies(blobs)
    tasks = [blob for blob in value if is_task(first_value(blob), NAME)]
    if tasks or all(first_value(blob) is None for blob in value):
        return read_task(NAME, session_id, tasks or value)
    problems: list[Problem] = []
    session = read_exported(NAME, session_id, [_export_form(blob, problems, session_id) for blob in value])
    return replace(session, problems=(*problems, *session.problems))


def _export_form(blob: bytes, problems: list[Problem], session_id: str) -> bytes:
    """A copy as OpenCode exports a session."""
    head = first_value(blob)
    if head is None:
        return blob
    if get(head, "info", "role") is None and "info" in get_dict(head):
        return blob
    if "messages" in get_dict(head):
        about = get_dict(head)
        location = get_str(about, "project", "directory") or get_str(about, "project", "worktree")
        info: dict[str, Any] = {
            "id": about.get("id"),
            "directory": location,
            "parentID": about.get("parentID"),
            "time": about.get("time"),
        }
        return json.dumps({"info": info, "messages": get_list(about, "messages")}).encode()
    return json.dumps(
        {"info": {}, "messages": [record for record in records([blob], problems, session_id) if _is_message(record)]}
    ).encode()


def _database(machine: Machine) -> list[Path]:
    return machine.existing([machine.data / "kilo" / "kilo.db"])


STORES = (
    database_store(
        NAME,
        "kilo-cli",
        "`~/.local/share/kilo/kilo.db` of Kilo Code since 2026-04, with the tables of OpenCode, from which that version grew.",
        _database,
        evidence="its plug-in for Entire, and what other projects read",
    ),
    task_store(
        NAME,
        "kilocode.kilo-code",
        "`globalStorage/kilocode.kilo-code/tasks/<id>/` of an editor; `history_item.json` names the directory.",
        Known.DOCUMENTATION,
        "the source of Roo Code, from which it grew",
    ),
)
