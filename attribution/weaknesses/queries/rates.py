"""Rates corrected by reviews. Pure."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from attribution.stats.intervals import Z
from attribution.stats.rates import (
    PER,
    Rate,
    RateCell,
    binomial_interval,
    poisson_interval,
    rate,
)


class Reviewed(NamedTuple):
    """A stratum of findings: how many there are, how many of them somebody read, and how many of
    those are true.
    """

    findings: int
    read: int
    true: int


class Precision(NamedTuple):
    """Share of true findings with its 95 % interval."""

    share: float
    low: float
    high: float


def precision(strata: Iterable[Reviewed]) -> Precision | None:
    """Of all strata of which some were read, weighted by their findings.

    One stratum: exact. Several: normal approximation of the stratified mean, its shares smoothed by
    Agresti and Coull's two and two so that a stratum where all were true is not taken for certain.
    None when none was read.
    """
    read = [s for s in strata if s.read]
    if not read:
        return None
    middle, variance = _share(read)
    if len(read) == 1:
        return Precision(middle, *binomial_interval(read[0].true, read[0].read))
    error = Z * math.sqrt(variance)
    return Precision(middle, max(0.0, middle - error), min(1.0, middle + error))


def _share(read: Sequence[Reviewed]) -> tuple[float, float]:
    """Share of true findings and its variance; what is read completely adds none."""
    whole = sum(s.findings for s in read)
    variance = 0.0
    for s in read:
        smooth = (s.true + 2) / (s.read + 4)
        finite = 1 - s.read / s.findings if s.findings > s.read else 0.0
        variance += (s.findings / whole) ** 2 * smooth * (1 - smooth) / (s.read + 4) * finite
    return sum(s.findings * s.true / s.read for s in read) / whole, variance


def corrected_rate(cell: RateCell, strata: Iterable[Reviewed]) -> Rate | None:
    """Rate of the true ones among all findings of the cell. None when none was read.

    When all were read, the count of the true ones with its exact interval. Else the share of true
    ones in what was read stands for the rest; the interval is normal on the logarithm, from the
    variance of a count and that of the share.
    """
    read = [s for s in strata if s.read]
    if not read:
        return None
    if sum(s.read for s in read) == cell.events:
        return rate(RateCell(sum(s.true for s in read), cell.lines))
    share, variance = _share(read)
    true = cell.events * share
    if not cell.lines:
        return Rate(round(true), 0, None, None, None)
    if not true:
        share_of_true = precision(read)
        low = 0.0
        high = (share_of_true.high if share_of_true is not None else 1.0) * poisson_interval(
            cell.events
        ).high
    else:
        error = Z * math.sqrt(1 / true + variance / share**2)
        low = true * math.exp(-error)
        high = true * math.exp(error)
    scale = PER / cell.lines
    return Rate(round(true), cell.lines, true * scale, low * scale, high * scale)
