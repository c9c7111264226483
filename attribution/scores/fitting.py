"""Weights of the parts of Q that agree best with people's ratings. Pure.

All weights of a grid (steps of 0.05 that sum to 1) are tried. Those whose Q correlates best (Pearson) with the ratings win; of
equal ones the closest to the published weights. The correlation of a fit with what it was fitted on flatters it, so each
repository is scored once with weights fitted on the others: these scores together give the correlation to believe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from attribution.lineage import minimum
from attribution.scores.quality import PARTS, WEIGHTS, PartWeights, mixed
from attribution.stats.correlation import pearson, spearman

STEPS = 20  # weights are multiples of 1 / STEPS
LEAST = minimum.RATED
LEAST_REPOSITORIES = 3  # with fewer there is nothing to judge a fit by


@dataclass(frozen=True, slots=True)
class RatedSession:
    """A session that a person rated, with the parts of its score."""

    repository: str
    task_type: str
    parts: Mapping[str, float | None]  # by name; None: no signal of the part is known
    rating: float


@dataclass(frozen=True, slots=True)
class Fit:
    """Fitted weights, and how well scores agree with ratings: with the published weights, refitted, and on unseen repositories."""

    weights: PartWeights
    sessions: int
    repositories: int
    published: float | None  # Pearson
    fitted: float | None  # Pearson on the sessions of the fit, which flatters it
    unseen: float | None  # Pearson, each repository with weights fitted on the others
    unseen_rank: float | None  # Spearman of the same


def fit(rated: Sequence[RatedSession]) -> Fit | None:
    """None with fewer than LEAST sessions, of fewer than LEAST_REPOSITORIES repositories, or when all ratings are equal."""
    repositories = sorted({one.repository for one in rated})
    if len(rated) < LEAST or len(repositories) < LEAST_REPOSITORIES or len({one.rating for one in rated}) == 1:
        return None
    best = _best(rated)
    apart: list[tuple[float, float]] = []
    for name in repositories:
        others = _best([one for one in rated if one.repository != name])
        apart += _pairs([one for one in rated if one.repository == name], _always(others))
    published = pearson(_pairs(rated, lambda one: WEIGHTS[one.task_type]))
    fitted = pearson(_pairs(rated, _always(best)))
    return Fit(best, len(rated), len(repositories), published, fitted, pearson(apart), spearman(apart))


def _best(rated: Sequence[RatedSession]) -> PartWeights:
    usual = WEIGHTS["coding"]

    def merit(weights: PartWeights) -> tuple[float, float]:
        found = pearson(_pairs(rated, _always(weights)))
        return -1.0 if found is None else round(found, 6), -sum(abs(a - b) for a, b in zip(weights, usual, strict=True))

    return max(_grid(), key=merit)


def _always(weights: PartWeights) -> Callable[[RatedSession], PartWeights]:
    return lambda _: weights


def _pairs(rated: Sequence[RatedSession], weights_of: Callable[[RatedSession], PartWeights]) -> list[tuple[float, float]]:
    """(Q, rating) of the sessions that have a score."""
    pairs = []
    for one in rated:
        q = mixed(one.parts, weights_of(one)).q
        if q is not None:
            pairs.append((q, one.rating))
    return pairs


def _grid() -> Iterator[PartWeights]:
    for a in range(STEPS + 1):
        for b in range(STEPS + 1 - a):
            for c in range(STEPS + 1 - a - b):
                yield a / STEPS, b / STEPS, c / STEPS, (STEPS - a - b - c) / STEPS


def as_table(weights: PartWeights) -> dict[str, float]:
    """Weights by the name of their part."""
    return dict(zip(PARTS, weights, strict=True))
