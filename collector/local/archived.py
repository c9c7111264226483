"""Sessions of the archive beside those that agents keep on this machine."""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from collector.agents.machine.model import LocalSession, Roots
from collector.errors import INPUT_ERRORS, DatabaseUnusable
from collector.git.repository import GitRepo
from collector.json_values import Row
from collector.local.model import LocalSessions
from collector.model import Problem
from collector.storage import archive
from collector.text import comparable_path, count_of, decode

_FACTS = ("agent", "key", "cwd", "why", "elsewhere", "at", "unseen_until")
# seconds before a session was last written, and after, in whose commits its text may stand
_BEFORE = 30 * 86_400.0
_AFTER = 90 * 86_400.0
_MOST = 3_000  # versions of files that are searched for the text of a secret


def archived() -> tuple[list[Row], list[Problem]]:
    """What the archive knows of its sessions, and why it cannot be read."""
    try:
        with archive.opened(create=False) as kept:
            return (kept.sessions() if kept is not None else []), []
    except DatabaseUnusable as error:
        return [], [Problem("checkpoints", "archive", "archive_unusable", str(error))]


def forgotten(sessions: Iterable[str]) -> list[str]:
    """Those that are not to be read again, nor kept anywhere."""
    with suppress(DatabaseUnusable), archive.opened(create=False) as kept:
        return [s for s in sessions if kept is not None and kept.is_forgotten(s)]
    return []


def belonging(rows: Iterable[Row], roots: Roots) -> list[Row]:
    """The sessions that were read for a clone, or were started in it."""
    return [
        row
        for row in rows
        if roots.of(row["cwd"]) or any(comparable_path(p) in roots.paths for p in row["clones"])
    ]


def as_sessions(rows: Iterable[Row]) -> Iterator[LocalSession]:
    """As they were found when their files were there."""
    for row in rows:
        yield LocalSession(
            row["id"],
            tuple(map(Path, row["files"])),
            stamp=row["stamp"],
            source=row["source"],
            kept=True,
            **{name: row[name] for name in _FACTS},
        )


def with_kept_times(
    found: Mapping[str, LocalSession], rows: Sequence[Row], unseen: Mapping[str, float]
) -> dict[str, LocalSession]:
    """Sessions with the moment before which others of their source may have been deleted unread.

    `unseen`: source -> that moment, as its files tell. None was deleted unread between the last
    time that a source was read for this clone and the time before, if none that was there then
    can be missing from the archive.
    """
    until = defaultdict(float, unseen)  # an archive has sources that no reader has any longer
    for row in sorted(rows, key=lambda row: (row["read_at"], row["unseen_until"])):
        if unseen.get(row["source"], 0.0) <= row["read_at"]:
            until[row["source"]] = row["unseen_until"]
    return {
        number: replace(session, unseen_until=until[session.source])
        for number, session in found.items()
    }


Load = Callable[[LocalSession], Iterable[bytes]]


def keep(local: LocalSessions, load: Load, problems: list[Problem]) -> str:
    """Puts sessions into the archive that are new or went on; returns where it is when they
    are the first, else "".
    """
    try:
        return _keep(local, load)
    except DatabaseUnusable as error:
        problems.append(Problem("checkpoints", "archive", "archive_unusable", str(error)))
        return ""


def _keep(local: LocalSessions, load: Load) -> str:
    there = [session for session in local.sessions.values() if not session.kept]
    with archive.opened(create=bool(there)) as kept:
        if kept is None or not kept.limit:
            return ""
        kept.search_again()
        now = time.time()
        stamps = kept.stamps()
        for session in there:
            if stamps.get((session.source, session.id)) == session.stamp:
                continue
            facts = {name: getattr(session, name) for name in ("source", "id", "stamp", *_FACTS)}
            files = list(map(str, session.files))
            try:
                parts = list(load(session))
            except (OSError, *INPUT_ERRORS):
                continue  # it is a problem of the reading
            kept.keep({**facts, "files": files, "read_at": now}, parts, local.worktrees)
        kept.see([(session.source, session.id) for session in there], now)
        if stamps:
            return ""
        return str(archive.path())


def versions(session: LocalSession, repo: GitRepo | None = None) -> list[list[bytes]]:
    """What the archive has of a session, of files that are there only what these lack; nothing
    where it cannot be read.

    `repo`: where the text of secrets may stand.
    """
    with suppress(DatabaseUnusable), archive.opened(create=False) as kept:
        if kept is None:
            return []
        copies = kept.copies(session.source, session.id)
        is_as_kept = kept.stamps().get((session.source, session.id)) == session.stamp
        others = copies if session.kept or not is_as_kept else copies[1:]
        return [
            archive.restored(parts, kept.keys, lambda: _texts(repo, session.at) if repo else ())
            for parts in others
        ]
    return []


def _texts(repo: GitRepo, at: float) -> Iterator[str]:
    """Versions of files that were committed around the time of a session."""
    oids = {
        change.new
        for commit in repo.history(repo.default_branch().sha)
        if at - _BEFORE <= commit.author_time <= at + _AFTER
        for change in repo.changes(commit) or ()
        if change.new
    }
    return (decode(repo.content(oid)) for oid in sorted(oids)[:_MOST])


def forget(names: Collection[str], places: Collection[str] = ()) -> list[str]:
    """Removes sessions by their ids, and those of clones at some places, to the last byte; they are
    not read again. Returns the ids of those that were there.

    Raises DatabaseUnusable.
    """
    # a database has the directory of git instead of the worktree
    inside = {comparable_path(place.removesuffix("/.git")) for place in places if place}
    with archive.opened(create=bool(names)) as kept:
        rows = kept.sessions() if kept is not None else []
        gone = [
            row
            for row in rows
            if row["id"] in names or inside.intersection(map(comparable_path, row["clones"]))
        ]
        ids = [row["id"] for row in gone]
        if kept is not None and (gone or names):
            kept.forget([row["number"] for row in gone], {*ids, *names})
        return ids


def kept_alone(rows: Iterable[Row]) -> list[Row]:
    """Sessions whose files their agents, or people, have deleted."""
    return [row for row in rows if not any(Path(file).exists() for file in row["files"])]


def kept_note(rows: Sequence[Row]) -> str:
    """How many sessions are kept that are nowhere else; "" for none."""
    gone = kept_alone(rows)
    if not gone:
        return ""
    oldest = datetime.fromtimestamp(min(row["at"] for row in gone), UTC).date()
    size = sum(row["bytes"] or 0 for row in gone) / 1e6
    return (
        f"kept, though deleted by their agents: {count_of(len(gone), 'session')}, {size:,.1f} MB,"
        f" the oldest of {oldest}: whowrote data archive"
    )
