"""Lists: problems, checks, sessions, repositories that failed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import grid, number, plain, show, title
from collector.console.terminal import one_line

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
            records(console, check.rows)


def records(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    if not rows:
        return
    table = grid(*("<~" for _ in rows[0]), head=tuple(rows[0]))
    for row in rows:
        table.add_row(*(plain(v) for v in row.values()))
    show(console, table)


def failures(console: Console, failed: Iterable[tuple[str, str, str]]) -> None:
    """(path, message, hint) of repositories that could not be attributed."""
    for path, message, hint in failed:
        console.print(Text.assemble(("failed ", "bold red"), one_line(path), ": ", one_line(message)))
        for line in hint.split("\n") if hint else ():
            console.print(Text("       " + one_line(line), "dim"), soft_wrap=True)  # commands are there to be copied
