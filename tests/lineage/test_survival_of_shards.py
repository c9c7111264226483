"""`attribute survival --db DIRECTORY`: the same as over the merged database."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.commands import clone, run

from collector.cli import cli as collect
from collector.storage.store import SCHEMA_VERSION, Store


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with three shards: the history of two is followed, that of the third is not."""
    place, clones = tmp_path_factory.mktemp("shards"), tmp_path_factory.mktemp("clones")
    for number, case in enumerate(("example", "formatter_after_agent", "squash")):
        path = clone(case, clones)
        assert run("repo", path, "-o", place / f"{number}.db", "-q").exit_code == 0
        if case != "squash":
            assert run("survival", path, "--db", place / f"{number}.db", "--no-curves", "-q").exit_code == 0
    return place


def test_shards_give_the_same_as_the_merged_database(shards: Path, tmp_path: Path) -> None:
    merged = tmp_path / "merged.db"
    assert run("merge", *sorted(shards.glob("*.db")), "-o", merged, program=collect).exit_code == 0
    apart, together = (json.loads(run("survival", "--db", db, "--json").stdout) for db in (shards, merged))
    assert len(apart["repositories"]) == 2 and apart["hazards"] is not None
    assert sum(group["lines"] for group in apart["groups"] if group["grouping"] == "class") > 50
    assert apart == together
    assert "no line history for squash yet" in apart["notes"]


def test_rows_of_the_shards_stay_as_they_are(shards: Path) -> None:
    tables: dict[str, list[list[dict[str, Any]]]] = {}
    for _ in range(2):
        for path in shards.glob("*.db"):
            with Store(path) as store:
                tables.setdefault(path.name, []).append(store.rows("SELECT * FROM line_fates ORDER BY origin"))
        assert run("survival", "--db", shards, "--csv").exit_code == 0
    assert all(first == second for first, second in tables.values())


def test_a_repository_in_two_shards_is_not_counted_twice(shards: Path, tmp_path: Path) -> None:
    for name in ("a.db", "b.db"):
        shutil.copy(shards / "0.db", tmp_path / name)
    result = run("survival", "--db", tmp_path, "--no-curves")
    assert result.exit_code == 2
    assert "example is in" in result.stderr and "collect merge" in result.stderr


def test_databases_that_cannot_be_read_are_left_out_and_named(shards: Path, tmp_path: Path) -> None:
    for name in ("0.db", "1.db"):
        shutil.copy(shards / name, tmp_path / name)
    with Store(tmp_path / "1.db") as store:
        store.connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    result = run("survival", "--db", tmp_path, "--no-curves")
    assert result.exit_code == 0, result.output
    assert "1.db is left out: it is of a later version" in " ".join(result.stdout.split())


def test_a_directory_without_databases_is_an_error(tmp_path: Path) -> None:
    result = run("survival", "--db", tmp_path, "--no-curves")
    assert result.exit_code == 2
    assert "no line history yet" in result.stderr
