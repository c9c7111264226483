"""What `data claims` shows: what is claimed, how much of it is true of its commit, and how it compares with our own lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from attribution.exchange.claims.agreement import ComparedLines, compare
from attribution.exchange.words import CARRIED, Agreement, ClaimStatus
from collector.vocabulary import sql_list
from collector.vocabulary.lines import Author

if TYPE_CHECKING:
    from collector.storage.store import Store

Row = dict[str, Any]
TABLES = ("producer", "status", "month", "version", "agreement", "added")


@dataclass(slots=True)
class ClaimsReport:
    repositories: list[str]
    tables: dict[str, list[Row]]  # by the names of TABLES
    problems: list[Row]  # that reading the claims met, by kind
    notes: list[str]

    def data(self) -> Row:
        """Plain values, for --json."""
        return {"repositories": self.repositories, **self.tables, "problems": self.problems, "notes": self.notes}


def checked_repositories(store: Store) -> list[int]:
    """Repositories whose claims were read."""
    return [row["repo_id"] for row in store.rows("SELECT DISTINCT repo_id FROM stage_runs WHERE stage = 'claims' AND subject = ''")]


def claims_report(store: Store, repos: Sequence[int]) -> ClaimsReport:
    ids = ", ".join(map(str, repos)) or "NULL"
    tables = {
        "producer": _accuracy(store, ids, "''"),
        "status": _statuses(store, ids),
        "month": _accuracy(store, ids, "COALESCE(substr(x.commit_at, 1, 7), '')"),
        "version": _accuracy(store, ids, "trim(COALESCE(r.tool_version, '') || ' ' || COALESCE(r.format_version, ''))"),
        "agreement": _agreement(store, ids),
        "added": store.rows(_ADDED.format(repos=ids)),
    }
    unattributed = _names(store, f"id IN ({ids}) AND id NOT IN (SELECT repo_id FROM stage_runs WHERE stage = 'lines') ORDER BY id")
    notes = [f"not attributed, so claims cannot be compared: {', '.join(unattributed)}; run: whowrote repo PATH"]
    problems = store.rows(_PROBLEMS.format(repos=ids))
    return ClaimsReport(_names(store, f"id IN ({ids}) ORDER BY name"), tables, problems, notes if unattributed else [])


def _names(store: Store, condition: str) -> list[str]:
    return [row["name"] for row in store.rows(f"SELECT name FROM repos WHERE {condition}")]


_PROBLEMS = """
SELECT code, COUNT(*) AS count, MIN(subject || ' ' || COALESCE(detail, '')) AS example FROM problems
WHERE stage = 'claims' AND repo_id IN ({repos}) GROUP BY code ORDER BY 2 DESC
"""
# Verified lines of commits that no session is linked to: what we would not know without the claims.
_ADDED = """
SELECT producer, claimed_author AS author, COALESCE(tool, '') AS tool, COALESCE(claimed_model, '') AS model,
  COUNT(DISTINCT commit_sha) AS commits, SUM(lines) AS lines FROM claimed_lines
WHERE repo_id IN ({repos}) AND NOT has_session GROUP BY 1, 2, 3, 4 ORDER BY 1, 6 DESC
"""

# --- what the claims are worth ----------------------------------------------------------------------------------------

# Records of one producer and group. `unread`: not judged; `carried`: of commits beside the branch whose lines are in a commit of
# it, not counted in what follows; `attesting`: on the branch, and naming lines; `consistent`: all of them added by the commit.
_COUNTS = """
SELECT r.producer, {group} AS "group", COUNT(*) AS records, SUM(r.state NOT IN ('read', 'own')) AS unread,
  SUM(r.state = 'read' AND {on_branch}) AS on_branch, SUM(x.anchor IN ({carried})) AS carried,
  SUM(r.state = 'read' AND x.reach IN ('ref', 'none')) AS on_other_refs,
  SUM(r.state = 'read' AND x.reach = 'missing') AS commit_missing,
  SUM({on_branch} AND x.lines > 0) AS attesting,
  SUM({on_branch} AND x.lines > 0 AND x.findings NOT IN ({wrong})) AS consistent,
  SUM(CASE WHEN {on_branch} THEN x.lines ELSE 0 END) AS lines,
  SUM(CASE WHEN {on_branch} THEN x.ok + x.overlapping + x.dangling_key ELSE 0 END) AS added,
  SUM(CASE WHEN {on_branch} THEN x.not_added ELSE 0 END) AS not_added,
  SUM(CASE WHEN {on_branch} THEN x.beyond_eof ELSE 0 END) AS beyond_eof,
  SUM(CASE WHEN {on_branch} THEN x.file_missing ELSE 0 END) AS file_missing
FROM claim_records r JOIN claim_record_checks x ON x.record_id = r.id WHERE r.repo_id IN ({repos}) GROUP BY 1, 2 ORDER BY 1, 2
"""
_WRONG = (ClaimStatus.COMMIT_MISSING, ClaimStatus.FILE_MISSING, ClaimStatus.BEYOND_EOF, ClaimStatus.NOT_ADDED)


def _accuracy(store: Store, ids: str, group: str) -> list[Row]:
    carried = sql_list(CARRIED)
    on_branch = f"x.reach = 'branch' AND x.anchor NOT IN ({carried})"
    rows = store.rows(_COUNTS.format(group=group, wrong=sql_list(_WRONG), repos=ids, carried=carried, on_branch=on_branch))
    for row in rows:
        row["consistent_percent"] = round(100 * row["consistent"] / row["attesting"], 1) if row["attesting"] else None
    return rows


def _statuses(store: Store, ids: str) -> list[Row]:
    rows = store.rows(
        "SELECT r.producer, x.status, COUNT(*) AS records, SUM(x.lines) AS lines FROM claim_records r "
        f"JOIN claim_record_checks x ON x.record_id = r.id WHERE r.repo_id IN ({ids}) AND r.state = 'read' GROUP BY 1, 2",
    )
    return sorted(rows, key=lambda row: (row["producer"], list(ClaimStatus).index(row["status"])))


# --- beside ours ------------------------------------------------------------------------------------------------------

_LINKED = "EXISTS (SELECT 1 FROM commit_sessions cs WHERE cs.commit_id = c.id)"
_BESIDE = """
SELECT producer, COALESCE(tool_version, '') AS tool_version, COALESCE(substr(commit_at, 1, 7), '') AS month, claimed_author,
  claimed_basis, record_status, copied, claim_lines, file_lines_added, lines, author, how, evidence, reason FROM claimed_lines
WHERE repo_id IN ({repos}) AND has_session
"""
_WHOLE = f"""
SELECT 'trailers' AS producer, '' AS tool_version, COALESCE(substr(c.author_at, 1, 7), '') AS month, 'agent' AS claimed_author,
  '' AS claimed_basis, 'ok' AS record_status, 0 AS copied, NULL AS claim_lines, NULL AS file_lines_added,
  SUM(s.end_line - s.start_line + 1) AS lines,
  o.author, o.how, o.evidence, o.reason
FROM (SELECT DISTINCT r.repo_id, r.commit_sha FROM claim_records r WHERE r.producer = 'trailers' AND r.repo_id IN ({{repos}})) t
JOIN commits c ON c.repo_id = t.repo_id AND c.commit_sha = t.commit_sha JOIN commit_files f ON f.commit_id = c.id
JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id
WHERE {_LINKED} GROUP BY 3, o.author, o.how, o.evidence, o.reason
"""
# Lines that we saw an agent write, in commits a record speaks of, and that it does not name.
_SILENT = f"""
SELECT r.producer, COALESCE(substr(x.commit_at, 1, 7), '') AS month, SUM(f.agent_lines) AS lines
FROM claim_records r JOIN claim_record_checks x ON x.record_id = r.id AND x.reach = 'branch'
JOIN commits c ON c.repo_id = r.repo_id AND c.commit_sha = x.commit_sha JOIN commit_files f ON f.commit_id = c.id
WHERE r.repo_id IN ({{repos}}) AND r.state = 'read' AND x.lines > 0 AND {_LINKED} GROUP BY 1, 2
"""
_NO_TRAILER = f"""
SELECT 'trailers' AS producer, COALESCE(substr(c.author_at, 1, 7), '') AS month, SUM(f.agent_lines) AS lines FROM commits c
JOIN commit_files f ON f.commit_id = c.id WHERE c.repo_id IN ({{repos}}) AND c.declared_agent IS NULL AND c.repo_id IN
(SELECT repo_id FROM stage_runs WHERE stage = 'claims') AND {_LINKED} GROUP BY 2 HAVING SUM(f.agent_lines) > 0
"""


class _Compared(NamedTuple):
    """Lines that both a claim and we speak of; the names are those of the table `agreement`."""

    producer: str
    group: str  # month and version of the tool
    claimed: str
    ours: str
    verdict: str  # a word of Agreement
    cause: str  # a word of Disagreement


def _agreement(store: Store, ids: str) -> list[Row]:
    sums, claimed = Counter[_Compared](), Counter[tuple[str, str]]()
    for query in (_BESIDE, _WHOLE):
        for lines in store.select(ComparedLines, query.format(repos=ids)):
            version = f"{lines.month} {lines.tool_version}".strip()
            sums[_Compared(lines.producer, version, lines.claimed_author, lines.author or "", *compare(lines))] += lines.lines
            if lines.author == Author.AGENT:
                claimed[lines.producer, lines.month] += lines.lines
    unnamed = [(row, row["lines"] - claimed[row["producer"], row["month"]]) for row in store.rows(_SILENT.format(repos=ids))]
    unnamed += [(row, row["lines"]) for row in store.rows(_NO_TRAILER.format(repos=ids))]
    for row, count in unnamed:
        if count > 0:
            sums[_Compared(row["producer"], row["month"], "", Author.AGENT, Agreement.NOT_CLAIMED, "")] += count
    return [{**compared._asdict(), "lines": count} for compared, count in sorted(sums.items())]


def sum_groups(rows: Sequence[Row]) -> list[Row]:
    """The table `agreement` summed over months and versions, most lines first within a producer."""
    sums = Counter[_Compared]()
    for row in rows:
        sums[_Compared(**{name: row[name] for name in _Compared._fields} | {"group": ""})] += row["lines"]
    totals = [{**compared._asdict(), "lines": count} for compared, count in sums.items()]
    return sorted(totals, key=lambda row: (row["producer"], -row["lines"]))
