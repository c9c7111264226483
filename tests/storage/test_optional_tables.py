"""Tables that no database has before their first row, and the cache beside it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from support.commands import clone, run
from support.invariants import broken_checks

from collector.console.commands import CommandFiles
from collector.errors import DatabaseUnusable
from collector.storage.compare import compare
from collector.storage.connection import cache_path
from collector.storage.merge import extract, merge
from collector.storage.schema import CACHE, OPTIONAL, columns, homes, names_in
from collector.storage.store import Store

MOST_TABLES, MOST_VIEWS = 35, 30


def _kinds(store: Store) -> dict[str, list[str]]:
    sql = "SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite%'"
    return {kind: [row["name"] for row in store.rows(sql, (kind,))] for kind in ("table", "view")}


@pytest.fixture
def store(tmp_path: Path) -> object:
    with Store(tmp_path / "out.db") as opened:
        yield opened


def test_what_was_never_filled_reads_as_empty(store: Store) -> None:
    for name in homes():
        assert store.rows(f"SELECT * FROM {name}") == [], name
    assert (
        store.value("SELECT COUNT(*) FROM repos r LEFT JOIN findings f ON f.repo_id = r.id LEFT JOIN jobs j ON j.name = r.name")
        == 0
    )
    assert not any(store.has(name) for name in homes())
    assert store.rows("SELECT name FROM sqlite_temp_master") == []
    assert not cache_path(store.path).exists()


def test_a_name_that_is_none_is_still_an_error(store: Store) -> None:
    with pytest.raises(DatabaseUnusable, match="no such table: nothing_of_ours"):
        store.rows("SELECT * FROM nothing_of_ours")
    with pytest.raises(DatabaseUnusable, match="no such column: colour"):
        store.rows("SELECT colour FROM findings")


def test_changing_rows_that_are_not_there_makes_no_table(store: Store) -> None:
    with store.transaction() as connection:
        connection.execute("DELETE FROM findings WHERE repo_id = ?", (1,))
        connection.executemany("UPDATE attempts SET attempt_index = ? WHERE id = ?", [(1, 2), (3, 4)])
        connection.execute("DELETE FROM repos WHERE id IN (SELECT repo_id FROM findings)")
        store.insert("claims", ("id",), [])
    assert not any(store.has(name) for name in ("findings", "attempts", "claims"))


def test_the_first_row_makes_a_table_with_its_part(store: Store) -> None:
    with store.transaction():
        store.insert("forgotten", ("name_hash", "forgotten_at"), [("a", "2026"), ("b", "2026")])
        store.insert("candidates", ("server", "full_name", "first_seen_at"), [("", "o/n", "2026")])
    assert store.value("SELECT COUNT(*) FROM forgotten") == 2
    assert all(store.has(name) for name in names_in("discovery"))
    assert store.value("SELECT COUNT(*) FROM wanted_candidates") is not None


def test_a_table_that_was_made_in_vain_is_gone_with_its_transaction(store: Store) -> None:
    with pytest.raises(KeyError), store.transaction():
        store.insert("forgotten", ("name_hash", "forgotten_at"), [("a", "2026")])
        raise KeyError
    assert not store.has("forgotten")


def test_a_table_that_another_process_makes_is_seen(store: Store) -> None:
    assert store.rows("SELECT * FROM forgotten") == []
    with Store(store.path) as other, other.transaction():
        other.insert("forgotten", ("name_hash", "forgotten_at"), [("a", "2026")])
    assert store.value("SELECT COUNT(*) FROM forgotten") == 1


@pytest.mark.parametrize("part", OPTIONAL)
def test_every_part_stands_on_the_core_and_what_it_says_it_needs(part: str, store: Store) -> None:
    with store.transaction() as connection:
        connection.make(part)
    for name in (*names_in(part), *_kinds(store)["view"]):
        assert store.rows(f"SELECT * FROM main.{name}") == []
    assert store.value("SELECT COUNT(*) FROM pragma_foreign_key_check") == 0
    assert columns().keys() >= set(names_in(part))


# --- the cache ------------------------------------------------------------------------------------------------------------


def _remember(store: Store, request: str) -> None:
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO survival_reports VALUES (?, 'k', '{}')", (request,))


def test_the_cache_is_a_file_of_its_own(store: Store) -> None:
    _remember(store, "a")
    assert cache_path(store.path).name == "out-cache.db" and cache_path(store.path).is_file()
    assert not any(store.has(name) for part in CACHE for name in names_in(part))
    with Store(store.path) as again:
        assert again.rows("SELECT request FROM survival_reports") == [{"request": "a"}]


@pytest.mark.parametrize("damage", ["gone", "no database", "another version"])
def test_a_cache_that_is_gone_or_damaged_is_made_anew(damage: str, tmp_path: Path) -> None:
    with Store(tmp_path / "out.db") as store:
        _remember(store, "a")
    beside = cache_path(tmp_path / "out.db")
    if damage == "gone":
        beside.unlink()
    elif damage == "no database":
        beside.write_bytes(b"x" * 5000)
    else:
        with sqlite3.connect(beside) as other:
            other.execute("PRAGMA user_version = 99")
        other.close()
    with Store(tmp_path / "out.db") as store:
        assert store.rows("SELECT request FROM survival_reports") == []
        _remember(store, "b")
        assert store.rows("SELECT request FROM survival_reports") == [{"request": "b"}]


# --- whole databases ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("optional")
    for case in ("example", "squash"):
        assert run("repo", clone(case, folder), "--db", folder / "all.db", "--history", "-q").exit_code == 0
    return folder / "all.db"


def test_a_reader_gets_a_database_that_can_be_looked_over(filled: Path) -> None:
    with Store(filled) as store:
        kinds = _kinds(store)
        assert len(kinds["table"]) <= MOST_TABLES and len(kinds["view"]) <= MOST_VIEWS
        filled_parts = {part for name, part in homes().items() if store.value(f"SELECT 1 FROM {name} LIMIT 1")}
        assert {homes()[name] for name in kinds["table"] if name in homes()} == filled_parts
        for view in kinds["view"]:
            store.rows(f"SELECT * FROM {view}")
        assert broken_checks(store) == {}


def test_parts_go_along_when_databases_are_merged_and_taken_apart(filled: Path, tmp_path: Path) -> None:
    with Store(filled) as store:
        names = [row["name"] for row in store.rows("SELECT name FROM repos")]
        extract(store, tmp_path / "apart.db", names)
    with Store(tmp_path / "whole.db") as whole:
        merge(whole, tmp_path / "apart.db")
        assert whole.has("line_lifetimes") and not whole.has("findings")
    assert [one for one in compare(filled, tmp_path / "whole.db") if one.differs] == []


def test_commands_that_read_do_without_optional_tables(tmp_path: Path) -> None:
    db = tmp_path / "out.db"
    Store(db).close()
    chapters = [("report", name) for name in CommandFiles("REPORTS")]
    for command in (*chapters, ("sessions",), ("findings",), ("data", "problems"), ("data", "check")):
        result = run(*command, "--db", db, "--json")
        assert result.exit_code in (0, 1, 2), (command, result.output)
    with Store(db) as store:
        assert not any(store.has(name) for name in homes())
