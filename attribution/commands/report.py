"""The commands that make pages, to pass on or to browse: report, browse."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.commands.common import PATH, TakesClone, database
from collector.console.commands import CommandFiles
from collector.console.options import Moment
from collector.console.tables import print_table, print_tables, print_title, show_table
from collector.console.terminal import (
    EXISTING_FILE,
    FILE,
    data_options,
    database_option,
    notice,
    one_line,
    out,
    write_json,
    writing,
)
from collector.json_values import Row, Texts
from collector.storage.views import table_of
from collector.text import count_of

if TYPE_CHECKING:
    from attribution.queries.breakdown import Breakdown
    from attribution.queries.breakdown_facts import BreakdownOptions
    from collector.storage.store import Store


_COLUMNS = (
    "lines",
    "agents",
    "coverage?=sure of",
    "agent_kept_30_days?=kept 30 d",
    "agent_at_head?=at HEAD",
    "cost_per_line_at_head?=USD per line",
    "findings_per_1000?=found per 1,000",
)
_SHOWN = 12  # groups, on a terminal
_FOOT = (
    "lines: added, of source and tests. agents: recorded or declared, a lower bound. sure of: named"
    " author, of commits with a sign of an agent; low is not recorded, not little used."
)


class _Report(TakesClone):
    """Takes what to break lines down by in place of a command, too."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from attribution.queries.breakdown import DIMENSIONS

        word = args[0]
        by = {"repositories": "repository", "people": "person"}.get(word, word.removesuffix("s"))
        if word in self.commands or by not in DIMENSIONS:
            return super().resolve_command(ctx, args)
        ctx.params["by"] = (*ctx.params["by"], by)
        return self.resolve_command(ctx, args[1:]) if args[1:] else (None, click.Command(None), [])


@click.group(cls=_Report, commands=CommandFiles("REPORTS"), invoke_without_command=True)
@click.option(
    "--html",
    "page",
    type=FILE,
    metavar="FILE",
    help=(
        "Write a self-contained HTML page; of several repositories an index, and a page of each"
        " beside it."
    ),
)
@click.option(
    "--by",
    multiple=True,
    metavar="NAMES",
    help=(
        "Break lines down by month, week, release, repository, team, directory, agent, driver or"
        " person: one or several, by commas."
    ),
)
@click.option(
    "--last",
    metavar="6w",
    callback=lambda context, option, value: _period(value),
    help="Only the last weeks, days or months: 6w, 30d, 3m.",
)
@click.option(
    "--since",
    type=Moment(["%Y-%m-%d"]),
    help="Only commits authored on this day or later (UTC).",
)
@click.option(
    "--until",
    type=Moment(["%Y-%m-%d"]),
    help="Only commits authored on this day or earlier (UTC).",
)
@click.option(
    "--teams",
    type=EXISTING_FILE,
    metavar="FILE",
    help=(
        "With --by team: CSV with the columns email and team; * in an address stands for anything."
    ),
)
@click.option("--full", is_flag=True, help="Print every column, and what must not be concluded.")
@database_option
@data_options
@click.pass_context
def report(
    context: click.Context, /, page: Path | None, db: Path, output_format: str, **breakdown: Any
) -> None:
    """Summarise a database by repository, month, team or agent.

    The HTML page is self-contained, without scripts; creating it needs whowrote[browse].
    For a pull request: whowrote log BASE..HEAD --md
    For a lead: whowrote report --by week --last 6w --by team --teams FILE (or repository,
    directory, agent) As data: whowrote report --by month,directory --since 2026-01-01 --csv
    """
    if context.invoked_subcommand is not None:
        return
    if breakdown["by"] or page is None:
        _break_down(db, page, output_format, breakdown | {"by": breakdown["by"] or ("repository",)})
        return
    unused = [f"--{name}" for name, value in breakdown.items() if value] + (
        [f"--{output_format}"] if output_format else []
    )
    if unused:
        raise click.UsageError(f"{', '.join(unused)}: with --html only together with --by")
    from attribution.browse import standalone
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        _write_pages(page, dict(standalone.html_pages(store, page.name)))


def _break_down(db: Path, page: Path | None, output_format: str, chosen: Row) -> None:
    from attribution.browse import standalone
    from attribution.queries.breakdown import breakdown
    from attribution.queries.breakdown_facts import BreakdownOptions
    from collector.storage.store import Store

    if chosen["last"] and chosen["since"]:
        raise click.UsageError("--last and --since: choose one of them")
    options = BreakdownOptions(
        tuple(name.strip() for names in chosen["by"] for name in names.split(",") if name.strip()),
        _first_day(chosen["last"], chosen["until"]) or _day(chosen["since"]),
        _day(chosen["until"]),
        _teams(chosen["teams"]) if chosen["teams"] else {},
        fold=not output_format,
    )
    with Store(db, create=False) as store:
        if "week" in options.by and not output_format:
            _weekly(store, options, page, chosen["full"])
            return
        result = breakdown(store, options)
    if page is not None:
        _write(page, standalone.breakdown_html(result))
    elif output_format == "json":
        table = result.table
        write_json(
            {
                "by": list(options.by),
                "rows": table.rows,
                "whole": result.whole,
                "notes": table.notes,
            }
        )
    else:
        _print_groups(output_format, result, chosen["full"])


def _weekly(store: Store, options: BreakdownOptions, page: Path | None, full: bool) -> None:
    from attribution.browse import standalone, tables
    from attribution.queries.weekly import weekly_report

    report = weekly_report(store, options)
    if page is not None:
        _write(page, standalone.page("whowrote_week.html", r=report, show=tables.section_html))
        return
    print_title(", ".join(row["name"] for row in store.rows("SELECT name FROM repos ORDER BY 1")))
    if not full:
        del report.sections[0].table.rows[2:]
    for section in report.sections if full else report.sections[:1]:
        print_title(section.title)
        show_table(out(), section.table, section.columns, None if full else _SHOWN)
        out().print()
    for text in (*report.unknowable, *report.notes) if full else report.unknowable[:1]:
        out().print(one_line(text), style="dim")
    out().print("--full: more weeks, what became of the lines, what is open", style="dim")


def _print_groups(output_format: str, result: Breakdown, full: bool) -> None:
    """On a terminal what all of them have, then the groups; with `full` every column, and what must
    not be concluded.
    """
    from attribution.queries.breakdown import NOT_TO_CONCLUDE

    table = result.table
    by = result.options.by
    whole = result.whole
    if output_format:
        print_table(output_format, table)
        return
    if full:
        from attribution.terminal.style import everything

        groups = {" ".join(str(row[name]) for name in by): row for row in table}
        everything(out(), {**groups, "all": whole, "notes": [*table.notes, *NOT_TO_CONCLUDE]})
        return
    kept = whole["agent_kept_30_days"]
    parts = [
        count_of(whole["lines"], "line"),
        f"agents at least {_percent(whole['agent_or_declared_share'])}",
        f"kept 30 days {_percent(kept)}" if kept is not None else "",
        f"USD {whole['cost_usd']:,.2f}" if whole["cost_usd"] is not None else "",
    ]
    print_title(", ".join(part for part in parts if part))
    for row in table:
        row["agents"] = _percent(row["agent_or_declared_share"], _half(row))
    rows = [{name: row[name] for name in (*by, *_NUMBERS)} for row in table]
    units = dict.fromkeys(_NUMBERS[2:5], "share") | {"agents": "amount", "agent": "agent"}
    shown = table_of(rows, units, [*table.notes, _FOOT])
    silent = () if any(row["agents"] for row in rows) else ("agents",)
    columns = [name for name in _COLUMNS if name not in silent]
    show_table(out(), shown, (*by, *columns), _SHOWN if out().is_terminal else None)
    out().print("whowrote report --by week · --html FILE · --full", style="dim")


_NUMBERS = [column.partition("=")[0].removesuffix("?") for column in _COLUMNS]


def _half(row: Row) -> float | None:
    """Half of the interval around the share of agents."""
    low, high = (row[f"agent_or_declared_share_{end}"] for end in ("low", "high"))
    return None if low is None or high is None else (high - low) / 2


def _percent(share: float | None, error: float | None = None) -> str:
    around = "" if error is None else f" ±{100 * error:.0f}"
    return "" if share is None else f"{100 * share:.0f} %{around}"


def _write(page: Path, text: str) -> None:
    with writing(page):
        page.write_text(text, "utf-8")
    notice(f"{page}: {len(text) // 1024} kB, open it in a browser")


def _period(text: str | None) -> tuple[int, str] | None:
    match = re.fullmatch(r"([1-9][0-9]{0,3})([dwm])", text or "")
    if text and not match:
        raise click.BadParameter(f"{text}: write for example 6w, 30d or 3m")
    return (int(match[1]), match[2]) if match else None


def _first_day(period: tuple[int, str] | None, until: datetime | None) -> str:
    """The first of the last weeks (from a Monday), days or months (from the first of one),
    today's or that of `until` included.
    """
    if period is None:
        return ""
    count, unit = period
    last = (until or datetime.now(UTC)).date()
    if unit == "m":
        year, month = divmod(last.year * 12 + last.month - count, 12)
        return f"{year:04}-{month + 1:02}-01"
    last -= timedelta(last.weekday()) if unit == "w" else timedelta(0)
    return (last - timedelta((count - 1) * (7 if unit == "w" else 1))).isoformat()


def _write_pages(index: Path, texts: Texts) -> None:
    _write(index, texts[index.name])
    others = [index.parent / name for name in texts if name != index.name]
    for file in others:
        with writing(file):
            file.parent.mkdir(exist_ok=True)
            file.write_text(texts[file.relative_to(index.parent).as_posix()], "utf-8")
    if others:
        notice(f"a page of each of the {len(others)} repositories is in {others[0].parent}")


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else ""


def _teams(file: Path) -> Texts:
    """Pattern of addresses -> team, in the order of the file."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        rows = csv.DictReader(opened)
        if not {"email", "team"} <= set(rows.fieldnames or ()):
            raise click.UsageError(f"{file}: the first line must name the columns email and team")
        return {
            row["email"].strip().lower(): (row["team"] or "").strip()
            for row in rows
            if row["email"] and row["team"]
        }


@click.command()
@database_option
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8001,
    show_default=True,
    help="Port to listen on; 0 picks a free one.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. Anything but the default exposes the database to other machines.",
)
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
def browse(db: Path, port: int, host: str, no_open: bool) -> None:
    """Explore a database in the browser.

    Shows repositories, files line by line, sessions, commits and every table. Needs
    whowrote[browse]. The pages load nothing from the network. The database is not changed, except
    that a full-text index of prompts is added where it can be written.

    The address has a token: without it nothing is shown, to other programs and users of this
    machine neither. Programs send it as the header "Authorization: Bearer TOKEN". Queries are
    limited in time, memory and size.
    """
    from attribution.browse.serve import serve

    def ready(address: str) -> None:
        notice(f"{db} is at {address}  (press Ctrl-C to stop)")
        if not no_open:
            click.launch(address)

    try:
        serve(db, host, port, ready)
    except KeyboardInterrupt:  # the usual end
        notice("stopped")


@click.command()
@click.argument("outcome", type=click.Choice(["repairs", "survival", "weaknesses"]))
@PATH
@database_option
@data_options
def compare(outcome: str, path: str | None, db: Path, output_format: str) -> None:
    """Compare agents' lines with others like them.

    Counts repairs, lines removed within 30 days, or weaknesses, per 1,000 lines of source files; a
    ratio is of the same month, size of commit, directory and language.
    Two controls say what chance does: authors drawn again among the commits that are compared, and
    an outcome that no author can influence. --json has every commit behind the numbers.
    """
    from attribution.ensure.history import follow_first
    from attribution.queries.compared import compare_tables

    with database(path, db, prepare=follow_first) as (store, repo):
        tables = compare_tables(store, outcome, repo)
    if output_format:
        print_tables(output_format, tables)
    else:
        from attribution.terminal.compared import compared_view

        compared_view(out(), tables)


REPORTS = (compare,)
COMMANDS = (report, browse)
