"""Scores of sessions in the database: computed from their features, stored with their parts."""

import json

from attribution.evaluation.scores.quality import PARTS, Deeds, Score, score
from attribution.evaluation.versions import SCORES
from attribution.features.turn_classes import shows_error
from attribution.queries.features import session_features
from collector.json_values import Row, RowValues
from collector.storage.store import Store
from collector.vocabulary.sessions import FROM_USER

_COLUMNS = (
    f"session_id, task_type, work, q, q_rank, tier, q_rated, tier_fitted, {', '.join(PARTS)}, "
    "weight_covered, special, cost_usd, roi, parts, version"
)


def fill_scores(store: Store, repo_id: int) -> None:
    """Fills `scores` of a repository. Call within a transaction, after the features."""
    store.connection.execute(
        "DELETE FROM scores WHERE session_id IN (SELECT id FROM sessions WHERE repo_id = ?)",
        (repo_id,),
    )
    requests = _requests(store, repo_id)
    deeds = _deeds(store, repo_id)
    scores = [
        (
            row["session_id"],
            score({**row, **requests.get(row["session_id"], {})}, deeds.get(row["session_id"])),
        )
        for row in session_features(store, repo_id)
        if row["tool_call_count"] is not None
    ]
    store.insert("scores", _COLUMNS, (_row(session, scored) for session, scored in scores))


def _requests(store: Store, repo_id: int) -> dict[int, Row]:
    """Session -> its first prompt of a person, how many turns asked for something, and those
    whose text shows an error.
    """
    requests: dict[int, Row] = {}
    for row in store.rows(
        "SELECT t.session_id, t.turn_index, t.origin, t.prompt FROM turns t JOIN sessions s ON s.id"
        " = t.session_id WHERE s.repo_id = ? ORDER BY t.session_id, t.turn_index",
        (repo_id,),
    ):
        request = requests.setdefault(
            row["session_id"], {"first_prompt": "", "asked_turns": 0, "error_turns": None}
        )
        if row["prompt"] is not None:
            shown = {row["turn_index"]} if shows_error(row["prompt"]) else set()
            request["error_turns"] = (request["error_turns"] or set()) | shown
        if row["origin"] in FROM_USER:
            request["asked_turns"] += 1
            request["first_prompt"] = request["first_prompt"] or row["prompt"] or ""
    return requests


def _deeds(store: Store, repo_id: int) -> dict[int, Deeds]:
    return {
        row.pop("session_id"): Deeds(**row)
        for row in store.rows(
            "SELECT session_id, SUM(origin <> 'injected') AS turns, SUM(origin <> 'injected' AND"
            " calls > 0) AS acting_turns, SUM(produced) AS produced, SUM(discarded) AS discarded,"
            " SUM(places) AS places, SUM(places_again) AS places_again, SUM(places_undone) AS"
            " places_undone, SUM(old_30) AS old, SUM(alive_30) AS alive FROM turn_outcomes WHERE"
            " repo_id = ? GROUP BY session_id",
            (repo_id,),
        )
    }


def _row(session: int, scored: Score) -> RowValues:
    signals = [
        {
            "part": signal.part,
            "signal": signal.name,
            "weight": signal.weight,
            "rated": signal.rated,
            "score": signal.score,
            "value": signal.value,
        }
        for signal in scored.signals
    ]
    return (
        session,
        scored.task_type,
        scored.work,
        scored.q,
        scored.rank,
        scored.tier,
        scored.q_rated,
        scored.tier_fitted,
        *(scored.parts[part] for part in PARTS),
        scored.covered,
        scored.special or None,
        scored.cost_usd,
        scored.roi,
        json.dumps({"weights": scored.weights, "signals": signals, "rated": scored.rated_parts}),
        SCORES,
    )
