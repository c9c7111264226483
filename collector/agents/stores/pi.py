"""`~/.pi/agent/sessions/<directory>/*.jsonl`, and Oh My Pi's `~/.omp/agent/sessions/`; a header names the directory.

A fork is a new file that begins with the entries of the session it was made from, under their old ids: both are read as one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collector.agents.common.jsonl import values
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_str

NAME = "pi"
AGENT = "pi"
KNOWN = Known.REAL
KEPT_DAYS = None

_HEADER_LINES = 5


def places(machine: Machine) -> list[Path]:
    pi = machine.variable("PI_CODING_AGENT_DIR", machine.home / ".pi" / "agent")
    chosen = machine.variable("PI_CODING_AGENT_SESSION_DIR", pi / "sessions")
    profiles = [one / "agent" / "sessions" for one in files.directories(machine.home / ".omp" / "profiles")]
    return machine.existing([chosen, machine.home / ".omp" / "agent" / "sessions", machine.data / "omp" / "sessions", *profiles])


def stored(place: Path) -> Iterator[Path]:
    return files.listed(place, (".jsonl",), depth=2)


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    families: dict[str, list[_Found]] = defaultdict(list)
    parents: dict[str, str] = {}
    for path in stored(place):
        header = _header(path)
        cwd = get_str(header, "cwd")
        if roots.of(cwd):
            parent = Path(get_str(header, "parentSession")).name
            parents[path.name] = parent
            families[path.name].append(_Found(get_str(header, "id") or path.stem, cwd, path))
    for name in [name for name, parent in parents.items() if parent in families and parent != name]:
        families[_origin(name, parents)] += families.pop(name)
    for one, *forks in families.values():
        why = f"started in {one.cwd}" + "".join(f"; with its fork {fork.id}" for fork in forks)
        yield LocalSession(NAME, AGENT, one.id, (one.path, *(fork.path for fork in forks)), why, cwd=one.cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    return map(files.lines, session.files)


@dataclass(frozen=True, slots=True)
class _Found:
    id: str
    cwd: str
    path: Path


def _origin(name: str, parents: dict[str, str]) -> str:
    """The file at the beginning of a chain of forks."""
    seen = {name}
    while parents.get(name, "") in parents and parents[name] not in seen:
        name = parents[name]
        seen.add(name)
    return name


def _header(path: Path) -> dict[str, Any]:
    """The record that begins a session; a title may stand before it."""
    for line in files.head(path).split(b"\n")[:_HEADER_LINES]:
        try:
            found = next((one for one in values(line) if get_str(one, "type") == "session"), None)
        except (ValueError, RecursionError):
            return {}
        if isinstance(found, dict):
            return found
    return {}
