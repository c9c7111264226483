"""Which tables and views a database has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collector.storage.store import Store


def table_names(store: Store) -> list[str]:
    """Tables first, in order of their names; SQLite's own are left out."""
    sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY type, name"
    return [row["name"] for row in store.rows(sql)]
