"""The table `session_features`: made from the registry, filled by session.

Called within a transaction unless it only reads.
"""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from attribution.features import features, version
from attribution.features.costs import cost_of
from attribution.features.nulls import TABLE, VIEW, null_view
from attribution.features.prices import SETTING, Prices, prices_of
from attribution.hooks import plugins
from attribution.queries.features import features_ready, json_columns, session_features
from collector.json_values import Row
from collector.load import SessionFiles
from collector.runtime.stages import RunContext, Stage, StageName, StageRun, digest, forget_runs
from collector.storage.store import Store
from collector.text import printable


def prepare(store: Store) -> None:
    """Makes the table; one with the columns of another version is made again, and its sessions
    are computed again.
    """
    if not features_ready(store):
        _make(store)
    view = null_view(features())
    if (
        store.value("SELECT sql FROM sqlite_master WHERE type = 'view' AND name = ?", (VIEW,))
        != view
    ):
        with store.transaction() as connection:
            connection.execute(f"DROP VIEW IF EXISTS {VIEW}")
            connection.execute(view)


def _make(store: Store) -> None:
    columns = "".join(f",\n  {f.name} {f.sql_type}" for f in features())
    key = "session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE"
    with store.transaction() as connection:
        connection.execute(f"DROP TABLE IF EXISTS {TABLE}")
        connection.execute(f"CREATE TABLE {TABLE} (\n  {key}{columns}\n)")
        forget_runs(store, (StageName.FEATURES, StageName.LINES))


def session_run(context: RunContext, files: SessionFiles) -> StageRun:
    """The stage that computes the features of one session, with the copies that are there now."""
    stage = Stage(StageName.FEATURES, version())
    # as of the stage that stores the session: `data check` compares them
    key = files.input_key() + context.store.policy.key()
    return stage.start(context.store, context.repo_id, key, printable(files.key))


def write(store: Store, session_id: int, values: Row) -> None:
    """The session's row, with what is known so far."""
    columns = ["session_id", *values]
    store.connection.execute(f"DELETE FROM {TABLE} WHERE session_id = ?", (session_id,))
    store.insert(
        TABLE,
        columns,
        [(session_id, *(_stored_value(name, value) for name, value in values.items()))],
    )


def update(store: Store, rows: Iterable[tuple[int, Row]]) -> None:
    """Further columns of sessions; a session without a row gets one."""
    for session_id, values in rows:
        store.connection.execute(
            f"INSERT OR IGNORE INTO {TABLE} (session_id) VALUES (?)", (session_id,)
        )
        assignments = ", ".join(f"{name} = ?" for name in values)
        ((*stored,),) = store.policy.rows(
            TABLE, tuple(values), [[_stored_value(name, value) for name, value in values.items()]]
        )
        store.connection.execute(
            f"UPDATE {TABLE} SET {assignments} WHERE session_id = ?", (*stored, session_id)
        )


def _stored_value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in json_columns():
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        # What a terminal would act on is written as \uXXXX: it stays JSON and reads back the same.
        return text if printable(text) == text else json.dumps(value, separators=(",", ":"))
    return printable(value) if isinstance(value, str) else value


def fill_what_follows(store: Store, repo_id: int) -> None:
    """Fills the tables of plug-ins that are made of lines, features, turns and fates.

    Call within the transaction that changed one of them.
    """
    for plugin in plugins():
        plugin.settled(store, repo_id)


COSTS = Stage(StageName.COSTS, "1")
_INPUTS = ("unrecorded_tokens", "recorded_cost_usd", "tokens_by_turn", "recorded_cost_by_turn")


def costs_key(prices: Prices) -> str:
    return digest(
        prices.key, version(), *(plugin.version for plugin in plugins() if plugin.version)
    )


def fill_costs(store: Store, repo_id: int, prices: Prices) -> None:
    """Costs of a repository's sessions and of their turns.

    Call within a transaction, after the features and the turns.
    """
    store.connection.execute(
        "UPDATE turn_outcomes SET cost_usd = NULL WHERE repo_id = ?", (repo_id,)
    )
    of_sessions = []
    of_turns = []
    for values in session_features(store, repo_id, only=_INPUTS):
        started = (
            None if values["started_at"] is None else datetime.fromisoformat(values["started_at"])
        )
        if values["unrecorded_tokens"] is not None:
            cost = cost_of(
                values["unrecorded_tokens"], values["recorded_cost_usd"], prices, started
            )
            of_sessions.append((values["session_id"], cost))
        listed = values["tokens_by_turn"] or {}
        recorded = values["recorded_cost_by_turn"] or {}
        for turn in {*listed, *recorded}:
            cost = cost_of(listed.get(turn, {}), recorded.get(turn), prices, started)
            of_turns.append((cost["cost_usd"], values["session_id"], int(turn)))
    update(store, of_sessions)
    store.connection.executemany(
        "UPDATE turn_outcomes SET cost_usd = ? WHERE session_id = ? AND turn_index = ?", of_turns
    )


def price_repo(store: Store, repo_id: int) -> bool:
    """Costs and what follows from them again if they were computed with another table than is in
    use; whether that was so.
    """
    prices = prices_of(store)
    run = COSTS.start(store, repo_id, costs_key(prices))
    if run.is_current:
        return False
    with run.writing():
        fill_costs(store, repo_id, prices)
        fill_what_follows(store, repo_id)
    return True


def choose_prices(store: Store, choice: str) -> None:
    """From now on costs of this database are computed with this table: its text, or the name of
    the package.
    """
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (SETTING, choice))
