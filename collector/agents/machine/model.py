"""How a module says where its agent keeps sessions: the contract, and what its functions take and return."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

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
        given = self.variables.get(name, "").strip()
        return Path(given).expanduser() if given else default

    @property
    def data(self) -> Path:
        return self.variable("XDG_DATA_HOME", self.home / ".local" / "share")

    @property
    def config(self) -> Path:
        return self.variable("XDG_CONFIG_HOME", self.home / ".config")

    def existing(self, paths: Iterable[Path]) -> list[Path]:
        """Those that are there, each once, and inside what may be read."""
        found: dict[Path, None] = {}
        for path in paths:
            if path.exists():
                place = path.resolve()
                if self.within is None or place.is_relative_to(self.within.resolve()):
                    found[place] = None
        return list(found)


@dataclass(frozen=True, slots=True)
class LocalSession:
    """One session of an agent on this machine, with all files that are read for it."""

    source: str  # NAME of the module that found it
    agent: str  # NAME of the reader of its transcript
    id: str  # the agent's own
    files: tuple[Path, ...]  # the session's own first, then those of its subagents
    why: str  # for people: what ties it to the repository
    key: str = ""  # its id in a file that holds several sessions
    cwd: str = ""  # the directory it was started in, where it is known
    stamp: str = ""  # changes when the session does; "": when its files do
    at: float = 0.0  # when it was last written
    unseen_until: float = 0.0  # sessions that ended before this moment may have been deleted


class Source(Protocol):
    """The contract of a module in `collector/local/`: where one agent keeps its sessions on a developer's machine.

    Only files of the names that it lists are opened, never one that another program may be writing without a copy first. `EVIDENCE`
    may say, for people, what it was written after. An agent that keeps sessions in the worktree has `inside(worktree)`, which gives
    such places.
    """

    NAME: str  # of this way to keep sessions
    AGENT: str  # slug of the agent, and of the reader of its transcripts
    KNOWN: Known
    KEPT_DAYS: int | None  # the agent deletes older sessions by itself

    def places(self, machine: Machine) -> list[Path]:
        """Directories and databases of this agent that exist."""
        ...

    def stored(self, place: Path) -> Iterator[Path]:
        """Every session's file in a place, whatever its repository: only names and times are looked at."""
        ...

    def find(self, place: Path, roots: Roots) -> Iterator[LocalSession]:
        """Sessions of the repository. Raises OSError for a place that cannot be read."""
        ...

    def load(self, session: LocalSession) -> Iterator[bytes]:
        """What the reader of the agent's transcripts takes, one part at a time. Raises OSError, ValueError."""
        ...
