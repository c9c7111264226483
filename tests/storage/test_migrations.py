"""A database of each earlier version opens, keeps its facts, and is filled again to what a new one holds.

tests/data/databases has a dump of each version, written by the last commit of that version from fixtures/repos/example
(tests/make_old_database.py).
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
from support.commands import clone, run
from support.invariants import broken_checks

from collector.storage.compare import compare
from collector.storage.migrations import STEPS
from collector.storage.schema import CACHE, homes, names_in
from collector.storage.store import SCHEMA_VERSION, Store

DUMPS = Path(__file__).parent.parent / "data" / "databases"
VERSIONS = tuple(range(1, SCHEMA_VERSION))
FACTS = ("repos", "commits", "checkpoints", "sessions", "checkpoint_sessions", "turns", "tool_calls")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clone("example", tmp_path_factory.mktemp("clone"))


@pytest.fixture(scope="module")
def new(example: Path) -> Path:
    db = example.parent / "new.db"
    _fill(example, db)
    return db


def _fill(example: Path, db: Path) -> None:
    assert run("repo", example, "--db", db, "--history", "-q").exit_code == 0
    assert run("claims", example, "--db", db).exit_code == 0


def _old(version: int, example: Path, path: Path) -> Path:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript((DUMPS / f"v{version}.sql").read_text("utf-8").replace("/clone/example", str(example)))
        assert connection.execute("PRAGMA user_version").fetchone() == (version,)
    return path


def _facts(path: Path, columns: dict[str, str]) -> dict[str, list[tuple[object, ...]]]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return {name: sorted(connection.execute(f"SELECT {columns[name]} FROM {name}"), key=repr) for name in FACTS}


def _columns(path: Path) -> dict[str, str]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return {name: ", ".join(row[1] for row in connection.execute(f"PRAGMA table_info({name})")) for name in FACTS}


def test_every_version_has_a_dump() -> None:
    assert {path.name for path in DUMPS.iterdir()} - {f"v{SCHEMA_VERSION}.sql"} == {f"v{version}.sql" for version in VERSIONS}
    assert VERSIONS[-1] == SCHEMA_VERSION - 1
    assert set(STEPS) <= set(range(2, SCHEMA_VERSION + 1))


@pytest.mark.parametrize("version", VERSIONS)
def test_an_old_database_keeps_its_facts_and_gets_its_conclusions_again(
    version: int, example: Path, new: Path, tmp_path: Path
) -> None:
    path = _old(version, example, tmp_path / "old.db")
    columns = _columns(path)
    before = _facts(path, columns)
    assert len(before["tool_calls"]) > 10 and len(before["commits"]) == 11
    with Store(path) as store:
        assert store.value("PRAGMA user_version") == SCHEMA_VERSION
        assert store.value("SELECT COUNT(*) FROM pragma_foreign_key_check") == 0
        assert store.value("SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'check\\_%' ESCAPE '\\'") == 0
        assert not any(store.has(name) for part in CACHE for name in names_in(part))
        for name, part in homes().items():
            assert not store.has(name) or part not in ("judge", "discovery", "mirrors", "attempts"), name
    assert _facts(path, columns) == before
    _fill(example, path)
    assert [one for one in compare(path, new) if one.differs] == []
    with Store(path) as store:
        assert broken_checks(store) == {}


def test_conclusions_stay_when_their_tables_did_not_change(new: Path, tmp_path: Path) -> None:
    path = tmp_path / "same.db"
    path.write_bytes(new.read_bytes())
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION - 1}")
        connection.execute("CREATE TABLE findings (id INTEGER PRIMARY KEY)")  # as earlier versions had it, without a row
    with Store(path) as store:
        assert not store.has("findings")
        assert store.value("SELECT COUNT(*) FROM line_histories") > 10
    assert [one for one in compare(path, new) if one.differs] == []


def test_tables_with_other_columns_are_made_what_they_are_now(example: Path, new: Path, tmp_path: Path) -> None:
    """What a version may do without a step of its own."""
    path = _old(5, example, tmp_path / "old.db")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE turns ADD COLUMN earlier TEXT")
        connection.execute("ALTER TABLE spans ADD COLUMN earlier TEXT")
    with Store(path) as store:
        assert store.value("SELECT COUNT(*) FROM turns") == 5
        assert store.value("SELECT COUNT(*) FROM spans") == 0
        assert store.value("SELECT COUNT(*) FROM stage_runs WHERE stage = 'lines'") == 0
        assert store.value("SELECT COUNT(*) FROM stage_runs WHERE stage = 'load'") == 1
    same = _old(5, example, tmp_path / "same.db")
    assert _facts(path, _columns(same)) == _facts(same, _columns(same))
    _fill(example, path)
    assert [one for one in compare(path, new) if one.differs] == []


def test_a_migration_that_fails_changes_nothing(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _old(3, example, tmp_path / "old.db")
    columns = _columns(path)
    before = _facts(path, columns)

    def stop(db: object) -> None:
        raise RuntimeError("stopped")

    with monkeypatch.context() as patch:
        patch.setattr("collector.storage.migrations._drop_unneeded", stop)
        with pytest.raises(RuntimeError):
            Store(path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (3,)
    assert _facts(path, columns) == before
    Store(path).close()
