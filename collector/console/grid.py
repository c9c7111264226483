"""Tables without rules that fit the terminal: headers are wrapped, then texts truncated, then whole columns left out and named.

All texts are escaped first, so nothing from a repository can control the terminal.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from collector.console.terminal import one_line

_NARROW = 8  # cells of a flexible column that stay in any case
_BETWEEN = 2  # cells between two columns
_LONG = 200  # rows from which a table is printed row by row


def plain(value: object) -> Text:
    """Formats any value as a safe line."""
    return Text(one_line("" if value is None else str(value)))


def cut(text: str, width: int) -> str:
    """The text, truncated with … if it is wider."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…" if width > 1 else ""


def grid(*columns: str, head: Sequence[str] = ()) -> Table:
    """A table without rules. A column is "<" or ">" (its alignment); with "~" it may be truncated to fit."""
    table = Table(
        box=box.SIMPLE_HEAD if head else None,
        show_header=bool(head),
        show_edge=False,
        pad_edge=False,
        padding=(0, 1 if head else 2, 0, 0),
    )
    for i, column in enumerate(columns):
        flexible = "~" in column
        table.add_column(
            head[i] if head else "",
            justify="right" if ">" in column else "left",
            no_wrap=True,
            overflow="ellipsis" if flexible else "fold",
            header_style="bold",
        )
    return table


def show(console: Console, table: Table, indent: int = 2) -> None:
    """Prints a grid. If it is too wide: wraps headers, then truncates flexible columns, then leaves out the last of the others."""
    room = console.width - indent + _BETWEEN
    widths = _widths(table)
    if sum(widths) > room:
        for column in table.columns:
            column.header = _wrap_header(str(column.header), max((_width(cell) for cell in column.cells), default=0))
        widths = _widths(table)
    left_out = []
    while sum(widths) > room:
        flexible = [i for i in _flexible(table) if widths[i] > _NARROW + _BETWEEN]
        if flexible:
            widths[max(flexible, key=lambda i: widths[i])] -= 1
        elif (last := _least_needed(table)) is not None:
            left_out.append(" ".join(str(table.columns.pop(last).header).split()))
            widths = _widths(table)
        else:
            break
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width - _BETWEEN
        _tell_apart(column, column.width)
    if table.row_count < _LONG or sum(widths) > room or not _has_single_lines(table):
        console.print(Padding(table, (0, 0, 0, indent), expand=False))
    else:
        _print_long(console, table, indent)
    if left_out:
        text = f"left out in {console.width} columns: {', '.join(reversed(left_out))} (a wider window or --csv shows them)"
        console.print(Text(text, "dim"))


def _has_single_lines(table: Table) -> bool:
    return not any("\n" in (cell.plain if isinstance(cell, Text) else str(cell)) for c in table.columns for cell in c.cells)


def _print_long(console: Console, table: Table, indent: int) -> None:
    """A table as rich prints it, in a tenth of the time: the widths are known and no cell is wrapped."""
    if table.show_header:
        head = Table(box=table.box, show_edge=False, pad_edge=False, padding=table.padding)
        for column in table.columns:
            head.add_column(column.header, justify=column.justify, no_wrap=True, header_style="bold", width=column.width)
        console.print(Padding(head, (0, 0, 0, indent), expand=False))
    columns = [[_fit_cell(cell, column) for cell in column.cells] for column in table.columns]
    console.print(Group(*(_PrintedRow(cells, indent) for cells in zip(*columns, strict=True))), soft_wrap=True)


class _PrintedRow:
    """A row of cells of their final widths."""

    def __init__(self, cells: Sequence[str | Text], indent: int) -> None:
        self._cells, self._indent = cells, indent

    def __rich_console__(self, console: Console, _: ConsoleOptions) -> Iterator[Segment]:
        waiting = [" " * self._indent]  # texts without a style are one segment
        for number, cell in enumerate(self._cells):
            waiting.append(" " * _BETWEEN if number else "")
            if isinstance(cell, str):
                waiting.append(cell)
                continue
            yield Segment("".join(waiting))
            waiting.clear()
            yield from Text().join([cell]).render(console)
        yield Segment("".join([*waiting, "\n"]))


def _fit_cell(cell: RenderableType, column: Column) -> str | Text:
    """A cell, truncated or padded to the width of its column; a string when it has no style."""
    width, right = column.width or 0, column.justify == "right"
    text = cell if isinstance(cell, Text) else Text(str(cell))
    free = width - cell_len(text.plain)
    if free >= 0 and not text.style and not text.spans:
        return " " * free + text.plain if right else text.plain + " " * free
    text = text.copy()
    text.truncate(width, overflow="ellipsis")
    free = width - cell_len(text.plain)
    (text.pad_left if right else text.pad_right)(free)
    return text


def _widths(table: Table) -> list[int]:
    """Widths of the columns, with the space after each."""
    return [max(_width(cell) for cell in (column.header, *column.cells)) + _BETWEEN for column in table.columns]


def _flexible(table: Table) -> list[int]:
    return [i for i, column in enumerate(table.columns) if column.overflow == "ellipsis"]


def _least_needed(table: Table) -> int | None:
    """The last column that has a header, is not flexible and not the first."""
    flexible = _flexible(table)
    return next((i for i in range(len(table.columns) - 1, 0, -1) if table.columns[i].header and i not in flexible), None)


def _wrap_header(header: str, width: int) -> str:
    """A header on several lines, as narrow as its longest word, or as the cells below it."""
    width = max(width, *map(cell_len, header.split()), 1) if header else 1
    return "\n".join(textwrap.wrap(header, width, break_long_words=False, break_on_hyphens=False))


def _tell_apart(column: Column, width: int) -> None:
    """Truncates cells in the middle where only their ends tell them apart: models of one family, files of one directory."""
    cells = [cell for cell in column.cells if isinstance(cell, Text)]
    wide = [cell for cell in cells if cell_len(cell.plain) > width]
    if column.overflow != "ellipsis" or width < _NARROW or len({cell.plain for cell in wide}) < 2:
        return
    if len({cut(cell.plain, width) for cell in cells}) == len({cell.plain for cell in cells}):
        return
    for cell in wide:
        front = width // 3
        back = width - front - 1
        cell.plain = cell.plain[:front] + "…" + cell.plain[len(cell.plain) - back :]


def _width(cell: object) -> int:
    text = cell.plain if isinstance(cell, Text) else str(cell)
    return max(map(cell_len, text.split("\n"))) if "\n" in text else cell_len(text)
