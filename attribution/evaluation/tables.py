"""Rows that no view of the schema holds, as a table that can be printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from collector.storage.catalog import Column
from collector.storage.views import Table


def table_of(
    rows: Sequence[Mapping[str, Any]], units: Mapping[str, str] | None = None, notes: Sequence[str] = (), name: str = "",
    title: str = "",
) -> Table:  # fmt: skip
    """`units`: column -> what it is counted in, for the columns that have a unit. Every row has every column in the end."""
    names = dict.fromkeys(column for row in rows for column in row)
    columns = [Column(column, "", f" [{units[column]}]" if units and column in units else "") for column in names]
    return Table(name, title, columns, [{column: row.get(column) for column in names} for row in rows], list(notes))
