"""Tokens, and the costs that agents record. Usage is counted once per message id. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from attribution.features.prices import KINDS, LONG_REQUESTS, SEARCH, TIER
from attribution.features.registry import Feature, Values
from attribution.features.view import SessionView
from collector.json_values import Numbers
from collector.model import ToolCall, Usage

NAME = "tokens"
TITLE = "Tokens"
ORDER = 20
STAGE = "session"
_NONE = ("no_usage",)
# a token stands for at most about so many on average: of prose 4 to 5, of code and JSON 3 to 4
_MOST_CHARACTERS = 8
_ENOUGH = 2000  # characters from which the average means something

FEATURES = (
    Feature(
        "input_tokens",
        "integer",
        "tokens",
        "fresh input tokens, caches left out; subagents included",
        null=_NONE,
    ),
    Feature(
        "output_tokens",
        "integer",
        "tokens",
        "output tokens as recorded; Claude Code often records the count at the start of a response"
        " (half of the responses of 2.0 to 2.1.37 say 10 or less): a lower bound there",
        null=_NONE,
    ),
    Feature(
        "cache_read_tokens",
        "integer",
        "tokens",
        "input tokens read from the prompt cache",
        null=_NONE,
    ),
    Feature(
        "cache_write_tokens",
        "integer",
        "tokens",
        "input tokens written to the prompt cache",
        null=_NONE,
    ),
    Feature(
        "cache_read_ratio",
        "real",
        "share",
        "cache_read / (input + cache_read): tokens written to the cache are left out",
        null=("no_usage", "no_input_read"),
        version=2,
    ),
    Feature(
        "context_growth_curve",
        "json",
        "list of tokens",
        "input of each response of the main agent in order, caches included",
        null=_NONE,
    ),
    Feature(
        "reasoning_tokens_total",
        "integer",
        "tokens",
        "tokens of reasoning",
        null=("no_usage", "reasoning_uncounted"),
    ),
    Feature(
        "has_reasoning_blocks",
        "boolean",
        "0 or 1",
        "1: the model's reasoning is on record, its text or the mere fact",
    ),
    Feature(
        "unrecorded_tokens",
        "json",
        "tokens by model and kind",
        "tokens of the responses for which the agent gives no cost: input, output, cache_read,"
        " cache_write (all), cache_write_1h (of those, kept an hour); requests of more than"
        " 100,000, 128,000, 200,000 and 272,000 tokens separately, as `MODEL >200000`, and those of"
        " the fast tier as `MODEL-fast`, of other tiers as `MODEL tier=TIER` (us, batch, flex,"
        " priority); `MODEL search` has as input the number of searches of the"
        " web that the vendor ran",
        null=_NONE,
        version=5,
    ),
    Feature(
        "tokens_too_low",
        "json",
        "list of reasons",
        "why the recorded tokens are known to be too low: output_recorded_early (the agent wrote"
        " more than 8 characters for each output token on record), subagents_unseen (the usage of a"
        " subagent is in no transcript), truncated_start (the transcript begins in the middle);"
        " empty when nothing of the kind is known",
        null=_NONE,
    ),
    Feature(
        "recorded_cost_usd",
        "real",
        "USD",
        "cost that the agent itself recorded, for the responses that have one; most agents give"
        " none",
        null=("no_recorded_cost",),
    ),
)


def compute(view: SessionView) -> Values:
    session = view.session
    used = usage_of(view)
    counted = session.counts_tokens
    reasoned = [u.reasoning for u in used if u.reasoning is not None]
    costs = [u.cost for u in used if u.cost is not None]
    models = usage_by_model(used)
    whole = {
        kind: sum(counts[kind] for counts in models.values()) if counted else None for kind in KINDS
    }
    read = (whole["input"] or 0) + (whole["cache_read"] or 0)
    main = sorted(view.responses, key=lambda u: u.at or 0.0)
    return {
        "input_tokens": whole["input"],
        "output_tokens": whole["output"],
        "cache_read_tokens": whole["cache_read"],
        "cache_write_tokens": whole["cache_write"],
        "cache_read_ratio": (whole["cache_read"] or 0) / read if read else None,
        "context_growth_curve": ([used.context for used in main] if counted else None),
        "reasoning_tokens_total": sum(reasoned) if reasoned else None,
        "has_reasoning_blocks": int(
            any(s.kind == "reasoning" for s in session.messages) or any(reasoned)
        ),
        "recorded_cost_usd": round(sum(costs), 6) if costs else None,
        "unrecorded_tokens": (
            usage_by_model([u for u in used if u.cost is None], () if costs else view.calls)
            if counted
            else None
        ),
        "tokens_too_low": _too_low(view, whole["output"] or 0) if counted else None,
    }


def usage_of(view: SessionView) -> list[Usage]:
    """The usage of each response of the model, subagents included."""
    return [u for u in view.session.usage if u.model != "<synthetic>"]


def usage_by_model(usage: Sequence[Usage], calls: Iterable[ToolCall] = ()) -> dict[str, Numbers]:
    """Tokens by model and kind.

    Of long requests and fast answers, which cost more, the model is `NAME >LENGTH`, `NAME-fast`, of
    other tiers `NAME tier=TIER`.

    Of searches, which are billed by number, it is `NAME search`, and they count as its input.
    """
    models: dict[str, Numbers] = defaultdict(lambda: dict.fromkeys(KINDS, 0))
    for response in usage:
        step = max((step for step in LONG_REQUESTS if response.context > step), default=0)
        model = response.model + "-fast" * response.fast
        model += "".join(f"{TIER}{tier}" for tier in response.tiers)
        model += f" >{step}" if step else ""
        for kind in KINDS:
            models[model][kind] += getattr(response, kind)
    for call in calls:
        if call.searches:
            models[call.model + SEARCH]["input"] += call.searches
    return dict(sorted(models.items()))


def _too_low(view: SessionView, output: int) -> list[str]:
    """Why the tokens on record are fewer than were used."""
    session = view.session
    characters = sum(len(message.text) for message in session.messages if message.kind == "text")
    written = characters + sum(len(call.input) for call in view.calls)
    reasons = {
        "output_recorded_early": written >= _ENOUGH and written > _MOST_CHARACTERS * output,
        "subagents_unseen": any(
            call.spawn is not None and not call.spawn.visible for call in view.calls
        ),
        "truncated_start": session.truncated_start,
    }
    return [reason for reason, holds in reasons.items() if holds]
