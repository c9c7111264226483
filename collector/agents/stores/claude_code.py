"""`~/.claude/projects/<directory>/<session>.jsonl`, subagents below `<session>/subagents/`.

The directory is named after the one that the session was started in, with `-` for all that is neither letter nor digit; different
directories can have one name, so the `cwd` of the records decides. A forked session repeats the records of the other one under
their old ids: sessions with the same first record are read as one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots

NAME = "claude-code"
AGENT = "claude-code"
KNOWN = Known.REAL
KEPT_DAYS = 30  # cleanupPeriodDays

_CUT = 200  # longer names are cut there and end in a hash
_CWD = re.compile(rb'"cwd":\s*("(?:[^"\\]|\\.){1,4000}")')
_PARENT = re.compile(rb'"sessionId":\s*"([0-9A-Za-z-]{1,80})"')
_FIRST = re.compile(rb'"uuid":\s*"([0-9A-Za-z-]{1,80})"')
_AGENT = "agent-"  # a subagent's file


def places(machine: Machine) -> list[Path]:
    given = [Path(one).expanduser() for one in machine.variables.get("CLAUDE_CONFIG_DIR", "").split(",") if one.strip()]
    return machine.existing(home / "projects" for home in given or (machine.home / ".claude", machine.config / "claude"))


def stored(place: Path) -> Iterator[Path]:
    for project in files.directories(place):
        yield from files.listed(project, (".jsonl",))


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    own, above = {slug(path) for path in roots.paths}, {slug(path) for path in roots.above(place.parent.parent)}
    groups: dict[str, list[_Found]] = defaultdict(list)
    for project in files.directories(place):
        if roots.anywhere or project.name in own or project.name.startswith(tuple(f"{one}-" for one in own)):
            found = _sessions(project, roots, deep=False)
        elif project.name in above:
            found = _sessions(project, roots, deep=True)
        else:
            continue
        for one in found:
            groups[one.first or one.id].append(one)
    return (_joined(group) for group in groups.values())


def load(session: LocalSession) -> Iterator[bytes]:
    return map(files.lines, session.files)


def slug(path: str) -> str:
    """The name of the directory of sessions that were started in a directory; the beginning of it where it is cut."""
    return re.sub(r"[^A-Za-z0-9]", "-", path)[:_CUT]


@dataclass(slots=True)
class _Found:
    id: str
    cwd: str
    first: str  # the id of the first record
    why: str
    paths: list[Path] = field(default_factory=list)


def _sessions(project: Path, roots: Roots, deep: bool) -> list[_Found]:
    """The sessions of one directory that belong; `deep`: it is one above the worktree, and all of a file is searched for it."""
    agents: dict[str, list[Path]] = defaultdict(list)
    found = []
    for path in files.listed(project, (".jsonl",)):
        if path.name.startswith(_AGENT):  # early versions put subagents beside their session
            parent = _PARENT.search(files.head(path))
            agents[parent[1].decode() if parent else ""].append(path)
            continue
        one = _session(path, roots, deep)
        if one is not None:
            found.append(one)
    for one in found:
        subagents = files.listed(project / one.id / "subagents", (".jsonl",), depth=4)
        one.paths += [*agents[one.id], *(path for path in subagents if path.name.startswith(_AGENT))]
    return found


def _session(path: Path, roots: Roots, deep: bool) -> _Found | None:
    beginning = files.head(path)
    named = _CWD.search(beginning)
    cwd = files.some_value(named[1]) if named else ""
    first = _FIRST.search(beginning)
    why = f"started in {cwd}" if roots.of(cwd) else _mentioned(path, roots.paths) if deep else ""
    return _Found(path.stem, cwd, first[1].decode() if first else "", why, [path]) if why else None


def _mentioned(path: Path, roots: Iterable[str]) -> str:
    """Why a session that was started elsewhere belongs: it went to the worktree, or named a file of it."""
    data = files.content(path)
    for root in roots:
        spelled = re.escape(root.encode())
        if re.search(rb'"cwd":\s*"' + spelled + rb'["/]', data):
            return f"went to {root}"
        if re.search(rb'"(?:file_path|notebook_path)":\s*"' + spelled + rb"/", data):
            return f"worked on files of {root}"
    return ""


def _joined(group: Sequence[_Found]) -> LocalSession:
    """One session of all that begin with the same record."""
    group = sorted(group, key=lambda one: one.id)
    main, *forks = group
    why = main.why + "".join(f"; with its fork {one.id}" for one in forks)
    return LocalSession(NAME, AGENT, main.id, tuple(path for one in group for path in one.paths), why, cwd=main.cwd)
