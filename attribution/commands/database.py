"""The commands about a database as it is: sessions, problems, check."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from attribution.commands.common import print_rows
from collector.console.terminal import data_options, database_option, out, write_csv, write_json
from collector.errors import EXIT_CHECK_FAILED


@click.command()
@database_option
@data_options
def sessions(db: Path, form: str) -> None:
    """The sessions of a database with their counts."""
    from attribution.queries.sessions import session_list
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        rows = session_list(store)
    print_rows(form, rows, lambda terminal: terminal.lists.session_table(out(), rows))


@click.command()
@database_option
@data_options
def problems(db: Path, form: str) -> None:
    """What could not be used, by kind, with an example of each."""
    from attribution.queries.repo_report import problem_groups
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        groups = problem_groups(store)
    print_rows(form, groups, lambda terminal: terminal.lists.problem_list(out(), groups))


@click.command()
@database_option
@data_options
@click.pass_context
def check(context: click.Context, db: Path, form: str) -> None:
    """Test the promises of the database: sums, references, times. Exit code 1 when one is broken."""
    from attribution.queries.checks import checks
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        found = checks(store)
    if form == "json":
        write_json([asdict(c) for c in found])
    elif form == "csv":
        write_csv(("name", "promise", "broken"), [asdict(c) for c in found])
    else:
        from attribution import terminal

        terminal.lists.check_list(out(), found)
    if any(c.broken for c in found):
        context.exit(EXIT_CHECK_FAILED)


COMMANDS = (sessions, problems, check)
