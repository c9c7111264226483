"""A database as text, without the row numbers and times of the run: two runs are compared by it."""

from __future__ import annotations

from collector.json_values import Row
from collector.storage.store import Store
from support.invariants import broken_checks

Dump = dict[str, list[str]]


_MOMENTS = {"finished_at", "seconds", "path"}  # `path` only in `repos`


class _Reader:
    """Rows of a database; numbers of rows are replaced by what the rows say."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._names: dict[tuple[str, int], str] = {}

    def table(self, name: str) -> list[str]:
        return sorted(self._shown(name, row) for row in self._store.rows(f"SELECT * FROM {name}"))

    def _shown(self, table: str, row: Row) -> str:
        links = {
            r["from"]: (r["table"], r["to"])
            for r in self._store.rows(f"SELECT * FROM pragma_foreign_key_list('{table}')")
        }
        hidden = _MOMENTS if table in ("repos", "stage_runs") else set()
        parts = []
        for column, value in row.items():
            if column == "id" or column in hidden:
                continue
            named = column in links and value is not None
            shown = self._named(*links[column], value) if named else repr(value)
            shown = str(value is not None) if column == "gone_since" else shown
            parts.append(f"{column}={shown}")
        return f"{table}({', '.join(parts)})"

    def _named(self, table: str, column: str, value: int) -> str:
        if (table, value) not in self._names:
            (row,) = self._store.rows(f"SELECT * FROM {table} WHERE {column} = ?", (value,))
            self._names[table, value] = self._shown(table, row)
        return self._names[table, value]


def dump(store: Store) -> Dump:
    reader = _Reader(store)
    tables = store.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY"
        " name"
    )
    broken = broken_checks(store)
    assert broken == {}, broken
    return {r["name"]: reader.table(r["name"]) for r in tables}


def same(one: Dump, other: Dump) -> None:
    assert one.keys() == other.keys()
    for table, rows in one.items():
        assert rows == other[table], table
