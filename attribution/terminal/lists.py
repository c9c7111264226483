"""Lists: checks, repositories that failed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import grid, number, plain, show, title
from collector.console.tables import show_table
from collector.console.terminal import one_line
from collector.storage.views import table_of

if TYPE_CHECKING:
    from attribution.queries.checks import Check


def check_list(console: Console, checks: Sequence[Check]) -> None:
    table = grid("<", "<", "<~")
    for check in checks:
        state = Text("OK", "green") if not check.broken else Text(f"BROKEN in {number(check.broken)} rows", "bold red")
        table.add_row(state, plain(check.name), Text(one_line(check.promise), "dim"))
    show(console, table, 0)
    for check in checks:
        if check.broken:
            console.print()
            title(console, check.name, "first rows")
            show_table(console, table_of(check.rows), indent=2)


def failures(console: Console, failed: Iterable[tuple[str, str, str]]) -> None:
    """(path, message, hint) of repositories that could not be attributed."""
    for path, message, hint in failed:
        console.print(Text.assemble(("failed ", "bold red"), one_line(path), ": ", one_line(message)))
        for line in hint.split("\n") if hint else ():
            console.print(Text("       " + one_line(line), "dim"), soft_wrap=True)  # commands are there to be copied
