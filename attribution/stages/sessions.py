"""Reads every session of a repository and stores it; what it did to files goes on to the replay.

A session that is stored and did not change is taken from the user's cache, where there is one.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from attribution.authorship.run_data import SessionsRead, TranscriptReach
from attribution.authorship.session_edits import (
    SessionEdits,
    add_missing_past,
    forget_stored_subagents,
    session_edits,
)
from attribution.stages.lines_due import VERSION as CONCLUDED
from collector.agents import readers
from collector.errors import INPUT_ERRORS, InputTooLarge
from collector.git.repository import GitRepo
from collector.load import (
    LoadedSession,
    SessionFiles,
    SessionRows,
    failed_session,
    inputs_key,
    leave_out,
    prepare_session,
    read_session,
    session_run,
    store_session,
)
from collector.model import Problem, TranscriptReader
from collector.runtime import workers
from collector.runtime.bounds import (
    PART_ERRORS,
    apply_limits,
    memory_left,
    part_of_the_time,
    time_left,
)
from collector.runtime.progress import no_progress
from collector.runtime.stages import RunContext, clear_problems, digest
from collector.session_graph import EventKeys, copied_events, event_keys
from collector.storage.retention import Policy
from collector.storage.session_cache import SessionCache, seal, sessions_of
from collector.text import error_text, printable
from collector.vocabulary.sessions import TranscriptState

VERSION = "11"  # of what is kept in the cache
_MOST_BYTES = 30_000_000  # of transcripts that a question reads; more takes as long as a run
# bytes of transcripts; starting workers costs as much as reading about half of it
_WORTH_WORKERS = 20_000_000


def read_sessions(
    context: RunContext,
    files: Sequence[SessionFiles],
    ids: Mapping[str, int],
    jobs: int = 1,
    few: bool = False,
) -> SessionsRead:
    """Reads sessions, and stores those that are not stored as they are now.

    `jobs`: processes that read, each one session at a time. `ids`: the numbers of the sessions.
    `few`: for a question, without features and without keeping anything. Raises InputTooLarge where
    too much would have to be read that the cache lacks.
    """
    with sessions_of(context.store, context.repo_id) as cache:
        reads = _Reading(context, cache, ids, readers(), few).read(files, jobs)
    reach = {session.key: reads[session.key].reach for session in files}
    edits = [each for session in files if (each := reads[session.key].edits) is not None]
    present = {k: end.ended for k, end in reach.items() if end.state == TranscriptState.PRESENT}
    forget_stored_subagents(edits, present)
    return SessionsRead(ids, reach, edits)


def kept_shared_lines(context: RunContext) -> bytes | None:
    """What `keep_shared_lines` kept of the commits that were attributed."""
    head = context.store.value("SELECT head_sha FROM repos WHERE id = ?", (context.repo_id,))
    with sessions_of(context.store, context.repo_id) as cache:
        lines = cache.get("", digest(VERSION, str(head)))
    return lines if isinstance(lines, bytes) else None


def keep_shared_lines(context: RunContext, head: str, lines: bytes) -> None:
    """Keeps which lines the files of a history share, for questions about later commits; nothing
    where none were counted.
    """
    with sessions_of(context.store, context.repo_id) as cache:
        if lines and cache.key:
            cache.put("", digest(VERSION, head), {"": seal(lines, cache.key)})


@dataclass(slots=True)
class _SessionRead:
    """What the replay needs of one session."""

    reach: TranscriptReach
    edits: SessionEdits | None  # None: without a transcript
    events: EventKeys | None = None  # of the whole session; None: without a transcript
    copied: str = ""  # the key of what was left out of it because it counts for other sessions


@dataclass(frozen=True, slots=True)
class _ReadTask:
    """A session to read, and the results to make from it."""

    files: SessionFiles
    session_id: int
    policy: Policy
    rows: bool  # False: they are stored
    features: bool
    key: bytes = b""  # to seal what is read for the cache; b"": nothing is kept
    # one that repeats events of a session that was read before will be read again anyway
    may_wait: bool = False

    def is_due(self, copied: str, just_read: bool) -> bool:
        """Whether it has to be read; `copied`: the key of what was left out when it was read
        last.
        """
        unstored = (self.rows or self.features) and not just_read
        return unstored or copied != (
            self.files.copied.key() if self.files.copied is not None else ""
        )


@dataclass(slots=True)
class _Prepared:
    """Everything to write about a session, made without the database."""

    read: _SessionRead
    loaded: LoadedSession  # without its session
    rows: SessionRows | None
    features: dict[str, Any] | None = None
    failed: str = ""  # why there are no features
    sealed: dict[str, bytes] | None = None  # for the cache


def _prepare(
    task: _ReadTask, repo: GitRepo, transcript_readers: Sequence[TranscriptReader], known: set[int]
) -> _Prepared:
    """Reads a session and makes what is to be written about it.

    `known`: calls and responses of the sessions read before.
    """
    loaded = read_session(repo, task.files, transcript_readers)
    events = event_keys(loaded.session) if loaded.session is not None else None
    if events is not None and task.may_wait:
        if not known.isdisjoint(events.anchors):
            waiting = _SessionRead(TranscriptReach(loaded.state), None, events, copied="unknown")
            return _Prepared(waiting, replace(loaded, session=None), None)
        known.update(events.anchors)
    try:
        loaded = leave_out(loaded)
        with part_of_the_time():
            edits = edits_of(loaded, task.session_id)
    # without its edits a transcript explains nothing: it counts as unreadable
    except (*INPUT_ERRORS, *PART_ERRORS) as error:
        loaded = failed_session(task.files, error)
        edits = None
    rows = None
    if task.rows:
        stored, rows = prepare_session(task.policy, task.session_id, loaded)
        loaded, edits = stored, edits if stored is loaded else None
    ended = (loaded.session.ended_at if loaded.session is not None else None) or 0.0
    reach = TranscriptReach(loaded.state, ended, loaded.compact)
    copied = task.files.copied.key() if task.files.copied is not None else ""
    done = _Prepared(
        _SessionRead(reach, edits, events, copied), replace(loaded, session=None), rows
    )
    if task.features and loaded.session is not None:
        from attribution.features import of_session  # a question about a line has no use for them

        try:
            done.features = of_session(loaded.session)
        except INPUT_ERRORS as error:
            done.failed = error_text(error)
    if edits is not None and task.key:
        done.sealed = {"": seal(done.read, task.key)}
        if task.rows and task.features and not done.failed:
            bare = replace(done.read, edits=None, events=None)
            done.sealed[_made()] = seal(replace(done, read=bare, sealed=None), task.key)
    return done


def _made() -> str:
    """The part of an entry with all that was made of a session for the database."""
    from attribution.features import version as features_version

    return f"made {features_version()}"


@dataclass(frozen=True, slots=True)
class _Reading:
    """The sessions of one run."""

    context: RunContext
    cache: SessionCache
    ids: Mapping[str, int]
    readers: Sequence[TranscriptReader]
    few: bool

    def read(self, files: Sequence[SessionFiles], jobs: int) -> dict[str, _SessionRead]:
        """Returns what is known of each session, and reads the sessions that are not stored or not
        known.

        What a session repeats of others is known once all were read: those that do are read again
        without it. Of few, those that are known count as they are.
        """
        reads: dict[str, _SessionRead] = {}
        for session in files:
            if (existing := self.cached(session)) is not None:
                self.context.progress("reading sessions", len(reads), len(files))
                reads[session.key] = existing
        missing = [session for session in files if session.key not in reads]
        if self.few and sum(_size(self.context.repo, f) for f in missing) > _MOST_BYTES:
            raise InputTooLarge("the sessions that no run has read are large", "")
        self._read_into(
            reads, [replace(self.read_task(session), may_wait=True) for session in missing], jobs
        )
        copied = copied_events(
            {f.key: events for f in files if (events := reads[f.key].events) is not None}
        )
        just_read = {session.key for session in missing}
        tasks = [
            self.read_task(replace(session, copied=copied.get(session.key)))
            for session in files
            if not self.few
            or session.key in just_read
            or not session_run(self.context, session).is_current
        ]
        due = []
        for task in tasks:
            key = task.files.key
            if not task.is_due(reads[key].copied, key in just_read):
                continue
            made = self.made(task, reads[key])
            if made is not None:
                self.take(task, made)
            else:
                due.append(task)
        self._read_into(reads, due, jobs)
        return reads

    def _read_into(
        self, reads: dict[str, _SessionRead], waiting: Sequence[_ReadTask], jobs: int
    ) -> None:
        for number, (task, done) in enumerate(self._all(waiting, jobs)):
            self.context.progress("reading sessions", number, len(waiting))
            reads[task.files.key] = self.take(task, done)

    def read_task(self, files: SessionFiles) -> _ReadTask:
        is_due = not session_run(self.context, files).is_current
        key = b"" if self.few else self.cache.key  # the numbers of a copy are its own
        task = _ReadTask(files, self.ids[files.key], self.context.store.policy, is_due, False, key)
        if self.few:
            return task
        from attribution.stages import feature_rows  # a question has no use for them

        features = feature_rows.session_run(self.context, files)
        return replace(task, features=not features.is_current)

    def _all(
        self, waiting: Sequence[_ReadTask], jobs: int
    ) -> Iterator[tuple[_ReadTask, _Prepared]]:
        """Prepares the sessions in this process, or in several where it is worth starting them."""
        repo = self.context.repo
        several = waiting if jobs > 1 and len(waiting) > 1 and type(repo) is GitRepo else ()
        sizes = {task.files.key: _size(repo, task.files) for task in several}
        if sizes and sum(sizes.values()) >= _WORTH_WORKERS:
            return self._apart(sorted(waiting, key=lambda task: -sizes[task.files.key]), jobs)
        known = set[int]()
        # one in memory at a time
        return ((task, _prepare(task, repo, self.readers, known)) for task in waiting)

    def _apart(
        self, waiting: Sequence[_ReadTask], jobs: int
    ) -> Iterator[tuple[_ReadTask, _Prepared]]:
        left = time_left()
        policy = self.context.store.policy
        # what a policy has made for its use does not go to other processes
        plain = Policy(policy.content, policy.redaction)
        by_key = {task.files.key: replace(task, policy=plain) for task in waiting}
        path = str(self.context.repo.path)
        tasks = (workers.Task(key, (path, task, left)) for key, task in by_key.items())
        for result in workers.run(
            read_apart, tasks, min(jobs, len(waiting)), workers.TaskLimits(left, memory_left(jobs))
        ):
            task = by_key[result.key]
            yield task, result.value if not result.error else _given_up(task, result.error)

    def take(self, task: _ReadTask, done: _Prepared) -> _SessionRead:
        """Stores what was read, and keeps it for the next run."""
        files = task.files
        session_id = task.session_id
        read = done.read
        if done.rows is not None:
            stored = store_session(
                session_run(self.context, files), session_id, done.loaded, done.rows
            )
            if stored is not done.loaded:
                return _SessionRead(
                    TranscriptReach(stored.state, compact=stored.compact), None, copied=read.copied
                )
        if done.features is not None or done.failed:
            _store_features(self.context, session_id, files, done)
        if done.sealed is not None:
            self.cache.put(files.key, self.key(files), done.sealed)
        return read

    def key(self, files: SessionFiles) -> str:
        """Changes when what is read of a session may, or what is made of it."""
        return digest(
            VERSION,
            CONCLUDED,  # entries of other versions are not used
            self.context.store.policy.key(),
            str(self.ids[files.key]),
            *sorted(files.emails),
            inputs_key(self.context.repo, files, self.readers),
        )

    def cached(self, files: SessionFiles) -> _SessionRead | None:
        """What the cache holds of a session as it is now."""
        read = self.cache.get(files.key, self.key(files))
        return read if isinstance(read, _SessionRead) else None

    def made(self, task: _ReadTask, read: _SessionRead) -> _Prepared | None:
        """What the cache holds of all that is to be written about a session."""
        if task.is_due(read.copied, just_read=True):
            return None
        done = self.cache.get(task.files.key, self.key(task.files), _made())
        return replace(done, read=read) if isinstance(done, _Prepared) else None


# --- in processes of their own --------------------------------------------------------------------


def read_apart(path: str, task: _ReadTask, seconds: float) -> _Prepared:
    """Reads a session in a worker.

    `seconds` is the limit of the whole run, of which a session may take its share; 0: no limit.
    """
    gc.set_threshold(5_000_000, 20, 100)  # as in `attribute_one`
    with apply_limits(workers.TaskLimits(seconds=seconds), no_progress):
        done = _prepare(task, *_clone(path))
    return done


@lru_cache(maxsize=1)
def _clone(path: str) -> tuple[GitRepo, Sequence[TranscriptReader], set[int]]:
    """With what a worker reads sessions: the clone, the readers, and the calls and responses of
    the sessions that it has read.
    """
    return GitRepo(path), readers(), set()


def _given_up(task: _ReadTask, error: str) -> _Prepared:
    """A session whose worker died twice or took too long; like a stopped session it is read
    again by the next run.
    """
    loaded = failed_session(task.files, MemoryError(error))
    rows = prepare_session(task.policy, task.session_id, loaded)[1] if task.rows else None
    return _Prepared(
        _SessionRead(TranscriptReach(loaded.state, compact=loaded.compact), None), loaded, rows
    )


def _size(repo: GitRepo, files: SessionFiles) -> int:
    """Bytes of the last copy of a session: about what it costs to read."""
    copies = files.copies()
    return sum(repo.blob_size(oid) or 0 for oid in copies[-1]) if copies else 0


def edits_of(loaded: LoadedSession, session_id: int) -> SessionEdits | None:
    """The edits of a session; None without a transcript."""
    if loaded.session is None:
        return None
    edits = session_edits(
        loaded.session, session_id, loaded.files.emails, loaded.files.subagent_files()
    )
    if loaded.files.local is not None:
        add_missing_past(edits, loaded.files.local.unseen_until)
    return edits


def _store_features(
    context: RunContext, session_id: int, files: SessionFiles, done: _Prepared
) -> None:
    """Stores the features that the transcript alone determines.

    If they fail, the next run tries again.
    """
    from attribution.stages import feature_rows

    if done.features is not None:
        with feature_rows.session_run(context, files).writing():
            feature_rows.write(context.store, session_id, done.features)
        return
    subject = printable(files.key)
    code = "features_failed"
    with context.store.transaction():
        clear_problems(context.store, context.repo_id, ("transcripts",), subject, (code,))
        context.store.add_problems(
            context.repo_id, [Problem("transcripts", subject, code, done.failed)]
        )
