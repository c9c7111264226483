"""`threads/threads.db` of Zed, table `threads`: a compressed document each, `folder_paths` names the directories of the project."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collector.agents.machine import zstd
from collector.agents.machine.databases import CopiedDatabase, copied
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_str, objects, parsed, time_of
from collector.text import decode

NAME = "zed"
AGENT = "zed"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "its source, and what other projects tell about real threads"
KEPT_DAYS = None

_COLUMNS = frozenset({"id", "updated_at", "data_type", "data"})
_MORE = ("folder_paths", "created_at", "parent_id")
_LARGEST = 400_000_000  # bytes of a thread


def places(machine: Machine) -> list[Path]:
    homes = [machine.variable("FLATPAK_XDG_DATA_HOME", machine.data) / "zed", machine.data / "zed"]
    homes += [machine.home / "Library" / "Application Support" / "Zed", machine.home / "AppData" / "Local" / "Zed"]
    return machine.existing(home / "threads" / "threads.db" for home in homes)


def stored(place: Path) -> Iterator[Path]:
    yield place


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    with copied(place) as database:
        known = database.columns("threads")
        if not known >= _COLUMNS:
            return
        columns = ", ".join(["id", "updated_at", *(name for name in _MORE if name in known)])
        for row in database.rows(f"SELECT {columns} FROM threads"):
            if not row.get("parent_id"):
                folders = _folders(row) or _named(_thread(database, str(row["id"])))
                mine = next((folder for folder in folders if roots.of(folder)), "")
                if mine:
                    yield _session(place, row, mine)


def load(session: LocalSession) -> Iterator[bytes]:
    with copied(session.files[0]) as database:
        known = database.columns("threads")
        columns = ", ".join(["id", *(name for name in _MORE if name in known)])
        (row,) = database.rows(f"SELECT {columns} FROM threads WHERE id = ?", (session.key,))
        thread = _thread(database, session.key)
    yield json.dumps({**thread, "folders": _folders(row) or [session.cwd], "created_at": row.get("created_at")}).encode()


def _session(place: Path, row: dict[str, Any], cwd: str) -> LocalSession:
    number, updated = str(row["id"]), row["updated_at"]
    why, stamp = f"its project is in {cwd}", f"{number} {updated}"
    return LocalSession(NAME, AGENT, number, (place,), why, number, cwd, stamp, time_of(updated) or 0.0)


def _folders(row: dict[str, Any]) -> list[str]:
    return [folder for folder in str(row.get("folder_paths") or "").split("\n") if folder]


def _named(thread: dict[str, Any]) -> list[str]:
    """Directories that the document itself names: older databases have no column for them."""
    snapshot = thread.get("initial_project_snapshot")
    worktrees = objects(snapshot.get("worktree_snapshots")) if isinstance(snapshot, dict) else []
    return [path for one in worktrees if (path := get_str(one, "worktree_path"))]


def _thread(database: CopiedDatabase, number: str) -> dict[str, Any]:
    """Raises ValueError for a document that is damaged."""
    (row,) = database.rows("SELECT data_type, data FROM threads WHERE id = ?", (number,))
    data = row["data"] if isinstance(row["data"], bytes) else str(row["data"]).encode()
    value = parsed(decode(zstd.decompressed(data, _LARGEST) if data.startswith(zstd.MAGIC) else data))
    if not isinstance(value, dict):
        raise ValueError(f"thread {number} holds something else than a JSON object")
    return value
