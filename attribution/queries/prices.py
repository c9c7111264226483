"""The price table that a database keeps to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attribution.features.prices import chosen_prices

if TYPE_CHECKING:
    from attribution.features.prices import Prices
    from collector.storage.store import Store

SETTING = "prices"  # name of the choice in `settings`


def prices_of(store: Store) -> Prices:
    """The table chosen for this database, else the installed one. Raises WhoWroteError when the chosen one is not installed."""
    choice = store.value("SELECT value FROM settings WHERE name = ?", (SETTING,))
    return chosen_prices(None if choice is None else str(choice))
