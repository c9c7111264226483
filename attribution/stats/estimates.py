"""What needs a statistics library: hazard ratios, and data frames. The adapter for lifelines and what it brings.

lifelines, numpy and pandas are the optional extra `stats`, imported when a function here is called.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attribution.lineage import minimum
from attribution.lineage.minimum import Minimum
from attribution.lineage.survival import LifetimeRecord
from attribution.stats.comparison import refusal, sides
from collector.errors import WhoWroteError
from collector.runtime.version import install_command
from collector.vocabulary.lines import LineClass

if TYPE_CHECKING:
    import pandas


class StatsMissing(WhoWroteError):
    """The extra `stats` is not installed."""


def available() -> bool:
    """Whether the extra is installed."""
    from importlib.util import find_spec

    return find_spec("lifelines") is not None


def data_frame(rows: Sequence[Mapping[str, Any]]) -> pandas.DataFrame:
    """Rows as a data frame; columns in the order they first appear. Raises StatsMissing."""
    try:
        import pandas
    except ImportError as error:
        raise StatsMissing("data frames need pandas, which is not installed", "Install it with: pip install pandas") from error
    return pandas.DataFrame.from_records([dict(row) for row in rows])


def hazard(records: Sequence[LifetimeRecord], baseline: str, least: Minimum = minimum.SURVIVAL) -> dict[str, Any] | None:
    """Cox model, agent against baseline, stratified by file; standard errors by commit (sandwich). Above 1: agent lines die sooner.

    None when no file has deaths to compare, when there are too few lines of one side, or when one side always dies first.

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
        warnings.filterwarnings("error", "Newton-Raphson convergence", ConvergenceWarning)  # the ratio grows without end
        try:
            fitter.fit(lines, "days", "dead", weights_col="lines", strata="file", cluster_col="commit")
        except (ConvergenceError, ConvergenceWarning):
            return None
    summary = fitter.summary.loc["agent"]
    ratio, low, high = (float(summary[f"exp(coef){end}"]) for end in ("", " lower 95%", " upper 95%"))
    return {
        "baseline": baseline, "ratio": ratio, "low": low, "high": high, "p_value": float(summary["p"]),
        "lines": int(lines["lines"].sum()), "files": len(telling),
    }  # fmt: skip
