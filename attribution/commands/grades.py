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
@click.option(
    "--least", type=click.IntRange(min=2), default=LEAST, show_default=True, help="Sessions that a group needs to have a mean."
)
@click.option("--by", "groupings", type=click.Choice(list(GROUPINGS)), multiple=True, help="Only this table; may be repeated.")
@click.option("--bootstrap", is_flag=True, help="Intervals by drawing repositories again and again (needs the statistics extra).")
@data_options
def grades(database_file: Path | None, db: Path, least: int, groupings: tuple[str, ...], bootstrap: bool, form: str) -> None:
    """Mean quality by type of task, harness, model and week, and what is left of gaps when the tasks are the same.

    Of all sessions in the database DB. Gaps between harnesses and models are told raw and standardised over the type of task;
    intervals are over repositories where there are five or more. docs/grades.md explains every number.
    """
    from attribution.queries.grades import grade_report

    with database(None, database_file or db) as (store, _):
        report = grade_report(store, least, bootstrap)
    if groupings:
        report.cells = {name: report.cells[name] for name in groupings}
    if form == "json":
        write_json(report.data())
        return
    for note in report.notes if form == "csv" else ():
        notice(f"note: {note}")
    print_rows(form, report.rows(), lambda terminal: terminal.grades.grade_tables(out(), report, not groupings))


COMMANDS = (grades,)
