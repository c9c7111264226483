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


def stats_view(console: Console, found: RangeStats) -> None:
    title(console, found.repo, found.range)
    merges = f", {number(found.merges)} of them merges" if found.merges else ""
    console.print(
        Text(f"{number(found.commits)} commits{merges}; {number(found.with_sessions)} with lines of recorded sessions", "dim")
    )
    if found.not_in_database:
        console.print(Text.assemble(("note: ", "yellow"), _ABSENT.format(number(found.not_in_database))))
    console.print()
    if not found.total:
        console.print(Text("no lines were added to source and test files", "dim"))
    else:
        _classes(console, found)
    kinds(console, found.kinds)
    if found.models:
        console.print()
        table = grid("<", "<~", ">", ">", head=("agent", "model", "sessions", "lines"))
        for row in found.models:
            table.add_row(one_line(label_of(row.agent)), plain(row.model), number(row.sessions), number(row.lines))
        show(console, table)


def _classes(console: Console, found: RangeStats) -> None:
    console.print(Text.assemble((f"{number(found.total)} lines", "bold"), " added to source and test files"))
    table = grid("<", ">", ">", "<")
    for name in STYLE:
        lines = found.lines[name]
        if lines:
            table.add_row(Text(words(name), STYLE[name]), number(lines), percent(lines, found.total), bar(name, lines, found.total))
    show(console, table)
    because = ", ".join(f"{words(reason)} {number(lines)}" for reason, lines in list(found.unknown_because.items())[:3] if lines)
    if because:
        console.print(Text(f"  unknown because: {because}", "dim"))
    audited(console, *(name for name, lines in found.lines.items() if lines))
