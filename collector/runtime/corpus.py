"""Databases of a directory, read as one that nobody has to merge and keep.

What the questions about all repositories ask is copied into a database in the user's cache, shard by shard; a shard that did not
change since is not read again. Texts that only the page of one session shows, more than half of a shard, stay where they are.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from collector.errors import DatabaseUnusable, WhoWroteError
from collector.runtime.locks import file_lock, lock_path
from collector.runtime.progress import Progress, no_progress
from collector.runtime.stages import digest
from collector.storage.merge import forget_rows, merge
from collector.storage.places import cache_directory
from collector.storage.shard_list import NOT_READY, ShardRow, ShardState, in_two, shard_rows
from collector.storage.store import SCHEMA_VERSION, Store, read_only

VERSION = "1"  # of what is copied
LEFT_OUT = frozenset({"messages", "region_edits", "region_symbols", "tool_calls.input", "tool_calls.output"})
"""Tables, and columns of tables, that the corpus has not: no command that reads a whole database asks for them."""
_SHARD = "shard "  # names of settings: one for each database that was copied
_BESIDE = ("", "-wal")
_COPIES = "corpora"  # directory in the user's cache
_KEPT = 30 * 86_400  # seconds since a copy was last used

Tell = Callable[[str], None]


def _silent(note: str) -> None:
    """Nobody is told."""


@contextmanager
def database_at(db: Path, tell: Tell = _silent, progress: Progress = no_progress) -> Iterator[Store]:
    """The database at a path, or all databases in a directory as one. `tell`: hears which are left out.

    Raises DatabaseUnusable for no database, WhoWroteError for a directory without any or with a repository in two of them.
    """
    if not db.is_dir():
        with Store(db, create=False) as store:
            yield store
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
        for note in _brought_up_to_date(store, directory, progress):
            tell(note)
    except BaseException:
        store.close()
        raise
    return store


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


@dataclass(frozen=True, slots=True)
class _Copied:
    """A shard as it was when it was copied."""

    stamp: str
    repositories: Sequence[str]  # names in the corpus


class _Found(NamedTuple):
    """The shards of a directory that are there now."""

    same: dict[str, _Copied]
    changed: list[ShardRow]
    notes: list[str]


def _brought_up_to_date(store: Store, directory: Path, progress: Progress) -> list[str]:
    """Copies what changed. Notes for people. Raises WhoWroteError, before anything is copied, for a repository in two shards."""
    known = _copied(store)
    found = _compare(directory, known)
    if not found.same and not found.changed:
        raise WhoWroteError(
            "\n".join([f"no database can be read in {directory}", *found.notes]),
            "A directory of databases is what collect run and attribute db leave in DB.shards; collect catalog DIR lists it",
        )
    _refuse_twice(directory, found)
    stale = {path: one for path, one in known.items() if path not in found.same}
    if stale:
        forget_rows(store, [name for one in stale.values() for name in one.repositories])
        _note(store, gone=stale)
    for number, row in enumerate(found.changed):
        progress("reading databases", number, len(found.changed))
        with Store(row.path, create=False):
            pass  # the first to open it after its last writer takes in what is left of its log
        stamp = _stamp(Path(row.path))
        merged = merge(store, Path(row.path), force=True, without=LEFT_OUT)
        _note(store, copied={row.path: _Copied(stamp, [*merged.added, *merged.replaced])})
    return found.notes


def _compare(directory: Path, known: Mapping[str, _Copied]) -> _Found:
    found = _Found({}, [], [])

    def is_same(file: Path) -> bool:
        before = known.get(str(file))
        if before is None or before.stamp != _stamp(file):
            return False
        found.same[str(file)] = before
        return True

    for row in shard_rows([directory], is_same):
        if row.state == ShardState.READY:
            found.changed.append(row)
        else:
            found.notes.append(f"{row.path} is left out: {NOT_READY[row.state]}")
    return found


def _refuse_twice(directory: Path, found: _Found) -> None:
    seen: dict[str, str] = {}
    places = [(path, one.repositories) for path, one in found.same.items()]
    for path, names in sorted([*places, *((row.path, row.repositories) for row in found.changed)]):
        for name in names:
            if name.lower() in seen:
                raise in_two(name, path, directory)
            seen[name.lower()] = path


def _stamp(file: Path) -> str:
    """Changes when the database may have."""
    parts = (file.with_name(file.name + ending) for ending in _BESIDE)
    states = (part.stat() for part in parts if part.is_file())
    return " ".join(f"{state.st_size} {state.st_mtime_ns}" for state in states if state.st_size)


def _copied(store: Store) -> dict[str, _Copied]:
    rows = store.rows("SELECT name, value FROM settings WHERE name LIKE ?", (_SHARD + "%",))
    return {row["name"].removeprefix(_SHARD): _Copied(*json.loads(row["value"])) for row in rows}


def _note(store: Store, gone: Iterable[str] = (), copied: Mapping[str, _Copied] = MappingProxyType({})) -> None:
    with store.transaction() as connection:
        connection.executemany("DELETE FROM settings WHERE name = ?", [(_SHARD + path,) for path in gone])
        rows = [(_SHARD + path, json.dumps([one.stamp, list(one.repositories)])) for path, one in copied.items()]
        connection.executemany("INSERT OR REPLACE INTO settings VALUES (?, ?)", rows)
