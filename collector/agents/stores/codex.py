"""`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl` and `archived_sessions/`, plain or compressed (`.zst`).

The name tells nothing of the directory: the first record does. A subagent is a rollout of its own, read with the session that
started it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from collector.agents.common.jsonl import first_value
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.agents.machine.zstd import decompressed
from collector.json_values import get_str

NAME = "codex"
AGENT = "codex"
KNOWN = Known.REAL
KEPT_DAYS = None

_ENDINGS = (".jsonl", ".jsonl.zst")
_PACKED = ".zst"
_SHORT, _LONG = 8_000, 4_000_000  # bytes of a first record: its directory stands before the instructions, mostly
_CWD = re.compile(rb'"cwd":\s*("(?:[^"\\]|\\.){1,4000}")')
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def places(machine: Machine) -> list[Path]:
    home = machine.variable("CODEX_HOME", machine.home / ".codex")
    return machine.existing([home / "sessions", home / "archived_sessions"])


def stored(place: Path) -> Iterator[Path]:
    """Where a rollout is there twice, the plain one counts."""
    plain = set()
    for path in files.listed(place, _ENDINGS, depth=4):
        if not path.name.startswith("rollout-"):
            continue
        if path.suffix != _PACKED:
            plain.add(path)
        elif path.with_suffix("") in plain:
            continue
        yield path


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    children: dict[str, list[Path]] = defaultdict(list)
    found: dict[str, _Rollout] = {}
    for path in stored(place):
        one = _rollout(path, roots)
        if one is not None and one.parent:
            children[one.parent].append(path)
        if one is not None:
            found[one.id] = one
    for one in found.values():
        if one.parent not in found:
            yield LocalSession(NAME, AGENT, one.id, (one.path, *_below(one.id, children)), f"started in {one.cwd}", cwd=one.cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    for path in session.files:
        yield files.whole_lines(_content(path, files.LARGEST)) if path.suffix == _PACKED else files.lines(path)


@dataclass(frozen=True, slots=True)
class _Rollout:
    id: str
    cwd: str
    parent: str
    path: Path


def _below(thread: str, children: dict[str, list[Path]]) -> Iterator[Path]:
    """The rollouts of subagents, and of theirs."""
    for path in children.pop(thread, ()):
        yield path
        yield from _below(_id(path), children)


def _rollout(path: Path, roots: Roots) -> _Rollout | None:
    """None for a session of another repository, of which no more is read than it takes to see that."""
    named = _CWD.search(_beginning(path, _SHORT)) or _CWD.search(_beginning(path, _LONG))
    cwd = files.some_value(named[1]) if named else ""
    if not roots.of(cwd):
        return None
    first = first_value(_beginning(path, _LONG))
    parent = get_str(first, "payload", "parent_thread_id")
    parent = parent or get_str(first, "payload", "source", "subagent", "thread_spawn", "parent_thread_id")
    return _Rollout(get_str(first, "payload", "id") or _id(path), cwd, parent, path)


def _id(path: Path) -> str:
    found = _ID.findall(path.name)
    return found[-1] if found else path.name.split(".", 1)[0]


def _beginning(path: Path, size: int) -> bytes:
    return _content(path, size) if path.suffix == _PACKED else files.head(path, size)


def _content(path: Path, size: int) -> bytes:
    return decompressed(files.content(path) if size > _LONG else files.head(path, size), size)
