"""`~/.kimi/sessions/<MD5 of the directory>/<id>/wire.jsonl`; `kimi.json` lists the directories."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get, get_str, objects

NAME = "kimi-cli"
AGENT = "kimi-cli"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "its source"
KEPT_DAYS = None

_WIRE = "wire.jsonl"


def places(machine: Machine) -> list[Path]:
    return machine.existing([machine.variable("KIMI_SHARE_DIR", machine.home / ".kimi") / "sessions"])


def stored(place: Path) -> Iterator[Path]:
    for directory in files.directories(place):
        yield from _sessions(directory)


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    listed = [get_str(one, "path") for one in objects(get(files.document(place.parent / "kimi.json"), "work_dirs"))]
    known = {_digest(path): path for path in (*roots.paths, *(path for path in listed if roots.of(path)))}
    for directory in files.directories(place):
        cwd = known.get(directory.name.rpartition("_")[2], "")  # another kind of machine stands before the digest
        for path in _sessions(directory) if cwd else ():
            yield LocalSession(NAME, AGENT, path.parent.name, (path,), f"kept for {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    """The records name no directory: a first line does."""
    head = {"type": "metadata", "protocol_version": "", "work_dir": session.cwd}
    yield json.dumps(head).encode() + b"\n" + files.lines(session.files[0])


def _sessions(directory: Path) -> Iterator[Path]:
    for session in files.directories(directory):
        if (session / _WIRE).is_file() and not (session / _WIRE).is_symlink():
            yield session / _WIRE


def _digest(path: str) -> str:
    return hashlib.md5(path.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()
