"""The chapter of `report` about weaknesses."""

from __future__ import annotations

from pathlib import Path

import click

from attribution.commands.common import database
from attribution.terminal.style import title
from attribution.weaknesses.commands.options import LOW
from collector.console.tables import print_tables, show_table
from collector.console.terminal import data_options, database_option, out

_BY = ("mode", "agent", "model", "language", "repo", "complexity")


@click.command()
@click.argument("path", required=False)
@click.option("--by", type=click.Choice(_BY), multiple=True, help="Additional grouping (repeatable); --json and --csv include all.")
@click.option("--tests", is_flag=True, help="Include weaknesses in tests and examples.")
@LOW
@database_option
@data_options
def weaknesses(path: str | None, by: tuple[str, ...], tests: bool, include_low: bool, db: Path, output_format: str) -> None:
    """Report weaknesses per 1,000 added lines, by author.

    Compares agents with people, and shows what became of the findings. Covers the clone at PATH, or all scanned repositories in the
    database.
    """
    from attribution.weaknesses.queries.report import BY, weakness_tables
    from collector.files.analysed import ANALYSED
    from collector.vocabulary.lines import FilePlace

    groupings = BY if output_format else tuple(dict.fromkeys(("class", "cwe", "confidence", *by)))
    with database(path, db) as (store, repo):
        tables = weakness_tables(store, repo, groupings, ANALYSED if tests else (FilePlace.SOURCE,), include_low)
    if output_format:
        print_tables(output_format, tables)
        return
    for table in tables:
        if table.rows or table.notes:
            title(out(), table.title, f"{len(table):,}")
            # The ends of an interval stand beside its value.
            show_table(out(), table, [column.name for column in table.columns if not column.name.endswith(("_low", "_high"))])
            out().print()


REPORTS = (weaknesses,)
