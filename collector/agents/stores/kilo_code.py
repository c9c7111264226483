"""`globalStorage/kilocode.kilo-code/tasks/<id>/` of an editor; `history_item.json` names the directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from collector.agents.machine import tasks
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots

NAME = "kilo-code"
AGENT = "kilo-code"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "the source of Roo Code, from which it grew"
KEPT_DAYS = None

_EXTENSION = "kilocode.kilo-code"


def places(machine: Machine) -> list[Path]:
    return tasks.places(machine, _EXTENSION)


def stored(place: Path) -> Iterator[Path]:
    return tasks.stored(place)


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    return tasks.find(NAME, place, roots)


def load(session: LocalSession) -> Iterator[bytes]:
    return tasks.load(session)
