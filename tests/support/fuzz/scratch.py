"""A database in which nothing stays."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from collector.storage.store import Store


@contextmanager
def directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="whowrote-fuzz-") as name:
        yield Path(name)


@contextmanager
def database() -> Iterator[Store]:
    """With one repository and one session, number 1 each."""
    with directory() as place, Store(place / "fuzz.db") as store:
        with store.transaction():
            store.connection.execute("INSERT INTO repos (id, name, path) VALUES (1, 'r', '/r')")
            store.connection.execute(
                "INSERT INTO sessions (id, repo_id, key, label, transcript) VALUES (1, 1, 's', 's',"
                " 'none')"
            )
        yield store


@contextmanager
def undone(store: Store) -> Iterator[None]:
    """What is written in the block is taken back."""
    store.connection.execute("BEGIN")
    try:
        yield
    finally:
        store.connection.execute("ROLLBACK")
