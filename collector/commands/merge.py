"""The command that puts databases together: merge."""

from collections import Counter
from pathlib import Path

import click

from collector.console.options import QUIET, exclusive_store
from collector.console.terminal import ANY_PATH, Reporter, complain, notice
from collector.errors import EXIT_PARTIAL, WhoWroteError


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="SHARD...", type=ANY_PATH)
@click.option("-o", "--output", type=ANY_PATH, required=True, help="Database to merge into.")
@click.option("--force", is_flag=True, help="Overwrite even with older results.")
@QUIET
@click.pass_context
def merge(
    context: click.Context, /, paths: tuple[Path, ...], output: Path, force: bool, quiet: bool
) -> None:
    """Merge databases into one.

    SHARD is a database written by `whowrote repo PATH --db SHARD`, or any other. A repository that
    is already there is replaced if the new results are newer. Each file is merged in one
    transaction. Sessions that were forgotten on this machine are left out.
    """
    from collector.load import forget_sessions
    from collector.local.archived import forgotten
    from collector.storage.merge import merge as take

    failed = 0
    rows = Counter[str]()
    with exclusive_store(output) as store, Reporter(str(output), quiet) as progress:
        for number, path in enumerate(paths):
            progress("merging", number, len(paths))
            try:
                result = take(store, path, force)
            except WhoWroteError as error:
                failed += 1
                complain(str(error), error.hint)
                continue
            rows.update(
                added=len(result.added),
                replaced=len(result.replaced),
                kept=len(result.kept),
                forgotten=result.forgotten,
            )
        if gone := forgotten(store.column("SELECT key FROM sessions")):
            forget_sessions(store, gone)
    if not quiet:
        notice(
            ", ".join(f"repositories {what}: {count}" for what, count in rows.items() if count)
            or "nothing to merge"
        )
    context.exit(EXIT_PARTIAL if failed else 0)


COLLECT = (merge,)
