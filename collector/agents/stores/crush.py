"""`.crush/crush.db` in the worktree itself, tables `sessions`, `messages` and `files`.

No row names a directory: a session belongs when it changed files of the worktree, or none that has an absolute path.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collector.agents.machine import files
from collector.agents.machine.databases import CopiedDatabase, copied
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_str, objects, time_of

NAME = "crush"
AGENT = "crush"
KNOWN = Known.REAL
EVIDENCE = "3 databases with 13 sessions, committed to public repositories; its source"
KEPT_DAYS = None

_DATABASE = Path(".crush") / "crush.db"
_TABLES = {"sessions": ("id", "created_at"), "messages": ("id", "session_id", "parts"), "files": ("path", "content", "version")}
_ABOUT = ("id", "parent_session_id", "message_count", "prompt_tokens", "completion_tokens", "cost", "created_at", "updated_at")
_MESSAGE = ("id", "role", "parts", "model", "created_at", "is_summary_message")


def places(machine: Machine) -> list[Path]:
    """Of projects that Crush remembers, for whoever asks what is on this machine."""
    data = machine.variable("CRUSH_GLOBAL_DATA", machine.data / "crush")
    known = files.document(data / "projects.json")
    listed = objects(known.get("projects")) if isinstance(known, dict) else []
    named = [get_str(one, "data_dir") for one in listed]
    return machine.existing(Path(one) / _DATABASE.name for one in named if Path(one).is_absolute())


def inside(worktree: Path) -> list[Path]:
    place = worktree / _DATABASE
    return [place] if place.is_file() and not place.is_symlink() and not place.parent.is_symlink() else []


def stored(place: Path) -> Iterator[Path]:
    yield place


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    if not roots.of(str(place.parents[1])):
        return
    with copied(place) as database:
        if not all(set(columns) <= database.columns(table) for table, columns in _TABLES.items()):
            return
        rows = database.rows(f"SELECT {_known(database, 'sessions', _ABOUT)} FROM sessions ORDER BY created_at, id")
        for row in rows:
            paths = [
                str(one["path"]) for one in database.rows("SELECT DISTINCT path FROM files WHERE session_id = ?", (row["id"],))
            ]
            cwd = _directory(place, paths, roots)
            if cwd and not row.get("parent_session_id"):
                number, at = str(row["id"]), time_of(row.get("updated_at")) or 0.0
                why = f"changed files of {cwd}" if paths else f"kept in {cwd}"
                stamp = f"{number} {row.get('updated_at')} {row.get('message_count')}"
                yield LocalSession(NAME, AGENT, number, (place,), why, number, cwd, stamp, at)


def load(session: LocalSession) -> Iterator[bytes]:
    with copied(session.files[0]) as database:
        lines = [json.dumps(record) for record in _records(database, session.key, session.cwd)]
    yield "\n".join(lines).encode()


def _directory(place: Path, paths: list[str], roots: Roots) -> str:
    absolute = [path for path in paths if path.startswith("/") or path[1:3] in (":\\", ":/")]
    if absolute:
        return next((root for path in absolute if (root := roots.of(path))), "")
    return str(place.parents[1]) if roots.of(str(place.parents[1])) else ""


def _known(database: CopiedDatabase, table: str, columns: tuple[str, ...]) -> str:
    known = database.columns(table)
    return ", ".join(name for name in columns if name in known)


def _records(database: CopiedDatabase, session: str, cwd: str) -> Iterator[dict[str, Any]]:
    """A session, the versions of its files, its messages, and those of the sessions that it started."""
    (row,) = database.rows(f"SELECT {_known(database, 'sessions', _ABOUT)} FROM sessions WHERE id = ?", (session,))
    yield {"session": row, "cwd": cwd}
    sql = "SELECT path, content FROM files WHERE session_id = ? ORDER BY path, version"
    for file in database.rows(sql, (session,)):
        yield {"file": file}
    columns = _known(database, "messages", _MESSAGE)
    messages = f"SELECT {columns} FROM messages WHERE session_id = ? ORDER BY created_at, rowid"
    for message in database.rows(messages, (session,)):
        yield {"message": message}
    for child in database.rows("SELECT id FROM sessions WHERE parent_session_id = ? ORDER BY created_at, id", (session,)):
        for message in database.rows(messages, (child["id"],)):
            yield {"message": message, "agent": str(child["id"])}
