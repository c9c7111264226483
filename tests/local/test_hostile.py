"""Files of agents that are damaged, or that somebody made to do harm: one costs itself, and is a
problem that says so.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from support.local_clone import Clone
from support.local_writers import WRITERS, keep, short

from collector.agents import readers
from collector.errors import INPUT_ERRORS
from collector.git.repository import GitRepo
from collector.local import find_sessions, load
from collector.local.model import LocalChoice, LocalOptions

ONE = "0197f3a1-5d2c-7b4e-8f60-000000000001"
DEEP = b'{"a":' * 100_000
CONTENTS = {
    "nothing": b"",
    "nul": b"\0" * 5_000,
    "deep": DEEP,
    "deep list": b"[" * 100_000 + b"]" * 100_000,
    "list": b"[[[1]], null]",
    "number": b"1e999",
    "text": b'"text"\n' * 50,
    "bytes": b"\xff\xfe\x00{" * 50,
    "wrong types": (
        b'{"id": [1], "cwd": {"a": 1}, "messages": "x", "parts": 7, "timestamp": {}, "type": []}\n'
        * 3
    ),
    "huge number": b'{"timestamp": 1' + b"0" * 4_000 + b"}",
}
_DATABASE = b"SQLite format 3\0"


def _spoil(path: Path, content: bytes) -> None:
    """Other content in a file; in a database, every value that has no number in it."""
    if path.read_bytes()[:16] != _DATABASE:
        path.write_bytes(content)
        return
    with sqlite3.connect(path) as database:
        names = [
            row[0]
            for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        for name in names:
            columns = [
                row[1]
                for row in database.execute(f"SELECT * FROM pragma_table_info('{name}')")
                if row[5] == 0
            ]
            for column in [one for one in columns if one not in _PLACES]:
                database.execute(f"UPDATE OR IGNORE {name} SET {column} = ?", (content,))


# Columns that say whose a session is: without them nothing more would be read.
_PLACES = {
    "key",
    "session_id",
    "message_id",
    "directory",
    "working_dir",
    "folder_paths",
    "conversation_id",
    "id",
}


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("agent", WRITERS)
def test_no_file_stops_the_others(agent: str, content: str, home: Path) -> None:
    clone = Clone(home / "work" / "tally")
    made = short(clone, ONE)
    before = set(home.rglob("*"))
    keep(made, agent)
    for path in sorted(set(home.rglob("*")) - before):
        if path.is_file() and not path.name.endswith(("-wal", "-shm")):
            _spoil(path, CONTENTS[content])
    sessions = find_sessions(GitRepo(clone.path), LocalOptions(LocalChoice.ALWAYS)).sessions
    by_name = {reader.NAME: reader for reader in readers()}
    for one in sessions.values():
        try:
            by_name[one.agent].read(one.id, load(one))
        except (OSError, *INPUT_ERRORS):
            continue  # becomes a problem, see `collector/load.py`
