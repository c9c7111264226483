"""Costs of sessions: a stage of its own, whose key is the price table, so that costs and what is made of them never disagree."""

from __future__ import annotations

from datetime import datetime

from attribution.features import version
from attribution.features.costs import cost_of
from attribution.features.prices import Prices
from attribution.queries.features import session_features
from attribution.queries.prices import SETTING, prices_of
from attribution.stages import feature_rows
from collector.plugins import hooks
from collector.runtime.stages import Stage, StageName, digest
from collector.storage.store import Store

STAGE = Stage(StageName.COSTS, "1")
_INPUTS = ("unrecorded_tokens", "recorded_cost_usd", "tokens_by_turn", "recorded_cost_by_turn")


def costs_key(prices: Prices) -> str:
    return digest(prices.key, version(), *(followers() for followers in hooks("features_version")))


def fill_costs(store: Store, repo_id: int, prices: Prices) -> None:
    """Costs of a repository's sessions and of their turns. Call within a transaction, after the features and the turns."""
    store.connection.execute("UPDATE turn_outcomes SET cost_usd = NULL WHERE repo_id = ?", (repo_id,))
    of_sessions, of_turns = [], []
    for values in session_features(store, repo_id, only=_INPUTS):
        started = None if values["started_at"] is None else datetime.fromisoformat(values["started_at"])
        if values["unrecorded_tokens"] is not None:
            cost = cost_of(values["unrecorded_tokens"], values["recorded_cost_usd"], prices, started)
            of_sessions.append((values["session_id"], cost))
        listed, recorded = values["tokens_by_turn"] or {}, values["recorded_cost_by_turn"] or {}
        for turn in {*listed, *recorded}:
            cost = cost_of(listed.get(turn, {}), recorded.get(turn), prices, started)
            of_turns.append((cost["cost_usd"], values["session_id"], int(turn)))
    feature_rows.update(store, of_sessions)
    store.connection.executemany("UPDATE turn_outcomes SET cost_usd = ? WHERE session_id = ? AND turn_index = ?", of_turns)


def price_repo(store: Store, repo_id: int) -> bool:
    """Costs and what follows from them again if they were computed with another table than is in use; whether that was so."""
    prices = prices_of(store)
    run = STAGE.start(store, repo_id, costs_key(prices))
    if run.is_current:
        return False
    with run.writing():
        fill_costs(store, repo_id, prices)
        feature_rows.fill_what_follows(store, repo_id)
    return True


def choose_prices(store: Store, choice: str) -> None:
    """From now on costs of this database are computed with this table: its text, or the name of the package."""
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (SETTING, choice))
