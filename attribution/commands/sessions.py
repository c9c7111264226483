"""The commands about sessions: sessions, features, regions. Parse, call the library, print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import database, print_rows
from collector.console.tables import print_table
from collector.console.terminal import data_options, database_option, notice, out

if TYPE_CHECKING:
    from collector.storage.views import Table

_PATH = click.argument("path", required=False)
_SESSION = click.option("--session", default="", metavar="KEY", help="Only this session, by its key or a prefix of it.")


@click.command()
@_PATH
@click.option("--subagents", is_flag=True, help="List subagents too; --json and --csv always do, with their parent.")
@database_option
@data_options
def sessions(path: str | None, subagents: bool, db: Path, output_format: str) -> None:
    """List sessions with their counts.

    Covers the clone at PATH, or the whole database.
    """
    from attribution.queries.sessions import session_list

    with database(path, db) as (store, repo):
        table = session_list(store, repo)
    if not output_format:
        _count_subagents(table, subagents)
    columns = (
        "repo?", "started_at", "agent", "transcript?", "turns", "edits_applied=edits", "commits", "agent_lines=lines", "subagents?",
        "label=first prompt",
    )  # fmt: skip
    print_table(output_format, table, columns)


def _count_subagents(table: Table, listed: bool) -> None:
    """Notes how many sessions there are; takes subagents out of the table unless they are to be listed."""
    people = [row for row in table if not row["parent"]]
    spawned = len(table) - len(people)
    lines = sum(row["agent_lines"] or 0 for row in table)
    also = f", {spawned:,} subagents that are stored as sessions" if spawned else ""
    table.notes.append(f"{len(people):,} sessions{also}; {lines:,} lines in commits (blank ones included)")
    if spawned and not listed:
        table.rows = people
        table.notes.append("To list the subagents too: --subagents")


@click.command()
@_PATH
@_SESSION
@database_option
@data_options
def turns(path: str | None, session: str, db: Path, output_format: str) -> None:
    """Show what each prompt led to: calls, edits, lines.

    One row per turn. "again" are places in files that the next turn edited again, "undone" those where it put back what this turn
    had replaced: corrections in deed. What became of committed lines needs `whowrote survival` first.
    """
    from attribution.queries.turn_outcomes import turn_rows

    with database(path, db) as (store, repo):
        rows = turn_rows(store, repo, session)
    print_rows(output_format, rows, lambda terminal: terminal.sessions.turn_table(out(), rows))


@click.command()
@_PATH
@_SESSION
@click.option(
    "--prices",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Use this price table (TOML), or genai-prices, for the costs of the database.",
)
@database_option
@data_options
def features(path: str | None, session: str, prices: Path | None, db: Path, output_format: str) -> None:
    """Show turns, tools, tokens, cost and outcome per session.

    Covers the clone at PATH, or the whole database. docs/metrics.md explains every feature.
    """
    from attribution.queries.features import SHORT_LIST, null_reasons
    from attribution.queries.sessions import feature_rows

    only = () if session or output_format else SHORT_LIST
    with database(path, db) as (store, repo):
        rows = feature_rows(store, repo, session, only)  # says so when there are none, before anything is changed
        if prices:
            from attribution.ensure.sessions import reprice

            table = reprice(store, prices)
            rows = feature_rows(store, repo, session, only)
            costs = sum(1 for row in rows if row.values["cost_usd"] is not None)
            notice(f"{costs} of {len(rows)} sessions have a cost, at prices as of {table.as_of}")
        why = null_reasons(store, rows[0].session_id) if session else {}
    if session:
        print_rows(output_format, rows, lambda terminal: terminal.sessions.feature_list(out(), rows[0], why))
    else:
        print_rows(output_format, rows, lambda terminal: terminal.sessions.feature_table(out(), rows))


@click.command()
@_PATH
@_SESSION
@click.option("--oscillating", is_flag=True, help="Only regions that were rewritten back and forth.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Regions to print; --json and --csv include all."
)
@database_option
@data_options
def regions(path: str | None, session: str, oscillating: bool, limit: int, db: Path, output_format: str) -> None:
    """Show code that a session edited more than once.

    Each region is listed with its rounds of edits. Converging: the edits get smaller. Expanding: they get larger. Oscillating: an
    earlier text came back, or there is no trend.
    """
    from attribution.queries.sessions import RegionChoice, find_session, region_counts, region_rows

    is_list = not output_format
    with database(path, db) as (store, repo):
        choice = RegionChoice(repo, find_session(store, session, repo) if session else None, oscillating)
        rows = region_rows(store, choice, limit if is_list else None)
        counts = region_counts(store, choice) if is_list else {}
    if output_format == "csv":
        print_rows(output_format, [edit for region in rows for edit in region.edit_rows()], None)
    else:
        print_rows(output_format, rows, lambda terminal: terminal.sessions.region_list(out(), rows, counts))


@click.command()
@_PATH
@database_option
@click.option("--by", type=click.Choice(["agent", "language"]), default="agent", show_default=True, help="One row for each.")
@data_options
def pushback(path: str | None, db: Path, by: str, output_format: str) -> None:
    """Show how often people push back, by agent or language.

    A message pushes back when it refuses, corrects, or reports that something does not work. A small classifier counts such
    messages among those after the first; the share is corrected for its measured errors (docs/turns.md). Where it was not
    measured on the language, no share is given. Beside it stands what needs no words: of the messages after a turn that wrote
    lines, how many led to a change of these lines, and how far word and deed agree.
    """
    from attribution.queries.pushback import By, pushback_shares

    with database(path, db) as (store, repo):
        rows = pushback_shares(store, repo, By(by))
    print_rows(output_format, rows, lambda terminal: terminal.sessions.pushback_table(out(), rows, by))


COMMANDS = (sessions, turns, features, regions, pushback)
