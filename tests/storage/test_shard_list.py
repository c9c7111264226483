"""`collect catalog`: databases as they are, without opening them for writing."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from support.commands import clone, rows, run

from collector.cli import cli as collect
from collector.storage.store import SCHEMA_VERSION, Store


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with two shards of one repository each, one of them below."""
    place = tmp_path_factory.mktemp("shards")
    clones = tmp_path_factory.mktemp("clones")
    (place / "more").mkdir()
    for case, shard in (("example", place / "a.db"), ("squash", place / "more" / "b.db")):
        assert run("repo", clone(case, clones), "-o", shard, "-q").exit_code == 0
    return place


def test_each_database_has_its_repositories_rows_and_versions(shards: Path) -> None:
    before = {path: path.read_bytes() for path in shards.rglob("*.db")}
    result = run("catalog", shards, "--json", program=collect)
    assert result.exit_code == 0, result.output
    first, second = json.loads(result.stdout)
    assert [Path(one["path"]).name for one in (first, second)] == ["a.db", "b.db"]
    assert first["repositories"] == ["example"] and second["repositories"] == ["squash"]
    with Store(shards / "a.db") as store:
        names = [row["name"] for row in store.rows("SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite%'")]
        assert first["rows"] == sum(store.value(f'SELECT COUNT(*) FROM "{name}"') for name in names)
        assert (first["sessions"], first["commits"]) == (
            store.value("SELECT COUNT(*) FROM sessions"),
            store.value("SELECT COUNT(*) FROM commits"),
        )
        assert first["stages"]["lines"] == store.value("SELECT version FROM stage_runs WHERE stage = 'lines'")
        assert first["finished_at"] == store.value("SELECT MAX(finished_at) FROM stage_runs")
    assert (first["schema"], first["state"], first["bytes"]) == (SCHEMA_VERSION, "ready", (shards / "a.db").stat().st_size)
    assert before == {path: path.read_bytes() for path in shards.rglob("*.db")}


def test_text_and_csv_have_the_same_databases(shards: Path) -> None:
    text = run("catalog", shards, program=collect).stdout
    assert "2 databases (2 ready) with 2 repositories" in text and "squash" in text
    listed = rows(run("catalog", shards / "a.db", shards / "more", "--csv", program=collect))
    assert [row["repositories"] for row in listed] == ["example", "squash"]
    assert "lines:" in listed[0]["stages"]


def test_what_cannot_be_used_as_it_is_says_so(shards: Path, tmp_path: Path) -> None:
    for name in ("again.db", "unfinished.db.part", "old.db", "new.db", "torn.db"):
        shutil.copy(shards / "a.db", tmp_path / name)
    for name, version in (("old.db", SCHEMA_VERSION - 1), ("new.db", SCHEMA_VERSION + 1)):
        with sqlite3.connect(tmp_path / name) as plain:
            plain.execute(f"PRAGMA user_version = {version}")
        plain.close()
    torn = bytearray((tmp_path / "torn.db").read_bytes())
    torn[100:] = b"\xff" * (len(torn) - 100)
    (tmp_path / "torn.db").write_bytes(torn)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE notes (text)")
    other.close()
    (tmp_path / "x-cache.db").write_bytes(b"")
    with Store(tmp_path / "sessions.db", is_cache=True):
        pass
    found = json.loads(run("catalog", tmp_path, "--json", program=collect).stdout)
    states = {Path(one["path"]).name: one["state"] for one in found}
    expected = {"again.db": "ready", "unfinished.db.part": "unfinished", "old.db": "older", "new.db": "newer", "torn.db": "damaged"}
    assert states == expected
    assert [one["elsewhere"] for one in found if one["state"] == "older"] == [["example"]]  # again.db comes first


def test_a_named_place_that_holds_nothing_is_an_error(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE notes (text)")
    other.close()
    for place, word in ((tmp_path / "nowhere", "there is no"), (tmp_path / "other.db", "another program")):
        result = run("catalog", place, program=collect)
        assert result.exit_code != 0 and word in result.stderr
