"""The tables, views and columns of the database with their comments, read from schema.sql. Pure but for reading that file.

docs/schema.md and the descriptions that Datasette shows are made from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from collector.storage.store import schema_sql

_TABLE = re.compile(r"^CREATE TABLE IF NOT EXISTS (\w+) \($")
_VIEW = re.compile(r"^CREATE VIEW IF NOT EXISTS (\w+) AS$")
_COLUMN = re.compile(r"^  (\w+) ([A-Z]+)\b[^-]*(?:[^-]|-(?!-))*?-- (.*)$")
_REFERENCE = re.compile(r"REFERENCES (\w+)\((\w+)\)")


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str  # integer, text, real, blob
    comment: str
    references: str = ""  # the table it points to


@dataclass(slots=True)
class SchemaTable:
    """A table or view."""

    name: str
    section: str  # facts, conclusions, …
    comment: str
    is_view: bool = False
    columns: list[Column] = field(default_factory=list)


def tables(sql: str = "") -> list[SchemaTable]:
    """In the order of the schema (default: that of the program)."""
    return list(_read(sql or schema_sql()))


def _read(sql: str) -> Iterator[SchemaTable]:
    section, comment, table = "", list[str](), None
    for line in sql.splitlines():
        named, viewed, column = _TABLE.match(line), _VIEW.match(line), _COLUMN.match(line)
        if line.startswith("-- ==="):
            section, comment = line.strip("- ="), []
        elif line.startswith("-- "):
            comment.append(line[3:])
        elif named:
            table, comment = SchemaTable(named[1], section, " ".join(comment)), []
        elif viewed:
            yield SchemaTable(viewed[1], section, " ".join(comment), is_view=True)
            comment = []
        elif table is not None and column:
            points = _REFERENCE.search(line)
            table.columns.append(Column(column[1], column[2].lower(), column[3], points[1] if points else ""))
        elif table is not None and line.startswith(")"):
            yield table
            table = None
        elif not line:
            comment = []
