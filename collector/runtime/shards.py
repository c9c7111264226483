"""A shard: the database of one repository, made apart and merged once.

Also the run over many of them.

seed     the rows that the whole database has of the repository, so that only what is new is done
part     the shard while it is made; a killed run leaves it, and the next one goes on in it
shard    complete: renamed from the part, merged in one transaction, then removed
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from collector.errors import DatabaseUnusable
from collector.repository_names import tombstone
from collector.runtime import runner
from collector.runtime.locks import InUse, file_lock
from collector.runtime.runner import RunOptions
from collector.runtime.stages import StageName, note_failure
from collector.runtime.workers import Task, TaskResult
from collector.storage.connection import cache_path
from collector.storage.merge import extract, forget_rows, merge
from collector.storage.store import Store, utc_now
from collector.text import add_ending

_PATIENCE = 120.0  # seconds to wait for another run at the same shard


@dataclass(frozen=True)
class ShardItem:
    """One repository to work on."""

    name: str
    path: str  # of its clone
    key: str  # of what it holds


def directory(db: Path) -> Path:
    """Where the shards of a database are made."""
    return add_ending(db, ".shards")


def shard_path(db: Path, name: str) -> Path:
    return directory(db) / f"{tombstone(name)[:32]}.db"


def part_of(shard: Path) -> Path:
    return add_ending(shard, ".part")


def _lock_of(shard: Path) -> Path:
    return add_ending(shard, ".lock")


@contextmanager
def building_shard(shard: Path) -> Iterator[Store]:
    """The part of a shard, to be filled; it becomes the shard when the block ends without an
    exception.

    Whoever finds the part of a run that did not end checks it before it goes on. So the disk need
    not have each step, only the whole: a part is as its last transaction left it when a process is
    killed, but not when the power fails.
    """
    part = part_of(shard)
    shard.parent.mkdir(parents=True, exist_ok=True)
    lock = _lock_of(shard)
    with file_lock(lock, _PATIENCE, f"the shard {shard}"):
        try:
            if shard.is_file() and not part.exists():  # made before: only what is new is done
                Store(shard, create=False).close()  # of another schema: refused by its own name
                copy = add_ending(shard, ".copy")
                shutil.copyfile(shard, copy)
                copy.replace(part)
            with Store(part) as store:
                store.connection.execute("PRAGMA synchronous = OFF")
                yield store
                has_log = store.value("PRAGMA journal_mode") == "wal"
            _alone(part, has_log)
            part.replace(shard)
        finally:
            lock.unlink(missing_ok=True)


def _alone(path: Path, has_log: bool) -> None:
    """One file, without a write-ahead log beside it, safe on the disk."""
    if has_log:
        with Store(path) as store:
            store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            store.connection.execute("PRAGMA journal_mode = DELETE")
    with path.open("rb") as file:
        os.fsync(file.fileno())


def drop(shard: Path) -> None:
    """Removes a shard and everything that goes with it."""
    for path in (shard, part_of(shard), _lock_of(shard), *map(cache_path, (shard, part_of(shard)))):
        for suffix in ("", "-wal", "-shm", "-journal"):
            add_ending(path, suffix).unlink(missing_ok=True)


def pending(
    store: Store, stage: StageName, items: Iterable[ShardItem], retry: bool
) -> list[ShardItem]:
    """The items that have to be run: not those done with this very input.

    Nor those in which nothing was found, or that were given up, unless `retry` asks for them again.
    """
    with store.cache(create=False) as cache:
        jobs = cache.rows(
            "SELECT name, input_key, state, stored_at FROM jobs WHERE stage = ?", (stage,)
        )
    ended = {
        (job["name"].lower(), job["input_key"]): job["state"]
        for job in jobs
        if job["state"] != "done"
        or (job["stored_at"] or "~") <= (_stored_at(store, job["name"], stage) or "")
    }
    settled = {"done"} if retry else {"done", "nothing", "given_up"}
    return [item for item in items if ended.get((item.name.lower(), item.key)) not in settled]


class FinishedItem(NamedTuple):
    """A repository and how its task ended."""

    item: ShardItem
    result: TaskResult


def run(
    store: Store,
    stage: StageName,
    work: Callable[..., str],
    items: Iterable[ShardItem],
    extra: Sequence[Any],
    how: RunOptions,
) -> Iterator[FinishedItem]:
    """`work(name, path, shard, *extra)` for each item, its shard merged when it ends.

    `work` returns done or nothing.
    """
    by_name = {item.name: item for item in items}
    finish_left(store, by_name)
    empty = _empty_seed(store)
    seeded = (
        Task(item.name, (item.name, item.path, str(_sow(store, item.name, empty)), *extra))
        for item in by_name.values()
    )
    try:
        for done in runner.run(work, seeded, how):
            item = by_name[done.key]
            _settle(store, stage, item, done)
            yield FinishedItem(item, done)
    finally:
        drop(empty)
    with suppress(OSError):
        directory(store.path).rmdir()


def _empty_seed(store: Store) -> Path:
    """A database without rows, for shards to be copies of: to make the tables takes longer than
    to read a small repository.
    """
    empty = directory(store.path) / "empty.db"
    empty.parent.mkdir(parents=True, exist_ok=True)
    drop(empty)
    with Store(empty) as seed, seed.transaction():
        seed.keep(store.policy)
    _alone(empty, has_log=True)
    return empty


def _sow(store: Store, name: str, empty: Path) -> Path:
    """The shard of a repository; its part has what the database has of the repository."""
    shard = shard_path(store.path, name)
    part = part_of(shard)
    if part.exists() and not _is_whole(shard):
        drop(shard)
    if part.exists():  # of a killed run, perhaps with another choice of content
        with Store(part) as begun, begun.transaction():
            begun.keep(store.policy)
        return shard
    fresh = add_ending(shard, ".seed")
    shutil.copy(empty, fresh)  # with its mode
    if store.value("SELECT 1 FROM repos WHERE name = ?", (name,)):
        extract(store, fresh, [name])
    fresh.replace(part)
    return shard


def _is_whole(shard: Path) -> bool:
    """Whether the part that a run left can be gone on with: perhaps not when the power failed.

    One in use is not judged.
    """
    lock = _lock_of(shard)
    try:
        with file_lock(lock, 0.0, f"the shard {shard}"), Store(part_of(shard)) as begun:
            try:
                return bool(begun.value("PRAGMA integrity_check") == "ok")
            finally:
                lock.unlink(missing_ok=True)
    except InUse:
        return True
    except DatabaseUnusable:
        return False


def finish_left(store: Store, names: Iterable[str]) -> None:
    """Merges the shards that a killed run had finished."""
    for name in names:
        shard = shard_path(store.path, name)
        if shard.is_file():
            with suppress(DatabaseUnusable):  # a damaged one is made again
                merge(store, shard, one_server=True)
            drop(shard)


def _settle(store: Store, stage: StageName, item: ShardItem, done: TaskResult) -> None:
    shard = shard_path(store.path, item.name)
    state = done.value if not done.error else "failed"
    if state == "done":
        merge(store, shard, force=True, one_server=True)
    # Facts that were loaded stay, whatever is concluded.
    elif state == "nothing" and (
        stage == StageName.LOAD or _stored_at(store, item.name, StageName.LOAD) is None
    ):
        forget_rows(store, [item.name])
    with store.cache() as cache, cache.transaction() as connection:
        tried = cache.rows(
            "SELECT attempts, input_key FROM jobs WHERE name = ? AND stage = ?", (item.name, stage)
        )
        before = tried[0]["attempts"] if tried and tried[0]["input_key"] == item.key else 0
        failures = before + done.attempts if done.error else 0
        if done.error and not done.expected and failures > 1:
            state = "given_up"
        connection.execute(
            "INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                item.name,
                stage,
                state,
                item.key,
                failures,
                store.policy.text(done.error or None),
                done.seconds,
                done.cpu,
                done.peak,
                utc_now(),
                _stored_at(store, item.name, stage),
            ),
        )
    with store.transaction():
        note_failure(store, item.name, done.error or "")
    if not done.error:
        drop(shard)


def _stored_at(store: Store, name: str, stage: StageName) -> str | None:
    """When the last run of a stage on a repository was finished, as the database has it."""
    finished = store.value(
        "SELECT MAX(s.finished_at) FROM stage_runs s JOIN repos r ON r.id = s.repo_id "
        "WHERE r.name = ? COLLATE NOCASE AND s.stage = ?",
        (name, stage),
    )
    if finished:
        return str(finished)
    return None
