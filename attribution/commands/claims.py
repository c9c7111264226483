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
@click.option("--by", type=click.Choice(_BY), multiple=True, help="Only these tables; may be repeated.  [default: all but version]")
@click.option("--branch", default="", metavar="NAME", help="Branch to check against.  [default: the attributed one, or HEAD]")
@database_option
@data_options
def claims(paths: tuple[str, ...], by: tuple[str, ...], branch: str, db: Path, form: str) -> None:
    """What other tools claim about who wrote lines, and how much of it is true.

    With the PATH of a clone its claims are read and checked first: notes of git-ai, whogitit, Agent Blame, agent-trace-cli, Agent
    Trace and OpenTraces records, trailers. It need not be attributed. Without PATH, all repositories of the database whose claims
    were read. Claims never change our own lines.
    """
    report = _report(paths, branch, db)
    if form == "json":
        write_json(report.data())
        return
    tables = by or ("producer", "status", "month", "agreement", "added")
    print_rows(
        form, _rows(report, tables[0] if by else "producer"), lambda terminal: terminal.claims.claims_view(out(), report, tables)
    )


def _report(paths: tuple[str, ...], branch: str, db: Path) -> ClaimsReport:
    from attribution.ensure.claims import claims_checked
    from attribution.queries.claims import claims_report, with_claims
    from collector.git.repository import GitRepo
    from collector.storage.store import Store

    for path in paths:
        GitRepo(path)  # no database is made for a path that is no clone
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


COMMANDS = (claims,)
