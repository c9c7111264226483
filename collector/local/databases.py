"""Databases of running programs: a copy is read, with what their owner has not yet merged into them.

Opening one in place can leave files beside it, and without its write-ahead log the latest rows are missing.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

LARGEST = 4 << 30  # bytes; a larger database is reported, not copied
_TRIES = 3
_LOG = "-wal"


class DatabaseUnreadable(OSError):
    """A database of another program that could not be copied or read."""


class CopiedDatabase:
    """The copy, for reading."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Rows of a query, their values by column. Raises DatabaseUnreadable."""
        try:
            cursor = self._connection.execute(sql, parameters)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]
        except sqlite3.Error as error:
            raise DatabaseUnreadable(str(error)) from error

    def columns(self, table: str) -> frozenset[str]:
        """Names of the columns of a table; none when there is no such table."""
        return frozenset(row["name"] for row in self.rows("SELECT name FROM pragma_table_info(?)", (table,)))


@contextmanager
def copied(path: Path) -> Iterator[CopiedDatabase]:
    """A database as it is now, in a directory of its own that is removed in the end. Raises OSError."""
    with tempfile.TemporaryDirectory(prefix="whowrote-") as directory:
        copy = Path(directory) / "copy.db"
        _copy(path, copy)
        try:
            connection = sqlite3.connect(copy, isolation_level=None)
        except sqlite3.Error as error:
            raise DatabaseUnreadable(f"{path}: {error}") from error
        with closing(connection):
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            yield CopiedDatabase(connection)


def _copy(path: Path, copy: Path) -> None:
    """Database and log as they were at one moment: both unchanged while they were copied."""
    for _ in range(_TRIES):
        before = state(path)
        if sum(size for size, _ in before) > LARGEST:
            raise DatabaseUnreadable(f"{path} has more than {LARGEST >> 30} GB and was not copied")
        for ending in ("", _LOG):
            source = path.with_name(path.name + ending)
            target = copy.with_name(copy.name + ending)
            target.unlink(missing_ok=True)
            if source.is_file():
                shutil.copyfile(source, target, follow_symlinks=False)
                target.chmod(0o600)
        if state(path) == before:
            return
    raise DatabaseUnreadable(f"{path} changed while it was copied; try again")


def state(path: Path) -> tuple[tuple[int, int], ...]:
    """Size and time of a database and of its log; changes when it is written."""
    found = []
    for ending in ("", _LOG):
        try:
            about = path.with_name(path.name + ending).lstat()
            found.append((about.st_size, about.st_mtime_ns))
        except FileNotFoundError:
            found.append((0, 0))
    return tuple(found)
