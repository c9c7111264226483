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
@click.option(
    "--least", type=click.IntRange(2), default=LEAST, show_default=True, help="Commits that a group needs to have a mean."
)
@click.option("--jobs", type=click.IntRange(0, 256), default=0, help="Processes at once.  [default: one per core]")
@database_option
@data_options
def maintainability(path: str | None, least: int, jobs: int, db: Path, form: str) -> None:
    """Whether commits make the code easier or harder to maintain, by who wrote their lines.

    Each commit is measured once, by the delta maintainability model of pydriller: how much of what it adds goes into short, simple
    functions with few parameters. With the PATH of a clone, its new commits are measured first. Without PATH: all measured
    repositories of the database. docs/maintainability.md explains every number.
    """
    found = _report(path, db, least, jobs)
    if form == "json":
        write_json(found.data())
    else:
        print_rows(form, found.rows(), lambda terminal: terminal.maintainability.maintainability_view(out(), found))


def _report(path: str | None, db: Path, least: int, jobs: int) -> Any:
    from attribution.ensure.maintainability import commits_measured
    from attribution.queries.maintainability import maintainability_report
    from collector.storage.store import Store

    if path is None:
        with Store(db, create=False) as store:
            return maintainability_report(store, None, least)
    with at(path, db) as where:
        with Reporter(path) as progress:
            commits_measured(where, jobs, progress)
        return maintainability_report(where.store, where.repo_id, least)


COMMANDS = (maintainability,)
