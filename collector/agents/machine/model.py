"""Where agents keep sessions on a machine, and which of its directories are worktrees of a
repository.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from collector.agents.common.jsonl import first_value
from collector.agents.machine import files
from collector.json_values import Texts
from collector.text import comparable_path, normal_path, unique

if TYPE_CHECKING:
    from collector.git.repository import GitRepo


@dataclass(frozen=True)
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
        """Two ways to see a directory that was named: as a copy of a home directory, and as one
        of an agent's directories in it.
        """
        directory = directory.absolute()
        yield cls(directory, within=directory)
        for up in list(directory.parents)[:3]:
            yield cls(up, within=directory)

    def paths(self, pattern: str) -> Iterator[Path]:
        """Paths written as for a shell: `~` is the home, `${NAME:-default}` a variable, `{a,b}`
        both; after `*` what there is.
        """
        while (
            written := _VARIABLE.sub(
                lambda name: self.variables.get(name[1], "").strip() or name[2], pattern
            )
        ) != pattern:
            pattern = written
        if choices := _CHOICES.search(pattern):
            for choice in choices[1].split(","):
                yield from self.paths(
                    pattern[: choices.start()] + choice.strip() + pattern[choices.end() :]
                )
            return
        location, _, rest = pattern.partition("/*")
        base = Path(str(self.home) + location[1:] if location.startswith("~") else location)
        if base.is_absolute():
            yield from sorted(base.glob(f"*{rest}")) if rest else (base,)

    def existing(self, paths: Iterable[Path]) -> list[Path]:
        """Those that are there, each once, and inside what may be read."""
        results: dict[Path, None] = {}
        for path in paths:
            if path.exists():
                location = path.resolve()
                if self.within is None or location.is_relative_to(self.within.resolve()):
                    results[location] = None
        return list(results)


_VARIABLE = re.compile(r"\$\{(\w+):-([^${}]*)\}")
_CHOICES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
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
    elsewhere: bool = False  # it was started outside of the clone's worktrees
    kept: bool = False  # it is gone from where it was, and in the archive


class Trace(NamedTuple):
    """What is left of a session, or of a part of one, that no transcript records."""

    agent: str  # slug
    session: str  # its id, or the name of its file
    begin: float
    end: float
    why: str  # for people: what is left, and where


LASTS = 6 * 3600.0
"""Seconds that a session may go on after the last trace of it."""
BEFORE = 86_400.0
"""Seconds that a session may have been at work before the first file that it left."""


def left_behind(agent: str, session: str, times: Sequence[float], why: str) -> list[Trace]:
    """The trace of files of these times, if there are any."""
    found = [time for time in times if time]
    return [Trace(agent, session, min(found) - BEFORE, max(found) + LASTS, why) for _ in found[:1]]


def whole_lines(session: LocalSession) -> Iterator[bytes]:
    """The files of a session without a last line that is still being written. Raises OSError."""
    return map(files.lines, session.files)


_DEEPEST = 200  # parts of a path


@lru_cache(maxsize=100_000)
def without_links(path: str) -> str:
    """Where an absolute path of a record leads, as far as files of this machine can have its
    names.
    """
    above, _, name = path.rpartition("/")
    if not path.startswith("/") or path.count("/") > _DEEPEST:
        return path
    real = f"{without_links(above)}/{name}" if above else path
    if os.path.islink(real):  # noqa: PTH114 (four times as fast, and all named paths are looked at)
        return os.path.realpath(real)
    return real


_SHORTEST = 2  # parts of a path; a clone in `/` or `/home` would take every session for its own


def _spellings(path: str) -> Iterator[str]:
    """How programs write a path: composed or not, and a drive as Windows, WSL and Git Bash name
    it.
    """
    normal = normal_path(path)
    windows = f"{normal[1:2].upper()}:\\" + normal[3:].replace("/", "\\")
    several = (
        (path, windows, f"/mnt{normal}", normal) if normal[:1] + normal[2:3] == "//" else (path,)
    )
    yield from (unicodedata.normalize(form, item) for item in several for form in ("NFC", "NFD"))


@dataclass(frozen=True)
class Roots:
    """The worktrees of a repository; `anywhere`: every directory that is accepted counts as one."""

    paths: tuple[str, ...] = ()  # as `comparable_path` writes them, longest first
    locations: Mapping[str, str] = field(default_factory=dict)  # the same -> as they were given
    anywhere: bool = False
    accepted: Callable[[str], bool] = lambda path: True  # of `anywhere`: which directories count
    _others: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def of_repository(cls, repo: GitRepo, former: Iterable[str] = ()) -> Roots:
        """The worktrees of a clone, as they are named and where links lead; `former`: where it
        was before.
        """
        named = [str(form) for path in repo.worktrees() for form in (path, path.resolve())]
        return cls.of_paths([*named, *former])

    @classmethod
    def of_paths(cls, paths: Iterable[str]) -> Roots:
        locations = {
            path: given
            for given in paths
            if (path := comparable_path(given)).count("/") >= _SHORTEST
        }
        return cls(tuple(sorted(locations, key=lambda path: (-len(path), path))), locations)

    @property
    def spellings(self) -> list[str]:
        """All forms in which records, and names that agents make of a path, may have the
        worktrees.
        """
        return [
            *unique(
                form for path in self.paths for form in (path, *_spellings(self.locations[path]))
            )
        ]

    def of(self, path: str) -> str:
        """The worktree that contains a directory or file; "" for any other, and for one of
        another repository inside it.
        """
        if not path:
            return ""
        inner = comparable_path(path)
        if self.anywhere:
            if self.accepted(path):
                return inner
            return ""
        root = self._around(inner)
        if not root and (real := without_links(path)) != path:
            root = self._around(comparable_path(real))
        if root and self._is_of_another(inner, root):
            return ""
        return root

    def led_to(self, paths: Iterable[str]) -> Texts:
        """Directories outside of the worktrees that a link makes one of them, of the beginnings of
        these paths -> that worktree, as it was given.
        """
        result = {}
        above = {path[:end] for path in paths if self.paths for end in _ends_of_parts(path)}
        for path in sorted(above, key=len):
            root = self.locations.get(comparable_path(without_links(path)), "")
            if root and not self._around(comparable_path(path)):
                result[path] = root
        return result

    def _around(self, path: str) -> str:
        for entry in self.paths:
            if path == entry or path.startswith(entry + "/"):
                return entry
        return ""

    def _is_of_another(self, path: str, root: str) -> bool:
        """Whether a repository of its own lies between a worktree and a path in it."""
        if path not in self._others:
            below = path[len(root) :] if path.startswith(root) else ""
            between = [
                below[:end]
                for end in range(1, len(below) + 1)
                if end == len(below) or below[end] == "/"
            ]
            self._others[path] = any(
                files.is_there(Path(self.locations[root] + step, ".git")) for step in between
            )
        return self._others[path]

    def below(self, path: str) -> list[str]:
        """Worktrees inside of a directory, seen from there: agents are started above them, too."""
        top = comparable_path(path) + "/"
        return [root[len(top) :] for root in self.paths if root.startswith(top)]


def _ends_of_parts(path: str) -> Iterator[int]:
    """Where each part of a path ends, that of the file left out."""
    return (match.start() for match in re.finditer("/", path) if match.start())


_SUFFIXES = re.compile(r"(?:\.traj)?(?:\.json)?$")
ANYWHERE = Roots(anywhere=True)


Find = Callable[[Path, Roots], Iterable[LocalSession]]


@dataclass(frozen=True)
class Store:
    """One way in which an agent keeps sessions on a developer's machine.

    Files are chosen by their place and name, never by guessing at their content. Only those that
    `patterns` name, and files beside them, are opened: those of other repositories to see
    whose they are and which directories they name, and databases that are in use as a copy.
    """

    agent: str  # slug of the agent, and of the reader of its transcripts
    at: tuple[str, ...] = ()  # directories and databases of this agent, see `Machine.paths`
    patterns: tuple[str, ...] = ()  # of the sessions' files in a directory
    # (id, directory) of the session in a file; for others there is `find`
    whose: Callable[[Path], tuple[str, str]] | None = None
    beside: Callable[[Path], Iterable[Path]] = lambda path: ()  # what else is read for a session
    find: Find | None = None  # sessions of the repository in a place; raises OSError
    # what the reader takes, part by part; raises OSError, ValueError
    load: Callable[[LocalSession], Iterator[bytes]] = whole_lines
    # what sessions of the repository have left in a place whose transcripts are gone
    traces: Callable[[Path, Roots], Iterable[Trace]] = lambda location, roots: ()
    inside: str = ""  # the place in a worktree
    # such sessions were read from files that the agent wrote; else it follows documents and other
    # programs
    proven: bool = True
    kept_days: int | None = None  # the agent deletes older sessions by itself
    form: str = ""  # tells a second way to keep sessions from the first

    @property
    def name(self) -> str:
        return self.form or self.agent

    def places(self, machine: Machine) -> list[Path]:
        """Those that there are on a machine."""
        return machine.existing(path for pattern in self.at for path in machine.paths(pattern))

    def stored(self, location: Path) -> Iterator[Path]:
        """The files of all sessions in a place, or the place itself, which holds them."""
        if not location.is_dir():
            yield location
        for pattern in self.patterns:
            yield from files.match_files(location, pattern)

    def sessions(self, location: Path, roots: Roots) -> Iterator[LocalSession]:
        """Sessions of the repository in one place. Raises OSError for a place that cannot be
        read.
        """
        for session in (
            self.find(location, roots) if self.find else self._started_in(location, roots)
        ):
            yield replace(session, source=self.name, agent=self.agent)

    def _started_in(self, location: Path, roots: Roots) -> Iterator[LocalSession]:
        for path in self.stored(location):
            number, cwd = self.whose(path) if self.whose else ("", "")
            if roots.of(cwd):
                used = (path, *(other for other in self.beside(path) if files.is_plain(other)))
                yield LocalSession(number, used, f"started in {cwd}", cwd=cwd)


@dataclass(frozen=True)
class Committed:
    """Transcripts of an agent that people commit."""

    # their files, as git's globs have them; those of one directory are read together, in this order
    paths: tuple[str, ...]
    sessions: Callable[[str, bytes], Sequence[str]]  # those in a file, by (path, content)
    every: bool = False  # all versions are read: later ones drop what earlier ones have
    # searches for such files on a server, as GitHub's code search takes them
    found_by: tuple[str, ...] = ()
    # (path, content) -> what all files of one session have in common, where their ids may differ
    beginning: Callable[[str, bytes], object] = lambda path, data: None
    # no call has a time: the version before a session tells that it had not begun; adds to other
    # forms
    undated: bool = False
    # other programs have such files, other repositories such sessions: it must have written text of
    # this one
    own: bool = False

    def rank(self, path: str) -> int | None:
        """Which of the paths a file is that git listed for any form: each has names of its own;
        None for another form's.
        """
        for n, glob in enumerate(self.paths):
            if fnmatchcase(path, glob.replace("**/", "*")):
                return n
        return None


def session_in_path(pattern: str) -> Callable[[str, bytes], Sequence[str]]:
    """The session whose id the path of a file has where `pattern` says."""
    named = re.compile(pattern)
    return lambda path, data: [match[1] for match in [named.search(path)] if match]


def file_is_session(sniff: Callable[[object], bool]) -> Callable[[str, bytes], Sequence[str]]:
    """The session in a file that has no id: its path without the ends of its name."""
    return lambda path, data: [_SUFFIXES.sub("", path)] if sniff(first_value(data)) else []
