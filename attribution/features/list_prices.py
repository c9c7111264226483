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
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from attribution.features.prices import FirstOf, Prices, parsed_prices, read_prices, standard_prices
from collector.errors import WhoWroteError

LISTED = "genai-prices"  # in place of a table: the list prices of the package of that name
_KINDS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
    "cache_write_1h": "cache_write_1h_mtok",
}
_DATE = r"(?:-\d{8}|-\d{4}-\d{2}-\d{2}|-latest)?"


@dataclass(frozen=True, slots=True)
class ListPrices:
    """The prices that held at a moment, as far as the package dates them; `as_of` names the release of the package."""

    as_of: str

    @property
    def key(self) -> str:
        return self.as_of

    def of(self, model: str, moment: datetime | None = None) -> Mapping[str, float] | None:
        return _price(model, (moment or datetime.now(UTC)).replace(minute=0, second=0, microsecond=0))


def read_choice(path: Path) -> str:
    """What is stored of the choice of a price table: its text, or LISTED. Raises WhoWroteError."""
    if str(path) == LISTED:
        list_prices()
        return LISTED
    return read_prices(path)


def chosen_prices(choice: str | None) -> Prices:
    """The table of a choice made before; without one the list prices when the package is installed, then the small table.

    Raises WhoWroteError when the package was chosen and is not installed.
    """
    if choice is None:
        release = _release()
        return FirstOf((ListPrices(release), standard_prices())) if release else standard_prices()
    return list_prices() if choice == LISTED else parsed_prices(choice)


def list_prices() -> ListPrices:
    """Raises WhoWroteError when the package is not installed."""
    release = _release()
    if release is None:
        raise WhoWroteError(f"{LISTED} is not installed", "Install it with: pip install 'whowrote[prices]'")
    return ListPrices(release)


def _release() -> str | None:
    """From the package's metadata: importing it takes a fifth of a second."""
    try:
        return f"{LISTED} {version(LISTED)}"
    except PackageNotFoundError:
        return None


@cache
def _price(model: str, moment: datetime) -> Mapping[str, float] | None:
    from genai_prices import data_snapshot

    try:
        _, listed = data_snapshot.get_snapshot().find_provider_model(model, None, None, None)
    except LookupError:
        return None
    if not re.fullmatch(re.escape(_plain(listed.id)) + _DATE, _plain(model)):
        return None
    current = listed.get_prices(moment)
    prices = {kind: _base(getattr(current, name, None)) for kind, name in _KINDS.items()}
    return {kind: price for kind, price in prices.items() if price is not None} or None


def _plain(model: str) -> str:
    return model.lower().replace(".", "-")


def _base(price: Any) -> float | None:
    """USD per million tokens; of a price in steps the first."""
    return None if price is None else float(getattr(price, "base", price))
