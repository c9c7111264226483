"""`~/.cursor/projects/<directory>/agent-transcripts/<id>.jsonl`, or `<id>/<id>.jsonl` with subagents below.

The directory is named after the one that was worked in, with `-` for all that is neither letter nor digit, and no record names it:
a session belongs when it names a path in the worktree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from collector.local import files
from collector.local.model import Known, LocalSession, Machine
from collector.local.roots import Roots

NAME = "cursor"
AGENT = "cursor"
KNOWN = Known.DOCUMENTATION
KEPT_DAYS = None

_LOGS = "agent-transcripts"


def places(machine: Machine) -> list[Path]:
    return machine.existing([machine.variable("CURSOR_CONFIG_DIR", machine.home / ".cursor") / "projects"])


def stored(place: Path) -> Iterator[Path]:
    for project in files.directories(place):
        yield from _sessions(project)


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    own: dict[str, list[str]] = {}
    for root in roots.paths:
        own.setdefault(_slug(root), []).append(root)
    for project in files.directories(place):
        for path in _sessions(project) if project.name in own or roots.anywhere else ():
            named = next((root for root in own.get(project.name, ()) if _names(path, root)), "")
            if named or roots.anywhere:
                below = files.listed(path.parent / "subagents", (".jsonl",)) if path.parent.name == path.stem else ()
                yield LocalSession(NAME, AGENT, path.stem, (path, *below), f"names files of {named}" if named else "", cwd=named)


def load(session: LocalSession) -> Iterator[bytes]:
    return map(files.lines, session.files)


def _slug(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path.removeprefix("/"))


def _sessions(project: Path) -> Iterator[Path]:
    for path in files.listed(project / _LOGS, (".jsonl",), depth=2):
        if path.parent.name in (_LOGS, path.stem):
            yield path


def _names(path: Path, root: str) -> bool:
    return re.search(rb'"' + re.escape(root.encode()) + rb'["/]', files.content(path)) is not None
