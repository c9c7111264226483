"""The commands about lines: blame, why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import (
    COMMIT,
    blamed_lines,
    clone_and_file,
    file_and_lines,
    follow_clone,
    open_clone,
    print_one,
    print_rows,
)
from collector.console.terminal import data_options, database_option, out, write_json
from collector.json_values import jsonable

if TYPE_CHECKING:
    from attribution.queries.open_repo import OpenRepo
    from attribution.queries.survival import SurvivalOptions, SurvivalReport


@click.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[PATH] FILE[:LINE[-LINE]]")
@COMMIT
@click.option("--history", is_flag=True, help="First follow the history of lines, as `whowrote survival` does.")
@click.option("--full", is_flag=True, help="The same for the whole history, from its first commit.")
@database_option
@data_options
def why(arguments: tuple[str, ...], commit: str, history: bool, full: bool, db: Path, output_format: str) -> None:
    """Explain who wrote a line, how we know, and what became of it.

    Shows the evidence, the prompt and the edit behind the line, and why it was not somebody else. Once lines are followed, also
    when it was introduced, moved, reformatted and removed, and by whom. Use --commit for a line that no longer exists.

    Without :LINE, summarises the whole file in blocks of lines with the same origin; FILE:10-20 does so with lines 10 to 20.
    """
    path, file = clone_and_file(arguments)
    name, lines = file_and_lines(file)
    number = lines.first if lines is not None and lines.first == lines.last else None
    with follow_clone(path, db, True if full else None, None) if history or full else _open_as_stored(path, db) as (opened, notes):
        if number is not None:
            _why_line(opened, name, number, commit, output_format, notes)
            return
        from attribution.queries.blame import blame as blame_file
        from attribution.queries.blame import blocks

        blamed = blame_file(opened, name, commit, lines or ())
        rows = blocks(opened, blamed)
        print_rows(output_format, rows, lambda terminal: terminal.blame.file_view(out(), blamed, rows))


@contextmanager
def _open_as_stored(path: str, db: Path) -> Iterator[tuple[OpenRepo, None]]:
    with open_clone(path, db) as opened:
        yield opened, None


def _why_line(opened: OpenRepo, name: str, number: int, commit: str, output_format: str, notes: list[str] | None) -> None:
    """`notes`: about lines that were followed for this; None: they are as they were stored."""
    from attribution.queries.explain import explain
    from attribution.queries.history import is_followed, line_history

    explanation = explain(opened, name, number, commit)
    history = line_history(opened, name, number, commit) if notes is not None or is_followed(opened) else None
    if history is not None:
        history.notes += notes or []
    if output_format == "csv" and notes is not None and history is not None:
        print_rows(output_format, history.events, None)
    elif output_format == "json":
        write_json(explanation.data() | {"history": history.data() if history is not None else None})
    else:
        print_one(output_format, explanation, lambda terminal: terminal.blame.line_view(out(), explanation, history))


@click.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[PATH] FILE")
@COMMIT
@click.option("-L", "lines", default="", metavar="FIRST,LAST", help="Show only these lines, as in git: 10,20 or 10,+5 or 10.")
@click.option("-w", "ignore_space", is_flag=True, help="Look behind commits that only changed spaces in a line, as in git.")
@database_option
@data_options
def blame(arguments: tuple[str, ...], commit: str, lines: str, ignore_space: bool, db: Path, output_format: str) -> None:
    """Show each line of a file with its author and evidence."""
    from attribution.queries.blame import blame as blame_file

    path, file = clone_and_file(arguments)
    only = blamed_lines(lines)
    with open_clone(path, db) as opened:
        blamed = blame_file(opened, file, commit, only, ignore_space)
    print_rows(output_format, blamed.lines, lambda terminal: terminal.blame.blame_view(out(), blamed))


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
    from attribution.stats.comparison import available
    from collector.runtime.version import install_command
    from collector.storage.store import Store

    missing = [f"no hazard ratios: they need whowrote[stats] ({install_command('stats')})"]
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


COMMANDS = (blame, why, survival)
