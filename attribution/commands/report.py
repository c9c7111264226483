"""The commands that make pages to pass on: report."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from attribution.commands.common import print_rows
from collector.console.commands import CommandFiles
from collector.console.terminal import data_options, database_option, notice, out, write_json, writing

if TYPE_CHECKING:
    from collector.storage.store import Store


@click.group(commands=CommandFiles("REPORTS"), invoke_without_command=True)
@click.option(
    "--html", "page", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a self-contained HTML page."
)
@click.option(
    "--commits",
    type=click.File("r"),
    metavar="FILE",
    help="Summarise only the commits listed in FILE (one id per line; - for stdin).",
)
@click.option(
    "--badge",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --commits: write their share of agents' lines for a badge (shields.io).",
)
@click.option(
    "--limit",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="With --commits: exit with 1 when agents wrote more of their lines, as far as known.",
)
@click.option("--prompts", is_flag=True, help="With --commits: also the beginning of each session's first prompt.")
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
@click.option("--anonymous", is_flag=True, help="With --by: pseudonyms for persons, teams and repositories, new in each run.")
@database_option
@data_options
@click.pass_context
def report(
    context: click.Context, /, page: Path | None, commits: IO[str] | None, badge: Path | None, limit: float | None, prompts: bool,
    db: Path, output_format: str, **wanted: Any,
) -> None:  # fmt: skip
    """Summarise a database as HTML or Markdown, or break it down.

    The HTML page is self-contained, without scripts; creating it needs whowrote[browse].
    For a pull request: git rev-list BASE..HEAD | whowrote report --commits -
    For a lead: whowrote report --by month,directory --since 2026-01-01 --html FILE (or --csv)
    """
    if context.invoked_subcommand is not None:
        return
    if wanted["by"]:
        _broken_down(db, page, output_format, wanted)
        return
    alone = [f"--{name}" for name, value in wanted.items() if value] + ([f"--{output_format}"] if output_format else [])
    if alone:
        raise click.UsageError(f"{', '.join(alone)}: only together with --by")
    if commits is None and (badge is not None or limit is not None):
        raise click.UsageError("--badge, --limit: only together with --commits")
    from attribution.browse import standalone
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        if page is not None:
            _write(page, standalone.html(store))
        if commits is not None:
            _of_commits(store, commits, prompts, badge, limit)
        elif page is None:
            out().print(standalone.markdown(store), soft_wrap=True, end="")


def _of_commits(store: Store, commits: IO[str], prompts: bool, badge: Path | None, limit: float | None) -> None:
    from attribution.browse import standalone
    from attribution.queries.pull_request import pull_request

    found = pull_request(store, [line.strip().lower() for line in commits if line.strip()])
    out().print(standalone.markdown_of(found, prompts), soft_wrap=True, end="")
    if badge is not None:
        with writing(badge):
            badge.write_text(standalone.badge(found.agent_percent), "utf-8")
    if limit is not None and found.agent_percent is not None and found.agent_percent > limit:
        notice(f"agents wrote {found.agent_percent:.1f} % of these lines as far as known, more than {limit:g} %")
        raise SystemExit(1)


def _broken_down(db: Path, page: Path | None, output_format: str, wanted: Mapping[str, Any]) -> None:
    from attribution.browse import standalone
    from attribution.queries.breakdown import breakdown
    from attribution.queries.breakdown_facts import BreakdownOptions
    from collector.storage.store import Store

    options = BreakdownOptions(
        tuple(name.strip() for names in wanted["by"] for name in names.split(",") if name.strip()),
        _day(wanted["since"]),
        _day(wanted["until"]),
        _teams(wanted["teams"]) if wanted["teams"] else {},
        wanted["anonymous"],
    )
    with Store(db, create=False) as store:
        found = breakdown(store, options)
    if page is not None:
        _write(page, standalone.breakdown_html(found))
    elif output_format == "json":
        write_json(found.data())
    else:
        print_rows(output_format, found.table(), lambda terminal: terminal.breakdown.breakdown_view(out(), found))


def _write(page: Path, text: str) -> None:
    with writing(page):
        page.write_text(text, "utf-8")
    notice(f"{page}: {len(text) // 1024} kB, open it in a browser")


def _day(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d}" if at else ""


def _teams(file: Path) -> dict[str, str]:
    """Pattern of addresses -> team, in the order of the file."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        rows = csv.DictReader(opened)
        if not {"email", "team"} <= set(rows.fieldnames or ()):
            raise click.UsageError(f"{file}: the first line must name the columns email and team")
        return {row["email"].strip().lower(): (row["team"] or "").strip() for row in rows if row["email"] and row["team"]}


COMMANDS = (report,)
