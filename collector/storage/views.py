"""One function that reads any table or view of the schema, with what its columns mean and what they are counted in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from collector.storage.catalog import Column as Column
from collector.storage.catalog import described

if TYPE_CHECKING:
    from collector.storage.store import Store

LISTS = ("list", "agents")
"""Units of columns that hold a list, as JSON in the database."""


@dataclass(slots=True)
class Table:
    """Rows with the meaning of their columns. `collector/console/tables.py` prints it."""

    name: str
    title: str  # what a row is
    columns: list[Column]
    rows: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)  # what must be said beside the rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)


def table_of(
    rows: Sequence[Mapping[str, Any]], units: Mapping[str, str] | None = None, notes: Sequence[str] = (), name: str = "",
    title: str = "",
) -> Table:  # fmt: skip
    """Rows that no view of the schema holds. `units`: column -> what it is counted in, for the columns that have a unit.

    Every row has every column in the end.
    """
    names = dict.fromkeys(column for row in rows for column in row)
    columns = [Column(column, "", f" [{units[column]}]" if units and column in units else "") for column in names]
    return Table(name, title, columns, [{column: row.get(column) for column in names} for row in rows], list(notes))


def described_view(name: str) -> Table:
    """A table or view of the schema without its rows."""
    about = described(name)
    return Table(name, about.comment, about.columns, [])


def read_view(store: Store, name: str, only: Mapping[str, Any] | None = None, order: str = "", most: int | None = None) -> Table:
    """The rows of a table or view of the schema.

    `only`: column -> its value, or a list of them; None stands for every value. `order` is an ORDER BY of names of columns.
    Raises DatabaseUnusable.
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


def _conditions(only: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """WHERE with its values. A list is written out: SQLite then finds the rows of a view before it groups them."""
    parts: list[str] = []
    values: list[Any] = []
    for name, value in only.items():
        if value is None:
            continue
        several = list(value) if isinstance(value, Sequence | set) and not isinstance(value, str) else [value]
        parts.append(f'"{name}" IN ({", ".join("?" * len(several))})')
        values += several
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), values
