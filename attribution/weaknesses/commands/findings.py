"""The command `findings`: the list, one finding, SARIF written and read."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.commands.common import COMMIT, here, open_clone, print_one
from attribution.weaknesses.commands.options import COLUMNS, LOW, filter_options, repository_number, write_file
from collector.console.commands import CommandFiles
from collector.console.tables import print_table
from collector.console.terminal import data_options, database_option, notice, out
from collector.vocabulary.lines import LineClass

if TYPE_CHECKING:
    from attribution.weaknesses.queries.findings import FindingFilter
    from collector.storage.store import Store
    from collector.storage.views import Table

_REPO = click.option("--repo", "name", default="", metavar="NAME", help="Only findings in this repository (owner/name).")


@click.group(commands=CommandFiles("FINDINGS"), invoke_without_command=True)
@_REPO
@LOW
@filter_options
@database_option
@data_options
@click.pass_context
def findings(context: click.Context, selection: FindingFilter, name: str, include_low: bool, db: Path, output_format: str) -> None:
    """List weaknesses introduced by commits.

    Each is listed with who wrote the lines and whether it is still there. Findings of low confidence are left out, as in `whowrote
    report weaknesses`, unless --low or --confidence asks for them.
    """
    if context.invoked_subcommand is not None:
        return
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        table = _list(store, name, selection, include_low)
    if not table.rows and not output_format:
        for note in table.notes:
            notice(note)
    table.notes.insert(0, f"{len(table):,} findings; to see one in context: whowrote findings show ID")
    print_table(output_format, table, COLUMNS)


def _list(store: Store, name: str, selection: FindingFilter, include_low: bool) -> Table:
    """Findings with a note of those of low confidence that nobody asked for."""
    from attribution.weaknesses.queries.findings import HEADLINE
    from attribution.weaknesses.queries.findings import findings as read_findings

    table = read_findings(store, repository_number(store, name), selection)
    every = table.rows
    if not (include_low or selection.confidence):
        table.rows = [row for row in every if row["confidence"] in HEADLINE]
    if len(table) < len(every):
        table.notes.append(f"{len(every) - len(table):,} of low confidence are left out; to list them too: --low")
    return table


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@_REPO
@LOW
@filter_options
@database_option
def sarif(file: Path, selection: FindingFilter, name: str, include_low: bool, db: Path) -> None:
    """Write findings to FILE as SARIF 2.1.0."""
    from attribution.weaknesses.queries.sarif import sarif as as_sarif
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        rows = _list(store, name, selection, include_low).rows
        write_file(file, json.dumps(as_sarif(store, rows), indent=1, ensure_ascii=True))
    notice(f"{len(rows)} findings written to {file}")


@click.command()
@click.argument("log", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="SARIF")
@click.argument("path", required=False)
@COMMIT
@database_option
@data_options
def authors(log: Path, path: str | None, commit: str, db: Path, output_format: str) -> None:
    """Say who wrote the lines of other scanners' findings.

    SARIF is what CodeQL, Snyk, semgrep or another scanner found in the clone at PATH, at HEAD or the commit that --commit names.
    Each finding is listed with the author of most of its lines, as `whowrote blame` has them. Nothing is stored.
    """
    from attribution.stats.accuracy import audited_note
    from attribution.weaknesses.commands.lists import authored_table
    from attribution.weaknesses.queries.sarif import authored_results

    with open_clone(path or here(), db) as opened:
        table = authored_table(authored_results(opened, log, commit))
    if not table.rows:
        notice("the log has no finding with a place in a file")
    counts = Counter(row["line_class"].replace("_", " ") or "not known" for row in table)
    table.notes.append(f"{len(table):,} findings: {', '.join(f'{n:,} {name}' for name, n in counts.most_common())}")
    table.notes += filter(None, [audited_note(LineClass.AGENT, LineClass.HUMAN, LineClass.LIKELY_HUMAN)])
    print_table(output_format, table, ("line_class", "agent", "level", "path", "start_line", "rule", "problem?", "message"))


@click.command()
@click.argument("fingerprint")
@database_option
@data_options
def show(fingerprint: str, db: Path, output_format: str) -> None:
    """Show one finding in context.

    Prints the lines, their author, the prompt behind them, and what became of the finding. FINGERPRINT is the id shown in the list,
    or a prefix of it.
    """
    from attribution.weaknesses.commands.views import finding_view
    from attribution.weaknesses.queries.findings import FindingFilter, context
    from attribution.weaknesses.queries.findings import findings as read_findings
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        rows: list[dict[str, Any]] = read_findings(store, None, FindingFilter(status="")).rows
        finding = next((row for row in rows if row["fingerprint"].startswith(fingerprint)), None)
        if finding is None:
            raise click.UsageError(f"no finding has an id starting with {fingerprint}; see: whowrote findings --db {db}")
        finding = context(store, finding)
    print_one(output_format, finding, lambda terminal: finding_view(out(), finding))


COMMANDS = (findings,)
FINDINGS = (show, sarif, authors)
