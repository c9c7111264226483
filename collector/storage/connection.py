"""The connections of our databases.

Every value that enters one passes here: what SQLite cannot hold is cleaned.

Text of other programs may hold half a surrogate pair or bytes that are no UTF-8, and their numbers
may have any size.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from collector.limits import STORED_LENGTH
from collector.text import add_ending, printable

Connection = sqlite3.Connection
Cursor = sqlite3.Cursor
Opened = TypeVar("Opened", bound=sqlite3.Connection)
# half a surrogate pair; an integer of more than 64 bits
_UNSTORABLE = (UnicodeEncodeError, OverflowError)


def cache_path(database: Path) -> Path:
    """The file beside a database that may be deleted at any time."""
    return database.with_name(database.stem + "-cache.db")


def reading(path: Path, factory: type[Opened], **options: Any) -> Opened:
    """Opens a database for reading alone, also where nothing can be written beside it.

    Raises sqlite3.Error.

    SQLite reads a database with a write-ahead log only with a file for shared memory beside it.
    Where that cannot be made and no log waits, nobody writes, and the file can be read as it is.
    """
    uri = path.absolute().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, factory=factory, **options)
    try:
        connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        log = add_ending(path, "-wal")
        if log.exists() and log.stat().st_size:
            raise
        connection = sqlite3.connect(f"{uri}?immutable=1", uri=True, factory=factory, **options)
    return connection


class OwnConnection(sqlite3.Connection):
    """What `Store` opens."""

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        try:
            return super().execute(sql, parameters)
        except _UNSTORABLE:
            return super().execute(sql, storable_parameters(parameters))

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        last = [()]

        def remember_last(rows: Iterable[Any]) -> Iterator[Any]:
            for row in rows:
                last[0] = row
                yield row

        waiting = remember_last(rows)
        while True:
            try:
                return super().executemany(sql, waiting)
            except _UNSTORABLE:  # the rows before are in: rows without fault cost nothing
                super().execute(sql, storable_parameters(last[0]))


LARGEST = 2**63 - 1  # an SQLite INTEGER


def storable(value: Any) -> Any:
    """Text with what is not text made visible, and cut at `STORED_LENGTH`; integers cut to 64
    bits; everything else as it is.
    """
    if isinstance(value, str):
        return printable(value)[:STORED_LENGTH]
    if isinstance(value, bytes):
        return value[:STORED_LENGTH]
    if isinstance(value, int):
        return max(-LARGEST, min(LARGEST, value))
    return value


def storable_parameters(parameters: Any) -> Any:
    """The parameters of a statement, by position or by name, each made storable."""
    if isinstance(parameters, Mapping):
        return {name: storable(value) for name, value in parameters.items()}
    if isinstance(parameters, Iterable):
        return tuple(map(storable, parameters))
    return parameters
