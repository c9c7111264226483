"""What cost money or reading is taken along to a database that is rebuilt."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from support.answers import column
from support.commands import clone, run

from collector.errors import WhoWroteError
from collector.storage.carry import export_carried, import_carried
from collector.storage.compare import compare
from collector.storage.schema import carried_tables
from collector.storage.store import Store, read_only

AT = "2026-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clones")
    for case in ("example", "squash"):
        clone(case, folder)
    return folder


def _built(clones: Path, db: Path, *cases: str) -> Path:
    run("repo", *(clones / case for case in cases), "-q", db=db)
    return db


def _fill(store: Store) -> None:
    """One row or more in every carried table."""
    with store.transaction() as connection:
        sessions = column(store, "SELECT id FROM sessions ORDER BY key")
        for number, session in enumerate(sessions, 7):
            answer = (number, "m", "turns", "1", f"i{number}", '{"a": 1}', 1, AT)
            connection.execute(
                "INSERT INTO judgements (id, model, prompt, prompt_version, input_hash, output,"
                " attempts, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                answer,
            )
            connection.execute(
                "INSERT INTO judge_labels VALUES (?, 1, 'pushback', 'none', NULL, 'm', '1', ?)",
                (session, number),
            )
        connection.execute(
            "INSERT INTO judge_validations VALUES ('m', '1', 'pushback', 'none', 1, 2, 3, 4, 0.5,"
            " NULL, 0.25, ?)",
            (AT,),
        )
        review = ("f1", "jo", "true", "seen", AT, "example", "c" * 40, "a.py", 3, "r.one")
        connection.execute(
            "INSERT INTO finding_reviews VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", review
        )
        connection.execute(
            "INSERT INTO candidates (id, full_name, first_seen_at) VALUES (41, 'Größe/日本', ?)",
            (AT,),
        )
        connection.execute(
            "INSERT INTO discoveries (candidate_id, channel, query, slice, seen_at) VALUES (41,"
            " 'code', 'q', 's', ?)",
            (AT,),
        )
        connection.execute(
            "INSERT INTO cursors (server, channel, query, slice, state, updated_at) VALUES ('s',"
            " 'c', 'q', 's', 'done', ?)",
            (AT,),
        )
        connection.execute("INSERT INTO forgotten VALUES ('hash', ?)", (AT,))


def _exported(db: Path) -> str:
    file = io.StringIO()
    with Store(db) as store:
        export_carried(store, file)
    return file.getvalue()


def test_a_rebuilt_database_gets_them_back_under_its_own_numbers(
    clones: Path, tmp_path: Path, db: Path
) -> None:
    old = _built(clones, db, "example", "squash")
    with Store(old) as store:
        _fill(store)
    text = _exported(old)
    assert {name for line in text.splitlines() for name in json.loads(line)} == {
        "policy",
        *carried_tables(),
    }
    new = _built(clones, tmp_path / "new.db", "squash", "example")
    with Store(new) as store:
        imported = import_carried(store, io.StringIO(text))
        assert not imported.left_out and set(imported.added) == set(carried_tables())
        assert not import_carried(store, io.StringIO(text)).added.total()
        assert store.value("SELECT COUNT(*) FROM pragma_foreign_key_check") == 0
    assert [table for table in compare(old, new) if table.differs] == []


def test_rows_about_what_is_not_there_are_left_out_and_counted(
    clones: Path, tmp_path: Path, db: Path
) -> None:
    old = _built(clones, db, "example", "squash")
    with Store(old) as store:
        _fill(store)
        sessions = store.value(
            "SELECT COUNT(*) FROM sessions s JOIN repos r ON r.id = s.repo_id WHERE r.name ="
            " 'squash'"
        )
    with Store(_built(clones, tmp_path / "new.db", "example")) as store:
        imported = import_carried(store, io.StringIO(_exported(old)))
        assert dict(imported.left_out) == {"judge_labels": sessions} and sessions
        assert (
            store.value("SELECT COUNT(*) FROM judge_labels") == imported.added["judge_labels"] > 0
        )


def test_a_database_of_another_schema_is_exported(tmp_path: Path, db: Path) -> None:
    path = db
    with Store(path) as store:
        _fill(store)
        store.connection.execute("ALTER TABLE finding_reviews ADD COLUMN gone TEXT")
        store.connection.execute("PRAGMA user_version = 99")
    file = io.StringIO()
    with read_only(path) as connection:
        assert export_carried(Store.over(connection, path), file)["finding_reviews"] == 1
    with Store(tmp_path / "new.db") as store:
        file.seek(0)
        import_carried(store, file)
        assert store.value("SELECT note FROM finding_reviews") == "seen"


def test_texts_are_kept_as_the_database_keeps_texts(db: Path) -> None:
    line = {
        "judgements": {
            "model": "m",
            "prompt": "p",
            "prompt_version": "1",
            "input_hash": "i",
            "attempts": 1,
            "at": AT,
        }
    }
    line["judgements"]["output"] = json.dumps({"label": "x", "notes": "what somebody typed"})
    with Store(db) as store:
        with store.transaction():
            store.keep(type(store.policy)("none", store.policy.redaction))
        import_carried(store, io.StringIO(json.dumps(line)))
        assert store.value("SELECT output FROM judgements") == '{"label": "x"}'


def test_a_database_that_is_built_again_keeps_no_more_text_than_before(
    tmp_path: Path, db: Path
) -> None:
    file = io.StringIO()
    with Store(db) as store:
        store.keep_content("none", "emails")
        export_carried(store, file)
    with Store(tmp_path / "new.db") as store:
        file.seek(0)
        import_carried(store, file)
        assert (store.policy.content, store.policy.redaction) == ("none", "emails")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "1",
        "{}",
        '{"repos": {"name": "x"}}',
        '{"forgotten": 1}',
        '{"forgotten": {"nothing": 1}}',
        '{"forgotten": {"name_hash": [1]}}',
        '{"a": {}, "b": {}}',
    ],
)
def test_other_lines_are_refused_and_nothing_is_added(line: str, db: Path) -> None:
    first = '{"forgotten": {"name_hash": "h", "forgotten_at": "2026"}}'
    with Store(db) as store:
        with pytest.raises(WhoWroteError, match="line 2"):
            import_carried(store, io.StringIO(f"{first}\n{line}\n"))
        assert store.value("SELECT COUNT(*) FROM forgotten") == 0


def test_a_value_that_the_schema_refuses_is_an_error_in_words(db: Path) -> None:
    row = {
        "server": "s",
        "channel": "c",
        "query": "q",
        "slice": "s",
        "state": "no such state",
        "updated_at": AT,
    }
    with Store(db) as store, pytest.raises(WhoWroteError, match="CHECK"):
        import_carried(store, io.StringIO(json.dumps({"cursors": row})))
