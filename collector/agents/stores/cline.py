"""`globalStorage/saoudrizwan.claude-dev/tasks/<id>/` of an editor, `~/.cline/data/tasks/`; `taskHistory.json` names directories."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from collector.agents.machine import tasks
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots

NAME = "cline"
AGENT = "cline"
KNOWN = Known.REAL
EVIDENCE = "2 whole tasks of 3.51 and the entries shown of 3 others, committed to 4 public repositories; its source"
KEPT_DAYS = None

_EXTENSION = "saoudrizwan.claude-dev"


def places(machine: Machine) -> list[Path]:
    return tasks.places(machine, _EXTENSION, machine.home / ".cline" / "data")


def stored(place: Path) -> Iterator[Path]:
    return tasks.stored(place)


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    return tasks.find(NAME, place, roots)


def load(session: LocalSession) -> Iterator[bytes]:
    return tasks.load(session)
