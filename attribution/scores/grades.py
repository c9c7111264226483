"""Grade patterns: mean quality by category, harness, model and week, and gaps between harnesses and models. Pure.

A gap between two harnesses can come from what they were used for. So it is told twice: raw, and directly standardised over the
category (type of task): the mean of each category counts as much as the category does among all graded sessions. Sessions of one
repository resemble each other, so intervals are over repositories where there are at least LEAST_CLUSTERS
of them; else they treat sessions as independent and speak of these repositories only. Which one it is stands beside each interval.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from attribution.lineage import minimum
from attribution.stats.intervals import Interval, Moments, Statistic, around, jackknife, total, wilson

LEAST = minimum.SESSIONS  # a smaller cell has a count and nothing else
LEAST_CLUSTERS = 5  # repositories: with fewer the interval treats sessions as independent
SUPPORT = 3  # sessions that a category needs in both of two groups, of at least two repositories each, to be compared
LEAST_WEIGHT = 0.5  # share of all sessions that must be of the compared categories: else a standardised gap is about something else
REPOSITORIES, SESSIONS = "repositories", "sessions"
NONE = "unknown"


@dataclass(frozen=True, slots=True)
class Graded:
    """A session with a score."""

    q: float
    category: str
    harness: str
    model: str
    repository: str
    at: datetime | None = None
    work: str | None = None  # kind of work; None: neither deeds nor words tell

    @property
    def week(self) -> str | None:
        """ISO week, 2026-W07."""
        if self.at is None:
            return None
        year, week, _ = self.at.isocalendar()
        return f"{year}-W{week:02}"


@dataclass(frozen=True, slots=True)
class GradeCell:
    """Sessions of one group. Without a mean: too few."""

    grouping: str
    name: str
    sessions: int
    repositories: int
    effective: float  # n^2 / sum of squares: how many repositories of equal size would say as much
    mean: float | None = None
    median: float | None = None
    error: float | None = None  # standard error of the mean, by `over`
    interval: Interval | None = None
    over: str = ""  # what the interval generalises to: repositories | sessions | ''


@dataclass(frozen=True, slots=True)
class GradeDifference:
    """`value`: mean of the group minus mean of the reference."""

    value: float | None
    error: float | None = None
    interval: Interval | None = None
    over: str = ""


@dataclass(frozen=True, slots=True)
class GradeGap:
    """One harness or model against the one with most sessions; `standardised` over the `categories` both did often enough."""

    grouping: str
    name: str
    reference: str
    sessions: int
    reference_sessions: int
    repositories: int
    reference_repositories: int
    shared_repositories: int  # that have sessions of both: 0 means that the gap may as well be one between repositories
    raw: GradeDifference
    standardised: GradeDifference
    within: GradeDifference  # same tasks in the same repository
    categories: tuple[str, ...]
    left_out: tuple[str, ...]  # categories without support in one of the two
    weight: float  # share of all graded sessions that are of these; below LEAST_WEIGHT nothing is standardised


@dataclass(frozen=True, slots=True)
class Trend:
    """Change of Q per week. `within`: after the mean of each repository was taken away, so that no change of mix remains."""

    sessions: int
    repositories: int
    weeks: int
    slope: GradeDifference
    within: GradeDifference


GROUPINGS: Mapping[str, Callable[[Graded], str | None]] = {
    "all": lambda _: "all",
    "category": lambda g: g.category,
    "work": lambda g: g.work,
    "harness": lambda g: g.harness,
    "model": lambda g: g.model,
    "category x harness": lambda g: f"{g.category} x {g.harness}",
    "repository": lambda g: g.repository,
    "week": lambda g: g.week,
}
COMPARED = ("harness", "model")


# --- cells ------------------------------------------------------------------------------------------------------------


def cells(graded: Iterable[Graded], grouping: str, least: int = LEAST) -> list[GradeCell]:
    """One cell for each group, the largest first; weeks in order. Sessions without a name for the grouping are left out."""
    found: dict[str, list[Graded]] = defaultdict(list)
    for one in graded:
        name = GROUPINGS[grouping](one)
        if name is not None:
            found[name].append(one)
    order = sorted(found.items(), key=(lambda pair: pair[0]) if grouping == "week" else (lambda pair: (-len(pair[1]), pair[0])))
    return [cell(grouping, name, some, least) for name, some in order]


def cell(grouping: str, name: str, some: Sequence[Graded], least: int = LEAST) -> GradeCell:
    sizes = Counter(g.repository for g in some)
    effective = len(some) ** 2 / sum(n * n for n in sizes.values()) if some else 0.0
    head = (grouping, name, len(some), len(sizes), effective)
    if len(some) < least:
        return GradeCell(*head)
    found = estimate([(g.repository, (1.0, g.q)) for g in some], _mean, len(sizes), (0.0, 1.0))
    return GradeCell(*head, found.value, statistics.median(g.q for g in some), found.error, found.interval, found.over)


def _mean(sums: Moments) -> float | None:
    return sums[1] / sums[0] if sums[0] else None


def estimate(
    rows: Sequence[tuple[str, Moments]], statistic: Statistic, clusters: int, limits: tuple[float, float],
    smallest: int | None = None,
) -> GradeDifference:  # fmt: skip
    """A statistic of (repository, moments of a session) with its interval.

    `clusters` and `smallest`: repositories and sessions on the side that has fewer, when it compares two.
    """
    value = statistic(total([moments for _, moments in rows])) if rows else None
    if value is None:
        return GradeDifference(None)
    if clusters >= LEAST_CLUSTERS:
        parts, over, df = clustered(rows), REPOSITORIES, clusters - 1
    else:
        parts, over, df = [moments for _, moments in rows], SESSIONS, (smallest or len(rows)) - 1
    error = jackknife(parts, statistic)
    interval = around(value, error, df, *limits)
    return GradeDifference(value, error, interval, over if interval else "")


def clustered(rows: Iterable[tuple[str, Moments]]) -> list[Moments]:
    """Sums of each cluster."""
    found: dict[str, list[Moments]] = defaultdict(list)
    for name, moments in rows:
        found[name].append(moments)
    return [total(some) for _, some in sorted(found.items())]


# --- gaps -------------------------------------------------------------------------------------------------------------


def gaps(graded: Sequence[Graded], grouping: str, least: int = LEAST) -> list[GradeGap]:
    """Every group of at least `least` sessions against the largest one. Groups that nobody can name are not compared."""
    name_of = GROUPINGS[grouping]
    sizes = Counter(name for g in graded if (name := name_of(g)) not in (None, NONE))
    order = sorted((name for name, n in sizes.items() if n >= least), key=lambda name: (-sizes[name], name))
    weights = Counter(g.category for g in graded)
    groups = {name: [g for g in graded if name_of(g) == name] for name in order}
    return [_gap(grouping, (name, order[0]), groups, weights) for name in order[1:]]


def _gap(grouping: str, names: tuple[str, str], groups: Mapping[str, list[Graded]], weights: Mapping[str, int]) -> GradeGap:
    name, reference = names
    ours, theirs = groups[name], groups[reference]
    here, there = ({g.repository for g in side} for side in (ours, theirs))
    shared = tuple(c for c in sorted(weights) if _supported(ours, c) and _supported(theirs, c))
    missing = tuple(c for c in sorted(weights) if c not in shared and any(g.category == c for g in (*ours, *theirs)))
    weight = sum(weights[c] for c in shared) / sum(weights.values())
    counted = {c: float(weights[c]) for c in shared} if weight >= LEAST_WEIGHT else {}
    return GradeGap(
        grouping, name, reference, len(ours), len(theirs), len(here), len(there), len(here & there),
        difference(ours, theirs, {"": 1.0}, lambda _: ""),
        difference(ours, theirs, counted, lambda g: g.category),
        within_repositories(ours, theirs), shared, missing, weight,
    )  # fmt: skip


def _supported(side: Sequence[Graded], category: str) -> bool:
    """Two repositories at least: leaving out any one of them still leaves something to compare."""
    some = [g.repository for g in side if g.category == category]
    return len(some) >= SUPPORT and len(set(some)) >= 2


def difference(
    ours: Sequence[Graded], theirs: Sequence[Graded], weights: Mapping[str, float], stratum: Callable[[Graded], str],
) -> GradeDifference:  # fmt: skip
    """Weighted means of strata, ours minus theirs. Sessions outside these strata do not count; weights are taken as given."""
    rows, statistic = moments(ours, theirs, weights, stratum)
    sides = [[g for g in side if stratum(g) in weights] for side in (ours, theirs)]
    clusters = min(len({g.repository for g in side}) for side in sides)
    return estimate(rows, statistic, clusters, (-1.0, 1.0), min(len(side) for side in sides))


def within_repositories(ours: Sequence[Graded], theirs: Sequence[Graded]) -> GradeDifference:
    """Over every repository and category that has sessions of both, weighted with how much both say there: n m / (n + m).

    Without an interval when fewer than LEAST_CLUSTERS repositories have both.
    """
    sides = [defaultdict[tuple[str, str], list[float]](list) for _ in range(2)]
    for side, some in zip(sides, (ours, theirs), strict=True):
        for g in some:
            side[g.repository, g.category].append(g.q)
    rows = []
    for place in sorted(sides[0].keys() & sides[1].keys()):
        x, y = sides[0][place], sides[1][place]
        weight = len(x) * len(y) / (len(x) + len(y))
        rows.append((place[0], (weight, weight * (statistics.fmean(x) - statistics.fmean(y)))))
    return _of_repositories(clustered(rows))


def moments(
    ours: Sequence[Graded], theirs: Sequence[Graded], weights: Mapping[str, float], stratum: Callable[[Graded], str]
) -> tuple[list[tuple[str, Moments]], Statistic]:
    """Sessions as sums (count and Q of each side and stratum), and the weighted difference as a function of them."""
    places = {name: i for i, name in enumerate(sorted(weights))}
    rows = []
    for side, some in enumerate((ours, theirs)):
        for g in some:
            if stratum(g) in places:
                sums = [0.0] * (4 * len(places))
                at = 4 * places[stratum(g)] + 2 * side
                sums[at : at + 2] = 1.0, g.q
                rows.append((g.repository, tuple(sums)))
    whole = sum(weights.values())

    def weighted(sums: Moments) -> float | None:
        found = 0.0
        for name, i in places.items():
            n, q, m, p = sums[4 * i : 4 * i + 4]
            if n < 0.5 or m < 0.5:  # counts, less the rounding of sums
                return None
            found += weights[name] / whole * (q / n - p / m)
        return found if places else None

    return rows, weighted


# --- weeks ------------------------------------------------------------------------------------------------------------


def trend(graded: Iterable[Graded]) -> Trend:
    """Least squares of Q on time, session by session."""
    dated = [(g, g.at) for g in graded if g.at is not None]
    first = min((at for _, at in dated), default=None)
    rows = []
    for g, at in dated:
        x = (at - first).total_seconds() / (7 * 86_400) if first else 0.0
        rows.append((g.repository, (1.0, x, g.q, x * x, x * g.q)))
    repositories = len({name for name, _ in rows})
    weeks = len({g.week for g, _ in dated})
    slope = estimate(rows, _slope, repositories, (-1.0, 1.0), len(rows) - 1)
    return Trend(len(rows), repositories, weeks, slope, _within(rows))


def _slope(sums: Moments) -> float | None:
    n, x, y, xx, xy = sums
    spread = xx - x * x / n if n else 0.0
    return (xy - x * y / n) / spread if spread > 1e-9 else None


def _within(rows: Sequence[tuple[str, Moments]]) -> GradeDifference:
    """The slope that all repositories have in common: each has its own level."""
    parts = []
    for n, x, y, xx, xy in clustered(rows):
        parts.append((xx - x * x / n, xy - x * y / n))
    return _of_repositories([part for part in parts if part[0] > 1e-9])


def _of_repositories(parts: Sequence[Moments]) -> GradeDifference:
    """A ratio of sums of repositories; its interval only when there are LEAST_CLUSTERS of them."""
    value = _ratio(total(parts)) if parts else None
    if value is None or len(parts) < LEAST_CLUSTERS:
        return GradeDifference(value)
    error = jackknife(parts, _ratio)
    interval = around(value, error, len(parts) - 1, -1.0, 1.0)
    return GradeDifference(value, error, interval, REPOSITORIES if interval else "")


def _ratio(sums: Moments) -> float | None:
    return sums[1] / sums[0] if sums[0] > 1e-9 else None


# --- harm -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Harmed:
    """What is known of the harm of one session; None: not known."""

    harness: str
    model: str
    category: str
    commits: int | None  # of those with lines of the session, the ones whose later history was followed
    reverted: int | None  # of those, taken back later
    changes_reverted: bool | None  # its changes were undone before it ended
    findings: int | None  # weaknesses of high severity that its lines brought in


@dataclass(frozen=True, slots=True)
class HarmRate:
    """A share of sessions; the interval (Wilson) takes them as independent."""

    hits: int
    of: int
    interval: Interval | None

    @property
    def share(self) -> float | None:
        return self.hits / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Harm:
    grouping: str
    name: str
    sessions: int
    commits: int | None
    reverted_commits: int | None
    with_reverted_commits: HarmRate | None  # of the sessions with a commit that was followed
    changes_reverted: HarmRate | None  # of the sessions that changed anything
    findings: int | None
    with_findings: HarmRate | None  # of the sessions of scanned repositories


def harm(sessions: Iterable[Harmed], grouping: str = "all") -> list[Harm]:
    """Harm by harness, model, category, or of all sessions together."""
    groups: dict[str, list[Harmed]] = defaultdict(list)
    for one in sessions:
        groups["all" if grouping == "all" else getattr(one, grouping)].append(one)
    order = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return [_harm(grouping, name, some) for name, some in order]


def _harm(grouping: str, name: str, some: Sequence[Harmed]) -> Harm:
    committed = [s for s in some if s.commits]
    known = [s.changes_reverted for s in some if s.changes_reverted is not None]
    scanned = [s.findings for s in some if s.findings is not None]
    followed = any(s.commits is not None for s in some)
    return Harm(
        grouping, name, len(some),
        sum(s.commits or 0 for s in some) if followed else None,
        sum(s.reverted or 0 for s in some) if followed else None,
        rate(sum(1 for s in committed if s.reverted), len(committed)),
        rate(sum(known), len(known)),
        sum(scanned) if scanned else None,
        rate(sum(1 for n in scanned if n), len(scanned)),
    )  # fmt: skip


def rate(hits: int, of: int) -> HarmRate | None:
    return HarmRate(hits, of, wilson(hits, of)) if of else None
