"""Databases of other programs: of one that is in use a copy is read, with what its owner has not
yet merged into it.

Opening such a one in place can leave files beside it, and without its write-ahead log the latest
rows are missing.
"""

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from collector.json_values import JsonObject
from collector.limits import DATABASE_BYTES, DATABASE_SECONDS
from collector.text import add_ending

DATABASE = "SQLite format 3\0"
"""How the file of a database begins."""
_TRIES = 3
_LOG = "-wal"
_COPY = "copy.db"
State = tuple[tuple[int, int], ...]  # size and time of a database, and of its log
_ABSENT = (0, 0)


class DatabaseUnreadable(OSError):
    """A database of another program that could not be copied or read."""


class CopiedDatabase:
    """The copy, for reading."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[JsonObject]:
        """Rows of a query, their values by column. Raises DatabaseUnreadable."""
        try:
            cursor = self._connection.execute(sql, parameters)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]
        except sqlite3.Error as error:
            raise DatabaseUnreadable(str(error)) from error

    def columns(self, table: str) -> frozenset[str]:
        """Names of the columns of a table; none when there is no such table."""
        return frozenset(
            row["name"] for row in self.rows("SELECT name FROM pragma_table_info(?)", (table,))
        )

    def present(self, table: str, names: Iterable[str]) -> str:
        """Those of the columns that a table has, for SELECT: versions of an agent differ."""
        columns = self.columns(table)
        return ", ".join(name for name in names if name in columns)

    def has(self, tables: Mapping[str, Iterable[str]]) -> bool:
        """Whether there are all of these tables with all of these columns."""
        return all(set(names) <= self.columns(table) for table, names in tables.items())


@contextmanager
def copied(path: Path) -> Iterator[CopiedDatabase]:
    """A database as it is now. Raises OSError.

    One with a log is copied; the copy goes when it is out of date or the program ends. One without
    is at rest: it is opened as a file that nobody writes, which takes no lock and leaves nothing
    behind, and copied if somebody wrote it meanwhile.
    """
    before = state(path)
    if before[1] == _ABSENT and before[0] != _ABSENT:
        with _open(f"{path.absolute().as_uri()}?mode=ro&immutable=1", path) as database:
            yield database
        if state(path) != before:
            raise DatabaseUnreadable(f"{path} changed while it was read; try again")
        return
    with _open(_fresh_copy(path).as_uri(), path) as database:
        yield database


@contextmanager
def of_bytes(data: bytes) -> Iterator[CopiedDatabase]:
    """A database whose file is this, without a log. Raises OSError."""
    with _open(":memory:", "a committed database", data) as database:
        yield database


def list_sessions(
    find: Callable[[CopiedDatabase], Iterable[str]],
) -> Callable[[str, bytes], list[str]]:
    """What `Committed` asks for: the sessions of a database in a tree, none of one that cannot be
    read.
    """

    def read(path: str, data: bytes) -> list[str]:
        try:
            with of_bytes(data) as database:
                return list(find(database))
        except OSError:
            return []

    return read


def describe_database(data: bytes) -> str:
    """The beginning of a database and the names of its tables, each after a space: what agents'
    readers recognise; the beginning alone of one that cannot be read.
    """
    try:
        with of_bytes(data) as database:
            tables = database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    except DatabaseUnreadable:
        return DATABASE
    return " ".join((DATABASE, *(str(table["name"]) for table in tables)))


# of the header: with a write-ahead log (2) or without (1); one in memory can have none
_JOURNAL = slice(18, 20)


@contextmanager
def _open(uri: str, name: object, data: bytes = b"") -> Iterator[CopiedDatabase]:
    try:
        connection = sqlite3.connect(uri, isolation_level=None, uri=True)
        if data:
            connection.deserialize(data[: _JOURNAL.start] + b"\1\1" + data[_JOURNAL.stop :])
    except sqlite3.Error as error:
        raise DatabaseUnreadable(f"{name}: {error}") from error
    with closing(connection):
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        # One in a worktree may be anybody's: nothing that its schema says is run. An index that
        # would have to run something (one on `json_extract`, before SQLite 3.41) is then an error
        # of the schema; the third line lets the rest of it count.
        for setting in ("trusted_schema = OFF", "query_only = ON", "writable_schema = ON"):
            connection.execute(f"PRAGMA {setting}")
        deadline = time.monotonic() + DATABASE_SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > deadline, 1_000_000)
        yield CopiedDatabase(connection)


# removed when they are out of date, or the program ends
_copies: dict[Path, tuple[State, tempfile.TemporaryDirectory[str]]] = {}


def _fresh_copy(path: Path) -> Path:
    """A copy of the database as it is now: the one that was made before, as long as nothing was
    written since.
    """
    existing = _copies.get(path)
    if existing is None or existing[0] != state(path):
        directory = tempfile.TemporaryDirectory(prefix="whowrote-")
        try:
            _copy(path, Path(directory.name) / _COPY)
        except BaseException:
            directory.cleanup()
            raise
        _copies[path] = state(path), directory
        if existing is not None:
            existing[1].cleanup()
    return Path(_copies[path][1].name) / _COPY


def _copy(path: Path, copy: Path) -> None:
    """Database and log as they were at one moment: both unchanged while they were copied."""
    for _ in range(_TRIES):
        before = state(path)
        if sum(size for size, _ in before) > DATABASE_BYTES:
            raise DatabaseUnreadable(
                f"{path} has more than {DATABASE_BYTES >> 30} GB and was not copied"
            )
        for ending in ("", _LOG):
            source = add_ending(path, ending)
            target = add_ending(copy, ending)
            target.unlink(missing_ok=True)
            if source.is_file():
                shutil.copyfile(source, target, follow_symlinks=False)
                target.chmod(0o600)
        if state(path) == before:
            return
    raise DatabaseUnreadable(f"{path} changed while it was copied; try again")


def state(path: Path) -> State:
    """Size and time of a database and of its log; changes when it is written."""
    results = []
    for ending in ("", _LOG):
        try:
            about = add_ending(path, ending).lstat()
            results.append((about.st_size, about.st_mtime_ns))
        except FileNotFoundError:
            results.append(_ABSENT)
    return tuple(results)
