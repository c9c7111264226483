"""Shares of lines that survive, by Kaplan and Meier, with intervals by commit. Pure: needs no library.

Lines of one commit live and die together, so the variance of an estimate adds up what each commit contributes to it and not what
each line does (the infinitesimal jackknife by clusters, as in R's `survfit(..., cluster)`; with every line a cluster of its own it
is Greenwood's formula). Intervals are symmetric on the scale of log(-log S), with Student's t for the number of commits less one.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from attribution.lineage import minimum
from attribution.lineage.minimum import Minimum
from attribution.lineage.survival import COMMITS, DAYS, LifetimeRecord
from attribution.stats.intervals import Interval, t_quantile

DAYS_UNIT, COMMITS_UNIT, HEAD_UNIT = "days", "commits", "head"


class Point(NamedTuple):
    """Lines of a group at an age."""

    unit: str  # days | commits | head
    horizon: int
    at_risk: int  # present at that age, and observed at least that long; for head: all lines
    share: float | None  # that survive; None: too few lines are old enough, see `enough`
    low: float | None = None  # 95 % interval by commit; None when there is none
    high: float | None = None
    enough: int = 0  # lines written at least that long before HEAD, removed or not


class Estimate(NamedTuple):
    """A share of lines that survive, with the variance of it."""

    share: float
    variance: float | None  # None: of a single cluster, or nothing is left
    clusters: int

    def interval(self) -> Interval | None:
        """95 %; None when nothing or everything was removed."""
        if self.variance is None or not 0.0 < self.share < 1.0:
            return None
        slope = self.share * math.log(self.share)
        width = t_quantile(self.clusters - 1) * math.sqrt(self.variance) / abs(slope)
        middle = math.log(-math.log(self.share))
        return Interval(math.exp(-math.exp(middle + width)), math.exp(-math.exp(middle - width)))


class Observation(NamedTuple):
    """Lines that were seen up to an age, and ended there or not."""

    age: float
    dead: bool
    lines: int
    cluster: Hashable


def estimate(observations: Sequence[Observation], horizons: Sequence[float]) -> list[Estimate]:
    """The share that survives each age: a line that ends at that very age does not."""
    curve = _Curve.of(observations)
    return [curve.at(horizon, observations) for horizon in horizons]


class _Curve(NamedTuple):
    """Steps at the ages at which lines ended."""

    ages: list[float]
    shares: list[float]  # that survive from there on
    hazards: list[float]  # sum of deaths / (at risk * (at risk - deaths)) up to there
    left: list[float]  # at risk less deaths

    @classmethod
    def of(cls, observations: Sequence[Observation]) -> _Curve:
        deaths: dict[float, int] = defaultdict(int)
        gone: dict[float, int] = defaultdict(int)
        for one in observations:
            gone[one.age] += one.lines
            if one.dead:
                deaths[one.age] += one.lines
        curve = cls([], [], [], [])
        risk, share, hazard = sum(gone.values()), 1.0, 0.0
        for age in sorted(gone):
            if died := deaths.get(age, 0):
                left = risk - died
                share *= left / risk
                hazard += died / (risk * left) if left else 0.0
                for column, value in zip(curve, (age, share, hazard, left), strict=True):
                    column.append(value)
            risk -= gone[age]
        return curve

    def at(self, horizon: float, observations: Sequence[Observation]) -> Estimate:
        last = bisect_right(self.ages, horizon) - 1
        share = self.shares[last] if last >= 0 else 1.0
        pulls: dict[Hashable, float] = defaultdict(float)
        for one in observations:
            step = min(last, bisect_right(self.ages, one.age) - 1)
            pull = self.hazards[step] if step >= 0 else 0.0
            if one.dead and one.age <= horizon and self.left[step]:
                pull -= 1 / self.left[step]
            pulls[one.cluster] += one.lines * pull
        clusters = len(pulls)
        if clusters < 2 or not share:
            return Estimate(share, None, clusters)
        scale = clusters / (clusters - 1)
        return Estimate(share, scale * share**2 * math.fsum(pull**2 for pull in pulls.values()), clusters)


def by_commit(record: LifetimeRecord) -> Hashable:
    return record.repo, record.birth


def observations(records: Sequence[LifetimeRecord], cluster: Callable[[LifetimeRecord], Hashable] = by_commit) -> list[Observation]:
    """Ages in days."""
    return [Observation(r.days, r.dead, r.lines, cluster(r)) for r in records]


def survival_points(records: Sequence[LifetimeRecord], least: Minimum = minimum.SHARE) -> list[Point]:
    """Every horizon that some line is old enough for."""
    points = _points(DAYS_UNIT, DAYS, records, lambda r: (r.days, r.follow_days), least)
    points += _points(COMMITS_UNIT, COMMITS, records, lambda r: (r.commits, r.follow_commits), least)
    return [*points, *head_point(records, least)]


class _Seen(NamedTuple):
    """How long some lines of a commit were seen."""

    age: float  # of their end, or of the last that was seen of them
    follow: float  # how old they could have become
    dead: bool
    lost: bool
    commit: Hashable


def _points(
    unit: str,
    horizons: Sequence[int],
    records: Sequence[LifetimeRecord],
    ages: Callable[[LifetimeRecord], tuple[float, float]],
    least: Minimum,
) -> list[Point]:
    lines: Counter[_Seen] = Counter()  # added up first: lines of a commit live and die together
    for r in records:
        lines[_Seen(*ages(r), r.dead, r.lost, by_commit(r))] += r.lines
    seen = [Observation(one.age, one.dead, n, one.commit) for one, n in lines.items()]
    curve = _Curve.of(seen)
    points = []
    for horizon in horizons:
        old = [(one, n) for one, n in lines.items() if one.follow >= horizon and not (one.lost and one.age < horizon)]
        if not old:
            continue
        risk = sum(n for one, n in old if one.age > horizon or (one.age == horizon and not one.dead))
        point = Point(unit, horizon, risk, None, enough=sum(n for _, n in old))
        if not least.refusal({unit: minimum.sample((n, one.commit) for one, n in old)}):
            found = curve.at(horizon, seen)
            low, high = found.interval() or (None, None)
            point = point._replace(share=found.share, low=low, high=high)
        points.append(point)
    return points


def head_point(records: Sequence[LifetimeRecord], least: Minimum = minimum.SHARE) -> list[Point]:
    """The share that HEAD has, whatever the age of the lines."""
    seen = [r for r in records if not r.lost]
    lines = sum(r.lines for r in seen)
    if not lines:
        return []
    refused = least.refusal({HEAD_UNIT: minimum.sample((r.lines, by_commit(r)) for r in seen)})
    share = None if refused else sum(r.lines for r in seen if not r.dead) / lines
    return [Point(HEAD_UNIT, 0, lines, share, enough=lines)]
