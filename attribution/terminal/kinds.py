"""Lines by kind of file, beside headlines that count source and test files only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import grid, number, percent, show, words
from collector.files.kinds import HEADLINE

if TYPE_CHECKING:
    from attribution.queries.coverage import KindLines


def kinds(console: Console, groups: Sequence[KindLines]) -> None:
    """The files that the headline leaves out, by kind."""
    if all(of.kind in HEADLINE for of in groups):
        return
    console.print()
    table = grid("<", ">", "<~")
    table.add_row(Text("by kind of file", "bold"), "", Text("only source and test are counted above", "dim"))
    for of in groups:
        shares = [f"{words(name)} {percent(lines, of.lines)}" for name, lines in of.by_class.items() if lines]
        table.add_row(f"  {of.kind}", number(of.lines), Text(", ".join(shares), "dim"))
    show(console, table)
