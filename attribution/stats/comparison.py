"""Lines of agents against a baseline of other lines: excess rework, and a test within the same files. Pure.

No baseline is beyond doubt, so each comparison says which one it uses, how many lines it has, and `spread` how far the answer moves
from one to the other.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from attribution.lineage import minimum
from attribution.lineage.minimum import Minimum, Sample
from attribution.lineage.survival import REWORK_DAYS, LifetimeRecord
from attribution.stats.intervals import Interval, t_quantile
from attribution.stats.kaplan_meier import Estimate, commit_of, estimate, observations
from collector.vocabulary.lines import LineClass

HUMAN = "human"
DATED = "dated"
UNDECLARED = "human + undeclared"
BASELINES: Mapping[str, Callable[[LifetimeRecord], bool]] = {
    HUMAN: lambda r: r.author == LineClass.HUMAN,
    DATED: lambda r: r.dated,
    UNDECLARED: lambda r: r.author in (LineClass.HUMAN, LineClass.UNDECLARED),
}
MEANING: Mapping[str, str] = {
    HUMAN: "lines of people: with a witness on record, or of commits that are older than agents",
    DATED: "of those, lines of commits that are older than agents; most are older than the followed history, so use --full",
    UNDECLARED: "also lines of all commits without any sign of an agent; agents that left no record may have written some of them",
}


@dataclass(frozen=True, slots=True)
class Rework:
    """Share of lines removed within 30 days, by Kaplan and Meier."""

    lines: int  # written at least that long before HEAD
    removed: float | None  # None: nothing is old enough


@dataclass(frozen=True, slots=True)
class Comparison:
    """Agent lines against a baseline. Null where one side has no lines, or too few of them."""

    baseline: str
    agent_lines: int  # in files where both have lines
    baseline_lines: int
    files: int
    observed: float  # deaths of agent lines in these files
    expected: float  # deaths they would have, did lines of both die alike in each file
    chi_square: float | None  # stratified log-rank, one degree of freedom, lines taken as independent
    p_value: float | None
    rework_agent: Rework
    rework_baseline: Rework
    excess_rework: float | None  # share removed within 30 days, agent minus baseline, in the whole repository
    excess_low: float | None = None  # 95 % interval by commit
    excess_high: float | None = None
    refused: str = ""  # why there is no test within the same files, in words
    refused_rework: str = ""  # why there is no excess rework, in words


def compare(records: Sequence[LifetimeRecord], baseline: str, least: Minimum = minimum.SURVIVAL) -> Comparison:
    """The log-rank test is stratified by file (and repository): only files with lines of both count.

    Below `least` on either side there is no test or no excess rework, and the reason instead.
    """
    ours, theirs, strata = sides(records, baseline)
    both = [r for stratum in strata.values() for r in stratum]
    refused = refusal(both, baseline, least)
    refused_rework = refusal([*_old(ours), *_old(theirs)], baseline, least)
    observed = expected = variance = 0.0
    for stratum in strata.values():
        o, e, v = _log_rank(stratum)
        observed, expected, variance = observed + o, expected + e, variance + v
    chi = (observed - expected) ** 2 / variance if variance > 0 and not refused else None
    a, b = _rework(ours), _rework(theirs)
    excess = None if refused_rework or a is None or b is None else b.share - a.share
    band = _difference(a, b) if excess is not None and a is not None and b is not None else None
    agent = sum(r.lines for r in both if r.author == LineClass.AGENT)
    return Comparison(
        baseline, agent, sum(r.lines for r in both) - agent, len(strata), observed, expected, chi,
        math.erfc(math.sqrt(chi / 2)) if chi is not None else None, _rework_row(ours, a), _rework_row(theirs, b), excess,
        band.low if band else None, band.high if band else None, refused, refused_rework,
    )  # fmt: skip


def spread(comparisons: Iterable[Comparison]) -> tuple[float, float] | None:
    """The smallest and the largest excess rework of several baselines; None with fewer than two."""
    values = [c.excess_rework for c in comparisons if c.excess_rework is not None]
    return (min(values), max(values)) if len(values) > 1 else None


def _old(records: Sequence[LifetimeRecord]) -> list[LifetimeRecord]:
    return [r for r in records if r.follow_days >= REWORK_DAYS and not (r.lost and r.days < REWORK_DAYS)]


def _rework(records: Sequence[LifetimeRecord]) -> Estimate | None:
    return estimate(observations(records), [REWORK_DAYS])[0] if _old(records) else None


def _rework_row(records: Sequence[LifetimeRecord], survivors: Estimate | None) -> Rework:
    return Rework(sum(r.lines for r in _old(records)), None if survivors is None else 1 - survivors.share)


def _difference(a: Estimate, b: Estimate) -> Interval | None:
    """Interval of b minus a; the commits of the two sides are treated as different commits."""
    if a.variance is None or b.variance is None:
        return None
    width = t_quantile(min(a.clusters, b.clusters) - 1) * math.sqrt(a.variance + b.variance)
    return Interval(b.share - a.share - width, b.share - a.share + width)


def refusal(records: Sequence[LifetimeRecord], baseline: str, least: Minimum) -> str:
    """Why agents' lines and those of a baseline cannot be compared, in words; "" when there are enough of both."""
    belongs = BASELINES[baseline]
    if not any(map(belongs, records)):
        return f"no baseline: no line is {baseline}"
    return least.refusal(
        {LineClass.AGENT: _sample(r for r in records if r.author == LineClass.AGENT), baseline: _sample(filter(belongs, records))}
    )


def _sample(records: Iterable[LifetimeRecord]) -> Sample:
    return minimum.sample((r.lines, commit_of(r)) for r in records)


class Sides(NamedTuple):
    """Lines that are compared."""

    agent: list[LifetimeRecord]
    baseline: list[LifetimeRecord]
    files: dict[tuple[int, str], list[LifetimeRecord]]  # (repository, path) -> lines of both, where it has both


def sides(records: Sequence[LifetimeRecord], baseline: str) -> Sides:
    ours = [r for r in records if r.author == LineClass.AGENT]
    theirs = list(filter(BASELINES[baseline], records))
    strata: dict[tuple[int, str], list[LifetimeRecord]] = defaultdict(list)
    for r in (*ours, *theirs):
        strata[r.repo, r.path].append(r)
    mixed = {file: lines for file, lines in strata.items() if len({r.author == LineClass.AGENT for r in lines}) == 2}
    return Sides(ours, theirs, mixed)


def _log_rank(records: Sequence[LifetimeRecord]) -> tuple[float, float, float]:
    """(observed, expected, variance) of agent deaths in one stratum; weights are counts. Mantel 1966."""
    ages = sorted({r.days for r in records if r.dead})
    if not ages:
        return 0.0, 0.0, 0.0
    risk, risk_agent = _count_at_risk(records, ages), _count_at_risk([r for r in records if r.author == LineClass.AGENT], ages)
    deaths, deaths_agent = [0] * len(ages), [0] * len(ages)
    for r in records:
        if r.dead:
            index = bisect_left(ages, r.days)
            deaths[index] += r.lines
            deaths_agent[index] += r.lines if r.author == LineClass.AGENT else 0
    observed = expected = variance = 0.0
    for n, n1, d, d1 in zip(risk, risk_agent, deaths, deaths_agent, strict=True):
        observed += d1
        expected += d * n1 / n
        if n > 1:
            variance += d * (n1 / n) * (1 - n1 / n) * (n - d) / (n - 1)
    return observed, expected, variance


def _count_at_risk(records: Iterable[LifetimeRecord], ages: Sequence[float]) -> list[int]:
    """Lines at least as old as each age when they ended."""
    ordered = sorted((r.days, r.lines) for r in records)
    days, sums = [day for day, _ in ordered], [0, *accumulate(lines for _, lines in ordered)]
    return [sums[-1] - sums[bisect_left(days, age)] for age in ages]
