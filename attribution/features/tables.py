"""Word lists and prices: the data files beside this module, read once, and a user's own price table."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from collector.errors import WhoWroteError

LISTED = "genai-prices"  # in place of a file: the list prices of the package of that name
PRICES = ("input", "output", "cache_read", "cache_write", "cache_write_1h")


@cache
def source(name: str) -> str:
    """Text of a data file."""
    return resources.files("attribution.features").joinpath("data", name).read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Words:
    """A list of phrases; a phrase matches whole words, whatever the case. Curly apostrophes count as straight ones."""

    phrases: tuple[str, ...]
    pattern: re.Pattern[str]

    def count(self, lowered: str) -> int:
        """Occurrences in a lower-cased text; of phrases that overlap the first and longest counts."""
        places = sorted((at, -len(phrase)) for phrase in self.phrases if phrase in lowered for at in _places(phrase, lowered))
        count = end = 0
        for at, length in places:
            if at >= end:
                count, end = count + 1, at - length
        return count

    def found(self, lowered: str) -> bool:
        return any(phrase in lowered for phrase in self.phrases) and self.pattern.search(lowered) is not None


def _places(phrase: str, text: str) -> Iterator[int]:
    """Where the phrase stands as whole words: ten times quicker than a pattern of alternatives."""
    at = text.find(phrase)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(phrase) : at + len(phrase) + 1]
        if not (_in_word(before) or _in_word(after)):
            yield at
        at = text.find(phrase, at + 1)


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


@cache
def words(name: str) -> Words:
    """A list of `data/words.toml`."""
    listed = tomllib.loads(source("words.toml"))[name]["phrases"]
    ordered = sorted((str(p).lower() for p in listed), key=len, reverse=True)
    pattern = "|".join(re.escape(p) for p in ordered)
    return Words(tuple(ordered), re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"))


def lowered(text: str) -> str:
    """The form that word lists are matched against."""
    return text.lower().replace("’", "'")


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


def prices_from(path: Path) -> Prices:
    """A user's table in the form of `data/prices.toml`, or the installed package if LISTED is its name. Raises WhoWroteError."""
    if str(path) == LISTED:
        from attribution.features.list_prices import list_prices

        return list_prices()
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
