"""`~/.cursor/projects/<directory>/agent-transcripts/<id>.jsonl`, or `<id>/<id>.jsonl` with subagents below.

The directory is named after the one that was worked in, with `-` for all that is neither letter nor digit, and no record names it:
a session belongs when it names a path in the worktree. The results of its calls are in `~/.cursor/chats/<MD5 of the
directory>/<id>/store.db`, a tree of blobs.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collector.agents.machine import files
from collector.agents.machine.databases import copied
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get, get_str, objects, parsed
from collector.text import decode

NAME = "cursor"
AGENT = "cursor"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "real transcripts in checkpoints; their place and the database from descriptions by other projects"
KEPT_DAYS = None

_LOGS = "agent-transcripts"
_STORE = "store.db"


def places(machine: Machine) -> list[Path]:
    return machine.existing([machine.variable("CURSOR_CONFIG_DIR", machine.home / ".cursor") / "projects"])


def stored(place: Path) -> Iterator[Path]:
    for project in files.directories(place):
        yield from _sessions(project)


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    own: dict[str, list[str]] = {}
    for root in roots.paths:
        own.setdefault(_slug(root), []).append(root)
    for project in files.directories(place):
        for path in _sessions(project) if project.name in own or roots.anywhere else ():
            named = next((root for root in own.get(project.name, ()) if _names(path, root)), "")
            if named or roots.anywhere:
                below = files.listed(path.parent / "subagents", (".jsonl",)) if path.parent.name == path.stem else ()
                store = place.parent / "chats" / _digest(named) / path.stem / _STORE
                used = (path, *below, *((store,) if named and store.is_file() and not store.is_symlink() else ()))
                yield LocalSession(NAME, AGENT, path.stem, used, f"names files of {named}" if named else "", cwd=named)


def load(session: LocalSession) -> Iterator[bytes]:
    """The transcript, after the results of its calls where they are known; then those of subagents."""
    first, *others = session.files
    stores = [path for path in others if path.name == _STORE]
    results = [one for path in stores for one in _results(path)]
    yield (json.dumps({"store": results}).encode() + b"\n" if results else b"") + files.lines(first)
    yield from (files.lines(path) for path in others if path.name != _STORE)


def _results(path: Path) -> Iterator[dict[str, Any]]:
    """Name, arguments and result of the calls of a chat, in order. Raises OSError."""
    with copied(path) as database:
        if not {"key", "value"} <= database.columns("meta") or not {"id", "data"} <= database.columns("blobs"):
            return
        metas = (parsed(_text(row["value"])) for row in database.rows("SELECT value FROM meta"))
        root = next((found for meta in metas if (found := get_str(meta, "latestRootBlobId"))), "")
        blobs = {str(row["id"]): row["data"] for row in database.rows("SELECT id, data FROM blobs")}
    made: dict[str, tuple[object, object]] = {}
    for child in _children(_bytes(blobs.get(root))):
        message = parsed(decode(_bytes(blobs.get(child))))
        for part in objects(get(message, "content")):
            key = get_str(part, "toolCallId")
            if part.get("type") == "tool-call":
                made[key] = part.get("toolName"), part.get("args")
            elif part.get("type") == "tool-result" and key in made:
                name, arguments = made[key]
                result = part.get("result")
                yield {"name": name, "args": arguments, "result": result if isinstance(result, str) else json.dumps(result)}


def _children(data: bytes) -> Iterator[str]:
    """Ids in the repeated field 1 of a protobuf message: a tag, a length of 32, a digest. What follows is something else."""
    at = 0
    while data[at : at + 2] == b"\x0a\x20":
        yield data[at + 2 : at + 34].hex()
        at += 34


def _text(value: object) -> str:
    """Values are JSON, as hexadecimal digits or plain."""
    text = decode(_bytes(value))
    try:
        return bytes.fromhex(text).decode("utf-8", "replace")
    except ValueError:
        return text


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value or "").encode("utf-8", "replace")


def _digest(path: str) -> str:
    return hashlib.md5(path.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()


def _slug(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path.removeprefix("/"))


def _sessions(project: Path) -> Iterator[Path]:
    for path in files.listed(project / _LOGS, (".jsonl",), depth=2):
        if path.parent.name in (_LOGS, path.stem):
            yield path


def _names(path: Path, root: str) -> bool:
    return re.search(rb'"' + re.escape(root.encode()) + rb'["/]', files.content(path)) is not None
