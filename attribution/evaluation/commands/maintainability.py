"""The chapter about what commits do to the maintainability of the code."""

from __future__ import annotations

from pathlib import Path

import click

from attribution.commands.common import open_clone
from collector.console.tables import print_tables
from collector.console.terminal import Reporter, data_options, database_option


@click.command()
@click.argument("path", required=False)
@click.option("--min-n", type=click.IntRange(2), default=10, show_default=True, help="Minimum commits per group.")
@click.option("--jobs", type=click.IntRange(0, 256), default=0, help="Number of parallel processes.  [default: one per core]")
@database_option
@data_options
def maintainability(path: str | None, min_n: int, jobs: int, db: Path, output_format: str) -> None:
    """Compare how commits affect maintainability, by author.

    Each commit is measured once with the delta maintainability model of pydriller: how much of the change goes into short, simple
    functions with few parameters. Given the PATH of a clone, its new commits are measured first. Without PATH, reports on all
    measured repositories in the database. docs/maintainability.md explains every number.
    """
    from attribution.evaluation.maintainability.report import maintainability as chapter
    from collector.storage.store import Store

    if path is None:
        with Store(db, create=False) as store:
            tables = chapter(store, None, min_n)
    else:
        from attribution.evaluation.maintainability.stage import measure_new_commits

        with open_clone(path, db) as clone:
            with Reporter(path) as progress:
                measure_new_commits(clone, jobs, progress)
            tables = chapter(clone.store, clone.repo_id, min_n)
    print_tables(output_format, tables)


REPORTS = (maintainability,)
