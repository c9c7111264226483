"""`~/.local/share/opencode/opencode.db`, tables `session`, `message` and `part`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from collector.agents.machine import files
from collector.agents.machine.databases import CopiedDatabase, copied
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import parsed

NAME = "opencode"
AGENT = "opencode"
KNOWN = Known.DOCUMENTATION
KEPT_DAYS = None
ORDER = 40  # before the files it was filled from

_TABLES = {"session": ("id", "directory"), "message": ("id", "session_id", "data"), "part": ("id", "message_id", "data")}
_KEPT = ("parent_id", "project_id", "version", "title", "time_created", "time_updated")


def places(machine: Machine) -> list[Path]:
    data = machine.data
    named = machine.variables.get("OPENCODE_DB", "").strip()
    several = [data / "opencode" / named] if named else list(files.listed(data / "opencode", (".db",)))
    return machine.existing(several)


def stored(place: Path) -> Iterator[Path]:
    yield place


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    with copied(place) as database:
        if not _has_tables(database):
            return
        known = database.columns("session")
        columns = ", ".join(["id", "directory", *(name for name in _KEPT if name in known)])
        mine = [row for row in database.rows(f"SELECT {columns} FROM session") if roots.of(str(row["directory"]))]
        for row in mine:
            yield _session(place, row)


def load(session: LocalSession) -> Iterator[bytes]:
    with copied(session.files[0]) as database:
        yield json.dumps(_document(database, session.key), default=str).encode()


def _has_tables(database: CopiedDatabase) -> bool:
    return all(set(columns) <= database.columns(table) for table, columns in _TABLES.items())


def _session(place: Path, row: dict[str, Any]) -> LocalSession:
    number, directory, updated = str(row["id"]), str(row["directory"]), row.get("time_updated")
    at = updated / 1000 if isinstance(updated, int | float) else 0.0
    stamp = f"{number} {updated}" if updated else ""
    why = f"its directory is {directory}"
    return LocalSession(NAME, AGENT, number, (place,), why, number, directory, stamp, at)


def _document(database: CopiedDatabase, session: str) -> dict[str, Any]:
    """A session as OpenCode exports it."""
    (row,) = database.rows("SELECT * FROM session WHERE id = ?", (session,))
    messages = database.rows("SELECT id, data FROM message WHERE session_id = ? ORDER BY id", (session,))
    parts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for of_message in _batches([str(one["id"]) for one in messages]):
        marks = ", ".join("?" * len(of_message))
        sql = f"SELECT id, message_id, data FROM part WHERE message_id IN ({marks}) ORDER BY id"
        for part in database.rows(sql, of_message):
            parts[part["message_id"]].append(_object(part["data"]) | {"id": part["id"], "messageID": part["message_id"]})
    return {
        "info": {
            "id": session,
            "directory": row["directory"],
            "parentID": row.get("parent_id") or "",
            "version": row.get("version") or "",
            "title": row.get("title") or "",
            "time": {"created": row.get("time_created"), "updated": row.get("time_updated")},
        },
        "messages": [
            {"info": _object(one["data"]) | {"id": one["id"], "sessionID": session}, "parts": parts[one["id"]]} for one in messages
        ],
    }


def _batches(ids: Sequence[str], size: int = 500) -> Iterator[Sequence[str]]:
    return (ids[start : start + size] for start in range(0, len(ids), size))


def _object(text: object) -> dict[str, Any]:
    value = parsed(text)
    return value if isinstance(value, dict) else {}
