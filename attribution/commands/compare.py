"""The command that compares two databases: compare."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from attribution.commands.common import print_rows
from collector.console.terminal import data_options, out
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

    found = compared(first, second)
    print_rows(output_format, [asdict(item) for item in found], lambda terminal: terminal.compare.difference_list(out(), found))
    if any(item.differs for item in found):
        context.exit(EXIT_CHECK_FAILED)


DATA = (compare,)
