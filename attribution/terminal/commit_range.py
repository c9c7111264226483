"""Commits of a range, one below the other or added up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.kinds import kinds
from attribution.terminal.style import STYLE, audited, bar, grid, number, percent, plain, show, title, words
from collector.console.terminal import one_line
from collector.vocabulary.agents import label_of

if TYPE_CHECKING:
    from attribution.queries.commit_range import RangeStats

_ABSENT = "{} commits are not attributed and not counted: attribute their branch first"


def stats_view(console: Console, range_stats: RangeStats) -> None:
    title(console, range_stats.repo, range_stats.range)
    merges = f", {number(range_stats.merges)} of them merges" if range_stats.merges else ""
    console.print(
        Text(
            f"{number(range_stats.commits)} commits{merges}; {number(range_stats.with_sessions)} with lines of recorded sessions",
            "dim",
        )
    )
    if range_stats.not_in_database:
        console.print(Text.assemble(("note: ", "yellow"), _ABSENT.format(number(range_stats.not_in_database))))
    console.print()
    if not range_stats.total:
        console.print(Text("no lines were added to source and test files", "dim"))
    else:
        _classes(console, range_stats)
    kinds(console, range_stats.kinds)
    if range_stats.models:
        console.print()
        table = grid("<", "<~", ">", ">", head=("agent", "model", "sessions", "lines"))
        for row in range_stats.models:
            table.add_row(one_line(label_of(row.agent)), plain(row.model), number(row.sessions), number(row.lines))
        show(console, table)


def _classes(console: Console, range_stats: RangeStats) -> None:
    console.print(Text.assemble((f"{number(range_stats.total)} lines", "bold"), " added to source and test files"))
    table = grid("<", ">", ">", "<")
    for name in STYLE:
        lines = range_stats.lines[name]
        if lines:
            table.add_row(
                Text(words(name), STYLE[name]),
                number(lines),
                percent(lines, range_stats.total),
                bar(name, lines, range_stats.total),
            )
    show(console, table)
    because = ", ".join(
        f"{words(reason)} {number(lines)}" for reason, lines in list(range_stats.unknown_because.items())[:3] if lines
    )
    if because:
        console.print(Text(f"  unknown because: {because}", "dim"))
    audited(console, *(name for name, lines in range_stats.lines.items() if lines))
