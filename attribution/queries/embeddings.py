"""Embeddings of sessions: computed for the clones a database knows, and as rows and curves for people and programs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from attribution.embedding.drift import FEATURES
from attribution.queries.sessions import session_id
from collector.errors import NotARepository, WhoWroteError
from collector.git.repository import GitRepo
from collector.storage.store import Store

_JSON = tuple(f.name for f in FEATURES if f.type == "json")


def clones(store: Store, repo: int | None) -> tuple[list[tuple[int, str, GitRepo]], list[str]]:
    """(number, name, clone) of the repositories of a database that are where they were, and a note for each that is not.

    Raises WhoWroteError when there is none.
    """
    found, notes = [], []
    for row in store.rows("SELECT id, name, path FROM repos WHERE ? IS NULL OR id = ? ORDER BY name", (repo, repo)):
        try:
            found.append((row["id"], row["name"], GitRepo(row["path"] or "")))
        except NotARepository:
            notes.append(f"the clone of {row['name']} is no longer at {row['path']}; name it: PATH")
    if not found:
        raise WhoWroteError(
            "the texts of the sessions are in their clones, and none was found", "\n".join(notes) or "Name a clone: PATH"
        )
    return found, notes


def embedding_rows(store: Store, repo: int | None, model: str) -> list[dict[str, Any]]:
    """A row per session; JSON columns as values."""
    rows = store.rows(
        "SELECT r.name AS repo, s.key, s.label, s.agent, s.started_at, e.*, m.session_failure_mode, m.reason "
        "FROM session_embeddings e JOIN sessions s ON s.id = e.session_id JOIN repos r ON r.id = s.repo_id "
        "LEFT JOIN session_failure_modes m ON m.session_id = s.id "
        "WHERE e.model = ? AND (? IS NULL OR s.repo_id = ?) ORDER BY r.name, s.started_at DESC, s.id",
        (model, repo, repo),
    )
    for row in rows:
        for name in _JSON:
            row[name] = json.loads(row[name]) if row[name] is not None else None
    return rows


@dataclass(frozen=True, slots=True)
class Curves:
    """One session by one model: its row, and a row per turn."""

    row: dict[str, Any]
    turns: list[dict[str, Any]]


def curves(store: Store, given: str, repo: int | None = None) -> Curves:
    """The curves of one session beside its turns, by the sentence model when there is one. Raises WhoWroteError."""
    wanted = session_id(store, given, repo)
    models = store.rows(
        "SELECT model FROM session_embeddings WHERE session_id = ? ORDER BY backend = 'minilm' DESC, model", (wanted,)
    )
    if not models:
        raise WhoWroteError(f"session {given} was not embedded", "Do that with: attribute embed PATH")
    row = next(r for r in embedding_rows(store, None, models[0]["model"]) if r["session_id"] == wanted)
    texts = {r["turn_index"]: r for r in store.rows("SELECT * FROM turns WHERE session_id = ?", (wanted,))}
    turns = [
        {
            "n": n, "turn": turn, "cp": _at(row["cp_curve"], n), "coherence": _at(row["intent_coherence_curve"], n),
            "origin": texts[turn]["origin"] if turn in texts else "", "prompt": texts[turn]["prompt"] if turn in texts else "",
        }
        for n, turn in enumerate(row["curve_turns"] or ())
    ]  # fmt: skip
    return Curves(row, turns)


def _at(curve: list[float | None] | None, n: int) -> float | None:
    return curve[n] if curve is not None else None
