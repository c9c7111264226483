"""Every table and view of the database as rows with types; checks, binary columns and SQLite's own tables are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attribution.exports import ExportRequest, ExportResult
from attribution.exports.tablefiles import Columns
from collector.errors import WhoWroteError
from collector.storage.store import Store

_TYPES = {"INTEGER": "int", "REAL": "float", "TEXT": "str", "BLOB": ""}
Writer = Callable[[Path, Columns, Iterable[Sequence[Any]]], int]


def names(store: Store) -> list[str]:
    """Of tables and views, `check_*` left out."""
    rows = store.rows(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' "
        "AND name NOT LIKE 'check\\_%' ESCAPE '\\' ORDER BY type, name"
    )
    return [row["name"] for row in rows]


def columns(store: Store, table: str) -> Columns:
    """With types; of an expression in a view the type its values have."""
    found = []
    for row in store.rows(f'SELECT name, type FROM pragma_table_info("{table}")'):
        kind = _TYPES.get((row["type"] or "").upper()) if row["type"] else _seen(store, table, row["name"])
        if kind:
            found.append((row["name"], kind))
    return found


def _seen(store: Store, table: str, column: str) -> str:
    rows = store.rows(f'SELECT DISTINCT typeof("{column}") AS kind FROM "{table}" WHERE "{column}" IS NOT NULL')
    kinds = {row["kind"] for row in rows}
    if kinds <= {"integer"}:
        return "int"
    return "float" if kinds <= {"integer", "real"} else "" if kinds == {"blob"} else "str"


def write_all(wanted: ExportRequest, ending: str, writer: Writer) -> ExportResult:
    """One file per table below `wanted.out`. Raises WhoWroteError for a table that is not there."""
    known = names(wanted.store)
    for name in wanted.tables:
        if name not in known:
            raise WhoWroteError(f"there is no table {name}", f"There are: {', '.join(known)}")
    wanted.out.mkdir(parents=True, exist_ok=True)
    done = ExportResult()
    chosen = [name for name in known if not wanted.tables or name in wanted.tables]
    for number, name in enumerate(chosen):
        wanted.progress("writing tables", number, len(chosen))
        kinds = columns(wanted.store, name)
        path = wanted.out / f"{name}{ending}"
        done.rows[name] = writer(path, kinds, _rows(wanted.store, name, [column for column, _ in kinds]))
        done.files.append(path)
    return done


def _rows(store: Store, table: str, wanted: Sequence[str]) -> Iterator[Sequence[Any]]:
    listed = ", ".join(f'"{name}"' for name in wanted)
    yield from store.connection.execute(f'SELECT {listed} FROM "{table}"')
