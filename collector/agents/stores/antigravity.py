"""`~/.gemini/antigravity-cli/brain/<id>/.system_generated/logs/transcript_full.jsonl`, and that of the editor beside it.

A transcript names no directory: a list beside it does, else the directory that its first commands ran in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from collector.agents.common.uris import path_of
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_list, get_str

NAME = "antigravity"
AGENT = "antigravity"
KNOWN = Known.DOCUMENTATION
KEPT_DAYS = None

_HOMES = ("antigravity-cli", "antigravity", "antigravity-ide")
_LOGS = Path(".system_generated") / "logs"
_NAMES = ("transcript_full.jsonl", "transcript.jsonl")  # the second is cut
_PATHS = re.compile(rb'"(?:Cwd|TargetFile|AbsolutePath)":\s*"(?:\\")?(/[^"\\]{1,1000})')
_LISTS = ("conversation_metadata.json", "last_conversations.json")


def places(machine: Machine) -> list[Path]:
    return machine.existing(machine.home / ".gemini" / name / "brain" for name in _HOMES)


def stored(place: Path) -> Iterator[Path]:
    for session in files.directories(place):
        logs = session / _LOGS
        path = next((logs / name for name in _NAMES if (logs / name).is_file()), None)
        if path is not None:
            yield path


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    listed = _listed(place.parent / "cache")
    for path in stored(place):
        number = path.parents[2].name
        named = listed.get(number) or [decoded.decode("utf-8", "replace") for decoded in _PATHS.findall(files.head(path))]
        cwd = next((roots.of(one) for one in named if roots.of(one)), "")
        if cwd:
            yield LocalSession(NAME, AGENT, number, (path,), f"worked in {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    return map(files.lines, session.files)


def _listed(cache: Path) -> dict[str, list[str]]:
    """Session -> directories of its workspace."""
    found: dict[str, list[str]] = {}
    for name in _LISTS:
        document = files.document(cache / name)
        for number, about in document.items() if isinstance(document, dict) else ():
            if name == _LISTS[1]:  # directory -> its last session
                found.setdefault(str(about), []).append(number)
            else:
                uris = [*get_list(about, "WorkspaceURIs"), *get_list(about, "workspaceURIs"), get_str(about, "workspace")]
                found.setdefault(number, []).extend(_path(uri) for uri in uris if isinstance(uri, str) and uri)
    return found


def _path(uri: str) -> str:
    return path_of(uri) if uri.startswith("file:") else uri
