"""Estimates over sessions or commits of several repositories, with intervals over repositories
where there are enough. Pure.

Observations of one repository resemble each other. With at least LEAST_CLUSTERS repositories an
interval is over repositories; with fewer it takes observations as independent and says nothing
about other repositories. Which one it is stands beside it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from attribution.stats.intervals import (
    Moments,
    Statistic,
    around,
    jackknife,
    total,
    wilson,
)

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
        return _with_interval(
            value, repository_sums(rows), statistic, clusters, limits, REPOSITORIES
        )
    size = min(map(len, members)) - fitted + 1
    return _with_interval(
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
    return _with_interval(value, parts, ratio, len(parts), limits, REPOSITORIES)


def _with_interval(
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
    groups = defaultdict(list)
    for repository, moments in rows:
        groups[repository].append(moments)
    return [total(group) for _, group in sorted(groups.items())]


def ratio(sums: Moments) -> float | None:
    """The second sum over the first: the mean of a value, from weights and weighted values."""
    return sums[1] / sums[0] if sums[0] > NOTHING else None
