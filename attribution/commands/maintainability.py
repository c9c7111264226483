"""The command about what commits do to the maintainability of the code: maintainability."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from attribution.commands.common import at, print_rows
from attribution.maintainability.means import LEAST
from collector.console.terminal import Reporter, data_options, database_option, out, write_json


@click.command()
@click.argument("path", required=False)
@click.option("--min-n", type=click.IntRange(2), default=LEAST, show_default=True, help="Minimum commits per group.")
@click.option("--jobs", type=click.IntRange(0, 256), default=0, help="Number of parallel processes.  [default: one per core]")
@database_option
@data_options
def maintainability(path: str | None, min_n: int, jobs: int, db: Path, output_format: str) -> None:
    """Compare how commits affect maintainability, by author.

    Each commit is measured once with the delta maintainability model of pydriller: how much of the change goes into short, simple
    functions with few parameters. Given the PATH of a clone, its new commits are measured first. Without PATH, reports on all
    measured repositories in the database. docs/maintainability.md explains every number.
    """
    found = _report(path, db, min_n, jobs)
    if output_format == "json":
        write_json(found.data())
    else:
        print_rows(output_format, found.rows(), lambda terminal: terminal.maintainability.maintainability_view(out(), found))


def _report(path: str | None, db: Path, min_n: int, jobs: int) -> Any:
    from attribution.ensure.maintainability import commits_measured
    from attribution.queries.maintainability import maintainability_report
    from collector.storage.store import Store

    if path is None:
        with Store(db, create=False) as store:
            return maintainability_report(store, None, min_n)
    with at(path, db) as where:
        with Reporter(path) as progress:
            commits_measured(where, jobs, progress)
        return maintainability_report(where.store, where.repo_id, min_n)


COMMANDS = (maintainability,)
