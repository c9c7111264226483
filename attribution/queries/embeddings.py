"""Embeddings of sessions as rows and curves, for people and programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attribution.queries.sessions import find_session
from attribution.queries.turns import TurnRow, turns
from collector.errors import WhoWroteError

if TYPE_CHECKING:
    from collector.storage.store import Store

CurveValues = list[float | None]
"""One for each turn of the user; None where the turn has none."""


@dataclass(frozen=True, slots=True)
class SessionEmbedding:
    """A row of `session_embeddings`, whose columns `attribution/embedding/drift.py` describes, with its session."""

    repo: str
    key: str
    label: str
    agent: str | None
    started_at: str | None
    session_id: int
    backend: str
    model: str
    version: str
    texts: int
    curve_turns: list[int] | None
    cp_curve: CurveValues | None
    max_cp: float | None
    drift_onset_turn: int | None
    drift_onset_calibrated: int | None
    intent_coherence_curve: CurveValues | None
    assumption_lock_turn: int | None
    plan_ged: float | None
    plan_steps_first: int | None
    plan_steps_last: int | None
    goal_alignment_at_close: float | None
    session_failure_mode: str | None
    reason: str | None  # of the failure mode


_JSON = ("curve_turns", "cp_curve", "intent_coherence_curve")
_ROWS = """
SELECT r.name AS repo, s.key, s.label, s.agent, s.started_at, e.session_id, e.backend, e.model, e.version, e.texts,
  e.curve_turns, e.cp_curve, e.max_cp, e.drift_onset_turn, e.drift_onset_calibrated, e.intent_coherence_curve,
  e.assumption_lock_turn, e.plan_ged, e.plan_steps_first, e.plan_steps_last, e.goal_alignment_at_close,
  m.session_failure_mode, m.reason
FROM session_embeddings e JOIN sessions s ON s.id = e.session_id JOIN repos r ON r.id = s.repo_id
LEFT JOIN session_failure_modes m ON m.session_id = s.id
WHERE e.model = ? AND (? IS NULL OR s.repo_id = ?) AND (? IS NULL OR s.id = ?) ORDER BY r.name, s.started_at DESC, s.id
"""


def embedding_rows(store: Store, repo: int | None, model: str, session_id: int | None = None) -> list[SessionEmbedding]:
    """A row per session, or that of one session."""
    return [_decoded(row) for row in store.rows(_ROWS, (model, repo, repo, session_id, session_id))]


def _decoded(row: dict[str, Any]) -> SessionEmbedding:
    values = {name: json.loads(row[name]) if row[name] is not None else None for name in _JSON}
    return SessionEmbedding(**(row | values))


@dataclass(frozen=True, slots=True)
class CurveTurn:
    """One entry of the curves of a session, with its turn."""

    n: int
    turn: int
    cp: float | None
    coherence: float | None
    origin: str
    prompt: str | None


@dataclass(frozen=True, slots=True)
class SessionCurves:
    """One session by one model."""

    session: SessionEmbedding
    turns: list[CurveTurn]


def curves(store: Store, key: str, repo: int | None = None) -> SessionCurves:
    """The curves of one session beside its turns, by the sentence model when there is one. Raises WhoWroteError."""
    session_id = find_session(store, key, repo)
    model = store.value(
        "SELECT model FROM session_embeddings WHERE session_id = ? ORDER BY backend = 'minilm' DESC, model", (session_id,)
    )
    if model is None:
        raise WhoWroteError(f"session {key} has no embedding yet", "Compute it with: whowrote data embed PATH")
    session = embedding_rows(store, None, model, session_id)[0]
    asked, unknown = turns(store, session_id), TurnRow(0, None, "", "")
    entries = [
        CurveTurn(
            n, index, _entry(session.cp_curve, n), _entry(session.intent_coherence_curve, n), asked.get(index, unknown).origin,
            asked.get(index, unknown).prompt,
        )
        for n, index in enumerate(session.curve_turns or ())
    ]  # fmt: skip
    return SessionCurves(session, entries)


def _entry(curve: Sequence[float | None] | None, n: int) -> float | None:
    return curve[n] if curve is not None else None
