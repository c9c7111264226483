"""How often attempts at tasks succeed, by treatment. Pure.

pass@k is the chance that at least one of k attempts at a task succeeds, averaged over tasks: of n attempts with c successes
1 - C(n-c, k) / C(n, k) (Chen et al. 2021), over the tasks with n >= k. Attempts at one task are not independent, so the interval is
over tasks; with one attempt for each it is Wilson's. An attempt that the harness could not judge did not succeed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import comb
from typing import Any, NamedTuple

from attribution.stats.intervals import Interval, around, jackknife, wilson

MORE = (2, 3, 5, 10)  # k of pass@k, beside 1
LABELS = ("correct", "partial", "regressive", "no_effect", "unverifiable")
_HALF = 0.5  # of the tasks must have k attempts


@dataclass(frozen=True, slots=True)
class Try:
    """An attempt that a harness judged, or failed to judge."""

    instance: str
    solved: bool
    index: int
    run: str = ""
    label: str | None = None
    judged: bool = True
    localized: bool | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class PassRate:
    k: int
    value: float
    tasks: int
    interval: Interval | None


class TreatmentKey(NamedTuple):
    """The independent variables of attempts."""

    harness: str
    agent: str
    model: str
    dataset: str
    treatment: str  # JSON: everything else that was set


class Localized(NamedTuple):
    """Attempts that changed a file of the gold patch."""

    right: int
    attempts: int  # of which it is known


@dataclass(frozen=True, slots=True)
class Treatment:
    """Attempts with the same independent variables."""

    harness: str
    agent: str
    model: str
    dataset: str
    treatment: str
    runs: tuple[str, ...]
    tasks: int
    attempts: int
    judged: int
    solved: int
    rates: tuple[PassRate, ...]  # pass@1, then further k
    first: PassRate | None  # of attempts with index 0 alone
    later: PassRate | None  # of all others; None without any
    labels: dict[str, int]
    localized: Localized | None  # None: not known
    cost_per_solved: float | None  # all costs over solved attempts; None when a cost is missing or nothing is solved

    def data(self) -> dict[str, Any]:
        """Plain values, for --json and --csv: rates and intervals as columns."""
        row = asdict(self) | {"runs": list(self.runs)}
        for name in ("rates", "labels", "first", "later", "localized"):
            del row[name]
        for rate in self.rates:
            low, high = rate.interval or (None, None)
            row |= {f"pass_at_{rate.k}": rate.value, f"pass_at_{rate.k}_low": low, f"pass_at_{rate.k}_high": high}
        row |= {"first": self.first and self.first.value, "later": self.later and self.later.value}
        row |= {label: self.labels.get(label, 0) for label in LABELS}
        right, known = self.localized or (None, None)
        return row | {"localized": right, "localizable": known}


def treatment(key: TreatmentKey, tries: Sequence[Try]) -> Treatment:
    """Raises ValueError without attempts."""
    if not tries:
        raise ValueError("no attempts")
    tasks = _tasks(tries)
    deep = [k for k in MORE if sum(1 for n, _ in tasks.values() if n >= k) >= max(2, _HALF * len(tasks))]
    found = [rate for k in (1, *deep) if (rate := pass_at(tries, k)) is not None]
    located = [t.localized for t in tries if t.localized is not None]
    solved = sum(t.solved for t in tries)
    costs = [t.cost_usd for t in tries if t.cost_usd is not None]
    return Treatment(
        *key, tuple(sorted({t.run for t in tries})), len(tasks), len(tries), sum(t.judged for t in tries), solved, tuple(found),
        pass_at([t for t in tries if t.index == 0], 1), pass_at([t for t in tries if t.index > 0], 1),
        dict(Counter(t.label for t in tries if t.label is not None)), Localized(sum(located), len(located)) if located else None,
        sum(costs) / solved if solved and len(costs) == len(tries) else None,
    )  # fmt: skip


def pass_at(tries: Iterable[Try], k: int) -> PassRate | None:
    """Over the tasks with at least k attempts; None when there are none."""
    enough = [(n, c) for n, c in _tasks(tries).values() if n >= k]
    if not enough:
        return None
    chances = [1 - comb(n - c, k) / comb(n, k) for n, c in enough]
    value = sum(chances) / len(chances)
    if all(chance in (0.0, 1.0) for chance in chances):
        return PassRate(k, value, len(enough), wilson(round(sum(chances)), len(chances)))
    error = jackknife([(1.0, chance) for chance in chances], lambda sums: sums[1] / sums[0] if sums[0] else None)
    return PassRate(k, value, len(enough), around(value, error, len(chances) - 1, 0.0, 1.0))


def _tasks(tries: Iterable[Try]) -> dict[str, tuple[int, int]]:
    """Task -> (attempts, successes)."""
    found: dict[str, list[bool]] = defaultdict(list)
    for one in tries:
        found[one.instance].append(one.solved)
    return {instance: (len(some), sum(some)) for instance, some in found.items()}
