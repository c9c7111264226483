"""Costs of sessions at other prices, computed when they are asked for."""

from __future__ import annotations

from pathlib import Path

from attribution.features.prices import Prices, read_choice
from attribution.queries.prices import prices_of
from attribution.queries.repositories import all_repositories
from attribution.stages.costs import choose_prices, price_repo
from collector.runtime.locks import writing_database
from collector.storage.store import Store


def reprice(store: Store, table: Path) -> Prices:
    """Computes all costs and scores with this table, which the database keeps to from now on; returns it.

    `table`: a file, or the name of the package of list prices. Raises WhoWroteError.
    """
    choice = read_choice(table)
    with writing_database(store):
        choose_prices(store, choice)
        for repo in all_repositories(store):
            price_repo(store, repo.id)
    return prices_of(store)
