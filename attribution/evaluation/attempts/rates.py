"""How often attempts at tasks succeed, by treatment.

pass@k is the chance that at least one of k attempts at a task succeeds, averaged over tasks: of n
attempts with c successes 1 - C(n-c, k) / C(n, k) (Chen et al. 2021), over the tasks with n >= k.
Attempts at one task are not independent, so the interval is over tasks; with one attempt for each
it is Wilson's. An attempt that the harness could not judge did not succeed.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import comb

from attribution.evaluation.estimates import Estimate, estimate, ratio
from attribution.evaluation.words import PatchOutcome
from attribution.stats.intervals import wilson
from collector.errors import WhoWroteError
from collector.groups import group_pairs
from collector.json_values import JsonObject
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.text import command_line

MORE = (2, 3, 5, 10)  # k of pass@k, beside 1
_HALF = 0.5  # of the tasks must have k attempts
# parts of a treatment that have a column of their own
_NAMED = ("agent_type", "model_id", "dataset")
_KEY = ("harness", "agent", "model", "dataset", "treatment")
_ATTEMPTS = """
SELECT harness, agent_type AS agent, model_id AS model, dataset, treatment, run, evaluated,
  instance, reward, COALESCE(reward, 0) >= 1 AS solved,
  COALESCE(attempt_index, 0) AS attempt_index, patch_outcome_label AS label,
  localized_correct_file AS localized, cost_usd
FROM attempts ORDER BY id
"""

AttemptRow = JsonObject
"""A row of `_ATTEMPTS`."""


def treatments(store: Store, least: int = 1, by_run: bool = False) -> Table:
    """Treatments of at least `least` attempts, the best first; `by_run`: each run separately.

    Raises WhoWroteError.
    """
    attempts = store.rows(_ATTEMPTS)
    if not attempts:
        command = command_line("whowrote", "data", "attempts", "DIR", "--db", store.path)
        raise WhoWroteError(
            f"{store.path} has no evaluation runs",
            f"Import the results of a harness with: {command}",
        )
    groups = defaultdict(list)
    for attempt in attempts:
        if attempt["evaluated"]:
            groups[*(attempt[name] for name in _KEY), attempt["run"] if by_run else ""].append(
                attempt
            )
    rows = [treatment(group) for group in groups.values() if len(group) >= least]
    rows.sort(
        key=lambda row: (
            -row["pass_at_1"],
            -row["attempts"],
            *(row[name] for name in _KEY if name != "dataset"),
            row["runs"],
        )
    )
    rates = {name for row in rows for name in row if name.startswith("pass_at_")}
    notes = [
        "pass@1: mean over tasks with 95 % interval; attempts that the harness could not judge"
        " count as not solved"
    ]
    unjudged = sum(not attempt["evaluated"] for attempt in attempts)
    if unjudged:
        notes.append(f"predictions and trajectories without a result, not counted: {unjudged}")
    if len(groups) > len(rows):
        notes.append(
            f"treatments with fewer than {least} attempts, not shown: {len(groups) - len(rows)}"
        )
    return table_of(
        rows,
        {**dict.fromkeys((*rates, "first", "later"), "share"), "cost_per_solved": "USD"},
        notes,
    )


def treatment(attempts: Sequence[AttemptRow]) -> JsonObject:
    """The counts and rates of attempts with the same independent variables, of which there is at
    least one.
    """
    tasks = _tasks(attempts)
    deep = [
        k for k in MORE if sum(1 for n, _ in tasks.values() if n >= k) >= max(2, _HALF * len(tasks))
    ]
    localized = [attempt["localized"] for attempt in attempts if attempt["localized"] is not None]
    solved = sum(attempt["solved"] for attempt in attempts)
    costs = [attempt["cost_usd"] for attempt in attempts]
    labels = Counter(attempt["label"] for attempt in attempts)
    runs = sorted({attempt["run"] for attempt in attempts})
    row = {
        **{name: attempts[0][name] for name in _KEY},
        "settings": _settings(attempts[0]["treatment"]) or ", ".join(runs),
        "runs": runs,
        "tasks": len(tasks),
        "attempts": len(attempts),
        "solved": solved,
        "judged": sum(attempt["reward"] is not None for attempt in attempts),
        "cost_per_solved": sum(costs) / solved if solved and None not in costs else None,
    }
    for k in (1, *deep):
        rate = pass_at(attempts, k)
        row |= {
            f"pass_at_{k}": rate.value,
            f"pass_at_{k}_low": rate.low,
            f"pass_at_{k}_high": rate.high,
        }
    first, later = (
        pass_at([a for a in attempts if (a["attempt_index"] == 0) is is_first], 1)
        for is_first in (True, False)
    )
    return row | {
        "first": first.value,
        "later": later.value,
        **{str(label): labels[label] for label in PatchOutcome},
        "localized": sum(localized) if localized else None,
        "localizable": len(localized) or None,
    }


def _settings(treatment: str) -> str:
    """What was set for the run beside agent, model and data set, in one line."""
    others = {name: value for name, value in json.loads(treatment).items() if name not in _NAMED}
    return ", ".join(f"{name}={value}" for name, value in others.items())


def pass_at(attempts: Iterable[AttemptRow], k: int) -> Estimate:
    """Over the tasks with at least k attempts, each of which is one observation."""
    chances = {
        task: 1 - comb(n - c, k) / comb(n, k) for task, (n, c) in _tasks(attempts).items() if n >= k
    }
    if chances and all(chance in (0.0, 1.0) for chance in chances.values()):
        low, high = wilson(round(sum(chances.values())), len(chances)) or (None, None)
        return Estimate(sum(chances.values()) / len(chances), None, low, high)
    return estimate([(task, (1.0, chance)) for task, chance in chances.items()], ratio, (0.0, 1.0))


def _tasks(attempts: Iterable[AttemptRow]) -> dict[str, tuple[int, int]]:
    """Task -> (attempts, successes)."""
    tasks = group_pairs((attempt["instance"], attempt["solved"]) for attempt in attempts)
    return {instance: (len(solved), sum(solved)) for instance, solved in tasks.items()}
