"""The tables of a study, as `whowrote study` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import grid, notes, plain, show, title, words

if TYPE_CHECKING:
    from attribution.study.model import StudyTable


def study_view(console: Console, tables: Sequence[StudyTable]) -> None:
    for table in tables:
        title(console, table.title, table.name)
        if table.rows:
            columns = table.columns()
            numbers = {name: any(isinstance(row.get(name), int | float) for row in table.rows) for name in columns}
            view = grid(*(">" if numbers[name] else "<~" for name in columns), head=[words(name) for name in columns])
            for row in table.rows:
                view.add_row(*(_cell(row.get(name)) for name in columns))
            show(console, view)
        else:
            console.print(Text("  no data", "dim"))
        notes(console, table.notes)
        console.print()


def _cell(value: Any) -> Text:
    if isinstance(value, bool) or not isinstance(value, float):
        return plain(f"{value:,}" if isinstance(value, int) else value)
    return plain(f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}")
