"""Sessions that were started outside of a clone's worktrees and yet worked on it: in worktrees that are gone, or in other clones.

What ties one to the clone is on record: git printed the id and the subject of a commit that the clone has, or the agent noted of
which clone the worktree was, or its remote.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from collector.agents.machine import files
from collector.agents.machine.model import LocalSession, Roots
from collector.errors import INPUT_ERRORS, NotARepository
from collector.git.repository import GitRepo
from collector.text import decode, encode, timestamp

_FAILURES = (OSError, *INPUT_ERRORS)
_HEAD = re.compile(rb'"(?:commit_hash|headCommit)":\s*"([0-9a-f]{40,64})"')
_REMOTE = re.compile(rb'"(?:repository_url|git_origin_url)":\s*"((?:[^"\\]|\\.){1,1000})"')
# `[branch id] subject` of a commit, and `id subject` of a log, in a text that is a string of JSON
_COMMITTED = re.compile(rb"\[[^\[\]\\\"\n]{1,200} ([0-9a-f]{7,64})\] ([^\\\"\n]{1,200})")
_LOGGED = re.compile(rb"\b([0-9a-f]{7,64}) (?:\([^()\n\"]{1,200}\) )?([^\\\"\n]{2,200})")
_WHOLE = re.compile(rb"\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b")
_TIMES = re.compile(rb'"timestamp":\s*"([^"]{10,40})"')
_AROUND = 3600.0  # seconds by which the clocks of a machine's programs may differ from those of its transcripts
_SURE = 12  # digits of an id that no other object has
_SHOWN = 3


class ClonePlaces:
    """What is known of other places than a clone's worktrees; each directory and commit is looked at once."""

    def __init__(self, repo: GitRepo, roots: Roots) -> None:
        self._repo, self._roots = repo, roots
        self._remotes = {_bare_url(url) for url in repo.remote_urls()}
        self.outside = Roots(anywhere=True, accepted=cache(self._may_be_ours))

    def sessions(self, outside: Iterable[tuple[LocalSession, Iterable[bytes]]]) -> Iterator[LocalSession]:
        """Those that belong, of (session, transcript); with a directory that is gone belong all sessions of it."""
        left: list[LocalSession] = []
        gone: set[str] = set()
        for session, parts in outside:
            why = self.reason(session, b"\n".join(parts))
            if why:
                yield replace(session, why=why, elsewhere=True)
                gone |= set() if files.is_there(session.cwd) else {session.cwd}
            else:
                left.append(session)
        removed = Roots.of_paths(gone)
        for session in left:
            if removed.of(session.cwd):
                yield replace(session, why=f"started in {session.cwd}, where others worked on this clone", elsewhere=True)

    def _may_be_ours(self, cwd: str) -> bool:
        """Whether a session of a directory can have worked on the clone: neither of a worktree nor of another repository."""
        if self._roots.of(cwd) or self._roots.below(cwd):
            return not self._roots.of(cwd)
        top = next((path for path in (Path(cwd), *Path(cwd).parents) if files.is_there(path / ".git")), None)
        if top is None:
            return True
        try:
            other = GitRepo(top)
            return any(self._repo.has(target) for target in set(other.refs().values()))
        except (NotARepository, *_FAILURES):
            return False

    def reason(self, session: LocalSession, data: bytes) -> str:
        """Why a session belongs, by its transcript; "" for one that does not."""
        return self._by_commits(session.cwd, data) or self._by_names(session.cwd, data)

    def _by_commits(self, cwd: str, data: bytes) -> str:
        if b"commit" not in data:
            return ""
        made = self._commits(data, _COMMITTED.findall(data))
        shown = made or self._commits(
            data, [*_LOGGED.findall(data), *((oid, b"") for oid in {*_WHOLE.findall(data)} - {*_HEAD.findall(data)})]
        )
        if shown:
            more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
            verb = "made" if made else "showed what was made meanwhile,"
            return f"{verb} {', '.join(sha[:9] for sha in shown[:_SHOWN])}{more} of this clone, in {cwd}"
        head = next((oid.decode() for oid in _HEAD.findall(data) if self._repo.has(oid.decode())), "")
        return f"began at {head[:9]} of this clone, in {cwd}" if head and not files.is_there(cwd) else ""

    def _by_names(self, cwd: str, data: bytes) -> str:
        for below in self._roots.below(cwd):
            if files.names_path(data, f"{cwd}/{below}") or re.search(rb'["\s]' + re.escape(encode(below)) + b"/", data):
                return f"worked on files of {cwd}/{below}"
        if files.is_there(cwd):
            return ""
        if any(files.names_path(data, root, r'"originalCwd":\s*') for root in self._roots.spellings):
            return f"worked in {cwd}, a worktree of this clone"
        if any(_bare_url(decode(url)) in self._remotes for url in _REMOTE.findall(data)):
            return f"worked in {cwd}, a clone of the same remote"
        return ""

    def _commits(self, data: bytes, named: Iterable[tuple[bytes, bytes]]) -> list[str]:
        """Commits of the clone that were made while a session went on, of the (id, subject) that it has."""
        first, last = _span(data)
        result: dict[str, None] = {}
        for name, subject in dict.fromkeys(named):
            commit = self._repo.commit(name.decode())
            if commit is None or (len(name) < _SURE and not commit.message.startswith(decode(subject).rstrip())):
                continue
            if any(first - _AROUND <= moment <= last + _AROUND for moment in (commit.author_time, commit.commit_time)):
                result[commit.sha] = None
        return list(result)


def _span(data: bytes) -> tuple[float, float]:
    """The first and last moment in a transcript; all times for one that names none."""
    times = _TIMES.findall(data)  # in order of their text, but for other zones
    moments = [moment for text in (times and (min(times), max(times))) if (moment := timestamp(decode(text))) is not None]
    return min(moments, default=float("-inf")), max(moments, default=float("inf"))


def _bare_url(url: str) -> str:
    """`github.com/owner/name` of an address in any form."""
    return re.sub(r"^(?:\w+://)?(?:[^/@]*@)?|(?:\.git)?/*$", "", url).replace(":", "/", 1).lower()
