"""The columns of every table and view of the schema."""

import sqlite3
from functools import cache

from collector.storage.schema import schema_sql


@cache
def columns() -> dict[str, tuple[str, ...]]:
    """Table or view -> its columns."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema_sql())
        named = (
            "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ORDER BY"
            " m.name, c.cid"
        )
        by_table: dict[str, list[str]] = {}
        for table, column in connection.execute(named):
            by_table.setdefault(table, []).append(column)
    finally:
        connection.close()
    return {table: tuple(names) for table, names in by_table.items()}
