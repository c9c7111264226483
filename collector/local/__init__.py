"""Sessions that agents keep on this machine: those that worked in a clone are found and loaded."""

import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from collector.agents import stores
from collector.agents.machine import files
from collector.agents.machine.model import (
    ANYWHERE,
    LASTS,
    LocalSession,
    Machine,
    Roots,
    Store,
    Trace,
    left_behind,
)
from collector.checkpoints import is_checkpoint_ref
from collector.errors import INPUT_ERRORS
from collector.git.repository import GitRepo
from collector.json_values import Row
from collector.local.archived import (
    archived,
    as_sessions,
    belonging,
    forgotten,
    versions,
    with_kept_times,
)
from collector.local.elsewhere import ClonePlaces
from collector.local.model import LocalChoice, LocalOptions, LocalSessions
from collector.model import Checkpoint, Problem, SessionRecord
from collector.storage.connection import cache_path
from collector.storage.retention import Policy, Redaction
from collector.storage.store import Store as Database
from collector.text import add_ending, decode, timestamp, unique
from collector.vocabulary.sessions import CheckpointStore, StoredTranscript

_DAY = 86_400.0
_AT_WORK = 3600.0  # seconds after which an agent does not go on with a line
_TIME = re.compile(rb'"(?:timestamp|lastUpdated)":\s*"([^"]{10,40})"')
_FAILURES = (OSError, *INPUT_ERRORS)


def machines(options: LocalOptions) -> list[Machine]:
    """Where transcripts are looked for: on this machine, or in the directories that were named."""
    named = [machine for directory in options.directories for machine in Machine.copied(directory)]
    return named or [Machine.here()]


def is_wanted(repo: GitRepo, options: LocalOptions) -> bool:
    """Whether transcripts of this machine are to be read for a clone."""
    if options.choice is LocalChoice.AUTO:
        return not any(map(is_checkpoint_ref, repo.refs()))
    return options.choice is LocalChoice.ALWAYS


def find_sessions(repo: GitRepo, options: LocalOptions) -> LocalSessions:
    """Sessions of agents on this machine that worked in a clone."""
    roots = ANYWHERE if options.anywhere else Roots.of_repository(repo, options.former_paths)
    worktrees = tuple(roots.locations.values())
    if not is_wanted(repo, options) or not (worktrees or roots.anywhere):
        return LocalSessions(worktrees=worktrees)
    results: dict[str, LocalSession] = {}
    problems: list[Problem] = []
    unread: list[Trace] = []
    for store in stores():
        for location in _places(store, options, roots):
            for session in _sessions_of(store, location, roots, problems, unread):
                results.setdefault(session.id, session)
    mine: list[Row] = []
    if not roots.anywhere:
        rows, failed = archived()
        problems += failed
        mine = belonging(rows, roots)
        kept = [row for row in rows if row not in mine]
        results |= _elsewhere(ClonePlaces(repo, roots), options, results, kept, problems)
        for gone in forgotten([*results]):
            del results[gone]
        results = {session.id: session for session in as_sessions(mine)} | results
    unseen = {s.name: unseen_until(s, _places(s, options, roots)) for s in stores()}
    results = with_kept_times(results, mine, unseen)
    traces = [
        trace
        for trace in _traces(options, roots, results, problems)
        if trace.session not in results or not results[trace.session].kept
    ]
    problems += [
        Problem("checkpoints", trace.agent, "transcript_gone", f"{trace.session}: {trace.why}")
        for trace in traces
    ]
    noted = unique(problems)
    return LocalSessions(results, noted, repo.own_emails(), worktrees, (*traces, *unread))


def _traces(
    options: LocalOptions, roots: Roots, found: Mapping[str, LocalSession], problems: list[Problem]
) -> Iterator[Trace]:
    """What is left of sessions that cannot be read, and of the ends of others."""
    if not roots.anywhere:
        for store in stores():
            for location in _places(store, options, roots):
                try:
                    with files.failures_noted():  # they are reported where sessions are looked for
                        found_there = list(store.traces(location, roots))
                except _FAILURES as error:
                    problems.append(_unreadable(store.name, location, error))
                else:
                    yield from found_there
    for session in found.values():
        yield from _cut_ends(session)


def _cut_ends(session: LocalSession) -> Iterator[Trace]:
    """A file whose last line, or only document, was not finished, long after what it says
    before that.
    """
    for path in (path for path in session.files if path.suffix in (".jsonl", ".json")):
        with suppress(OSError):
            end = files.tail(path).rstrip()  # a writer may end a line that another one left torn
            lines = end[end.find(b"\n") + 1 :]
            last = _last_noted(path)
            closed = path.suffix == ".json" and end.endswith((b"}", b"]"))
            if not closed and files.whole_lines(lines) != lines and last < time.time() - _AT_WORK:
                yield Trace(
                    session.agent, session.id, last, last + LASTS, f"{path} ends within a line"
                )


def _elsewhere(
    places: ClonePlaces,
    options: LocalOptions,
    existing: Iterable[str],
    kept: Iterable[Row],
    problems: list[Problem],
) -> dict[str, LocalSession]:
    """Sessions of other directories that worked on the clone all the same, from files and of
    those that the archive kept.
    """

    def read(session: LocalSession) -> list[bytes]:
        try:
            return list(load(session))
        except OSError as error:
            problems.append(_unreadable(session.source, session.files[0], error))
        except INPUT_ERRORS:
            pass  # no session that can be read, whosever it is
        return []

    with closing(places.index):
        outside = {session.id: session for session in as_sessions(kept)}
        outside |= {session.id: session for session in _outside(places, options, problems)}
        passed = {*existing, *forgotten(outside)}
        others = (session for key, session in outside.items() if key not in passed)
        return {session.id: session for session in places.sessions(others, read)}


def _outside(
    places: ClonePlaces, options: LocalOptions, problems: list[Problem]
) -> Iterator[LocalSession]:
    for store in stores():
        for location in _places(store, options, places.outside):
            failed: list[Trace] = []
            sessions = list(_sessions_of(store, location, places.outside, problems, failed))
            known = {path for session in sessions for path in session.files}
            known |= {Path(trace.session) for trace in failed}  # the place itself, or files of it
            stored = store.stored(location) if location.is_dir() and location not in known else ()
            left = [path for path in stored if path not in known]
            if left:
                detail = f"files in {location} that name no directory: {len(left)}, first {left[0]}"
                problems.append(Problem("checkpoints", store.name, "no_directory_named", detail))
            yield from sessions


def _places(store: Store, options: LocalOptions, roots: Roots) -> Iterator[Path]:
    """Where an agent keeps sessions: in places of its own, and in the worktrees."""
    yield from dict.fromkeys(
        location for machine in machines(options) for location in store.places(machine)
    )
    if store.inside:
        inside = (Path(path) / store.inside for path in roots.locations.values())
        yield from (
            location
            for location in inside
            if files.is_plain(location) and not location.parent.is_symlink()
        )


def _sessions_of(
    store: Store, location: Path, roots: Roots, problems: list[Problem], unread: list[Trace]
) -> Iterator[LocalSession]:
    """Those of one place; `unread`: when a session that cannot be read may have been at work."""
    try:
        with files.failures_noted() as failures:
            sessions = list(store.sessions(location, roots))
    except _FAILURES as error:
        problems.append(
            Problem("checkpoints", store.name, "local_place_unreadable", f"{location}: {error}")
        )
        unread.append(
            Trace(store.agent, str(location), 0.0, files.written_at(location) + LASTS, "")
        )
        return
    for path in failures:
        unread += left_behind(store.agent, str(path), [files.written_at(path)], "")
    problems += [_unreadable(store.name, path, error) for path, error in failures.items()]
    for entry in sessions:
        yield replace(
            entry,
            at=entry.at or max(map(files.written_at, entry.files), default=0.0),
            stamp=entry.stamp or files.stamp(entry.files),
        )


def _unreadable(source: str, path: Path, error: Exception) -> Problem:
    return Problem("checkpoints", source, "local_file_unreadable", f"{path}: {error}")


def unseen_until(store: Store, places: Iterable[Path]) -> float:
    """The moment before which sessions may have been deleted from some place; 0 for an agent that
    deletes none by itself.

    Files go by age when the agent is started: none that was written in the days before the newest
    one is missing. Copies of a home may all be as old as the copying; what was last noted in them
    is not.
    """
    until = 0.0
    days = store.kept_days or 0
    for location in filter(Path.is_dir, places if days else ()):
        with suppress(OSError):  # a place that cannot be read is reported where it is searched
            times = list(map(_last_noted, store.stored(location)))
            if times:
                until = max(until, min(*times, max(times) - days * _DAY))
    return until


def _last_noted(path: Path) -> float:
    """When a transcript was last written, by its own times where the file is younger."""
    with suppress(OSError):
        texts = map(decode, _TIME.findall(files.tail(path, 32_000)))  # most say it there
        noted = max(filter(None, map(timestamp, texts)), default=math.inf)
        return min(files.written_at(path), noted)
    return files.written_at(path)


def load(session: LocalSession) -> Iterator[bytes]:
    """The transcript of a session; of one that is gone as it was kept. Raises OSError,
    ValueError, LookupError.
    """
    if session.kept:
        return iter(versions(session)[0])
    store = next(store for store in stores() if session.source == store.name)
    return iter(store.load(session))


def local_checkpoints(local: LocalSessions, stored: Iterable[Checkpoint]) -> Iterator[Checkpoint]:
    """One for each session that is in no checkpoint of the clone; its id is none that a commit
    could name.
    """
    existing = {record.session_id for checkpoint in stored for record in checkpoint.sessions}
    for key in sorted(local.sessions.keys() - existing):
        yield _checkpoint(local.sessions[key], min(local.emails, default=""))


def _checkpoint(session: LocalSession, email: str) -> Checkpoint:
    number = f"local/{session.agent}/{session.id}"
    record = SessionRecord(
        checkpoint_id=number,
        index=0,
        session_id=session.id,
        session_id_raw=session.id,
        agent_label=session.agent,
        created_at=session.at or None,
        transcript_state=StoredTranscript.LOCAL,
    )
    return Checkpoint(
        id=number,
        store=CheckpointStore.LOCAL,
        ref=str(session.files[0]),
        created_at=session.at or None,
        sessions=(record,),
        author_email=email,
    )


def keep_private(store: Database) -> None:
    """Transcripts hold whatever was on the screen: only the owner may read the database, and it
    keeps no e-mail addresses.

    Unless something else was chosen.
    """
    for database in (store.path, cache_path(store.path)):
        for path in (add_ending(database, ending) for ending in ("", "-wal", "-shm", "-journal")):
            if path.is_file() and path.stat().st_mode & 0o077:
                path.chmod(0o600)
    if store.value("SELECT 1 FROM settings WHERE name = 'content'") is None:
        with store.transaction():
            store.keep(Policy(redaction=Redaction.EMAILS))
