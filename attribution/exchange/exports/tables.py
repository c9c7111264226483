"""CSV: every table and view of the database as rows with types; checks, binary columns and
SQLite's own tables are left out.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from attribution.exchange.exports import ExportRequest, ExportResult
from collector.errors import WhoWroteError
from collector.storage.store import Store
from collector.storage.tablefiles import Column, Columns, write_csv

_TYPES = {"INTEGER": "int", "REAL": "float", "TEXT": "str", "BLOB": ""}
Writer = Callable[[Path, Columns, Iterable[Sequence[Any]]], int]


def names(store: Store) -> list[str]:
    """Of tables and views, `check_*` left out."""
    return [name for name in store.table_names() if not name.startswith("check_")]


def columns(store: Store, table: str) -> Columns:
    """With types; of an expression in a view the type its values have."""
    typed = []
    for row in store.rows(f'SELECT name, type FROM pragma_table_info("{table}")'):
        kind = (
            _TYPES.get(row["type"].upper())
            if row["type"]
            else _kind_of_values(store, table, row["name"])
        )
        if kind:
            typed.append(Column(row["name"], kind))
    return typed


def _kind_of_values(store: Store, table: str, column: str) -> str:
    rows = store.rows(
        f'SELECT DISTINCT typeof("{column}") AS kind FROM "{table}" WHERE "{column}" IS NOT NULL'
    )
    kinds = {row["kind"] for row in rows}
    if kinds <= {"integer"}:
        return "int"
    return "float" if kinds <= {"integer", "real"} else "" if kinds == {"blob"} else "str"


def write_all(request: ExportRequest, ending: str, writer: Writer) -> ExportResult:
    """One file per table below `request.out`.

    Raises WhoWroteError for a table that is not there.
    """
    present = names(request.store)
    for name in request.tables:
        if name not in present:
            raise WhoWroteError(f"no such table: {name}", f"Available: {', '.join(present)}")
    request.out.mkdir(parents=True, exist_ok=True)
    result = ExportResult()
    chosen = [name for name in present if not request.tables or name in request.tables]
    for number, name in enumerate(chosen):
        request.progress("writing tables", number, len(chosen))
        kinds = columns(request.store, name)
        path = request.out / f"{name}{ending}"
        listed = ", ".join(f'"{column.name}"' for column in kinds)
        result.rows[name] = writer(
            path, kinds, request.store.connection.execute(f'SELECT {listed} FROM "{name}"')
        )
        result.files.append(path)
    return result


NAME = "csv"
LABEL = "CSV"
GIVES = "a directory with one file per table and view"
OPTIONS = ("table",)


def write(request: ExportRequest) -> ExportResult:
    return write_all(request, ".csv", write_csv)
