"""Reads what other producers claim, checks each record against its commit, and stores both. Independent of attribution.

A record's lines never change, nor does its commit: only what is new is read, in batches of whole records, and when a branch moves
only the reach of the others is looked up again. A record whose commit arrives later, or reaches the branch as another one, is read
again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from attribution.claims.carried import NewPlace, carried, new_places
from attribution.claims.commits import SeenCommit
from attribution.claims.verify import LINE_STATUSES, CheckedRecord, check, status, worst
from collector import claims as found_in
from collector.checkpoints.entire import OWN_NAMESPACE
from collector.claims.model import Claim, ClaimRecord, ClaimSource, Who
from collector.claims.roots import relative, root_of
from collector.git.program import GitFailed, open_scratch
from collector.git.ranges import count, text, united
from collector.git.repository import MAX_TEXT
from collector.model import Problem
from collector.runtime.stages import RunContext, Stage, StageName, StageRun, clear_problems, digest, last_run
from collector.storage.store import iso
from collector.text import printable
from collector.vocabulary.agents import slug_of
from collector.vocabulary.claims import CARRIED

VERSION = "4"
STAGE = Stage(StageName.CLAIMS, VERSION)  # reports on what is read now: problems of the other records stay
_BATCH = 200  # sources written in one transaction
_KEPT = 64  # commits that are kept in memory
_AHEAD = 300  # commits after a record that are searched for the one that holds its lines
_SLACK = 60.0  # seconds between the clocks of a record and its commit
_ARRIVED = "arrived"  # a commit that was missing is there now
_MAX_RANGES = 200_000  # characters of ranges that are stored as written
_COMMITS = "commits"  # subject of the run that read the messages of a branch up to a commit, its key


@dataclass(slots=True)
class ClaimsUpdate:
    """What a run did."""

    unchanged: bool
    read: int = 0  # records
    removed: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)


def check_claims(context: RunContext, head: str) -> ClaimsUpdate:
    """Brings the claims of a repository up to date with its refs. Raises DatabaseUnusable."""
    refs = context.repo.refs()
    censored = context.repo.censored()
    packs = context.repo.packs() if censored.partial else []
    key = digest(VERSION, head, *censored.shallow, *packs, *(f"{n}={t}" for n, t in sorted(refs.items())))
    run = STAGE.start(context.store, context.repo_id, key)
    if run.unchanged:
        return ClaimsUpdate(True, seconds=run.seconds)
    done = _Reading(context, head, run).go(refs)
    run.finish()  # the records are stored already, in portions
    done.seconds = run.seconds
    return done


@dataclass(slots=True)
class _Seen:
    """One record with what came out."""

    source: ClaimSource
    record: ClaimRecord
    commit: str
    anchor: str
    at: float | None
    checked: list[CheckedRecord]
    present: bool


class _Reading:
    """Reads what is new and stores it."""

    def __init__(self, context: RunContext, head: str, run: StageRun) -> None:
        self.store, self.repo, self.repo_id, self.progress = context.store, context.repo, context.repo_id, context.progress
        self.head, self.run = head, run
        self._commits: dict[str, SeenCommit | None] = {}
        self._order: list[tuple[str, float]] = []
        self._place: dict[str, int] = {}
        self._branch: set[str] = set()
        self._others: set[str] = set()
        self._authors: dict[Who, int] = {}
        self._places: dict[str, NewPlace] = {}
        before = last_run(self.store, self.repo_id, STAGE.name)
        self._other_version = before is not None and before.version != VERSION  # everything is read again

    def go(self, refs: dict[str, str]) -> ClaimsUpdate:
        self.progress("reading claims", 0, 0)
        self._history(refs)
        problems: list[Problem] = []
        wanted = found_in.sources(self.repo, refs, self.head, problems)
        self._places = new_places(self.repo, self.head, {s.commit for s in wanted if s.kind == "note"})
        have = self._stored()
        fresh = [s for s in wanted if (s.ref, s.place, s.blob) not in have]
        names = {(s.ref, s.place, s.blob) for s in wanted}
        gone = [number for name, numbers in have.items() if name not in names for number in numbers]
        commits = self._new_commits()
        with self.store.transaction():
            self._remove(gone, commits)
            self._authors = self._known_authors()
            self.run.report(problems)
        read = self._read(fresh) + self._read_commits(commits)
        with self.store.transaction():
            self._reach_again()
        return ClaimsUpdate(False, read, len(gone))

    # --- what is there --------------------------------------------------------------------------------------------

    def _history(self, refs: dict[str, str]) -> None:
        self._branch = set(self._listed([self.head]))
        tips = [oid for name, oid in refs.items() if not name.startswith((*found_in.namespaces(), OWN_NAMESPACE))]
        commits = {sha for oid in dict.fromkeys(tips) if (sha := self.repo.peel_commit(oid)) is not None}
        self._others = set(self._listed(sorted(commits - self._branch))) if commits - self._branch else set()

    def _listed(self, tips: list[str]) -> Iterable[str]:
        """Commits reachable from the tips."""
        try:
            with open_scratch(self.repo) as git:
                return git.output(["rev-list", "--stdin"], "".join(f"{t}\n" for t in tips).encode()).decode("ascii").split()
        except GitFailed:  # a parent is absent
            return [commit.sha for commit in self.repo.history_of(tips)]

    def _stored(self) -> dict[tuple[str, str, str], list[int]]:
        """(source, place, blob) -> records; those to be read again are named so that they match nothing."""
        found: dict[tuple[str, str, str], list[int]] = {}
        for row in self.store.rows(
            "SELECT r.id, r.source, r.place, r.blob, r.commit_sha, r.state, x.reach, x.anchor, x.commit_sha AS held "
            "FROM claim_records r LEFT JOIN claim_record_checks x ON x.record_id = r.id WHERE r.repo_id = ? AND r.blob <> ''",
            (self.repo_id,),
        ):
            again = row["reach"] == "missing" and row["commit_sha"] and self.repo.has(row["commit_sha"])
            again = again or (row["state"] == "missing_blob" and self.repo.has(row["blob"])) or row["source"] == ""
            again = again or self._other_version or self._elsewhere(row["commit_sha"], row["anchor"], row["held"])
            name = (_ARRIVED, row["place"], row["blob"]) if again else (row["source"], row["place"], row["blob"])
            found.setdefault(name, []).append(row["id"])
        return found

    def _elsewhere(self, sha: str | None, anchor: str | None, held: str | None) -> bool:
        """Whether the branch holds the lines of a record's commit in another commit than before, or no longer."""
        place = self._places.get(sha or "")
        return held != place.commit if place is not None else anchor in CARRIED

    def _new_commits(self) -> list[str]:
        """Of the branch, the ones whose messages were not read."""
        known = last_run(self.store, self.repo_id, STAGE.name, _COMMITS)
        if known is not None and known.key in self._branch and not self._other_version:
            before = set(self._listed([known.key]))
            return sorted(self._branch - before)
        return sorted(self._branch)

    def _remove(self, gone: Sequence[int], commits: Sequence[str]) -> None:
        execute = self.store.connection
        execute.executemany("DELETE FROM claim_records WHERE id = ?", ((number,) for number in gone))
        if len(commits) == len(self._branch):  # the branch was rewritten, or never read
            execute.execute("DELETE FROM claim_records WHERE repo_id = ? AND blob = ''", (self.repo_id,))
        if gone:
            execute.execute(
                "DELETE FROM claim_authors WHERE repo_id = ? AND id NOT IN (SELECT author_id FROM claims)", (self.repo_id,)
            )
        clear_problems(self.store, self.repo_id, (STAGE.name,), codes=("unknown_notes", "no_notes", "too_many_files"))

    def _known_authors(self) -> dict[Who, int]:
        rows = self.store.rows("SELECT * FROM claim_authors WHERE repo_id = ?", (self.repo_id,))
        names = ("author", "tool", "model", "session_key", "person", "detail", "basis")
        return {Who(*(row[name] or "" for name in names)): row["id"] for row in rows}

    # --- reading --------------------------------------------------------------------------------------------------

    def _read(self, sources: list[ClaimSource]) -> int:
        known = found_in.blob_producers()
        sources.sort(key=lambda s: (s.commit, s.ref))
        read = 0
        for start in range(0, len(sources), _BATCH):
            self.progress("checking claims", start, len(sources))
            seen = [
                self._judge(source, record)
                for source in sources[start : start + _BATCH]
                for record in self._relative(found_in.read(self.repo, source, known))
            ]
            read += len(seen)
            with self.store.transaction():
                for source in sources[start : start + _BATCH]:
                    clear_problems(self.store, self.repo_id, (STAGE.name,), printable(source.subject))
                self._write(seen)
        return read

    def _read_commits(self, commits: list[str]) -> int:
        read = 0
        for start in range(0, len(commits), 2000):
            seen = []
            for sha in commits[start : start + 2000]:
                commit = self.repo.commit(sha)
                for record in found_in.read_commit(commit) if commit is not None else ():
                    checked = check(record.claims, SeenCommit(self.repo, commit)) if commit is not None else []
                    seen.append(_Seen(ClaimSource("commit", "", sha, "", sha), record, sha, "named", record.at, checked, True))
            read += len(seen)
            with self.store.transaction() as connection:
                connection.executemany(  # a run that was stopped may have written some of them
                    "DELETE FROM claim_records WHERE repo_id = ? AND blob = '' AND commit_sha = ?",
                    ((self.repo_id, one.commit) for one in seen),
                )
                self._write(seen)
        STAGE.start(self.store, self.repo_id, self.head, _COMMITS).finish()
        return read

    def _relative(self, records: list[ClaimRecord]) -> list[ClaimRecord]:
        """With absolute paths made relative to the worktree they were recorded in."""
        absolute = [c.path for r in records for c in r.claims if c.path.startswith("/")]
        if not absolute:
            return records
        root = root_of(absolute, self.repo.paths(self.head))
        return [replace(r, claims=tuple(_inside(c, root) for c in r.claims)) for r in records]

    def _judge(self, source: ClaimSource, record: ClaimRecord) -> _Seen:
        sha, anchor = record.commit, "named"
        records = self._commit(sha)
        checked = check(record.claims, records)
        if record.before and record.claims and worst(checked) != "ok":
            later = self._next(record)
            if later:
                sha, anchor, records = later, "next_commit", self._commit(later)
                checked = check(record.claims, records)
        place = self._places.get(sha) if source.kind == "note" and records is not None else None
        if place is not None and (held := self._commit(place.commit)) is not None:
            checked = carried(checked, sha, place.commit, held, self._text)
            sha, anchor = place.commit, place.anchor
        if records is None and not sha:
            anchor = "none"
        commit = self.repo.commit(sha) if records is not None else None
        return _Seen(source, record, sha, anchor, commit.author_time if commit else None, checked, records is not None)

    def _commit(self, sha: str) -> SeenCommit | None:
        if sha not in self._commits:
            commit = self.repo.commit(sha) if sha else None
            self._commits[sha] = SeenCommit(self.repo, commit) if commit is not None else None
            if len(self._commits) > _KEPT:
                del self._commits[next(iter(self._commits))]
        return self._commits[sha]

    def _text(self, sha: str, path: str) -> bytes | None:
        blob = self.repo.file_at(sha, path) if path else None
        size = self.repo.blob_size(blob) if blob is not None else None
        return self.repo.blob(blob) if blob is not None and size is not None and size <= MAX_TEXT else None

    def _next(self, record: ClaimRecord) -> str:
        """The commit of the branch that first changes a file of the record after it was written; "" when there is none."""
        if not self._order:
            self._order = [(c.sha, c.author_time) for c in self.repo.history(self.head)]
            self._place = {sha: i for i, (sha, _) in enumerate(self._order)}
        after = self._place.get(record.commit, -1)
        if record.at is None and after < 0:
            return ""
        paths = {c.path for c in record.claims}
        later = (sha for sha, at in self._order[after + 1 :] if record.at is None or at >= record.at - _SLACK)
        for _, sha in zip(range(_AHEAD), later, strict=False):
            found = self._commit(sha)
            if found is not None and paths & found.paths():
                return sha
        return ""

    # --- rows -----------------------------------------------------------------------------------------------------

    def _write(self, seen: Sequence[_Seen]) -> None:
        store = self.store
        record_id, claim_id = store.next_id("claim_records"), store.next_id("claims")
        records: list[tuple[Any, ...]] = []
        checks: list[tuple[Any, ...]] = []
        claims: list[tuple[Any, ...]] = []
        lines: list[tuple[Any, ...]] = []
        spans: list[tuple[int, int, int]] = []
        problems: list[Problem] = []
        for one in seen:
            problems.extend(one.record.problems)
            kept = one.checked if one.record.state == "read" else []
            records.append(self._record_row(record_id, one, len(kept)))
            checks.append(self._check_row(record_id, one, kept))
            for checked in kept:
                claims.append(self._claim_row(claim_id, record_id, checked.claim))
                lines.extend((claim_id, name, count(r), text(r)) for name, r in checked.lines.items())
                good = united((*checked.lines.get("ok", ()), *checked.lines.get("dangling_key", ())))
                spans.extend((claim_id, first, last) for first, last in good)
                claim_id += 1
            record_id += 1
        self.run.report(problems)
        store.insert("claim_records", _RECORD, records)
        store.insert("claims", _CLAIM, claims)
        store.insert("claim_record_checks", _CHECK, checks)
        store.insert("claim_checks", ("claim_id", "status", "lines", "ranges"), lines)
        store.insert("claimed_spans", ("claim_id", "start_line", "end_line"), spans)

    def _record_row(self, number: int, one: _Seen, claims: int) -> tuple[Any, ...]:
        r, s = one.record, one.source
        texts = (r.format_version, r.tool_version)
        return (
            number, self.repo_id, r.producer, *(printable(t) or None for t in texts), s.ref, s.place, r.entry, s.blob,
            printable(r.commit) or None, printable(r.base) or None, iso(r.at), r.state, claims, printable(r.detail) or None,
        )  # fmt: skip

    def _check_row(self, number: int, one: _Seen, kept: Sequence[CheckedRecord]) -> tuple[Any, ...]:
        reach = self._reach(one.commit) if one.present else "missing"
        findings = worst(kept)
        sums = Counter({name: sum(c.count(name) for c in kept) for name in LINE_STATUSES})
        return (
            number, printable(one.commit) or None, one.anchor, reach, status(findings, reach), findings, iso(one.at), sums.total(),
            *(sums[name] for name in _SUMS),
        )  # fmt: skip

    def _claim_row(self, number: int, record: int, claim: Claim) -> tuple[Any, ...]:
        written = text(claim.ranges) if len(claim.ranges) < _MAX_RANGES // 10 else text(united(claim.ranges))
        lines = count(united(claim.ranges)) if claim.ranges else None
        return (
            number, record, self._author(claim.who), printable(claim.path), printable(claim.recorded_path) or None,
            printable(claim.key) or None, written[:_MAX_RANGES], lines, int(claim.dangling), printable(claim.detail) or None,
        )  # fmt: skip

    def _author(self, who: Who) -> int:
        who = replace(who, tool=slug_of(who.tool))
        shown = Who(
            *(printable(getattr(who, name)) for name in ("author", "tool", "model", "session", "person", "detail", "basis"))
        )
        if shown not in self._authors:
            number = self.store.next_id("claim_authors")
            values = (shown.tool, shown.model, shown.session, shown.person, shown.detail)
            row = (number, self.repo_id, shown.author, *(v or None for v in values), shown.basis)
            self.store.insert("claim_authors", _AUTHOR, [row])
            self._authors[shown] = number
        return self._authors[shown]

    # --- reach ----------------------------------------------------------------------------------------------------

    def _reach(self, sha: str) -> str:
        return "branch" if sha in self._branch else "ref" if sha in self._others else "none"

    def _reach_again(self) -> None:
        """Of all records, as far as it changed: branches move."""
        self.store.connection.executemany(
            "UPDATE claim_record_checks SET reach = ?, status = ? WHERE record_id = ?", list(self._moved())
        )

    def _moved(self) -> Iterator[tuple[str, str, int]]:
        for row in self.store.rows(
            "SELECT x.record_id, x.commit_sha, x.reach, x.findings FROM claim_record_checks x "
            "JOIN claim_records r ON r.id = x.record_id WHERE r.repo_id = ? AND x.reach <> 'missing'",
            (self.repo_id,),
        ):
            reach = self._reach(row["commit_sha"])
            if reach != row["reach"]:
                yield reach, status(row["findings"], reach), row["record_id"]


_RECORD = (
    "id", "repo_id", "producer", "format_version", "tool_version", "source", "place", "entry", "blob", "commit_sha", "base_sha",
    "claimed_at", "state", "claims", "detail",
)  # fmt: skip
_SUMS = ("ok", "overlapping", "dangling_key", "not_added", "beyond_eof", "file_missing", "commit_missing")
_CHECK = ("record_id", "commit_sha", "anchor", "reach", "status", "findings", "commit_at", "lines", *_SUMS)
_CLAIM = ("id", "record_id", "author_id", "path", "recorded_path", "key", "ranges", "lines", "dangling", "detail")
_AUTHOR = ("id", "repo_id", "author", "tool", "model", "session_key", "person", "detail", "basis")


def _inside(claim: Claim, root: str) -> Claim:
    path = relative(claim.path, root)
    return claim if path == claim.path else replace(claim, path=path, recorded_path=claim.recorded_path or claim.path)
