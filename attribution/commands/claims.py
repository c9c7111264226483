"""The command about what other tools claim: claims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import print_rows
from collector.console.terminal import Reporter, data_options, database_option, out, write_json

if TYPE_CHECKING:
    from attribution.queries.claims import ClaimsReport

_BY = ("producer", "status", "month", "version", "agreement", "added")


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option("--by", type=click.Choice(_BY), multiple=True, help="Table to print (repeatable).  [default: all but version]")
@click.option("--branch", default="", metavar="NAME", help="Branch to check against.  [default: the attributed branch, or HEAD]")
@database_option
@data_options
def claims(paths: tuple[str, ...], by: tuple[str, ...], branch: str, db: Path, output_format: str) -> None:
    """Check what other tools claim about who wrote lines.

    Given the PATH of a clone, its claims are read and checked first: notes of git-ai, whogitit, Agent Blame and agent-trace-cli,
    Agent Trace and OpenTraces records, and trailers. The clone does not have to be attributed. Without PATH, reports on all
    repositories in the database whose claims have been read. Claims never change the attribution.
    """
    report = _report(paths, branch, db)
    if output_format == "json":
        write_json(report.data())
        return
    tables = by or ("producer", "status", "month", "agreement", "added")
    print_rows(
        output_format,
        _rows(report, tables[0] if by else "producer"),
        lambda terminal: terminal.claims.claims_view(out(), report, tables),
    )


def _report(paths: tuple[str, ...], branch: str, db: Path) -> ClaimsReport:
    from attribution.ensure.claims import claims_checked
    from attribution.queries.claims import claims_report, with_claims
    from collector.git.repository import GitRepo
    from collector.storage.store import Store

    for path in paths:
        GitRepo(path)  # no database is created for a path that is not a clone
    with Store(db, create=bool(paths)) as store:
        repos = []
        for path in paths:
            with Reporter(path) as progress:
                repos.append(claims_checked(store, path, branch, progress).repo_id)
        return claims_report(store, repos or with_claims(store))


def _rows(report: ClaimsReport, table: str) -> Sequence[object]:
    tables: dict[str, Sequence[object]] = {
        "producer": report.worth, "status": report.statuses, "month": report.months, "version": report.versions,
        "agreement": report.agreement, "added": report.added,
    }  # fmt: skip
    return tables[table]


DATA = (claims,)
