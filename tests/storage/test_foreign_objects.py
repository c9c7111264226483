"""A database that somebody sent runs nothing: triggers, and tables or views of other making than
ours, are refused.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support.commands import analyse, clone, collect, run

from collector.errors import EXIT_DATABASE
from collector.storage.store import Store

_ENDLESS = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
FOREIGN = {
    "a view without an end in place of a table": (
        f"""
        CREATE TABLE kept AS SELECT * FROM commits; DROP TABLE commits;
        CREATE VIEW commits AS {_ENDLESS} SELECT kept.* FROM kept, n"""
    ),
    "a view of the schema that is another": (
        f"""
        DROP VIEW commit_checkpoints; CREATE VIEW commit_checkpoints AS {_ENDLESS} SELECT i
          FROM n"""
    ),
    "a trigger that deletes what others wrote": (
        """
        CREATE TRIGGER t AFTER INSERT ON stage_runs BEGIN DELETE FROM line_spans; END"""
    ),
    "a trigger on a view": (
        "CREATE TRIGGER t INSTEAD OF INSERT ON commit_checkpoints BEGIN DELETE FROM commits; END"
    ),
    "a column that is computed": (
        "ALTER TABLE problems ADD COLUMN size GENERATED ALWAYS AS (zeroblob(100000000)) VIRTUAL"
    ),
    "a table of a module": (
        "DROP TABLE forgotten; CREATE VIRTUAL TABLE forgotten USING fts5(name_hash)"
    ),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("foreign")
    db = directory / "x.db"
    analyse(clone("example", directory), db)
    return db


def _changed(sound: Path, sql: str, directory: Path) -> Path:
    path = directory / "sent.db"
    with closing(sqlite3.connect(sound)) as connection:
        connection.execute("VACUUM INTO ?", (str(path),))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA legacy_alter_table = ON")
        connection.executescript(sql)
    return path


@pytest.mark.parametrize("name", FOREIGN)
def test_a_database_with_something_that_runs_is_refused(
    name: str, sound: Path, tmp_path: Path, db: Path
) -> None:
    sent = _changed(sound, FOREIGN[name], tmp_path)
    before = sent.read_bytes()
    for arguments in (["sessions", "--db", sent], ["data", "check", "--db", sent]):
        done = run(*arguments, code=EXIT_DATABASE)
        assert "this program did not make" in done.stderr
    merged = collect("merge", sent, "-o", db, code=None)
    assert merged.exit_code != 0 and "this program did not make" in merged.stderr
    assert sent.read_bytes() == before


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "CREATE VIEW mine AS SELECT 1",
        "CREATE TABLE notes (text)",
        "CREATE INDEX fast ON commits (subject)",
    ],
)
def test_what_its_owner_adds_under_other_names_stays(sql: str, sound: Path, tmp_path: Path) -> None:
    own = _changed(sound, sql, tmp_path)
    with Store(own) as store:
        store.index_prompts()
    for arguments in (["sessions", "--db", own], ["data", "check", "--db", own], ["db", own, "-q"]):
        run(*arguments)
