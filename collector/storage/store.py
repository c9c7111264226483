"""The adapter for SQLite (sqlite-utils): opening, versions, transactions, bulk rows.

Rows go through `executemany`, which is seven times faster than the upserts of sqlite-utils; that
makes the search index. A unit of work and the row that says it is done are written in one
transaction, so a kill at any moment leaves whole units.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from collector.errors import DatabaseUnusable
from collector.json_values import Row
from collector.storage.connection import OwnConnection, cache_path, reading
from collector.storage.places import make_private, prepare
from collector.storage.retention import FULL, PROMPTS, Policy, Redaction
from collector.storage.schema import (
    CACHE,
    MAIN,
    first_foreign,
    schema_sql,
    schema_version,
    statements,
)
from collector.text import command_line, printable, split_names

if TYPE_CHECKING:
    from collector.model import Problem

Connection = sqlite3.Connection
Kind = TypeVar("Kind")
_MAX_CLONES = 5  # clones to name in a hint
APPLICATION_ID = 0x77686F77  # "whow": how a database is recognised whatever its name


def iso(seconds: float | None) -> str | None:
    """Seconds -> `2026-02-18T00:07:22.729Z`; None for None and for times no calendar has."""
    if seconds is None:
        return None
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return moment.isoformat(timespec="milliseconds")[:-6] + "Z"


def utc_now() -> str | None:
    """This moment, as the database has it."""
    return iso(datetime.now(UTC).timestamp())


class Store:
    """One database file.

    Use as a context manager. A file that cannot be written is opened for reading.
    """

    def __init__(self, path: str | Path, create: bool = True, is_cache: bool = False) -> None:
        """Opens, and creates the tables of a new file.

        `is_cache`: a file for the parts of the cache. Raises DatabaseUnusable.
        """
        self.path = Path(path)
        self._parts = CACHE if is_cache else MAIN
        self._policy: Policy | None = None
        if self.path.is_dir():
            raise DatabaseUnusable(
                f"{path} is a directory, where one database is needed",
                f"Name one in it, or merge them: collect merge {command_line(path)}/*.db -o FILE",
            )
        if not create and not self.path.is_file():
            raise DatabaseUnusable(
                f"there is no database {path}", "Create one with: whowrote repo PATH --db FILE"
            )
        if create:
            prepare(self.path)
        self._is_new = not self.path.exists()
        self._connect()
        # another process made it, failed, and took it away again
        if not self.path.exists() and str(path) != ":memory:":
            self.connection.close()
            self._connect()

    def _connect(self) -> None:
        places = (self.path, self.path.parent)  # the directory too: SQLite keeps its log there
        self.is_read_only = self.path.is_file() and not all(
            os.access(place, os.W_OK) for place in places
        )
        if not self.path.exists() and str(self.path) != ":memory:":
            # SQLite says what is wrong; prompts are their owner's, and the log takes the same mode
            with suppress(OSError):
                make_private(self.path)
        try:
            if self.is_read_only:
                self.connection = reading(
                    self.path, OwnConnection, timeout=60, isolation_level=None
                )
            else:
                self.connection = sqlite3.connect(
                    self.path, timeout=60, isolation_level=None, factory=OwnConnection
                )
        except sqlite3.Error as error:
            raise _explain(error, self.path) from error
        self._run: Callable[..., sqlite3.Cursor] = self.connection.execute
        try:
            self._prepare()
        except sqlite3.Error as error:
            self.connection.close()
            raise _explain(error, self.path) from error
        except DatabaseUnusable:
            self.connection.close()
            raise

    @classmethod
    def over(cls, connection: sqlite3.Connection, path: str | Path) -> Store:
        """A connection that somebody else opened and closes, for reading only."""
        store = cls.__new__(cls)
        store.path = Path(path)
        store.connection = cast(OwnConnection, connection)
        store.is_read_only = True
        store._is_new = False
        store._policy = None
        store._run = connection.execute
        return store

    def private_copy(self) -> Store:
        """The same rows for this process alone: what is written there goes with it."""
        own = sqlite3.connect("", isolation_level=None, factory=OwnConnection)
        self.connection.backup(own)
        own.execute("PRAGMA foreign_keys = ON")
        store = Store.over(own, self.path)
        store._parts = self._parts
        store._policy = self.policy
        return store

    def _prepare(self) -> None:
        execute = self.connection.execute
        # what is deleted is overwritten, also in what is attached later; off in most builds
        execute("PRAGMA secure_delete = ON")
        # first: another process may be creating them
        tables = self.value("SELECT count(*) FROM sqlite_master")
        application = self.value("PRAGMA application_id")
        version = self.value("PRAGMA user_version")
        expected = schema_version(self._parts)
        if tables and application != APPLICATION_ID:
            raise DatabaseUnusable(
                f"{self.path} is a database of another program",
                "Name another file with --db; nothing was changed",
            )
        if tables and version != expected:
            raise self._other_schema(version)
        if tables and (foreign := first_foreign(self.connection, self._parts)) is not None:
            raise DatabaseUnusable(
                f"{self.path} has a trigger, table or view that this program did not make:"
                f" {printable(foreign)}",
                "Do not use a database of somebody who put it there: attribute the clones yourself."
                " Nothing was changed",
            )
        if not tables:
            execute("PRAGMA journal_mode = WAL")
            execute(f"PRAGMA application_id = {APPLICATION_ID}")
        if version != expected:
            with self.transaction():
                self._create_tables(expected)
        execute("PRAGMA foreign_keys = ON")
        execute("PRAGMA synchronous = NORMAL")

    def _create_tables(self, version: int) -> None:
        """Makes the tables unless another process has made them meanwhile.

        Call within a transaction.
        """
        if self.value("PRAGMA user_version") == version:
            return
        execute = self.connection.execute
        for statement in statements(schema_sql(self._parts)):
            execute(statement)
        execute(f"PRAGMA user_version = {version}")

    def _other_schema(self, version: int) -> DatabaseUnusable:
        """The error for a database of another schema, with the command that rebuilds it from the
        clones it was made from.
        """
        message = (
            f"{self.path} was made by another version of whowrote, whose tables differ (schema"
            f" {version}, here {schema_version(self._parts)})"
        )
        if self._parts is CACHE:
            return DatabaseUnusable(message, f"Remove {self.path}: it is only a cache")
        clones = []
        with suppress(sqlite3.Error):
            clones = [
                path
                for (path,) in self.connection.execute(
                    "SELECT path FROM repos WHERE path IS NOT NULL ORDER BY id"
                )
            ]
        paths = clones if 0 < len(clones) <= _MAX_CLONES else ["PATH..."]
        move = command_line("mv", self.path, f"{self.path}.old")
        rebuild = command_line("whowrote", "repo", *paths, "--db", self.path)
        return DatabaseUnusable(
            message,
            f"Rebuild it from the clones: {move} && {rebuild}\nNothing was changed",
        )

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        if kind is not None and self._is_new:
            self._remove_if_empty()
        self.close()

    def _remove_if_empty(self) -> None:
        """A run that failed leaves no file behind that holds nothing.

        It stays when anybody else has it open.

        To leave the mode of the write-ahead log, SQLite needs the file for itself, so nobody else
        reads or writes; who opens it from now on waits for the lock, finds the file gone and makes
        another one (`__init__`).
        """
        execute = self.connection.execute
        with suppress(sqlite3.Error, OSError):
            execute("PRAGMA busy_timeout = 0")
            if execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
                return
            execute("BEGIN EXCLUSIVE")
            names = execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            ).fetchall()
            if not any(
                execute(f'SELECT EXISTS (SELECT 1 FROM "{name}")').fetchone()[0]
                for (name,) in names
            ):
                self.path.unlink()

    def close(self) -> None:
        self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[OwnConnection]:
        """All or nothing. Disk full, locked and damaged files become DatabaseUnusable."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise _explain(error, self.path) from error

    def has(self, table: str) -> bool:
        """Whether there is a table or view of this name."""
        return self.value("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)) is not None

    def table_names(self) -> list[str]:
        """Tables first, then views, in order of their names; SQLite's own are left out."""
        sql = (
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE"
            " 'sqlite_%' ORDER BY type, name"
        )
        return self.column(sql)

    @contextmanager
    def snapshot(self) -> Iterator[OwnConnection]:
        """What is read inside is of one moment, and what is written is not kept: it is for
        temporary tables.
        """
        try:
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise _explain(error, self.path) from error

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Plain INSERT of many rows; call within a transaction. Columns are a list, or "a, b"."""
        kept = self.policy.rows(table, split_names(columns), rows)
        self.insert_kept(table, columns, kept)

    def insert_rows(self, table: str, rows: Sequence[Row]) -> None:
        """The same for rows that name their columns, all of them the same ones."""
        if rows:
            self.insert(table, tuple(rows[0]), (tuple(row.values()) for row in rows))

    def insert_kept(
        self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]
    ) -> None:
        """The same for rows that the policy has already made what they may be."""
        names = split_names(columns)
        marks = ", ".join("?" * len(names))
        self.connection.executemany(
            f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", rows
        )

    @property
    def policy(self) -> Policy:
        """How much text is kept here."""
        if self._policy is None:
            settings = self.pairs("SELECT name, value FROM settings")
            self._policy = Policy(
                settings.get("content", FULL),
                Redaction(settings.get("redaction", Redaction.SECRETS)),
            )
        return self._policy

    def keep(self, policy: Policy) -> None:
        """From now on this much text is kept, and no more of what is there; call within a
        transaction.
        """
        old = self.policy
        self.connection.executemany(
            "INSERT OR REPLACE INTO settings VALUES (?, ?)",
            [("content", policy.content), ("redaction", policy.redaction)],
        )
        self._policy = policy
        if policy.stricter(old) != old:
            self.take_out_texts()

    def take_out_texts(self) -> None:
        """Takes out of every row what the policy does not let be stored; call within a
        transaction.
        """
        run = self.connection.execute
        for table, name, change in self.policy.stored_changes():
            if not self.has(table):
                continue
            if change is None:
                run(f"DELETE FROM {table}")
                continue
            self.connection.create_function("stored", 1, change, deterministic=True)
            run(f"UPDATE {table} SET {name} = stored({name}) WHERE {name} <> ''")
        if self.policy.keeps(PROMPTS):
            self.connection.create_function("stored", 1, self.policy.text, deterministic=True)
            run("UPDATE sessions SET label = stored(label)")
        else:
            run("UPDATE sessions SET label = substr(key, 1, 12)")
        # the index for searching keeps the words that it was made from
        run("DROP TABLE IF EXISTS turns_fts")
        run("DELETE FROM settings WHERE name = 'prompts_indexed'")

    def keep_content(self, content: str | None, redact: str | None) -> None:
        """How much text is kept from now on; None: as before."""
        old = self.policy
        new = Policy(content or old.content, Redaction(redact) if redact else old.redaction)
        if new != old:
            with self.transaction():
                self.keep(new)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Rows of a query as dictionaries. Raises DatabaseUnusable."""
        try:
            cursor = self._run(sql, parameters)
            names = [d[0] for d in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]
        except sqlite3.Error as error:
            raise _explain(error, self.path) from error

    def column(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The first column of a query. Raises DatabaseUnusable."""
        return [first for first, *_ in map(dict.values, self.rows(sql, parameters))]

    def pairs(self, sql: str, parameters: Sequence[Any] = ()) -> dict[Any, Any]:
        """The first column of a query -> the second. Raises DatabaseUnusable."""
        values: Any = map(dict.values, self.rows(sql, parameters))
        return dict(values)

    def select(self, kind: type[Kind], sql: str, parameters: Sequence[Any] = ()) -> list[Kind]:
        """Rows of a query as values of `kind`, a dataclass or NamedTuple whose first fields are the
        columns, in their order.

        Raises DatabaseUnusable; TypeError when the columns are not the fields, which is a mistake
        in the program.
        """
        return list(self.stream(kind, sql, parameters))

    def stream(self, kind: type[Kind], sql: str, parameters: Sequence[Any] = ()) -> Iterator[Kind]:
        """As `select`, one row in memory at a time."""
        try:
            cursor = self._run(sql, parameters)
            columns = tuple(d[0] for d in cursor.description)
            names = _field_names(kind)
            if columns != names[: len(columns)]:
                raise TypeError(f"columns {columns} are not the fields of {kind.__name__}: {names}")
            for row in cursor:
                yield kind(*row)
        except sqlite3.Error as error:
            raise _explain(error, self.path) from error

    def select_one(self, kind: type[Kind], sql: str, parameters: Sequence[Any] = ()) -> Kind | None:
        """The first row of a query as `select` gives it, or None."""
        return next(iter(self.select(kind, sql, parameters)), None)

    def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """First column of the first row, or None."""
        try:
            row = self._run(sql, parameters).fetchone()
        except sqlite3.Error as error:
            raise _explain(error, self.path) from error
        if row:
            return row[0]
        return None

    def index_prompts(self) -> None:
        """Full-text search over prompts, brought up to date. Raises DatabaseUnusable."""
        key = str(
            self.value(
                "SELECT COUNT(*) || ' ' || COALESCE(MAX(id), 0) || ' ' ||"
                " COALESCE(SUM(length(prompt)), 0) FROM turns"
            )
        )
        is_indexed = self.value("SELECT 1 FROM sqlite_master WHERE name = 'turns_fts'")
        if (
            is_indexed
            and self.value("SELECT value FROM settings WHERE name = 'prompts_indexed'") == key
        ):
            return
        try:  # the key comes last: what a kill leaves half-done is built again
            turns = _sqlite_utils().Database(self.connection, execute_plugins=False)["turns"]
            if is_indexed:
                turns.rebuild_fts()
            else:
                turns.enable_fts(["prompt"])
        except sqlite3.Error as error:
            raise _explain(error, self.path) from error
        with self.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO settings VALUES ('prompts_indexed', ?)", (key,)
            )

    @contextmanager
    def cache(self, create: bool = True) -> Iterator[Store]:
        """The file beside the database with what can be computed again.

        An empty one in memory where there is none and it is not to be created, or where none can be
        used.
        """
        file = cache_path(self.path)
        is_wanted = file.exists() or (
            create and not self.is_read_only and str(self.path) != ":memory:"
        )
        beside = open_cache(file) if is_wanted else None
        # whoever may not read the database may not read this
        if beside is not None and self.path.exists():
            with suppress(OSError):
                file.chmod(file.stat().st_mode & self.path.stat().st_mode)
        with beside or Store(":memory:", is_cache=True) as cache:
            yield cache

    def wipe(self) -> bool:
        """Rewrites the file and empties its log: nothing is left of what was deleted.

        False while somebody else reads it.
        """
        try:
            self.connection.execute("VACUUM")
            return not self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError:  # in use, or no room for a second copy
            return False

    # --- bookkeeping ------------------------------------------------------------------------------

    def next_id(self, table: str) -> int:
        """First free id; call within a transaction.

        In tables whose ids others keep (AUTOINCREMENT) it never was another row's.
        """
        return last_id(self._run, table) + 1

    def add_problems(self, repo_id: int | None, problems: Iterable[Problem]) -> None:
        self.insert(
            "problems",
            "repo_id, stage, subject, code, detail",
            (
                (repo_id, p.stage, printable(p.subject), p.code, printable(p.detail)[:500])
                for p in problems
            ),
        )


def open_cache(file: Path) -> Store | None:
    """A cache, made anew when it is damaged or of another schema; None when it cannot be used."""
    for _ in range(2):
        try:
            return Store(file, is_cache=True)
        except DatabaseUnusable:
            with suppress(OSError):
                file.unlink()
        except OSError:
            return None
    return None


def _sqlite_utils() -> ModuleType:
    """Imported where it is needed: it costs as much as a small command.

    It would load pandas and numpy for types we never store.
    """
    unwanted = [name for name in ("pandas", "numpy") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(unwanted))  # type: ignore[arg-type]
    try:
        import sqlite_utils
    finally:
        for name in unwanted:
            del sys.modules[name]
    return sqlite_utils


def last_id(
    run: Callable[..., sqlite3.Cursor], table: str, column: str = "id", database: str = ""
) -> int:
    """The highest id that a table has or, with AUTOINCREMENT, ever had; 0 for none.

    `database`: an attached one.
    """
    of = f"{database}." if database else ""
    highest = run(f'SELECT COALESCE(MAX("{column}"), 0) FROM {of}"{table}"').fetchone()[0]
    if run(f"SELECT 1 FROM {of}sqlite_master WHERE name = 'sqlite_sequence'").fetchone():
        last = run(f"SELECT seq FROM {of}sqlite_sequence WHERE name = ?", (table,)).fetchone()
        highest = max(highest, last[0] if last else 0)
    return int(highest)


def columns_of(kind: type[Any], alias: str) -> str:
    """The SELECT list of a row type that repeats columns of one table: `alias.name` of every
    field.
    """
    return ", ".join(f"{alias}.{name}" for name in _field_names(kind))


def _field_names(kind: Any) -> tuple[str, ...]:
    """Names of the fields of a NamedTuple or dataclass."""
    return kind._fields if hasattr(kind, "_fields") else tuple(field.name for field in fields(kind))


@contextmanager
def read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A database of ours as it is, of whatever version. Raises DatabaseUnusable."""
    if not path.is_file():
        raise DatabaseUnusable(f"there is no database {path}", "Check the name")
    try:
        with closing(reading(path, sqlite3.Connection)) as connection:
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise DatabaseUnusable(
                    f"{path} is a database of another program", "Name another file"
                )
            yield connection
    except sqlite3.Error as error:
        raise _explain(error, path) from error


def _explain(error: sqlite3.Error, path: Path) -> DatabaseUnusable:
    text = str(error)
    if "disk is full" in text:
        return DatabaseUnusable(
            f"no space left for {path}", "Free some space and run again: finished work is kept"
        )
    if "locked" in text:
        return DatabaseUnusable(
            f"{path} is in use by another program", "Wait for it, or name another file with --db"
        )
    if "readonly" in text or "unable to open" in text:
        what = f"{path} cannot be opened for writing"
        mend = "Check its permissions"
        if not path.parent.is_dir():
            what = f"{path} cannot be opened: there is no directory {path.parent}"
            mend = "Create the directory"
        return DatabaseUnusable(what, f"{mend}, or name another file with --db")
    if "not a database" in text or "malformed" in text:
        return DatabaseUnusable(
            f"{path} is not a readable SQLite database ({text})",
            "Keep the file as it is and name another one with --db: everything is computed again"
            " from the clones",
        )
    if "disk I/O error" in text:  # EIO, and EFBIG
        return DatabaseUnusable(
            f"the disk failed, or a file may not grow any more, while {path} was in use ({text})",
            "The database holds everything that was finished. Check the disk, its free space and"
            " `ulimit -f`, then run it again",
        )
    hint = "Run it again; finished work is kept. Or name another file with --db"
    if "syntax error" in text or text.startswith("no such "):
        hint = "Correct the query; docs/schema.md lists tables and columns"
    return DatabaseUnusable(f"{path}: {text}", hint)
