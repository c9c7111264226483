"""Which turn is which: the numbers behind lists that have one entry per message, and what each turn used. Pure.

`attribution/stages/turn_outcomes.py` puts these lists together, one row per turn.
"""

from __future__ import annotations

from collections import defaultdict

from attribution.features.registry import Feature, Values
from attribution.features.tokens import once, usage_by_model
from attribution.features.view import SessionView
from collector.model import Usage

NAME = "per_turn"
TITLE = "Turn by turn"
ORDER = 35
STAGE = "session"
STOPPED = ("interrupt", "interrupt_tool")

FEATURES = (
    Feature("turn_numbers", "json", "list of turns", "numbers in `turns` of the user turns, as per_turn_agent_latency_s has them"),
    Feature("typed_turn_numbers", "json", "list of turns", "numbers in `turns` of the typed messages, as turn_languages and turn_classes have them"),
    Feature("interrupted_turns", "json", "list of turns", "numbers of the turns that the user stopped"),
    Feature("tokens_by_turn", "json", "tokens by turn, model and kind", "as unrecorded_tokens, for each turn; subagents included", null=("no_usage",)),
    Feature("recorded_cost_by_turn", "json", "USD by turn", "as recorded_cost_usd, for each turn", null=("no_recorded_cost",)),
)  # fmt: skip


def compute(view: SessionView) -> Values:
    session = view.session
    used = once([u for u in session.usage if u.model != "<synthetic>"])
    priced = [u for u in used if u.cost is not None]
    listed = _usage_of_turns([u for u in used if u.cost is None])
    return {
        "turn_numbers": [t.index for t in view.user_turns],
        "typed_turn_numbers": [t.index for t in view.typed],
        "interrupted_turns": sorted({m.turn for m in session.marks if m.kind in STOPPED}),
        "tokens_by_turn": {turn: usage_by_model(usage) for turn, usage in listed.items()} if used else None,
        "recorded_cost_by_turn": {turn: sum(u.cost or 0.0 for u in usage) for turn, usage in _usage_of_turns(priced).items()}
        if priced
        else None,
    }


def _usage_of_turns(usage: list[Usage]) -> dict[str, list[Usage]]:
    """By the number of the turn, as JSON writes keys."""
    turns: dict[str, list[Usage]] = defaultdict(list)
    for response in sorted(usage, key=lambda u: u.turn):
        turns[str(response.turn)].append(response)
    return turns
