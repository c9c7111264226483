"""Connections for SQL that somebody else wrote: bounded in time, in memory and in the size of the
answer.

SQLite looks at its clock between the steps of a program, and one step may be a function over a
gigabyte. So values are limited to `VALUE` bytes, functions whose time grows with the product of two
arguments are replaced by ones where it does not, and a watch interrupts what runs too long. The
limit of memory is one for the whole process: `limit_heap`.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from collector.errors import DatabaseUnusable
from collector.storage.connection import reading

DatabaseError = sqlite3.Error
VALUE = 4_000_000  # bytes of one value or row
_ANSWER = 16_000_000  # characters and bytes of all rows of an answer together
_STEPS = 10_000  # of SQLite's program between two calls of the handler
_LOOK = 0.05  # seconds between two looks of the watch
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: VALUE,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 200,  # a LIKE costs text times pattern
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}


def open_bounded(path: Path) -> Bounded:
    """Opens for reading; threads may share it one after the other. Raises sqlite3.Error."""
    connection = reading(path, Bounded, check_same_thread=False)
    for limit, value in _LIMITS.items():
        connection.setlimit(limit, value)
    # otherwise a sort fills the disk, where no limit reaches
    connection.execute("PRAGMA temp_store = MEMORY")
    for name, count, function in _FUNCTIONS:
        connection.create_function(name, count, function, deterministic=True)
    return connection


def limit_heap(size: int) -> None:
    """SQLite's memory in this process, in bytes; a statement that needs more fails with
    MemoryError. It cannot be raised again.
    """
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"PRAGMA hard_heap_limit = {size}")
    connection.close()


class TookTooLong(Exception):
    """Reading took longer than it may."""


@contextmanager
def time_limit(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """All statements inside may take this long together. Raises TookTooLong."""
    deadline = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
    try:
        yield
    except (sqlite3.Error, DatabaseUnusable) as error:
        if time.monotonic() > deadline:
            raise TookTooLong(f"longer than {seconds:g} s") from error
        raise
    finally:
        connection.set_progress_handler(None, _STEPS)


class _BoundedCursor(sqlite3.Cursor):
    def fetchmany(self, size: int | None = 1) -> list[Any]:
        rows = []
        room = _ANSWER
        for row in self:
            rows.append(row)
            room -= sum(len(value) for value in row if isinstance(value, str | bytes))
            if room < 0:
                # while a statement is open, what interrupts another one interrupts all that follow
                self.close()
                raise sqlite3.OperationalError(
                    f"the answer is larger than {_ANSWER:,} bytes: select fewer rows or columns"
                )
            if len(rows) == size:
                break
        return rows

    def fetchall(self) -> list[Any]:
        return self.fetchmany(None)


class Bounded(sqlite3.Connection):
    """What `open_bounded` opens."""

    _over: threading.Event | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._interrupting = threading.Lock()

    def cursor(self, factory: Any = None) -> Any:
        return super().cursor(factory or _BoundedCursor)

    def set_progress_handler(
        self, progress_handler: Callable[[], int | None] | None, n: int
    ) -> None:
        """As SQLite's own; besides, the handler is asked by the clock, and what it ends is
        interrupted.
        """
        super().set_progress_handler(progress_handler, n)
        if self._over is not None:
            with self._interrupting:
                self._over.set()
            self._over = None
        if progress_handler is not None:
            self._over = threading.Event()
            threading.Thread(
                target=self._watch, args=(progress_handler, self._over), daemon=True
            ).start()

    def _watch(self, handler: Callable[[], int | None], over: threading.Event) -> None:
        while not over.wait(_LOOK):
            # once it is over the connection belongs to somebody else's statement
            with self._interrupting:
                if not over.is_set() and handler():
                    self.interrupt()


# --- functions that take time proportional to the length of their arguments -----------------------


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def _instr(text: object, part: object) -> int | None:
    if text is None or part is None:
        return None
    if isinstance(text, bytes) and isinstance(part, bytes):
        return text.find(part) + 1
    return _text(text).find(_text(part)) + 1


def _replace(text: object, old: object, new: object) -> object:
    if text is None or old is None or new is None:
        return None
    whole = _text(text)
    part = _text(old)
    other = _text(new)
    if not part:
        return whole if isinstance(text, bytes) else text  # a number stays one
    if len(whole) + whole.count(part) * (len(other) - len(part)) > VALUE:
        raise OverflowError("string or blob too big")
    return whole.replace(part, other)


def _trim_function(start: bool, end: bool) -> Callable[..., str | None]:
    def trim(text: object, characters: object = " ") -> str | None:
        if text is None or characters is None:
            return None
        whole = _text(text)
        unwanted = frozenset(_text(characters))
        first = 0
        last = len(whole)
        while start and first < last and whole[first] in unwanted:
            first += 1
        while end and first < last and whole[last - 1] in unwanted:
            last -= 1
        return whole[first:last]

    return trim


def _json_patch(*values: object) -> None:
    raise NotImplementedError("json_patch is not available here")


_FUNCTIONS: tuple[tuple[str, int, Callable[..., Any]], ...] = (
    ("instr", 2, _instr),
    ("replace", 3, _replace),
    *(
        (name, count, _trim_function(start, end))
        for name, start, end in (
            ("trim", True, True),
            ("ltrim", True, False),
            ("rtrim", False, True),
        )
        for count in (1, 2)
    ),
    ("json_patch", 2, _json_patch),
)
