"""`attribute repo`: from one clone to a filled database. The verbs in order.

checkpoints -> sessions -> commits -> worktrees -> lines -> totals. Facts are written session by session; everything concluded from
them in one transaction at the end, together with the row that says from which inputs.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from attribution.authorship.align import text_of
from attribution.authorship.commits import CommitHistory, added_files, read_history
from attribution.authorship.conclude import CommitVerdict, MissingTranscript, conclude
from attribution.authorship.content import content_probes
from attribution.authorship.lines import AddedFile
from attribution.authorship.links import CommitLinks, add_calls, by_trailer, commit_probes
from attribution.authorship.recover import recover
from attribution.authorship.replay import Worktree
from attribution.authorship.timeline import (
    EditFate,
    SessionEdits,
    Timeline,
    add_missing_end,
    add_snapshots,
    edited_paths,
    learn_roots,
    session_edits,
    timelines,
)
from attribution.authorship.worktree_roots import WorktreeRoots
from attribution.authorship.worktrees import ProbeResult, Runner, WorktreeRun
from attribution.features import of_session
from attribution.features import version as features_version
from attribution.queries.features import features_ready
from attribution.stages import feature_rows as rows
from attribution.stages import line_rows as write
from attribution.stages import outcomes as aftermath
from attribution.stages import scores as scoring
from collector.checkpoints import read_all, shadow
from collector.checkpoints.pull_requests import is_source
from collector.errors import NoCheckpoints, WhoWroteError
from collector.git.repository import MAX_TEXT, GitRepo, blob_id
from collector.load import (
    FACTS,
    LoadedSession,
    SessionFiles,
    describe_repo,
    digest,
    facts_key,
    read_session,
    repo_name,
    repo_row,
    session_files,
    session_is_stored,
    store_session,
    write_checkpoints,
    write_commits,
)
from collector.model import Checkpoint, Commit, Problem
from collector.storage.store import Store
from collector.text import is_binary
from collector.transcripts import readers

VERSION = "3"
_GIT_VERSIONS = 12  # committed texts tried for an edit whose base was not recorded

Progress = Callable[[str, int, int], None]
"""(what is being done, how far, of how many)."""


def no_progress(what: str, done: int, total: int) -> None:
    """Says nothing."""


@dataclass(slots=True)
class AttributeOptions:
    branch: str = ""
    since: float | None = None  # only commits authored at or after this
    anyway: bool = False  # also without any checkpoint


@dataclass(slots=True)
class Attributed:
    """What a run did; the numbers themselves are in the database."""

    repo_id: int
    name: str
    unchanged: bool
    seconds: float
    censored: list[str] = field(default_factory=list)


def attribute_repo(
    store: Store, path: str | Path | GitRepo, options: AttributeOptions, progress: Progress = no_progress
) -> Attributed:
    """Attributes one clone, opened or not. Raises NotARepository, UnknownBranch, NoCheckpoints, DatabaseUnusable."""
    started = time.monotonic()
    repo = path if isinstance(path, GitRepo) else GitRepo(path)
    branch, head = repo.resolve(options.branch) if options.branch else repo.default_branch()
    name = repo_name(repo)
    key = _input_key(store, repo, head, options)
    known = store.value("SELECT id FROM repos WHERE name = ?", (name,))
    rows.prepare(store)
    if known is not None and store.is_done(known, "lines", "", key, VERSION) and not _arrived(store, repo, known):
        return Attributed(known, name, True, time.monotonic() - started, _censored(repo))
    progress("reading checkpoints", 0, 0)
    checkpoints = read_all(repo)
    if not checkpoints and not options.anyway:
        raise _nothing_found(repo.path)
    repo_id = repo_row(store, name)
    work = _Work(store, repo, repo_id, (branch, head), options, progress, checkpoints)
    work.run(key, started)
    return Attributed(repo_id, name, False, time.monotonic() - started, _censored(repo))


def is_current(store: Store, path: str | Path, options: AttributeOptions) -> bool:
    """Whether a run on this clone would do nothing. Raises NotARepository, UnknownBranch."""
    repo = GitRepo(path)
    head = (repo.resolve(options.branch) if options.branch else repo.default_branch())[1]
    known = store.value("SELECT id FROM repos WHERE name = ?", (repo_name(repo),))
    key = _input_key(store, repo, head, options)
    return (
        known is not None
        and features_ready(store)
        and store.is_done(known, "lines", "", key, VERSION)
        and not _arrived(store, repo, known)
    )


def _nothing_found(path: Path) -> NoCheckpoints:
    return NoCheckpoints(
        f"no agent checkpoints in {path}",
        "A plain clone brings the branch entire/checkpoints/v1 but not the newer refs; get them with:\n"
        f"  git -C {path} fetch origin '+refs/entire/*:refs/entire/*'\n"
        "With --anyway the history is read all the same, by what its commits declare.",
    )


def _input_key(store: Store, repo: GitRepo, head: str, options: AttributeOptions) -> str:
    refs = [f"{name}={target}" for name, target in sorted(repo.refs().items()) if "entire/" in name or is_source(name)]
    censored = repo.censored()
    # A partial clone fetches what is looked at, in packs of their own: the files that were missing may be there now.
    packs = repo.packs() if censored.partial else []
    return digest(
        VERSION,
        FACTS + store.policy.key(),
        features_version(),
        head,
        str(options.since),
        *censored.shallow,
        *packs,
        *refs,
        *(r.NAME for r in readers()),
    )


def _arrived(store: Store, repo: GitRepo, repo_id: int) -> bool:
    """Whether a transcript or a file that was missing is there now: a fetch can bring it without moving a ref."""
    missing = store.rows(
        "SELECT DISTINCT cs.transcript_blob AS blob FROM checkpoint_sessions cs JOIN checkpoints c ON c.id = cs.checkpoint_id "
        "WHERE c.repo_id = ? AND cs.transcript = 'missing_blob'",
        (repo_id,),
    )
    files = store.rows(
        "SELECT c.commit_sha, f.path FROM commit_files f JOIN commits c ON c.id = f.commit_id "
        "WHERE c.repo_id = ? AND f.kind = 'missing' LIMIT 200",
        (repo_id,),
    )
    blobs = [row["blob"] for row in missing] + [repo.file_at(row["commit_sha"], row["path"]) for row in files]
    return any(blob and repo.has(blob) for blob in blobs)


def _censored(repo: GitRepo) -> list[str]:
    found = repo.censored()
    notes = []
    if found.shallow:
        notes.append(f"shallow clone: history before {len(found.shallow)} boundary commits is missing and not judged")
    if found.partial:
        notes.append("partial clone: files and transcripts that were not fetched are counted as missing")
    return notes


class _Work:
    """One run over one repository."""

    def __init__(
        self,
        store: Store,
        repo: GitRepo,
        repo_id: int,
        tip: tuple[str, str],
        options: AttributeOptions,
        progress: Progress,
        checkpoints: list[Checkpoint],
    ) -> None:
        self.store, self.repo, self.repo_id = store, repo, repo_id
        self.branch, self.head = tip
        self.options, self.progress, self.checkpoints = options, progress, checkpoints
        self.problems: list[Problem] = []
        self.loaded: dict[str, tuple[str, float]] = {}  # session key -> (state, end of what was read)
        self.ids: dict[str, int] = {}

    def run(self, key: str, started: float) -> None:
        with self.store.transaction():
            write_checkpoints(self.store, self.repo_id, self.checkpoints, self.repo)
        self.ids = {r["key"]: r["id"] for r in self.store.rows("SELECT key, id FROM sessions WHERE repo_id = ?", (self.repo_id,))}
        tracks = list(self._sessions())
        self.progress("reading commits", 0, 0)
        history = read_history(self.repo, list(self.repo.history(self.head)))
        links = by_trailer(history.commits, self.checkpoints)
        add_calls(links, tracks, self.checkpoints)
        recover(self.repo, self.head, history, links, self.checkpoints)
        places = WorktreeRoots(frozenset(history.paths))
        learn_roots(places, tracks)
        lines, edits = timelines(tracks, places)
        add_snapshots(lines, self._snapshots(), partial(_text_at, self.repo))
        seen, runs = self._worktrees(history, links, tracks, places, lines)
        verdicts = self._verdicts(history, links, seen, edited_paths(lines))
        self.progress("writing", 0, 0)
        self._write(key, started, history, links, verdicts, runs, lines, edits, tracks)

    # --- facts ----------------------------------------------------------------------------------------------------

    def _sessions(self) -> Iterator[SessionEdits]:
        files = session_files(self.checkpoints)
        known = readers()
        for number, one in enumerate(files):
            self.progress("reading sessions", number, len(files))
            began = time.monotonic()
            loaded = read_session(self.repo, one, known)
            session_id = self.ids[write.shown(one.key)]
            self._store(one, session_id, loaded, began)
            self._store_features(one, session_id, loaded)
            end = loaded.session.ended_at if loaded.session is not None else None
            self.loaded[one.key] = (loaded.state, end or 0.0)
            if loaded.session is not None:
                track = session_edits(loaded.session, session_id, one.emails)
                add_missing_end(track, max(loaded.unread(), default=0.0))
                yield track

    def _store(self, files: SessionFiles, session_id: int, loaded: LoadedSession, began: float) -> None:
        if not session_is_stored(self.store, self.repo_id, files):
            store_session(self.store, self.repo_id, session_id, loaded, began)

    def _snapshots(self) -> Iterator[tuple[float, int, str]]:
        """(when, session, commit) of the worktrees that shadow branches hold."""
        for c in self.checkpoints:
            if c.store == shadow.STORE and c.created_at is not None:
                yield c.created_at, self.ids[write.shown(c.sessions[0].session_id)], c.id

    def _store_features(self, files: SessionFiles, session_id: int, loaded: LoadedSession) -> None:
        """What the transcript alone tells of the session, while it is in memory."""
        (key, version), subject = rows.stage_key(files.input_key()), write.shown(files.key)
        if loaded.session is None or self.store.is_done(self.repo_id, "features", subject, key, version):
            return
        began = time.monotonic()
        values = of_session(loaded.session)
        with self.store.transaction():
            rows.write(self.store, session_id, values)
            self.store.done(self.repo_id, "features", subject, key, version, time.monotonic() - began, 0)

    # --- worktrees ------------------------------------------------------------------------------------------------

    def _worktrees(
        self,
        history: CommitHistory,
        links: Mapping[str, CommitLinks],
        tracks: Sequence[SessionEdits],
        places: WorktreeRoots,
        lines: Mapping[str, Timeline],
    ) -> tuple[dict[str, list[ProbeResult]], list[WorktreeRun]]:
        commits = {c.sha: c for c in history.commits}
        roots = _roots_of(tracks, places, lines)
        touched = {sha: {f.change.path for f in d.files or ()} for sha, d in history.diffs.items()}
        texts = RepositoryTexts(self.repo, history)
        moments = commit_probes(links, commits, roots, lines, touched)
        wanted = self._wanted(links)
        for root, more in content_probes(links, commits, lines, touched, texts.added, history.rarity, wanted).items():
            known = {(look.at, look.sha) for look in moments[root]}
            moments[root].extend(look for look in more if (look.at, look.sha) not in known)
        seen: dict[str, list[ProbeResult]] = defaultdict(list)
        runs = []
        for number, (root, line) in enumerate(sorted(lines.items())):
            self.progress("replaying worktrees", number, len(lines))
            runner = Runner(
                line,
                Worktree(texts.versions, texts.is_committed),
                texts.added,
                history.rarity,
                history.is_ancestor,
            )
            run = runner.run(moments.get(root, ()))
            runs.append(run)
            for one in run.seen:
                seen[one.look.sha].append(one)
        return seen, runs

    def _wanted(self, links: Mapping[str, CommitLinks]) -> set[int]:
        """Numbers of the sessions with a checkpoint that no commit names."""
        named = {key for link in links.values() for key in link.named}
        records = (record for c in self.checkpoints if c.id not in named for record in c.sessions)
        return {self.ids[write.shown(record.session_id)] for record in records}

    def _verdicts(
        self,
        history: CommitHistory,
        links: Mapping[str, CommitLinks],
        seen: Mapping[str, Sequence[ProbeResult]],
        edited: Mapping[int, set[str]],
    ) -> dict[str, CommitVerdict]:
        verdicts = {}
        by_key = {key: edited.get(self.ids[write.shown(key)], set()) for key in self.loaded}
        for commit in history.commits:
            link = links[commit.sha]
            readable = any(self.loaded.get(s, ("none", 0.0))[0] in ("present", "partial") for s in link.sessions)
            diff = history.diffs[commit.sha]
            verdicts[commit.sha] = conclude(diff, link, seen.get(commit.sha, ()), self._missing(link), readable, by_key)
        return verdicts

    def _missing(self, link: CommitLinks) -> list[MissingTranscript]:
        """Sessions named by the commit whose transcript does not reach up to it."""
        missing = []
        for record in link.records:
            state, end = self.loaded.get(record.session_id, ("none", 0.0))
            cut = record.transcript_state == "missing_blob" and end < link.commit.author_time - 60
            if cut or state not in ("present", "partial"):
                # A record without a transcript is often an idle session that did nothing; its file list then tells.
                files = record.files_touched if record.transcript_state == "none" else ()
                missing.append(MissingTranscript(frozenset(files)))
        return missing

    # --- rows -----------------------------------------------------------------------------------------------------

    def _write(
        self,
        key: str,
        started: float,
        history: CommitHistory,
        links: Mapping[str, CommitLinks],
        verdicts: Mapping[str, CommitVerdict],
        runs: Sequence[WorktreeRun],
        lines: Mapping[str, Timeline],
        edits: Sequence[EditFate],
        tracks: Sequence[SessionEdits],
    ) -> None:
        kept = [c for c in history.commits if self.options.since is None or c.author_time >= self.options.since]
        with self.store.transaction():
            describe_repo(self.store, self.repo_id, self.repo, self.branch, self.head)
            numbers = write_commits(self.store, self.repo_id, kept)
            write.clear(self.store, self.repo_id)
            write.links(self.store, self.repo_id, numbers, links)
            write.lines(self.store, numbers, history, verdicts)
            write.edits(self.store, edits, lines, runs)
            write.sessions(self.store, numbers, self.ids, links, verdicts, runs)
            write.totals(self.store, self.repo_id, self.ids, runs)
            write.vendor(self.store, self.repo_id)
            aftermath.fill_outcomes(self.store, self.repo_id, tracks, runs, lines, edits)
            scoring.fill_scores(self.store, self.repo_id)
            problems = [
                *self.problems,
                *write.problems(history, runs, lines, self.ids),
                *aftermath.problems(self.store, self.repo_id),
            ]
            self.store.add_problems(self.repo_id, problems)
            if self.options.since is None and not self.options.branch:  # all that `collect load` would have read
                facts = facts_key(self.store, self.repo, self.head)
                self.store.done(self.repo_id, "load", "", facts, FACTS, time.monotonic() - started, 0)
            self.store.done(self.repo_id, "lines", "", key, VERSION, time.monotonic() - started, len(problems))


def _roots_of(tracks: Iterable[SessionEdits], places: WorktreeRoots, lines: Mapping[str, Timeline]) -> dict[str, set[str]]:
    """Session -> worktrees it worked in, or at least stood in."""
    found: dict[str, set[str]] = {}
    for track in tracks:
        roots = {root for root, line in lines.items() if track.session_id in line.sessions}
        if not roots:
            home = places.root_of(track.cwd)
            roots = {home} if home is not None and home in lines else set()
        found[track.key] = roots
    return found


class RepositoryTexts:
    """Texts of the repository for the replay, with a small cache: the same commit is looked at from several worktrees."""

    def __init__(self, repo: GitRepo, history: CommitHistory) -> None:
        self._repo, self._history = repo, history
        self._added: dict[str, list[AddedFile]] = {}

    def added(self, sha: str) -> list[AddedFile]:
        if sha not in self._added:
            if len(self._added) >= 3:
                self._added.clear()
            self._added[sha] = added_files(self._repo, self._history.diffs[sha])
        return self._added[sha]

    def versions(self, path: str, at: float, since: float, later: bool) -> Iterator[str]:
        """Committed texts of a path: the ones before `at` from the latest on, then (if asked) the ones after it."""
        known = [v for v in self._history.versions.get(path, []) if v[0] >= since]
        before = [v for v in known if v[0] <= at]
        after = [v for v in known if v[0] > at]
        for _, oid in [*before[::-1][: _GIT_VERSIONS - 4], *(after[:4] if later else ())]:
            data = self._repo.blob(oid)
            if data is not None:
                yield text_of(data)

    def is_committed(self, path: str, text: str) -> bool:
        """Whether some object of the repository holds exactly this text."""
        data = text.encode("utf-8", "replace")
        return any(self._repo.has(blob_id(d)) for d in (data, data[:-1] if data.endswith(b"\n") else data))


def _text_at(repo: GitRepo, commit: str, path: str) -> str | None:
    oid = repo.file_at(commit, path)
    size = repo.blob_size(oid) if oid else None
    if oid is None or size is None or size > MAX_TEXT:
        return None
    data = repo.blob(oid) or b""
    return None if is_binary(data) else text_of(data)


__all__ = ["AttributeOptions", "Attributed", "Commit", "attribute_repo", "no_progress", "repo_name"]


def refuse_namesake(store: Store, repo: GitRepo) -> None:
    """Two clones without a remote may have the same name; the rows of one must not replace those of the other."""
    name = repo_name(repo)
    for row in store.rows("SELECT path, head_sha FROM repos WHERE name = ?", (name,)):
        if row["path"] != str(repo.path) and row["head_sha"] and not repo.has(row["head_sha"]):
            raise WhoWroteError(f"{store.path} holds another repository named {name}: {row['path']}", "Use another file: --db FILE")
