"""Lines of agents against a baseline of other lines: excess rework, and how many lines of both the
same files have. Pure.

No baseline is beyond doubt, so each comparison says which one it uses and how many lines it has.

Hazard ratios need a statistics library: lifelines, numpy and pandas are the optional extra `stats`,
imported when a function here is called.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from attribution.lineage import minimum
from attribution.lineage.minimum import Minimum
from attribution.lineage.survival import BY_AGENTS, REWORK_DAYS, LifetimeRecord
from attribution.stats.intervals import Interval, t_quantile
from attribution.stats.kaplan_meier import Estimate, estimate, observations, sample_of
from collector.errors import WhoWroteError
from collector.groups import group_pairs
from collector.json_values import Row
from collector.runtime.version import install_command
from collector.vocabulary.lines import LineClass

if TYPE_CHECKING:
    import pandas


BOTH = "agent or declared"
HUMAN = "human"
DATED = "dated"
UNDECLARED = "human + undeclared"
OTHERS = (LineClass.HUMAN, LineClass.UNDECLARED)
BASELINES: Mapping[str, Callable[[LifetimeRecord], bool]] = {
    HUMAN: lambda r: r.author == LineClass.HUMAN,
    DATED: lambda r: r.dated,
    UNDECLARED: lambda r: r.author in OTHERS,
}
BIAS = (
    "agents that left no sign may have written undeclared lines, so that a difference from these is"
    " too small; none wrote dated lines, which are older"
)
"""Which way a side of undeclared lines bends a comparison."""


def agent_groups(classes: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Whose lines are compared, of the classes that there are: all lines of agents, then those
    with a record and those that commits declare, each alone. Where only one of the two is there, it
    stands under its own name.
    """
    alone = {str(name): (name,) for name in BY_AGENTS if name in set(classes)}
    return {BOTH: BY_AGENTS, **alone} if len(alone) != 1 else alone


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
    rework_agent: Rework
    rework_baseline: Rework
    # share removed within 30 days, agent minus baseline, in the whole repository
    excess_rework: float | None
    excess_low: float | None = None  # 95 % interval by commit
    excess_high: float | None = None
    refused: str = ""  # why lines of the same files cannot be compared, in words
    refused_rework: str = ""  # why there is no excess rework, in words


def compare(
    records: Sequence[LifetimeRecord], baseline: str, least: Minimum = minimum.SURVIVAL
) -> Comparison:
    """Excess rework over the repositories, and the lines in files that have lines of both.

    Below `least` on either side there is no excess rework, or no comparison of these files, and the
    reason instead.
    """
    ours, theirs, strata = sides(records, baseline)
    both = [r for stratum in strata.values() for r in stratum]
    refused = refusal(both, baseline, least)
    refused_rework = refusal([*_old(ours), *_old(theirs)], baseline, least)
    a = _rework(ours)
    b = _rework(theirs)
    excess = None if refused_rework or a is None or b is None else b.share - a.share
    band = _difference(a, b) if excess is not None and a is not None and b is not None else None
    agent = sum(r.lines for r in both if r.author == LineClass.AGENT)
    return Comparison(
        baseline,
        agent,
        sum(r.lines for r in both) - agent,
        len(strata),
        _rework_row(ours, a),
        _rework_row(theirs, b),
        excess,
        band.low if band else None,
        band.high if band else None,
        refused,
        refused_rework,
    )


def _old(records: Sequence[LifetimeRecord]) -> list[LifetimeRecord]:
    return [record for record in records if record.is_old]


def _rework(records: Sequence[LifetimeRecord]) -> Estimate | None:
    return estimate(observations(records), [REWORK_DAYS])[0] if _old(records) else None


def _rework_row(records: Sequence[LifetimeRecord], survivors: Estimate | None) -> Rework:
    return Rework(
        sum(r.lines for r in _old(records)), None if survivors is None else 1 - survivors.share
    )


def _difference(a: Estimate, b: Estimate) -> Interval | None:
    """Interval of b minus a; the commits of the two sides are treated as different commits."""
    if a.variance is None or b.variance is None:
        return None
    width = t_quantile(min(a.clusters, b.clusters) - 1) * math.sqrt(a.variance + b.variance)
    return Interval(b.share - a.share - width, b.share - a.share + width)


def refusal(records: Sequence[LifetimeRecord], baseline: str, least: Minimum) -> str:
    """Why agents' lines and those of a baseline cannot be compared, in words; "" when there are
    enough of both.
    """
    belongs = BASELINES[baseline]
    if not any(map(belongs, records)):
        return f"no baseline: no line is {baseline}"
    return least.refusal(
        {
            LineClass.AGENT: sample_of(r for r in records if r.author == LineClass.AGENT),
            baseline: sample_of(filter(belongs, records)),
        }
    )


class Sides(NamedTuple):
    """Lines that are compared."""

    agent: list[LifetimeRecord]
    baseline: list[LifetimeRecord]
    # (repository, path) -> lines of both, where it has both
    files: dict[tuple[int, str], list[LifetimeRecord]]


def sides(records: Sequence[LifetimeRecord], baseline: str) -> Sides:
    ours = [r for r in records if r.author == LineClass.AGENT]
    theirs = list(filter(BASELINES[baseline], records))
    strata = group_pairs(((r.repo, r.path), r) for r in (*ours, *theirs))
    mixed = {
        file: lines
        for file, lines in strata.items()
        if len({r.author == LineClass.AGENT for r in lines}) == 2
    }
    return Sides(ours, theirs, mixed)


class StatsMissing(WhoWroteError):
    """The extra `stats` is not installed."""


def available() -> bool:
    """Whether the extra is installed."""
    from importlib.util import find_spec

    return find_spec("lifelines") is not None


def data_frame(rows: Sequence[Row]) -> pandas.DataFrame:
    """Rows as a data frame; columns in the order they first appear. Raises StatsMissing."""
    try:
        import pandas
    except ImportError as error:
        raise StatsMissing(
            "data frames need pandas, which is not installed", "Install it with: pip install pandas"
        ) from error
    return pandas.DataFrame.from_records([dict(row) for row in rows])


def hazard(
    records: Sequence[LifetimeRecord], baseline: str, least: Minimum = minimum.SURVIVAL
) -> Row | None:
    """Cox model, agent against baseline, stratified by file; standard errors by commit (sandwich).

    Above 1: agent lines die sooner.

    None when no file has deaths to compare, when there are too few lines of one side, or when one
    side always dies first.

    The library takes seconds for a hundred files. Raises StatsMissing.
    """
    strata = sides(records, baseline).files
    if refusal([r for members in strata.values() for r in members], baseline, least):
        return None
    telling = [members for members in strata.values() if any(r.dead for r in members)]
    if len({r.author == LineClass.AGENT for members in telling for r in members if r.dead}) < 2:
        return None
    try:
        import lifelines
        from lifelines.exceptions import ConvergenceError, ConvergenceWarning
    except ImportError as error:
        raise StatsMissing(
            "hazard ratios need whowrote[stats], which is not installed",
            f"Install it with: {install_command('stats')}, or skip them with --no-curves",
        ) from error
    lines = data_frame(
        [
            {
                "file": number,
                "days": r.days,
                "dead": r.dead,
                "lines": r.lines,
                "agent": float(r.author == LineClass.AGENT),
                "commit": r.birth,
            }
            for number, members in enumerate(telling)
            for r in members
        ]
    )
    fitter = lifelines.CoxPHFitter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # the ratio grows without end
        warnings.filterwarnings("error", "Newton-Raphson convergence", ConvergenceWarning)
        try:
            fitter.fit(
                lines, "days", "dead", weights_col="lines", strata="file", cluster_col="commit"
            )
        except (ConvergenceError, ConvergenceWarning):
            return None
    summary = fitter.summary.loc["agent"]
    ratio, low, high = (
        float(summary[f"exp(coef){end}"]) for end in ("", " lower 95%", " upper 95%")
    )
    return {
        "baseline": baseline,
        "ratio": ratio,
        "low": low,
        "high": high,
        "p_value": float(summary["p"]),
        "lines": int(lines["lines"].sum()),
        "files": len(telling),
    }
