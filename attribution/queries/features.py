"""Features of sessions, as the database has them."""

from __future__ import annotations

import json
from typing import Any

from attribution.features import features
from attribution.features.nulls import TABLE
from collector.storage.store import Store

JSON_COLUMNS = frozenset(f.name for f in features() if f.type == "json")


def features_ready(store: Store) -> bool:
    """Whether the table has the columns of this version."""
    return [row["name"] for row in store.rows(f"SELECT name FROM pragma_table_info('{TABLE}')")][1:] == [f.name for f in features()]


def session_features(store: Store, repo: int | None = None) -> list[dict[str, Any]]:
    """One dictionary per session, latest first; JSON columns as values."""
    rows = store.rows(
        f"SELECT r.name AS repo, s.key, s.label, s.agent, s.model, s.kind, s.transcript, s.started_at, s.ended_at, f.* "
        f"FROM {TABLE} f JOIN sessions s ON s.id = f.session_id JOIN repos r ON r.id = s.repo_id "
        "WHERE ? IS NULL OR s.repo_id = ? ORDER BY r.name, s.started_at DESC, s.id",
        (repo, repo),
    )
    for row in rows:
        for name in JSON_COLUMNS:
            if row[name] is not None:
                row[name] = json.loads(row[name])
    return rows
