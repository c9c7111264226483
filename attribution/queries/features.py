"""Features of sessions, as the database has them."""

import json
from collections.abc import Sequence
from functools import lru_cache

from attribution.features.nulls import REASONS, TABLE, VIEW
from collector.json_values import Row, Texts
from collector.storage.store import Store
from collector.text import split_names


@lru_cache(maxsize=1)
def json_columns() -> frozenset[str]:
    """Features that are stored as JSON."""
    # all its modules: a list of sessions needs none of them
    from attribution.features import features

    return frozenset(f.name for f in features() if f.type == "json")


SESSION_COLUMNS = {
    "repo": "name of the repository",
    "key": "the agent's own id of the session",
    "label": "first words of its first prompt",
    "agent": "agent that recorded it; NULL when the transcript does not tell [agent]",
    "model": "model of most responses; NULL when the transcript names none",
    "driver": "what sent most of its prompts [word]",
    "kind": (
        "review, investigation, imported; empty for an ordinary session; NULL where nothing tells"
    ),
    "parent_key": "key of the session that spawned it; NULL for a session of a person",
    "transcript": "what could be read of it [word]",
    "started_at": "first event; NULL without times [UTC]",
    "ended_at": "last event; NULL without times [UTC]",
    "session_id": "number of the session",
}


def features_ready(store: Store) -> bool:
    """Whether the table has the columns of this version."""
    from attribution.features import features

    _, *names = store.column(f"SELECT name FROM pragma_table_info('{TABLE}')") or [""]
    return names == [f.name for f in features()]


# What a table of sessions shows.
SHORT_LIST = split_names(
    "user_turn_count, tool_call_count, tool_errors, touched_files, diff_lines, "
    "region_re_edit_count, cost_usd, session_outcome"
)


def session_features(
    store: Store, repo: int | None = None, session_id: int | None = None, only: Sequence[str] = ()
) -> list[Row]:
    """Features of all sessions, or those of one repository, or one session; latest first.

    `only`: some of the features, by name.

    A row has the columns of SESSION_COLUMNS and of the feature registry, JSON as values; None:
    `null_reasons` says why.
    """
    requested = ", ".join(f"f.{name}" for name in ("session_id", *only)) if only else "f.*"
    rows = store.rows(
        "SELECT r.name AS repo, s.key, s.label, s.agent, s.model, s.driver, s.kind, s.parent_key,"
        f" s.transcript, s.started_at, s.ended_at, {requested} FROM {TABLE} f JOIN sessions s ON"
        " s.id = f.session_id JOIN repos r ON r.id = s.repo_id WHERE (? IS NULL OR s.repo_id = ?)"
        " AND (? IS NULL OR s.id = ?) ORDER BY r.name, s.started_at DESC, s.id",
        (repo, repo, session_id, session_id),
    )
    for row in rows:
        for name in json_columns() & row.keys():
            row[name] = json.loads(row[name]) if row[name] is not None else None
    return rows


def null_reasons(store: Store, session_id: int) -> Texts:
    """Feature without a value -> why, in words."""
    rows = store.rows(f"SELECT feature, reason FROM {VIEW} WHERE session_id = ?", (session_id,))
    return {
        row["feature"]: REASONS[row["reason"]].text if row["reason"] in REASONS else row["reason"]
        for row in rows
    }
