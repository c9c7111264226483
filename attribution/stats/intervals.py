"""Intervals of means, shares and any other statistic of grouped observations. Pure.

Observations come in clusters (the sessions of a repository, the attempts at a task) that are not
independent of each other. A statistic is a function of sums; leaving out one cluster after the
other gives its standard error (cluster jackknife, CV3 of MacKinnon, Nielsen and Webb 2023), and the
interval takes Student's t with one degree of freedom less than there are clusters. That needs no
random numbers, and with few clusters of uneven size it covers better than percentiles of a cluster
bootstrap do (docs/grades.md has the simulation). With every observation as its own cluster it is
the ordinary t interval of a mean.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

LEVEL = 0.95
Z = 1.959963984540054  # normal quantile of (1 + LEVEL) / 2
Moments = tuple[float, ...]
"""Sums over the observations of a cluster; those of all observations are the sums of these."""
Statistic = Callable[[Moments], float | None]


class Interval(NamedTuple):
    """95 %."""

    low: float
    high: float


@lru_cache(maxsize=512)
def t_quantile(df: int) -> float:
    """Two-sided 95 % quantile of Student's t, df >= 1: from its distribution in closed form
    (Abramowitz and Stegun 26.7.3-4).
    """
    if df > 200:  # Cornish-Fisher, error below 1e-6
        return Z + (Z**3 + Z) / (4 * df) + (5 * Z**5 + 16 * Z**3 + 3 * Z) / (96 * df**2)
    low = 0.0
    high = math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, df) < LEVEL else (low, middle)
    return math.tan(low) * math.sqrt(df)


def _within(angle: float, df: int) -> float:
    """Probability of |t| <= sqrt(df) * tan(angle)."""
    sine = math.sin(angle)
    cosine = math.cos(angle)
    odd = df % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for k in range(1 + odd, df, 2):
        total += term
        term *= cosine**2 * k / (k + 1)
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def total(parts: Sequence[Moments]) -> Moments:
    return tuple(math.fsum(column) for column in zip(*parts, strict=True))


def jackknife(parts: Sequence[Moments], statistic: Statistic) -> float | None:
    """Standard error; None with fewer than two clusters, or when the statistic hangs on a single
    one of them.
    """
    if len(parts) < 2:
        return None
    whole = total(parts)
    middle = statistic(whole)
    without = [statistic(tuple(a - b for a, b in zip(whole, part, strict=True))) for part in parts]
    if middle is None or any(value is None for value in without):
        return None
    squares = math.fsum((value - middle) ** 2 for value in without if value is not None)
    return math.sqrt(squares * (len(parts) - 1) / len(parts))


def around(
    value: float, error: float | None, df: int, least: float = -math.inf, most: float = math.inf
) -> Interval | None:
    """value ± t * error, within what is possible; None without an error or a degree of freedom."""
    if error is None or df < 1:
        return None
    width = t_quantile(df) * error
    return Interval(max(least, value - width), min(most, value + width))


def wilson(hits: int, of: int) -> Interval | None:
    """Wilson's score interval of a share of independent trials; None of nothing."""
    if not of:
        return None
    share = hits / of
    scale = 1 + Z**2 / of
    middle = (share + Z**2 / (2 * of)) / scale
    width = Z / scale * math.sqrt(share * (1 - share) / of + Z**2 / (4 * of**2))
    return Interval(0.0 if hits == 0 else middle - width, 1.0 if hits == of else middle + width)
