"""Scores of sessions in the database: computed from their features, stored with their parts, compared with people's ratings."""

from __future__ import annotations

import json
from typing import Any

from attribution.queries.features import session_features
from attribution.scores import quality
from attribution.scores.quality import Deeds, Score, score
from collector.storage.store import Store
from collector.vocabulary.sessions import FROM_USER

_COLUMNS = (
    "session_id", "task_type", "work", "q", "q_rank", "tier", "completion", "execution", "efficiency", "outcome", "weight_covered",
    "special", "cost_usd", "roi", "parts", "version",
)  # fmt: skip


def fill_scores(store: Store, repo_id: int) -> None:
    """Fills `scores` of a repository. Call within a transaction, after the features."""
    store.connection.execute("DELETE FROM scores WHERE session_id IN (SELECT id FROM sessions WHERE repo_id = ?)", (repo_id,))
    asked, deeds = _asked(store, repo_id), _deeds(store, repo_id)
    found = [
        (row.session_id, score({**row.data(), **asked.get(row.session_id, {})}, deeds.get(row.session_id)))
        for row in session_features(store, repo_id)
        if row.values["tool_call_count"] is not None
    ]
    store.insert("scores", _COLUMNS, (_row(session, one) for session, one in found))


def _asked(store: Store, repo_id: int) -> dict[int, dict[str, Any]]:
    """Session -> its first prompt of a person, and how many turns asked for something."""
    found: dict[int, dict[str, Any]] = {}
    for row in store.rows(
        "SELECT t.session_id, t.origin, t.prompt FROM turns t JOIN sessions s ON s.id = t.session_id WHERE s.repo_id = ? "
        "ORDER BY t.session_id, t.turn_index",
        (repo_id,),
    ):
        one = found.setdefault(row["session_id"], {"first_prompt": "", "asked_turns": 0})
        if row["origin"] in FROM_USER:
            one["asked_turns"] += 1
            one["first_prompt"] = one["first_prompt"] or row["prompt"] or ""
    return found


def _deeds(store: Store, repo_id: int) -> dict[int, Deeds]:
    return {
        row["session_id"]: Deeds(*(row[name] for name in Deeds._fields))
        for row in store.rows(
            "SELECT session_id, SUM(produced) AS produced, SUM(discarded) AS discarded, SUM(places) AS places, "
            "SUM(places_undone) AS places_undone, SUM(old_30) AS old, SUM(alive_30) AS alive FROM turn_outcomes "
            "WHERE repo_id = ? GROUP BY session_id",
            (repo_id,),
        )
    }


def _row(session: int, s: Score) -> tuple[Any, ...]:
    parts = [
        {"part": x.part, "signal": x.name, "weight": x.weight, "score": x.score, "value": x.value} for x in s.signals
    ]  # fmt: skip
    return (
        session, s.task_type, s.work, s.q, s.rank, s.tier, *(s.parts[p] for p in quality.PARTS), s.covered, s.special or None,
        s.cost_usd, s.roi, json.dumps({"weights": s.weights, "signals": parts}), quality.VERSION,
    )  # fmt: skip
