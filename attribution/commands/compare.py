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
def compare(context: click.Context, first: Path, second: Path, form: str) -> None:
    """Whether two databases hold the same rows, whatever their numbers. Exit code 1 when they do not.

    Numbers are replaced by what they stand for, so repositories may have been read in another order. When a stage ran and how long
    it took is left out. Columns that only one of them has are named, and not compared.
    """
    from collector.storage.compare import compare as compared

    found = compared(first, second)
    print_rows(form, [asdict(one) for one in found], lambda terminal: terminal.compare.difference_list(out(), found))
    if any(one.differs for one in found):
        context.exit(EXIT_CHECK_FAILED)


COMMANDS = (compare,)
