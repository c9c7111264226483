"""A connection for which tables that were never filled are there all the same.

A statement that meets such a table finds it empty: for as long as the statement runs, a temporary view without rows stands in its
place; a view of such tables shows what the others have. The first INSERT makes the table, with its part of the schema. Parts of the
cache go to a file beside the database.

Every value that enters a database passes here: what SQLite cannot hold is cleaned (`values.py`).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from enum import Enum
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from collector.storage.schema import CACHE, columns_of_table, homes, needed_by, part_sql, statements
from collector.storage.values import storable_parameters

Connection = sqlite3.Connection
Cursor = sqlite3.Cursor
Opened = TypeVar("Opened", bound=sqlite3.Connection)
CACHE_SUFFIX = "-cache.db"
_CACHE_VERSION = 1
_MISSING = re.compile(r"no such table: (main\.)?(\w+)$")
_WRITES = re.compile(r"\s*(INSERT|REPLACE|DELETE|UPDATE)(?: OR \w+)?(?: INTO| FROM)?\s+\"?(\w+)", re.IGNORECASE)
_UNSTORABLE = (UnicodeEncodeError, OverflowError)  # half a surrogate pair; an integer of more than 64 bits
_NOTHING = "SELECT 1 WHERE 0"
_CREATE = re.compile(r"^CREATE (TABLE|INDEX|VIEW) IF NOT EXISTS ", re.MULTILINE)


def cache_path(database: Path) -> Path:
    """The file beside a database that may be deleted at any time."""
    return database.with_name(database.stem + CACHE_SUFFIX)


def reading(path: Path, factory: type[Opened], **options: Any) -> Opened:
    """Opens a database for reading alone, also where nothing can be written beside it. Raises sqlite3.Error.

    SQLite reads a database with a write-ahead log only with a file for shared memory beside it. Where that cannot be made and no
    log waits, nobody writes, and the file can be read as it is.
    """
    uri = path.absolute().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, factory=factory, **options)
    try:
        connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise
        connection = sqlite3.connect(f"{uri}?immutable=1", uri=True, factory=factory, **options)
    return connection


@contextmanager
def standing_in(run: Callable[..., Any], names: Iterable[str]) -> Iterator[None]:
    """Views of these names while the block runs: empty for a table, of what there is for a view. Writing to one is an error."""
    created = []
    try:
        for name in names:
            run(f'CREATE TEMP VIEW "{name}" AS {_selection(name)}')
            created.append(name)
        yield
    finally:
        for name in created:
            run(f'DROP VIEW temp."{name}"')


@cache
def _selection(name: str) -> str:
    """What stands for a table or view of ours that is not there."""
    if columns := columns_of_table(name):
        listed = ", ".join(f'NULL AS "{column}"' for column in columns)
        return f"SELECT {listed} WHERE 0"
    for statement in statements(part_sql(homes()[name])):
        if view := re.search(rf"CREATE VIEW IF NOT EXISTS {name} AS\b(.+)", statement, re.DOTALL):
            return view[1].rstrip().rstrip(";")
    raise KeyError(name)


def read(run: Callable[..., sqlite3.Cursor], sql: str, parameters: Any = ()) -> sqlite3.Cursor:
    """Runs a statement; tables of ours that are not there are empty."""
    names: list[str] = []
    while True:
        try:
            with standing_in(run, names):
                return run(sql, parameters)
        except sqlite3.OperationalError as error:
            name = _missing(error)
            if name is None or name in names:
                raise
            names.append(name)


def _missing(error: sqlite3.OperationalError) -> str | None:
    """A table or view of ours that may be missing, and is."""
    match = _MISSING.match(str(error))
    return match[2] if match and match[2] in homes() else None


class _WayOut(Enum):
    """What becomes of a statement that misses a table."""

    AGAIN = "the table was made, or found in the cache"
    NOTHING = "it would change rows of a table that has none"
    EMPTY = "it reads a table that has no rows"


class OwnConnection(sqlite3.Connection):
    """What `Store` opens. `beside`: the file of the cache; None: this database is a cache itself."""

    beside: Path | None = None
    _attached = False

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        run = super().execute
        try:
            return run(sql, parameters)
        except _UNSTORABLE:
            return self.execute(sql, storable_parameters(parameters))
        except sqlite3.OperationalError as error:
            way = self._way_out(sql, error)
            if way is _WayOut.AGAIN:
                return self.execute(sql, parameters)
            return run(_NOTHING) if way is _WayOut.NOTHING else read(run, sql, parameters)

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        last: list[Any] = [()]

        def remember_last(rows: Iterable[Any]) -> Iterator[Any]:
            for row in rows:
                last[0] = row
                yield row

        rows = remember_last(rows)
        first = next(rows, None)
        if first is None:  # no reason to make a table
            return self.cursor()
        waiting = chain([first], rows)
        try:
            while True:
                try:
                    return super().executemany(sql, waiting)
                except _UNSTORABLE:  # the rows before are in: rows without fault cost nothing
                    super().execute(sql, storable_parameters(last[0]))
        except sqlite3.OperationalError as error:  # a table is missed before the first row is taken
            way = self._way_out(sql, error)
            if way is _WayOut.AGAIN:
                return self.executemany(sql, waiting)
            if way is _WayOut.EMPTY:
                for row in waiting:
                    read(super().execute, sql, row)
            return self.cursor()

    def _way_out(self, sql: str, error: sqlite3.OperationalError) -> _WayOut:
        """What to do about an error; raises it when no table of ours is missing."""
        name = _missing(error)
        if name is None or sql.lstrip()[:4].upper() == "DROP":
            raise error
        match = _WRITES.match(sql)
        verb, target = (match[1].upper(), match[2]) if match else ("", "")
        is_new = verb in ("INSERT", "REPLACE") and (name == target or "main." in str(error))
        if self._provide(name, is_new):
            return _WayOut.AGAIN
        return _WayOut.NOTHING if name == target else _WayOut.EMPTY

    def make(self, part: str) -> None:
        """Makes the tables and views of a part that are not there yet."""
        for needed in needed_by(part):
            self.make(needed)
        sql = part_sql(part)
        if part in CACHE and self.beside is not None:
            self._attach(self.beside)
            sql = _CREATE.sub(r"CREATE \1 IF NOT EXISTS cache.", sql)
        for statement in statements(sql):
            super().execute(statement)

    def _provide(self, name: str, is_new: bool) -> bool:
        """Whether a missing table was made, or found in the cache, so that it is worth trying again."""
        part = homes()[name]
        if part in CACHE and self.beside is not None and not self._attached and (is_new or self.beside.exists()):
            self._attach(self.beside)
            return True
        if is_new:
            self.make(part)
        return is_new

    def _attach(self, path: Path) -> None:
        """The cache as the schema `cache`, made again when it is damaged or of another version."""
        if self._attached:
            return
        run = super().execute
        if not _is_usable(path):
            path.unlink()
        run("ATTACH DATABASE ? AS cache", (str(path),))
        main = run("SELECT file FROM pragma_database_list WHERE name = 'main'").fetchone()[0]
        run(f"PRAGMA cache.user_version = {_CACHE_VERSION}")
        run("PRAGMA cache.secure_delete = ON")  # names of repositories that are to be forgotten
        if main and path.exists():  # whoever may not read the database may not read this
            path.chmod(path.stat().st_mode & Path(main).stat().st_mode)
        self._attached = True


def _is_usable(path: Path) -> bool:
    """Whether a cache can be attached: a new file, or a database of this version."""
    if not path.exists():
        return True
    try:
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute("PRAGMA user_version").fetchone()[0] in (0, _CACHE_VERSION)
    except sqlite3.DatabaseError:
        return False
