"""Rates of rare events per 1,000 lines and their ratios, with exact intervals. Pure.

Sources: Garwood 1936 (exact interval of a Poisson count); Clopper and Pearson 1934 (exact interval
of a share; of the split of a total count: of a rate ratio); Greenland and Robins 1985
(Mantel-Haenszel rate ratio over strata and its variance).
"""

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from attribution.lineage import minimum
from attribution.lineage.minimum import Sample
from attribution.stats.intervals import Interval

PER = 1000  # lines
_TAIL = 0.025


class RateCell(NamedTuple):
    """Events over lines."""

    events: int
    lines: int


class Rate(NamedTuple):
    """Events per 1,000 lines with the exact 95 % interval."""

    events: int
    lines: int
    rate: float | None
    low: float | None
    high: float | None


def total(cells: Iterable[RateCell]) -> RateCell:
    events = lines = 0
    for cell in cells:
        events += cell.events
        lines += cell.lines
    return RateCell(events, lines)


def rate(cell: RateCell) -> Rate:
    if not cell.lines:
        return Rate(cell.events, 0, None, None, None)
    interval = poisson_interval(cell.events)
    scale = PER / cell.lines
    return Rate(
        cell.events, cell.lines, cell.events * scale, interval.low * scale, interval.high * scale
    )


def rate_if_enough(cell: RateCell) -> Rate:
    """Like `rate`, but without a value where there are fewer lines than `minimum.RATE` asks for."""
    few = minimum.RATE.refusal({"lines": Sample(cell.lines, minimum.RATE.commits)})
    return Rate(cell.events, cell.lines, None, None, None) if few else rate(cell)


class Ratio(NamedTuple):
    """One rate over another with its 95 % interval; None where it cannot be told."""

    ratio: float | None
    low: float | None
    high: float | None


NO_RATIO = Ratio(None, None, None)


def poisson_interval(count: int) -> Interval:
    """Exact 95 % interval of the mean behind a count."""
    low = (
        0.0
        if count == 0
        else _solve(lambda mean: 1 - _poisson_below(count, mean) - _TAIL, 0.0, float(count))
    )
    high = _solve(
        lambda mean: _TAIL - _poisson_below(count + 1, mean),
        float(count),
        count + 10 * math.sqrt(count + 1) + 10,
    )
    return Interval(low, high)


def _poisson_below(count: int, mean: float) -> float:
    """Probability of fewer than `count` events."""
    if mean <= 0:
        return 1.0
    logs = [n * math.log(mean) - mean - math.lgamma(n + 1) for n in range(count)]
    return math.fsum(math.exp(x) for x in logs)


def binomial_interval(count: int, of: int) -> Interval:
    """Exact 95 % interval of a share."""
    low = (
        0.0 if count == 0 else _solve(lambda p: 1 - _binomial_below(count, of, p) - _TAIL, 0.0, 1.0)
    )
    high = (
        1.0
        if count == of
        else _solve(lambda p: _TAIL - _binomial_below(count + 1, of, p), 0.0, 1.0)
    )
    return Interval(low, high)


def _binomial_below(count: int, of: int, share: float) -> float:
    if share <= 0:
        return 1.0
    if share >= 1:
        return 0.0 if count <= of else 1.0
    a = math.log(share)
    b = math.log1p(-share)
    top = math.lgamma(of + 1)
    return math.fsum(
        math.exp(top - math.lgamma(n + 1) - math.lgamma(of - n + 1) + n * a + (of - n) * b)
        for n in range(min(count, of + 1))
    )


def _solve(grows: Callable[[float], float], low: float, high: float) -> float:
    """The zero of a growing function."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if grows(middle) < 0 else (low, middle)
    return (low + high) / 2
