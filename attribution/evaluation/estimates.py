"""Estimates over sessions or commits of several repositories, with intervals over repositories
where there are enough. Pure.

Observations of one repository resemble each other. With at least LEAST_CLUSTERS repositories an
interval is over repositories; with fewer it takes observations as independent and says nothing
about other repositories. Which one it is stands beside it.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from attribution.stats.intervals import (
    Moments,
    Statistic,
    around,
    jackknife,
    total,
    wilson,
)
from collector.groups import group_pairs, positions

LEAST_CLUSTERS = 5  # repositories: with fewer the interval takes observations as independent
REPOSITORIES = "repositories"
OBSERVATIONS = "observations"
_Name = TypeVar("_Name", str, int)
NOTHING = 1e-9  # a weight from which everything was taken away again


class Estimate(NamedTuple):
    """A number with its standard error and 95 % interval; None where nothing can be said."""

    value: float | None = None
    error: float | None = None
    low: float | None = None
    high: float | None = None
    over: str = ""  # what the interval generalises to: repositories | observations | ""

    def columns(self, name: str) -> dict[str, float | str | None]:
        return {
            name: self.value,
            f"{name}_low": self.low,
            f"{name}_high": self.high,
            f"{name}_over": self.over,
        }


class Observation(NamedTuple):
    """What one session or commit has to say about a difference between two sides."""

    repository: str
    stratum: Hashable  # it is compared with others of the same stratum only
    weights: tuple[float, float]  # how much of it belongs to each side
    value: float


def estimate(
    rows: Sequence[tuple[str, Moments]],
    statistic: Statistic,
    limits: tuple[float, float],
    sides: Sequence[Sequence[int]] = ((0,),),
    fitted: int = 1,
) -> Estimate:
    """A statistic of (repository, moments of an observation).

    `limits`: the least and the greatest possible value. `sides`: for each side that is compared,
    the places of its weights in the moments; the interval has the degrees of freedom of the smaller
    side. `fitted`: how many parameters are fitted.
    """
    value = statistic(total([moments for _, moments in rows])) if rows else None
    if value is None:
        return Estimate()
    members = [
        [repository for repository, moments in rows if any(moments[place] for place in side)]
        for side in sides
    ]
    clusters = min(len(set(repositories)) for repositories in members)
    if clusters >= LEAST_CLUSTERS:
        return _add_interval(
            value, repository_sums(rows), statistic, clusters, limits, REPOSITORIES
        )
    size = min(map(len, members)) - fitted + 1
    return _add_interval(
        value, [moments for _, moments in rows], statistic, size, limits, OBSERVATIONS
    )


def ratio_over_repositories(
    parts: Sequence[Moments], limits: tuple[float, float], least: int = LEAST_CLUSTERS
) -> Estimate:
    """A ratio of sums, one part for each repository: without an interval when they are fewer
    than `least`.
    """
    value = ratio(total(parts)) if parts else None
    if value is None or len(parts) < least:
        return Estimate(value)
    return _add_interval(value, parts, ratio, len(parts), limits, REPOSITORIES)


def _add_interval(
    value: float,
    parts: Sequence[Moments],
    statistic: Statistic,
    size: int,
    limits: tuple[float, float],
    over: str,
) -> Estimate:
    error = jackknife(parts, statistic)
    interval = around(value, error, size - 1, *limits)
    # of shares that are all none or all there is no spread, which does not make them certain
    if limits == (0.0, 1.0) and value in limits and error is not None and error < NOTHING:
        interval = wilson(round(value) * size, size)
    if interval is None:
        return Estimate(value, error)
    return Estimate(value, error, interval.low, interval.high, over)


def repository_sums(rows: Iterable[tuple[_Name, Moments]]) -> list[Moments]:
    """The sums of each repository, in order of the repositories."""
    groups = group_pairs((repository, moments) for repository, moments in rows)
    return [total(group) for _, group in sorted(groups.items())]


def ratio(sums: Moments) -> float | None:
    """The second sum over the first: the mean of a value, from weights and weighted values."""
    return sums[1] / sums[0] if sums[0] > NOTHING else None


def effective_repositories(repositories: Iterable[str]) -> float:
    """How many repositories of equal size would say as much: n^2 / sum of squares, over the
    repository of each observation.
    """
    sizes = Counter(repositories).values()
    return sum(sizes) ** 2 / sum(size * size for size in sizes) if sizes else 0.0


def difference(
    observations: Sequence[Observation],
    limits: tuple[float, float],
    weights: Mapping[Hashable, float] | None = None,
) -> Estimate:
    """The mean of the first side less that of the second, within strata that have both.

    `weights`: of the strata that count; None: each stratum counts as much as it can say about the
    difference, n m / (n + m).
    """
    strata = _compared_strata(observations, weights)
    rows = []
    for one in observations:
        if one.stratum in strata:
            ours, theirs = one.weights
            place = 4 * strata[one.stratum]
            moments = [0.0] * (4 * len(strata))
            moments[place : place + 4] = ours, ours * one.value, theirs, theirs * one.value
            rows.append((one.repository, tuple(moments)))
    given = None if weights is None else {strata[name]: weight for name, weight in weights.items()}
    sides = (range(0, 4 * len(strata), 4), range(2, 4 * len(strata), 4))
    return estimate(rows, lambda sums: _weighted_difference(sums, given), limits, sides)


def _compared_strata(
    observations: Iterable[Observation], weights: Mapping[Hashable, float] | None
) -> dict[Hashable, int]:
    """Each stratum that is compared and its number."""
    if weights is not None:
        return positions(weights)
    present: dict[Hashable, list[bool]] = defaultdict(lambda: [False, False])
    for one in observations:
        for side, weight in enumerate(one.weights):
            present[one.stratum][side] |= bool(weight)
    return {
        name: number
        for number, name in enumerate(name for name, sides in present.items() if all(sides))
    }


def _weighted_difference(sums: Moments, given: Mapping[int, float] | None) -> float | None:
    whole = weighted = 0.0
    for number in range(len(sums) // 4):
        ours, our_sum, theirs, their_sum = sums[4 * number : 4 * number + 4]
        if min(ours, theirs) > NOTHING:
            weight = given[number] if given is not None else ours * theirs / (ours + theirs)
            whole += weight
            weighted += weight * (our_sum / ours - their_sum / theirs)
        elif given is not None:
            return None
    return weighted / whole if whole else None
