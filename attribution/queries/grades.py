"""Grade patterns of a database: scores read, grouped and compared."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from attribution.queries.scores import SessionScore, model_points, session_scores
from attribution.scores import grades
from attribution.scores.grades import GradeCell, Graded, GradeGap, Harm, Harmed, Trend
from collector.errors import WhoWroteError

if TYPE_CHECKING:
    from attribution.scores.quality import ModelPoint
    from collector.storage.store import Store

HIGH = ("ERROR", "HIGH", "CRITICAL")  # severities of findings that count as harm


@dataclass(slots=True)
class GradeReport:
    least: int
    graded: int
    ungraded: int  # sessions without a score
    cells: dict[str, list[GradeCell]]  # by grouping
    gaps: dict[str, list[GradeGap]]  # by grouping
    trend: Trend
    harm: list[Harm]
    models: list[ModelPoint]
    notes: list[str] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {
            "least": self.least, "graded": self.graded, "ungraded": self.ungraded,
            "cells": {grouping: [asdict(cell) for cell in cells] for grouping, cells in self.cells.items()},
            "gaps": {grouping: [asdict(gap) for gap in gaps] for grouping, gaps in self.gaps.items()},
            "trend": asdict(self.trend), "harm": [asdict(harm) for harm in self.harm],
            "models": [asdict(model) for model in self.models], "notes": self.notes,
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """Plain values of each cell, intervals as two columns, for --csv."""
        return [_row(cell) for cells in self.cells.values() for cell in cells]


def _row(cell: GradeCell) -> dict[str, Any]:
    row = asdict(cell)
    del row["interval"]
    low, high = cell.interval or (None, None)
    return row | {"low": low, "high": high}


def grade_report(store: Store, least: int = grades.LEAST) -> GradeReport:
    """Cells, gaps, trend and harm over all repositories of a database. Raises WhoWroteError without scores."""
    scores = session_scores(store)
    graded = [_graded(score, score.q) for score in scores if score.q is not None]
    if not graded:
        raise WhoWroteError(f"{store.path} has no scores yet", f"Compute them with: whowrote repo PATH --db {store.path}")
    records = harm_of(store)
    report = GradeReport(
        least, len(graded), store.value("SELECT COUNT(*) FROM sessions") - len(graded),
        {grouping: grades.cells(graded, grouping, least) for grouping in grades.GROUPINGS},
        {grouping: grades.gaps(graded, grouping, least) for grouping in grades.COMPARED},
        grades.trend(graded),
        [harm for grouping in ("all", "harness", "model") for harm in grades.harm(records.harmed, grouping)],
        model_points(scores), notes=records.notes,
    )  # fmt: skip
    empty = sum(1 for score in scores if score.special == "empty")
    if empty:
        report.notes.append(f"{empty} sessions produced nothing at all; their score is 0 by rule, even a few of them change a mean")
    undated = sum(1 for session in graded if session.at is None)
    if undated:
        report.notes.append(f"{undated} sessions have no recorded time and are not assigned to a week")
    return report


def _graded(score: SessionScore, q: float) -> Graded:
    harness, model = score.agent or grades.NONE, score.model or grades.NONE
    return Graded(float(q), score.task_type, harness, model, score.repo, _time(score.started_at), score.work)


def _time(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


# --- harm -------------------------------------------------------------------------------------------------------------


class HarmRecords(NamedTuple):
    """What is known of the harm of every graded session, and what is not known at all."""

    harmed: list[Harmed]
    notes: list[str]


class _GradedSession(NamedTuple):
    session_id: int
    task_type: str
    agent: str | None
    model: str | None
    followed: int  # 1: the history of the lines of its repository is stored


def harm_of(store: Store) -> HarmRecords:
    commits, findings, undone = _commits(store), _findings(store), _undone(store)
    sessions = store.select(
        _GradedSession,
        "SELECT q.session_id, q.task_type, s.agent, s.model, t.repo_id IS NOT NULL AS followed FROM scores q "
        "JOIN sessions s ON s.id = q.session_id LEFT JOIN tip_states t ON t.repo_id = s.repo_id WHERE q.q IS NOT NULL "
        "ORDER BY s.id",
    )
    harmed = []
    for session in sessions:
        of_session = commits.get(session.session_id, _NO_COMMITS)
        linked, reverted = (of_session.commits, of_session.reverted) if session.followed else (None, None)
        introduced = None if findings is None else findings.get(session.session_id)
        harness, model = session.agent or grades.NONE, session.model or grades.NONE
        harmed.append(Harmed(harness, model, session.task_type, linked, reverted, undone.get(session.session_id), introduced))
    notes = []
    lost = sum(1 for session in sessions if not session.followed)
    if lost:
        notes.append(f"reverted commits are unknown for {lost} sessions: whowrote repo --history PATH computes them")
    if findings is None:
        notes.append("the database has no scan results: introduced findings are unknown, not zero")
    return HarmRecords(harmed, notes)


class _SessionCommits(NamedTuple):
    """Commits with lines of a session whose later history was followed, and those of them that were reverted."""

    session_id: int
    commits: int
    reverted: int


_NO_COMMITS = _SessionCommits(0, 0, 0)


def _commits(store: Store) -> dict[int, _SessionCommits]:
    rows = store.select(
        _SessionCommits,
        "SELECT cs.session_id, COUNT(*) AS commits, SUM(h.reverted_by IS NOT NULL) AS reverted FROM commit_sessions cs "
        "JOIN commits c ON c.id = cs.commit_id JOIN history_commits h ON h.repo_id = c.repo_id AND h.commit_sha = c.commit_sha "
        "WHERE cs.agent_lines > 0 GROUP BY cs.session_id",
    )
    return {row.session_id: row for row in rows}


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
