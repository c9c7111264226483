"""Embeddings of sessions as rows, and the curves of one session beside its turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attribution.queries.sessions import find_session
from collector.errors import WhoWroteError
from collector.storage.views import Table, read_view, table_of

if TYPE_CHECKING:
    from collector.storage.store import Store

_CURVES = """
SELECT n.key AS n, n.value AS turn, cp.value AS cp, c.value AS coherence, COALESCE(t.origin, '') AS origin, t.prompt
FROM session_embeddings e JOIN json_each(e.curve_turns) n
LEFT JOIN json_each(e.cp_curve) cp ON cp.key = n.key
LEFT JOIN json_each(e.intent_coherence_curve) c ON c.key = n.key
LEFT JOIN turns t ON t.session_id = e.session_id AND t.turn_index = n.value
WHERE e.session_id = ? AND e.model = ? ORDER BY n.key
"""


def drift_table(store: Store, repo: int | None, model: str, session_id: int | None = None) -> Table:
    """The view `session_drift`, of one model: a row per session, or that of one session."""
    only = {"model": model, "repo_id": repo, "session_id": session_id}
    return read_view(store, "session_drift", only, "repo, started_at DESC, session_id")


def curve_table(store: Store, key: str, repo: int | None = None) -> Table:
    """The turns of a session with their entries of the curves, by a sentence model where there is one.

    Raises WhoWroteError for a session without embeddings.
    """
    session_id = find_session(store, key, repo)
    model = store.value(
        "SELECT model FROM session_embeddings WHERE session_id = ? ORDER BY backend = 'ngrams', model", (session_id,)
    )
    if model is None:
        raise WhoWroteError(f"session {key} has no embedding yet", "Compute it with: whowrote data embed PATH")
    (session,) = drift_table(store, None, model, session_id)
    mode = (session["session_failure_mode"] or "undecided").replace("_", " ")
    notes = [f"{session['label']} ({session['key']}, {model})", f"failure mode: {mode} ({session['reason']})"]
    return table_of(store.rows(_CURVES, (session_id, model)), notes=notes)
