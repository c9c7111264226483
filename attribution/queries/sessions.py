"""Sessions as rows for people and programs: features, rounds of edits, scores taken apart."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from attribution.features.nulls import REASONS, VIEW
from attribution.queries.features import features_ready, session_features
from attribution.queries.scores import session_scores
from collector.errors import WhoWroteError
from collector.storage.store import Store


def session_id(store: Store, given: str, repo: int | None = None) -> int:
    """Number of the session whose key is `given` or begins with it, or whose number it is. Raises WhoWroteError."""
    found = store.rows(
        "SELECT id, key FROM sessions WHERE (? IS NULL OR repo_id = ?) AND (key = ? OR substr(key, 1, ?) = ? OR id = ?)",
        (
            repo,
            repo,
            given,
            max(len(given), 4),
            given,
            int(given) if given.isascii() and given.isdigit() and len(given) < 10 else -1,
        ),
    )
    exact = [row for row in found if row["key"] == given] or found
    if not exact:
        raise WhoWroteError(f"there is no session {given}", "List the sessions with: attribute sessions --json")
    if len(exact) > 1:
        raise WhoWroteError(f"{given} is the beginning of {len(exact)} session keys", "Give more characters of the key")
    return int(exact[0]["id"])


def feature_rows(store: Store, repo: int | None = None, session: str = "") -> list[dict[str, Any]]:
    """All features of each session. Raises WhoWroteError when none were computed."""
    if not features_ready(store):
        raise WhoWroteError(
            "the database has no session features of this version", "Compute them with: attribute repo PATH --db FILE"
        )
    wanted = session_id(store, session, repo) if session else None
    found = session_features(store, repo)
    return [row for row in found if wanted is None or row["session_id"] == wanted]


def null_reasons(store: Store, session: int) -> dict[str, str]:
    """Feature without a value -> why."""
    found = store.rows(f"SELECT feature, reason FROM {VIEW} WHERE session_id = ?", (session,))
    return {row["feature"]: REASONS[row["reason"]].text if row["reason"] in REASONS else row["reason"] for row in found}


# --- regions ----------------------------------------------------------------------------------------------------------


def region_rows(store: Store, repo: int | None = None, oscillating: bool = False, session: str = "") -> list[dict[str, Any]]:
    """Re-edited regions, the most often edited first, each with its edits in order."""
    wanted = session_id(store, session, repo) if session else None
    found = store.rows(
        "SELECT g.id, r.name AS repo, s.key AS session, s.label, g.path, g.start_line, g.end_line, g.hunks, g.rounds, "
        "g.convergence, g.returned_to, g.sizes, g.first_at, g.last_at FROM regions g JOIN sessions s ON s.id = g.session_id "
        "JOIN repos r ON r.id = s.repo_id WHERE g.rounds > 1 AND (? IS NULL OR s.repo_id = ?) AND (? IS NULL OR s.id = ?) "
        "AND (? = 0 OR g.convergence = 'oscillating') ORDER BY g.rounds DESC, g.id",
        (repo, repo, wanted, wanted, int(oscillating)),
    )
    for row in found:
        row["sizes"] = json.loads(row["sizes"])
        row["edits"] = store.rows(
            "SELECT e.round, e.turn_index, e.at, e.tool, e.call_id, e.start_line, e.end_line, e.lines_added, e.lines_removed, "
            "e.removed, e.added, y.symbol FROM region_edits e LEFT JOIN region_symbols y ON y.region_id = e.region_id "
            "AND y.call_id = e.call_id AND y.start_line = e.start_line WHERE e.region_id = ? ORDER BY e.round, e.at, e.start_line",
            (row["id"],),
        )
    return found


# --- scores -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Explained:
    """A score taken apart: `parts` are (name, score, weight used), `signals` (part, name, value, score, weight in its part)."""

    row: dict[str, Any]
    parts: list[tuple[str, float | None, float]]
    signals: list[dict[str, Any]]


def explained(store: Store, given: str, repo: int | None = None) -> Explained:
    """The score of one session. Raises WhoWroteError."""
    wanted = session_id(store, given, repo)
    row = next((row for row in session_scores(store, repo) if row["session_id"] == wanted), None)
    if row is None:
        raise WhoWroteError(f"session {given} has no score: its transcript could not be read", "See: attribute problems")
    stored = json.loads(row["parts"])
    parts = [(name, row[name], weight) for name, weight in stored["weights"].items()]
    return Explained(row, parts, stored["signals"])
