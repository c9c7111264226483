"""`data.sqlite3` of Kiro CLI, table `conversations_v2`; newer: `~/.kiro/sessions/cli/<id>.jsonl` with a `.json` beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from collector.agents.machine import files
from collector.agents.machine.databases import copied
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_str, time_of

NAME = "kiro"
AGENT = "kiro"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "the source of Amazon Q Developer CLI, which became Kiro CLI, and readers of other projects"
KEPT_DAYS = None

_DATABASE = "data.sqlite3"


def places(machine: Machine) -> list[Path]:
    homes = [machine.data, machine.home / "Library" / "Application Support"]
    lines = machine.variable("KIRO_HOME", machine.home / ".kiro") / "sessions" / "cli"
    return machine.existing([lines, *(home / name / _DATABASE for home in homes for name in ("kiro-cli", "amazon-q"))])


def stored(place: Path) -> Iterator[Path]:
    if place.name == _DATABASE:
        yield place
    else:
        yield from files.listed(place, (".jsonl",))


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    return _rows(place, roots) if place.name == _DATABASE else _lines(place, roots)


def load(session: LocalSession) -> Iterator[bytes]:
    path = session.files[0]
    if path.suffix == ".jsonl":
        yield json.dumps({"kind": "Session", "data": {"cwd": session.cwd}}).encode() + b"\n" + files.lines(path)
        return
    with copied(path) as database:
        table = _table(session.key)
        where = "conversation_id = ?" if table == "conversations_v2" else "key = ?"
        sql = f"SELECT CAST(value AS TEXT) AS value FROM {table} WHERE {where}"
        (row,) = database.rows(sql, (session.key.partition(" ")[2],))
    yield str(row["value"]).encode("utf-8", "replace")


def _table(key: str) -> str:
    return "conversations_v2" if key.startswith("v2 ") else "conversations"


def _rows(place: Path, roots: Roots) -> Iterator[LocalSession]:
    """The key is the directory; before version 2 there was one conversation for each."""
    with copied(place) as database:
        if {"key", "conversation_id", "value"} <= (known := database.columns("conversations_v2")):
            updated = "updated_at" if "updated_at" in known else "NULL"
            for row in database.rows(f"SELECT key, conversation_id, {updated} AS at FROM conversations_v2"):
                if roots.of(str(row["key"])):
                    yield _session(place, str(row["conversation_id"]), f"v2 {row['conversation_id']}", str(row["key"]), row["at"])
        elif {"key", "value"} <= database.columns("conversations"):
            sql = "SELECT key, json_extract(value, '$.conversation_id') AS id FROM conversations WHERE json_valid(value)"
            for row in database.rows(sql):
                if roots.of(str(row["key"])) and row["id"]:
                    yield _session(place, str(row["id"]), f"v1 {row['key']}", str(row["key"]), None)


def _session(place: Path, number: str, key: str, cwd: str, updated: object) -> LocalSession:
    stamp = f"{key} {updated}" if updated is not None else ""
    return LocalSession(NAME, AGENT, number, (place,), f"kept for {cwd}", key, cwd, stamp, time_of(updated) or 0.0)


def _lines(place: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in stored(place):
        about = files.document(path.with_suffix(".json"))
        cwd = get_str(about, "cwd")
        if roots.of(cwd):
            yield LocalSession(NAME, AGENT, get_str(about, "session_id") or path.stem, (path,), f"started in {cwd}", cwd=cwd)
