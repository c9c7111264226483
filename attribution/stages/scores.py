"""Scores of sessions in the database: computed from their features, stored with their parts, compared with people's ratings."""

from __future__ import annotations

import json
from typing import Any

from attribution.queries.features import session_features
from attribution.scores import quality
from attribution.scores.quality import Score, score
from collector.storage.store import Store

_COLUMNS = (
    "session_id", "task_type", "q", "tier", "completion", "execution", "efficiency", "outcome", "weight_covered", "special",
    "cost_usd", "roi", "parts", "version",
)  # fmt: skip


def fill_scores(store: Store, repo_id: int) -> None:
    """Fills `scores` of a repository. Call within a transaction, after the features."""
    store.connection.execute("DELETE FROM scores WHERE session_id IN (SELECT id FROM sessions WHERE repo_id = ?)", (repo_id,))
    prompts = _first_prompts(store, repo_id)
    found = [
        (row.session_id, score({**row.data(), "first_prompt": prompts.get(row.session_id)}))
        for row in session_features(store, repo_id)
        if row.values["tool_call_count"] is not None
    ]
    store.insert("scores", _COLUMNS, (_row(session, one) for session, one in found))


def _first_prompts(store: Store, repo_id: int) -> dict[int, str]:
    found = store.rows(
        "SELECT t.session_id, MIN(t.turn_index), t.prompt FROM turns t JOIN sessions s ON s.id = t.session_id "
        "WHERE s.repo_id = ? GROUP BY t.session_id",
        (repo_id,),
    )
    return {row["session_id"]: row["prompt"] or "" for row in found}


def _row(session: int, s: Score) -> tuple[Any, ...]:
    parts = [
        {"part": x.part, "signal": x.name, "weight": x.weight, "score": x.score, "value": x.value} for x in s.signals
    ]  # fmt: skip
    return (
        session, s.task_type, s.q, s.tier, *(s.parts[p] for p in quality.PARTS), s.covered, s.special or None, s.cost_usd, s.roi,
        json.dumps({"weights": s.weights, "signals": parts}), quality.VERSION,
    )  # fmt: skip


# --- people's ratings -------------------------------------------------------------------------------------------------
