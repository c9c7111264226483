"""Evaluation runs of a database, by treatment."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict
from typing import Any

from attribution.scores.attempts import LABELS, Treatment, Try, treatment
from collector.errors import WhoWroteError
from collector.storage.store import Store

_HEAD = ("harness", "agent_type", "model_id", "dataset", "treatment")


def treatments(store: Store, least: int = 1, by_run: bool = False) -> tuple[list[Treatment], list[str]]:
    """Treatments of at least `least` attempts, the best first, and notes; `by_run`: each run apart. Raises WhoWroteError."""
    rows = store.rows("SELECT * FROM attempts ORDER BY id")
    if not rows:
        hint = f"Import the results of a harness with: collect attempts DIR --db {store.path}"
        raise WhoWroteError(f"{store.path} has no evaluation runs", hint)
    groups: dict[tuple[str, ...], list[Try]] = defaultdict(list)
    for row in rows:
        if row["evaluated"]:
            groups[(*(row[name] for name in _HEAD), row["run"] if by_run else "")].append(_try(row))
    found = [treatment(head[:5], tries) for head, tries in groups.items() if len(tries) >= least]  # type: ignore[arg-type]
    found.sort(key=lambda t: (-t.rates[0].value, -t.attempts, t.harness, t.agent, t.model, t.treatment, t.runs))
    notes = []
    alone = sum(1 for row in rows if not row["evaluated"])
    if alone:
        notes.append(f"{alone} predictions or trajectories have no result and are left out")
    few = len(groups) - len(found)
    if few:
        notes.append(f"{few} treatments of fewer than {least} attempts are left out")
    return found, notes


def _try(row: dict[str, Any]) -> Try:
    located = row["localized_correct_file"]
    return Try(
        row["instance"], (row["reward"] or 0) >= 1, row["attempt_index"] or 0, row["run"], row["patch_outcome_label"],
        row["reward"] is not None, None if located is None else bool(located), row["cost_usd"],
    )  # fmt: skip


def flat(t: Treatment) -> dict[str, Any]:
    """One row for a program: rates and intervals as columns."""
    row = asdict(t) | {"runs": list(t.runs)}
    rates, labels, located = row.pop("rates"), row.pop("labels"), row.pop("localized")
    first, later = row.pop("first"), row.pop("later")
    for rate in rates:
        low, high = rate["interval"] or (None, None)
        row |= {f"pass_at_{rate['k']}": rate["value"], f"pass_at_{rate['k']}_low": low, f"pass_at_{rate['k']}_high": high}
    row |= {"first": first and first["value"], "later": later and later["value"]}
    row |= {name: labels.get(name, 0) for name in LABELS}
    row |= {"localized": located and located[0], "localizable": located and located[1]}
    return row
