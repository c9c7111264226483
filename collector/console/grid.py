"""Tables without rules that fit the terminal: headers are wrapped, then texts truncated, then whole
columns left out and named.

All texts are escaped first, so nothing from a repository can control the terminal.
"""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, Group
from rich.segment import Segment
from rich.text import Text

from collector.console.terminal import one_line

_NARROW = 8  # cells of a flexible column that stay in any case
_BETWEEN = 2  # cells between two columns


@dataclass
class _Column:
    head: str
    is_right: bool  # aligned so
    is_flexible: bool  # may be truncated
    cells: list[Text] = field(default_factory=list)

    def content_width(self) -> int:
        return max((_width(cell.plain) for cell in self.cells), default=0)


class Grid:
    """A table without rules; `grid` makes it, `show` prints it."""

    def __init__(self, columns: Sequence[str], head: Sequence[str]) -> None:
        self.has_head = bool(head)
        self.columns = [
            _Column(name, ">" in sign, "~" in sign)
            for sign, name in zip_longest(columns, head, fillvalue="")
        ]

    def add_row(self, *cells: str | Text) -> None:
        for column, cell in zip(self.columns, cells, strict=True):
            column.cells.append(cell if isinstance(cell, Text) else Text(cell))


def plain(value: object) -> Text:
    """Formats any value as a safe line."""
    return Text(one_line("" if value is None else str(value)))


def cut(text: str, width: int) -> str:
    """The text, truncated with … if it is wider."""
    if cell_len(text) <= width:
        return text
    if width > 1:
        return set_cell_size(text, width - 1).rstrip() + "…"
    return ""


def grid(*columns: str, head: Sequence[str] = ()) -> Grid:
    """A column is "<" or ">" (its alignment); with "~" it may be truncated to fit."""
    return Grid(columns, head)


def show(console: Console, table: Grid, indent: int = 2) -> None:
    """Prints a grid.

    If it is too wide: wraps headers, then truncates flexible columns, then leaves out the last of
    the others.
    """
    columns = table.columns
    room = console.width - indent + _BETWEEN
    widths = _widths(columns)
    if sum(widths) > room:
        for column in columns:
            column.head = _wrap_header(column.head, column.content_width())
        widths = _widths(columns)
    left_out = []
    while sum(widths) > room:
        flexible = [
            i
            for i, column in enumerate(columns)
            if column.is_flexible and widths[i] > _NARROW + _BETWEEN
        ]
        if flexible:
            widths[max(flexible, key=lambda i: widths[i])] -= 1
            continue
        fixed = [i for i, column in enumerate(columns) if column.head and not column.is_flexible]
        if not fixed or not fixed[-1]:
            break
        left_out.append(" ".join(columns.pop(fixed[-1]).head.split()))
        widths = _widths(columns)
    for column, width in zip(columns, widths, strict=True):
        _tell_apart(column, width - _BETWEEN)
    print_whole(console, _lines(table, [width - _BETWEEN for width in widths], " " * indent))
    if left_out:
        text = (
            f"left out in {console.width} columns: {', '.join(reversed(left_out))} (a wider window"
            " or --csv shows them)"
        )
        console.print(Text(text, "dim"))


def _lines(table: Grid, widths: Sequence[int], indent: str) -> Iterator[Text]:
    signs = [(column.is_right, width) for column, width in zip(table.columns, widths, strict=True)]
    if table.has_head:
        heads = [column.head.split("\n") for column in table.columns]
        tallest = max(map(len, heads))
        for words in zip(*([""] * (tallest - len(head)) + head for head in heads), strict=True):
            yield _line([Text(word, "bold") for word in words], signs, indent)
        yield Text(indent + "─" * (sum(widths) + _BETWEEN * (len(widths) - 1)))
    for cells in zip(*(column.cells for column in table.columns), strict=True):
        if any("\n" in cell.plain for cell in cells):
            for parts in zip_longest(
                *(cell.split("\n", allow_blank=True) for cell in cells), fillvalue=Text()
            ):
                yield _line(parts, signs, indent)
        else:
            yield _line(cells, signs, indent)


def _line(cells: Iterable[Text], signs: Iterable[tuple[bool, int]], indent: str) -> Text:
    parts: list[str | Text] = [indent]
    for cell, (is_right, width) in zip(cells, signs, strict=True):
        if cell_len(cell.plain) > width:
            cell = cell.copy()
            cell.truncate(width, overflow="ellipsis")
        space = " " * (width - cell_len(cell.plain))
        parts += [space, cell] if is_right else [cell, space]
        parts.append(" " * _BETWEEN)
    line = Text.assemble(*parts[:-1])
    line.rstrip()  # nothing is padded
    return line


def print_whole(console: Console, lines: Iterable[Text]) -> None:
    """Prints lines, none wrapped or truncated."""
    console.print(Group(*map(_WholeLine, lines)), soft_wrap=True)


class _WholeLine:
    """A line as it is: rich goes through every character of a text to wrap it."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def __rich_console__(self, console: Console, _: ConsoleOptions) -> Iterator[Segment]:
        if console.color_system is None:
            yield Segment(self._text.plain + "\n")
        else:
            yield from self._text.render(console, end="\n")


def _widths(columns: Iterable[_Column]) -> list[int]:
    """Widths of the columns, with the space after each."""
    return [max(_width(column.head), column.content_width()) + _BETWEEN for column in columns]


def _wrap_header(header: str, width: int) -> str:
    """A header on several lines, as narrow as its longest word, or as the cells below it."""
    width = max(width, *map(cell_len, header.split()), 1) if header else 1
    return "\n".join(textwrap.wrap(header, width, break_long_words=False, break_on_hyphens=False))


def _tell_apart(column: _Column, width: int) -> None:
    """Truncates cells in the middle where only their ends tell them apart: models of one family,
    files of one directory.
    """
    wide = [cell for cell in column.cells if cell_len(cell.plain) > width]
    prose = any(" " in cell.plain.strip() for cell in wide)  # its beginning says most
    if prose or not column.is_flexible or width < _NARROW or len({cell.plain for cell in wide}) < 2:
        return
    if len({cut(cell.plain, width) for cell in column.cells}) == len(
        {cell.plain for cell in column.cells}
    ):
        return
    for cell in wide:
        front = width // 3
        back = width - front - 1
        cell.plain = cell.plain[:front] + "…" + cell.plain[len(cell.plain) - back :]


def _width(text: str) -> int:
    if "\n" in text:
        return max(map(cell_len, text.split("\n")))
    return cell_len(text)
