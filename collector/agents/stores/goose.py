"""`sessions.db` of Goose in `~/.local/share/goose/sessions/`, tables `sessions` and `messages`; before 1.10, a `.jsonl` each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collector.agents.machine import files
from collector.agents.machine.databases import CopiedDatabase, copied
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_str, parsed, time_of

NAME = "goose"
AGENT = "goose"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "rows and lines that other projects describe from real ones"
KEPT_DAYS = None

_DATABASE = "sessions.db"
_ABOUT = ("id", "working_dir", "created_at", "updated_at", "parent_session_id", "accumulated_input_tokens", "input_tokens")
_MORE = ("accumulated_output_tokens", "output_tokens", "accumulated_cost", "model_config_json")
_MESSAGE = ("id", "message_id", "role", "content_json", "created_timestamp", "metadata_json")


def places(machine: Machine) -> list[Path]:
    root = machine.variable("GOOSE_PATH_ROOT", machine.data / "goose")
    homes = [root / "data", root, machine.home / "AppData" / "Roaming" / "Block" / "goose" / "data"]
    return machine.existing(home / "sessions" for home in homes)


def stored(place: Path) -> Iterator[Path]:
    if (place / _DATABASE).is_file():
        yield place / _DATABASE
    yield from files.listed(place, (".jsonl",))


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    known = set()
    if (place / _DATABASE).is_file():
        for one in _rows(place / _DATABASE, roots):
            known.add(one.id)
            yield one
    for path in files.listed(place, (".jsonl",)):
        first = files.first_line(path)
        cwd = get_str(first, "working_dir")
        if roots.of(cwd) and path.stem not in known:  # the database was filled from such files
            yield LocalSession(NAME, AGENT, path.stem, (path,), f"started in {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    path = session.files[0]
    if path.suffix == ".jsonl":
        yield files.lines(path)
        return
    with copied(path) as database:
        lines = [json.dumps(record) for record in _records(database, session.key)]
    yield "\n".join(lines).encode()


def _rows(path: Path, roots: Roots) -> Iterator[LocalSession]:
    with copied(path) as database:
        known = database.columns("sessions")
        if not {"id", "working_dir"} <= known or not {"session_id", "content_json"} <= database.columns("messages"):
            return
        columns = ", ".join(name for name in _ABOUT if name in known)
        for row in database.rows(f"SELECT {columns} FROM sessions"):
            number, cwd = str(row["id"]), str(row["working_dir"])
            if roots.of(cwd) and not row.get("parent_session_id"):
                updated = row.get("updated_at")
                stamp = f"{number} {updated}" if updated else ""
                yield LocalSession(NAME, AGENT, number, (path,), f"started in {cwd}", number, cwd, stamp, time_of(updated) or 0.0)


def _records(database: CopiedDatabase, session: str) -> Iterator[dict[str, Any]]:
    """A session as its lines were before there was a database, with the messages of the sessions that it started."""
    known = database.columns("sessions")
    columns = ", ".join(name for name in _ABOUT + _MORE if name in known)
    (row,) = database.rows(f"SELECT {columns} FROM sessions WHERE id = ?", (session,))
    messages = list(_messages(database, session))
    yield row | {"message_count": len(messages), "model_config": parsed(row.get("model_config_json"))}
    yield from messages
    if "parent_session_id" in known:
        for child in database.rows("SELECT id FROM sessions WHERE parent_session_id = ? ORDER BY id", (session,)):
            for message in _messages(database, str(child["id"])):
                yield message | {"agent": str(child["id"])}


def _messages(database: CopiedDatabase, session: str) -> Iterator[dict[str, Any]]:
    known = database.columns("messages")
    columns = ", ".join(name for name in _MESSAGE if name in known)
    for row in database.rows(f"SELECT {columns} FROM messages WHERE session_id = ? ORDER BY id", (session,)):
        about = {"id": str(row.get("message_id") or f"{session}/{row['id']}"), "role": str(row["role"])}
        content = {"created": row.get("created_timestamp"), "content": parsed(row["content_json"])}
        yield about | content | {"metadata": parsed(row.get("metadata_json"))}
