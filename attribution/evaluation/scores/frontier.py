"""Quality against cost by model."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attribution.evaluation.words import TaskType
from attribution.lineage import minimum
from collector.storage.views import Table, table_of

ALL, UNKNOWN = "all", "unknown"


def model_table(scored: Iterable[Mapping[str, Any]]) -> Table:
    """Mean quality and cost of each model over the sessions that have both: see `frontiers`."""
    notes = ["frontier: no other model is both cheaper and better. Over the sessions that have a score and a cost."]
    return table_of(frontiers(scored), {"mean_cost_usd": "USD"}, notes, "models", "Quality and cost by model")


def frontiers(scored: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Models on the plane of cost and quality: over all sessions, then over each type of task in which two have enough sessions.

    `scored`: sessions with `model`, `category`, `q` and `cost_usd`; those without one of them are left out.
    """
    complete = [
        session
        for session in scored
        if session["model"] not in (None, "", UNKNOWN) and session["q"] is not None and session["cost_usd"]
    ]
    rows = frontier(complete)
    for task in TaskType:
        counts = Counter(session["model"] for session in complete if session["category"] == task)
        enough = {model for model, sessions in counts.items() if sessions >= minimum.SESSIONS}
        if len(enough) > 1:
            rows += frontier([session for session in complete if session["category"] == task and session["model"] in enough], task)
    return rows


def frontier(scored: Sequence[Mapping[str, Any]], task: str = ALL) -> list[dict[str, Any]]:
    """Means of each model, cheapest first. `frontier`: 1 where no other model is both cheaper and better."""
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for session in scored:
        groups[session["model"]].append((session["q"], session["cost_usd"]))
    means = sorted((sum(c for _, c in g) / len(g), sum(q for q, _ in g) / len(g), model) for model, g in groups.items())
    return [
        {
            "model": model, "category": task, "sessions": len(groups[model]), "mean_q": q, "mean_cost_usd": cost,
            "q_per_usd": q / cost, "frontier": int(not any(c <= cost and b >= q and (c, b) != (cost, q) for c, b, _ in means)),
        }
        for cost, q, model in means
    ]  # fmt: skip
