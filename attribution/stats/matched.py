"""Rates of agents' lines beside those of others that were written in the same circumstances.

An observation is what a commit wrote in one stratum: its lines, and events on them. The ratio of
rates compares each stratum with itself (Mantel and Haenszel), and its 95 % interval leaves out one
commit after the other on the scale of logarithms (jackknife), as the lines of a commit live and die
together. Random numbers are the same in every run.
"""

import math
import random
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from attribution.stats import intervals
from attribution.stats.intervals import Interval, Moments
from attribution.stats.rates import NO_RATIO, PER, RateCell, Ratio, poisson_interval
from collector.groups import group_pairs

FEW_EVENTS = 5  # on each side of a ratio
WIDEST = 100.0  # times its lower end, above which an interval says nothing
SHUFFLES = 100


class Observed(NamedTuple):
    """Lines of one commit in one stratum."""

    commit: Hashable
    ours: bool  # of agents
    stratum: Hashable
    events: int
    lines: int


class SideRate(NamedTuple):
    """Events per 1,000 lines of one side with the 95 % interval by commit."""

    events: int
    lines: int
    commits: int
    per_1000: float | None
    low: float | None
    high: float | None


def rate_of(observed: Iterable[Observed]) -> SideRate:
    """Of few events the interval is at least as wide as the exact one of a count."""
    by_commit: dict[Hashable, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for part in observed:
        sums = by_commit[part.commit]
        sums[0] += part.events
        sums[1] += part.lines
    parts = [tuple(sums) for sums in by_commit.values()]
    events, lines = intervals.total(parts) if parts else (0.0, 0.0)
    if not lines:
        return SideRate(0, 0, 0, None, None, None)
    value = PER * events / lines
    error = intervals.jackknife(parts, _per_1000)
    interval = intervals.around(value, error, len(parts) - 1, least=0.0)
    if interval and events < FEW_EVENTS:
        exact = poisson_interval(int(events))
        low, high = (PER * end / lines for end in exact)
        interval = Interval(min(low, interval.low), max(high, interval.high))
    ends = interval or (None, None)
    return SideRate(int(events), int(lines), len(parts), value, *ends)


def _per_1000(sums: Moments) -> float | None:
    return PER * sums[0] / sums[1] if sums[1] else None


_Sides = tuple[RateCell, RateCell]
"""Agents and others in a stratum."""


def _add(sides: _Sides, part: Observed, times: int = 1) -> _Sides:
    ours, others = sides
    cell = ours if part.ours else others
    changed = RateCell(cell.events + times * part.events, cell.lines + times * part.lines)
    return (changed, others) if part.ours else (ours, changed)


def _terms(sides: _Sides) -> tuple[float, float]:
    """What a stratum adds above and below the line of the ratio."""
    ours, others = sides
    if not ours.lines or not others.lines:
        return 0.0, 0.0
    whole = ours.lines + others.lines
    return ours.events * others.lines / whole, others.events * ours.lines / whole


def matched_parts(observed: Sequence[Observed]) -> list[Observed]:
    """Those of strata in which both sides have lines."""
    sides: dict[Hashable, set[bool]] = defaultdict(set)
    for part in observed:
        if part.lines:
            sides[part.stratum].add(part.ours)
    return [part for part in observed if len(sides[part.stratum]) > 1]


def matched_ratio(observed: Sequence[Observed]) -> Ratio:
    """The rate of agents over that of others; all None where one side has no events, the interval
    where it would hang on one commit.
    """
    matched = matched_parts(observed)
    cells: dict[Hashable, _Sides] = defaultdict(lambda: (RateCell(0, 0), RateCell(0, 0)))
    by_commit: dict[Hashable, list[Observed]] = defaultdict(list)
    for part in matched:
        cells[part.stratum] = _add(cells[part.stratum], part)
        by_commit[part.commit].append(part)
    above = math.fsum(_terms(sides)[0] for sides in cells.values())
    below = math.fsum(_terms(sides)[1] for sides in cells.values())
    if above <= 0 or below <= 0:
        return NO_RATIO
    middle = math.log(above / below)
    left_out = [_log_ratio_without(parts, cells, above, below) for parts in by_commit.values()]
    known = [value for value in left_out if value is not None]
    ours = len({part.commit for part in matched if part.ours})
    others = len({part.commit for part in matched if not part.ours})
    if len(known) < len(left_out) or min(ours, others) < 2:
        return Ratio(math.exp(middle), None, None)
    squares = math.fsum((value - middle) ** 2 for value in known)
    error = math.sqrt(squares * (len(known) - 1) / len(known))
    width = intervals.t_quantile(len(known) - 1) * error
    low = math.exp(middle - width)
    high = math.exp(middle + width)
    return Ratio(math.exp(middle), low, high)


def _log_ratio_without(
    parts: Sequence[Observed], cells: Mapping[Hashable, _Sides], above: float, below: float
) -> float | None:
    """The logarithm of the ratio when one commit is left out; None where there is none."""
    changed: dict[Hashable, _Sides] = {}
    for part in parts:
        sides = changed.get(part.stratum, cells[part.stratum])
        changed[part.stratum] = _add(sides, part, -1)
    for stratum, sides in changed.items():
        before = _terms(cells[stratum])
        after = _terms(sides)
        above += after[0] - before[0]
        below += after[1] - before[1]
    tiny = 1e-9  # what subtracting leaves of nothing
    return math.log(above / below) if above > tiny and below > tiny else None


def shuffle_authors(observed: Sequence[Observed], chance: random.Random) -> list[Observed]:
    """The same lines with their authors drawn again among the commits of each stratum."""
    result = []
    strata = group_pairs((part.stratum, part) for part in observed)
    for parts in strata.values():
        sides = [part.ours for part in parts]
        chance.shuffle(sides)
        result += [part._replace(ours=side) for part, side in zip(parts, sides, strict=True)]
    return result


def shuffles_that_hold(observed: Sequence[Observed]) -> tuple[int, int]:
    """Of 100 times that authors are drawn again: how often the interval holds 1, of how many that
    have one.
    """
    chance = random.Random(1)
    matched = matched_parts(observed)
    ratios = [matched_ratio(shuffle_authors(matched, chance)) for _ in range(SHUFFLES)]
    ends = [(ratio.low, ratio.high) for ratio in ratios]
    told = [(low, high) for low, high in ends if low is not None and high is not None]
    return sum(low <= 1 <= high for low, high in told), len(told)
