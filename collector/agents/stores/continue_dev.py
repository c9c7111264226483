"""`~/.continue/sessions/<id>.json`, which names the directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from collector.agents.common.uris import path_of
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_str

NAME = "continue-dev"
AGENT = "continue-dev"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "its source, and what other projects read"
KEPT_DAYS = None

_LIST = "sessions.json"


def places(machine: Machine) -> list[Path]:
    return machine.existing([machine.variable("CONTINUE_GLOBAL_DIR", machine.home / ".continue") / "sessions"])


def stored(place: Path) -> Iterator[Path]:
    return (path for path in files.listed(place, (".json",)) if path.name != _LIST)


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in stored(place):
        named = get_str(files.document(path), "workspaceDirectory")
        cwd = path_of(named) if "://" in named else named
        if roots.of(cwd):
            yield LocalSession(NAME, AGENT, path.stem, (path,), f"started in {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    yield files.content(session.files[0])
