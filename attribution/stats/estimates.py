"""Estimates that need a statistics library: Kaplan-Meier curves, hazard ratios, cluster bootstraps. The adapter for lifelines.

lifelines and what it brings (numpy, scipy, pandas) are the optional extra `stats`, imported when a function here is called.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from attribution.lineage import minimum
from attribution.lineage.minimum import Minimum
from attribution.lineage.survival import AGENT, LifetimeRecord
from attribution.stats.comparison import refusal, sides
from attribution.stats.intervals import Interval, Moments, Statistic, Z
from collector.errors import WhoWroteError

if TYPE_CHECKING:
    import pandas

RESAMPLES = 200
FEW = 0.01  # a curve ends where a smaller share of its lines is at risk: what follows hangs on single commits
_SEED = 20260101
_LOW, _HIGH = 0.025, 0.975
_One = TypeVar("_One")


class StatsMissing(WhoWroteError):
    """The extra `stats` is not installed."""


class CurveStep(NamedTuple):
    """The curve from `days` on: share alive, and its 95 % band."""

    days: float
    alive: float
    low: float
    high: float
    at_risk: int


@dataclass(frozen=True, slots=True)
class Curve:
    """Kaplan-Meier, as long as one line in a hundred is at risk.

    The band and the interval of the median come from drawing commits, not lines, again and again.
    """

    lines: int
    commits: int
    steps: list[CurveStep]
    median: float | None  # days; None: more than half are alive at the end
    median_low: float | None
    median_high: float | None


@dataclass(frozen=True, slots=True)
class Hazard:
    """Cox model, agent against baseline, stratified by file; standard errors by commit (sandwich)."""

    baseline: str
    ratio: float  # above 1: agent lines die sooner
    low: float
    high: float
    p_value: float
    lines: int
    files: int


def available() -> bool:
    """Whether the extra is installed."""
    from importlib.util import find_spec

    return find_spec("lifelines") is not None


def require() -> None:
    """Raises StatsMissing when the extra is not installed."""
    _lifelines()


def data_frame(rows: Sequence[Mapping[str, Any]]) -> pandas.DataFrame:
    """Rows as a data frame; columns in the order they first appear. Raises StatsMissing."""
    try:
        import pandas
    except ImportError as error:
        raise StatsMissing("data frames need pandas, which is not installed", "Install it with: pip install pandas") from error
    return pandas.DataFrame.from_records([dict(row) for row in rows])


def _lifelines() -> Any:
    try:
        import lifelines
    except ImportError as error:
        raise StatsMissing(
            "curves and tests need whowrote[stats], which is not installed",
            "Install it with: pip install 'whowrote[stats]', or skip them with --no-curves",
        ) from error
    return lifelines


# --- curves -----------------------------------------------------------------------------------------------------------


def kaplan_meier(records: Sequence[LifetimeRecord], resamples: int = RESAMPLES) -> Curve:
    """Days of life, lines as weights, alive and lost lines censored. Raises StatsMissing, ValueError without a record."""
    if not records:
        raise ValueError("no lines")
    lifelines = _lifelines()
    import numpy as np

    days = np.array([r.days for r in records])
    dead = np.array([r.dead for r in records])
    lines = np.array([r.lines for r in records], dtype=float)
    fitter = lifelines.KaplanMeierFitter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitter.fit(days, dead, weights=lines)
    curve = fitter.survival_function_.iloc[:, 0]
    table = fitter.event_table
    few = lines.sum() * FEW
    grid = np.array([t for t in curve.index if t == 0 or (table.loc[t, "observed"] > 0 and table.loc[t, "at_risk"] >= few)])
    names, commit = np.unique([r.birth for r in records], return_inverse=True)
    draws = _resampled(_Lifetimes(days, dead, lines, commit), len(names), grid, resamples)
    low, high = np.quantile(draws, (_LOW, _HIGH), axis=0)
    at_risk = table["at_risk"].reindex(grid)
    steps = [
        CurveStep(float(t), float(curve.loc[t]), float(a), float(b), int(n))
        for t, a, b, n in zip(grid, low, high, at_risk, strict=True)
    ]
    medians = [_median(grid, row) for row in draws]
    return Curve(
        int(lines.sum()), len(names), steps, _finite(_median(grid, curve.loc[grid].to_numpy())),
        _finite(np.quantile(medians, _LOW, method="lower")), _finite(np.quantile(medians, _HIGH, method="higher")),
    )  # fmt: skip


class _Lifetimes(NamedTuple):
    """Columns of the same length."""

    days: Any
    dead: Any
    lines: Any
    commit: Any  # number of the commit that introduced them


def _resampled(lifetimes: _Lifetimes, commits: int, grid: Any, resamples: int) -> Any:
    """One row for each draw of commits: the curve on the grid. Lines of a commit live and die together, so they come together."""
    import numpy as np

    generator = np.random.default_rng(_SEED)
    order = np.argsort(lifetimes.days, kind="stable")
    days, dead, lines, commit = (column[order] for column in lifetimes)
    starts = np.searchsorted(days, np.unique(days))
    ages = days[starts]
    at = np.searchsorted(ages, grid, side="right") - 1
    rows = []
    for _ in range(resamples):
        times = generator.multinomial(commits, np.full(commits, 1 / commits))
        weight = lines * times[commit]
        risk = weight[::-1].cumsum()[::-1][starts]
        deaths = np.add.reduceat(weight * dead, starts)
        with np.errstate(invalid="ignore", divide="ignore"):
            alive = np.cumprod(np.where(risk > 0, 1 - deaths / risk, 1.0))
        rows.append(np.where(at >= 0, alive[np.maximum(at, 0)], 1.0))
    return np.array(rows)


def _median(grid: Any, alive: Any) -> float:
    """First age at which at most half are alive; infinite when more are to the end."""
    for age, share in zip(grid, alive, strict=True):
        if share <= 0.5:
            return float(age)
    return math.inf


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


# --- any statistic of clusters ----------------------------------------------------------------------------------------


def cluster_bootstrap(parts: Sequence[Moments], statistic: Statistic, draws: int = 2_000) -> Interval | None:
    """Percentiles of a statistic of sums over clusters drawn again and again, with a fixed seed. Raises StatsMissing.

    Draws without a value (a group is empty in them) are drawn again; None with fewer than two clusters, or when it mostly has none.
    """
    require()
    import numpy as np

    if len(parts) < 2:
        return None
    generator = np.random.default_rng(_SEED)
    table = np.array(parts, dtype=float)
    found: list[float] = []
    for _ in range(2 * draws):
        times = generator.multinomial(len(table), np.full(len(table), 1 / len(table)))
        value = statistic(tuple(float(x) for x in times @ table))
        if value is not None:
            found.append(value)
        if len(found) == draws:
            ends: Any = np.quantile(found, (_LOW, _HIGH))
            return Interval(float(ends[0]), float(ends[1]))
    return None


def resampled(values: Sequence[_One], statistic: Callable[[Sequence[_One]], float | None], draws: int = 2_000) -> Interval | None:
    """Percentiles of a statistic of independent observations drawn again and again, with a fixed seed. Raises StatsMissing.

    None when it has a value in fewer than half of the draws.
    """
    require()
    import numpy as np

    generator = np.random.default_rng(_SEED)
    drawn = (statistic([values[i] for i in generator.integers(0, len(values), len(values))]) for _ in range(draws))
    found = [value for value in drawn if value is not None] if values else []
    if len(found) < draws / 2:
        return None
    ends: Any = np.quantile(found, (_LOW, _HIGH))
    return Interval(float(ends[0]), float(ends[1]))


# --- agents against people --------------------------------------------------------------------------------------------


def hazard(records: Sequence[LifetimeRecord], baseline: str, least: Minimum = minimum.SURVIVAL) -> Hazard | None:
    """None when no file has deaths to compare, or too few lines of one side. Raises StatsMissing."""
    strata = sides(records, baseline).files
    if refusal([r for one in strata.values() for r in one], baseline, least):
        return None
    telling = {key: one for key, one in strata.items() if any(r.dead for r in one)}
    rows = [(number, r) for number, one in enumerate(telling.values()) for r in one]
    if not rows or len({r.author == AGENT for _, r in rows if r.dead}) < 2:
        return None
    require()
    import numpy as np

    from attribution.stats import cox

    _, commits = np.unique([r.birth for _, r in rows], return_inverse=True)
    subjects = cox.Subjects(
        stratum=np.array([number for number, _ in rows]),
        days=np.array([r.days for _, r in rows]),
        dead=np.array([float(r.dead) for _, r in rows]),
        weight=np.array([float(r.lines) for _, r in rows]),
        group=np.array([float(r.author == AGENT) for _, r in rows]),
        cluster=commits,
    )
    found = cox.fit(subjects)
    if found is None:
        return None
    ratio, width = math.exp(found.coefficient), math.exp(Z * found.error)
    p_value = math.erfc(abs(found.coefficient) / found.error / math.sqrt(2))
    return Hazard(baseline, ratio, ratio / width, ratio * width, p_value, sum(r.lines for _, r in rows), len(telling))
