"""What the core asks of this plug-in (`collector/plugins.py`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collector.runtime.stages import RunContext
    from collector.storage.store import Store
    from collector.storage.views import Table

HOOKS = {
    "judge_labels": "attribution.evaluation.judge.queries:latest_labels",
    "session_sections": "attribution.evaluation.scores.report:session_sections",
    "repository_sections": "attribution.evaluation.scores.report:repository_sections",
}


def after_lines(context: RunContext) -> None:
    """Labels of judges in the rows of turns."""
    from attribution.evaluation.judge.stage import fill_turn_labels

    fill_turn_labels(context.store, context.repo_id)


def after_features(store: Store, repo_id: int) -> None:
    """Scores of sessions, and how they failed."""
    from attribution.evaluation.failure_modes.stage import fill_failure_modes
    from attribution.evaluation.scores.stage import fill_scores

    fill_scores(store, repo_id)
    fill_failure_modes(store, repo_id)


def features_version() -> str:
    from attribution.evaluation.failure_modes import stage as failure_modes
    from attribution.evaluation.scores import quality

    return f"{quality.VERSION} {failure_modes.VERSION}"


def session_works(store: Store, repo_id: int) -> dict[int, str]:
    """Session -> kind of work, where one is known."""
    rows = store.rows(
        "SELECT session_id, work FROM session_scores WHERE repo_id = ? AND work IS NOT NULL",
        (repo_id,),
    )
    return {row["session_id"]: row["work"] for row in rows}


def pushback_by_vectors(store: Store, repo: int | None) -> dict[int, list[int | None]]:
    """Session -> for each typed message, whether it pushes back by its sentence vector; None:
    its language was not measured.
    """
    sql = (
        "SELECT session_id, turn_pushes_back FROM session_drift WHERE turn_pushes_back IS NOT NULL"
        " AND ?1 IN (repo_id, 0)"
    )
    return {
        row["session_id"]: json.loads(row["turn_pushes_back"])
        for row in store.rows(sql, (repo or 0,))
    }


def chapters() -> dict[str, Callable[[Store], list[Table]]]:
    from attribution.evaluation.grades.report import grades
    from attribution.evaluation.maintainability.report import maintainability
    from attribution.evaluation.study import study

    return {"study": study, "grades": grades, "maintainability": maintainability}


def browse_tables() -> dict[str, dict[str, Any]]:
    return {
        "scores": {"facets": ["tier", "task_type"], "sort_desc": "q"},
        "session_embeddings": {"hidden": True},
        "judgements": {"hidden": True},
    }
