"""Rows that cannot be computed again, because they cost money or somebody's reading, as JSON lines.

A database that is rebuilt from its clones gets them back. A schema file names such tables in a line
`-- carried: TABLE...`. A line of the file is `{"TABLE": {"column": value}}`. Numbers of rows differ
between databases, so a reference is written as the name of the row that it points to: the columns
of its UNIQUE constraint, references among them written in the same way.

The first line is how much text the database keeps: the one that reads the file keeps no more from
then on.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, TextIO

from collector.errors import WhoWroteError
from collector.json_values import Row
from collector.storage.merge import column_list, forget_told, forgotten_names, read_tables
from collector.storage.retention import CONTENTS, Policy, Redaction
from collector.storage.schema import carried_tables
from collector.storage.store import Store

_POLICY = "policy"  # in the place of a table's name
_PLAIN = (str, int, float, type(None))


@dataclass
class Imported:
    """What an import did: rows by table."""

    added: Counter[str] = field(default_factory=Counter)  # those that were not there yet
    # the row that they point to is not in the database
    left_out: Counter[str] = field(default_factory=Counter)


def export_carried(store: Store, file: TextIO) -> Counter[str]:
    """Writes the rows of all carried tables; returns how many by table.

    `store` may be of another schema (`Store.over`).
    """
    names = _Names(store)
    counts: Counter[str] = Counter()
    if "settings" in names.tables:
        file.write(json.dumps({_POLICY: asdict(store.policy)}) + "\n")
    for table in carried_tables():
        if table not in names.tables:
            continue
        number = names.tables[table].number
        for row in store.rows(
            f'SELECT * FROM "{table}" ORDER BY rowid' if number else f'SELECT * FROM "{table}"'
        ):
            values = {
                column: names.reference(table, column, value)
                for column, value in row.items()
                if column != number
            }
            file.write(json.dumps({table: values}, ensure_ascii=False) + "\n")
            counts[table] += 1
    return counts


def import_carried(store: Store, file: TextIO) -> Imported:
    """Adds the rows of a file that are not there yet, in one transaction.

    Raises WhoWroteError for a line that is no such row.
    """
    imported = Imported()
    known = forgotten_names(store)
    with store.transaction() as connection:
        names = _Names(store)
        for number, line in enumerate(file, 1):
            if line.startswith(f'{{"{_POLICY}"'):
                store.keep(_policy(line, number).stricter(store.policy))
                continue
            table, values = _row(line, number, names)
            columns = {
                column: names.resolve(table, column, value) for column, value in values.items()
            }
            if any(
                value is None and values[column] is not None for column, value in columns.items()
            ):
                imported.left_out[table] += 1
                continue
            before = connection.total_changes
            rows = store.policy.rows(table, list(columns), [list(columns.values())])
            marks = ", ".join("?" * len(columns))
            listed = column_list(columns)
            connection.executemany(
                f'INSERT INTO "{table}" ({listed}) VALUES ({marks}) ON CONFLICT DO NOTHING', rows
            )
            imported.added[table] += connection.total_changes - before
    forget_told(store, known)
    return imported


def _policy(line: str, number: int) -> Policy:
    try:
        values = json.loads(line)[_POLICY]
        policy = Policy(values["content"], Redaction(values["redaction"]))
    except (ValueError, KeyError, TypeError) as error:
        raise _bad_line(number) from error
    if policy.content not in CONTENTS:
        raise _bad_line(number)
    return policy


def _row(line: str, number: int, names: _Names) -> tuple[str, Row]:
    """Table and values of a line, without columns that the table does not have."""
    try:
        ((table, values),) = json.loads(line).items()
        columns = names.tables[table].columns if table in carried_tables() else []
        values = {column: value for column, value in values.items() if column in columns}
    except (ValueError, AttributeError, TypeError) as error:
        raise _bad_line(number) from error
    if not values or any(not isinstance(value, (*_PLAIN, dict)) for value in values.values()):
        raise _bad_line(number)
    return table, values


def _bad_line(number: int) -> WhoWroteError:
    return WhoWroteError(
        f"line {number} does not hold a row of an export",
        "Use a file that whowrote data export wrote",
    )


class _Names:
    """Names of rows in place of their numbers, and back."""

    def __init__(self, store: Store) -> None:
        self._run = store.connection.execute
        self.tables = read_tables(self._run)
        self._name = cache(self._read_name)

    def reference(self, table: str, column: str, value: Any) -> Any:
        """What stands for a value of a column: the name of the row that it points to, or the
        value.
        """
        link = self.tables[table].link(column)
        if not link or value is None:
            return value
        return self._name(link.parent, link.to, value)

    def _read_name(self, table: str, column: str, value: Any) -> Row:
        key = self.tables[table].key
        listed = column_list(key)
        row = self._run(f'SELECT {listed} FROM "{table}" WHERE "{column}" = ?', (value,)).fetchone()
        return {
            name: self.reference(table, name, part) for name, part in zip(key, row, strict=True)
        }

    def resolve(self, table: str, column: str, value: Any) -> Any:
        """The value of a column here; None when the row that it points to is not here."""
        if not isinstance(value, dict):
            return value
        link = self.tables[table].link(column)
        if link is None or set(value) != set(self.tables[link.parent].key):
            return None
        parts = {name: self.resolve(link.parent, name, part) for name, part in value.items()}
        condition = " AND ".join(f'"{name}" IS ?' for name in parts)
        row = self._run(
            f'SELECT "{link.to}" FROM "{link.parent}" WHERE {condition}', tuple(parts.values())
        ).fetchone()
        if row:
            return row[0]
        return None
