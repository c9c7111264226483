"""A database taken apart, on a terminal: one row per group, shares with their intervals, and what must not be concluded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.queries.breakdown import NOT_TO_CONCLUDE
from attribution.terminal.style import grid, notes, number, plain, show, title

if TYPE_CHECKING:
    from attribution.queries.breakdown import Breakdown, BreakdownRow, Share

_HEAD = (
    "lines",
    "commits",
    "coverage %",
    "agent %",
    "or declared %",
    "kept 30 d %",
    "at HEAD %",
    "USD per line",
    "found per 1,000",
)


def breakdown_view(console: Console, breakdown: Breakdown) -> None:
    title(console, "Who wrote the lines", f"by {', '.join(breakdown.options.by)}")
    table = grid(*"<" * len(breakdown.options.by), *">" * len(_HEAD), head=(*breakdown.options.by, *_HEAD))
    for row in breakdown.rows:
        table.add_row(*(plain(name) for name in row.group), *_cells(row))
    table.add_row(Text("all", "bold"), *("" for _ in breakdown.options.by[1:]), *_cells(breakdown.whole))
    show(console, table, 0)
    console.print(Text(_FOOT, "dim"))
    notes(console, [*breakdown.notes, *NOT_TO_CONCLUDE])


_FOOT = """\
Added non-blank lines of source and test files. coverage: lines with a named author, in commits with any sign of an agent.
kept: agents' lines that are still there 30 days later (Kaplan-Meier). 95 % intervals over commits; empty: too few, or not known."""


def _cells(row: BreakdownRow) -> tuple[str, ...]:
    weak = row.weaknesses
    rate = "" if weak is None or weak.rate is None else f"{weak.rate:.2f} ({weak.low:.2f} to {weak.high:.2f})"
    cost = "" if row.cost_per_line is None else f"{row.cost_per_line:.4f}"
    shares = (_share(row.coverage), _share(row.agent), _share(row.agent_or_declared), _share(row.kept), _share(row.present))
    return (number(row.total), number(row.commits), *shares, cost, rate)


def _share(share: Share | None) -> str:
    if share is None or share.value is None:
        return ""
    value = f"{100 * share.value:.0f}"
    return f"{value} ({100 * share.interval.low:.0f} to {100 * share.interval.high:.0f})" if share.interval else value
