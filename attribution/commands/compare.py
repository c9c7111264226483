"""The command that compares two databases: compare."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from collector.console.tables import print_table
from collector.console.terminal import data_options
from collector.errors import EXIT_CHECK_FAILED

_DATABASE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("first", type=_DATABASE, metavar="A.db")
@click.argument("second", type=_DATABASE, metavar="B.db")
@data_options
@click.pass_context
def compare(context: click.Context, first: Path, second: Path, output_format: str) -> None:
    """Compare two databases row by row.

    Ids are replaced by what they refer to, so repositories may have been read in a different order. When a stage ran and how long
    it took is ignored. Columns that only one database has are listed but not compared. Exits with 1 if the databases differ.
    """
    from collector.storage.compare import compare as compared
    from collector.storage.views import table_of

    tables = compared(first, second)
    differing = [table for table in tables if table.differs]
    notes = [
        f"{table.table}: only the {which} has the columns {columns}; not compared"
        for table in tables
        for which, columns in (("first", table.columns_first), ("second", table.columns_second))
        if columns
    ]
    if not differing:
        notes.append(f"equal: {sum(table.rows for table in tables)} rows in {len(tables)} tables")
    for table in differing:
        notes += [f"- {table.table}: {row}" for row in table.examples_first]
        notes += [f"+ {table.table}: {row}" for row in table.examples_second]
    rows = [asdict(table) for table in (tables if output_format else differing)]
    columns = ("table", "rows=in both", "only_first=only in the first", "only_second=only in the second")
    print_table(output_format, table_of(rows, notes=notes), columns)
    if differing:
        context.exit(EXIT_CHECK_FAILED)


DATA = (compare,)
