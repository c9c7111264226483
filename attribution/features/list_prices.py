"""List prices from the package genai-prices (extra `prices`), as installed: nothing is fetched.

A model has a price only under its own name, with or without a date: the package also takes `NAME-fast` and `NAME-free` for NAME,
which are billed otherwise. Where long requests cost more, the price is that of shorter ones, so that a cost is a lower bound.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from attribution.features.prices import Prices, read_prices
from collector.errors import WhoWroteError

LISTED = "genai-prices"  # in place of a file: the list prices of the package of that name
_KINDS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
    "cache_write_1h": "cache_write_1h_mtok",
}
_DATE = r"(?:-\d{8}|-\d{4}-\d{2}-\d{2}|-latest)?"


@dataclass(frozen=True, slots=True)
class ListPrices(Prices):
    """The prices that hold today; `as_of` names the release of the package."""

    def of(self, model: str) -> Mapping[str, float] | None:
        return _price(model)


def prices_from(path: Path) -> Prices:
    """A user's price table, or the installed package if LISTED is its name. Raises WhoWroteError."""
    return list_prices() if str(path) == LISTED else read_prices(path)


def list_prices() -> Prices:
    """Raises WhoWroteError when the package is not installed."""
    from importlib.metadata import version

    try:
        import genai_prices  # noqa: F401
    except ImportError as error:
        raise WhoWroteError(f"{LISTED} is not installed", "Install it with: pip install 'whowrote[prices]'") from error
    return ListPrices(f"{LISTED} {version(LISTED)}", ())


@cache
def _price(model: str) -> Mapping[str, float] | None:
    from genai_prices import data_snapshot

    try:
        _, found = data_snapshot.get_snapshot().find_provider_model(model, None, None, None)
    except LookupError:
        return None
    if not re.fullmatch(re.escape(_plain(found.id)) + _DATE, _plain(model)):
        return None
    known = found.get_prices(datetime.now(UTC))
    prices = {kind: _base(getattr(known, name, None)) for kind, name in _KINDS.items()}
    return {kind: price for kind, price in prices.items() if price is not None} or None


def _plain(model: str) -> str:
    return model.lower().replace(".", "-")


def _base(price: Any) -> float | None:
    """USD per million tokens; of a price in steps the first."""
    return None if price is None else float(getattr(price, "base", price))
