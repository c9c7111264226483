"""Price tables: the list prices of the package genai-prices (extra `prices`), `data/prices.toml`,
and a user's own in the same form.

Nothing is fetched. The package gives a model a price only under its own name, with or without a
date: it also takes `NAME-fast` and `NAME-free` for NAME, which are billed otherwise. A model
`NAME >LENGTH` stands for its requests of more input tokens than that, `NAME tier=TIER` for those of
a tier that is billed otherwise.
"""

import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from attribution.features.word_lists import source
from collector.errors import WhoWroteError
from collector.json_values import Row
from collector.runtime.version import install_command
from collector.storage.store import Store

SETTING = "prices"  # name of the choice in `settings`
# a model `NAME search` stands for the searches of the web that its vendor ran; other tables do not
# price them
SEARCH = " search"
TIER = " tier="  # stands before the name of a tier, behind that of a model
LISTED = "genai-prices"  # in place of a table: the list prices of the package of that name
KINDS = ("input", "output", "cache_read", "cache_write", "cache_write_1h")  # of tokens
_LONG = 200_000  # input tokens above which the factors `long` of a table hold
_DATE = r"(?:-\d{8}|-\d{4}-\d{2}-\d{2}|-latest)?"
# input tokens, caches included, above which some vendors charge more
LONG_REQUESTS = (100_000, 128_000, 200_000, 272_000)
ModelPrices = Mapping[str, float]
"""USD per million tokens, by kind."""


class Prices(NamedTuple):
    """A table of prices by model."""

    as_of: str  # date or release, for people
    key: str  # changes when a price may have changed: costs are stored with it
    look_up: Callable[[str, datetime, int], ModelPrices | None]

    def of(self, model: str, moment: datetime | None = None) -> ModelPrices | None:
        """Prices of a model at a moment; None when the table does not know it.

        Without a moment: now.
        """
        name, _, length = model.partition(" >")
        name, *tiers = name.split(TIER)
        if _REGIONAL.match(name) and not name.endswith(SEARCH):
            tiers.append("regional")
        moment = (moment or datetime.now(UTC)).replace(minute=0, second=0, microsecond=0)
        tables = (
            (self.look_up, standard_prices().look_up) if name.endswith(SEARCH) else (self.look_up,)
        )
        names = (name, _vendors_name(name))
        size = int(length) if length.isdecimal() else 0
        listed = (look_up(each, moment, size) for look_up in tables for each in names)
        prices = next(filter(None, listed), None)
        for tier in tiers if prices else ():
            factor = _tier_factor(tier, names[-1].removesuffix("-fast"), size)
            prices = (
                prices and factor and {kind: factor * n for kind, n in prices.items()}
            ) or None
        return prices


# What stands around the vendor's name at Bedrock, Vertex AI and OpenRouter, which charge as the
# vendors do.
_RESELLER = re.compile(
    r"(?:openrouter|bedrock|vertex_ai|vertex)/|(?:anthropic|openai|google)/"
    r"|arn:aws[\w-]*:bedrock:[\w-]*:\d*:[\w-]+/|(?:(?:us|eu|apac|jp|au|global)\.)?anthropic\."
)
_REGIONAL = re.compile(r"(?:[\w:/-]*/)?(?:us|eu|apac|jp|au)\.anthropic\.")
_REVISION = re.compile(r"-v\d+(?::\d+)?$")
# what is said of the size of the context, whose price the length of a request decides, and of the
# version
_ASIDE = re.compile(r"\[\d+[mk]\]$|@(?:default|latest)$", re.I)


def _vendors_name(model: str) -> str:
    """The vendor's name of a model: `us.anthropic.claude-opus-4-6-v1:0`,
    `openrouter/anthropic/claude-opus-4.6` and so on.
    """
    name = model = _ASIDE.sub("", model)
    while prefix := _RESELLER.match(name):
        name = name[prefix.end() :]
    return (_REVISION.sub("", name) if name != model else name).replace("@", "-")


@cache
def _tiers() -> list[tuple[str, re.Pattern[str], float, int]]:
    """(tier, models, factor, longest request) of what the vendors publish."""
    table = tomllib.loads(source("prices.toml"))["tier"]
    return [
        (entry["name"], re.compile(entry["match"]), float(entry["factor"]), entry.get("up_to", 0))
        for entry in table
    ]


def _tier_factor(tier: str, model: str, size: int) -> float:
    """What a tier costs; 0 where nothing is published."""
    return next(
        (
            factor
            for name, models, factor, longest in _tiers()
            if name == tier and models.fullmatch(model) and not (longest and size >= longest)
        ),
        0.0,
    )


def read_choice(path: Path) -> str:
    """What is stored of the choice of a price table: its text, or LISTED. Raises WhoWroteError."""
    if str(path) == LISTED:
        list_prices()
        return LISTED
    try:
        text = path.read_text("utf-8")
        _parse(text)
    except OSError as error:
        raise WhoWroteError(
            f"the price table {path} cannot be read: {error.strerror}", "Name a file with --prices"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, re.error) as error:
        raise WhoWroteError(
            f"{path} is not a price table: {error}",
            'It needs as_of = "YYYY-MM-DD" and [[model]] entries with match, input and output (USD'
            " per million tokens)",
        ) from error
    return text


def chosen_prices(choice: str | None) -> Prices:
    """The table of a choice made before; without one the list prices when the package is installed,
    then the small table.

    Raises WhoWroteError when the package was chosen and is not installed.
    """
    if choice is not None:
        return list_prices() if choice == LISTED else _parse(choice)
    small = standard_prices()
    if _release() is None:
        return small
    listed = list_prices()

    def look_up(model: str, moment: datetime, length: int) -> ModelPrices | None:
        known = [
            prices for table in (listed, small) if (prices := table.look_up(model, moment, length))
        ]
        if length:  # the package lacks some prices of long requests
            known.sort(key=lambda prices: -prices.get("input", 0.0))
        return next(iter(known), None)

    return Prices(f"{listed.as_of}, else {small.as_of}", f"{listed.key} {small.key}", look_up)


def prices_of(store: Store) -> Prices:
    """The table chosen for this database, else the installed one.

    Raises WhoWroteError when the chosen one is not installed.
    """
    choice = store.value("SELECT value FROM settings WHERE name = ?", (SETTING,))
    return chosen_prices(None if choice is None else str(choice))


@cache
def standard_prices() -> Prices:
    return _parse(source("prices.toml"))


def _parse(text: str) -> Prices:
    """Raises ValueError, KeyError, TypeError, AttributeError or re.error when it is not a price
    table.
    """
    data: Row = tomllib.loads(text)
    models = [(re.compile(entry["match"]), _entry_prices(entry), entry) for entry in data["model"]]

    def look_up(model: str, moment: datetime, length: int) -> ModelPrices | None:
        for pattern, prices, entry in models:
            if pattern.fullmatch(model) and moment.date() < entry.get("until", date.max):
                long = entry.get("long")
                until = entry.get("long_until", date.max)
                factors = (
                    long
                    if long and length >= entry.get("long_from", _LONG) and moment.date() < until
                    else {}
                )
                return {
                    kind: price * factors.get("output" if kind == "output" else "input", 1)
                    for kind, price in prices.items()
                }
        return None

    return Prices(str(data["as_of"]), hashlib.sha256(text.encode()).hexdigest()[:16], look_up)


def _entry_prices(entry: Row) -> ModelPrices:
    """The prices of ordinary requests; those of long ones are checked.

    Raises ValueError, KeyError or TypeError.
    """
    prices = {name: float(entry[name]) for name in KINDS if name in entry}
    factors = (
        [float(entry["long"][side]) for side in ("input", "output")] if "long" in entry else []
    )
    if not {"input", "output"} <= prices.keys() or min(*prices.values(), *factors) < 0:
        raise ValueError(f"{entry['match']} needs input and output, none negative")
    return prices


def list_prices() -> Prices:
    """The prices of the package that held at a moment, as far as it dates them.

    Raises WhoWroteError when it is not installed.
    """
    release = _release()
    if release is None:
        raise WhoWroteError(
            f"{LISTED} is not installed", f"Install it with: {install_command('prices')}"
        )
    return Prices(release, release, _listed_price)


def _release() -> str | None:
    """From the package's metadata: importing it takes a fifth of a second."""
    try:
        return f"{LISTED} {version(LISTED)}"
    except PackageNotFoundError:
        return None


@cache
def _listed_price(model: str, moment: datetime, length: int) -> ModelPrices | None:
    from genai_prices import data_snapshot

    try:
        _, listed = data_snapshot.get_snapshot().find_provider_model(model, None, None, None)
    except LookupError:
        return None
    if not re.fullmatch(re.escape(_plain(listed.id)) + _DATE, _plain(model)):
        return None
    current = listed.get_prices(moment)
    stated = {kind: getattr(current, f"{kind}_mtok", None) for kind in KINDS}
    return {
        kind: _price_at(price, length) for kind, price in stated.items() if price is not None
    } or None


def _price_at(price: Any, length: int) -> float:
    """Of a request of more tokens than `length`: a price may have steps above a base."""
    steps = [step for step in getattr(price, "tiers", ()) if step.start <= length]
    return float(
        max(steps, key=lambda step: step.start).price if steps else getattr(price, "base", price)
    )


def _plain(model: str) -> str:
    return model.lower().replace(".", "-")
