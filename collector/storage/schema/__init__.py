"""The tables and views of the database as SQL text, a file for each subject, in the order in which
they are best read.

Every database has all of them but the parts of the cache, which are in files that can be deleted at
any time.

One comment per table, view and column: docs/schema.md and the descriptions in Datasette are
generated from them. Columns of
views are described in lines `--   column: text` before the view; `--   *:
                                   table` stands for all columns of that table.
Times are UTC, ISO 8601. NULL means "not known", never zero. Line numbers start at 1.
"""

import re
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from collector.json_values import Texts
from collector.plugins import plugin_directories

_CORE = (
    "repositories",
    "sessions",
    "lines",
    "confidence",
    "outcomes",
    "bookkeeping",
    "lists",
    "history",
    "survival",
    "settings",
    "forgotten",
    "cache/jobs",
    "cache/sessions_read",
    "cache/session_places",
    "cache/reports",
)


def _files() -> dict[str, Path]:
    """Part -> its file, in reading order: a part refers only to tables of earlier ones.

    Those of plug-ins follow the core.
    """
    here = Path(__file__).parent
    core = {name: here / f"{name}.sql" for name in _CORE}
    folders = [directory / "schema" for directory in plugin_directories().values()]
    files = [
        path
        for folder in folders
        for path in sorted(folder.glob("*.sql")) + sorted(folder.glob("cache/*.sql"))
    ]
    return core | {
        f"cache/{path.stem}" if path.parent.name == "cache" else path.stem: path for path in files
    }


FILES = _files()
CACHE = tuple(name for name in FILES if name.startswith("cache/"))
MAIN = tuple(name for name in FILES if name not in CACHE)
PARTS = MAIN + CACHE
_CARRIED = re.compile(r"^-- carried: ([\w ]+)$", re.MULTILINE)
# `TABLE.COLUMN...`, or `TABLE.COLUMN.KEY` for JSON objects
_TEXTS = re.compile(r"^-- text kept with (\w+): (.+)$", re.MULTILINE)
_COMMENT = re.compile(r"--.*")
_MADE = re.compile(r"^CREATE (?:TABLE|VIEW) IF NOT EXISTS (\w+)", re.MULTILINE)


@cache
def _text(name: str) -> str:
    return FILES[name].read_text("utf-8")


@cache
def carried_tables() -> tuple[str, ...]:
    """Tables whose rows cannot be computed again (`collector/storage/carry.py`), those that
    others point to first.
    """
    return tuple(
        table
        for part in MAIN
        for listed in _CARRIED.findall(_text(part))
        for table in listed.split()
    )


class Text(NamedTuple):
    """A column with text that people or agents wrote, or a key of the JSON objects in it."""

    table: str
    column: str
    key: str  # "" for the whole value
    content: str  # the least content of a database that keeps it (`collector/storage/retention.py`)


def texts_of_plugins() -> list[Text]:
    """What the schema of plug-ins says about text."""
    listed = [
        (content, name.split("."))
        for part in MAIN
        for content, names in _TEXTS.findall(_text(part))
        for name in names.split()
    ]
    return [Text(table, column, "".join(key), content) for content, (table, column, *key) in listed]


@cache
def part_sql(name: str) -> str:
    # not before a database is opened: it imports every vocabulary
    from collector.vocabulary.schema import expand_words

    return expand_words(_text(name))


def schema_sql(parts: Sequence[str] = PARTS) -> str:
    """The whole schema, or some parts of it."""
    return "\n".join(map(part_sql, parts))


@cache
def schema_version(parts: Sequence[str]) -> int:
    """A number of 31 bits that changes with any table or view of these parts, and not with a
    comment.
    """
    words = _COMMENT.sub("", schema_sql(parts)).split()
    return zlib.crc32(" ".join(words).encode()) & 0x7FFFFFFF | 1


def statements(script: str) -> Iterator[str]:
    """Statements of a script one by one: `executescript` would commit in the middle."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if ";" in line and sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@cache
def names_in(part: str) -> tuple[str, ...]:
    """Tables and views of a part."""
    return tuple(_MADE.findall(_text(part)))


_LAYOUT = re.compile(r"--.*|\bIF NOT EXISTS\b|[\s;]+")
_OBJECT = re.compile(r"^CREATE (?:TABLE|VIEW|(?:UNIQUE )?INDEX) IF NOT EXISTS (\w+)", re.MULTILINE)


@cache
def _definitions(parts: Sequence[str]) -> Texts:
    """Table, view or index of these parts -> its statement as SQLite keeps it."""
    named = ((_OBJECT.search(statement), statement) for statement in statements(schema_sql(parts)))
    kept = (
        (match[1], statement[match.start() :].rstrip().removesuffix(";"))
        for match, statement in named
        if match
    )
    return {name: statement.replace("IF NOT EXISTS ", "", 1) for name, statement in kept}


def first_foreign(connection: sqlite3.Connection, parts: Sequence[str]) -> str | None:
    """The name of a trigger, or of something that is called like a table or view of these parts and
    is another.

    Whoever made it decides what runs when the database is read or written: a view may have no end.
    """
    definitions = _definitions(parts)
    for kind, name, sql in connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    ):
        own = definitions.get(name, sql)
        if kind == "trigger" or (own != sql and _LAYOUT.sub("", sql) != _LAYOUT.sub("", own)):
            return str(name)
    return None
