"""Reads every session of a repository and stores it; what it did to files goes on to the replay.

A session that is stored and did not change is taken from the user's cache, where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from attribution.authorship.evidence import SessionsRead, TranscriptReach
from attribution.authorship.timeline import SessionEdits, add_missing_past, forget_stored_subagents, session_edits
from attribution.features import of_session
from attribution.stages import feature_rows
from collector.errors import INPUT_ERRORS
from collector.load import (
    FACTS,
    LoadedSession,
    SessionFiles,
    failed_session,
    read_session,
    session_files,
    session_run,
    store_checkpoints,
    store_session,
)
from collector.local.model import LocalSessions
from collector.model import Checkpoint, Problem, TranscriptReader
from collector.runtime.bounds import PART_ERRORS, part_of_the_time
from collector.runtime.stages import RunContext, StageRun, clear_problems, digest
from collector.storage.packed import NotPacked, pack, unpack
from collector.storage.session_cache import SessionCache, sessions_of
from collector.text import printable
from collector.transcripts import readers
from collector.vocabulary.sessions import TranscriptState

VERSION = "1"  # of what is read here and kept in the cache: a change of `session_edits` raises it


def read_sessions(context: RunContext, checkpoints: Sequence[Checkpoint], local: LocalSessions) -> SessionsRead:
    """Reads and stores every session, one in memory at a time."""
    ids = store_checkpoints(context, checkpoints, local.problems)
    files = session_files(checkpoints, local)
    name = str(context.store.value("SELECT name FROM repos WHERE id = ?", (context.repo_id,)))
    reach, edits = {}, []
    with sessions_of(context.store, name) as cache:
        reading = _Reading(context, cache, readers())
        for number, one in enumerate(files):
            context.progress("reading sessions", number, len(files))
            found = reading.read(one, ids[one.key])
            reach[one.key] = TranscriptReach(found.state, found.ended, found.compact)
            if found.edits is not None:
                edits.append(found.edits)
    forget_stored_subagents(edits, {key: one.ended for key, one in reach.items() if one.state == TranscriptState.PRESENT})
    return SessionsRead(ids, reach, edits)


@dataclass(frozen=True, slots=True)
class _SessionRead:
    """What the replay needs of one session."""

    state: str  # as in `LoadedSession`
    ended: float  # the last event that was read
    compact: bool
    edits: SessionEdits | None  # None: without a transcript


@dataclass(frozen=True, slots=True)
class _Reading:
    """The sessions of one run."""

    context: RunContext
    cache: SessionCache
    readers: Sequence[TranscriptReader]

    def read(self, files: SessionFiles, session_id: int) -> _SessionRead:
        """Reads and stores a session, unless it is stored and what was read is known."""
        reading, features = session_run(self.context, files), feature_rows.session_run(self.context, files)
        key = self._key(files, session_id)
        known = self._known(files.key, key) if reading.unchanged and features.unchanged else None
        if known is not None:
            return known
        loaded = read_session(self.context.repo, files, self.readers)
        try:
            with part_of_the_time():
                track = edits_of(loaded, session_id)
        except (*INPUT_ERRORS, *PART_ERRORS) as error:  # without its edits a transcript explains nothing: it counts as unreadable
            loaded, track = failed_session(files, error), None
        if not reading.unchanged:
            stored = store_session(reading, session_id, loaded)
            loaded, track = stored, track if stored is loaded else None
        _store_features(features, self.context, session_id, files, loaded)
        ended = (loaded.session.ended_at if loaded.session is not None else None) or 0.0
        found = _SessionRead(loaded.state, ended, loaded.compact, track)
        if track is not None:
            with suppress(NotPacked):
                self.cache.put(files.key, key, pack(_SessionRead, found))
        return found

    def _key(self, files: SessionFiles, session_id: int) -> str:
        """Changes when what is read of a session may: with its copies, what checkpoints say of it, and the program."""
        repo = self.context.repo
        beside = sorted({*files.compacts(), *files.tasks()})  # a fetch can bring them later
        return digest(
            VERSION,
            FACTS,
            self.context.store.policy.key(),
            str(session_id),
            files.input_key(),
            *(oid for oid in beside if repo.has(oid)),
            *sorted(files.emails),
            *(repr(record) for record in files.records),
            *(reader.NAME for reader in self.readers),
        )

    def _known(self, session: str, key: str) -> _SessionRead | None:
        content = self.cache.get(session, key)
        try:
            return None if content is None else unpack(_SessionRead, content)
        except NotPacked:
            return None


def edits_of(loaded: LoadedSession, session_id: int) -> SessionEdits | None:
    """What a session did to files; None without a transcript."""
    if loaded.session is None:
        return None
    edits = session_edits(loaded.session, session_id, loaded.files.emails, loaded.files.subagent_files())
    if loaded.files.local is not None:
        add_missing_past(edits, loaded.files.local.unseen_until)
    return edits


def _store_features(run: StageRun, context: RunContext, session_id: int, files: SessionFiles, loaded: LoadedSession) -> None:
    """What the transcript alone tells of the session, while it is in memory."""
    if loaded.session is None or run.unchanged:
        return
    try:
        values = of_session(loaded.session)
    except INPUT_ERRORS as error:
        _report_failed_features(context, files, error)
        return
    with run.writing():
        feature_rows.write(context.store, session_id, values)


def _report_failed_features(context: RunContext, files: SessionFiles, error: Exception) -> None:
    """The session stays without features, and is tried again by the next run that reads it."""
    subject, code = printable(files.key), "features_failed"
    with context.store.transaction():
        clear_problems(context.store, context.repo_id, ("transcripts",), subject, (code,))
        problem = Problem("transcripts", subject, code, f"{type(error).__name__}: {error}")
        context.store.add_problems(context.repo_id, [problem])
