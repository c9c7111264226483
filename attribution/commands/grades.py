"""The command about grade patterns: grades. Parse, call the library, print."""

from __future__ import annotations

from pathlib import Path

import click

from attribution.commands.common import database, print_rows
from attribution.scores.grades import GROUPINGS, LEAST
from collector.console.terminal import data_options, database_option, notice, out, write_json


@click.command()
@click.argument("database_file", required=False, type=click.Path(path_type=Path), metavar="[DB]")
@database_option
@click.option("--min-n", type=click.IntRange(min=2), default=LEAST, show_default=True, help="Minimum sessions per group.")
@click.option(
    "--by", "groupings", type=click.Choice(list(GROUPINGS)), multiple=True, help="Table to print (repeatable).  [default: all]"
)
@data_options
def grades(database_file: Path | None, db: Path, min_n: int, groupings: tuple[str, ...], output_format: str) -> None:
    """Compare session quality by task, agent, model and week.

    Covers all sessions in the database DB. Differences between agents and between models are given raw and adjusted for the type of
    task; intervals are computed over repositories if there are at least five. docs/grades.md explains every number.
    """
    from attribution.queries.grades import grade_report

    with database(None, database_file or db) as (store, _):
        report = grade_report(store, min_n)
    if groupings:
        report.cells = {name: report.cells[name] for name in groupings}
    if output_format == "json":
        write_json(report.data())
        return
    for note in report.notes if output_format == "csv" else ():
        notice(f"note: {note}")
    print_rows(output_format, report.rows(), lambda terminal: terminal.grades.grade_tables(out(), report, not groupings))


COMMANDS = (grades,)
