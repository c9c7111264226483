"""`~/.factory/sessions/<directory>/<id>.jsonl`; the first record names the directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_str

NAME = "factory-droid"
AGENT = "factory-droid"
KNOWN = Known.DOCUMENTATION
KEPT_DAYS = None


def places(machine: Machine) -> list[Path]:
    return machine.existing([machine.variable("FACTORY_HOME_OVERRIDE", machine.home) / ".factory" / "sessions"])


def stored(place: Path) -> Iterator[Path]:
    return files.listed(place, (".jsonl",), depth=2)


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in stored(place):
        first = files.first_line(path)
        cwd = get_str(first, "cwd")
        if get_str(first, "type") == "session_start" and roots.of(cwd):
            yield LocalSession(NAME, AGENT, get_str(first, "id") or path.stem, (path,), f"started in {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    return map(files.lines, session.files)
