"""What `whowrote data claims` shows: what is claimed, how much of it is true of its commit, and how it compares with our lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from attribution.claims.agreement import DISAGREE, NOT_CLAIMED, UNDECIDED, ComparedLines, compare
from collector.vocabulary.claims import CARRIED

if TYPE_CHECKING:
    from collector.storage.store import Store

GROUPINGS = ("producer", "month", "version", "repository")


@dataclass(slots=True)
class ProducerAccuracy:
    """Records of one producer (and month, …): how many describe their commit. Lines of trailers are not counted."""

    producer: str
    group: str = ""
    records: int = 0
    unread: int = 0  # another format version, damaged, too large: not judged
    on_branch: int = 0
    carried: int = 0  # of commits beside the branch whose lines are in a commit of it: a squash, a rebase; not in what follows
    on_other_refs: int = 0  # of branches and pull requests that are not the analysed one, or of no ref
    commit_missing: int = 0
    attesting: int = 0  # on the branch, and naming lines
    consistent: int = 0  # of those, all lines added by the commit
    lines: int = 0  # claimed by attesting records
    added: int = 0  # of those, really added
    not_added: int = 0
    beyond_eof: int = 0
    file_missing: int = 0

    def data(self) -> dict[str, Any]:
        """Plain values, for --json and --csv."""
        values = asdict(self)
        return values | {"consistent_percent": round(100 * self.consistent / self.attesting, 1) if self.attesting else None}


@dataclass(frozen=True, slots=True)
class StatusCount:
    """Records of one producer with one status; the statuses are those of `claim_record_checks`."""

    producer: str
    status: str
    records: int
    lines: int


@dataclass(frozen=True, slots=True)
class ClaimProblem:
    """Problems of one kind that reading the claims met."""

    code: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class AdditionalLines:
    """Verified lines of commits that no session is linked to: what we would not know without the claims."""

    producer: str
    author: str
    tool: str
    model: str
    commits: int
    lines: int


@dataclass(frozen=True, slots=True)
class ClaimAgreement:
    """Lines that both a claim and we speak of."""

    producer: str
    group: str
    claimed: str
    ours: str
    verdict: str  # agree | disagree | undecided | not_claimed
    cause: str
    lines: int


@dataclass(slots=True)
class ClaimsReport:
    repositories: list[str]
    worth: list[ProducerAccuracy] = field(default_factory=list)
    statuses: list[StatusCount] = field(default_factory=list)
    months: list[ProducerAccuracy] = field(default_factory=list)
    versions: list[ProducerAccuracy] = field(default_factory=list)
    agreement: list[ClaimAgreement] = field(default_factory=list)
    added: list[AdditionalLines] = field(default_factory=list)
    problems: list[ClaimProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        """Plain values, for --json."""
        values = asdict(self)
        return values | {name: [row.data() for row in getattr(self, name)] for name in ("worth", "months", "versions")}


def with_claims(store: Store) -> list[int]:
    """Repositories whose claims were read."""
    return [row["repo_id"] for row in store.rows("SELECT DISTINCT repo_id FROM stage_runs WHERE stage = 'claims' AND subject = ''")]


def claims_report(store: Store, repos: Sequence[int]) -> ClaimsReport:
    ids = ", ".join(map(str, repos)) or "NULL"
    report = ClaimsReport(_names(store, f"id IN ({ids}) ORDER BY name"))
    report.worth = _accuracy(store, ids, "''")
    report.months = _accuracy(store, ids, "COALESCE(substr(x.commit_at, 1, 7), '')")
    report.versions = _accuracy(store, ids, _VERSION)
    report.statuses = _statuses(store, ids)
    report.agreement = _agreement(store, ids)
    report.added = _added(store, ids)
    report.problems = store.select(
        ClaimProblem,
        f"SELECT code, COUNT(*) AS count, MIN(subject || ' ' || COALESCE(detail, '')) AS example FROM problems "
        f"WHERE stage = 'claims' AND repo_id IN ({ids}) GROUP BY code ORDER BY 2 DESC",
    )
    unattributed = _names(store, f"id IN ({ids}) AND id NOT IN (SELECT repo_id FROM stage_runs WHERE stage = 'lines') ORDER BY id")
    if unattributed:
        names = ", ".join(unattributed)
        report.notes.append(f"not attributed, so claims cannot be compared: {names}; run: whowrote repo PATH")
    return report


def _names(store: Store, condition: str) -> list[str]:
    return [row["name"] for row in store.rows(f"SELECT name FROM repos WHERE {condition}")]


# --- what the claims are worth ----------------------------------------------------------------------------------------

_VERSION = "trim(COALESCE(r.tool_version, '') || ' ' || COALESCE(r.format_version, ''))"
_COUNTS = """
SELECT r.producer, {group} AS "group", COUNT(*) AS records, SUM(r.state NOT IN ('read', 'own')) AS unread,
  SUM(r.state = 'read' AND {own}) AS on_branch, SUM(x.anchor IN ({carried})) AS carried,
  SUM(r.state = 'read' AND x.reach IN ('ref', 'none')) AS on_other_refs,
  SUM(r.state = 'read' AND x.reach = 'missing') AS commit_missing,
  SUM({own} AND x.lines > 0) AS attesting,
  SUM({own} AND x.lines > 0 AND x.findings NOT IN ({wrong})) AS consistent,
  SUM(CASE WHEN {own} THEN x.lines ELSE 0 END) AS lines,
  SUM(CASE WHEN {own} THEN x.ok + x.overlapping + x.dangling_key ELSE 0 END) AS added,
  SUM(CASE WHEN {own} THEN x.not_added ELSE 0 END) AS not_added,
  SUM(CASE WHEN {own} THEN x.beyond_eof ELSE 0 END) AS beyond_eof,
  SUM(CASE WHEN {own} THEN x.file_missing ELSE 0 END) AS file_missing
FROM claim_records r JOIN claim_record_checks x ON x.record_id = r.id WHERE r.repo_id IN ({repos}) GROUP BY 1, 2 ORDER BY 1, 2
"""


def _accuracy(store: Store, ids: str, group: str) -> list[ProducerAccuracy]:
    from attribution.claims.verify import WRONG  # with all that checks claims, which a line's claims do not need

    wrong = ", ".join(f"'{status}'" for status in WRONG)
    carried = ", ".join(f"'{anchor}'" for anchor in CARRIED)
    own = f"x.reach = 'branch' AND x.anchor NOT IN ({carried})"
    return store.select(ProducerAccuracy, _COUNTS.format(group=group, wrong=wrong, repos=ids, carried=carried, own=own))


def _statuses(store: Store, ids: str) -> list[StatusCount]:
    from attribution.claims.verify import STATUSES

    rows = store.select(
        StatusCount,
        "SELECT r.producer, x.status, COUNT(*) AS records, SUM(x.lines) AS lines FROM claim_records r "
        f"JOIN claim_record_checks x ON x.record_id = r.id WHERE r.repo_id IN ({ids}) AND r.state = 'read' GROUP BY 1, 2",
    )
    return sorted(rows, key=lambda row: (row.producer, STATUSES.index(row.status)))


# --- beside ours ------------------------------------------------------------------------------------------------------

_BESIDE = """
SELECT producer, COALESCE(tool_version, '') AS tool_version, COALESCE(substr(commit_at, 1, 7), '') AS month, claimed_author,
  claimed_basis, record_status, copied, claim_lines, file_lines_added, lines, author, how, evidence, reason FROM claimed_lines
WHERE repo_id IN ({repos}) AND has_session
"""
_WHOLE = """
SELECT 'trailers' AS producer, '' AS tool_version, COALESCE(substr(c.author_at, 1, 7), '') AS month, 'agent' AS claimed_author,
  '' AS claimed_basis, 'ok' AS record_status, 0 AS copied, NULL AS claim_lines, NULL AS file_lines_added,
  SUM(s.end_line - s.start_line + 1) AS lines,
  o.author, o.how, o.evidence, o.reason
FROM (SELECT DISTINCT r.repo_id, r.commit_sha FROM claim_records r WHERE r.producer = 'trailers' AND r.repo_id IN ({repos})) t
JOIN commits c ON c.repo_id = t.repo_id AND c.commit_sha = t.commit_sha JOIN commit_files f ON f.commit_id = c.id
JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id
WHERE EXISTS (SELECT 1 FROM commit_sessions cs WHERE cs.commit_id = c.id) GROUP BY 3, o.author, o.how, o.evidence, o.reason
"""
# Lines that we saw an agent write, in commits a record speaks of, and that it does not name.
_SILENT = """
SELECT r.producer, COALESCE(substr(x.commit_at, 1, 7), '') AS month, SUM(f.agent_lines) AS lines
FROM claim_records r JOIN claim_record_checks x ON x.record_id = r.id AND x.reach = 'branch'
JOIN commits c ON c.repo_id = r.repo_id AND c.commit_sha = x.commit_sha JOIN commit_files f ON f.commit_id = c.id
WHERE r.repo_id IN ({repos}) AND r.state = 'read' AND x.lines > 0
AND EXISTS (SELECT 1 FROM commit_sessions cs WHERE cs.commit_id = c.id)
GROUP BY 1, 2
"""


_NO_TRAILER = """
SELECT 'trailers' AS producer, COALESCE(substr(c.author_at, 1, 7), '') AS month, SUM(f.agent_lines) AS lines FROM commits c
JOIN commit_files f ON f.commit_id = c.id WHERE c.repo_id IN ({repos}) AND c.declared_agent IS NULL AND c.repo_id IN
(SELECT repo_id FROM stage_runs WHERE stage = 'claims') AND EXISTS (SELECT 1 FROM commit_sessions cs WHERE cs.commit_id = c.id)
GROUP BY 2 HAVING SUM(f.agent_lines) > 0
"""


class _AgentLines(NamedTuple):
    """Lines that we saw an agent write in the commits of a month."""

    producer: str
    month: str
    lines: int


def _agreement(store: Store, ids: str) -> list[ClaimAgreement]:
    sums: dict[tuple[str, str, str, str, str, str], int] = defaultdict(int)
    named: dict[tuple[str, str], int] = defaultdict(int)
    for query in (_BESIDE, _WHOLE):
        for row in store.select(ComparedLines, query.format(repos=ids)):
            verdict, cause = compare(row)
            ours = row.author or ""
            version = f"{row.month} {row.tool_version}".strip()
            sums[row.producer, version, row.claimed_author, ours, verdict, cause] += row.lines
            if row.author == "agent":
                named[row.producer, row.month] += row.lines
    for silent in store.select(_AgentLines, _SILENT.format(repos=ids)):
        unnamed = silent.lines - named[silent.producer, silent.month]
        if unnamed > 0:
            sums[silent.producer, silent.month, "", "agent", NOT_CLAIMED, ""] += unnamed
    for undeclared in store.select(_AgentLines, _NO_TRAILER.format(repos=ids)):
        sums[undeclared.producer, undeclared.month, "", "agent", NOT_CLAIMED, ""] += undeclared.lines
    return [ClaimAgreement(*key, lines) for key, lines in sorted(sums.items())]


def summed(rows: Sequence[ClaimAgreement]) -> list[ClaimAgreement]:
    """Without months and versions, most lines first within a producer."""
    sums: dict[tuple[str, str, str, str, str], int] = defaultdict(int)
    for row in rows:
        sums[row.producer, row.claimed, row.ours, row.verdict, row.cause] += row.lines
    totals = [ClaimAgreement(key[0], "", *key[1:], lines) for key, lines in sums.items()]
    return sorted(totals, key=lambda row: (row.producer, -row.lines))


def decided(rows: Sequence[ClaimAgreement]) -> int:
    """Lines where both sides know."""
    return sum(row.lines for row in rows if row.verdict not in (UNDECIDED, NOT_CLAIMED))


def disputed(rows: Sequence[ClaimAgreement]) -> int:
    return sum(row.lines for row in rows if row.verdict == DISAGREE)


def _added(store: Store, ids: str) -> list[AdditionalLines]:
    return store.select(
        AdditionalLines,
        "SELECT producer, claimed_author AS author, COALESCE(tool, '') AS tool, COALESCE(claimed_model, '') AS model, "
        "COUNT(DISTINCT commit_sha) AS commits, SUM(lines) AS lines FROM claimed_lines "
        f"WHERE repo_id IN ({ids}) AND NOT has_session GROUP BY 1, 2, 3, 4 ORDER BY 1, 6 DESC",
    )
