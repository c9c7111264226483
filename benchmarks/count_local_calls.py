"""Counts the calls in sessions that agents left in public repositories, beside the program's
readers; see count_calls.py.

    python benchmarks/count_local_calls.py OWNER/NAME=PATH ...

PATH is a `crush.db` (with its write-ahead log beside it; a copy is read), an
`api_conversation_history.json` of Cline or an `.aider.chat.history.md` (an edit that was applied
and a commit are a call each). Shares no code with the program. Prints a JSON object for each, like
count_calls.py: repository -> session -> {agent, calls, files}.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any


def crush(path: Path) -> dict[str, dict[str, Any]]:
    """Calls of a session and of those that it started: some models repeat ids, so each is known
    by its place.
    """
    with tempfile.TemporaryDirectory() as place:
        for end in ("", "-wal"):
            if path.with_name(path.name + end).exists():
                shutil.copy(path.with_name(path.name + end), Path(place) / f"c.db{end}")
        rows = sqlite3.connect(Path(place) / "c.db")
        parents = dict(rows.execute("SELECT id, parent_session_id FROM sessions"))
        ids: dict[str, set[str]] = {}
        for session, message, text in rows.execute("SELECT session_id, id, parts FROM messages"):
            while parents.get(session):
                session = parents[session]
            found = (
                f"{message}/{index}"
                for index, part in enumerate(json.loads(text))
                if part["type"] == "tool_call"
            )
            ids.setdefault(session, set()).update(found)
        rows.close()
    return {
        session: {"agent": "crush", "calls": len(calls), "files": 1}
        for session, calls in ids.items()
    }


def cline(path: Path) -> dict[str, dict[str, Any]]:
    messages = json.loads(path.read_text("utf-8"))
    blocks = (
        block
        for message in messages
        if message["role"] == "assistant"
        for block in message["content"]
    )
    calls = sum(block.get("type") == "tool_use" for block in blocks)
    return {path.parent.name: {"agent": "cline", "calls": calls, "files": 1}}


def aider(path: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    session = ""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("# aider chat started at "):
            session = f"aider {line.removeprefix('# aider chat started at ').strip()}"
            found[session] = {"agent": "aider", "calls": 0, "files": 1}
        elif line.startswith(("> Applied edit to ", "> Commit ")):
            found[session]["calls"] += 1
    return found


_READERS = {".db": crush, ".json": cline, ".md": aider}


def main() -> None:
    for argument in sys.argv[1:]:
        name, _, path = argument.partition("=")
        print(
            json.dumps(
                {f"{name.replace('/', '+', 1)}/repo": _READERS[Path(path).suffix](Path(path))}
            )
        )


if __name__ == "__main__":
    main()
