"""Rows that no view of the schema holds, as a table that can be printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from collector.storage.catalog import Column
from collector.storage.views import Table


def table_of(rows: Sequence[Mapping[str, Any]], units: Mapping[str, str] | None = None, notes: Sequence[str] = ()) -> Table:
    """`units`: column -> what it is counted in, for the columns that have a unit. Every row has every column in the end."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = [Column(name, "", f" [{units[name]}]" if units and name in units else "") for name in names]
    return Table("", "", columns, [{name: row.get(name) for name in names} for row in rows], list(notes))
