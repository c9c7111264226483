"""The adapter for DuckDB (extra `corpus`): a data set of Parquet files answers as a database does, out of core.

Statements are those that SQLite gets. What the two mean differently by the same words is made equal here: macros for functions
that DuckDB does not have, settings for divisions and for where NULL is sorted, and types that Python gets. What remains (columns
that are not in GROUP BY, rows in no order) is for the statements to avoid; `tests/storage/test_columns.py` compares all answers.

The files are somebody's data, so nothing else can be reached through them: no other file, no extension, and only SELECT runs.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collector.errors import DatabaseUnusable, WhoWroteError
from collector.storage.dataset import AGAIN, Manifest, read_manifest
from collector.storage.places import cache_directory
from collector.storage.schema import OPTIONAL, names_in, part_sql, statements, typed_columns
from collector.storage.store import Store

if TYPE_CHECKING:
    import duckdb

    from collector.storage.connection import OwnConnection

_TYPES = {"INTEGER": "BIGINT", "REAL": "DOUBLE", "BLOB": "BLOB"}
_MOST = 4 << 30  # bytes of memory; what does not fit goes to the disk
_FETCHED = 20_000  # rows at a time
_FIRST_JULIAN = 210_866_760_000_000  # milliseconds from the first Julian day to 1970
# Names that DuckDB has too are taken over only for the number of arguments for which SQLite means something else.
_MACROS = (
    f"julianday(moment) AS CAST(epoch_ms(TRY_CAST(moment AS TIMESTAMP)) + {_FIRST_JULIAN} AS DOUBLE) / 86400000.0",
    "max(a) AS system.main.max(a), (a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE greatest(a, b) END",
    "min(a) AS system.main.min(a), (a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE least(a, b) END",
    "total(a) AS COALESCE(CAST(system.main.sum(a) AS DOUBLE), 0.0)",
)
_SINCE_2 = "error_on_division_by_zero"  # earlier versions of DuckDB give NULL, as SQLite does
_SETTINGS = {
    "default_null_order": "nulls_first_on_asc_last_on_desc",
    "integer_division": True,
    _SINCE_2: False,
    "parquet_metadata_cache": True,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "enable_external_access": False,
    "lock_configuration": True,  # last: nothing can be set behind it
}


def require() -> None:
    """Raises WhoWroteError without the extra `corpus`."""
    if find_spec("duckdb") is None:
        raise WhoWroteError("DuckDB, which reads a data set, is not installed", "Install it with: pip install 'whowrote[corpus]'")


class ColumnStore(Store):
    """A data set of Parquet files, for reading. Its numbers are those of the database that merging makes."""

    def __init__(self, directory: str | Path) -> None:
        """Raises DatabaseUnusable, DatabaseTooNew; WhoWroteError without the extra."""
        require()
        import duckdb

        self.path = Path(directory)
        self.is_read_only = True
        self._policy = None
        self._is_new = False
        self._manifest = read_manifest(self.path)
        cache_directory().mkdir(mode=0o700, parents=True, exist_ok=True)
        self._spilled = tempfile.TemporaryDirectory(dir=cache_directory(), prefix="columns-")
        self._last: _Answer | None = None
        self._names: dict[int, str] = {}  # of the repositories
        self._only: Sequence[int] = ()  # the repositories at whose files statements look; without any: at all
        try:
            self._columns = duckdb.connect(":memory:", config=_limits(self._spilled.name))
            _prepare(self._columns, self.path, self._manifest)
        except duckdb.Error as error:
            self._spilled.cleanup()
            raise _explained(error, self.path) from error
        self._run = self._ask

    def close(self) -> None:
        self._columns.close()
        self._spilled.cleanup()

    @contextmanager
    def transaction(self) -> Iterator[OwnConnection]:
        """Raises DatabaseUnusable: nothing is written to a data set."""
        raise DatabaseUnusable(
            f"{self.path} holds what was known when it was written, which is not up to date",
            "Run the command on the databases that it was made of, then: collect columns",
        )
        yield self.connection

    @contextmanager
    def of_repositories(self, *repo_ids: int) -> Iterator[None]:
        """Statements inside open only the files of these repositories."""
        before = self._only
        self._look_at(repo_ids)
        try:
            yield
        finally:
            self._look_at(before)

    def _look_at(self, repo_ids: Sequence[int]) -> None:
        """From now on only at the files of some repositories; without any: at all."""
        if repo_ids == self._only:
            return
        if not self._names:
            self._names = {row["id"]: row["name"] for row in self.rows("SELECT id, name FROM repos")}
        if self._last is not None:
            self._last.take_all()
        files = self._manifest.tables_of(self._names.get(repo_id, "") for repo_id in repo_ids) if repo_ids else {}
        _set_files(self._columns, "looked_at", self.path, files)
        self._only = repo_ids

    def _ask(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """Raises DatabaseUnusable, also for anything but one SELECT."""
        import duckdb

        if self._last is not None:
            self._last.take_all()
        try:
            asked = duckdb.extract_statements(sql)
            if len(asked) != 1 or asked[0].type != duckdb.StatementType.SELECT:
                raise DatabaseUnusable(f"{self.path} is only read", "Ask it with one SELECT")
            self._last = _Answer(self._columns.execute(asked[0], list(parameters)), self.path)
        except duckdb.Error as error:
            raise _explained(error, self.path) from error
        return self._last


class _Answer:
    """Rows as a cursor of SQLite gives them."""

    def __init__(self, result: Any, path: Path) -> None:
        self._result, self._path = result, path
        self.description = result.description
        self._change = _changes([str(column[1]) for column in self.description])
        self._waiting: list[Sequence[Any]] = []
        self._is_over = False

    def __iter__(self) -> Iterator[Sequence[Any]]:
        while rows := self._some():
            yield from rows

    def fetchone(self) -> Sequence[Any] | None:
        rows = self._some()
        self._waiting = rows[1:]
        return rows[0] if rows else None

    def fetchall(self) -> list[Sequence[Any]]:
        return list(self)

    def take_all(self) -> None:
        """The connection is needed for another statement."""
        while rows := self._fetched():
            self._waiting += rows

    def _some(self) -> list[Sequence[Any]]:
        rows, self._waiting = self._waiting, []
        return rows or self._fetched()

    def _fetched(self) -> list[Sequence[Any]]:
        import duckdb

        if self._is_over:
            return []
        try:
            rows: list[Sequence[Any]] = self._result.fetchmany(_FETCHED)
        except duckdb.Error as error:
            raise _explained(error, self._path) from error
        self._is_over = not rows
        return rows if self._change is None else list(map(self._change, rows))


def _changes(kinds: Sequence[str]) -> Callable[[Sequence[Any]], Sequence[Any]] | None:
    """What makes of a row what SQLite would give: numbers of Python. None when they are that already."""
    to: list[tuple[int, Callable[[Any], Any]]] = [(at, int) for at, kind in enumerate(kinds) if kind in ("BOOLEAN", "bool")]
    to += [(at, _number) for at, kind in enumerate(kinds) if kind.startswith(("DECIMAL", "NUMBER"))]  # names of 2.0, and before
    if not to:
        return None

    def change(row: Sequence[Any]) -> Sequence[Any]:
        values = list(row)
        for at, function in to:
            if values[at] is not None:
                values[at] = function(values[at])
        return tuple(values)

    return change


def _number(value: Any) -> Any:
    if not isinstance(value, Decimal):
        return value
    return int(value) if value.as_tuple().exponent == 0 else float(value)


def _limits(spilled: str) -> dict[str, Any]:
    """Half of the memory at most, and a place on the disk for the rest."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2 * _MOST
    return {"memory_limit": f"{min(_MOST, memory // 2)}B", "temp_directory": spilled, "threads": os.cpu_count() or 1}


def _prepare(connection: duckdb.DuckDBPyConnection, directory: Path, manifest: Manifest) -> None:
    """Views of all tables and views of the schema; then nothing else can be reached."""
    _set_files(connection, "every_file", directory, manifest.tables())
    _set_files(connection, "looked_at", directory, {})
    for macro in _MACROS:
        connection.execute(f"CREATE MACRO {macro}")
    for table, columns in {**typed_columns(), **manifest.columns}.items():
        connection.execute(f'CREATE VIEW "{table}" AS {_rows(table, columns, table in manifest.columns)}')
    parts = manifest.parts()
    connection.execute(_masters(parts, manifest.columns))
    for part in (*parts, *(one for one in OPTIONAL if one not in parts)):
        for statement in statements(part_sql(part)):
            if "CREATE VIEW" in statement:
                connection.execute(statement)
    connection.execute("SET allowed_directories = [?]", [str(directory.resolve())])
    known = {name for (name,) in connection.execute("SELECT name FROM duckdb_settings()").fetchall()}
    for name, value in _SETTINGS.items():
        if name in known or name != _SINCE_2:
            connection.execute(f"SET {name} = {_literal(value)}")


def _set_files(connection: duckdb.DuckDBPyConnection, name: str, directory: Path, files: Mapping[str, Sequence[str]]) -> None:
    """Says which files the views read from now on: those in `looked_at`, or in `every_file` for tables that have none there."""
    place = str(directory.resolve())
    paths = [[f"{place}/{file}" for file in of_table] for of_table in files.values()]
    connection.execute(f"SET VARIABLE {name} = MAP(?::VARCHAR[], ?::VARCHAR[][])", [list(files), paths])


def _rows(table: str, columns: Sequence[tuple[str, str]], is_filled: bool) -> str:
    """The SELECT for a table: its files, or nothing."""
    if not is_filled:
        nothing = ", ".join(f'CAST(NULL AS {_TYPES.get(kind, "VARCHAR")}) AS "{name}"' for name, kind in columns)
        return f"SELECT {nothing} WHERE false"
    listed = ", ".join(f'CAST("{name}" AS {_TYPES.get(kind, "VARCHAR")}) AS "{name}"' for name, kind in columns)
    files = ", ".join(f"getvariable('{name}')['{table}']" for name in ("looked_at", "every_file"))
    return f"SELECT {listed} FROM read_parquet(COALESCE({files}), hive_partitioning = false)"


def _masters(parts: Sequence[str], filled: Iterable[str]) -> str:
    """The view that tells which tables and views there are: those that a database with these rows would have."""
    tables = typed_columns()
    made = [(name, "table" if name in tables else "view") for part in parts for name in names_in(part)]
    names = [*made, *((name, "table") for name in filled if name not in tables)]
    listed = ", ".join(f"({_literal(kind)}, {_literal(name)})" for name, kind in names)
    return f"CREATE VIEW sqlite_master AS SELECT * FROM (VALUES {listed}) AS made(type, name)"


def _literal(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else "'" + str(value).replace("'", "''") + "'"


def _explained(error: duckdb.Error, path: Path) -> DatabaseUnusable:
    text = str(error).split("\n")[0][:500]
    if "No files found" in text or "Cannot open file" in text:
        return DatabaseUnusable(f"a file of {path} is missing: {text}", f"Perhaps it was written again meanwhile. {AGAIN}")
    if "Parquet" in text or "parquet" in text or "zstd" in text.lower():
        return DatabaseUnusable(f"a file of {path} is damaged: {text}", f"Remove the directory. {AGAIN}")
    if "Out of Memory" in text:
        return DatabaseUnusable(f"{path}: {text}", "Free some memory or disk space in the cache directory, and run it again")
    return DatabaseUnusable(f"{path}: {text}", AGAIN)
