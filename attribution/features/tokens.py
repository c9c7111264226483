"""Tokens and cost. Usage is counted once per message id; models without a known price have no cost. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from attribution.features.prices import Prices, standard_prices
from attribution.features.registry import Feature, Values
from attribution.features.view import SessionView
from collector.model import Usage

NAME = "tokens"
TITLE = "Tokens and cost"
ORDER = 20
STAGE = "session"
_NONE = ("no_usage",)
KINDS = ("input", "output", "cache_read", "cache_write", "cache_write_1h")

FEATURES = (
    Feature("input_tokens", "integer", "tokens", "fresh input tokens, caches left out; subagents included", null=_NONE),
    Feature("output_tokens", "integer", "tokens", "output tokens as recorded; Claude Code often records the count at the start of a response (half of the responses of 2.0 to 2.1.37 say 10 or less): a lower bound there", null=_NONE),
    Feature("cache_read_tokens", "integer", "tokens", "input tokens read from the prompt cache", null=_NONE),
    Feature("cache_write_tokens", "integer", "tokens", "input tokens written to the prompt cache", null=_NONE),
    Feature("cache_read_ratio", "real", "share", "cache_read / (input + cache_write + cache_read)", null=("no_usage", "no_input_tokens")),
    Feature("tokens_by_model", "json", "tokens by model and kind", "the counts a cost is computed from: input, output, cache_read, cache_write (all), cache_write_1h (of those, kept an hour)", null=_NONE),
    Feature("context_growth_curve", "json", "list of tokens", "input of each response of the main agent in order, caches included", null=_NONE),
    Feature("reasoning_tokens_total", "integer", "tokens", "tokens of reasoning", null=("no_usage", "reasoning_uncounted")),
    Feature("has_reasoning_blocks", "boolean", "0 or 1", "1: the model's reasoning is on record, its text or the mere fact"),
    Feature("cost_usd", "real", "USD", "tokens_by_model at the dated list prices; nothing for discounts or subscriptions; a lower bound where output_tokens is", null=("no_usage", "no_input_tokens", "no_price")),
    Feature("recorded_cost_usd", "real", "USD", "cost as the agent itself reckoned it, of the responses it gives one for; most agents give none", null=("no_recorded_cost",)),
    Feature("prices_as_of", "text", "date", "date of the price table behind cost_usd", null=("no_usage", "no_input_tokens", "no_price")),
)  # fmt: skip


def compute(view: SessionView) -> Values:
    session = view.session
    used = once([u for u in session.usage if u.model != "<synthetic>"])
    reasoned = [u.reasoning for u in used if u.reasoning is not None]
    costs = [u.cost for u in used if u.cost is not None]
    models = by_model(used)
    whole = {kind: sum(counts[kind] for counts in models.values()) if used else None for kind in KINDS}
    read = (whole["input"] or 0) + (whole["cache_write"] or 0) + (whole["cache_read"] or 0)
    main = sorted(once(view.responses), key=lambda u: u.at or 0.0)
    return {
        "input_tokens": whole["input"],
        "output_tokens": whole["output"],
        "cache_read_tokens": whole["cache_read"],
        "cache_write_tokens": whole["cache_write"],
        "cache_read_ratio": (whole["cache_read"] or 0) / read if read else None,
        "tokens_by_model": models if used else None,
        "context_growth_curve": [u.input + u.cache_read + u.cache_write for u in main] if used else None,
        "reasoning_tokens_total": sum(reasoned) if reasoned else None,
        "has_reasoning_blocks": int(any(s.kind == "reasoning" for s in session.messages) or any(reasoned)),
        "recorded_cost_usd": round(sum(costs), 6) if costs else None,
        **cost_of(models, standard_prices()),
    }


def once(usage: Sequence[Usage]) -> list[Usage]:
    """The usage of each response once, the largest output when it was recorded several times."""
    best: dict[str, Usage] = {}
    for one in usage:
        known = best.get(one.message_id)
        if known is None or known.output < one.output:
            best[one.message_id] = one
    return list(best.values())


def by_model(usage: Sequence[Usage]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(KINDS, 0))
    for one in usage:
        for kind in KINDS:
            found[one.model][kind] += getattr(one, kind)
    return dict(sorted(found.items()))


def cost_of(models: Mapping[str, Mapping[str, int]], prices: Prices) -> dict[str, object]:
    """cost_usd and prices_as_of; NULL when any tokens belong to a model, or are of a kind, that has no price."""
    total = 0.0
    for model, counts in models.items():
        if not any(counts.values()):
            continue
        known = prices.of(model)
        hour = min(counts.get("cache_write_1h", 0), counts["cache_write"])
        amounts = {**counts, "cache_write": counts["cache_write"] - hour, "cache_write_1h": hour}
        if known is None or any(n and kind not in known for kind, n in amounts.items()):
            return {"cost_usd": None, "prices_as_of": None}
        total += sum(n * known[kind] for kind, n in amounts.items() if n) / 1e6
    used = any(any(counts.values()) for counts in models.values())
    return {"cost_usd": round(total, 6) if used else None, "prices_as_of": prices.as_of if used else None}
