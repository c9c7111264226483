"""The chapters of `whowrote report` about repairs and ownership."""

from pathlib import Path

import click

from attribution.commands.common import database
from collector.console.tables import print_tables
from collector.console.terminal import data_options, database_option


@click.command()
@click.argument("path", required=False)
@database_option
@data_options
def repairs(path: str | None, db: Path, output_format: str) -> None:
    """Compare how often fixes repaired lines, by their author.

    Counts fixes per 1,000 lines by class, agent and model, and shares of lines that were repaired within some days. Covers the
    clone at PATH, or all repositories in the database whose fixes were traced (whowrote culprit --all).
    """
    from attribution.culprit.queries.repairs import repair_tables

    with database(path, db) as (store, repo):
        tables = repair_tables(store, repo)
    print_tables(output_format, tables)


@click.command()
@click.argument("path", required=False)
@database_option
@data_options
def ownership(path: str | None, db: Path, output_format: str) -> None:
    """Show who wrote what still stands, by directory.

    Also how much of the agents' code no person is known to have touched since, and the bus factor with and without agents. Covers
    the clone at PATH, or all repositories in the database whose lines are followed (whowrote survival PATH).
    """
    from attribution.culprit.queries.ownership import ownership_tables

    with database(path, db) as (store, repo):
        tables = ownership_tables(store, repo)
    print_tables(output_format, tables)


REPORTS = (repairs, ownership)
