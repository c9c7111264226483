"""The command about evaluation runs: attempts. Parse, call the library, print."""

from __future__ import annotations

from pathlib import Path

import click

from attribution.commands.common import database, print_rows
from collector.console.terminal import data_options, database_option, notice, out


@click.command()
@click.argument("database_file", required=False, type=click.Path(path_type=Path), metavar="[DB]")
@database_option
@click.option("--min-n", type=click.IntRange(min=1), default=1, show_default=True, help="Minimum attempts per treatment.")
@click.option("--by-run", is_flag=True, help="List each run separately; harnesses may not record what differed between runs.")
@data_options
def attempts(database_file: Path | None, db: Path, min_n: int, by_run: bool, output_format: str) -> None:
    """Show how often evaluation runs succeed, by treatment.

    Prints pass@k with intervals and the outcomes, retries listed separately, for the results in the database DB that
    `collect attempts` imported. docs/grades.md explains every number.
    """
    from attribution.queries.attempts import treatments

    with database(None, database_file or db) as (store, _):
        result = treatments(store, min_n, by_run)
    for note in result.notes if output_format else ():
        notice(f"note: {note}")
    rows = [treatment.data() for treatment in result.treatments]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    filled = [{name: row.get(name) for name in columns} for row in rows]
    print_rows(output_format, filled, lambda terminal: terminal.attempts.treatment_table(out(), result))


DATA = (attempts,)
