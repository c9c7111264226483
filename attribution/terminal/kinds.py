"""Lines by kind of file, beside headlines that count source and test files only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from collector.console.tables import show_table
from collector.files.kinds import HEADLINE

if TYPE_CHECKING:
    from rich.console import Console

    from collector.storage.views import Table


def kinds(console: Console, table: Table) -> None:
    """Lines by kind of file, where there are kinds that the headline leaves out."""
    if all(row["kind"] in HEADLINE for row in table):
        return
    console.print()
    console.print(Text.assemble("  ", ("by kind of file", "bold"), ("  only source and test are counted above", "dim")))
    show_table(console, table, ("kind", "lines", "classes=written by"), indent=2)
