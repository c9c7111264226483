"""The command about a whole database: db."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from collector.console.options import SCALE
from collector.console.progress import exclusive_store, show_progress
from collector.console.terminal import notice
from collector.errors import EXIT_PARTIAL


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("names", nargs=-1, metavar="[NAME]...")
@SCALE
@click.option("--anyway", is_flag=True, help="Also repositories without any checkpoint.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing but errors.")
@click.pass_context
def db(context: click.Context, /, file: Path, names: tuple[str, ...], anyway: bool, quiet: bool, **given: Any) -> None:
    """Attribute every line of all repositories of a database.

    FILE was filled by `collect run` or `attribute repo`; the mirrors or clones must be where they were. Run it again after
    `collect run`, or after it was killed: what is done is not done again.
    """
    from attribution.ensure.batch import attribute_all, repositories, waiting
    from collector.runtime.shards import RunOptions
    from collector.runtime.workers import TaskLimits

    how = RunOptions(given["jobs"], given["scheduler"], TaskLimits(given["timeout"], given["memory"]), given["retry"])
    with exclusive_store(file, create=False) as store:
        found, lost = repositories(store, names)
        for name, path in lost:
            notice(f"{name}: its clone is no longer at {path}; fetch it again with: collect fetch {name}")
        todo = waiting(store, found, how.retry, anyway)
        failed = show_progress("attributing", "attributed", len(todo), attribute_all(store, todo, how, anyway), quiet)
    context.exit(EXIT_PARTIAL if failed or lost else 0)


COMMANDS = (db,)
