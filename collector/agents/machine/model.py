"""Where an agent keeps sessions: the contract of its functions, and what they take and return."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from collector.agents.machine import files

if TYPE_CHECKING:
    from collector.agents.machine.roots import Roots


class Known(StrEnum):
    """What a source was written after."""

    REAL = "real"  # files that the agent wrote
    DOCUMENTATION = "documentation"  # the agent's documents or source code, and what readers of other projects do
    UNTESTED = "untested"  # excerpts alone


@dataclass(frozen=True, slots=True)
class Machine:
    """A home directory with its variables: this one's, or a copy of another."""

    home: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    within: Path | None = None  # only what lies in this directory

    @classmethod
    def here(cls) -> Machine:
        return cls(Path.home(), dict(os.environ))

    @classmethod
    def copied(cls, directory: Path) -> Iterator[Machine]:
        """Two ways to see a directory that was named: as a copy of a home directory, and as one of an agent's directories in it."""
        directory = directory.absolute()
        yield cls(directory, within=directory)
        for up in list(directory.parents)[:3]:
            yield cls(up, within=directory)

    def variable(self, name: str, default: Path) -> Path:
        """The directory that a variable names, else the usual one."""
        chosen = self.variables.get(name, "").strip()
        return Path(chosen).expanduser() if chosen else default

    @property
    def data(self) -> Path:
        return self.variable("XDG_DATA_HOME", self.home / ".local" / "share")

    @property
    def config(self) -> Path:
        return self.variable("XDG_CONFIG_HOME", self.home / ".config")

    def existing(self, paths: Iterable[Path]) -> list[Path]:
        """Those that are there, each once, and inside what may be read."""
        results: dict[Path, None] = {}
        for path in paths:
            if path.exists():
                location = path.resolve()
                if self.within is None or location.is_relative_to(self.within.resolve()):
                    results[location] = None
        return list(results)


@dataclass(frozen=True, slots=True)
class LocalSession:
    """One session of an agent on this machine, with all files that are read for it."""

    id: str  # the agent's own
    files: tuple[Path, ...]  # the session's own first, then those of its subagents
    why: str  # for people: what ties it to the repository
    key: str = ""  # its id in a file that holds several sessions
    cwd: str = ""  # the directory it was started in, where it is known
    stamp: str = ""  # changes when the session does; "": when its files do
    at: float = 0.0  # when it was last written
    unseen_until: float = 0.0  # sessions that ended before this moment may have been deleted
    source: str = ""  # name of the store that has it
    agent: str = ""  # slug of the agent


def whole_lines(session: LocalSession) -> Iterator[bytes]:
    """The files of a session without a last line that is still being written. Raises OSError."""
    return map(files.lines, session.files)


def itself(location: Path) -> Iterator[Path]:
    """A place that is a file with all sessions."""
    yield location


@dataclass(frozen=True, slots=True)
class Store:
    """One way in which an agent keeps sessions on a developer's machine.

    Files are chosen by their place and name, never by guessing at their content. Only those that `stored` lists, and files beside
    them, are opened: those of other repositories no further than to see whose they are, and databases that are in use as a copy.
    """

    agent: str  # slug of the agent, and of the reader of its transcripts
    where: str  # for people, with the layout
    known: Known
    places: Callable[[Machine], list[Path]]  # directories and databases of this agent that exist
    find: Callable[[Path, Roots], Iterable[LocalSession]]  # sessions of the repository in a place; raises OSError
    load: Callable[[LocalSession], Iterator[bytes]] = whole_lines  # what the reader takes, part by part; raises OSError, ValueError
    stored: Callable[[Path], Iterator[Path]] = itself  # every session's file in a place: only names and times are looked at
    inside: Callable[[Path], list[Path]] | None = None  # the places in a worktree
    evidence: str = ""  # for people: what it was written after
    kept_days: int | None = None  # the agent deletes older sessions by itself
    form: str = ""  # tells a second way to keep sessions from the first

    @property
    def name(self) -> str:
        return self.form or self.agent

    def sessions(self, location: Path, roots: Roots) -> Iterator[LocalSession]:
        """Sessions of the repository in one place. Raises OSError for a place that cannot be read."""
        for session in self.find(location, roots):
            yield replace(session, source=self.name, agent=self.agent)
