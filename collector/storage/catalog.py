"""The tables, views and columns of the database with their comments, read from the SQL text of the schema.

docs/schema.md, the descriptions that Datasette shows and the columns of every printed table are made from it. Pure but for reading
that text. A comment may end with the unit of the column in brackets: `what its calls cost [USD]`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from collector.storage.schema import PARTS, names_in, part_sql, schema_sql

_SECTION = re.compile(r"^-- === (.*) ===$")
_TABLE = re.compile(r"^CREATE TABLE IF NOT EXISTS (\w+) \($")
_VIEW = re.compile(r"^CREATE VIEW IF NOT EXISTS (\w+) AS$")
_COLUMN = re.compile(r"^  (\w+) ([A-Z]+)\b[^-]*(?:[^-]|-(?!-))*?-- (.*)$")
_VIEW_COLUMN = re.compile(r"^--   (\w+|\*): (.*)$")
_UNIT = re.compile(r" \[([^\[\]]+)\]$")
_NULL = re.compile(r"\bNULL (.+?)(?:;|$)")
_REFERENCE = re.compile(r"REFERENCES (\w+)\((\w+)\)")


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str  # integer, text, real, blob; "" for columns of views
    comment: str
    references: str = ""  # the table it points to

    @property
    def unit(self) -> str:
        """What the values are counted in or how they are written, like USD, share, UTC, sha, word, list."""
        unit = _UNIT.search(self.comment)
        return unit[1] if unit else ""

    @property
    def meaning(self) -> str:
        """The comment without the unit."""
        return _UNIT.sub("", self.comment)

    @property
    def null_reason(self) -> str:
        """When there is no value, in the words of the comment; "" where it does not say."""
        reason = _NULL.search(self.meaning)
        return reason[1] if reason else ""


@dataclass(slots=True)
class Section:
    """A part of the schema."""

    title: str
    text: str = ""


@dataclass(slots=True)
class SchemaTable:
    """A table or view."""

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
    """One table or view, without reading the other parts of the schema. Raises StopIteration when there is none of that name."""
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
            self._section, self._in_title = Section(title[1]), True
        elif not line:
            self._end_of_block()
        elif self._in_table:
            self._table_line(line)
        elif column := _VIEW_COLUMN.match(line):
            self._view_column(column[1], column[2])
        elif line.startswith("-- "):
            self._comment.append(line[3:])
        elif created := _TABLE.match(line) or _VIEW.match(line):
            self._in_table = line.startswith("CREATE TABLE")
            text, is_view = " ".join(self._comment), not self._in_table
            self.tables.append(SchemaTable(created[1], self._section, text, is_view, self._columns))
            self._comment, self._columns = [], []

    def _end_of_block(self) -> None:
        if self._in_title:
            self._section.text, self._in_title = " ".join(self._comment), False
        self._comment, self._columns = [], []

    def _table_line(self, line: str) -> None:
        if line.startswith(")"):
            self._in_table = False
        elif column := _COLUMN.match(line):
            reference = _REFERENCE.search(line)
            self.tables[-1].columns.append(Column(column[1], column[2].lower(), column[3], reference[1] if reference else ""))
        elif line.startswith("    -- "):  # the comment goes on
            columns = self.tables[-1].columns
            columns[-1] = replace(columns[-1], comment=f"{columns[-1].comment} {line[7:]}")

    def _view_column(self, name: str, text: str) -> None:
        if name == "*":
            whole = next((table for table in self.tables if table.name == text), None) or described(text)
            self._columns += [Column(c.name, "", c.comment, c.references) for c in whole.columns]
        else:
            self._columns.append(Column(name, "", text))
