"""The command about a whole database: db."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from collector.console.options import ALLOW_NO_CHECKPOINTS, CONTENT, QUIET, SCALE, task_limits
from collector.console.progress import exclusive_store, show_progress
from collector.console.terminal import notice
from collector.errors import EXIT_PARTIAL


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("names", nargs=-1, metavar="[NAME]...")
@SCALE
@CONTENT
@ALLOW_NO_CHECKPOINTS
@QUIET
@click.pass_context
def db(
    context: click.Context, /, file: Path, names: tuple[str, ...], allow_no_checkpoints: bool, quiet: bool, **options: Any
) -> None:
    """Attribute all repositories in a database.

    FILE is a database filled by `collect run` or `whowrote repo`; the mirrors or clones must still be in place. Run it again after
    `collect run`, or after an interruption: only missing or outdated results are computed.
    """
    from attribution.ensure.batch import attribute_all, repositories, waiting
    from collector.runtime.runner import RunOptions

    how = RunOptions(options["jobs"], options["scheduler"], task_limits(options, options["jobs"]), options["retry"])
    with exclusive_store(file, create=False) as store:
        store.keep_content(options["content"], options["redact"])
        items, lost = repositories(store, names)
        for name, path in lost:
            notice(f"{name}: its clone is no longer at {path}; to fetch it again, run: collect run {name}")
        todo = waiting(store, items, how.retry, allow_no_checkpoints)
        failed = show_progress("attributing", "attributed", len(todo), attribute_all(store, todo, how, allow_no_checkpoints), quiet)
    context.exit(EXIT_PARTIAL if failed or lost else 0)


COMMANDS = (db,)
