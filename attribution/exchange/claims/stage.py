"""Reads what other producers claim, checks each record against its commit, and stores both. Independent of attribution.

A record's lines never change, nor does its commit: only what is new is read, in batches of whole records, and when a branch moves
only the reach of the others is looked up again. A record whose commit arrives later, or reaches the branch as another one, is read
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from attribution.ensure.writing import claim_repository
from attribution.exchange.claims.carried import NewPlace, carry, new_places
from attribution.exchange.claims.commits import CommittedFiles
from attribution.exchange.claims.rows import CheckedRecord, ClaimRows
from attribution.exchange.claims.verify import check, status_of, worst
from attribution.exchange.producers import sources, trailers
from attribution.exchange.producers.model import Claim, ClaimRecord, ClaimSource
from attribution.exchange.producers.roots import relative, root_of
from attribution.exchange.words import CARRIED, Anchor, ClaimStatus, Reach, RecordState
from attribution.queries.repositories import repository
from collector.checkpoints.entire import OWN_NAMESPACE
from collector.git.program import GitFailed, open_scratch
from collector.git.repository import MAX_TEXT, GitRepo
from collector.model import Problem
from collector.repository_rows import describe_repo
from collector.runtime.progress import Progress, no_progress
from collector.runtime.stages import RunContext, Stage, StageName, StageRun, clear_problems, digest, last_run
from collector.storage.store import Store
from collector.text import printable

VERSION = "4"
STAGE = Stage(StageName.CLAIMS, VERSION)  # reports on what is read now: problems of the other records stay
_BATCH = 200  # sources written in one transaction
_COMMIT_BATCH = 2000
_IN_MEMORY = 64  # commits
_AHEAD = 300  # commits after a record that are searched for the one that holds its lines
_SLACK = 60.0  # seconds between the clocks of a record and its commit
_AGAIN = "again"  # in place of the ref of a record that is to be read again
_COMMITS = "commits"  # subject of the run that read the messages of a branch up to a commit, its key

SourceName = tuple[str, str, str]
"""(ref, place, blob)"""


def check_clone(store: Store, path: str, branch: str = "", progress: Progress = no_progress) -> int:
    """Reads and checks the claims of the clone at `path`, which need not be attributed; returns the number of its repository.

    Raises what opening it raises, DatabaseUnusable.
    """
    repo = GitRepo(path)
    with claim_repository(store, repo, "", progress) as repo_id:
        stored = repository(store, repo_id)
        name = branch or (stored.branch if stored is not None else None)
        short, head = repo.resolve(name) if name else repo.default_branch()
        context = RunContext(store, repo, repo_id, progress)
        if last_run(store, repo_id, StageName.LINES) is None:
            with store.transaction():
                describe_repo(context, short, head)
        check_claims(context, head)
    return repo_id


def check_claims(context: RunContext, head: str) -> None:
    """Brings the claims of a repository up to date with its refs. Raises DatabaseUnusable."""
    refs = context.repo.refs()
    censored = context.repo.censored()
    packs = context.repo.packs() if censored.partial else []
    key = digest(VERSION, head, *censored.shallow, *packs, *(f"{n}={t}" for n, t in sorted(refs.items())))
    run = STAGE.start(context.store, context.repo_id, key)
    if not run.is_current:
        _ClaimsReader(context, head, refs).update(run)
        run.finish()  # the records are stored already, in portions


class _ClaimsReader:
    """Reads what is new of one repository and stores it."""

    def __init__(self, context: RunContext, head: str, refs: Mapping[str, str]) -> None:
        self.store, self.repo, self.repo_id, self.progress = context.store, context.repo, context.repo_id, context.progress
        self._head, self._refs = head, refs
        self._branch = set(self._reachable([head]))
        beside = [oid for name, oid in refs.items() if not name.startswith((*sources.namespaces(), OWN_NAMESPACE))]
        tips = {sha for oid in dict.fromkeys(beside) if (sha := self.repo.peel_commit(oid)) is not None} - self._branch
        self._others = set(self._reachable(sorted(tips))) if tips else set()
        self._files = lru_cache(_IN_MEMORY)(self._open_commit)
        self._history: list[tuple[str, float]] = []  # (commit, author time) of the branch, oldest first
        self._positions: dict[str, int] = {}  # commit -> place in it
        self._new_places: dict[str, NewPlace] = {}
        before = last_run(self.store, self.repo_id, STAGE.name)
        self._all_again = before is not None and before.version != VERSION

    def update(self, run: StageRun) -> None:
        self.progress("reading claims", 0, 0)
        problems: list[Problem] = []
        listed = sources.sources(self.repo, self._refs, self._head, problems)
        self._new_places = new_places(self.repo, self._head, {source.commit for source in listed if source.kind == "note"})
        stored = self._stored_records()
        names = {_name(source): source for source in listed}
        commits = self._unread_commits()
        with self.store.transaction():
            self._remove([number for name, numbers in stored.items() if name not in names for number in numbers], commits)
            rows = ClaimRows(self.store, self.repo_id)
            run.report(problems)
        self._read([source for name, source in names.items() if name not in stored], rows, run)
        self._read_commits(commits, rows, run)
        with self.store.transaction():
            self._update_reach()

    # --- what is there --------------------------------------------------------------------------------------------

    def _reachable(self, tips: list[str]) -> Iterable[str]:
        """Commits reachable from the tips."""
        try:
            with open_scratch(self.repo) as git:
                return git.output(["rev-list", "--stdin"], "".join(f"{tip}\n" for tip in tips).encode()).decode("ascii").split()
        except GitFailed:  # a parent is absent
            return [commit.sha for commit in self.repo.history_of(tips)]

    def _stored_records(self) -> dict[SourceName, list[int]]:
        """Source -> its records; those to be read again are named so that they match nothing."""
        records: dict[SourceName, list[int]] = {}
        for row in self.store.rows(
            "SELECT r.id, r.source, r.place, r.blob, r.commit_sha, r.state, x.reach, x.anchor, x.commit_sha AS held "
            "FROM claim_records r LEFT JOIN claim_record_checks x ON x.record_id = r.id WHERE r.repo_id = ? AND r.blob <> ''",
            (self.repo_id,),
        ):
            again = row["reach"] == Reach.MISSING and row["commit_sha"] and self.repo.has(row["commit_sha"])
            again = again or (row["state"] == RecordState.MISSING_BLOB and self.repo.has(row["blob"])) or row["source"] == ""
            again = again or self._all_again or self._is_elsewhere(row["commit_sha"], row["anchor"], row["held"])
            records.setdefault((_AGAIN if again else row["source"], row["place"], row["blob"]), []).append(row["id"])
        return records

    def _is_elsewhere(self, sha: str | None, anchor: str | None, held: str | None) -> bool:
        """Whether the branch holds the lines of a record's commit in another commit than before, or no longer."""
        moved = self._new_places.get(sha or "")
        return held != moved.commit if moved is not None else anchor in CARRIED

    def _unread_commits(self) -> list[str]:
        """The commits of the branch whose messages were not read."""
        last = last_run(self.store, self.repo_id, STAGE.name, _COMMITS)
        if last is not None and last.key in self._branch and not self._all_again:
            return sorted(self._branch - set(self._reachable([last.key])))
        return sorted(self._branch)

    def _remove(self, gone: Sequence[int], commits: Sequence[str]) -> None:
        connection = self.store.connection
        connection.executemany("DELETE FROM claim_records WHERE id = ?", ((number,) for number in gone))
        if len(commits) == len(self._branch):  # the branch was rewritten, or never read
            connection.execute("DELETE FROM claim_records WHERE repo_id = ? AND blob = ''", (self.repo_id,))
        if gone:
            unused = "DELETE FROM claim_authors WHERE repo_id = ? AND id NOT IN (SELECT author_id FROM claims)"
            connection.execute(unused, (self.repo_id,))
        clear_problems(self.store, self.repo_id, (STAGE.name,), codes=("unknown_notes", "no_notes", "too_many_files"))

    # --- reading --------------------------------------------------------------------------------------------------

    def _read(self, listed: list[ClaimSource], rows: ClaimRows, run: StageRun) -> None:
        listed.sort(key=lambda source: (source.commit, source.ref))
        for start in range(0, len(listed), _BATCH):
            self.progress("checking claims", start, len(listed))
            batch = listed[start : start + _BATCH]
            checked = [
                self._check(source, record) for source in batch for record in self._make_relative(sources.read(self.repo, source))
            ]
            with self.store.transaction():
                for source in batch:
                    clear_problems(self.store, self.repo_id, (STAGE.name,), printable(source.subject))
                self._write(checked, rows, run)

    def _read_commits(self, commits: list[str], rows: ClaimRows, run: StageRun) -> None:
        for start in range(0, len(commits), _COMMIT_BATCH):
            checked = [self._check(*claimed) for sha in commits[start : start + _COMMIT_BATCH] for claimed in self._trailers(sha)]
            with self.store.transaction() as connection:
                connection.executemany(  # a run that was stopped may have written some of them
                    "DELETE FROM claim_records WHERE repo_id = ? AND blob = '' AND commit_sha = ?",
                    ((self.repo_id, record.commit) for record in checked),
                )
                self._write(checked, rows, run)
        STAGE.start(self.store, self.repo_id, self._head, _COMMITS).finish()

    def _trailers(self, sha: str) -> Iterator[tuple[ClaimSource, ClaimRecord]]:
        commit = self.repo.commit(sha)
        for record in trailers.read_commit(commit) if commit is not None else ():
            yield ClaimSource("commit", "", sha, "", sha), record

    def _write(self, checked: Sequence[CheckedRecord], rows: ClaimRows, run: StageRun) -> None:
        run.report([problem for record in checked for problem in record.record.problems])
        rows.write(checked)

    def _make_relative(self, records: Iterable[ClaimRecord]) -> Iterable[ClaimRecord]:
        """The records with absolute paths made relative to the worktree they were recorded in."""
        absolute = [claim.path for record in records for claim in record.claims if claim.path.startswith("/")]
        if not absolute:
            return records
        root = root_of(absolute, self.repo.paths(self._head))
        return [replace(record, claims=tuple(_inside(claim, root) for claim in record.claims)) for record in records]

    def _check(self, source: ClaimSource, record: ClaimRecord) -> CheckedRecord:
        sha, anchor = record.commit, Anchor.NAMED
        files = self._files(sha)
        claims = check(record.claims, files)
        if record.before and record.claims and worst(claims) != ClaimStatus.OK and (later := self._next_commit(record)):
            sha, anchor, files = later, Anchor.NEXT_COMMIT, self._files(later)
            claims = check(record.claims, files)
        moved = self._new_places.get(sha) if source.kind == "note" and files is not None else None
        if moved is not None and (view := self._files(moved.commit)) is not None:
            claims = carry(claims, sha, moved.commit, view, self._text)
            sha, anchor = moved.commit, moved.anchor
        if files is None and not sha:
            anchor = Anchor.NONE
        commit = self.repo.commit(sha) if files is not None else None
        reach = self._reach(sha) if files is not None else Reach.MISSING
        return CheckedRecord(source, record, claims, sha, anchor, commit.author_time if commit else None, reach)

    def _open_commit(self, sha: str) -> CommittedFiles | None:
        commit = self.repo.commit(sha) if sha else None
        return CommittedFiles(self.repo, commit) if commit is not None else None

    def _text(self, sha: str, path: str) -> bytes | None:
        blob = self.repo.file_at(sha, path) if path else None
        size = self.repo.blob_size(blob) if blob is not None else None
        return self.repo.blob(blob) if blob is not None and size is not None and size <= MAX_TEXT else None

    def _next_commit(self, record: ClaimRecord) -> str:
        """The commit of the branch that first changes a file of the record after it was written; "" when there is none."""
        if not self._history:
            self._history = [(commit.sha, commit.author_time) for commit in self.repo.history(self._head)]
            self._positions = {sha: number for number, (sha, _) in enumerate(self._history)}
        after = self._positions.get(record.commit, -1)
        if record.written_at is None and after < 0:
            return ""
        paths = {claim.path for claim in record.claims}
        later = (sha for sha, time in self._history[after + 1 :] if record.written_at is None or time >= record.written_at - _SLACK)
        for _, sha in zip(range(_AHEAD), later, strict=False):
            files = self._files(sha)
            if files is not None and paths & files.paths():
                return sha
        return ""

    # --- reach ----------------------------------------------------------------------------------------------------

    def _reach(self, sha: str) -> Reach:
        return Reach.BRANCH if sha in self._branch else Reach.REF if sha in self._others else Reach.NONE

    def _update_reach(self) -> None:
        """Looks up again where the commits of all records are: branches move."""
        rows = self.store.rows(
            "SELECT x.record_id, x.commit_sha, x.reach, x.findings FROM claim_record_checks x "
            "JOIN claim_records r ON r.id = x.record_id WHERE r.repo_id = ? AND x.reach <> 'missing'",
            (self.repo_id,),
        )
        moved = ((reach, row) for row in rows if (reach := self._reach(row["commit_sha"])) != row["reach"])
        self.store.connection.executemany(
            "UPDATE claim_record_checks SET reach = ?, status = ? WHERE record_id = ?",
            [(reach, status_of(ClaimStatus(row["findings"]), reach), row["record_id"]) for reach, row in moved],
        )


def _name(source: ClaimSource) -> SourceName:
    return source.ref, source.path, source.blob


def _inside(claim: Claim, root: str) -> Claim:
    path = relative(claim.path, root)
    return claim if path == claim.path else replace(claim, path=path, recorded_path=claim.recorded_path or claim.path)
