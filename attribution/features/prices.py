"""Price tables: `data/prices.toml`, read once, and a user's own in the same form."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from attribution.features.word_lists import source
from collector.errors import WhoWroteError

PRICES = ("input", "output", "cache_read", "cache_write", "cache_write_1h")


@dataclass(frozen=True, slots=True)
class Prices:
    """USD per million tokens by model pattern, as of a date."""

    as_of: str
    models: tuple[tuple[re.Pattern[str], Mapping[str, float]], ...]

    def of(self, model: str) -> Mapping[str, float] | None:
        """Prices of a model; None when the table does not know it."""
        return next((prices for pattern, prices in self.models if pattern.fullmatch(model)), None)


@lru_cache(maxsize=1)
def standard_prices() -> Prices:
    return _prices(tomllib.loads(source("prices.toml")))


def read_prices(path: Path) -> Prices:
    """A user's table in the form of `data/prices.toml`. Raises WhoWroteError."""
    try:
        return _prices(tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        raise WhoWroteError(f"the price table {path} cannot be read: {error.strerror}", "Name a file with --prices") from error
    except (ValueError, KeyError, TypeError, AttributeError, re.error) as error:
        raise WhoWroteError(
            f"{path} is not a price table: {error}",
            'It needs as_of = "YYYY-MM-DD" and [[model]] entries with match, input and output (USD per million tokens)',
        ) from error


def _prices(data: dict[str, Any]) -> Prices:
    models = []
    for entry in data["model"]:
        given = {name: float(entry[name]) for name in PRICES if name in entry}
        if not {"input", "output"} <= given.keys() or min(given.values()) < 0:
            raise ValueError(f"{entry['match']} needs input and output, none negative")
        models.append((re.compile(entry["match"]), given))
    return Prices(str(data["as_of"]), tuple(models))
