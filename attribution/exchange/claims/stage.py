"""Reads what other producers claim, checks each record against its commit, and stores both.

Independent of attribution.

Records of other tools lie in notes and in files with a name of their own; their shape tells which
producer wrote them. Everything is a claim: it is checked against its commit before it counts, and
never changes our own lines (docs/decisions/0009).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count, islice
from typing import NamedTuple

from attribution.ensure.writing import claim_repository
from attribution.exchange.claims.verify import (
    LINE_STATUSES,
    CheckedClaim,
    CommittedFiles,
    carry,
    check,
    new_places,
    status_of,
    worst,
)
from attribution.exchange.producers import producers, trailers
from attribution.exchange.producers.model import (
    Claim,
    ClaimRecord,
    ClaimSource,
    Producer,
    Who,
    unread,
)
from attribution.exchange.words import Anchor, ClaimStatus, Reach, RecordState
from attribution.queries.repositories import repository
from collector.checkpoints.entire import OWN_NAMESPACE
from collector.git import ranges
from collector.git.repository import GitRepo
from collector.json_values import RowValues, Texts
from collector.limits import CLAIM_BYTES, CLAIM_FILES
from collector.model import Problem
from collector.repository_rows import describe_repo
from collector.runtime.progress import Progress, no_progress
from collector.runtime.stages import RunContext, Stage, StageName, digest, last_run
from collector.storage.store import Store, iso
from collector.text import count_of, printable
from collector.vocabulary.agents import slug_of

VERSION = "5"
STAGE = Stage(StageName.CLAIMS, VERSION, problems=(StageName.CLAIMS,))
_BATCH = 200  # sources whose records are in memory at once
_IN_MEMORY = 64  # commits
_AHEAD = 300  # commits after a record that are searched for the one that holds its lines
_SLACK = 60.0  # seconds between the clocks of a record and its commit
_MAX_RANGES = 200_000  # characters of ranges that are stored as written


def check_clone(store: Store, path: str, branch: str = "", progress: Progress = no_progress) -> int:
    """Reads and checks the claims of the clone at `path`, which need not be attributed; returns the
    number of its repository.

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
    repo = context.repo
    repo_id = context.repo_id
    refs = repo.refs()
    censored = repo.censored()
    packs = repo.packs() if censored.partial else []
    key = digest(
        VERSION, head, *censored.shallow, *packs, *(f"{n}={t}" for n, t in sorted(refs.items()))
    )
    run = STAGE.start(context.store, repo_id, key)
    if run.is_current:
        return
    context.progress("reading claims", 0, 0)
    problems: list[Problem] = []
    listed = sorted(
        claim_sources(repo, refs, head, problems), key=lambda source: (source.commit, source.ref)
    )
    checker = _Checker(repo, head, refs, listed)
    with run.writing() as connection:
        for table in ("claim_records", "claim_authors"):
            connection.execute(f"DELETE FROM {table} WHERE repo_id = ?", (repo_id,))
        run.report(problems)
        rows = _ClaimRows(context.store, repo_id)
        for start in range(0, len(listed), _BATCH):
            context.progress("checking claims", start, len(listed))
            checked = [
                record
                for source in listed[start : start + _BATCH]
                for record in checker.check_source(source)
            ]
            run.report([problem for each in checked for problem in each.record.problems])
            rows.write(checked)
        rows.write(list(checker.check_trailers()))


class _CheckedRecord(NamedTuple):
    """One record with what checking it against its commit gave."""

    source: ClaimSource
    record: ClaimRecord
    claims: list[CheckedClaim]
    commit: str  # it was checked against; "" when it names none
    anchor: Anchor
    commit_at: float | None  # author time of the commit; None when it is not in the clone
    reach: Reach


class _Checker:
    """Checks the records of one repository against its commits."""

    def __init__(
        self, repo: GitRepo, head: str, refs: Texts, listed: Iterable[ClaimSource]
    ) -> None:
        self._repo = repo
        self._head = head
        self._history = list(repo.history(head))  # parents first
        self._positions = {commit.sha: number for number, commit in enumerate(self._history)}
        beside = [oid for name, oid in refs.items() if not name.startswith((NOTES, OWN_NAMESPACE))]
        tips = {
            sha for oid in dict.fromkeys(beside) if (sha := repo.peel_commit(oid)) is not None
        } - self._positions.keys()
        self._others = (
            {commit.sha for commit in repo.history_of(sorted(tips), [head])} if tips else set()
        )
        self._new_places = new_places(
            repo, head, {source.commit for source in listed if source.kind == "note"}
        )
        self._files = lru_cache(_IN_MEMORY)(self._open_commit)

    def check_source(self, source: ClaimSource) -> list[_CheckedRecord]:
        return [
            self._check(source, record)
            for record in self._make_relative(read_records(self._repo, source))
        ]

    def check_trailers(self) -> Iterator[_CheckedRecord]:
        """What the messages of the branch declare."""
        for commit in self._history:
            for record in trailers.read_commit(commit):
                yield self._check(ClaimSource("commit", "", commit.sha, "", commit.sha), record)

    def _make_relative(self, records: Iterable[ClaimRecord]) -> Iterable[ClaimRecord]:
        """The records with absolute paths made relative to the worktree they were recorded in."""
        absolute = [
            claim.path
            for record in records
            for claim in record.claims
            if claim.path.startswith("/")
        ]
        if not absolute:
            return records
        root = root_of(absolute, self._repo.paths(self._head))
        return [
            record._replace(claims=tuple(_inside(claim, root) for claim in record.claims))
            for record in records
        ]

    def _check(self, source: ClaimSource, record: ClaimRecord) -> _CheckedRecord:
        sha = record.commit
        anchor = Anchor.NAMED
        files = self._files(sha)
        claims = check(record.claims, files)
        if (
            record.before
            and record.claims
            and worst(claims) != ClaimStatus.OK
            and (later := self._next_commit(record))
        ):
            sha = later
            anchor = Anchor.NEXT_COMMIT
            files = self._files(later)
            claims = check(record.claims, files)
        moved = self._new_places.get(sha) if source.kind == "note" and files is not None else None
        if moved is not None and (view := self._files(moved[0])) is not None:
            claims = carry(claims, sha, moved[0], view, self._text)
            sha, anchor = moved
        if files is None and not sha:
            anchor = Anchor.NONE
        commit = self._repo.commit(sha) if files is not None else None
        reach = self._reach(sha) if files is not None else Reach.MISSING
        return _CheckedRecord(
            source, record, claims, sha, anchor, commit.author_time if commit else None, reach
        )

    def _open_commit(self, sha: str) -> CommittedFiles | None:
        commit = self._repo.commit(sha) if sha else None
        return CommittedFiles(self._repo, commit) if commit is not None else None

    def _text(self, sha: str, path: str) -> bytes | None:
        blob = self._repo.file_at(sha, path) if path else None
        return self._repo.text_blob(blob) if blob is not None else None

    def _next_commit(self, record: ClaimRecord) -> str:
        """The commit of the branch that first changes a file of the record after it was written;
        "" when there is none.
        """
        after = self._positions.get(record.commit, -1)
        written = record.written_at
        if written is None and after < 0:
            return ""
        paths = {claim.path for claim in record.claims}
        later = (
            c.sha
            for c in self._history[after + 1 :]
            if written is None or c.author_time >= written - _SLACK
        )
        for sha in islice(later, _AHEAD):
            files = self._files(sha)
            if files is not None and paths & files.paths():
                return sha
        return ""

    def _reach(self, sha: str) -> Reach:
        if sha in self._positions:
            return Reach.BRANCH
        if sha in self._others:
            return Reach.REF
        return Reach.NONE


def _inside(claim: Claim, root: str) -> Claim:
    path = relative(claim.path, root)
    if path == claim.path:
        return claim
    return claim._replace(path=path, recorded_path=claim.recorded_path or claim.path)


_SUMS = (
    "ok",
    "overlapping",
    "dangling_key",
    "not_added",
    "beyond_eof",
    "file_missing",
    "commit_missing",
)
_TABLES = {
    "claim_records": (
        "id, repo_id, producer, format_version, tool_version, source, place, entry, blob, "
        "commit_sha, base_sha, claimed_at, state, claims, detail"
    ),
    "claims": (
        "id, record_id, author_id, path, recorded_path, key, ranges, lines, dangling, detail"
    ),
    "claim_record_checks": (
        "record_id, commit_sha, anchor, reach, status, findings, commit_at, lines, "
        f"{', '.join(_SUMS)}"
    ),
    "claim_checks": "claim_id, status, lines, ranges",
    "claimed_spans": "claim_id, start_line, end_line",
}
_AUTHOR = "id, repo_id, author, tool, model, session_key, person, detail, basis"


class _ClaimRows:
    """Writes the records of one repository, within a transaction of the caller."""

    def __init__(self, store: Store, repo_id: int) -> None:
        self._store = store
        self._repo_id = repo_id
        self._authors: dict[tuple[str, ...], int] = {}
        self._record_ids = count(store.next_id("claim_records"))
        self._claim_ids = count(store.next_id("claims"))

    def write(self, records: Sequence[_CheckedRecord]) -> None:
        of_records, of_claims, of_checks, of_lines, of_spans = rows = tuple[list[RowValues], ...](
            [] for _ in _TABLES
        )
        for checked in records:
            record_id = next(self._record_ids)
            claims = checked.claims if checked.record.state == RecordState.READ else []
            of_records.append(self._record_row(record_id, checked, len(claims)))
            of_checks.append(_check_row(record_id, checked, claims))
            for entry in claims:
                claim_id = next(self._claim_ids)
                of_claims.append(self._claim_row(claim_id, record_id, entry.claim))
                of_lines.extend(
                    (claim_id, name, ranges.count(lines), ranges.text(lines))
                    for name, lines in entry.lines.items()
                )
                of_spans.extend((claim_id, first, last) for first, last in entry.added_lines())
        for (table, columns), values in zip(_TABLES.items(), rows, strict=True):
            self._store.insert(table, columns, values)

    def _record_row(self, number: int, checked: _CheckedRecord, claims: int) -> RowValues:
        record = checked.record
        source = checked.source
        return (
            number,
            self._repo_id,
            record.producer,
            _text(record.format_version),
            _text(record.tool_version),
            source.ref,
            source.path,
            record.entry,
            source.blob,
            _text(record.commit),
            _text(record.base),
            iso(record.written_at),
            record.state,
            claims,
            _text(record.detail),
        )

    def _claim_row(self, number: int, record: int, claim: Claim) -> RowValues:
        lines = ranges.unite(claim.ranges)
        written = ranges.text(claim.ranges if len(claim.ranges) < _MAX_RANGES // 10 else lines)
        recorded = claim.recorded_path if claim.recorded_path != claim.path else ""
        return (
            number,
            record,
            self._author(claim.who),
            printable(claim.path),
            _text(recorded),
            _text(claim.key),
            written[:_MAX_RANGES],
            ranges.count(lines) if lines else None,
            int(claim.dangling),
            _text(claim.detail),
        )

    def _author(self, who: Who) -> int:
        texts = map(printable, (slug_of(who.tool), who.model, who.session, who.person, who.detail))
        author = (str(who.author), *texts, str(who.basis))
        if author not in self._authors:
            number = self._authors[author] = self._store.next_id("claim_authors")
            row = (
                number,
                self._repo_id,
                author[0],
                *(text or None for text in author[1:-1]),
                author[-1],
            )
            self._store.insert("claim_authors", _AUTHOR, [row])
        return self._authors[author]


def _check_row(number: int, checked: _CheckedRecord, claims: Sequence[CheckedClaim]) -> RowValues:
    findings = worst(claims)
    sums = {str(status): sum(entry.count(status) for entry in claims) for status in LINE_STATUSES}
    return (
        number,
        _text(checked.commit),
        checked.anchor,
        checked.reach,
        status_of(findings, checked.reach),
        findings,
        iso(checked.commit_at),
        sum(sums.values()),
        *(sums[name] for name in _SUMS),
    )


def _text(value: str) -> str | None:
    return printable(value) or None


# --- where records lie in a clone -----------------------------------------------------------------


NOTES = "refs/notes/"
_TRIES = 40  # notes of a ref that nobody may know before the ref is left alone
_ID = re.compile(r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")
_ENDINGS = (".jsonl", ".json", ".ndjson")


def claim_sources(
    repo: GitRepo, refs: Texts, head: str, problems: list[Problem]
) -> list[ClaimSource]:
    """Everything that may hold claims, a note that several refs share once.

    Notes that no producer reads are a problem row.
    """
    unique: dict[tuple[str, str], ClaimSource] = {}
    for ref, target in sorted(refs.items()):
        for source in _notes(repo, ref, target, problems) if ref.startswith(NOTES) else ():
            unique.setdefault((source.commit, source.blob), source)
    return [*unique.values(), *_files(repo, head, problems)]


def _notes(repo: GitRepo, ref: str, target: str, problems: list[Problem]) -> list[ClaimSource]:
    """The notes of one ref; none when no producer knows the first ones."""
    paths = sorted(repo.paths(target).items())
    listed = [
        ClaimSource("note", ref, path, blob, sha)
        for path, blob in paths
        if _ID.match(sha := path.replace("/", ""))
    ]
    if odd := len(paths) - len(listed):
        problems.append(
            Problem(
                STAGE.name,
                ref,
                "no_notes",
                f"{count_of(odd, 'file')} with a name that is not a commit id",
            )
        )
    if listed and not any(_is_known(repo, source) for source in listed[:_TRIES]):
        problems.append(
            Problem(
                STAGE.name,
                ref,
                "unknown_notes",
                f"{count_of(len(listed), 'note')} in unknown formats, ignored",
            )
        )
        return []
    return listed


def _is_known(repo: GitRepo, source: ClaimSource) -> bool:
    """Whether a producer reads a note; none does when its bytes are absent or too many."""
    size = repo.blob_size(source.blob)
    data = repo.blob(source.blob) if size is not None and size <= CLAIM_BYTES else None
    return data is not None and _producer_of(source, data) is not None


def _producer_of(source: ClaimSource, data: bytes) -> Producer | None:
    return next((p for p in producers() if hasattr(p, "sniff") and p.sniff(source, data)), None)


def _files(repo: GitRepo, head: str, problems: list[Problem]) -> Iterator[ClaimSource]:
    top = repo.entries(head)
    folders = {name for producer in producers() for name in getattr(producer, "FOLDERS", ())}
    for folder in sorted(folders):
        oid, is_tree = top.get(folder, ("", False))
        if not is_tree:
            continue
        inside = sorted(
            (path, blob) for path, blob in repo.paths(oid).items() if path.endswith(_ENDINGS)
        )
        if len(inside) > CLAIM_FILES:
            problems.append(
                Problem(
                    STAGE.name,
                    folder,
                    "too_many_files",
                    f"{len(inside)} files, the first {CLAIM_FILES} are read",
                )
            )
        for path, blob in inside[:CLAIM_FILES]:
            yield ClaimSource("file", "", f"{folder}/{path}", blob)


def read_records(repo: GitRepo, source: ClaimSource) -> Iterable[ClaimRecord]:
    """The records of one note or file; why there are none is a problem of a record without
    claims.
    """
    size = repo.blob_size(source.blob)
    if size is None:
        return [unread("", source, RecordState.MISSING_BLOB, "absent from this clone")]
    if size > CLAIM_BYTES:
        return [unread("", source, RecordState.TOO_LARGE, f"{size} bytes")]
    data = repo.blob(source.blob) or b""
    producer = _producer_of(source, data)
    if producer is None:
        if source.kind != "file":
            return [unread("", source, RecordState.UNKNOWN_FORMAT, f"{size} bytes")]
        return []
    return producer.read(source, data)


def root_of(recorded: Iterable[str], paths: Iterable[str]) -> str:
    """The worktree that most of the absolute paths of somebody's machine lie in, "" when no path
    ends in a file of the repository.

    Each file that a path ends in is a vote for a directory.
    """
    names = set(paths)
    votes: Counter[str] = Counter()
    for path in set(recorded):
        parts = path.strip("/").split("/")
        for cut in range(1, len(parts)):
            tail = "/".join(parts[cut:])
            if tail in names:
                # The deepest file says most: nearly every project has a README.md.
                votes["/" + "/".join(parts[:cut])] += len(parts) - cut
    return max(votes, key=lambda root: (votes[root], -len(root))) if votes else ""


def relative(path: str, root: str) -> str:
    """The path below the worktree; unchanged when it lies elsewhere."""
    return path[len(root) + 1 :] if root and path.startswith(root + "/") else path
