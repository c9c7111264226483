"""From every earlier version of the database to this one (the migrations of sqlite-utils): facts are kept, conclusions refilled.

Versions 1 to 5 each added tables and views. Version 6 moved what is work and no result to a file beside the database, and makes
the tables of optional parts when they are needed. Version 7 renamed tables of the history. A version that changes columns needs no
step of its own unless values must be computed: `_as_it_is_now` compares each table with the schema. One that is the same stays. A
changed one of facts is copied, column by column. When one of conclusions changed, all of them are emptied, and the stages that fill
them run again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from collector.storage import library
from collector.storage.connection import Connection, Cursor
from collector.storage.schema import CACHE, CORE, NEEDS, OPTIONAL, names_in, part_sql, statements

# Conclusions, which point to each other, and the stages that fill them. All other parts are facts, or cost money or people's time.
_REFILLED = ("lines", "confidence", "outcomes", "history", "survival", "weaknesses", "claims", "claim_lines")
_CONCLUDING = ("lines", "history", "survival", "weaknesses", "complexity", "claims")
_LOADING = ("load", "session")  # the stages that read facts from the clone
_EARLIER_VIEWS = ("check\\_%", "feature\\_nulls")  # checks were views once; the other one is made with the table of features
_NAME = re.compile(r"CREATE (TABLE|VIEW) (?:IF NOT EXISTS )?\"?(\w+)")
Step = Callable[[Any], None]


def _drop_history(database: Any) -> None:
    """Tables of line lifetimes had other names. They are conclusions: the stages fill the new ones."""
    run = database.conn.execute
    if _stored(run, "line_lives") is None:
        return
    for name in ("line_travels", "line_lives"):
        run(f"DROP TABLE IF EXISTS {name}")
    for part in ("survival", "history"):
        _drop(run, part)
    _forget(run, ("history", "survival"))


STEPS: dict[int, Step] = {7: _drop_history}  # version -> what it needs beside `_as_it_is_now`; gets a sqlite_utils.Database


def migrate(connection: Connection, version: int, target: int) -> None:
    """Brings a database of `version` to `target`. Call within a transaction that does not enforce foreign keys."""
    steps = library.migrations("whowrote")
    for number in range(version + 1, target + 1):
        if number in STEPS:
            steps(name=f"schema {number}")(STEPS[number])
    steps(name=f"tables as of schema {target}")(lambda db: _as_it_is_now(db.conn))
    steps.apply(library.database(connection))


def _as_it_is_now(connection: Connection) -> None:
    """Every table and view as the schema has it; the tables of an optional part go when it holds nothing."""
    run = connection.execute
    _drop_unneeded(run)
    if any(_is_other(run, name) for part in _REFILLED for name in _tables(part)):
        for part in reversed(_REFILLED):
            _drop(run, part)
        _forget(run, _CONCLUDING)
    present = {part for part in OPTIONAL if any(_stored(run, name) is not None for name in _tables(part))}
    wanted = {*CORE, *present, *(NEEDS[part] for part in present if part in NEEDS)}
    for part in (part for part in (*CORE, *OPTIONAL) if part in wanted):
        for name in _tables(part):
            if _is_other(run, name):
                _copy(run, name)
        for statement in statements(part_sql(part)):
            run(statement)


def _drop_unneeded(run: Callable[..., Cursor]) -> None:
    """Views, which are made again, tables of the cache, and optional parts without a row."""
    for (view,) in run("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
        if view in _definitions() or any(_is_like(run, view, pattern) for pattern in _EARLIER_VIEWS):
            run(f'DROP VIEW "{view}"')
    for part in CACHE:
        _drop(run, part)
    for part in reversed(OPTIONAL):
        if not any(_has_rows(run, name) for name in _tables(part)):
            _drop(run, part)


def _is_other(run: Callable[..., Cursor], name: str) -> bool:
    """Whether a table is there and is not what it is in the schema."""
    stored = _stored(run, name)
    return stored is not None and _plain(stored) != _plain(_definitions()[name])


def _copy(run: Callable[..., Cursor], name: str) -> None:
    """Makes a table of facts what it is in the schema, with the rows that it has."""
    before = [row[1] for row in run(f'PRAGMA table_info("{name}")')]
    run(_definitions()[name].replace(f"EXISTS {name} (", f"EXISTS new_{name} (", 1))
    shared = ", ".join(f'"{row[1]}"' for row in run(f'PRAGMA table_info("new_{name}")') if row[1] in before)
    copied = run(f'INSERT OR IGNORE INTO "new_{name}" ({shared}) SELECT {shared} FROM "{name}"').rowcount
    if copied < run(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0]:  # a value that is no longer one: read from the clone again
        _forget(run, _LOADING)
    run(f'DROP TABLE "{name}"')
    run(f'ALTER TABLE "new_{name}" RENAME TO "{name}"')


def _forget(run: Callable[..., Cursor], stages: tuple[str, ...]) -> None:
    if _stored(run, "stage_runs") is not None:
        run(f"DELETE FROM stage_runs WHERE stage IN ({', '.join('?' * len(stages))})", stages)


def _drop(run: Callable[..., Cursor], part: str) -> None:
    for name in reversed(_tables(part)):
        run(f'DROP TABLE IF EXISTS "{name}"')


def _has_rows(run: Callable[..., Cursor], name: str) -> bool:
    return _stored(run, name) is not None and run(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone() is not None


def _is_like(run: Callable[..., Cursor], name: str, pattern: str) -> bool:
    return bool(run("SELECT ? LIKE ? ESCAPE '\\'", (name, pattern)).fetchone()[0])


def _stored(run: Callable[..., Cursor], name: str) -> str | None:
    """The definition of a table in the database; None when it is not there."""
    found = run("SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?", (name,)).fetchone()
    return str(found[0]) if found else None


def _tables(part: str) -> tuple[str, ...]:
    return tuple(name for name in names_in(part) if _NAME.match(_definitions()[name])[1] == "TABLE")  # type: ignore[index]


@cache
def _definitions() -> dict[str, str]:
    """Table or view -> its statement in the schema."""
    found = {}
    for part in (*CORE, *OPTIONAL, *CACHE):
        for statement in statements(part_sql(part)):
            if match := _NAME.search(statement):
                found[match[2]] = statement[match.start() :]
    return found


def _plain(sql: str) -> str:
    """A definition without comments and white space."""
    sql = re.sub(r"--[^\n]*", "", sql).replace("IF NOT EXISTS ", "").rstrip().rstrip(";")
    return re.sub(r"\s+|\"", "", sql)
