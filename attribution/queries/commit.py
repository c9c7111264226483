"""A commit: its lines by author, the files, the sessions and prompts behind it, and the numbers its producer claims."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from attribution.queries.coverage import KindLines, kind_lines
from attribution.queries.verdicts import COMMIT_COLUMNS, CommitRef, Span, commit_spans
from collector.errors import UnknownBranch
from collector.files.kinds import HEADLINE
from collector.storage.store import Store, columns_of

if TYPE_CHECKING:
    from attribution.queries.open_repo import OpenRepo


@dataclass(frozen=True, slots=True)
class CommitFileRow:
    path: str
    old_path: str
    status: str
    content: str
    kind: str  # a FileKind
    added: int
    deleted: int
    spans: list[Span]


@dataclass(frozen=True, slots=True)
class LinkedSession:
    key: str
    label: str
    agent: str
    model: str
    transcript: str
    method: str
    confidence: float
    agent_lines: int
    produced: int
    survived: int
    prompts: list[str]  # of the turns that wrote lines of the commit


@dataclass(frozen=True, slots=True)
class VendorClaim:
    """The producer's number beside ours."""

    session: str
    checkpoint: str
    theirs: float | None
    ours: float | None
    reason: str


class NamedCheckpoint(NamedTuple):
    """A checkpoint that the message of a commit names."""

    checkpoint: str
    in_clone: bool
    signature: str | None = None  # kind of signature of the commits that stored it, never verified


@dataclass(slots=True)
class CommitReport:
    repo: str
    commit: CommitRef
    lines: dict[str, int]  # lines with text of source and test files by class
    kinds: list[KindLines]  # all kinds of files that have lines
    checkpoints: list[NamedCheckpoint]
    files: list[CommitFileRow]
    sessions: list[LinkedSession]
    claims: list[VendorClaim]

    def data(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return asdict(self)

    def span_rows(self) -> Iterator[dict[str, Any]]:
        """Plain values of each span, for --csv."""
        for file in self.files:
            for span in file.spans:
                place = {"commit": self.commit.sha, "path": file.path, "start_line": span.start, "end_line": span.end}
                yield place | span.attribution.data()


def commit_report(store: Store, name: str, where: OpenRepo | None = None) -> CommitReport:
    """A commit by its (abbreviated) id, or by any name when the clone is at hand. Raises UnknownBranch."""
    sha = where.repo.resolve(name).sha if where is not None else name.lower()
    if len(sha) < 4 or not set(sha) <= set("0123456789abcdef"):
        raise UnknownBranch(
            f"{name!r} is not a commit id", "Given the path of the clone, any revision works: whowrote show HEAD PATH"
        )
    repo_id = where.repo_id if where is not None else None
    commits = store.select(
        CommitRef,
        f"SELECT {COMMIT_COLUMNS} FROM commits c JOIN repos r ON r.id = c.repo_id WHERE c.commit_sha >= ? AND c.commit_sha <= ? "
        "AND (? IS NULL OR c.repo_id = ?) LIMIT 2",
        (sha, sha + "g", repo_id, repo_id),
    )
    if not commits:
        raise UnknownBranch(
            f"commit {name} is not in {store.path}", "It may be on another branch or before --since; see: whowrote repo --help"
        )
    if len(commits) > 1:
        raise UnknownBranch(f"{name} is ambiguous: several commits start with it", "Use more digits, or add the path of the clone")
    return _report(store, commits[0])


def _report(store: Store, commit: CommitRef) -> CommitReport:
    repo = store.value("SELECT r.name FROM commits c JOIN repos r ON r.id = c.repo_id WHERE c.id = ?", (commit.id,))
    kinds = commit_kinds(store, commit.id)
    return CommitReport(
        repo, commit, code_lines(kinds), kinds, _checkpoints(store, commit), _files(store, commit), _linked(store, commit),
        _claims(store, commit),
    )  # fmt: skip


class _File(NamedTuple):
    path: str
    old_path: str
    status: str
    content: str
    kind: str
    added: int
    deleted: int


def _files(store: Store, commit: CommitRef) -> list[CommitFileRow]:
    files = store.select(
        _File,
        "SELECT path, COALESCE(old_path, '') AS old_path, status, content, kind, lines_added AS added, lines_deleted AS deleted "
        "FROM commit_files WHERE commit_id = ? ORDER BY path",
        (commit.id,),
    )
    spans = commit_spans(store, commit)
    return [CommitFileRow(*file, spans[file.path]) for file in files]


class _KindClassLines(NamedTuple):
    kind: str
    line_class: str
    lines: int


def commit_kinds(store: Store, commit_id: int) -> list[KindLines]:
    """Lines with text that the commit adds, by kind of file and class, most lines first."""
    sql = "SELECT kind, class AS line_class, SUM(nonblank) AS lines FROM line_spans WHERE commit_id = ? GROUP BY 1, 2"
    return kind_lines(store.select(_KindClassLines, sql, (commit_id,)))


def code_lines(kinds: Iterable[KindLines]) -> dict[str, int]:
    """Class -> lines of source and test files, for the classes that have some."""
    count: Counter[str] = Counter()
    for of in kinds:
        if of.kind in HEADLINE:
            count.update(of.by_class)
    return {name: lines for name, lines in count.items() if lines}


def _checkpoints(store: Store, commit: CommitRef) -> list[NamedCheckpoint]:
    sql = (
        "SELECT l.checkpoint_key, l.checkpoint, k.signature FROM commit_checkpoint_links l "
        "LEFT JOIN checkpoints k ON k.id = l.checkpoint WHERE l.commit_id = ? ORDER BY 1"
    )
    rows = store.rows(sql, (commit.id,))
    return [NamedCheckpoint(row["checkpoint_key"], row["checkpoint"] is not None, row["signature"]) for row in rows]


class _Link(NamedTuple):
    session_id: int
    key: str
    label: str
    agent: str
    model: str
    transcript: str
    method: str
    confidence: float
    agent_lines: int
    produced: int
    survived: int


def _linked(store: Store, commit: CommitRef) -> list[LinkedSession]:
    links = store.select(
        _Link,
        "SELECT cs.session_id, s.key, s.label, COALESCE(s.agent, s.agent_label, '') AS agent, COALESCE(s.model, '') AS model, "
        "s.transcript, cs.method, cs.confidence, cs.agent_lines, COALESCE(cs.produced, 0) AS produced, "
        "COALESCE(cs.survived, 0) AS survived FROM commit_sessions cs JOIN sessions s ON s.id = cs.session_id "
        "WHERE cs.commit_id = ? ORDER BY cs.agent_lines DESC, s.started_at",
        (commit.id,),
    )
    prompts: dict[int, list[str]] = defaultdict(list)
    for row in store.rows(
        "SELECT DISTINCT t.session_id, t.turn_index, t.prompt FROM line_spans l JOIN turns t ON t.session_id = l.session_id "
        "AND t.turn_index = l.turn_index WHERE l.commit_id = ? ORDER BY 1, 2",
        (commit.id,),
    ):
        prompts[row["session_id"]].append(row["prompt"] or "")
    return [LinkedSession(*link[1:], prompts[link.session_id]) for link in links]


def _claims(store: Store, commit: CommitRef) -> list[VendorClaim]:
    return store.select(
        VendorClaim,
        "SELECT s.label AS session, k.checkpoint_id AS checkpoint, r.vendor_percentage AS theirs, v.our_percentage AS ours, "
        "COALESCE(v.disagreement_reason, 'not_comparable') AS reason "
        "FROM commit_checkpoint_links l JOIN checkpoints k ON k.id = l.checkpoint "
        "JOIN checkpoint_sessions r ON r.checkpoint_id = k.id JOIN sessions s ON s.id = r.session_id "
        "LEFT JOIN vendor_checks v ON v.checkpoint_session_id = r.id AND v.commit_id = l.commit_id "
        "WHERE l.commit_id = ? AND r.vendor_percentage IS NOT NULL ORDER BY k.checkpoint_id, r.position",
        (commit.id,),
    )


# --- a commit as a page -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CommitDetails:
    """Columns of `commits` that the page shows."""

    id: int
    repo_id: int
    commit_sha: str
    label: str
    subject: str | None
    author_name: str | None
    author_at: str
    declared_agent: str | None
    automation: str | None
    lines_added: int | None
    lines_deleted: int | None
    parents: int


@dataclass(frozen=True, slots=True)
class CommitFinding:
    """A weakness that the commit introduced."""

    label: str
    path: str
    start_line: int
    author_class: str
    status: str
    confidence: str | None
    alive_at_head: int
    fixed_by: int | None  # id of the commit


@dataclass(slots=True)
class CommitPage:
    """A commit as a page: the report, and the numbers that links need."""

    details: CommitDetails
    report: CommitReport
    sessions: dict[str, int]  # key -> number
    tip_files: dict[str, int]  # path -> number, where the path is still in the tip
    findings: list[CommitFinding]


def commit_page(store: Store, number: int) -> CommitPage | None:
    """By the number of the row; None when there is none."""
    details = store.select_one(CommitDetails, f"SELECT {columns_of(CommitDetails, 'c')} FROM commits c WHERE c.id = ?", (number,))
    commit = store.select_one(CommitRef, f"SELECT {COMMIT_COLUMNS} FROM commits c WHERE c.id = ?", (number,))
    if details is None or commit is None:
        return None
    keys = store.rows(
        "SELECT s.id, s.key FROM commit_sessions cs JOIN sessions s ON s.id = cs.session_id WHERE commit_id = ?", (number,)
    )
    tips = store.rows(
        "SELECT t.id, t.path FROM tip_files t JOIN commit_files f ON f.path = t.path WHERE t.repo_id = ? AND f.commit_id = ?",
        (details.repo_id, number),
    )
    introduced = store.select(
        CommitFinding,
        f"SELECT {columns_of(CommitFinding, 'n')} FROM findings n WHERE n.commit_id = ? ORDER BY n.path, n.start_line",
        (number,),
    )
    sessions, files = {row["key"]: row["id"] for row in keys}, {row["path"]: row["id"] for row in tips}
    return CommitPage(details, _report(store, commit), sessions, files, introduced)


# --- commits of a pull request ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WritingSession:
    """A session that wrote lines of a commit."""

    agent: str | None
    label: str


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """A commit in short: its lines with text in source and test files by class, and the sessions that wrote most of them first."""

    commit: CommitRef
    lines: dict[str, int]
    sessions: list[WritingSession]


def commit_summaries(store: Store, shas: Sequence[str]) -> list[CommitSummary]:
    """Those of the commits that are in the database, in the order given."""
    sql = f"SELECT {COMMIT_COLUMNS} FROM commits c WHERE c.commit_sha = ?"
    commits = [commit for sha in shas for commit in store.select(CommitRef, sql, (sha,))]
    return [CommitSummary(commit, code_lines(commit_kinds(store, commit.id)), _writing(store, commit)) for commit in commits]


def _writing(store: Store, commit: CommitRef) -> list[WritingSession]:
    return store.select(
        WritingSession,
        "SELECT s.agent, s.label FROM commit_sessions c JOIN sessions s ON s.id = c.session_id WHERE c.commit_id = ? "
        "AND c.agent_lines > 0 ORDER BY c.agent_lines DESC",
        (commit.id,),
    )
