"""The commands that make pages to pass on: report."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.console.commands import CommandFiles
from collector.console.tables import print_table
from collector.console.terminal import data_options, database_option, notice, out, write_json, writing

if TYPE_CHECKING:
    from attribution.queries.breakdown import Breakdown

_MEANING = (
    "Added non-blank lines of source and test files. coverage: lines with a named author, in commits with any sign of an agent. "
    "kept: agents' lines that are still there 30 days later (Kaplan-Meier). "
    "95 % intervals over commits; empty: too few, or not known."
)
_COLUMNS = (
    "lines", "commits", "coverage", "agent_share=agent", "agent_or_declared_share=or declared", "agent_kept_30_days=kept 30 d",
    "agent_at_head=at HEAD", "cost_per_line_at_head?=USD per line", "findings_per_1000?=found per 1,000",
)  # fmt: skip


@click.group(commands=CommandFiles("REPORTS"), invoke_without_command=True)
@click.option(
    "--html", "page", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a self-contained HTML page."
)
@click.option(
    "--by",
    multiple=True,
    metavar="NAMES",
    help="Break lines down by month, repository, team, directory, agent or person: one or several, by commas.",
)
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="With --by: only commits authored on this day or later (UTC).")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="With --by: only commits authored on this day or earlier (UTC).")
@click.option(
    "--teams",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --by team: CSV with the columns email and team; * in an address stands for anything.",
)
@database_option
@data_options
@click.pass_context
def report(context: click.Context, /, page: Path | None, db: Path, output_format: str, **breakdown: Any) -> None:
    """Summarise a database as HTML or Markdown, or break it down.

    The HTML page is self-contained, without scripts; creating it needs whowrote[browse].
    For a pull request: whowrote log BASE..HEAD --md
    For a lead: whowrote report --by month,directory --since 2026-01-01 --html FILE (or --csv)
    """
    if context.invoked_subcommand is not None:
        return
    if breakdown["by"]:
        _break_down(db, page, output_format, breakdown)
        return
    unused = [f"--{name}" for name, value in breakdown.items() if value] + ([f"--{output_format}"] if output_format else [])
    if unused:
        raise click.UsageError(f"{', '.join(unused)}: only together with --by")
    from attribution.browse import comment, standalone
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        if page is not None:
            _write(page, standalone.html(store))
        else:
            out().print(comment.markdown(store), soft_wrap=True, end="")


def _break_down(db: Path, page: Path | None, output_format: str, chosen: Mapping[str, Any]) -> None:
    from attribution.browse import standalone
    from attribution.queries.breakdown import breakdown
    from attribution.queries.breakdown_facts import BreakdownOptions
    from collector.storage.store import Store

    options = BreakdownOptions(
        tuple(name.strip() for names in chosen["by"] for name in names.split(",") if name.strip()),
        _day(chosen["since"]),
        _day(chosen["until"]),
        _teams(chosen["teams"]) if chosen["teams"] else {},
    )
    with Store(db, create=False) as store:
        result = breakdown(store, options)
    if page is not None:
        _write(page, standalone.breakdown_html(result))
    elif output_format == "json":
        table = result.table
        write_json({"by": list(options.by), "rows": table.rows, "whole": result.whole, "notes": table.notes})
    else:
        _print_groups(output_format, result)


def _print_groups(output_format: str, result: Breakdown) -> None:
    """On a terminal with all groups together below, and with what must not be concluded."""
    from attribution.queries.breakdown import NOT_TO_CONCLUDE

    table, by = result.table, result.options.by
    if not output_format:
        table.rows.append(dict.fromkeys(by, "") | {by[0]: "all"} | result.whole)
        table.notes = [_MEANING, *table.notes, *NOT_TO_CONCLUDE]
    print_table(output_format, table, (*by, *_COLUMNS))


def _write(page: Path, text: str) -> None:
    with writing(page):
        page.write_text(text, "utf-8")
    notice(f"{page}: {len(text) // 1024} kB, open it in a browser")


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else ""


def _teams(file: Path) -> dict[str, str]:
    """Pattern of addresses -> team, in the order of the file."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        rows = csv.DictReader(opened)
        if not {"email", "team"} <= set(rows.fieldnames or ()):
            raise click.UsageError(f"{file}: the first line must name the columns email and team")
        return {row["email"].strip().lower(): (row["team"] or "").strip() for row in rows if row["email"] and row["team"]}


COMMANDS = (report,)
