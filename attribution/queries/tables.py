"""Which tables and views a database has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collector.storage.store import Store


class TableName(NamedTuple):
    type: str  # table | view
    name: str


def table_names(store: Store) -> list[TableName]:
    """Tables first, in order of their names; SQLite's own are left out."""
    return store.select(
        TableName,
        "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY type, name",
    )
