"""What a study is made of: tables whose every number says how many observations it rests on. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from attribution.lineage import minimum
from attribution.stats.accuracy import audited_note
from attribution.stats.intervals import Interval, around, jackknife, total
from collector.vocabulary.lines import LINE_CLASSES

StudyRow = dict[str, Any]
"""Column -> value. Columns are named for people and differ from table to table: rows are shown and written to files as they are."""
MODES = ("human_only", "collaborative", "vibe")
LEAST = minimum.REPOSITORIES
CLASSES = LINE_CLASSES


@dataclass(slots=True)
class StudyTable:
    """One table of the study. Shares are between 0 and 1; `low` and `high` are the ends of a 95 % interval."""

    name: str
    title: str
    rows: list[StudyRow]
    notes: list[str] = field(default_factory=list)

    def columns(self) -> list[str]:
        return list(dict.fromkeys(name for row in self.rows for name in row))


@dataclass(frozen=True, slots=True)
class StudyUnit:
    """A session (or another unit) with what is summed over; `cluster` is its repository, as sessions of one are not independent."""

    cluster: int
    top: float
    bottom: float = 1.0


def audited_notes() -> list[str]:
    """How often the classes that a table rests on are right, to stand below it."""
    note = audited_note("agent", "human")
    return [f"{note[:1].upper()}{note[1:]}."] if note else []


class Estimate(NamedTuple):
    """A ratio with its 95 % interval."""

    value: float | None
    low: float | None
    high: float | None
    n: int  # units
    repositories: int


def pooled(units: Sequence[StudyUnit]) -> Estimate:
    """Sum over sum, with a cluster jackknife over repositories."""
    return _estimate(units, [(unit.cluster, (unit.top, unit.bottom)) for unit in units])


def enough(estimate: Estimate) -> Estimate:
    """The same without a number where it rests on fewer sessions than `minimum.SESSIONS`."""
    few = estimate.n < minimum.SESSIONS
    return estimate._replace(value=None, low=None, high=None) if few else estimate


FEW_NOTE = f"No number where fewer than {minimum.SESSIONS} sessions (n) would stand behind it."


def mean(units: Sequence[StudyUnit]) -> Estimate:
    """Mean of the ratios of the units; units with nothing below the line are left out."""
    kept = [unit for unit in units if unit.bottom]
    return _estimate(kept, [(unit.cluster, (unit.top / unit.bottom, 1.0)) for unit in kept])


def _estimate(units: Sequence[StudyUnit], rows: Iterable[tuple[int, tuple[float, float]]]) -> Estimate:
    groups: dict[int, list[tuple[float, float]]] = {}
    for cluster, moments in rows:
        groups.setdefault(cluster, []).append(moments)
    parts = [total(group) for group in groups.values()]
    value = _ratio(total(parts)) if parts else None
    band: Interval | None = None
    if value is not None and len(parts) >= LEAST:  # with two repositories the interval would say nothing
        most = 1.0 if all(unit.top <= unit.bottom for unit in units) else math.inf
        band = around(value, jackknife(parts, _ratio), len(parts) - 1, 0.0, most)
    return Estimate(value, band.low if band else None, band.high if band else None, len(units), len(parts))


def _ratio(moments: Sequence[float]) -> float | None:
    return moments[0] / moments[1] if moments[1] else None


def median(values: Sequence[float]) -> float | None:
    return quantile(values, 0.5)


def quantile(values: Sequence[float], share: float) -> float | None:
    """Linear between the two nearest; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
