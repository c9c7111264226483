"""Price tables: `data/prices.toml`, read once, a user's own in the same form, and several tables asked in turn."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from attribution.features.word_lists import source
from collector.errors import WhoWroteError

PRICES = ("input", "output", "cache_read", "cache_write", "cache_write_1h")


class Prices(Protocol):
    """USD per million tokens, by model."""

    @property
    def as_of(self) -> str:
        """Date or release, for people."""
        ...

    @property
    def key(self) -> str:
        """Changes when a price may have changed: costs are stored with it."""
        ...

    def of(self, model: str, moment: datetime | None = None) -> Mapping[str, float] | None:
        """Prices of a model at a moment, by kind of PRICES; None when the table does not know it. Without a moment: now."""
        ...


@dataclass(frozen=True, slots=True)
class PriceTable:
    """A dated file of model patterns, one price each."""

    as_of: str
    models: tuple[tuple[re.Pattern[str], Mapping[str, float]], ...]
    key: str

    def of(self, model: str, moment: datetime | None = None) -> Mapping[str, float] | None:
        return next((prices for pattern, prices in self.models if pattern.fullmatch(model)), None)


@dataclass(frozen=True, slots=True)
class FirstOf:
    """The first table that knows a model gives its price."""

    tables: tuple[Prices, ...]

    @property
    def as_of(self) -> str:
        return ", else ".join(table.as_of for table in self.tables)

    @property
    def key(self) -> str:
        return " ".join(table.key for table in self.tables)

    def of(self, model: str, moment: datetime | None = None) -> Mapping[str, float] | None:
        return next((price for table in self.tables if (price := table.of(model, moment)) is not None), None)


@lru_cache(maxsize=1)
def standard_prices() -> PriceTable:
    return parsed_prices(source("prices.toml"))


def read_prices(path: Path) -> str:
    """Text of a user's table in the form of `data/prices.toml`. Raises WhoWroteError."""
    try:
        text = path.read_text("utf-8")
        parsed_prices(text)
    except OSError as error:
        raise WhoWroteError(f"the price table {path} cannot be read: {error.strerror}", "Name a file with --prices") from error
    except (ValueError, KeyError, TypeError, AttributeError, re.error) as error:
        raise WhoWroteError(
            f"{path} is not a price table: {error}",
            'It needs as_of = "YYYY-MM-DD" and [[model]] entries with match, input and output (USD per million tokens)',
        ) from error
    return text


def parsed_prices(text: str) -> PriceTable:
    """Raises ValueError, KeyError, TypeError, AttributeError or re.error when it is not a price table."""
    data: dict[str, Any] = tomllib.loads(text)
    models = []
    for entry in data["model"]:
        stated = {name: float(entry[name]) for name in PRICES if name in entry}
        if not {"input", "output"} <= stated.keys() or min(stated.values()) < 0:
            raise ValueError(f"{entry['match']} needs input and output, none negative")
        models.append((re.compile(entry["match"]), stated))
    return PriceTable(str(data["as_of"]), tuple(models), hashlib.sha256(text.encode()).hexdigest()[:16])
