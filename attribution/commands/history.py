"""The commands about what became of lines: survival, history, verify."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.commands.common import COMMIT, file_and_line, followed, print_one, print_rows
from collector.console.terminal import Reporter, data_options, database_option, out, write_json
from collector.errors import EXIT_CHECK_FAILED

if TYPE_CHECKING:
    from attribution.queries.survival import SurvivalReport

_BY = ("class", "model", "agent", "session", "directory", "language")
_FULL = click.option("--full", is_flag=True, help="Follow the whole history, not only from the first commit of an agent on.")
_EXACT = click.option(
    "--exact", is_flag=True, help="As git blame: moves, white space and new layout end a line.  [default: they do not]"
)


@click.command()
@click.argument("path", required=False)
@click.option("--by", type=click.Choice(_BY), multiple=True, help="Also by this; may be repeated. With --json and --csv: all.")
@_FULL
@_EXACT
@click.option("--no-curves", is_flag=True, help="No curves, medians and hazard ratios: they need whowrote[stats].")
@click.option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also draw the curves: FILE.svg or FILE.png."
)
@database_option
@data_options
def survival(
    path: str | None, by: tuple[str, ...], full: bool, exact: bool, no_curves: bool, plot: Path | None, db: Path, form: str
) -> None:
    """How long lines live: agents' lines, people's lines, and who ends them.

    With the PATH of a clone its lines are followed first, as far as that was not done before. Without PATH, all repositories of the
    database whose lines were followed.
    """
    if plot is not None and plot.suffix not in (".svg", ".png"):
        raise click.BadParameter("the picture must be a .svg or a .png file", param_hint="--plot")
    if plot is not None and no_curves:
        raise click.UsageError("--plot draws the curves that --no-curves leaves out")
    curves = not no_curves and form != "csv"
    if path is None and (full or exact):
        raise click.UsageError("--full and --exact need the PATH of a clone")
    report = _survival(path, db, tuple(dict.fromkeys(("class", *(_BY if form else by)))), full, exact, curves)
    if plot is not None:
        from attribution.stats.plots import draw

        draw(report.curves, plot, ", ".join(history.name for history in report.repos))
    if form == "json":
        write_json(report.data())
        return

    def view(terminal: Any) -> None:
        terminal.survival.survival_view(out(), report)
        if plot is not None:
            terminal.survival.picture_note(out(), plot)

    print_rows(form, [row for group in report.groups for row in group.rows()], view)


def _survival(path: str | None, db: Path, groupings: tuple[str, ...], full: bool, exact: bool, curves: bool) -> SurvivalReport:
    from attribution.ensure.history import survival_current
    from attribution.queries.survival import history_coverage, survival_report
    from attribution.stats.estimates import available, require
    from collector.storage.store import Store

    if curves and not available():
        require()  # before the work, not after it
    if path is None:
        with Store(db, create=False) as store:
            coverage = history_coverage(store)
            survival_current(store, coverage.followed)
            report = survival_report(store, coverage.followed, groupings, curves)
        report.notes += [f"the lines of {name} were not followed yet" for name in coverage.not_followed]
        return report
    with followed(path, db, full, exact) as (where, notes):
        report = survival_report(where.store, [where.repo_id], groupings, curves)
        report.notes += [*notes, *where.notes]
    return report


@click.command()
@click.argument("path")
@click.argument("place", metavar="FILE:LINE")
@COMMIT
@_FULL
@database_option
@data_options
def history(path: str, place: str, commit: str, full: bool, db: Path, form: str) -> None:
    """The life of one line: born, moved, laid out anew, ended or alive, and by whom.

    With --commit also a line that is no longer there.
    """
    from attribution.queries.history import line_history

    name, number = file_and_line(place)
    if number is None:
        raise click.UsageError(f"{place}: name a line, for example {place.removesuffix(':')}:12")
    with followed(path, db, True if full else None, None) as (where, notes):
        report = line_history(where, name, number, commit)
        report.notes += notes
    if form == "csv":
        print_rows(form, report.events, None)
    else:
        print_one(form, report, lambda terminal: terminal.history.line_history_view(out(), report))


@click.command()
@click.argument("path")
@click.option("--sample", type=click.IntRange(0), default=100, show_default=True, metavar="N", help="Files of a commit; 0: all.")
@click.option("--commits", type=click.IntRange(0), default=0, metavar="N", help="Also so many earlier commits, drawn at random.")
@click.option("--branch", default="", metavar="NAME", help="Branch, tag or commit to verify.  [default: HEAD]")
@click.option("--seed", type=int, default=0, show_default=True, help="For drawing files and commits.")
@data_options
@click.pass_context
def verify(context: click.Context, path: str, sample: int, commits: int, branch: str, seed: int, form: str) -> None:
    """Compare the history of every line with git blame, line by line. Exit code 1 when they differ.

    Needs no database: the whole history is followed exactly as git blame does, without moves and white space.
    """
    from attribution.queries.blame_agreement import blame_agreement

    with Reporter(path) as progress:
        rows = blame_agreement(path, branch, sample or None, commits, seed, progress)
    print_rows(form, rows, lambda terminal: terminal.history.agreement_view(out(), rows))
    if any(row.agreement.same != row.agreement.lines for row in rows):
        context.exit(EXIT_CHECK_FAILED)


COMMANDS = (survival, history, verify)
