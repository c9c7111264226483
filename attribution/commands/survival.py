"""The command about what became of lines: survival."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import follow_clone, print_rows
from collector.console.terminal import data_options, database_option, out, write_json
from collector.plain_values import jsonable

if TYPE_CHECKING:
    from attribution.queries.survival import SurvivalOptions, SurvivalReport

_BY = ("class", "model", "agent", "session", "directory", "language")
_FULL = click.option("--full", is_flag=True, help="Follow the whole history instead of starting at the first commit of an agent.")
_EXACT = click.option(
    "--exact",
    is_flag=True,
    help="Match git blame exactly: moved, re-indented or reformatted lines count as new.  [default: as the same line]",
)


@click.command()
@click.argument("path", required=False)
@click.option("--by", type=click.Choice(_BY), multiple=True, help="Additional grouping (repeatable); --json and --csv include all.")
@_FULL
@_EXACT
@click.option("--no-curves", is_flag=True, help="Skip curves, medians and hazard ratios.")
@click.option("--all-files", is_flag=True, help="Count files of every kind, not only source and test files.")
@click.option("-q", "--quiet", is_flag=True, help="Print no progress, only the result.")
@database_option
@data_options
def survival(path: str | None, by: tuple[str, ...], full: bool, exact: bool, db: Path, output_format: str, **more: bool) -> None:
    """Show how long lines survive and who removes them.

    Compares lines of agents with lines of people. Given the PATH of a clone, line history is computed first (incrementally).
    Without PATH, reports on all repositories in the database that have line history.
    """
    curves = not more["no_curves"] and output_format != "csv"
    if path is None and (full or exact):
        raise click.UsageError("--full and --exact require the PATH of a clone")
    from attribution.queries.survival import SurvivalOptions

    groupings = tuple(dict.fromkeys(("class", *(_BY if output_format else by))))
    how = {"full": full, "exact": exact, "quiet": more["quiet"]}
    report = _report(path, db, SurvivalOptions(groupings, curves, more["all_files"]), how)
    if output_format == "json":
        write_json(jsonable(report))
    else:
        print_rows(output_format, report.groups, lambda terminal: terminal.survival.survival_view(out(), report))


def _report(path: str | None, db: Path, options: SurvivalOptions, how: dict[str, bool]) -> SurvivalReport:
    """`how` the history of lines is followed: arguments of `follow_clone`."""
    from attribution.ensure.history import survival_reported
    from attribution.queries.survival import history_coverage
    from attribution.stats.estimates import available
    from collector.storage.store import Store

    missing = ["no hazard ratios: they need whowrote[stats] (pip install 'whowrote[stats]')"]
    missing = missing if options.curves and not available() else []
    if path is None:
        with Store(db, create=False) as store:
            followed, others = history_coverage(store)
            report = survival_reported(store, followed, options)
        report.notes += [*missing, *(f"no line history for {name} yet" for name in others)]
        return report
    with follow_clone(path, db, **how) as (opened, notes):
        report = survival_reported(opened.store, [opened.repo_id], options)
        report.notes += [*missing, *notes, *opened.notes]
    return report


COMMANDS = (survival,)
