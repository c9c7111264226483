"""One function that reads any table or view of the schema, with what its columns mean and what they
are counted in.

Their comments are read from the SQL text of the schema; docs/schema.md and the descriptions that
Datasette shows are made from them, too. A comment may end with the unit of the column in brackets:
`what its calls cost [USD]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from collector.json_values import Row, Texts
from collector.storage.schema import PARTS, names_in, part_sql, schema_sql
from collector.text import first_group

if TYPE_CHECKING:
    from collector.storage.store import Store


_SECTION = re.compile(r"^-- === (.*) ===$")
_TABLE = re.compile(r"^CREATE TABLE IF NOT EXISTS (\w+) \($")
_VIEW = re.compile(r"^CREATE VIEW IF NOT EXISTS (\w+) AS$")
_COLUMN = re.compile(r"^  (\w+) ([A-Z]+)\b[^-]*(?:[^-]|-(?!-))*?-- (.*)$")
_VIEW_COLUMN = re.compile(r"^--   (\w+|\*): (.*)$")
_UNIT = re.compile(r" \[([^\[\]]+)\]$")
_NULL = re.compile(r"\bNULL (.+?)(?:;|$)")
_REFERENCE = re.compile(r"REFERENCES (\w+)\((\w+)\)")


@dataclass(frozen=True)
class Column:
    name: str
    type: str  # integer, text, real, blob; "" for columns of views
    comment: str
    references: str = ""  # the table it points to

    @property
    def unit(self) -> str:
        """What the values are counted in or how they are written, like USD, share, UTC, sha,
        word, list.
        """
        return first_group(_UNIT.search(self.comment))

    @property
    def meaning(self) -> str:
        """The comment without the unit."""
        return _UNIT.sub("", self.comment)

    @property
    def null_reason(self) -> str:
        """When there is no value, in the words of the comment; "" where it does not say."""
        return first_group(_NULL.search(self.meaning))


@dataclass
class Section:
    """A part of the schema."""

    title: str
    text: str = ""


@dataclass
class SchemaTable:
    name: str
    section: Section
    comment: str
    is_view: bool = False
    columns: list[Column] = field(default_factory=list)


def tables(sql: str = "") -> list[SchemaTable]:
    """In the order of the schema (default: that of the program)."""
    reader = _Reader()
    for line in (sql or schema_sql()).splitlines():
        reader.read(line)
    return reader.tables


def described(name: str) -> SchemaTable:
    """One table or view, without reading the other parts of the schema.

    Raises StopIteration when there is none of that name.
    """
    part = next(part for part in PARTS if name in names_in(part))
    return next(table for table in tables(part_sql(part)) if table.name == name)


class _Reader:
    """Line by line: comments wait for what they describe."""

    def __init__(self) -> None:
        self.tables: list[SchemaTable] = []
        self._section = Section("")
        self._comment: list[str] = []
        self._columns: list[Column] = []  # of a view
        self._in_title = self._in_table = False

    def read(self, line: str) -> None:
        if title := _SECTION.match(line):
            self._section = Section(title[1])
            self._in_title = True
        elif not line:
            if self._in_title:
                self._section.text = " ".join(self._comment)
                self._in_title = False
            self._comment = []
            self._columns = []
        elif self._in_table:
            self._table_line(line)
        elif column := _VIEW_COLUMN.match(line):
            self._view_column(column[1], column[2])
        elif line.startswith("-- "):
            self._comment.append(line[3:])
        elif created := _TABLE.match(line) or _VIEW.match(line):
            self._in_table = line.startswith("CREATE TABLE")
            text = " ".join(self._comment)
            is_view = not self._in_table
            self.tables.append(SchemaTable(created[1], self._section, text, is_view, self._columns))
            self._comment = []
            self._columns = []

    def _table_line(self, line: str) -> None:
        if line.startswith(")"):
            self._in_table = False
        elif column := _COLUMN.match(line):
            reference = first_group(_REFERENCE.search(line))
            self.tables[-1].columns.append(
                Column(column[1], column[2].lower(), column[3], reference)
            )
        elif line.startswith("    -- "):  # the comment goes on
            columns = self.tables[-1].columns
            columns[-1] = replace(columns[-1], comment=f"{columns[-1].comment} {line[7:]}")

    def _view_column(self, name: str, text: str) -> None:
        if name == "*":
            whole = next((table for table in self.tables if table.name == text), None) or described(
                text
            )
            self._columns += [Column(c.name, "", c.comment, c.references) for c in whole.columns]
        else:
            self._columns.append(Column(name, "", text))


# --- what the schema says -------------------------------------------------------------------------


LISTS = ("list", "agents")
"""Units of columns that hold a list, as JSON in the database."""


@dataclass
class Table:
    """Rows with the meaning of their columns. `collector/console/tables.py` prints it."""

    name: str
    title: str  # what a row is
    columns: list[Column]
    rows: list[Row]
    notes: list[str] = field(default_factory=list)  # what must be said beside the rows

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> Column:
        """Raises KeyError, with the names that there are."""
        columns = {column.name: column for column in self.columns}
        if name not in columns:
            raise KeyError(f"{self.name} has no column {name}, only {', '.join(columns)}")
        return columns[name]


def table_of(
    rows: Sequence[Row],
    units: Texts | None = None,
    notes: Sequence[str] = (),
    name: str = "",
    title: str = "",
) -> Table:
    """Rows that no view of the schema holds.

    `units`: column -> what it is counted in, for the columns that have a unit.

    Every row has every column in the end.
    """
    names = dict.fromkeys(column for row in rows for column in row)
    columns = [
        Column(column, "", f" [{units[column]}]" if units and column in units else "")
        for column in names
    ]
    return Table(
        name,
        title,
        columns,
        [{column: row.get(column) for column in names} for row in rows],
        list(notes),
    )


def described_view(name: str) -> Table:
    """A table or view of the schema without its rows."""
    about = described(name)
    return Table(name, about.comment, about.columns, [])


def read_view(
    store: Store,
    name: str,
    only: Row | None = None,
    order: str = "",
    most: int | None = None,
) -> Table:
    """The rows of a table or view of the schema.

    `only`: column -> its value, or a list of them; None stands for every value. `order` is an ORDER
    BY of names of columns. Raises DatabaseUnusable.
    """
    table = described_view(name)
    conditions, values = _conditions(only or {})
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    ordered = f" ORDER BY {order}" if order else ""
    limited = f" LIMIT {most:d}" if most is not None else ""
    table.rows = store.rows(f"SELECT {names} FROM {name}{conditions}{ordered}{limited}", values)
    for column in table.columns:
        if column.unit in LISTS:
            for row in table.rows:
                row[column.name] = json.loads(row[column.name] or "[]")
    return table


def _conditions(only: Row) -> tuple[str, list[Any]]:
    """WHERE with its values.

    A list is written out: SQLite then finds the rows of a view before it groups them.
    """
    parts = []
    values = []
    for name, value in only.items():
        if value is None:
            continue
        several = (
            list(value)
            if isinstance(value, Sequence | set) and not isinstance(value, str)
            else [value]
        )
        parts.append(f'"{name}" IN ({", ".join("?" * len(several))})')
        values += several
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), values
