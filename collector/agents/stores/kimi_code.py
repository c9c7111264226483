"""`~/.kimi-code/sessions/wd_*/<id>/agents/<agent>/wire.jsonl`; `state.json` of a session names the directory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.json_values import get_str

NAME = "kimi-code"
AGENT = "kimi-code"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "lines that other projects show from real ones"
KEPT_DAYS = None

_WIRE, _MAIN = "wire.jsonl", "main"


def places(machine: Machine) -> list[Path]:
    return machine.existing([machine.variable("KIMI_CODE_HOME", machine.home / ".kimi-code") / "sessions"])


def stored(place: Path) -> Iterator[Path]:
    for directory in files.directories(place):
        for session in files.directories(directory):
            main = session / "agents" / _MAIN / _WIRE
            if main.is_file() and not main.is_symlink():
                yield main


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in stored(place):
        session = path.parents[2]
        cwd = get_str(files.document(session / "state.json"), "workDir")
        if roots.of(cwd):
            below = (agent / _WIRE for agent in files.directories(session / "agents") if agent.name != _MAIN)
            others = [other for other in below if other.is_file() and not other.is_symlink()]
            yield LocalSession(NAME, AGENT, session.name, (path, *others), f"started in {cwd}", cwd=cwd)


def load(session: LocalSession) -> Iterator[bytes]:
    """The records name neither the directory nor the agent: a first line does."""
    for path in session.files:
        agent = path.parent.name
        about = {"work_dir": session.cwd, "agent": "" if agent == _MAIN else agent}
        head = {"type": "metadata", "protocol_version": "", "created_at": 0, **about}
        own = files.lines(path)
        known = files.first_line(path)
        if known.get("type") == "metadata":
            head, own = {**known, **about}, own.partition(b"\n")[2]
        yield json.dumps(head).encode() + b"\n" + own
