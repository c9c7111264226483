"""Correlation of two series, on the standard library's. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

Pairs = Sequence[tuple[float, float]]


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
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in range(start, end + 1):
            found[order[place]] = (start + end) / 2 + 1
        start = end + 1
    return found
