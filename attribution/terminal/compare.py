"""How two databases differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import grid, number, plain, show
from collector.console.terminal import one_line

if TYPE_CHECKING:
    from collector.storage.compare import TableDifference


def difference_list(console: Console, found: Sequence[TableDifference]) -> None:
    """The tables that differ with examples of their rows, or one line when none does."""
    differing = [one for one in found if one.differs]
    for one in found:
        for which, columns in (("first", one.columns_first), ("second", one.columns_second)):
            if columns:
                console.print(Text(f"{one.table}: only the {which} has the columns {columns}; not compared", "dim"))
    if not differing:
        console.print(f"equal: {sum(one.rows for one in found)} rows in {len(found)} tables")
        return
    table = grid("<", ">", ">", ">", head=("table", "in both", "only in the first", "only in the second"))
    for one in differing:
        table.add_row(plain(one.table), number(one.rows), number(one.only_first), number(one.only_second))
    show(console, table)
    for one in differing:
        for sign, examples in (("-", one.examples_first), ("+", one.examples_second)):
            for text in examples:
                console.print(Text(one_line(f"{sign} {one.table}: {text}"), "dim"), soft_wrap=True)
