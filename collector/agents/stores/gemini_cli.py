"""`~/.gemini/tmp/<project>/chats/session-*.json` and `.jsonl`, where the same message is written again with more in it.

A project is named in `projects.json` and in `.project_root`, before that by the SHA-256 of its directory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from collector.agents.common.jsonl import records
from collector.agents.gemini_cli import folded
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_dict, get_list, get_str
from collector.text import decode

NAME = "gemini-cli"
AGENT = "gemini-cli"
KNOWN = Known.DOCUMENTATION
KEPT_DAYS = 30  # general.sessionRetention

_ENDINGS = (".json", ".jsonl")
_REGISTRY = "projects.json"
_MARK = ".project_root"


def places(machine: Machine) -> list[Path]:
    return machine.existing([machine.variable("GEMINI_CLI_HOME", machine.home) / ".gemini" / "tmp"])


def stored(place: Path) -> Iterator[Path]:
    for project in files.directories(place):
        yield from _chats(project)


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    directories = _registered(place)
    for project in files.directories(place):
        cwd = next((one for one in [*directories.get(project.name, ()), _marked(project)] if roots.of(one)), "")
        cwd = cwd or next((path for path in roots.paths if hashlib.sha256(path.encode()).hexdigest() == project.name), "")
        if cwd:
            for path in _chats(project):
                yield LocalSession(NAME, AGENT, _id(path), (path,), f"kept for {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    (path,) = session.files
    document = folded(records([files.lines(path) if path.suffix == ".jsonl" else files.content(path)], [], session.id))
    document["directories"] = [session.cwd, *get_list(document, "directories")]
    yield json.dumps(document).encode()


def _chats(project: Path) -> Iterator[Path]:
    """Sessions of a project, subagents in directories of their parent's id."""
    return files.listed(project / "chats", _ENDINGS, depth=2)


def _id(path: Path) -> str:
    first = files.first_line(path) if path.suffix == ".jsonl" else {}
    document = first or files.document(path)
    return get_str(document, "sessionId") or path.stem


def _registered(place: Path) -> dict[str, list[str]]:
    """Name of a project's directory -> directories of files."""
    found: dict[str, list[str]] = {}
    for path, name in get_dict(files.document(place.parent / _REGISTRY), "projects").items():
        if isinstance(name, str):
            found.setdefault(name, []).append(path)
    return found


def _marked(project: Path) -> str:
    mark = project / _MARK
    return decode(files.head(mark, 4096)).strip() if mark.is_file() else ""
