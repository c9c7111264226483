"""`--db DIRECTORY` of the commands over whole databases: the same as over the merged database."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support.commands import clone, run

from collector.cli import cli as collect
from collector.errors import DatabaseUnusable
from collector.runtime.corpus import LEFT_OUT, database_at, forget_copies
from collector.storage.store import Store
from whowrote import WhoWroteError
from whowrote import open as open_database

CASES = ("example", "squash", "cherry_pick")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shards of one repository each, and the database that merging makes of them."""
    place = tmp_path_factory.mktemp("corpus")
    (place / "shards").mkdir()
    for number, case in enumerate(CASES):
        assert (
            run("repo", clone(case, place), "--name", f"acme/{case}", "--db", place / "shards" / f"{number}.db", "-q").exit_code
            == 0
        )
    shards = sorted((place / "shards").glob("[0-9].db"))
    assert run("merge", *shards, "-o", place / "merged.db", program=collect).exit_code == 0
    return place


@pytest.fixture
def shards(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Path(shutil.copytree(built / "shards", tmp_path / "shards"))


@pytest.mark.parametrize(
    "words", [("study", "--json"), ("grades", "--min-n", "2", "--json"), ("report", "--by", "month,agent", "--json"), ("report",)],
    ids=" ".join,
)  # fmt: skip
def test_a_directory_says_what_the_merged_database_says(words: tuple[str, ...], built: Path, shards: Path) -> None:
    together = run(*words, "--db", built / "merged.db")
    apart, again = run(*words, "--db", shards), run(*words, "--db", shards)
    assert together.exit_code == apart.exit_code == 0, apart.output
    assert apart.stdout == again.stdout == together.stdout


def test_python_opens_a_directory(built: Path, shards: Path) -> None:
    question = "SELECT class, SUM(lines) AS lines FROM line_spans GROUP BY class ORDER BY class"
    with open_database(shards) as apart, open_database(built / "merged.db") as together:
        assert list(apart.sql(question)) == list(together.sql(question)) != []


def test_only_what_changed_is_copied_again_and_what_went_is_gone(shards: Path) -> None:
    with database_at(shards) as store:
        first = store.value("SELECT COUNT(*) FROM repos")
        stamps = {row["name"]: row["value"] for row in store.rows("SELECT name, value FROM settings WHERE name LIKE 'shard %'")}
    assert (first, len(stamps)) == (3, 3)
    with Store(shards / "1.db") as changed, changed.transaction() as connection:
        connection.execute("UPDATE sessions SET model = 'another'")
    (shards / "2.db").unlink()
    with database_at(shards) as store:
        after = {row["name"]: row["value"] for row in store.rows("SELECT name, value FROM settings WHERE name LIKE 'shard %'")}
        assert [after[name] == stamps[name] for name in sorted(after)] == [True, False]
        assert store.value("SELECT COUNT(*) FROM sessions WHERE model = 'another'") > 0
        assert store.value("SELECT COUNT(*) FROM repos") == 2


def test_texts_of_single_sessions_stay_in_their_shard(shards: Path) -> None:
    with Store(shards / "0.db") as whole:
        assert whole.value("SELECT COUNT(*) FROM tool_calls WHERE input IS NOT NULL") > 0
    with database_at(shards) as store:
        for name in LEFT_OUT:
            table, _, column = name.partition(".")
            if store.has(table):
                assert store.value(f"SELECT COUNT({column or '*'}) FROM {table}") == 0


def test_a_forgotten_repository_is_in_no_copy(shards: Path, tmp_path: Path) -> None:
    with database_at(shards):
        pass
    (copy,) = (tmp_path / "cache" / "whowrote" / "corpora").glob("*.db")
    assert copy.parent.stat().st_mode & 0o077 == 0
    forget_copies("nobody/nothing")
    assert copy.exists()
    assert run("forget", "acme/example", "--db", shards / "0.db", "--yes", program=collect).exit_code == 0
    assert not copy.exists()


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"?" * 4000], ids=["empty", "text", "damaged"])
def test_a_damaged_copy_is_made_anew_and_hinders_nobody(shards: Path, tmp_path: Path, content: bytes) -> None:
    first = run("grades", "--json", "--db", shards).stdout
    (copy,) = (tmp_path / "cache" / "whowrote" / "corpora").iterdir()
    copy.write_bytes(content)
    assert run("grades", "--json", "--db", shards).stdout == first
    copy.write_bytes(content)
    forget_copies("acme/example")
    assert not copy.exists()


def test_one_directory_has_one_copy_however_it_is_named(shards: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with database_at(shards) as store:
        before = store.rows("SELECT * FROM settings ORDER BY name")
    monkeypatch.chdir(shards.parent)
    monkeypatch.setattr("collector.runtime.corpus.merge", None)  # nothing is copied again
    with database_at(Path("shards") / ".") as store:
        assert store.rows("SELECT * FROM settings ORDER BY name") == before


def test_a_copy_that_nobody_uses_goes(shards: Path, tmp_path: Path) -> None:
    with database_at(shards):
        pass
    (copy,) = (tmp_path / "cache" / "whowrote" / "corpora").glob("*.db")
    old = copy.with_name("0" * 32 + ".db")
    shutil.copy(copy, old)
    os.utime(old, (0, 0))
    with database_at(shards):
        pass
    assert copy.exists() and not old.exists()


def test_a_repository_in_two_databases_is_refused(shards: Path) -> None:
    shutil.copy(shards / "0.db", shards / "3.db")
    result = run("grades", "--db", shards)
    assert result.exit_code != 0 and "is in" in result.output and "collect merge" in result.output


def test_a_directory_without_databases_says_so(tmp_path: Path) -> None:
    result = run("study", "--db", tmp_path)
    assert result.exit_code != 0 and "no database can be read in" in result.output


def test_what_cannot_be_read_is_left_out_in_words(shards: Path) -> None:
    (shards / "2.db").rename(shards / "2.db.part")
    result = run("report", "--db", shards)
    assert result.exit_code == 0 and "2.db.part is left out: a run has not finished it" in result.stderr


def test_a_clone_is_still_a_clone(built: Path, tmp_path: Path) -> None:
    with pytest.raises(WhoWroteError):
        open_database(tmp_path)
    assert json.loads(run("grades", "--json", "--db", built / "merged.db").stdout)


def test_a_command_that_reads_one_database_says_so_of_a_directory(tmp_path: Path) -> None:
    for create in (True, False):
        with pytest.raises(DatabaseUnusable, match="is a directory, where one database is needed"):
            Store(tmp_path, create=create)
