"""What `data claims` shows: what is claimed, how much of it is true of its commit, and how it compares with our own lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attribution.exchange.words import ClaimStatus

if TYPE_CHECKING:
    from collector.storage.store import Store

Row = dict[str, Any]
_COUNTS = (
    "records", "unread", "on_branch", "carried", "on_other_refs", "commit_missing", "attesting", "consistent", "lines", "added",
    "not_added", "beyond_eof", "file_missing",
)  # fmt: skip


@dataclass(slots=True)
class ClaimsReport:
    repositories: list[str]
    tables: dict[str, list[Row]]  # producer, status, month, version, agreement, added
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
        "producer": _worth(store, ids, "''"),
        "status": _statuses(store, ids),
        "month": _worth(store, ids, "month"),
        "version": _worth(store, ids, "version"),
        "agreement": store.rows(
            "SELECT producer, trim(month || ' ' || version) AS \"group\", claimed, ours, verdict, cause, SUM(lines) AS lines "
            f"FROM claim_agreement WHERE repo_id IN ({ids}) GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6"
        ),
        # Verified lines of commits that no session is linked to: what we would not know without the claims.
        "added": store.rows(
            "SELECT producer, claimed_author AS author, COALESCE(tool, '') AS tool, COALESCE(claimed_model, '') AS model, "
            "COUNT(DISTINCT commit_sha) AS commits, SUM(lines) AS lines FROM claimed_lines "
            f"WHERE repo_id IN ({ids}) AND NOT has_session GROUP BY 1, 2, 3, 4 ORDER BY 1, 6 DESC"
        ),
    }
    problems = store.rows(
        "SELECT code, COUNT(*) AS count, MIN(subject || ' ' || COALESCE(detail, '')) AS example FROM problems "
        f"WHERE stage = 'claims' AND repo_id IN ({ids}) GROUP BY code ORDER BY 2 DESC"
    )
    unattributed = _names(store, f"id IN ({ids}) AND id NOT IN (SELECT repo_id FROM stage_runs WHERE stage = 'lines') ORDER BY id")
    notes = [f"not attributed, so claims cannot be compared: {', '.join(unattributed)}; run: whowrote repo PATH"]
    return ClaimsReport(_names(store, f"id IN ({ids}) ORDER BY name"), tables, problems, notes if unattributed else [])


def _names(store: Store, condition: str) -> list[str]:
    return [row["name"] for row in store.rows(f"SELECT name FROM repos WHERE {condition}")]


def _worth(store: Store, ids: str, group: str) -> list[Row]:
    """The view `claim_worth` by producer and one more column, with the share of consistent records."""
    sums = ", ".join(f"SUM({name}) AS {name}" for name in _COUNTS)
    return store.rows(
        f"SELECT *, ROUND(100.0 * consistent / NULLIF(attesting, 0), 1) AS consistent_percent FROM (SELECT producer, {group} "
        f'AS "group", {sums} FROM claim_worth WHERE repo_id IN ({ids}) GROUP BY 1, 2) ORDER BY 1, 2'
    )


def _statuses(store: Store, ids: str) -> list[Row]:
    rows = store.rows(
        "SELECT r.producer, x.status, COUNT(*) AS records, SUM(x.lines) AS lines FROM claim_records r "
        f"JOIN claim_record_checks x ON x.record_id = r.id WHERE r.repo_id IN ({ids}) AND r.state = 'read' GROUP BY 1, 2",
    )
    return sorted(rows, key=lambda row: (row["producer"], list(ClaimStatus).index(row["status"])))


def sum_groups(rows: Sequence[Row]) -> list[Row]:
    """The table `agreement` summed over months and versions, most lines first within a producer."""
    names = ("producer", "claimed", "ours", "verdict", "cause")
    sums = Counter[tuple[str, ...]]()
    for row in rows:
        sums[tuple(row[name] for name in names)] += row["lines"]
    totals = [dict(zip((*names, "lines"), (*key, lines), strict=True)) for key, lines in sums.items()]
    return sorted(totals, key=lambda row: (row["producer"], -row["lines"]))
