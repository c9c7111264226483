"""Evaluation runs of a database, by treatment."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from attribution.scores.attempts import Treatment, TreatmentKey, Try, treatment
from collector.errors import WhoWroteError

if TYPE_CHECKING:
    from collector.storage.store import Store


class Treatments(NamedTuple):
    """Treatments, the best first, and what to know about them."""

    treatments: list[Treatment]
    notes: list[str]


class _Attempt(NamedTuple):
    """The columns of `attempts` that rates need; the table has many more."""

    harness: str
    agent: str
    model: str
    dataset: str
    treatment: str
    run: str
    evaluated: int
    instance: str
    reward: float | None
    attempt_index: int | None
    label: str | None
    localized: int | None
    cost_usd: float | None

    def result(self) -> Try:
        return Try(
            self.instance, (self.reward or 0) >= 1, self.attempt_index or 0, self.run, self.label, self.reward is not None,
            None if self.localized is None else bool(self.localized), self.cost_usd,
        )  # fmt: skip


_ATTEMPTS = """
SELECT harness, agent_type AS agent, model_id AS model, dataset, treatment, run, evaluated, instance, reward, attempt_index,
  patch_outcome_label AS label, localized_correct_file AS localized, cost_usd FROM attempts ORDER BY id
"""


def treatments(store: Store, least: int = 1, by_run: bool = False) -> Treatments:
    """Treatments of at least `least` attempts; `by_run`: each run separately. Raises WhoWroteError."""
    attempts = store.select(_Attempt, _ATTEMPTS)
    if not attempts:
        hint = f"Import the results of a harness with: collect attempts DIR --db {store.path}"
        raise WhoWroteError(f"{store.path} has no evaluation runs", hint)
    groups: dict[tuple[TreatmentKey, str], list[Try]] = defaultdict(list)
    for attempt in attempts:
        if attempt.evaluated:
            groups[TreatmentKey(*attempt[:5]), attempt.run if by_run else ""].append(attempt.result())
    large = [treatment(key, tries) for (key, _), tries in groups.items() if len(tries) >= least]
    large.sort(key=lambda t: (-t.rates[0].value, -t.attempts, t.harness, t.agent, t.model, t.treatment, t.runs))
    notes = []
    unjudged = sum(1 for attempt in attempts if not attempt.evaluated)
    if unjudged:
        notes.append(f"{unjudged} predictions or trajectories have no result and are not counted")
    small = len(groups) - len(large)
    if small:
        notes.append(f"{small} treatments with fewer than {least} attempts are not shown")
    return Treatments(large, notes)
