"""What differs between Datasette 0.65 and 1.0: who tells it what tables mean, and how it is asked for permission."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attribution.browse import describe

_CONFIGURED = ("label_column", "facets", "sort_desc", "hidden")  # settings of a table; the rest is metadata


def describes_itself(datasette: Any) -> bool:
    """Whether metadata and queries are stored at the start (1.0); before they are asked for by hooks."""
    return hasattr(datasette, "set_resource_metadata")


async def describe_database(datasette: Any, name: str) -> None:
    """Descriptions, settings of tables and saved queries of one of our databases, for 1.0. What its owner configured stays."""
    db = datasette.get_database(name)
    present = {*await db.table_names(), *await db.view_names()}
    hidden = await hidden_tables(db)
    about = describe.metadata(hidden)
    for key in ("title", "description"):
        await datasette.set_database_metadata(name, key, about[key])
    settings = datasette.config.setdefault("databases", {}).setdefault(name, {}).setdefault("tables", {})
    for table, description in about["tables"].items():
        if table in present:
            await _describe_table(datasette, name, table, description)
            for key in _CONFIGURED:
                if key in description:
                    settings.setdefault(table, {}).setdefault(key, description[key])
    for key, query in describe.queries(hidden).items():
        await datasette.add_query(
            name, key, query["sql"], title=query["title"], description=query["description"], hide_sql=True, is_trusted=True,
            source="whowrote",
        )  # fmt: skip


async def _describe_table(datasette: Any, database: str, table: str, description: Mapping[str, Any]) -> None:
    await datasette.set_resource_metadata(database, table, "description", description["description"])
    for column, text in description["columns"].items():
        await datasette.set_column_metadata(database, table, column, "description", text)


async def hidden_tables(db: Any) -> frozenset[str]:
    """Tables of a database that are internal or have no row."""
    names = await db.table_names()
    internal = {name for name in names if describe.is_internal(name)}
    query = " UNION ALL ".join(
        f"SELECT '{name}' AS name WHERE NOT EXISTS (SELECT 1 FROM \"{name}\")" for name in names if name not in internal
    )
    return frozenset(internal | {row["name"] for row in (await db.execute(query)).rows} if query else internal)


async def may_view(datasette: Any, actor: Any, database: str) -> None:
    """Raises Datasette's Forbidden when the person may not see the database."""
    if not describes_itself(datasette):
        await datasette.ensure_permissions(actor, [("view-database", database), "view-instance"])
        return
    from datasette.resources import DatabaseResource

    await datasette.ensure_permission(action="view-database", resource=DatabaseResource(database), actor=actor)


def environment(datasette: Any, request: Any) -> Any:
    """The Jinja environment of a request."""
    if describes_itself(datasette):
        return datasette.get_jinja_environment(request)
    return datasette.jinja_env
