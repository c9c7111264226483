"""The command that writes databases as columns: columns."""

from __future__ import annotations

from pathlib import Path

import click

from collector.commands.sections import Section
from collector.console.options import QUIET
from collector.console.terminal import Reporter, notice


@click.command()
@click.argument("place", metavar="DIR|DB", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "dataset",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DATASET",
    help="Directory of the data set.",
)
@QUIET
def columns(place: Path, dataset: Path, quiet: bool) -> None:  # fmt: skip
    """Write databases as columns, for questions about many.

    Writes the database DB, or all databases in DIR without merging them, to Parquet files in the directory DATASET, one for each
    table and repository. `study`, `survival`, `grades` and `report` read it with --db DATASET, with DuckDB and out of core. What
    agents said, input and output of their calls and texts of regions are left out. Run again, it writes only repositories whose
    databases changed, and removes those that are gone. Needs whowrote[corpus].
    """
    from collector.runtime.columns import write_columns

    with Reporter(str(dataset), quiet) as progress:
        done = write_columns(place, dataset, progress)
    for note in done.notes:
        notice(note)
    if not quiet:
        notice(f"{dataset}: {done.databases} databases read, {done.repositories} repositories, {done.rows:,} rows")


SECTION, ORDER = Section.FILL, 13
COMMANDS = (columns,)
