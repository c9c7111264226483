"""Grade patterns of a database: scores read, grouped and compared."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from attribution.queries.scores import model_points, session_scores
from attribution.scores import grades
from attribution.scores.grades import GradeCell, Graded, GradeGap, Harm, Harmed, Trend
from attribution.scores.quality import ModelPoint
from attribution.stats import estimates
from collector.errors import WhoWroteError
from collector.storage.store import Store

HIGH = ("ERROR", "HIGH", "CRITICAL")  # severities of findings that count as harm


@dataclass(slots=True)
class GradeReport:
    least: int
    method: str  # of the intervals: jackknife | bootstrap
    graded: int
    ungraded: int  # sessions without a score
    cells: dict[str, list[GradeCell]]
    gaps: dict[str, list[GradeGap]]
    trend: Trend
    harm: list[Harm]
    models: list[ModelPoint]
    notes: list[str] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        """Everything, JSON-ready."""
        return {
            "least": self.least, "method": self.method, "graded": self.graded, "ungraded": self.ungraded,
            "cells": {name: [_row(c) for c in some] for name, some in self.cells.items()},
            "gaps": {name: [_row(g) for g in some] for name, some in self.gaps.items()},
            "trend": _row(self.trend),
            "harm": [_row(h) for h in self.harm],
            "models": [asdict(m) for m in self.models], "notes": self.notes,
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """One row for each cell, intervals as two columns."""
        found = []
        for some in self.cells.values():
            for c in some:
                row = asdict(c)
                interval = row.pop("interval")
                low, high = interval if interval else (None, None)
                found.append({**row, "low": low, "high": high})
        return found


def _row(value: Any) -> dict[str, Any]:
    row: dict[str, Any] = asdict(value)
    return row


def grade_report(store: Store, least: int = grades.LEAST, bootstrap: bool = False) -> GradeReport:
    """Cells, gaps, trend and harm over all repositories of a database. Raises WhoWroteError without scores, StatsMissing."""
    if bootstrap:
        estimates.require()
    draw = estimates.cluster_bootstrap if bootstrap else None
    rows = session_scores(store)
    graded = [_graded(row) for row in rows if row["q"] is not None]
    if not graded:
        raise WhoWroteError(f"{store.path} has no scores yet", f"They are computed with: attribute repo PATH --db {store.path}")
    harmed, notes = harm_of(store)
    every = [h for grouping in ("all", "harness", "model") for h in grades.harm(harmed, grouping)]
    found = GradeReport(
        least, "bootstrap" if bootstrap else "jackknife", len(graded), store.value("SELECT COUNT(*) FROM sessions") - len(graded),
        {grouping: grades.cells(graded, grouping, least, draw) for grouping in grades.GROUPINGS},
        {grouping: grades.gaps(graded, grouping, least, draw) for grouping in grades.COMPARED},
        grades.trend(graded, draw), every, model_points(rows), notes=notes,
    )  # fmt: skip
    empty = sum(1 for row in rows if row["special"] == "empty")
    if empty:
        found.notes.append(f"{empty} sessions produced nothing at all: their score is 0 by rule, and few of them move a mean")
    undated = sum(1 for g in graded if g.at is None)
    if undated:
        found.notes.append(f"{undated} sessions have no time and are in no week")
    return found


def _graded(row: dict[str, Any]) -> Graded:
    harness, model = row["agent"] or grades.NONE, row["model"] or grades.NONE
    return Graded(float(row["q"]), row["task_type"], harness, model, row["repo"], _time(row["started_at"]))


def _time(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


# --- harm -------------------------------------------------------------------------------------------------------------


def harm_of(store: Store) -> tuple[list[Harmed], list[str]]:
    """What is known of the harm of every graded session, and what is not known at all."""
    commits = _commits(store)
    findings = _findings(store)
    undone = _undone(store)
    rows = store.rows(
        "SELECT q.session_id, q.task_type, s.agent, s.model, t.repo_id IS NOT NULL AS followed FROM scores q "
        "JOIN sessions s ON s.id = q.session_id LEFT JOIN tip_states t ON t.repo_id = s.repo_id WHERE q.q IS NOT NULL ORDER BY s.id"
    )
    found = []
    for row in rows:
        session, harness, model = row["session_id"], row["agent"] or grades.NONE, row["model"] or grades.NONE
        linked, reverted = commits.get(session, (0, 0)) if row["followed"] else (None, None)
        brought = None if findings is None else findings.get(session)
        found.append(Harmed(harness, model, row["task_type"], linked, reverted, undone.get(session), brought))
    notes = []
    lost = sum(1 for row in rows if not row["followed"])
    if lost:
        notes.append(f"reverted commits are not known for {lost} sessions: attribute repo --history PATH follows their commits")
    if findings is None:
        notes.append("no weaknesses are in the database: introduced findings are not known, which is not zero")
    return found, notes


def _commits(store: Store) -> dict[int, tuple[int, int]]:
    """Session -> commits with lines of it whose later history was followed, and those of them that were taken back."""
    rows = store.rows(
        "SELECT cs.session_id, COUNT(*) AS commits, SUM(h.reverted_by IS NOT NULL) AS reverted FROM commit_sessions cs "
        "JOIN commits c ON c.id = cs.commit_id JOIN history_commits h ON h.repo_id = c.repo_id AND h.commit_sha = c.commit_sha "
        "WHERE cs.agent_lines > 0 GROUP BY cs.session_id"
    )
    return {row["session_id"]: (row["commits"], row["reverted"]) for row in rows}


def _undone(store: Store) -> dict[int, bool]:
    if "changes_reverted" not in _columns(store, "session_features"):
        return {}
    rows = store.rows("SELECT session_id, changes_reverted FROM session_features WHERE changes_reverted IS NOT NULL")
    return {row["session_id"]: bool(row["changes_reverted"]) for row in rows}


def _findings(store: Store) -> dict[int, int] | None:
    """Session -> weaknesses of high severity it brought in, 0 for the others of repositories with findings; None without any.

    The table is filled by the scan of weaknesses; a database may be without it.
    """
    columns = _columns(store, "findings")
    if not {"severity", "session_id"} <= columns or not store.value("SELECT COUNT(*) FROM findings"):
        return None
    introduced = " AND f.status = 'introduced'" if "status" in columns else ""
    own = "SELECT repo_id FROM findings"
    scanned = own if "repo_id" in columns else "SELECT x.repo_id FROM findings f JOIN sessions x ON x.id = f.session_id"
    marks = ", ".join("?" * len(HIGH))
    rows = store.rows(
        "SELECT s.id, (SELECT COUNT(*) FROM findings f WHERE f.session_id = s.id "
        f"AND UPPER(f.severity) IN ({marks}){introduced}) AS n FROM sessions s WHERE s.repo_id IN ({scanned})",
        HIGH,
    )
    return {row["id"]: row["n"] for row in rows}


def _columns(store: Store, table: str) -> set[str]:
    return {row["name"] for row in store.rows("SELECT name FROM pragma_table_info(?)", (table,))}
