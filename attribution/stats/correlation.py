"""Correlation of two series, on the standard library's, and its interval by drawing pairs again and again."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence

from attribution.stats.intervals import LEVEL, Interval

Pairs = Sequence[tuple[float, float]]
_DRAWS = 2_000


def pearson(pairs: Pairs) -> float | None:
    """Pearson's correlation, -1 to 1; None with fewer than three pairs or when one series is constant."""
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    if len(pairs) < 3 or len(set(x)) == 1 or len(set(y)) == 1:
        return None
    try:
        return statistics.correlation(x, y)
    except statistics.StatisticsError:  # differences too small to be squared
        return None


def spearman(pairs: Pairs) -> float | None:
    """Spearman's rank correlation; None as for `pearson`. The standard library has it from Python 3.12 on."""
    return pearson(list(zip(ranks([a for a, _ in pairs]), ranks([b for _, b in pairs]), strict=True)))


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, equal values share their mean rank: Pearson over ranks is Spearman's correlation."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for position in range(start, end + 1):
            result[order[position]] = (start + end) / 2 + 1
        start = end + 1
    return result


def bootstrap(pairs: Pairs, statistic: Callable[[Pairs], float | None]) -> Interval | None:
    """Percentiles of a statistic of pairs drawn with replacement and a fixed seed; None when most have no value."""
    generator = random.Random(1)
    draws = (statistic(generator.choices(pairs, k=len(pairs))) for _ in range(_DRAWS if pairs else 0))
    values = sorted(value for value in draws if value is not None)
    if len(values) < _DRAWS / 2:
        return None
    low, high = (values[round(share * (len(values) - 1))] for share in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return Interval(low, high)
