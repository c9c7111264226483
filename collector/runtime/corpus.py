"""Databases of a directory, read as one that nobody has to merge and keep.

What the questions about all repositories ask is copied into a database in the user's cache, shard by shard; a shard that did not
change since is not read again. Texts that only the page of one session shows, more than half of a shard, stay where they are.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from collector.errors import DatabaseUnusable
from collector.runtime.locks import file_lock, lock_path
from collector.runtime.progress import Progress, no_progress
from collector.runtime.shard_copies import Taken, brought_up_to_date
from collector.runtime.stages import digest
from collector.storage.columns import ColumnStore
from collector.storage.dataset import is_dataset
from collector.storage.merge import merge
from collector.storage.places import cache_directory
from collector.storage.shard_list import shard_rows
from collector.storage.store import SCHEMA_VERSION, Store, read_only

VERSION = "1"  # of what is copied
LEFT_OUT = frozenset({"messages", "region_edits", "region_symbols", "tool_calls.input", "tool_calls.output"})
"""Tables, and columns of tables, that the corpus has not: no command that reads a whole database asks for them."""
_COPIES = "corpora"  # directory in the user's cache
_KEPT = 30 * 86_400  # seconds since a copy was last used

Tell = Callable[[str], None]


def _silent(note: str) -> None:
    """Nobody is told."""


@contextmanager
def database_at(db: Path, tell: Tell = _silent, progress: Progress = no_progress) -> Iterator[Store]:
    """The database at a path, or all databases in a directory as one, or a data set. `tell`: hears which are left out.

    Raises DatabaseUnusable for no database and a damaged data set; WhoWroteError for a directory without any, with a repository in
    two of them, or with a data set but without the extra `corpus`.
    """
    if not db.is_dir():
        with Store(db, create=False) as store:
            yield store
        return
    if is_dataset(db):
        with ColumnStore(db) as columns:
            yield columns
        return
    with opened_corpus(db, tell, progress) as store:
        yield store


def opened_corpus(directory: Path, tell: Tell = _silent, progress: Progress = no_progress) -> Store:
    """All databases in a directory as one, to be closed. `tell` and errors: as of `database_at`."""
    directory = directory.resolve()  # shards are known by their paths, however the directory is named
    file = _place(directory)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_unused()
    lock = lock_path(file)
    with file_lock(lock, math.inf, str(directory), progress=progress):
        try:
            return _filled(file, directory, tell, progress)
        finally:
            lock.unlink(missing_ok=True)


def _filled(file: Path, directory: Path, tell: Tell, progress: Progress) -> Store:
    """The copy, up to date; a damaged one is made anew."""
    try:
        store = Store(file)
    except DatabaseUnusable:
        _remove(file)
        store = Store(file)
    os.utime(file)
    try:
        for note in brought_up_to_date(store, directory, partial(_take, store), progress).notes:
            tell(note)
    except BaseException:
        store.close()
        raise
    return store


def _take(store: Store, file: Path) -> Taken:
    merged = merge(store, file, force=True, without=LEFT_OUT)
    return Taken([*merged.added, *merged.replaced])


def is_corpus(directory: Path) -> bool:
    """Whether there is a database of ours in a directory."""
    return directory.is_dir() and next(shard_rows([directory]), None) is not None


def forget_copies(repository: str) -> None:
    """Removes the copies that hold a repository: they are made again from what is left."""
    for file in _copies():
        if _may_hold(file, repository):
            _remove(file)


def _may_hold(file: Path, repository: str) -> bool:
    """Also when it cannot be told: of a damaged copy, or one without tables."""
    try:
        with read_only(file) as connection:
            found = connection.execute("SELECT 1 FROM repos WHERE name = ? COLLATE NOCASE", (repository,)).fetchone()
    except DatabaseUnusable:
        return True
    return found is not None


def _place(directory: Path) -> Path:
    return cache_directory() / _COPIES / f"{digest(str(directory), str(SCHEMA_VERSION), VERSION)}.db"


def _copies() -> list[Path]:
    return sorted((cache_directory() / _COPIES).glob("*.db"))


def _remove_unused() -> None:
    """A directory that is gone, or a copy that an earlier version made, would stay for ever."""
    for file in _copies():
        if file.stat().st_mtime < time.time() - _KEPT:
            _remove(file)


def _remove(file: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + ending).unlink(missing_ok=True)
