"""A database as Datasette sees it, opened by us: bounded, and readable where nothing can be written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from datasette.database import Database

from collector.storage.bounded import open_bounded

COUNT_MS = 150  # views over millions of lines take seconds to count
_COUNT = "select count(*) from "  # how Datasette counts the rows of a table page


class BoundedDatabase(Database):  # type: ignore[misc]  # Datasette has no types
    """One database file of ours, for reading alone."""

    def connect(self, write: bool = False) -> Any:
        assert not write, "the pages only read"
        connection = open_bounded(Path(self.path))
        self._all_file_connections.append(connection)  # closed with the database
        return connection

    async def execute(self, sql: str, *parameters: Any, **options: Any) -> Any:
        """As Datasette's; errors of SQL reach the page and not the terminal too, and a page does not wait long for a row count.

        Datasette shows a table or view whose rows could not be counted in time without their number.
        """
        if sql.startswith(_COUNT) and not options.get("custom_time_limit"):
            options["custom_time_limit"] = COUNT_MS
        return await super().execute(sql, *parameters, **options | {"log_sql_errors": False})
