"""Sessions that were started outside of a clone's worktrees and yet worked on it: in worktrees that
are gone, in other clones, or in another repository and with paths of this one.

What ties one to the clone is on record: git printed the id and the subject of a commit that the
clone has, or the agent noted of which clone the worktree was, or its remote; where the directory is
gone, also the text: most of what the session wrote stands in the clone's files of those names, as
they are or as commits of its time had them.
"""

import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property, partial
from pathlib import Path

from collector.agents import readers
from collector.agents.machine import files
from collector.agents.machine.model import LocalSession, Roots
from collector.commit_model import Commit
from collector.errors import INPUT_ERRORS, NotARepository, UnknownBranch
from collector.git.repository import GitRepo
from collector.local.named_places import NamedPlaces, Pairs, PlaceIndex, bare_url
from collector.model import Status, ToolCall
from collector.runtime.stages import digest
from collector.storage.places import clone_around
from collector.text import decode, encode

_FAILURES = (OSError, *INPUT_ERRORS)
LoadOne = Callable[[], Iterable[bytes]]
Load = Callable[[LocalSession], Iterable[bytes]]
# seconds by which the clocks of a machine's programs may differ from those of its transcripts
_AROUND = 3600.0
_SURE = 12  # digits of an id that no other object has
_SHOWN = 3
_TELLING = 12  # characters without blanks: a shorter line stands anywhere
_ENOUGH = 10  # telling lines of a session in the clone's files
_SHARE = 0.5  # of all that it wrote
_CLONES = 100  # with whose texts it is known to have been compared
_COMMITS = 200  # of a session's time that are looked at


class ClonePlaces:
    """What is known of other places than a clone's worktrees; each directory and commit is
    looked at once.
    """

    def __init__(self, repo: GitRepo, roots: Roots) -> None:
        self._repo = repo
        self._roots = roots
        self._remotes = {bare_url(url) for url in repo.remote_urls()}
        self.outside = Roots(anywhere=True)
        self.index = PlaceIndex()
        self._may_be_ours = cache(self._of_no_other_repository)
        self._leads_here = cache(roots.of)

    def sessions(self, outside: Iterable[LocalSession], load: Load) -> Iterator[LocalSession]:
        """Those that belong; with a directory that is gone belong all sessions of it."""
        left: list[LocalSession] = []
        gone: set[str] = set()
        for session in outside:
            if self._leads_here(
                session.cwd
            ):  # through a link that names of directories do not show
                yield session
                continue
            parts = partial(load, session)
            places = self.index.of(session, parts)
            may_be_ours = bool(session.cwd) and self._may_be_ours(session.cwd)
            recorded = self._reason(session, places, parts) if may_be_ours else ""
            why = recorded or self._reason_by_places(session, places, parts)
            if recorded:
                gone |= set() if files.is_there(session.cwd) else {session.cwd}
            if why:
                yield replace(session, why=why, elsewhere=True)
            elif may_be_ours:
                left.append(session)
        removed = Roots.of_paths(gone)
        for session in left:
            if removed.of(session.cwd):
                yield replace(
                    session,
                    why=f"started in {session.cwd}, where others worked on this clone",
                    elsewhere=True,
                )

    def _reason_by_places(self, session: LocalSession, places: NamedPlaces, load: LoadOne) -> str:
        """Why a session of another repository belongs; its calls are read where it speaks of this
        clone.
        """
        if any(self._made(*commit) for commit in places.made):
            where = session.cwd or "a directory that no record names"
            return self._reason_by_commits(where, replace(places, began_at=()), made_only=True)
        if not places.exact and any(map(self._leads_here, places.directories)):
            places = self.index.read_closely(session, load)
        root = next(filter(None, map(self._leads_here, places.directories)), "")
        began = f"started in {session.cwd}" if session.cwd else "no record says where it started"
        if root:
            return f"worked in {self._roots.locations[root]}, {began}"
        return ""

    def _made(self, number: str, subject: str) -> bool:
        commit = self._repo.commit(number)
        return commit is not None and commit.message.startswith(subject.rstrip())

    def _of_no_other_repository(self, cwd: str) -> bool:
        """Whether a session of a directory can have worked on the clone: neither of a worktree
        nor of another repository.
        """
        if self._roots.of(cwd) or self._roots.below(cwd):
            return not self._roots.of(cwd)
        try:
            top = clone_around(cwd)
            if top is None:
                return True
            other = GitRepo(top)
            return any(self._repo.has(target) for target in set(other.refs().values()))
        except (NotARepository, *_FAILURES):
            return False

    def _reason(self, session: LocalSession, places: NamedPlaces, load: LoadOne) -> str:
        """Why a session belongs, by its transcript; "" for one that does not."""
        return (
            self._reason_by_commits(session.cwd, places)
            or self._reason_by_names(session.cwd, places, load)
            or self._reason_by_texts(session, places, load)
        )

    def _reason_by_commits(self, cwd: str, places: NamedPlaces, made_only: bool = False) -> str:
        made = self._commits(places, places.made)
        shown = made if made or made_only else self._commits(places, places.shown)
        if shown:
            verb = "made" if made else "showed what was made meanwhile,"
            return f"{verb} {', '.join(sha[:9] for sha in shown[:_SHOWN])} of this clone, in {cwd}"
        head = next(filter(self._repo.has, places.began_at), "")
        if head and not files.is_there(cwd):
            return f"began at {head[:9]} of this clone, in {cwd}"
        return ""

    def _reason_by_names(self, cwd: str, places: NamedPlaces, load: LoadOne) -> str:
        inner = self._roots.below(cwd)
        data = b"\n".join(load()) if inner else b""
        for below in inner:
            if files.names_path(data, f"{cwd}/{below}") or re.search(
                rb'["\s]' + re.escape(encode(below)) + b"/", data
            ):
                return f"worked on files of {cwd}/{below}"
        if files.is_there(cwd):
            if self._roots.of(_jj_clone(cwd)):
                return f"worked in {cwd}, a workspace of jj"
            return ""
        if any(map(self._roots.of, places.clones)):
            return f"worked in {cwd}, a worktree of this clone"
        if any(url in self._remotes for url in places.remotes):
            return f"worked in {cwd}, a clone of the same remote"
        return ""

    def _reason_by_texts(self, session: LocalSession, places: NamedPlaces, load: LoadOne) -> str:
        if files.is_there(session.cwd) and clone_around(session.cwd) is None:
            return ""  # neither gone nor a clone with commits of this one
        blobs = self._versions(places)
        key = digest(*sorted(blobs))
        known = next((entry for entry in places.compared if entry.startswith(key)), "")
        with suppress(StopIteration, *_FAILURES):
            if blobs and not known:
                reader = next(reader for reader in readers() if session.agent == reader.NAME)
                parts = list(load())
                written = set[str]()
                for call in reader.read(session.id, iter(parts)).calls:
                    written.update(*map(_telling, _texts(call)))
                texts = (decode(self._repo.content(blob)) for blob in blobs)
                count = len(written.intersection(line for text in texts for line in _telling(text)))
                known = f"{key} {count}" if count >= max(_ENOUGH, _SHARE * len(written)) else key
                if parts:  # else it could not be read, and is tried again
                    compared = (known, *places.compared[:_CLONES])
                    self.index.keep(session, replace(places, compared=compared))
        number = known.removeprefix(key).strip()
        if number:
            return f"wrote {number} lines of this clone's files, in {session.cwd}"
        return ""

    @cached_property
    def _history(self) -> list[Commit]:
        with suppress(UnknownBranch):
            return list(self._repo.history(self._repo.default_branch().sha))
        return []

    @cached_property
    def _moments(self) -> list[tuple[float, int]]:
        """When commits of the history were written and made, in order, with their numbers."""
        return sorted(
            (moment, number)
            for number, commit in enumerate(self._history)
            for moment in (commit.author_time, commit.commit_time)
        )

    def _versions(self, places: NamedPlaces) -> set[str]:
        """Blobs of the files that a session names: as they are, and as commits of its time had
        them.
        """
        begin = bisect_left(self._moments, (places.begin - _AROUND, 0))
        end = bisect_left(self._moments, (places.end + _AROUND, len(self._history)))
        near = sorted({number for _, number in self._moments[begin:end]})[-_COMMITS:]
        return {
            entry.oid
            for commit in (*(self._history[number] for number in near), *self._history[-1:])
            for path in places.files
            if (entry := self._repo.entry_at(commit.sha, path))
        }

    def _commits(self, places: NamedPlaces, named: Pairs) -> list[str]:
        """Commits of the clone that were made while a session went on, of the (id, subject) that
        it has.
        """
        result: dict[str, None] = {}
        for name, subject in named:
            commit = self._repo.commit(name)
            named_so = commit and (
                len(name) >= _SURE or commit.message.startswith(subject.rstrip())
            )
            if commit and named_so and _is_within(commit, places):
                result[commit.sha] = None
        return list(result)


def _jj_clone(directory: str) -> str:
    """The clone of which a directory is a workspace of jj: git lists none of these; "" for all
    others.
    """
    markers = (path / ".jj" / "repo" for path in (Path(directory), *Path(directory).parents))
    with suppress(StopIteration, OSError):
        marker = next(marker for marker in markers if marker.is_file())
        return str(
            Path(
                os.path.normpath(marker.parent / decode(marker.read_bytes()).strip())
            ).parent.parent
        )
    return ""


def _texts(call: ToolCall) -> Iterator[str]:
    """What a call wrote, or may have written: the new texts of its edits, and a command of
    several lines.
    """
    if call.status in (Status.OK, Status.UNKNOWN):
        yield from (text for edit in call.edits for text in edit.new_texts())
        if call.command is not None and call.command.text.count("\n") > 1:
            yield call.command.text


def _telling(text: str) -> Iterator[str]:
    """Lines that do not stand anywhere, without blanks."""
    return (
        line
        for whole in text.splitlines()
        if len(line := "".join(whole.lstrip("+").split())) >= _TELLING
    )


def _is_within(commit: Commit, places: NamedPlaces) -> bool:
    return any(
        places.begin - _AROUND <= moment <= places.end + _AROUND
        for moment in (commit.author_time, commit.commit_time)
    )
