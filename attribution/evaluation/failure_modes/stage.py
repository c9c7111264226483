"""Fills `session_failure_modes` from what the other tables hold."""

from __future__ import annotations

from typing import Any

from attribution.evaluation.failure_modes.tree import VERSION, failure_mode
from attribution.queries.features import features_ready, session_features
from collector.storage.store import Store

_COLUMNS = (
    "session_id", "session_failure_mode", "reason", "embedding_model", "judge_model", "judge_prompt_version", "version",
)  # fmt: skip
# Embeddings of a sentence model go before hashed words.
_EMBEDDINGS = """
SELECT e.* FROM session_embeddings e JOIN sessions s ON s.id = e.session_id WHERE s.repo_id = ?
ORDER BY e.backend <> 'ngrams', e.model
"""
_LABELS = """
SELECT l.session_id, l.model, l.prompt_version, MAX(CASE WHEN l.label = 'scope_drift' THEN l.number END) AS scope_drift,
  MAX(CASE WHEN l.label = 'conflation_turn' THEN l.number END) AS conflation_turn
FROM latest_labels l JOIN sessions s ON s.id = l.session_id WHERE s.repo_id = ? AND l.label IN ('scope_drift', 'conflation_turn')
GROUP BY l.session_id, l.model, l.prompt_version
"""
_FIRST_TURNS = """
SELECT t.session_id, MIN(t.turn_index) AS first_turn FROM turns t JOIN sessions s ON s.id = t.session_id
WHERE s.repo_id = ? GROUP BY t.session_id
"""


def fill_failure_modes(store: Store, repo_id: int) -> None:
    """Decides for every session of a repository again. Labels of different judges are never mixed. Raises DatabaseUnusable."""
    if not features_ready(store):
        return
    embeddings, labels, first_turns = (_session_rows(store, sql, repo_id) for sql in (_EMBEDDINGS, _LABELS, _FIRST_TURNS))
    rows = []
    for features in session_features(store, repo_id):
        session = features["session_id"]
        vectors, judged = embeddings.get(session, {}), labels.get(session, {})
        mode, reason = failure_mode(
            {
                **features,
                **{name: vectors.get(name) for name in ("assumption_lock_turn", "drift_onset_calibrated", "plan_steps_first")},
                "scope_drift": judged.get("scope_drift"), "conflation_turn": judged.get("conflation_turn"),
                "embedded": bool(vectors), "judged": bool(judged),
                "first_turn": first_turns.get(session, {"first_turn": 1})["first_turn"],
                "files_changed": bool(features["touched_files"]),
            }
        )  # fmt: skip
        judge = (judged.get("model"), judged.get("prompt_version"))
        rows.append((session, mode, reason, vectors.get("model"), *judge, VERSION))
    with store.transaction() as connection:
        connection.execute(
            "DELETE FROM session_failure_modes WHERE session_id IN (SELECT id FROM sessions WHERE repo_id = ?)", (repo_id,)
        )
        store.insert("session_failure_modes", _COLUMNS, rows)


def _session_rows(store: Store, sql: str, repo_id: int) -> dict[int, dict[str, Any]]:
    return {row["session_id"]: row for row in store.rows(sql, (repo_id,))}
