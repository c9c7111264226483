"""Writes the databases of a directory as columns: Parquet files, one for each table and repository, without merging anything.

A database that did not change since the last run is not read again. Nobody sees half a run: see `dataset.py`.
"""

from __future__ import annotations

import math
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from collector.errors import DatabaseUnusable, WhoWroteError
from collector.runtime.corpus import LEFT_OUT
from collector.runtime.locks import file_lock, lock_path
from collector.runtime.progress import Progress, no_progress
from collector.runtime.shard_copies import Taken, brought_up_to_date
from collector.storage import parquet
from collector.storage.dataset import (
    EVERY,
    FORMAT,
    MANIFEST,
    NUMBERS,
    Columns,
    Manifest,
    Partition,
    folder_of,
    is_dataset,
    read_manifest,
    write_manifest,
)
from collector.storage.merge import MovedRows, merge, merge_schema
from collector.storage.store import SCHEMA_VERSION, Store

_WITHOUT = LEFT_OUT | {"tip_states.state"}  # the state from which a run goes on: bytes that no question asks for
_MADE_BY = "columns"  # name of a setting
_WRITER = f"{SCHEMA_VERSION} {FORMAT}"


@dataclass(frozen=True, slots=True)
class Written:
    """What one run did."""

    databases: int  # read, because they were new or had changed
    repositories: int  # in the data set
    rows: int
    notes: list[str]


def write_columns(place: Path, directory: Path, progress: Progress = no_progress) -> Written:
    """Brings the data set in `directory` to what a database, or all databases of a directory, say now.

    Raises WhoWroteError without the extra `corpus`, for a repository in two databases and a directory that holds something else.
    """
    parquet.require("corpus")
    if directory.is_dir() and not is_dataset(directory) and any(directory.iterdir()):
        raise WhoWroteError(f"{directory} is not empty and holds no data set", "Name a new directory with --to")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = lock_path(directory / NUMBERS)
        with file_lock(lock, math.inf, str(directory), progress=progress):
            try:
                with _numbers(directory) as store:
                    return _write(store, place.resolve(), directory, progress)
            finally:
                lock.unlink(missing_ok=True)
    except OSError as error:
        raise WhoWroteError(f"{directory} cannot be written: {error}", "Check the directory and the free space") from error


def _numbers(directory: Path) -> Store:
    """What is known from the last run; nothing when that was of another version, or is damaged."""
    path = directory / NUMBERS
    for _ in range(2):
        with suppress(DatabaseUnusable):
            store = Store(path)
            made_by = store.value("SELECT value FROM settings WHERE name = ?", (_MADE_BY,))
            if made_by == _WRITER:
                return store
            if made_by is None and not store.value("SELECT COUNT(*) FROM repos"):
                with store.transaction() as connection:
                    connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (_MADE_BY, _WRITER))
                return store
            store.close()
        for ending in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
    return Store(path)


def _write(store: Store, place: Path, directory: Path, progress: Progress) -> Written:
    done = brought_up_to_date(store, place, lambda file: _taken(store, file, directory), progress)
    manifest = _manifest(directory)
    partitions = sorted((Partition(**one) for detail in done.details for one in detail), key=lambda one: one.folder)
    if manifest is None or partitions != [one for one in manifest.partitions if one.folder != EVERY]:
        progress("writing the list of files", 0, 0)
        manifest = Manifest([_of_every(store, directory), *partitions])
        manifest.columns.update((table, _columns(store, table)) for table in manifest.tables())
        write_manifest(directory, manifest)
        _sweep(directory, manifest)
    repositories = sum(one.folder != EVERY for one in manifest.partitions)
    return Written(done.taken, repositories, sum(sum(one.rows.values()) for one in manifest.partitions), done.notes)


def _manifest(directory: Path) -> Manifest | None:
    """The one that readers see; None where they see none, or one that they refuse."""
    if not (directory / MANIFEST).is_file():
        return None
    try:
        return read_manifest(directory)
    except DatabaseUnusable:
        return None


def _taken(store: Store, file: Path, directory: Path) -> Taken:
    """Writes the rows of each repository of a database."""
    found: dict[str, Partition] = {}

    def write(moved: MovedRows) -> None:
        version = secrets.token_hex(16)
        partition = found.setdefault(moved.repository, Partition(folder_of(moved.repository), version, {}))
        _write_table(directory, partition, moved)

    merged = merge(store, file, force=True, without=_WITHOUT, aside=write)
    names = [*merged.added, *merged.replaced]
    made = [found.get(name, Partition(folder_of(name), secrets.token_hex(16), {})) for name in names]
    return Taken(names, [asdict(one) for one in made])


def _write_table(directory: Path, partition: Partition, moved: MovedRows) -> None:
    path = directory / partition.file(moved.table)
    path.parent.mkdir(parents=True, exist_ok=True)
    waiting = path.with_name(path.name + ".part")
    partition.rows[moved.table] = parquet.write(waiting, moved.columns, moved.rows)
    waiting.replace(path)


def _of_every(store: Store, directory: Path) -> Partition:
    """The tables whose rows several databases may have, as they are after all of them; and the others, without rows."""
    run = store.connection.execute
    partition = Partition(EVERY, secrets.token_hex(16), {})
    schema = merge_schema(run, "main")
    for name in schema.order:
        _write_table(directory, partition, MovedRows("", name, _columns(store, name), run(f'SELECT * FROM "{name}"')))
    return partition


def _columns(store: Store, table: str) -> Columns:
    run = store.connection.execute
    return [(name, kind) for name, kind in run("SELECT name, type FROM pragma_table_info(?) ORDER BY cid", (table,))]


def _sweep(directory: Path, manifest: Manifest) -> None:
    """Removes files that the manifest does not name: of earlier runs, and of one that was stopped."""
    named = {directory / file for file in manifest.files()}
    for file in [*directory.glob("*/repo=*/rows-*.parquet*"), *directory.glob(f"*/{EVERY}/rows-*.parquet*")]:
        if file not in named:
            file.unlink()
            with suppress(OSError):  # others are in use
                file.parent.rmdir()
                file.parent.parent.rmdir()
