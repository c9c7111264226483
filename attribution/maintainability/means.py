"""Means of what was measured of commits, by who wrote their lines, and how agents' commits differ from others'. Pure.

A commit is often the work of several authors. It counts for each class with the share of its lines that the class wrote, so the
weights of a class add up to a number of whole commits. Two classes are compared as they are, and among commits that are alike: of
the same repository and of similar size. Commits of one repository resemble each other, so intervals are over repositories where
there are at least LEAST_REPOSITORIES; with fewer they treat commits as independent and say nothing about other repositories.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from attribution.lineage import minimum
from attribution.stats.intervals import Interval, Moments, Statistic, around, jackknife, total
from collector.vocabulary.lines import LINE_CLASSES

LEAST = minimum.COMMITS
LEAST_REPOSITORIES = 5
REPOSITORIES, COMMITS = "repositories", "commits"
SIZES = (50, 300)  # changed lines up to which a commit is small, medium
CLASSES = LINE_CLASSES
MODES = ("human_only", "collaborative", "vibe", "not known")
DMM = ("dmm_unit_size", "dmm_unit_complexity", "dmm_unit_interfacing")
PROCESS = ("change_set", "code_churn", "hunks", "contributors", "contributors_experience", "earlier_commits")
_NOTHING = 1e-9  # a weight from which everything was taken away again


@dataclass(frozen=True, slots=True)
class QualityRow:
    """A measured commit."""

    repo: str
    lines: Mapping[str, int]  # class -> added lines with text
    values: Mapping[str, float | None]

    def share(self, name: str) -> float:
        return self.lines.get(name, 0) / (sum(self.lines.values()) or 1)

    @property
    def mode(self) -> str:
        """How its lines came about, by those that an agent is recorded or a person was seen to have written."""
        agent, human = self.lines.get("agent", 0), self.lines.get("human", 0)
        if not agent + human:
            return "not known"
        return "human_only" if not agent else "vibe" if 100 * agent >= 99 * (agent + human) else "collaborative"

    @property
    def size(self) -> str:
        churn = self.values["code_churn"] or 0
        return "small" if churn <= SIZES[0] else "medium" if churn <= SIZES[1] else "large"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean or a difference of means with its 95 % interval; None where there are too few commits."""

    value: float | None = None
    interval: Interval | None = None
    over: str = ""  # what the interval generalises to: repositories | commits | ''


@dataclass(frozen=True, slots=True)
class QualityMean:
    grouping: str  # class | mode
    name: str
    metric: str
    commits: int  # with a line of the group
    weight: float  # in whole commits
    mean: Estimate


@dataclass(frozen=True, slots=True)
class QualityGap:
    """Mean of the commits of agents less that of another class."""

    metric: str
    reference: str
    weight: float  # agents' lines, in whole commits
    reference_weight: float
    raw: Estimate
    alike: Estimate  # among commits of the same repository and of similar size


def limits(metric: str) -> tuple[float, float]:
    """The least and the greatest value that is possible."""
    return (0.0, 1.0 if metric in DMM else 100.0 if metric == "contributors_experience" else float("inf"))


def means(rows: Sequence[QualityRow], grouping: str, metric: str, least: float = LEAST) -> list[QualityMean]:
    """One for each class or mode that has any commit."""
    result = []
    for name in CLASSES if grouping == "class" else MODES:
        weighted = [(row, row.share(name) if grouping == "class" else float(row.mode == name)) for row in _with(rows, metric)]
        some = [(row.repo, (weight, weight * (row.values[metric] or 0.0))) for row, weight in weighted if weight]
        weight = sum(moments[0] for _, moments in some)
        mean = _estimate(some, _mean, ([0],), limits(metric)) if weight >= least else Estimate()
        if some:
            result.append(QualityMean(grouping, name, metric, len(some), weight, mean))
    return result


def gap(rows: Sequence[QualityRow], metric: str, reference: str, least: float = LEAST) -> QualityGap:
    """Agents' commits against those of another class. No difference with fewer than `least` whole commits on either side."""
    some = [row for row in _with(rows, metric) if row.share("agent") or row.share(reference)]
    weights = (sum(row.share("agent") for row in some), sum(row.share(reference) for row in some))
    if min(weights) < least:
        return QualityGap(metric, reference, *weights, Estimate(), Estimate())
    widest = limits(metric)[1]
    compared = [_gap(some, metric, reference, strata, (-widest, widest)) for strata in (_all, _alike)]
    return QualityGap(metric, reference, *weights, *compared)


def _with(rows: Iterable[QualityRow], metric: str) -> list[QualityRow]:
    return [row for row in rows if row.values[metric] is not None and any(row.lines.values())]


def _all(row: QualityRow) -> Hashable:
    return ""


def _alike(row: QualityRow) -> Hashable:
    return row.repo, row.size


Stratum = Callable[[QualityRow], Hashable]


def _gap(rows: Sequence[QualityRow], metric: str, reference: str, stratum: Stratum, bounds: tuple[float, float]) -> Estimate:
    """The difference within each stratum that has both classes; a stratum counts as much as it can say about the difference."""
    strata: dict[Hashable, list[QualityRow]] = defaultdict(list)
    for row in rows:
        strata[stratum(row)].append(row)
    both = [some for some in strata.values() if all(any(row.share(name) for row in some) for name in ("agent", reference))]
    moments: list[tuple[str, Moments]] = []
    for number, some in enumerate(both):
        before, after = (0.0,) * (4 * number), (0.0,) * (4 * (len(both) - number - 1))
        for row in some:
            ours, theirs, value = row.share("agent"), row.share(reference), row.values[metric] or 0.0
            moments.append((row.repo, (*before, ours, ours * value, theirs, theirs * value, *after)))
    sides = (range(0, 4 * len(both), 4), range(2, 4 * len(both), 4))
    return _estimate(moments, _difference, sides, bounds)


def _mean(sums: Moments) -> float | None:
    return sums[1] / sums[0] if sums[0] > _NOTHING else None


def _difference(sums: Moments) -> float | None:
    whole = weighted = 0.0
    for at in range(0, len(sums), 4):
        ours, our_sum, theirs, their_sum = sums[at : at + 4]
        if ours > _NOTHING and theirs > _NOTHING:
            weight = ours * theirs / (ours + theirs)
            whole += weight
            weighted += weight * (our_sum / ours - their_sum / theirs)
    return weighted / whole if whole else None


def _estimate(
    rows: Sequence[tuple[str, Moments]], statistic: Statistic, sides: Sequence[Sequence[int]], bounds: tuple[float, float]
) -> Estimate:
    """A statistic of (repository, moments of a commit). `sides`: for each side that it compares, where its weights are."""
    value = statistic(total([moments for _, moments in rows])) if rows else None
    if value is None:
        return Estimate()
    weighing = [[(repo, moments) for repo, moments in rows if any(moments[at] for at in side)] for side in sides]
    repositories = min(len({repo for repo, _ in some}) for some in weighing)
    if repositories >= LEAST_REPOSITORIES:
        parts, over, df = _clustered(rows), REPOSITORIES, repositories - 1
    else:
        parts, over, df = [moments for _, moments in rows], COMMITS, min(map(len, weighing)) - 1
    interval = around(value, jackknife(parts, statistic), df, *bounds)
    return Estimate(value, interval, over if interval else "")


def _clustered(rows: Iterable[tuple[str, Moments]]) -> list[Moments]:
    found: dict[str, list[Moments]] = defaultdict(list)
    for repo, moments in rows:
        found[repo].append(moments)
    return [total(some) for some in found.values()]
