"""`whowrote data cache`: what lies in the caches, and how they are emptied."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import analyse, clone, run, run_json


def test_caches_are_listed_emptied_and_filled_again(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    other = tmp_path / "cache" / "other-program"
    other.mkdir(parents=True)
    repo = clone("example", tmp_path)
    analyse(repo, db)
    listed = run_json("data", "cache", db=db)
    assert listed and all(Path(row["file"]).exists() and row["bytes"] >= 0 for row in listed)
    before = run("blame", repo, "README.md", db=db).stdout
    run("data", "cache", "--purge", db=db)
    assert not any(Path(row["file"]).exists() for row in listed)
    assert db.exists() and other.exists()
    assert run_json("data", "cache", db=db) == []
    assert run("blame", repo, "README.md", db=db).stdout == before != ""
    analyse(repo, db)
