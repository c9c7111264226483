"""The tables of a database, and the cache beside it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from support.answers import column
from support.commands import analyse, clone, run
from support.invariants import broken_checks

from collector.console.commands import CommandFiles
from collector.errors import DatabaseUnusable
from collector.storage import schema
from collector.storage.compare import compare
from collector.storage.connection import cache_path
from collector.storage.merge import extract, merge
from collector.storage.schema import CACHE, MAIN, names_in
from collector.storage.store import Store


@pytest.fixture
def store(db: Path) -> object:
    with Store(db) as opened:
        yield opened


def test_every_table_and_view_is_there_and_empty(store: Store) -> None:
    names = [name for part in MAIN for name in names_in(part)]
    assert set(
        column(store, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
    ) >= set(names)
    assert [name for name in names if store.rows(f"SELECT * FROM {name}")] == []
    assert store.value("SELECT COUNT(*) FROM pragma_foreign_key_check") == 0


def test_a_name_that_is_none_is_an_error(store: Store) -> None:
    with pytest.raises(DatabaseUnusable, match="no such table: nothing_of_ours"):
        store.rows("SELECT * FROM nothing_of_ours")
    with pytest.raises(DatabaseUnusable, match="no such column: colour"):
        store.rows("SELECT colour FROM findings")


def test_a_table_that_the_schema_had_otherwise_is_another_schema() -> None:
    plain = "CREATE TABLE IF NOT EXISTS t (\n  a TEXT -- the first\n);\n"
    assert _version(plain) == _version(plain.replace("the first", "something"))
    assert (
        len(
            {
                _version(plain),
                _version(plain.replace("TEXT", "TEXT NOT NULL")),
                _version(plain.replace("a TEXT", "b TEXT")),
            }
        )
        == 3
    )


def _version(sql: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "schema_sql", lambda parts: sql)
        return int(schema.schema_version.__wrapped__(("t",)))


def test_a_cache_is_read_without_being_made(store: Store) -> None:
    with store.cache(create=False) as cache:
        assert [
            name for part in CACHE for name in names_in(part) if cache.rows(f"SELECT * FROM {name}")
        ] == []
    assert not cache_path(store.path).exists()


def _remember(store: Store, request: str) -> None:
    with store.cache() as cache, cache.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO survival_reports VALUES (?, 'k', '{}')", (request,)
        )


def _remembered(store: Store) -> list[str]:
    with store.cache(create=False) as cache:
        return column(cache, "SELECT request FROM survival_reports")


def test_the_cache_is_a_file_of_its_own(store: Store) -> None:
    _remember(store, "a")
    assert cache_path(store.path).name == "out-cache.db" and cache_path(store.path).is_file()
    assert not any(store.has(name) for part in CACHE for name in names_in(part))
    assert _remembered(store) == ["a"]


@pytest.mark.parametrize("damage", ["gone", "no database", "another version"])
def test_a_cache_that_is_gone_or_damaged_is_made_anew(damage: str, db: Path) -> None:
    with Store(db) as store:
        _remember(store, "a")
    beside = cache_path(db)
    if damage == "gone":
        beside.unlink()
    elif damage == "no database":
        beside.write_bytes(b"x" * 5000)
    else:
        with sqlite3.connect(beside) as other:
            other.execute("PRAGMA user_version = 99")
        other.close()
    with Store(db) as store:
        assert _remembered(store) == []
        _remember(store, "b")
        assert _remembered(store) == ["b"]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    for case in ("example", "squash"):
        analyse(clone(case, folder), folder / "all.db", "--history")
    return folder / "all.db"


def test_views_of_a_filled_database_can_be_read(filled: Path) -> None:
    with Store(filled) as store:
        for view in store.rows("SELECT name FROM sqlite_master WHERE type = 'view'"):
            store.rows(f"SELECT * FROM {view['name']}")
        assert broken_checks(store) == {}


def test_all_tables_go_along_when_databases_are_merged_and_taken_apart(
    filled: Path, tmp_path: Path, db: Path
) -> None:
    with Store(filled) as store:
        names = column(store, "SELECT name FROM repos")
        Store(db).close()
        extract(store, db, names)
    with Store(tmp_path / "whole.db") as whole:
        merge(whole, db)
        assert whole.value("SELECT COUNT(*) FROM line_lifetimes")
    differing = {
        difference.table
        for difference in compare(filled, tmp_path / "whole.db")
        if difference.differs
    }
    assert differing <= {"confidence"}  # of no repository: it holds for the lines of all


def test_commands_read_an_empty_database(db: Path) -> None:
    Store(db).close()
    chapters = [("report", name) for name in CommandFiles("REPORTS")]
    for command in (
        *chapters,
        ("sessions",),
        ("findings",),
        ("data", "problems"),
        ("data", "check"),
    ):
        result = run(*command, "--json", code=None, db=db)
        assert result.exit_code in (0, 1, 2), (command, result.output)
