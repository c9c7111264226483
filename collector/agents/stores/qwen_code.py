"""`~/.qwen/projects/<directory>/chats/<session>.jsonl`; every record names the directory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_str

NAME = "qwen-code"
AGENT = "qwen-code"
KNOWN = Known.DOCUMENTATION
KEPT_DAYS = None


def places(machine: Machine) -> list[Path]:
    return machine.existing([machine.variable("QWEN_RUNTIME_DIR", machine.home / ".qwen") / "projects"])


def stored(place: Path) -> Iterator[Path]:
    for project in files.directories(place):
        yield from files.listed(project / "chats", (".jsonl",))


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    own = tuple(re.sub(r"[^A-Za-z0-9]", "-", root) for root in roots.paths)
    for path in stored(place):
        if roots.anywhere or path.parents[1].name.startswith(own):
            cwd = get_str(files.first_line(path), "cwd")
            if roots.of(cwd):
                yield LocalSession(NAME, AGENT, path.stem, (path,), f"started in {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    return map(files.lines, session.files)
