"""What differs between Datasette before version 1 and since.

Datasette has no types. Since version 1 it is told at its start what it asked hooks for before.
"""

from collections.abc import Mapping
from typing import Any

from datasette import Forbidden

from collector.json_values import Row


async def ensure_may_see(datasette: Any, actor: Any, database: str) -> None:
    """Raises datasette.Forbidden."""
    if hasattr(datasette, "ensure_permissions"):
        await datasette.ensure_permissions(actor, [("view-database", database), "view-instance"])
        return
    from datasette.resources import DatabaseResource

    resource = DatabaseResource(database)
    if not await datasette.allowed(action="view-database", resource=resource, actor=actor):
        raise Forbidden("view-database")


def close_with(database: Any, connection: Any) -> None:
    """Closes the connection when the database is closed."""
    names = vars(database)
    opened = names["_all_connections" if "_all_connections" in names else "_all_file_connections"]
    opened.append(connection)


async def describe(
    datasette: Any, database: str, metadata: Row, queries: Mapping[str, Mapping[str, str]]
) -> None:
    """Tells Datasette since version 1 of a database and its saved queries."""
    if not hasattr(datasette, "add_query"):
        return
    for key in ("title", "description"):
        await datasette.set_database_metadata(database, key, metadata[key])
    config = datasette.config.setdefault("databases", {}).setdefault(database, {})
    for table, described in metadata["tables"].items():
        about = dict(described)
        columns = about.pop("columns")
        await datasette.set_resource_metadata(
            database, table, "description", about.pop("description")
        )
        for column, text in columns.items():
            await datasette.set_column_metadata(database, table, column, "description", text)
        config.setdefault("tables", {}).setdefault(table, {}).update(about)
    for name, query in queries.items():
        await datasette.add_query(database, name, query["sql"], **_texts(query), is_trusted=True)


def _texts(query: Mapping[str, str]) -> dict[str, str]:
    return {key: query[key] for key in ("title", "description") if key in query}
