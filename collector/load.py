"""Facts of one repository into the database: checkpoints, commits, sessions with their turns and
calls.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from typing import Any

from collector.agents import reader_for, readers, readers_for
from collector.agents.common.jsonl import first_value
from collector.agents.common.stored_copies import StoredCopy, bounded, continued, is_undated
from collector.agents.machine.model import LocalSession
from collector.checkpoints import is_checkpoint_ref, read_all
from collector.checkpoints.pull_requests import is_source
from collector.checkpoints.statements import automation, checkpoint_ids, declared_agent, statements
from collector.errors import INPUT_ERRORS, NoCheckpoints
from collector.git.repository import GitRepo, blob_id
from collector.json_values import Moment, Numbers, Row, RowValues, get, get_str, parse_json
from collector.labels import session_label
from collector.limits import SESSION_BYTES
from collector.local import load
from collector.local.archived import forgotten, versions
from collector.local.model import NOTHING_LOCAL, LocalSessions
from collector.model import (
    Checkpoint,
    Commit,
    Problem,
    Session,
    SessionRecord,
    ToolCall,
    TranscriptReader,
)
from collector.repository_rows import claim_repo, describe_repo, find_repo
from collector.runtime.bounds import PART_ERRORS, part_of_the_time
from collector.runtime.progress import Progress
from collector.runtime.stages import (
    Clock,
    RunContext,
    Stage,
    StageName,
    StageRun,
    clear_problems,
    digest,
    forget_runs,
    forget_subjects,
)
from collector.runtime.workers import note_input
from collector.session_graph import (
    CopiedEvents,
    copied_events,
    event_keys,
    without_copied,
)
from collector.storage import session_cache
from collector.storage.retention import PROMPTS, Policy
from collector.storage.store import Store, iso, utc_now
from collector.text import count_of, error_text, printable, split_names, unique
from collector.vocabulary.agent_names import model_identity
from collector.vocabulary.agents import slug_of
from collector.vocabulary.sessions import FROM_USER, StoredTranscript

FACTS = "41"  # version of everything that is read here
LOAD = Stage(StageName.LOAD, FACTS)
SESSION = Stage(StageName.SESSION, FACTS, problems=("transcripts",))
_MAX_PROMPT = 100_000  # characters that are stored, here and below
_MAX_MESSAGE = 20_000
_MAX_OUTPUT = 1_000
STOPPED = "reading_stopped"  # a session that took too much time or memory: `problems.code`
# seconds: what a call did up to five seconds after a commit counts for it, since clocks differ
_AFTER_COMMIT = 6.0
# seconds: what zones differ by, and the most that one is ahead of UTC
_ZONES = 900.0
_MOST_AHEAD = 14 * 3600.0
_IMPORT = "import"  # the strategy of a session that was stored long after it happened


@dataclass(slots=True)
class SessionFiles:
    """All stored copies of one session."""

    key: str
    records: list[SessionRecord] = field(default_factory=list)
    emails: set[str] = field(default_factory=set)
    local: LocalSession | None = None  # its transcript on this machine
    copied: CopiedEvents | None = None  # what of it counts for other sessions, once all are read

    def copies(self) -> list[tuple[str, ...]]:
        """Distinct readable copies as tuples of blob ids."""
        return [*unique(r.transcript for r in self.records if r.transcript_state == "present")]

    def compacts(self, unread: bool = True) -> list[str]:
        """Blob ids of the compact form of copies: of all, or (without `unread`) of those that
        are absent.
        """
        return [
            *unique(
                r.compact
                for r in self.records
                if r.compact and (unread or r.transcript_state != "present")
            )
        ]

    def tasks(self) -> list[str]:
        """Blob ids of the transcripts of subagents, which may be another session's of the same
        checkpoint.
        """
        return [*unique(oid for r in self.records for oid in r.tasks)]

    def subagent_files(self) -> dict[str, frozenset[str]]:
        """Call that started a subagent -> files that it can have left changed, as the
        checkpoints say of those that were done.
        """
        files_of: dict[str, set[str]] = defaultdict(set)
        for subagent in (
            subagent
            for record in self.records
            for subagent in record.subagents
            if subagent.completed
        ):
            files_of[subagent.call_id].update(subagent.files)
        return {call: frozenset(files) for call, files in files_of.items()}

    def input_key(self) -> str:
        """Changes with what is made of the session: its copies, and what of them counts
        elsewhere.
        """
        if not self.copied:
            return self.copies_key()
        return digest(self.copies_key(), self.copied.key())

    def copies_key(self) -> str:
        text = "|".join(
            sorted({*(",".join(c) for c in self.copies()), *self.compacts(), *self.tasks()})
        )
        local = (
            [self.local.agent, self.local.stamp, str(self.local.unseen_until)] if self.local else []
        )
        return digest(text, *local, *sorted(f"{r.checkpoint_id}/{r.index}" for r in self.records))


def session_files(
    checkpoints: Iterable[Checkpoint], local: LocalSessions = NOTHING_LOCAL
) -> list[SessionFiles]:
    """Sessions of a repository with all their copies, in order of first appearance in time."""
    sessions: dict[str, SessionFiles] = {}
    for checkpoint in checkpoints:
        for record in checkpoint.sessions:
            files = sessions.setdefault(record.session_id, SessionFiles(record.session_id))
            files.records.append(record)
            if checkpoint.author_email:
                files.emails.add(checkpoint.author_email)
    for key in sessions.keys() & local.sessions.keys():
        sessions[key].local = local.sessions[key]
        sessions[key].emails |= local.emails
    return sorted(
        sessions.values(),
        key=lambda files: (*min((r.created_at or 0.0, r.index) for r in files.records), files.key),
    )


@dataclass(slots=True)
class LoadedSession:
    """A session as read, or why it could not be."""

    files: SessionFiles
    session: Session | None
    state: str  # present | partial | missing_blob | none | unreadable | unknown_format
    problems: list[Problem] = field(default_factory=list)
    compact: bool = False  # what lies after the last readable copy is known from the compact form

    def note(self, code: str, detail: str) -> None:
        """Adds a problem."""
        self.problems.append(Problem("transcripts", self.files.key, code, detail))


def read_session(
    repo: GitRepo, files: SessionFiles, transcript_readers: Sequence[TranscriptReader] | None = None
) -> LoadedSession:
    """Parses all copies of a session, longest first, one in memory at a time; what they lack is
    taken from compact ones.

    Compact copies replace copies of a format that no reader knows, or that its reader got nothing
    from. A session on which a reader fails is unreadable, with a problem that says so.
    """
    note_input(f"reading session {printable(files.key)}")
    try:
        with part_of_the_time():
            return _read_all(repo, files, transcript_readers or readers())
    except (*INPUT_ERRORS, *PART_ERRORS) as error:
        return failed_session(files, error)


def leave_out(loaded: LoadedSession) -> LoadedSession:
    """The session without what counts for others."""
    if loaded.session is None or loaded.files.copied is None:
        return loaded
    return replace(loaded, session=without_copied(loaded.session, loaded.files.copied))


def inputs_key(
    repo: GitRepo, files: SessionFiles, transcript_readers: Sequence[TranscriptReader]
) -> str:
    """Changes when what is read of a session may: with its copies, what checkpoints say of it,
    and the program.
    """
    beside = sorted({*files.compacts(), *files.tasks()})  # a fetch can bring them later
    return digest(
        FACTS,
        files.copies_key(),
        *(oid for oid in beside if repo.has(oid)),
        *map(repr, files.records),
        *(reader.NAME for reader in transcript_readers),
    )


def failed_session(files: SessionFiles, error: Exception) -> LoadedSession:
    """What is known of a session whose transcript the program cannot deal with."""
    code = STOPPED if isinstance(error, PART_ERRORS) else "reading_failed"
    problem = Problem("transcripts", files.key, code, error_text(error))
    return LoadedSession(files, None, "unreadable", [problem])


def _read_all(
    repo: GitRepo, files: SessionFiles, readers_: Sequence[TranscriptReader]
) -> LoadedSession:
    failed = []
    if files.local is not None:
        try:
            from_local = _read_local(repo, files, files.local, readers_)
        except (OSError, *INPUT_ERRORS) as error:
            failed.append(Problem("transcripts", files.key, "local_unreadable", error_text(error)))
        else:
            if from_local.session is not None and not _is_blank(from_local.session):
                return from_local
            failed.append(
                Problem(
                    "transcripts",
                    files.key,
                    "nothing_read",
                    f"as {files.local.agent}; {files.local.files[0]}",
                )
            )
    loaded = _read_stored(repo, files, readers_)
    loaded.problems = failed + loaded.problems
    if failed and loaded.state == "none":
        loaded.state = "unreadable"
    return loaded


def _read_local(
    repo: GitRepo,
    files: SessionFiles,
    local: LocalSession,
    transcript_readers: Sequence[TranscriptReader],
) -> LoadedSession:
    """A session from its transcript on this machine, which is whole, and what copies in
    checkpoints have besides.
    """
    reader = next(candidate for candidate in transcript_readers if local.agent == candidate.NAME)
    copies = (
        content
        for copy in files.copies()
        if reader.sniff(first_value(content := _content(repo, copy)))
    )
    known = versions(local, repo) + ([] if local.kept else [list(load(local))])
    known.sort(key=lambda parts: -sum(map(len, parts)))
    session = on_utc(repo, reader.read(files.key, chain(*known, copies)), files.emails)
    if is_undated(session):
        calls = frozenset(call.call_id for call in session.calls)
        session = bounded(
            session, [*_stored_copies(repo, files, reader), StoredCopy(local.at, calls)]
        )
    return LoadedSession(files, session, "present", list(session.problems))


def on_utc(repo: GitRepo, session: Session, emails: Collection[str]) -> Session:
    """A session whose times are those of its author's clock, in UTC: the commits that it made say
    in which zone that was.

    What it did after a commit was not done before it. Where the clone has none of its commits,
    those of the same days say it, if they agree, or those of whoever committed the transcript
    (`emails`); else nothing is known of its times.
    """
    if not session.local_clock:
        return session
    made = [repo.find_commit(call.commits[0]) if call.commits else None for call in session.calls]
    if any(call.at is not None for call in session.calls):
        return _moved(session, _ahead_of_utc(session, made))
    offset = next((repo.author_offset(commit.sha) for commit in made if commit is not None), None)
    begins = [call.not_before for call in session.calls]
    begins += [message.not_before for message in session.messages]
    began = next((moment for moment in begins if moment is not None), None)
    if offset is None and began is not None:
        offset = repo.author_offset_near(began, emails)
    calls = []
    last = None
    after = {}
    for call, commit in zip(session.calls, made, strict=True):
        calls.append(replace(call, not_before=_later(_in_utc(call.not_before, offset), last)))
        if commit:
            last = commit.author_time + _AFTER_COMMIT
        after[call.call_id] = last
    # No clock is further ahead of UTC: so much is known of what was said, which is compared but not
    # replayed.
    earliest = offset if offset is not None else _MOST_AHEAD
    messages = tuple(
        replace(m, not_before=_later(_in_utc(m.not_before, earliest), after.get(m.after)))
        for m in session.messages
    )
    return replace(session, calls=tuple(calls), messages=messages)


def _in_utc(moment: Moment, offset: float | None) -> Moment:
    if moment is not None and offset is not None:
        return moment - offset
    return None


def _later(*moments: Moment) -> Moment:
    return max((moment for moment in moments if moment is not None), default=None)


def _ahead_of_utc(session: Session, made: Sequence[Commit | None]) -> float | None:
    """By how many seconds the clock of a session's calls is ahead of that of the commits that
    they made: quarters of hours.
    """
    pairs = zip(session.calls, made, strict=True)
    ahead = (
        call.at - commit.author_time for call, commit in pairs if call.at is not None and commit
    )
    for seconds in ahead:
        return round(seconds / _ZONES) * _ZONES
    return None


def _moved(session: Session, ahead: float | None) -> Session:
    """The session with all times on another clock; without any but the earliest that its calls
    can have, where none is known.
    """

    def move(moment: Moment) -> Moment:
        if moment is not None and ahead is not None:
            return moment - ahead
        return None

    def earliest(call: ToolCall) -> Moment:
        if call.at is not None and ahead is None:
            return call.at - _MOST_AHEAD
        return call.not_before

    calls = (
        replace(c, at=move(c.at), done_at=move(c.done_at), not_before=earliest(c))
        for c in session.calls
    )
    moved: dict[str, Any] = {
        name: tuple(replace(item, at=move(item.at)) for item in getattr(session, name))
        for name in ("turns", "messages", "usage", "marks")
    }
    return replace(
        session,
        calls=tuple(calls),
        started_at=move(session.started_at),
        ended_at=move(session.ended_at),
        **moved,
    )


def _read_stored(
    repo: GitRepo, files: SessionFiles, readers_: Sequence[TranscriptReader]
) -> LoadedSession:
    loaded = _read_copies(repo, files, readers_)
    full = loaded.session if loaded.session is not None and not _is_blank(loaded.session) else None
    sized = sorted(
        ((size, (oid,)) for oid in files.compacts(full is None) if (size := repo.blob_size(oid))),
        reverse=True,
    )
    first = _content(repo, sized[0][1]) if sized else b""
    reader = reader_for(first, readers_) if first else None
    if reader is not None:
        compact = reader.read(files.key, _different(repo, first, sized))
        loaded.session = continued(full, compact) if full is not None else compact
        loaded.state = "partial"
        loaded.compact = True
        loaded.note("compact_transcript", f"{len(sized)} read from compact copies instead")
    return loaded


def _different(
    repo: GitRepo, first: bytes, sized: Sequence[tuple[int, Sequence[str]]]
) -> Iterable[bytes]:
    """The longest copy, and the others that are not its beginning."""
    yield first
    for size, copy in sized[1:]:
        # Most copies are the session so far, the beginning of the longest one: git's own id of it
        # tells without reading.
        if len(copy) == 1 and blob_id(memoryview(first)[:size], copy[0]) == copy[0]:
            continue
        content = _content(repo, copy)
        if not first.startswith(content):
            yield content


def _read_copies(
    repo: GitRepo, files: SessionFiles, transcript_readers: Sequence[TranscriptReader]
) -> LoadedSession:
    copies = files.copies()
    states = {r.transcript_state for r in files.records}
    if not copies:
        return LoadedSession(files, None, "missing_blob" if "missing_blob" in states else "none")
    sized = sorted(((sum(repo.blob_size(b) or 0 for b in c), c) for c in copies), reverse=True)
    loaded = LoadedSession(files, None, "partial" if "missing_blob" in states else "present")
    distinct = [
        entry
        for entry, total in zip(sized, accumulate(size for size, _ in sized), strict=True)
        if total <= SESSION_BYTES
    ]
    if len(distinct) < len(sized):
        loaded.note("transcripts_too_large", count_of(len(sized), "copy"))
    if not distinct:
        loaded.state = "unreadable"
        return loaded
    first = _content(repo, distinct[0][1])
    matching = readers_for(first, transcript_readers)
    if not matching:
        loaded.state = "unknown_format" if first.strip() else "unreadable"
        loaded.note(loaded.state, _shorten(first))
        return loaded
    reader = matching[0]
    if len(matching) > 1:
        names = ", ".join(candidate.NAME for candidate in matching)
        loaded.note("ambiguous_format", f"read as the first of {names}")
    blobs = chain(_different(repo, first, distinct), _subagents(repo, files, reader))
    session = on_utc(repo, reader.read(files.key, blobs), files.emails)
    loaded.session = (
        bounded(session, _stored_copies(repo, files, reader)) if is_undated(session) else session
    )
    loaded.problems.extend(loaded.session.problems)
    if _is_blank(session) and first.strip():
        loaded.note("nothing_read", f"as {reader.NAME}; {_shorten(first)}")
    return loaded


def _is_blank(session: Session) -> bool:
    """Whether nothing was said or done in it, nor is it the fork of another session that has
    added nothing yet.
    """
    return not (
        session.turns or session.calls or session.messages or session.usage or session.forked_from
    )


def _stored_copies(
    repo: GitRepo, files: SessionFiles, reader: TranscriptReader
) -> Iterable[StoredCopy]:
    """What each copy holds, and when it was last stored: only such copies tell when calls
    without a time were made.
    """
    times: dict[tuple[str, ...], float] = {}
    for record in files.records:
        if (
            record.transcript_state == "present"
            and record.created_at is not None
            and record.strategy != _IMPORT
        ):
            times[record.transcript] = max(
                record.created_at, times.get(record.transcript, record.created_at)
            )
    for copy, moment in times.items():
        session = reader.read(files.key, [_content(repo, copy)])
        # else a record of another form, which has no calls at all
        if session.calls or session.started_at is None:
            yield StoredCopy(moment, frozenset(call.call_id for call in session.calls))


def _subagents(repo: GitRepo, files: SessionFiles, reader: TranscriptReader) -> Iterable[bytes]:
    """Transcripts of this session's subagents that are stored as files of their own."""
    for oid in files.tasks():
        content = repo.content(oid)
        head = first_value(content)
        if reader.sniff(head) and get_str(head, "sessionId") == files.key:
            yield content


def _content(repo: GitRepo, copy: Sequence[str]) -> bytes:
    return b"\n".join(repo.content(oid) for oid in copy)


def _shorten(data: bytes) -> str:
    return "starts with " + printable(data[:80].decode("utf-8", "replace"))


# --- a whole repository ---------------------------------------------------------------------------


def facts_key(store: Store, repo: GitRepo, head: str) -> str:
    """Changes when the facts of a clone may have."""
    refs = [
        f"{name}={oid}"
        for name, oid in sorted(repo.refs().items())
        if is_checkpoint_ref(name) or is_source(name)
    ]
    censored = repo.censored()
    return digest(
        FACTS,
        store.policy.key(),
        head,
        *censored.shallow,
        *(repo.packs() if censored.partial else ()),
        *refs,
    )


def load_repo(store: Store, path: str, progress: Progress, named: bool = False) -> None:
    """Loads checkpoints, sessions and commits of a clone unless all of it is there.

    One without checkpoints only when it was `named`, or is in the database already.
    Raises NotARepository, UnknownBranch, NoCheckpoints, DatabaseUnusable.
    """
    clock = Clock()
    repo = GitRepo(path)
    branch, head = repo.default_branch()
    key = facts_key(store, repo, head)
    repo_id = find_repo(store, repo)
    if repo_id is not None and LOAD.is_done(store, repo_id, key):
        return
    progress("reading checkpoints", 0, 0)
    repo.check_trees(head)
    problems: list[Problem] = []
    checkpoints = read_all(repo, problems)
    if not checkpoints and not named and repo_id is None:
        raise NoCheckpoints(f"no agent checkpoints in {path}")
    context = RunContext(store, repo, claim_repo(store, repo), progress)
    run = LOAD.start(store, context.repo_id, key, clock=clock)
    ids = store_checkpoints(context, checkpoints, problems)
    files = session_files(checkpoints)
    events = {}  # of the sessions that were read
    for number, pending in enumerate(files):  # one in memory at a time
        progress("reading sessions", number, len(files))
        loaded = _load_session(context, ids[pending.key], pending)
        if loaded is not None and loaded.session is not None:
            events[pending.key] = event_keys(loaded.session)
    copied = copied_events(events)
    for pending in (
        replace(pending, copied=copied[pending.key]) for pending in files if pending.key in copied
    ):
        _load_session(context, ids[pending.key], pending)
    progress("reading commits", 0, 0)
    commits = list(repo.history(head))
    run.key = key_of_run(context, run.key)
    with run.writing():
        describe_repo(context, branch, head)
        write_commits(store, context.repo_id, commits, repo.mailmap(head))


def _load_session(
    context: RunContext, session_id: int, files: SessionFiles
) -> LoadedSession | None:
    """The session as it was read; None when it is stored."""
    run = session_run(context, files)
    if run.is_current:
        return None
    loaded = read_session(context.repo, files)
    store_session(
        run, session_id, *prepare_session(context.store.policy, session_id, leave_out(loaded))
    )
    return loaded


def key_of_run(context: RunContext, key: str) -> str:
    """The key that a run over all sessions is noted under: another one when some were stopped,
    so that the next run tries again.
    """
    stopped = context.store.value(
        "SELECT 1 FROM problems WHERE repo_id = ? AND code = ?", (context.repo_id, STOPPED)
    )
    if stopped:
        return digest(STOPPED, key)
    return key


def session_run(context: RunContext, files: SessionFiles) -> StageRun:
    """The stage that reads one session, with the copies that are there now."""
    key = files.input_key() + context.store.policy.key()
    return SESSION.start(context.store, context.repo_id, key, printable(files.key))


@dataclass(slots=True)
class SessionRows:
    """The rows of a session, as the policy of the database allows them."""

    values: Row  # columns of its row
    rows: dict[str, list[Sequence[Any]]] = field(default_factory=dict)  # of the tables `_COLUMNS`


def prepare_session(
    policy: Policy, session_id: int, loaded: LoadedSession
) -> tuple[LoadedSession, SessionRows]:
    """Makes the rows of a session without the database; a session whose rows cannot be made is
    unreadable.
    """
    try:
        return loaded, _session_rows(policy, session_id, loaded)
    except INPUT_ERRORS as error:
        failed = failed_session(loaded.files, error)
        return failed, _session_rows(policy, session_id, failed)


def store_session(
    run: StageRun, session_id: int, loaded: LoadedSession, rows: SessionRows
) -> LoadedSession:
    """Writes a session and marks it as written.

    Returns what was written; a session that cannot be written is unreadable.

    A stopped session is read again by the next run, which may have higher limits.
    """
    if any(problem.code == STOPPED for problem in loaded.problems):
        run.key = digest(STOPPED, run.key)
    try:
        _write(run, session_id, loaded, rows)
    except INPUT_ERRORS as error:
        loaded = failed_session(loaded.files, error)
        run.reported = 0
        _write(run, session_id, loaded, _session_rows(run.store.policy, session_id, loaded))
    return loaded


def _write(run: StageRun, session_id: int, loaded: LoadedSession, rows: SessionRows) -> None:
    with run.writing():
        run.report(loaded.problems)
        write_session(run.store, session_id, rows)


# --- rows -----------------------------------------------------------------------------------------


def store_checkpoints(
    context: RunContext, checkpoints: Sequence[Checkpoint], further: Iterable[Problem] = ()
) -> Numbers:
    """Checkpoints, the records that join them to sessions, and rows for the sessions; returns the
    number of each session.

    `further`: problems met while they were looked for.
    """
    store = context.store
    repo_id = context.repo_id
    with store.transaction() as connection:
        # The conclusions lose their links to the old rows: whatever happens next, they have to be
        # computed again.
        forget_runs(store, (StageName.LINES, StageName.LOAD), repo_id)
        clear_problems(store, repo_id, ("checkpoints",))
        keys = [printable(files.key) for files in session_files(checkpoints)]
        ids = [checkpoint.id for checkpoint in checkpoints]
        connection.execute(_REPLACED, (repo_id, json.dumps(ids)))
        for table, names in (("checkpoints", []), ("sessions", keys)):
            connection.execute(_NOTE_GONE[table], (utc_now(), repo_id, json.dumps(names)))
        _drop_sessions(store, repo_id, forgotten(_gone_keys(store, repo_id)))
        sessions = add_checkpoints(context, checkpoints)
        store.add_problems(repo_id, [*further, *(p for c in checkpoints for p in c.problems)])
    return sessions


def add_checkpoints(context: RunContext, checkpoints: Sequence[Checkpoint]) -> Numbers:
    """Checkpoints beside those that are stored, with what joins them to sessions; returns the
    numbers of all sessions, by key.

    Call within a transaction.
    """
    store = context.store
    repo_id = context.repo_id
    number = store.next_id("checkpoints")
    ids = {checkpoint.id: number + i for i, checkpoint in enumerate(checkpoints)}
    store.insert(
        "checkpoints",
        _CHECKPOINT,
        (_checkpoint_row(ids[c.id], repo_id, c) for c in checkpoints),
    )
    sessions = _session_numbers(store, repo_id, session_files(checkpoints))
    records = ((c, record) for c in checkpoints for record in c.sessions)
    rows = [
        _record_row(ids[c.id], sessions[record.session_id], record, context.repo)
        for c, record in records
    ]
    store.insert("checkpoint_sessions", _RECORD, rows)
    return sessions


_CHECKPOINT = (
    "id, repo_id, checkpoint_id, store, ref, strategy, branch, cli_version, created_at, "
    "author_email, signature, files_touched, vendor_combined"
)


def _checkpoint_row(number: int, repo_id: int, c: Checkpoint) -> RowValues:
    return (
        number,
        repo_id,
        c.id,
        c.store,
        printable(c.ref),
        printable(c.strategy),
        printable(c.branch),
        printable(c.cli_version),
        iso(c.created_at),
        printable(c.author_email),
        c.signature or None,
        len(c.files_touched),
        c.vendor or None,
    )


_REPLACED = (
    "DELETE FROM checkpoints WHERE repo_id = ? AND checkpoint_id IN (SELECT value FROM"
    " json_each(?))"
)
_NOTE_GONE = {
    table: f"UPDATE {table} SET gone_since = CASE WHEN {key} NOT IN (SELECT value FROM"
    " json_each(?3)) THEN COALESCE(gone_since, ?1) END WHERE repo_id = ?2"
    for table, key in (("checkpoints", "checkpoint_id"), ("sessions", "key"))
}


def _gone_keys(store: Store, repo_id: int) -> list[str]:
    """Keys of sessions of which no record is left."""
    sql = "SELECT key FROM sessions WHERE repo_id = ? AND gone_since IS NOT NULL"
    return store.column(sql, (repo_id,))


def _session_numbers(store: Store, repo_id: int, sessions: Iterable[SessionFiles]) -> Numbers:
    """Number of each session, those of the repository that are stored included, by key."""
    ids = store.pairs("SELECT key, id FROM sessions WHERE repo_id = ?", (repo_id,))
    requested = list(sessions)
    for files in requested:
        key = printable(files.key)
        if key not in ids:
            cursor = store.connection.execute(
                "INSERT INTO sessions (repo_id, key, label, transcript) VALUES (?, ?, ?,"
                " 'pending')",
                (repo_id, key, key),
            )
            ids[key] = int(cursor.lastrowid or 0)
    return ids | {files.key: ids[printable(files.key)] for files in requested}


def _drop_sessions(store: Store, repo_id: int, keys: Collection[str]) -> None:
    if keys:  # conclusions may point to them: they are computed again
        store.connection.execute(_DROP_GONE, (repo_id, json.dumps([*keys])))
        store.connection.execute("DELETE FROM commits WHERE repo_id = ?", (repo_id,))
    for rows in _OF_SESSION:
        store.connection.executemany(f"DELETE FROM {rows}", [(repo_id, key) for key in keys])
    forget_subjects(store, repo_id, keys)


_OF_SESSION = (
    "sessions WHERE repo_id = ? AND key = ?",
    "problems WHERE repo_id = ? AND subject = ?",
    "survival WHERE repo_id = ? AND name = ?",
    "checkpoints WHERE repo_id = ? AND checkpoint_id LIKE 'local/%/' || ?",
)
# the seventh value of what is kept of lines is the key of their session
_DROP_GONE = (
    "DELETE FROM gone_commits WHERE repo_id = ? AND EXISTS (SELECT 1 FROM json_each(files) f,"
    " json_each(f.value) l WHERE json_extract(l.value, '$[6]') IN (SELECT value FROM json_each(?)))"
)


def forget_sessions(store: Store, keys: Iterable[str]) -> bool:
    """Removes every row of sessions, and what caches have; False when traces stay: somebody else
    reads the file.
    """
    run = store.connection.execute
    chosen = {printable(key) for key in keys}
    rows = store.rows("SELECT r.id, r.name, s.key FROM sessions s JOIN repos r ON r.id = s.repo_id")
    repositories = {(r["id"], r["name"]) for r in rows if r["key"] in chosen}
    for number, _ in repositories:
        with store.transaction():
            _drop_sessions(store, number, chosen)
            forget_runs(store, (StageName.LINES, StageName.LOAD), number)
            run("DROP TABLE IF EXISTS turns_fts")
            run("DELETE FROM settings WHERE name = 'prompts_indexed'")
    with store.cache(create=False) as cache:
        of_sessions = session_cache.forget((name for _, name in repositories), chosen)
        return all([of_sessions, store.wipe(), cache.wipe()])


_RECORD = (
    "checkpoint_id, session_id, position, session_key_raw, transcript, transcript_blob, start, "
    "created_at, vendor_agent_lines, vendor_human_added, vendor_human_modified, "
    "vendor_human_removed, vendor_total_committed, vendor_percentage, vendor_metric_version, "
    "vendor, vendor_prompts, metadata"
)
_VENDOR = (
    "agent_lines",
    "human_added",
    "human_modified",
    "human_removed",
    "total_committed",
    "agent_percentage",
    "metric_version",
)


def _record_row(checkpoint: int, session: int, r: SessionRecord, repo: GitRepo) -> RowValues:
    claim = parse_json(r.vendor)
    return (
        checkpoint,
        session,
        r.index,
        printable(r.session_id_raw),
        r.transcript_state,
        _telling_blob(r, repo),
        r.start,
        iso(r.created_at),
        *(_number(get(claim, k)) for k in _VENDOR),
        r.vendor or None,
        r.vendor_prompts or None,
        r.metadata or None,
    )


def _telling_blob(r: SessionRecord, repo: GitRepo) -> str | None:
    """The first chunk of the transcript, or its first absent chunk if it is incomplete."""
    if r.transcript_state == "missing_blob":
        for oid in r.transcript:
            if not repo.has(oid):
                return oid
        return None
    if r.transcript:
        return r.transcript[0]
    return None


def _number(value: object) -> int | float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53:
        return value
    return None


def write_session(store: Store, session_id: int, rows: SessionRows) -> None:
    """The session's row, turns and calls. Call within a transaction."""
    connection = store.connection
    assignments = ", ".join(f"{name} = ?" for name in rows.values)
    connection.execute(
        f"UPDATE sessions SET {assignments} WHERE id = ?", (*rows.values.values(), session_id)
    )
    for table, columns in _COLUMNS.items():
        connection.execute(f"DELETE FROM {table} WHERE session_id = ?", (session_id,))
        store.insert_kept(table, columns, rows.rows.get(table, []))


_COLUMNS = {
    "turns": "session_id, turn_index, at, origin, driver, prompt",
    "messages": "session_id, turn_index, at, agent_id, text, length",
    "tool_calls": (
        "session_id, turn_index, call_id, name, at, done_at, status, error, agent_id, model, "
        "command, commits, input, result_size, output"
    ),
}


def _session_rows(policy: Policy, session_id: int, loaded: LoadedSession) -> SessionRows:
    values = _session_values(loaded)
    values["label"] = policy.text(values["label"], PROMPTS) or printable(loaded.files.key)[:12]
    for name in ("branch", "cwd"):
        values[name] = policy.text(values.get(name))
    session = loaded.session
    if session is None:
        return SessionRows(values)
    rows = {
        "turns": (
            (session_id, t.index, iso(t.at), t.origin, t.driver, printable(t.text)[:_MAX_PROMPT])
            for t in session.turns
        ),
        "messages": (
            (
                session_id,
                m.turn,
                iso(m.at),
                m.agent_id or None,
                printable(m.text[:_MAX_MESSAGE]),
                len(m.text),
            )
            for m in session.messages
            if m.kind == "text" and m.text.strip()
        ),
        "tool_calls": _call_rows(session_id, session, loaded.files.local is None),
    }
    return SessionRows(
        values,
        policy.session_rows(
            {
                table: (split_names(_COLUMNS[table]), list(several))
                for table, several in rows.items()
            }
        ),
    )


def _call_rows(session_id: int, session: Session, with_output: bool) -> Iterable[RowValues]:
    """`with_output`: also what commands printed."""
    for c in session.calls:
        command = printable(c.command.text)[:20_000] if c.command is not None else None
        error = printable(c.error) if with_output or command is None else ""
        output = printable(c.command.output[:_MAX_OUTPUT]) if with_output and c.command else ""
        yield (
            session_id,
            c.turn,
            printable(c.call_id),
            printable(c.name),
            iso(c.at),
            iso(c.done_at),
            c.status.value,
            error or None,
            c.agent_id or None,
            c.model or None,
            command,
            " ".join(c.commits) or None,
            printable(c.input) if command is None else None,
            c.result_size,
            output or None,
        )


def _first(texts: Iterable[str]) -> str:
    for text in filter(None, texts):
        return printable(text)
    return ""


def _session_values(loaded: LoadedSession) -> Row:
    records = loaded.files.records
    session = loaded.session
    values = {
        "transcript": loaded.state,
        "agent_label": _first(slug_of(r.agent_label) for r in records) or None,
        "kind": _first(r.kind for r in records),
        "checkpoints": len(
            {r.checkpoint_id for r in records if r.transcript_state != StoredTranscript.LOCAL}
        ),
        "label": printable(loaded.files.key)[:12],
    }
    if session is None:
        values |= {
            "agent": None,
            "started_at": iso(min((r.created_at for r in records if r.created_at), default=None)),
        }
        return values
    left: Row = dict.fromkeys(("forked_from", "left_at", "copied_turns", "copied_calls"))
    if fork := session.fork:
        left = dict(zip(left, (fork.session, iso(fork.at), fork.turns, fork.calls), strict=True))
    responding = [usage.model for usage in session.usage] or [call.model for call in session.calls]
    models = Counter(model for model in responding if model and model != "<synthetic>")
    used = [model for model, _ in models.most_common(1)] or [r.model for r in records if r.model]
    prompts = [
        printable(t.text) for t in session.turns if t.origin in FROM_USER or session.parent_id
    ]
    commands = [printable(t.text) for t in session.turns if t.origin == "command"]
    marks = Counter(m.kind for m in session.marks)
    spawns = [c.spawn for c in session.calls if c.spawn is not None]
    tokens = {
        f"{name}_tokens": (
            sum(getattr(usage, name) for usage in session.usage) if session.counts_tokens else None
        )
        for name in ("input", "output", "cache_read", "cache_write")
    }
    return (
        values
        | tokens
        | left
        | {
            "agent": session.agent,
            "model": next(iter(used), None),
            "models": len(models),
            "started_at": iso(session.started_at),
            "ended_at": iso(session.ended_at),
            "cwd": _first(session.cwds) or None,
            "branch": _first(session.branches) or None,
            "agent_version": next(iter(session.versions), None),
            "parent_key": session.parent_id or None,
            "driver": session.driver,
            "turns": len(session.user_turns),
            "tool_calls": len(session.calls),
            "interruptions": marks["interrupt"] + marks["interrupt_tool"],
            "compactions": marks["compaction"],
            "subagents": len(spawns),
            "unseen_subagents": sum(not spawn.visible for spawn in spawns),
            "label": session_label(prompts, commands) or printable(loaded.files.key)[:12],
        }
    )


_COMMIT = (
    "id, repo_id, commit_sha, label, position, parents, author_name, author_email, author_at, "
    "committed_at, subject, declared_agent, automation, checkpoint_ids"
)
_STATEMENT = "commit_id, stands_in, sort, agent, model, session"


def write_commits(
    store: Store,
    repo_id: int,
    commits: Sequence[Commit],
    called: Callable[[str, str], tuple[str, str]],
    beside: bool = False,
) -> Numbers:
    """Commits and the checkpoint ids they name; returns their numbers.

    `beside`: those that are stored stay, and these come after them, as git shows them.

    Call within a transaction, checkpoints first.

    `called`: name and address of an author -> those that the mailmap gives them.
    """
    connection = store.connection
    if not beside:
        connection.execute("DELETE FROM commits WHERE repo_id = ?", (repo_id,))
    first = store.next_id("commits")
    position = store.value("SELECT COUNT(*) FROM commits WHERE repo_id = ?", (repo_id,))
    numbers = {c.sha: first + i for i, c in enumerate(commits)}
    named = {c.sha: checkpoint_ids(c.message) for c in commits}
    people = (called(printable(c.author_name), printable(c.author_email)) for c in commits)
    rows = zip(commits, people, strict=True)
    insert = store.insert_kept if beside else store.insert
    insert(
        "commits",
        _COMMIT,
        (
            _commit_row(numbers[c.sha], repo_id, i, c, person)
            for i, (c, person) in enumerate(rows, position)
        ),
    )
    insert(
        "commit_statements",
        _STATEMENT,
        (row for c in commits for row in _statement_rows(numbers[c.sha], c)),
    )
    methods = store.pairs("SELECT checkpoint_id, id FROM checkpoints WHERE repo_id = ?", (repo_id,))
    links = (
        (numbers[sha], key, methods.get(key), "trailer", 1.0)
        for sha, keys in named.items()
        for key in keys
    )
    store.insert(
        "commit_checkpoint_links",
        "commit_id, checkpoint_key, checkpoint, method, confidence",
        links,
    )
    times = [c.author_time for c in commits]
    if beside:
        return numbers
    connection.execute(
        "UPDATE repos SET first_commit_at = ?, last_commit_at = ? WHERE id = ?",
        (iso(min(times, default=None)), iso(max(times, default=None)), repo_id),
    )
    return numbers


def remove_commits(store: Store, repo_id: int, shas: Iterable[str]) -> None:
    """Commits with all that is known of them."""
    store.connection.executemany(
        "DELETE FROM commits WHERE repo_id = ? AND commit_sha = ?", ((repo_id, sha) for sha in shas)
    )


def _commit_row(
    number: int, repo_id: int, position: int, c: Commit, person: tuple[str, str]
) -> RowValues:
    declared = declared_agent(c)
    name, email = person
    subject = printable(c.subject)[:500]
    return (
        number,
        repo_id,
        c.sha,
        f"{c.sha[:9]} {subject[:80]}",
        position,
        len(c.parents),
        name[:200],
        email[:200],
        iso(c.author_time) or "",
        iso(c.commit_time) or "",
        subject,
        declared.agent if declared is not None else None,
        automation(c),
        len(checkpoint_ids(c.message)),
    )


def _statement_rows(number: int, c: Commit) -> Iterator[RowValues]:
    for place, agent, model, sort, session in dict.fromkeys(statements(c)):
        yield (
            number,
            place,
            sort,
            printable(agent)[:100],
            model_identity(printable(model)) or None,
            printable(session) or None,
        )
