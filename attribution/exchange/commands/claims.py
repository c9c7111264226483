"""The command about what other tools claim: claims."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import print_rows
from collector.console.terminal import Reporter, data_options, database_option, out, write_json

if TYPE_CHECKING:
    from attribution.exchange.claims.report import ClaimsReport

_BY = ("producer", "status", "month", "version", "agreement", "added")


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option("--by", type=click.Choice(_BY), multiple=True, help="Table to print (repeatable).  [default: all but version]")
@click.option("--branch", default="", metavar="NAME", help="Branch to check against.  [default: the attributed branch, or HEAD]")
@database_option
@data_options
def claims(paths: tuple[str, ...], by: tuple[str, ...], branch: str, db: Path, output_format: str) -> None:
    """Check what other tools claim about who wrote lines.

    Given the PATH of a clone, its claims are read and checked first: notes of git-ai, whogitit and Agent Blame, Agent Trace
    records, and trailers. The clone does not have to be attributed. Without PATH, reports on all repositories in the database
    whose claims have been read. Claims never change the attribution.
    """
    report = _report(paths, branch, db)
    if output_format == "json":
        write_json(report.data())
    elif output_format == "csv":
        print_rows(output_format, report.tables[by[0] if by else "producer"], None)
    else:
        from attribution.exchange.claims.view import claims_view

        claims_view(out(), report, by or [name for name in _BY if name != "version"])


def _report(paths: tuple[str, ...], branch: str, db: Path) -> ClaimsReport:
    from attribution.exchange.claims.report import checked_repositories, claims_report
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
        return claims_report(store, repos or checked_repositories(store))


DATA = (claims,)
