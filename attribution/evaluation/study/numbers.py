"""What the tables of a study are made of: ratios over sessions with their intervals, and quantiles. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attribution.evaluation.estimates import ratio_over_repositories, repository_sums
from attribution.lineage import minimum
from attribution.stats.accuracy import audited_note
from collector.vocabulary.lines import Author, CodingMode

MODES = tuple(CodingMode)
EVERY_MODE = (*MODES, "all")
LEAST = minimum.REPOSITORIES
CLAUDE_CODE = "claude-code"  # the agent that the paper's tables of turns are about


@dataclass(frozen=True, slots=True)
class StudyUnit:
    """A session (or another unit) with what is summed over; `cluster` is its repository, as sessions of one are not independent."""

    cluster: int
    top: float
    bottom: float = 1.0


def audited_notes() -> list[str]:
    """How often the classes that a table rests on are right, to stand below it."""
    note = audited_note(Author.AGENT, Author.HUMAN)
    return [f"{note[:1].upper()}{note[1:]}."] if note else []


class Ratio(NamedTuple):
    """A ratio with its 95 % interval."""

    value: float | None
    low: float | None
    high: float | None
    n: int  # units
    repositories: int


def pooled(units: Sequence[StudyUnit]) -> Ratio:
    """Sum over sum, with a cluster jackknife over repositories."""
    return _ratio_of(units, [(unit.cluster, (unit.bottom, unit.top)) for unit in units])


def mean(units: Sequence[StudyUnit]) -> Ratio:
    """Mean of the ratios of the units; units with nothing below the line are left out."""
    usable = [unit for unit in units if unit.bottom]
    return _ratio_of(usable, [(unit.cluster, (1.0, unit.top / unit.bottom)) for unit in usable])


def enough(ratio: Ratio) -> Ratio:
    """The same without a number where it rests on fewer sessions than `minimum.SESSIONS`."""
    few = ratio.n < minimum.SESSIONS
    return ratio._replace(value=None, low=None, high=None) if few else ratio


FEW_NOTE = f"No number where fewer than {minimum.SESSIONS} sessions (n) would stand behind it."


def _ratio_of(units: Sequence[StudyUnit], rows: Iterable[tuple[int, tuple[float, float]]]) -> Ratio:
    """`rows`: (repository, (bottom, top)) of each unit."""
    parts = repository_sums(rows)
    limits = (0.0, 1.0 if all(unit.top <= unit.bottom for unit in units) else math.inf)
    estimate = ratio_over_repositories(parts, limits, LEAST)  # with two repositories an interval would say nothing
    return Ratio(estimate.value, estimate.low, estimate.high, len(units), len(parts))


def median(values: Sequence[float]) -> float | None:
    return quantile(values, 0.5)


def quantile(values: Sequence[float], share: float) -> float | None:
    """Linear between the two nearest; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
