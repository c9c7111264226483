"""What is usual for a type of task: responses, tokens and cost of sessions of public repositories.

Fixed, so that scores of different databases can be compared; measured by `benchmarks/baselines.py` (`data/baselines.json`). A type
with fewer than LEAST sessions there takes those of all types.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from functools import cache
from importlib import resources
from typing import NamedTuple

LEAST = 20  # sessions of a type of task
ALL = "all"


class Baseline(NamedTuple):
    """Quantiles over the sessions of one type of task."""

    sessions: int
    repositories: int
    responses: float  # median number of responses of the model
    most_responses: float  # 95 % have fewer
    tokens: float  # median of output tokens per token read
    cost: float  # USD per response: three of four sessions cost less
    high_cost: float  # nine of ten cost less
    q: tuple[float, ...] = ()  # of the scores, from the lowest to the highest in equal steps

    def rank(self, q: float) -> float | None:
        """Share of these sessions with a lower score; None where no scores were measured."""
        if len(self.q) < 2:
            return None
        below = bisect_left(self.q, q)
        if below == 0 or below == len(self.q):
            return float(below > 0)
        low, high = self.q[below - 1], self.q[below]
        part = (q - low) / (high - low) if high > low else 0.0
        return (below - 1 + part) / (len(self.q) - 1)


def baseline(task: str) -> Baseline:
    """What is usual for a type of task, or for all types where there were too few sessions of it."""
    usual = baselines().get(task)
    return usual if usual is not None and usual.sessions >= LEAST else baselines()[ALL]


@cache
def baselines() -> dict[str, Baseline]:
    """Baselines by type of task, as they were measured; ALL is the one of all types together."""
    text = resources.files("attribution.evaluation.scores").joinpath("data/baselines.json").read_text("utf-8")
    return {task: Baseline(**values | {"q": tuple(values.get("q", ()))}) for task, values in json.loads(text).items()}
