"""`~/.local/share/amp/threads/T-*.json` of Amp until March 2026; a thread names the directories it was started in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from collector.agents.common.uris import path_of
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get, get_str, objects

NAME = "amp"
AGENT = "amp"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "its plug-in for Entire, and what other projects read"
KEPT_DAYS = None


def places(machine: Machine) -> list[Path]:
    return machine.existing([machine.data / "amp" / "threads"])


def stored(place: Path) -> Iterator[Path]:
    return (path for path in files.listed(place, (".json",)) if path.name.startswith("T-"))


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in stored(place):
        trees = objects(get(files.document(path), "env", "initial", "trees"))
        cwd = next((folder for tree in trees if roots.of(folder := path_of(get_str(tree, "uri")))), "")
        if cwd:
            yield LocalSession(NAME, AGENT, path.stem, (path,), f"started in {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    yield files.content(session.files[0])
