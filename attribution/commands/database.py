"""The commands about a database as it is: check, problems."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.console.tables import print_table
from collector.console.terminal import Reporter, data_options, database_option, notice, out, write_csv, write_json
from collector.errors import EXIT_CHECK_FAILED

if TYPE_CHECKING:
    from collector.storage.store import Store


@click.command()
@database_option
@data_options
def problems(db: Path, output_format: str) -> None:
    """List what could not be used, by kind, with examples."""
    from attribution.queries.repo_report import problem_table
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        print_table(output_format, problem_table(store), ("repo?", "code=problem", "stage", "count", "example=for example"))


@click.command()
@database_option
@click.option("--repair", is_flag=True, help="Read repositories again whose rows are a mixture of several runs.")
@data_options
@click.pass_context
def check(context: click.Context, db: Path, repair: bool, output_format: str) -> None:
    """Check the invariants of a database.

    They concern sums, references and times. Exits with 1 if any is violated.
    """
    from attribution.queries.checks import checks
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        if repair:
            _repair(store)
        results = checks(store)
    if output_format == "json":
        write_json([asdict(c) for c in results])
    elif output_format == "csv":
        write_csv(("name", "promise", "broken"), [asdict(c) for c in results])
    else:
        from attribution import terminal

        terminal.lists.check_list(out(), results)
    if any(c.broken for c in results):
        context.exit(EXIT_CHECK_FAILED)


def _repair(store: Store) -> None:
    from attribution.ensure.repair import repair

    with Reporter(str(store.path)) as progress:
        notes = repair(store, progress)
    for note in notes or ["nothing to repair"]:
        notice(note)


DATA = (check, problems)
