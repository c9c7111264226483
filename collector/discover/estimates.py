"""Pure: how many repositories no channel found, from how much the channels overlap (capture-recapture).
Two channels: Chapman's estimator with Seber's variance. Several: Chao's lower bound for incidences, from the numbers of
repositories that exactly one and exactly two channels found (bias-corrected; Chao 1987, Colwell 1994). Intervals are 95 %,
log-normal on the part not seen (Chao 1987). Both assume that channels find independently of each other; channels that find
the same kind of repository overlap more than that and make the estimate too small, channels that exclude each other make it
too large. Three and more: a Poisson log-linear model of the numbers found by each set of channels (Fienberg 1972; Cormack 1989),
in which pairs of channels may depend on each other; which pairs is chosen by AIC.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

_Z = 1.959964
_MOST_LISTS = 5  # channels in a log-linear model: a thousand models
_STEPS = 100  # of Newton's method
_TINY = 1e-9

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Estimate:
    """`total` with its interval; `seen` is how many were found."""

    seen: int
    total: float
    low: float
    high: float


def chapman(first: int, second: int, both: int) -> Estimate | None:
    """From two channels: how many each found, and how many both did. None when one found nothing."""
    if not first or not second:
        return None
    total = (first + 1) * (second + 1) / (both + 1) - 1
    variance = (first + 1) * (second + 1) * (first - both) * (second - both) / ((both + 1) ** 2 * (both + 2))
    return _interval(first + second - both, total, variance)


def chao(found_by: Counter[int], channels: int) -> Estimate | None:
    """From several channels: how many repositories so many of them found. None with fewer than two channels or nothing found."""
    seen = found_by.total() - found_by[0]
    if channels < 2 or not seen:
        return None
    once, twice = found_by[1], found_by[2]
    share = (channels - 1) / channels
    unseen = share * once * (once - 1) / (2 * (twice + 1))
    variance = (
        unseen
        + share**2 * once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
        + share**2 * once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
    )
    return _interval(seen, seen + unseen, variance)


@dataclass(frozen=True, slots=True)
class LogLinear:
    """A fitted model. `pairs`: channels, by number, that depend on each other in it; `free`: degrees of freedom that are left."""

    estimate: Estimate
    pairs: Pairs
    deviance: float
    free: int
    aic: float  # up to what is the same for all models of these counts


def log_linear(found_by: Counter[frozenset[int]], lists: int) -> LogLinear | None:
    """From three and more channels: how many repositories those with these numbers (0 to lists - 1) found.

    The model with the lowest AIC; of equals the one with fewer pairs. Left out: the model with as many parameters as there are
    counts, which fits anything, and pairs that share no repository, whose parameter would be infinite. None when there are
    fewer than three channels, a channel found nothing, or no model can be fitted.
    """
    counts = found_by.copy()
    counts.pop(frozenset(), None)
    if not 3 <= lists <= _MOST_LISTS or any(not any(number in cell for cell in counts) for number in range(lists)):
        return None
    usable = [pair for pair in combinations(range(lists), 2) if any(cell.issuperset(pair) for cell in counts)]
    models = (pairs for size in range(len(usable) + 1) for pairs in combinations(usable, size))
    fitted = [model for pairs in models if (model := log_linear_of(counts, lists, pairs)) is not None and model.free > 0]
    return min(fitted, key=lambda model: (round(model.aic, 6), len(model.pairs)), default=None)


def log_linear_of(counts: Counter[frozenset[int]], lists: int, pairs: Pairs) -> LogLinear | None:
    """One model: log of a cell's mean = constant + one term per channel of the cell + one per pair. None when it has no maximum."""
    cells = [frozenset(c) for size in range(1, lists + 1) for c in combinations(range(lists), size)]
    rows = [[1.0, *(float(n in cell) for n in range(lists)), *(float(cell.issuperset(p)) for p in pairs)] for cell in cells]
    observed = [float(counts[cell]) for cell in cells]
    found = _poisson(rows, observed)
    if found is None:
        return None
    constant, variance, means = found
    seen = int(sum(observed))
    unseen = math.exp(min(constant, 50.0))
    if unseen > 1e6 * seen:
        return None
    deviance = 2 * sum((y * math.log(y / m) if y else 0.0) - (y - m) for y, m in zip(observed, means, strict=True))
    # The cell nobody saw is Poisson about its mean, and the mean is estimated (delta method; Rivest and Levesque 2001).
    estimate = _interval(seen, seen + unseen, unseen + unseen**2 * variance)
    return LogLinear(estimate, tuple(pairs), deviance, len(cells) - len(rows[0]), deviance + 2 * len(rows[0]))


def _poisson(rows: list[list[float]], observed: list[float]) -> tuple[float, float, list[float]] | None:
    """Poisson regression by iteratively reweighted least squares: (first coefficient, its variance, means). None: no maximum."""
    means = [y + 0.5 for y in observed]
    before = math.inf
    for _ in range(_STEPS):
        width = range(len(rows[0]))
        worked = [math.log(m) + (y - m) / m for y, m in zip(observed, means, strict=True)]
        normal = [[sum(m * r[i] * r[j] for m, r in zip(means, rows, strict=True)) for j in width] for i in width]
        inverse = _inverse(normal)
        if inverse is None:
            return None
        right = [sum(m * r[i] * z for m, r, z in zip(means, rows, worked, strict=True)) for i in width]
        coefficients = [sum(a * b for a, b in zip(line, right, strict=True)) for line in inverse]
        means = [math.exp(max(-30.0, min(30.0, sum(c * x for c, x in zip(coefficients, r, strict=True))))) for r in rows]
        likelihood = sum(y * math.log(m) - m for y, m in zip(observed, means, strict=True))
        if abs(likelihood - before) <= _TINY * (1 + abs(likelihood)):
            return coefficients[0], inverse[0][0], means
        before = likelihood
    return None


def _inverse(matrix: list[list[float]]) -> list[list[float]] | None:
    """By Gauss and Jordan with partial pivots; None when it is singular."""
    size = len(matrix)
    work = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    largest = max(abs(value) for row in matrix for value in row)
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(work[row][column]))
        if abs(work[pivot][column]) <= largest * 1e-12:
            return None
        work[column], work[pivot] = work[pivot], work[column]
        head = work[column][column]
        work[column] = [value / head for value in work[column]]
        for row in range(size):
            if row != column and (factor := work[row][column]):
                work[row] = [a - factor * b for a, b in zip(work[row], work[column], strict=True)]
    return [row[size:] for row in work]


def _interval(seen: int, total: float, variance: float) -> Estimate:
    unseen = total - seen
    if unseen <= 0 or variance <= 0:
        return Estimate(seen, max(total, float(seen)), float(seen), max(total, float(seen)))
    spread = math.exp(_Z * math.sqrt(math.log(1 + variance / unseen**2)))
    return Estimate(seen, total, seen + unseen / spread, seen + unseen * spread)


def quantiles(count: int, ordered: Iterable[float]) -> dict[str, float]:
    """Minimum, quartiles and maximum of so many values, the smallest first, which are not held; empty without values.

    Linear between the two nearest values.
    """
    if not count:
        return {}
    shares = {"min": 0.0, "q1": 0.25, "median": 0.5, "q3": 0.75, "max": 1.0}
    places = {name: share * (count - 1) for name, share in shares.items()}
    wanted = {near for place in places.values() for near in (math.floor(place), math.ceil(place))}
    held = {number: value for number, value in enumerate(ordered) if number in wanted}
    return {name: _between(held[math.floor(place)], held[math.ceil(place)], place % 1) for name, place in places.items()}


def _between(low: float, high: float, share: float) -> float:
    return low + (high - low) * share
