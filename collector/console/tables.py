"""One printer for every table: on a terminal, as JSON, as CSV, as HTML.

JSON and CSV have every column; a terminal and a page show the columns that the caller names, with
the same text in each cell. Names are a list, or one text such as "started_at, agent". Among them
`classes` stands for the lines by class in one cell, `repo?` for a column that is left out where it
says nothing, and `label=session` for a column with another heading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from collector.console.formats import LETTER, STYLE, cut, minute, percent, words
from collector.console.terminal import one_line, out, write_csv, write_json
from collector.json_values import Row
from collector.storage.views import Column
from collector.text import printable, split_names
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LINE_CLASSES

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from collector.storage.views import Table

CLASSES = "classes"
_MOST_CLASSES = 3  # of one row on a terminal
_CELL = 200  # characters of a cell on a page
_NOT_KNOWN = "not attributed"
_FIXED = ("UTC", "date", "sha", "key", "word")  # units of texts that are never truncated
_ADDED = Column(
    CLASSES,
    "",
    "the authors of these lines: " + ", ".join(f"{LETTER[name]} {name}" for name in LINE_CLASSES),
)
Cell = Callable[[Row], str]


def print_table(output_format: str, table: Table, columns: Sequence[str] = ()) -> None:
    """Prints a table in a format of `data_options`; on a terminal these columns (default: all)
    and its notes.
    """
    if output_format == "json":
        write_json(table.rows)
    elif output_format == "csv":
        write_csv([column.name for column in table.columns], table.rows)
    else:
        console = out()
        with pager(console):
            show_table(console, table, columns)


@contextmanager
def pager(console: Console) -> Iterator[None]:
    """Shows what is printed page by page where it is longer than the terminal, as git does."""
    if not console.is_terminal or console.record:
        yield
        return
    import click

    with console.capture() as taken:
        yield
    text = taken.get()
    if text.count("\n") >= console.height:
        click.echo_via_pager(text, color=True)
    else:
        console.file.write(text)


def print_tables(output_format: str, tables: Sequence[Table]) -> None:
    """Prints several tables, each below its title; in CSV the first column of a row is the name
    of its table.
    """
    if output_format == "json":
        write_json(
            [
                {"name": table.name, "title": table.title, "rows": table.rows, "notes": table.notes}
                for table in tables
            ]
        )
    elif output_format == "csv":
        columns = dict.fromkeys(column.name for table in tables for column in table.columns)
        write_csv(
            ["table", *columns], ({"table": table.name, **row} for table in tables for row in table)
        )
    else:
        for table in tables:
            print_title(table.title, table.name)
            show_table(out(), table)
            out().print()


def print_title(title: str, name: str = "") -> None:
    """The heading of a table on a terminal."""
    from rich.text import Text

    out().print(
        Text.assemble((one_line(title), "bold"), (f"  {one_line(name)}" if name else "", "dim"))
    )


class Shown(NamedTuple):
    column: Column
    heading: str

    @property
    def name(self) -> str:
        return self.column.name


def chosen(table: Table, names: Sequence[str] = ()) -> list[Shown]:
    """The columns of these names, a list or "a, b", without those that are marked with `?` and say
    nothing; by default every column.
    """
    columns = []
    for name, _, title in (
        name.partition("=") for name in split_names(names) or [each.name for each in table.columns]
    ):
        if name.endswith("?") and not _says_something(table, name.removesuffix("?")):
            continue
        column = _ADDED if name == CLASSES else table.column(name.removesuffix("?"))
        columns.append(Shown(column, title or heading(column)))
    return columns


def _says_something(table: Table, name: str) -> bool:
    """Whether a column has a number other than 0, or texts that differ or are in some rows only."""
    values = [row[name] or "" for row in table.rows]
    texts = {value for value in values if isinstance(value, str)}
    return len(texts) > 1 or any(value and not isinstance(value, str) for value in values)


def heading(column: Column) -> str:
    """The name of a column as people write it, with its unit where the values do not show it."""
    name = re.sub("ed_at$", "ed", column.name)
    if column.unit == "USD":
        name = name.removesuffix("_usd")
    return name.removesuffix("_sha").replace("_", " ") + (" USD" if column.unit == "USD" else "")


def cell_text(column: Column, value: Any) -> str:
    """A value as a terminal and a page show it; "" for None."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(
            (label_of(item) or item) if column.unit == "agents" else str(item) for item in value
        )
    if isinstance(value, int | float):
        return _number_text(column.unit, value)
    by_unit: dict[str, Callable[[str], str]] = {
        "UTC": minute,
        "date": lambda text: text[:10],
        "sha": lambda text: text[:9],
        "key": lambda text: text[:13],  # the first part of an id that begins with the time
        "word": words,
        "agent": lambda text: label_of(text) or text,
    }
    return by_unit.get(column.unit, str)(str(value))


def _interval_text(column: Column, row: Row) -> str:
    """The interval around a value, where the row has columns for its ends."""
    low = row.get(f"{column.name}_low")
    high = row.get(f"{column.name}_high")
    if low is None or high is None:
        return ""
    if column.unit == "share":
        return f" ({100 * low:.0f} to {100 * high:.0f})"
    return f" ({low:.2f} to {high:.2f})"


def _number_text(unit: str, value: float) -> str:
    if unit == "share":
        return percent(value, 1)
    if unit == "bytes":
        return f"{value / 1_000_000:.1f} MB"
    if unit == "%":
        return f"{value:.1f} %"
    if isinstance(value, int):
        return f"{value:,}"
    if unit == "USD" or abs(value) >= 10 or not value:
        return f"{value:,.2f}" if unit == "USD" or abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) >= 0.001 else f"{value:.1e}"


def class_shares(row: Row) -> list[tuple[str, str]]:
    """The classes that a row has lines of, most lines first, each with its share in words."""
    lines = {name: row.get(name) or 0 for name in LINE_CLASSES}
    whole = sum(lines.values())
    return [
        (name, _share(lines[name], whole))
        for name in sorted(lines, key=lambda name: -lines[name])
        if lines[name]
    ]


def _share(part: int, whole: int) -> str:
    share = 100 * part / whole
    if share < 1:
        return "<1%"
    if 99 < share < 100:
        return ">99%"
    return f"{share:.0f}%"


def _classes_text(row: Row) -> str:
    if row[LINE_CLASSES[0]] is None:
        return _NOT_KNOWN
    return " ".join(f"{LETTER[name]} {share}" for name, share in class_shares(row))


def show_table(
    console: Console,
    table: Table,
    names: Sequence[str] = (),
    most: int | None = None,
    indent: int = 0,
) -> None:
    """Prints a table on a terminal, `most` rows of it, with its notes."""
    from rich.text import Text

    from collector.console.grid import grid, show

    if not table.rows:
        for note in table.notes or ["none"]:
            console.print(Text(" " * indent + one_line(note), "dim"))
        return
    columns = chosen(table, names)
    drawn = grid(
        *(_alignment(table, choice.column) for choice in columns),
        head=[choice.heading for choice in columns],
    )
    for row in table.rows[:most]:
        drawn.add_row(*(_terminal_cell(choice.column, row) for choice in columns))
    show(console, drawn, indent)
    notes = [*table.notes]
    if most is not None and len(table) > most:
        notes.insert(0, f"and {len(table) - most:,} more; for all of them: --csv or --json")
    if any(choice.column is _ADDED for choice in columns):
        classes = [name for name in LINE_CLASSES if any(row.get(name) for row in table.rows)]
        notes.insert(0, ", ".join(f"{LETTER[name]} {words(name)}" for name in classes))
    for note in notes:
        console.print(Text(" " * indent + one_line(note), "dim"))


def _alignment(table: Table, column: Column) -> str:
    if is_number(table, column):
        return ">"
    if column.unit in _FIXED or column is _ADDED:
        return "<"
    return "<~"


def is_number(table: Table, column: Column) -> bool:
    """Whether the values of a column are numbers, as far as there are any, or texts of numbers
    (unit `amount`).
    """
    kinds = {type(row.get(column.name)) for row in table.rows} - {type(None)}
    return column.unit == "amount" or (bool(kinds) and kinds <= {bool, int, float})


def _terminal_cell(column: Column, row: Row) -> Text:
    from rich.text import Text

    if column is not _ADDED:
        style = STYLE.get(row[column.name], "") if column.unit == "class" else ""
        return Text(
            one_line(cell_text(column, row[column.name]) + _interval_text(column, row)), style
        )
    shares = class_shares(row)
    if row[LINE_CLASSES[0]] is None:
        return Text(_NOT_KNOWN, "red")
    parts = [(f"{LETTER[name]} {share:<5}", STYLE[name]) for name, share in shares[:_MOST_CLASSES]]
    return Text.assemble(*parts, "…" if len(shares) > _MOST_CLASSES else "")


class TableHtml(str):
    """A table as HTML, which has its rows for the JSON form of a page."""

    columns: Sequence[Column]
    rows: Sequence[Row]


def html(
    table: Table, names: Sequence[str] = (), cells: Mapping[str, Cell] | None = None
) -> TableHtml:
    """The table as HTML; `cells`: column -> a function that makes the markup of its cell from a
    row: a link, a bar.
    """
    renderers = {CLASSES: lambda row: escape(_classes_text(row)), **(cells or {})}
    styled = [
        (choice.column, _style(table, choice.column), choice.heading)
        for choice in chosen(table, names)
    ]
    head = "".join(
        f'<th{style} title="{escape(column.meaning)}">{escape(title)}</th>'
        for column, style, title in styled
    )
    rows = (
        "".join(
            f"<td{style}>{_page_cell(column, row, renderers)}</td>" for column, style, _ in styled
        )
        for row in table.rows
    )
    body = "\n".join(f"<tr>{cells_of_row}</tr>" for cells_of_row in rows)
    notes = "".join(f'<p class="dim">{escape(printable(note))}</p>' for note in table.notes)
    result = TableHtml(
        f'<div class="scroll"><table class="ww-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>\n{body}</tbody></table></div>{notes}"
    )
    result.columns = table.columns
    result.rows = table.rows
    return result


def _style(table: Table, column: Column) -> str:
    if is_number(table, column):
        return ' class="n"'
    if column.unit in ("UTC", "date"):
        return ' class="when"'
    return ""


def _page_cell(column: Column, row: Row, renderers: Mapping[str, Cell]) -> str:
    if column.name in renderers:
        return renderers[column.name](row)
    if row[column.name] is None:
        return f'<span class="dim" title="{escape(column.null_reason or "not known")}">–</span>'
    return escape(cut(cell_text(column, row[column.name]) + _interval_text(column, row), _CELL))
