"""Transcripts of this machine hold whatever was on the screen: a database that takes them in keeps less, for its owner alone."""

from __future__ import annotations

from pathlib import Path

from collector.storage.connection import cache_path
from collector.storage.retention import Policy, Redaction
from collector.storage.store import Store

_MODE = 0o600
_BESIDE = ("", "-wal", "-shm", "-journal")


def keep_private(store: Store) -> None:
    """Only the owner may read the file, and e-mail addresses are taken out of text too, unless something else was chosen."""
    for database in (store.path, cache_path(store.path)):
        for ending in _BESIDE:
            _close(database.with_name(database.name + ending))
    if store.value("SELECT 1 FROM settings WHERE name = 'content'") is not None:
        return
    with store.transaction():
        store.keep(Policy(redaction=Redaction.EMAILS))


def _close(path: Path) -> None:
    if path.is_file() and path.stat().st_mode & 0o077:
        path.chmod(_MODE)
