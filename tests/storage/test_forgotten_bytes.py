"""What was deleted is gone from the bytes of every file, also with an SQLite that leaves deleted
text where it was.
"""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from collector.discovery.mirrors.table import forget
from collector.storage import store as storage
from collector.storage.connection import OwnConnection, cache_path
from collector.storage.merge import extract, forget_rows
from collector.storage.store import Store

_PROMPT = "heliotrope-prompt-of-somebody"


class Leaving(OwnConnection):
    """As most builds of SQLite open a database: deleted text stays in its pages."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        super().execute("PRAGMA secure_delete = OFF")


@pytest.fixture(autouse=True)
def _upstream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "OwnConnection", Leaving)


def _filled(path: Path) -> Path:
    with Store(path) as store, store.transaction():
        store.insert("repos", ("id", "name", "shallow", "partial"), [(1, "o/one", 0, 0)])
        counts = (
            "turns",
            "tool_calls",
            "interruptions",
            "compactions",
            "subagents",
            "unseen_subagents",
            "checkpoints",
        )
        session = (1, 1, "k", "", "present", "person", *[0] * len(counts))
        store.insert(
            "sessions",
            ("id", "repo_id", "key", "label", "transcript", "driver", *counts),
            [session],
        )
        rows = [(1, n, "prompt", "person", f"{_PROMPT} {n} " + "word " * 300) for n in range(60)]
        store.insert("turns", ("session_id", "turn_index", "origin", "driver", "prompt"), rows)
    return path


def _bytes(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.iterdir() if file.is_file())


def test_the_simulated_build_does_leave_deleted_text(db: Path) -> None:
    """Else the tests below prove nothing."""
    connection = sqlite3.connect(db, factory=Leaving, isolation_level=None)
    connection.execute("CREATE TABLE t (x)")
    connection.executemany(
        "INSERT INTO t VALUES (?)", [(f"{_PROMPT} {n} " + "word " * 300,) for n in range(60)]
    )
    connection.execute("DELETE FROM t")
    connection.close()
    assert _PROMPT.encode() in _bytes(db)


@pytest.mark.parametrize("indexed", [False, True], ids=["plain", "with the search index"])
def test_a_forgotten_repository_leaves_no_byte(tmp_path: Path, db: Path, indexed: bool) -> None:
    path = _filled(db)
    with Store(path) as store:
        if indexed:
            store.index_prompts()
        assert _PROMPT.encode() in _bytes(path)
        assert forget(store, "o/one", tmp_path / "mirrors")["in_use"] == 0
        assert b"heliotrope" not in _bytes(path)


def test_text_that_an_older_version_left_in_free_pages_goes_as_well(
    tmp_path: Path, db: Path
) -> None:
    path = _filled(db)
    with sqlite3.connect(path, factory=Leaving) as old:
        old.execute("DELETE FROM turns")
    old.close()
    assert b"heliotrope" in _bytes(path)
    with Store(path) as store:
        forget(store, "o/one", tmp_path / "mirrors")
    assert b"heliotrope" not in _bytes(path)


def test_removed_rows_are_overwritten_in_a_copy_too(tmp_path: Path, db: Path) -> None:
    path = _filled(db)
    (tmp_path / "shard").mkdir()
    shard = tmp_path / "shard" / "one.db"
    with Store(path) as store:
        Store(shard).close()
        extract(store, shard, ["o/one"])
    with Store(shard) as store:
        assert b"heliotrope" in _bytes(shard)
        forget_rows(store, ["o/one"])
    assert b"heliotrope" not in _bytes(shard)


def test_a_reader_that_keeps_the_log_open_is_told_of(tmp_path: Path, db: Path) -> None:
    path = _filled(db)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT COUNT(*) FROM turns").fetchone()
    with Store(path) as store:
        store.connection.execute("PRAGMA busy_timeout = 10")
        assert forget(store, "o/one", tmp_path / "mirrors")["in_use"] == 1
        reader.close()
        assert forget(store, "o/one", tmp_path / "mirrors")["in_use"] == 0
        assert b"heliotrope" not in _bytes(path)


def _database(path: Path) -> None:
    _filled(path)


def _shard(path: Path) -> None:
    with Store(_filled(path.parent / "of.db")) as store:
        Store(path).close()
        extract(store, path, ["o/one"])


def _cache(path: Path) -> None:
    with Store(path.parent / "of.db") as store, store.cache():
        cache_path(store.path).rename(path)


@pytest.mark.parametrize("make", [_database, _shard, _cache], ids=["database", "shard", "cache"])
def test_a_new_database_is_its_owner_s_alone(db: Path, make: Callable[[Path], None]) -> None:
    path = db
    make(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_database_that_its_owner_shares_stays_shared(db: Path) -> None:
    path = _filled(db)
    path.chmod(0o640)
    Store(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
