"""The command about what other tools claim: claims."""

from __future__ import annotations

from pathlib import Path

import click

from collector.console.tables import print_table, print_tables
from collector.console.terminal import Reporter, data_options, database_option, notice

_BY = ("producer", "status", "version", "agreement", "added")


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option("--by", type=click.Choice(_BY), multiple=True, help="Table to print (repeatable).  [default: all but version]")
@click.option("--branch", default="", metavar="NAME", help="Branch to check against.  [default: the attributed branch, or HEAD]")
@database_option
@data_options
def claims(paths: tuple[str, ...], by: tuple[str, ...], branch: str, db: Path, output_format: str) -> None:
    """Check what other tools claim about who wrote lines.

    Given the PATH of a clone, its claims are read and checked first: notes of git-ai, Agent Trace
    records, and trailers. The clone does not have to be attributed. Without PATH, reports on all repositories in the database
    whose claims have been read. Claims never change the attribution.
    """
    from attribution.exchange.claims.report import checked_repositories, claims_tables, unattributed_note
    from attribution.exchange.claims.stage import check_clone
    from collector.git.repository import GitRepo
    from collector.storage.store import Store

    for path in paths:
        GitRepo(path)  # no database is created for a path that is not a clone
    with Store(db, create=bool(paths)) as store:
        repos = []
        for path in paths:
            with Reporter(path) as progress:
                repos.append(check_clone(store, path, branch, progress))
        repos = repos or checked_repositories(store)
        tables = claims_tables(store, repos, by or [name for name in _BY if name != "version"])
        note = unattributed_note(store, repos)
    if output_format and len(by) == 1:
        print_table(output_format, tables[0])
    else:
        print_tables(output_format, [table for table in tables if table.rows])
    if not any(table.rows for table in tables):
        notice("no claims found")
    if note:
        notice(note)


DATA = (claims,)
