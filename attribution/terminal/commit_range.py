"""Commits of a range, one below the other or added up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import audited, class_bars, dim, kinds, notes, number, title, words
from collector.console.tables import show_table

if TYPE_CHECKING:
    from attribution.queries.commit_range import RangeStats

_ABSENT = "{} commits are not attributed and not counted: attribute their branch first"


def stats_view(console: Console, range_stats: RangeStats) -> None:
    title(console, range_stats.repo, range_stats.range)
    merges = f", {number(range_stats.merges)} of them merges" if range_stats.merges else ""
    linked = f"{number(range_stats.with_sessions)} with lines of recorded sessions"
    dim(console, f"{number(range_stats.commits)} commits{merges}; {linked}")
    if range_stats.not_in_database:
        notes(console, [_ABSENT.format(number(range_stats.not_in_database))])
    console.print()
    if not range_stats.total:
        console.print(Text("no lines were added to source and test files", "dim"))
    else:
        _classes(console, range_stats)
    kinds(console, range_stats.kinds)
    if len(range_stats.models):
        console.print()
        show_table(console, range_stats.models, indent=2)


def _classes(console: Console, range_stats: RangeStats) -> None:
    console.print(Text.assemble((f"{number(range_stats.total)} lines", "bold"), " added to source and test files"))
    class_bars(console, range_stats.lines)
    because = ", ".join(
        f"{words(reason)} {number(lines)}" for reason, lines in list(range_stats.unknown_because.items())[:3] if lines
    )
    if because:
        console.print(Text(f"  unknown because: {because}", "dim"))
    audited(console, *(name for name, lines in range_stats.lines.items() if lines))
