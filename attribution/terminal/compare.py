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


def difference_list(console: Console, differences: Sequence[TableDifference]) -> None:
    """The tables that differ with examples of their rows, or one line when none does."""
    differing = [difference for difference in differences if difference.differs]
    for difference in differences:
        for which, columns in (("first", difference.columns_first), ("second", difference.columns_second)):
            if columns:
                console.print(Text(f"{difference.table}: only the {which} has the columns {columns}; not compared", "dim"))
    if not differing:
        console.print(f"equal: {sum(difference.rows for difference in differences)} rows in {len(differences)} tables")
        return
    table = grid("<", ">", ">", ">", head=("table", "in both", "only in the first", "only in the second"))
    for difference in differing:
        table.add_row(
            plain(difference.table), number(difference.rows), number(difference.only_first), number(difference.only_second)
        )
    show(console, table)
    for difference in differing:
        for sign, examples in (("-", difference.examples_first), ("+", difference.examples_second)):
            for text in examples:
                console.print(Text(one_line(f"{sign} {difference.table}: {text}"), "dim"), soft_wrap=True)
