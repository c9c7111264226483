"""The adapter for the database: what it refuses, what it keeps, what it explains."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from support.answers import value
from support.commands import run
from support.invariants import broken_checks

from attribution.queries.checks import checks
from collector.errors import EXIT_DATABASE, DatabaseUnusable
from collector.model import Problem
from collector.runtime.stages import Stage, StageName
from collector.storage import views
from collector.storage.schema import MAIN, schema_version
from collector.storage.store import APPLICATION_ID, Store, iso


def _add(store: Store, name: str) -> None:
    store.insert("repos", ("name",), [(name,)])


def _names(store: Store) -> list[str]:
    return [row["name"] for row in store.rows("SELECT name FROM repos ORDER BY name")]


# --- opening --------------------------------------------------------------------------------------


def test_new_database_says_what_it_is(db: Path) -> None:
    with Store(db):
        pass
    with sqlite3.connect(db) as plain:
        assert plain.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert plain.execute("PRAGMA user_version").fetchone() == (schema_version(MAIN),)
    plain.close()


def test_database_of_another_program_is_refused_and_not_changed(db: Path) -> None:
    path = db
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes (text)")
        other.execute("INSERT INTO notes VALUES ('mine')")
    other.close()
    before = path.read_bytes()
    with pytest.raises(DatabaseUnusable, match="another program") as refused:
        Store(path)
    assert "--db" in refused.value.hint
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", [0, 99])
@pytest.mark.parametrize("clones", [(), ("/clones/one", "/clones/the other")])
def test_database_of_another_schema_is_refused_with_the_command_that_rebuilds_it(
    version: int, clones: tuple[str, ...], db: Path
) -> None:
    path = db
    with Store(path) as store:
        store.connection.executemany(
            "INSERT INTO repos (name, path) VALUES (?, ?)", [(clone, clone) for clone in clones]
        )
        store.connection.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(DatabaseUnusable, match=f"schema {version}") as refused:
        Store(path)
    assert refused.value.exit_code == EXIT_DATABASE
    paths = "/clones/one '/clones/the other'" if clones else "PATH..."
    assert f"mv {path} {path}.old && whowrote repo {paths} --db {path}" in refused.value.hint
    assert path.read_bytes() == before


def test_command_on_a_database_of_another_schema_ends_with_exit_code_5(db: Path) -> None:
    path = db
    with Store(path) as store:
        store.connection.execute("PRAGMA user_version = 99")
    done = run("sessions", code=EXIT_DATABASE, db=path)
    assert f"whowrote repo PATH... --db {path}" in done.output


def test_cache_of_another_schema_is_named_as_one(db: Path) -> None:
    path = db
    with Store(path, is_cache=True) as cache:
        cache.connection.execute("CREATE TABLE scans (id INTEGER)")
        cache.connection.execute("PRAGMA user_version = 99")
    with pytest.raises(DatabaseUnusable) as refused:
        Store(path, is_cache=True)
    assert "only a cache" in refused.value.hint


@pytest.mark.parametrize(
    "content",
    [
        b"not a database at all, but text that is long enough" * 100,
        b"SQLite format 3\0" + b"\xff" * 4096,
    ],
)
def test_file_that_is_no_database_is_refused_and_not_changed(content: bytes, db: Path) -> None:
    path = db
    path.write_bytes(content)
    with pytest.raises(DatabaseUnusable, match="not a readable SQLite database"):
        Store(path)
    assert path.read_bytes() == content


def test_empty_file_is_a_new_database(db: Path) -> None:
    (db).touch()
    with Store(db) as store:
        assert _names(store) == []


def test_directory_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnusable):
        Store(tmp_path)


def test_absent_directory_is_explained(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnusable, match="cannot be opened"):
        Store(tmp_path / "absent" / "out.db")


def test_asking_an_absent_database_creates_none(db: Path) -> None:
    with pytest.raises(DatabaseUnusable, match="there is no database") as refused:
        Store(db, create=False)
    assert "whowrote repo" in refused.value.hint
    assert not (db).exists()


def test_creation_that_is_killed_leaves_a_database_that_opens(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = db

    def stop(_: str) -> list[str]:
        return ["CREATE TABLE repos (id INTEGER)", "this is no SQL"]

    with monkeypatch.context() as patch:
        patch.setattr("collector.storage.store.statements", stop)
        with pytest.raises(DatabaseUnusable):
            Store(path)
    with Store(path) as store:
        _add(store, "r")
        assert _names(store) == ["r"]


def test_what_was_written_is_there_when_opened_again(db: Path) -> None:
    with Store(db) as store, store.transaction():
        _add(store, "kept")
    with Store(db, create=False) as store:
        assert _names(store) == ["kept"]


# --- transactions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_error_in_a_transaction_takes_everything_back(error: type[BaseException], db: Path) -> None:
    with Store(db) as store:
        with store.transaction():
            _add(store, "before")
        with pytest.raises(error), store.transaction():
            _add(store, "lost")
            raise error
        assert _names(store) == ["before"]
        with store.transaction():  # and it still works
            _add(store, "later")
        assert _names(store) == ["before", "later"]


def test_failing_statement_takes_everything_back_and_is_explained(db: Path) -> None:
    with Store(db) as store:
        with pytest.raises(DatabaseUnusable, match="UNIQUE"), store.transaction():
            _add(store, "twice")
            _add(store, "twice")
        assert _names(store) == []


def test_rows_that_point_to_nothing_are_refused(db: Path) -> None:
    with Store(db) as store:
        with pytest.raises(DatabaseUnusable, match="FOREIGN KEY"), store.transaction():
            store.insert(
                "sessions", ("repo_id", "key", "label", "transcript"), [(99, "k", "l", "none")]
            )
        assert store.value("SELECT COUNT(*) FROM sessions") == 0


def test_generator_of_rows_that_fails_leaves_no_row(db: Path) -> None:
    def rows() -> object:
        yield ("one",)
        raise ValueError("reading went wrong")

    with Store(db) as store:
        with pytest.raises(ValueError, match="went wrong"), store.transaction():
            store.insert("repos", ("name",), rows())  # type: ignore[arg-type]
        assert _names(store) == []


def test_database_in_use_is_explained(db: Path) -> None:
    with Store(db) as one, Store(db) as two:
        two.connection.execute("PRAGMA busy_timeout = 10")
        with one.transaction():
            _add(one, "first")
            with (
                pytest.raises(DatabaseUnusable, match="in use by another program"),
                two.transaction(),
            ):
                _add(two, "second")
            assert _names(two) == []  # reading goes on meanwhile
        assert _names(two) == ["first"]


def test_full_disk_is_explained_and_keeps_what_was_finished(db: Path) -> None:
    with Store(db) as store:
        with store.transaction():
            _add(store, "kept")
        pages = store.value("PRAGMA page_count")
        store.value(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(DatabaseUnusable, match="no space left") as refused, store.transaction():
            store.insert("repos", ("name",), ((f"{n}" * 200,) for n in range(1000)))
        assert "finished work is kept" in refused.value.hint
        assert _names(store) == ["kept"]


def test_database_that_cannot_be_written_is_explained(db: Path) -> None:
    path = db
    with Store(path) as store, store.transaction():
        _add(store, "kept")
    with Store(path) as store:
        store.connection.execute("PRAGMA query_only = ON")
        with (
            pytest.raises(DatabaseUnusable, match="cannot be opened for writing"),
            store.transaction(),
        ):
            _add(store, "lost")
        assert _names(store) == ["kept"]


def test_wrong_question_is_explained(db: Path) -> None:
    with Store(db) as store:
        for ask in (store.rows, store.value):
            with pytest.raises(DatabaseUnusable, match="no such table"):
                ask("SELECT * FROM nowhere")


# --- bookkeeping ----------------------------------------------------------------------------------


def test_numbers_go_on_where_they_ended(db: Path) -> None:
    with Store(db) as store:
        assert store.next_id("repos") == 1
        with store.transaction():
            _add(store, "one")
        assert store.next_id("repos") == 2


def test_problems_with_strange_texts_are_stored(db: Path) -> None:
    with Store(db) as store:
        with store.transaction():
            _add(store, "r")
            store.add_problems(
                1, [Problem("lines", "a\ud800\0b\udcff", "code", "x" * 10_000 + "\x1b[31m")]
            )
        (row,) = store.rows("SELECT subject, detail FROM problems")
        assert row["subject"] == "a\\xd800\\x00b\\xff"
        assert row["detail"] == "x" * 500


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (0.0, "1970-01-01T00:00:00.000Z"),
        (1772445600.729, "2026-03-02T10:00:00.729Z"),
        (1772445600.9999, "2026-03-02T10:00:00.999Z"),
        (None, None),
        (1e20, None),
        (float("nan"), None),
        (float("inf"), None),
        (-1e15, None),
    ],
)
def test_times_are_written_one_way(at: float | None, text: str | None) -> None:
    assert iso(at) == text


# --- the schema -----------------------------------------------------------------------------------


def test_every_table_view_and_column_is_described(db: Path) -> None:
    """Against a real database: views have the columns that SQLite says they have."""
    told = {table.name: table for table in views.tables()}
    with Store(db) as store, store.cache() as cache:
        real = {
            row["name"]: [
                column["name"]
                for column in file.rows("SELECT name FROM pragma_table_info(?)", (row["name"],))
            ]
            for file in (store, cache)
            for row in file.rows(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE"
                " 'sqlite%'"
            )
        }
    assert real.keys() == told.keys()
    assert {name: [column.name for column in table.columns] for name, table in told.items()} == real
    assert [name for name, table in told.items() if len(table.comment) < 10] == []
    assert [
        (name, c.name) for name, table in told.items() for c in table.columns if not c.comment
    ] == []


def test_an_undescribed_column_of_a_view_is_noticed() -> None:
    (view,) = views.tables(
        "-- Some rows.\n--   one: the first\nCREATE VIEW IF NOT EXISTS v AS\nSELECT 1 AS one, 2 AS"
        " two;\n"
    )
    assert (view.comment, [column.name for column in view.columns]) == ("Some rows.", ["one"])


def test_every_invariant_holds_for_an_empty_database(db: Path) -> None:
    with Store(db) as store:
        assert len(checks(store)) >= 25
        assert broken_checks(store) == {}


def test_deleting_a_repository_leaves_nothing_of_it(db: Path) -> None:
    with Store(db) as store:
        with store.transaction():
            _add(store, "r")
            store.insert(
                "sessions", ("repo_id", "key", "label", "transcript"), [(1, "k", "l", "none")]
            )
            store.insert(
                "turns",
                ("session_id", "turn_index", "origin", "driver", "prompt"),
                [(1, 1, "prompt", "person", "x")],
            )
            store.add_problems(1, [Problem("lines", "s", "c")])
        Stage(StageName.LINES, "1").start(store, 1, "key").finish()
        with store.transaction() as connection:
            connection.execute("DELETE FROM repos")
        tables = [
            r["name"]
            for r in store.rows(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            )
        ]
        assert {
            table: store.value(f"SELECT COUNT(*) FROM {table}") for table in tables
        } == dict.fromkeys(tables, 0)


def test_a_run_that_failed_leaves_no_empty_file(tmp_path: Path, db: Path) -> None:
    path = tmp_path / "new.db"
    with pytest.raises(ValueError, match="nothing to store"), Store(path):
        raise ValueError("nothing to store")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="later"), Store(path) as store:
        store.insert("settings", ("name", "value"), [("content", "full")])
        raise ValueError("later")
    assert path.exists()
    with Store(db):
        pass
    with pytest.raises(ValueError, match="again"), Store(db):
        raise ValueError("again")
    assert (db).exists()  # it was there before


def test_a_file_that_somebody_else_has_open_stays(db: Path) -> None:
    path = db
    with pytest.raises(ValueError, match="failed"), Store(path):
        other = Store(path)
        raise ValueError("failed")
    other.insert("settings", ("name", "value"), [("content", "full")])
    other.close()
    assert value(path, "SELECT value FROM settings WHERE name = 'content'") == "full"


def test_a_file_that_goes_while_it_is_opened_is_made_again(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = db
    whole = Store._prepare
    taken = list[Store]()

    def prepare(store: Store) -> None:
        whole(store)
        if not taken:
            taken.append(store)
            for file in tmp_path.iterdir():
                file.unlink()

    monkeypatch.setattr(Store, "_prepare", prepare)
    with Store(path) as store:
        store.insert("settings", ("name", "value"), [("content", "full")])
    monkeypatch.undo()
    assert value(path, "SELECT value FROM settings WHERE name = 'content'") == "full"
