"""`~/.local/share/kilo/kilo.db` of Kilo Code since 2026-04, with the tables of OpenCode, from which that version grew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.agents.stores import opencode

NAME = "kilo-cli"
AGENT = "kilo-code"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "its plug-in for Entire, and what other projects read"
KEPT_DAYS = None


def places(machine: Machine) -> list[Path]:
    return machine.existing([machine.data / "kilo" / "kilo.db"])


def stored(place: Path) -> Iterator[Path]:
    yield place


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    return (replace(one, source=NAME, agent=AGENT) for one in opencode.find(place, roots))


def load(session: LocalSession) -> Iterator[bytes]:
    return opencode.load(session)
