"""What the commands share: tables on a terminal, data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from collector.console.terminal import one_line, out, write_csv, write_json

if TYPE_CHECKING:
    from rich.table import Table


def print_table(output_format: str, rows: list[dict[str, Any]], columns: Sequence[str], end: str) -> None:
    if output_format == "json":
        write_json(rows)
    elif output_format == "csv":
        write_csv(list(rows[0]) if rows else columns, rows)
    else:
        console = out()
        console.print(_table(rows, columns))
        console.print(end, style="dim")


def shown_size(size: int | None) -> str:
    """Bytes for people."""
    value, units = float(size or 0), ["B", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(units) > 1:
        value /= 1024
        del units[0]
    return f"{value:.0f} {units[0]}" if units[0] in ("B", "KiB") else f"{value:.1f} {units[0]}"


def _table(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(
            name.replace("_", " "), no_wrap=name in ("checkpoint", "stored", "layout", "kind", "name"), overflow="fold"
        )
    for row in rows:
        table.add_row(*(Text(one_line(str(row[name] if row[name] is not None else ""))) for name in columns))
    return table
