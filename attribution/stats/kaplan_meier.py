"""Shares of lines that survive, by Kaplan and Meier, with intervals by commit.

Pure: needs no library.

Lines of one commit live and die together, so the variance of an estimate adds up what each commit
contributes to it and not what each line does (the infinitesimal jackknife by clusters, as in R's
`survfit(..., cluster)`; with every line a cluster of its own it is Greenwood's formula). Intervals
are symmetric on the scale of log(-log S), with Student's t for the number of commits less one.
"""

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attribution.lineage import minimum
from attribution.lineage.minimum import Minimum
from attribution.lineage.survival import COMMITS, DAYS, LifetimeRecord
from attribution.stats.intervals import Interval, t_quantile
from collector.groups import group_pairs

# a curve ends where a smaller share of its lines is at risk: what follows hangs on single commits
FEW = 0.01
DAYS_UNIT = "days"
COMMITS_UNIT = "commits"
HEAD_UNIT = "head"


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
    steps = _steps(observations)
    ages = [step.age for step in steps]
    return [steps[bisect_right(ages, horizon) - 1].estimate for horizon in horizons]


class _Step(NamedTuple):
    """The curve from an age on."""

    age: float
    at_risk: int  # lines at least that old when they ended or were last seen
    estimate: Estimate


def _steps(observations: Sequence[Observation]) -> list[_Step]:
    """The steps of the curve: one before any line can end, and one at each age at which lines
    end.
    """
    leaving = group_pairs((observation.age, observation) for observation in observations)
    influences = _Influences(observations)
    risk = influences.lines
    share = 1.0
    hazard = 0.0
    steps = [_Step(-math.inf, risk, influences.estimate(share, hazard))]
    for age, group in sorted(leaving.items()):
        at_risk = risk
        deaths = sum(observation.lines for observation in group if observation.dead)
        left = at_risk - deaths
        if deaths:
            share *= left / at_risk
            hazard += deaths / (at_risk * left) if left else 0.0
        for observation in group:
            influences.settle(
                observation, hazard - (1 / left if observation.dead and left else 0.0)
            )
            risk -= observation.lines
        if deaths:
            steps.append(_Step(age, at_risk, influences.estimate(share, hazard)))
    return steps


class _Influences:
    """What each cluster contributes to the estimate, and the sum of the squares, kept up to date as
    lines leave the risk.

    Lines at risk contribute the hazard so far; lines that left contribute what they did when they
    left.
    """

    def __init__(self, observations: Sequence[Observation]) -> None:
        self._at_risk: dict[Hashable, int] = defaultdict(int)
        for observation in observations:
            self._at_risk[observation.cluster] += observation.lines
        self._settled: dict[Hashable, float] = defaultdict(float)
        self.lines = sum(self._at_risk.values())
        # Sums over clusters: of squared lines at risk, of lines times settled contribution, of
        # squared settled contribution.
        self._sums = [float(sum(lines**2 for lines in self._at_risk.values())), 0.0, 0.0]

    def settle(self, observation: Observation, each: float) -> None:
        """Lines leave the risk; each of them has contributed so much."""
        lines = self._at_risk[observation.cluster]
        settled = self._settled[observation.cluster]
        fewer = lines - observation.lines
        more = settled + observation.lines * each
        self._at_risk[observation.cluster] = fewer
        self._settled[observation.cluster] = more
        self._sums[0] += fewer**2 - lines**2
        self._sums[1] += fewer * more - lines * settled
        self._sums[2] += more**2 - settled**2

    def estimate(self, share: float, hazard: float) -> Estimate:
        clusters = len(self._at_risk)
        if clusters < 2 or not share:
            return Estimate(share, None, clusters)
        squares = max(0.0, hazard**2 * self._sums[0] + 2 * hazard * self._sums[1] + self._sums[2])
        return Estimate(share, clusters / (clusters - 1) * share**2 * squares, clusters)


def commit_of(record: LifetimeRecord) -> Hashable:
    return record.repo, record.birth


def sample_of(records: Iterable[LifetimeRecord]) -> minimum.Sample:
    return minimum.sample((r.lines, commit_of(r)) for r in records)


def observations(records: Sequence[LifetimeRecord]) -> list[Observation]:
    """Ages in days, clustered by commit."""
    return [Observation(r.days, r.dead, r.lines, commit_of(r)) for r in records]


def survival_points(
    records: Sequence[LifetimeRecord], least: Minimum = minimum.SHARE
) -> list[Point]:
    """Every horizon that some line is old enough for."""
    points = _points(DAYS_UNIT, DAYS, records, lambda r: (r.days, r.follow_days), least)
    points += _points(
        COMMITS_UNIT, COMMITS, records, lambda r: (r.commits, r.follow_commits), least
    )
    return [*points, *head_point(records, least)]


class _Span(NamedTuple):
    """How long some lines of a commit were seen."""

    age: float  # at their end, or when they were last observed
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
    lines: Counter[_Span] = Counter()  # added up first: lines of a commit live and die together
    for r in records:
        lines[_Span(*ages(r), r.dead, r.lost, commit_of(r))] += r.lines
    estimates = estimate(
        [Observation(span.age, span.dead, n, span.commit) for span, n in lines.items()], horizons
    )
    points = []
    for horizon, survivors in zip(horizons, estimates, strict=True):
        old = [
            (span, n)
            for span, n in lines.items()
            if span.follow >= horizon and not (span.lost and span.age < horizon)
        ]
        if not old:
            continue
        risk = sum(
            n for span, n in old if span.age > horizon or (span.age == horizon and not span.dead)
        )
        point = Point(unit, horizon, risk, None, enough=sum(n for _, n in old))
        if not least.refusal({unit: minimum.sample((n, span.commit) for span, n in old)}):
            low, high = survivors.interval() or (None, None)
            point = point._replace(share=survivors.share, low=low, high=high)
        points.append(point)
    return points


def head_point(records: Sequence[LifetimeRecord], least: Minimum = minimum.SHARE) -> list[Point]:
    """The share that HEAD has, whatever the age of the lines."""
    followed = [r for r in records if not r.lost]
    lines = sum(r.lines for r in followed)
    if not lines:
        return []
    refused = least.refusal({HEAD_UNIT: sample_of(followed)})
    share = None if refused else sum(r.lines for r in followed if not r.dead) / lines
    return [Point(HEAD_UNIT, 0, lines, share, enough=lines)]


class CurveStep(NamedTuple):
    """The curve from `days` on: share alive, and its 95 % band, which is the share itself where
    there is none.
    """

    days: float
    alive: float
    low: float
    high: float
    at_risk: int


@dataclass(frozen=True, slots=True)
class Curve:
    """Shares that survive, as long as one line in a hundred is at risk.

    The band passes 1/2 within the interval of the median.
    """

    lines: int
    commits: int
    steps: list[CurveStep]
    median: float | None  # days; None: more than half are alive at the end
    median_low: float | None
    median_high: float | None


def survival_curve(records: Sequence[LifetimeRecord]) -> Curve:
    """Lines over days of life. Raises ValueError without a record."""
    if not records:
        raise ValueError("no lines")
    first, *later = _steps(observations(records))
    start = CurveStep(0.0, 1.0, 1.0, 1.0, first.at_risk)
    steps = [
        _curve_step(step) for step in later if step.age == 0 or step.at_risk >= FEW * first.at_risk
    ]
    steps = steps if steps and steps[0].days == 0 else [start, *steps]
    middles = [
        next((step.days for step in steps if getattr(step, name) <= 0.5), None)
        for name in ("alive", "low", "high")
    ]
    return Curve(first.at_risk, first.estimate.clusters, steps, *middles)


def _curve_step(step: _Step) -> CurveStep:
    low, high = step.estimate.interval() or (step.estimate.share, step.estimate.share)
    return CurveStep(step.age, step.estimate.share, low, high, step.at_risk)
