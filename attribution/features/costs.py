"""Cost of a session: what the agent recorded, and list prices for the responses without a recorded
cost. Pure.

Computed apart from the transcripts, by `attribution/stages/feature_rows.py`: another price table
changes nothing else.
"""

from collections.abc import Mapping
from datetime import datetime

from attribution.features.prices import Prices
from attribution.features.registry import Feature, Values
from collector.json_values import Numbers

NAME = "costs"
TITLE = "Cost"
ORDER = 25
STAGE = "repository"

_NONE = ("no_usage", "no_price")
FEATURES = (
    Feature(
        "cost_usd",
        "real",
        "USD",
        "recorded_cost_usd, and for the responses without a recorded cost (`unrecorded_tokens`) the"
        " list prices at the session's start, those of long requests where the table has them, and"
        " of searches of the web; discounts and subscriptions are ignored; a lower bound where"
        " tokens_too_low gives a reason, and where an agent counts reasoning apart from output"
        " (Qwen Code)",
        null=_NONE,
        version=6,
    ),
    Feature(
        "cost_source",
        "text",
        "recorded, list, mixed",
        "where cost_usd comes from: the agent's own record, list prices, or both",
        null=_NONE,
    ),
    Feature(
        "prices_as_of",
        "text",
        "date or release",
        "price table behind cost_usd",
        null=("no_usage", "cost_recorded", "no_price"),
        version=2,
    ),
)


def cost_of(
    unrecorded: Mapping[str, Numbers],
    recorded: float | None,
    prices: Prices,
    started: datetime | None,
) -> Values:
    """The values of FEATURES; NULL when any tokens without a recorded cost belong to a model, or
    are of a kind, that has no price.

    `unrecorded`: tokens by model and kind. `recorded`: USD. `started`: when the session began.
    """
    total = recorded or 0.0
    listed = False
    unknown = {"cost_usd": None, "cost_source": None, "prices_as_of": None}
    for model, counts in unrecorded.items():
        if not any(counts.values()):
            continue
        price = prices.of(model, started)
        hour = min(counts.get("cache_write_1h", 0), counts["cache_write"])
        amounts = {**counts, "cache_write": counts["cache_write"] - hour, "cache_write_1h": hour}
        if price is None or any(n and kind not in price for kind, n in amounts.items()):
            return unknown
        total = total + sum(n * price[kind] for kind, n in amounts.items() if n) / 1e6
        listed = True
    if recorded is None and not listed:
        return unknown
    source = "list" if recorded is None else "mixed" if listed else "recorded"
    return {
        "cost_usd": round(total, 6),
        "cost_source": source,
        "prices_as_of": prices.as_of if listed else None,
    }
