"""What was taken from the databases of a directory, and which of them changed since.

The database that holds what was taken has a row in `settings` for each of them: what the file was like, and its repositories.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from collector.errors import WhoWroteError
from collector.runtime.progress import Progress, no_progress
from collector.storage.merge import forget_rows
from collector.storage.shard_list import NOT_READY, ShardRow, ShardState, in_two, shard_rows
from collector.storage.store import Store

_SHARD = "shard "  # names of settings: one for each database that was taken
_BESIDE = ("", "-wal")


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of a database."""

    repositories: Sequence[str]  # names here
    detail: Any = None  # plain values to remember


@dataclass(frozen=True, slots=True)
class _Copied:
    """A database as it was when it was taken."""

    stamp: str
    repositories: Sequence[str]
    detail: Any = None


class _Found(NamedTuple):
    """The databases that are there now."""

    same: dict[str, _Copied]
    changed: list[ShardRow]
    notes: list[str]


@dataclass(slots=True)
class BroughtUpToDate:
    """What one run did."""

    taken: int = 0  # databases that were new or had changed
    notes: list[str] = field(default_factory=list)  # for people
    details: list[Any] = field(default_factory=list)  # what is remembered of all databases that are there


def brought_up_to_date(
    store: Store, place: Path, take: Callable[[Path], Taken], progress: Progress = no_progress
) -> BroughtUpToDate:
    """Takes what changed in a database, or in those of a directory, and removes from `store` what went.

    Raises WhoWroteError, before anything is taken, for a repository in two databases and where none can be read.
    """
    known = _copied(store)
    found = _compare(place, known)
    if not found.same and not found.changed:
        raise WhoWroteError(
            "\n".join([f"no database can be read in {place}", *found.notes]),
            "A directory of databases is what collect run and attribute db leave in DB.shards; collect catalog DIR lists it",
        )
    _refuse_twice(place, found)
    stale = {path: one for path, one in known.items() if path not in found.same}
    if stale:
        forget_rows(store, [name for one in stale.values() for name in one.repositories])
        _note(store, gone=stale)
    details = [one.detail for one in found.same.values()]
    for number, row in enumerate(found.changed):
        progress("reading databases", number, len(found.changed))
        with Store(row.path, create=False):
            pass  # the first to open it after its last writer takes in what is left of its log
        stamp = _stamp(Path(row.path))
        taken = take(Path(row.path))
        _note(store, copied={row.path: _Copied(stamp, taken.repositories, taken.detail)})
        details.append(taken.detail)
    return BroughtUpToDate(len(found.changed), found.notes, details)


def _compare(place: Path, known: Mapping[str, _Copied]) -> _Found:
    found = _Found({}, [], [])

    def is_same(file: Path) -> bool:
        before = known.get(str(file))
        if before is None or before.stamp != _stamp(file):
            return False
        found.same[str(file)] = before
        return True

    for row in shard_rows([place], is_same):
        if row.state == ShardState.READY:
            found.changed.append(row)
        else:
            found.notes.append(f"{row.path} is left out: {NOT_READY[row.state]}")
    return found


def _refuse_twice(place: Path, found: _Found) -> None:
    seen: dict[str, str] = {}
    places = [(path, one.repositories) for path, one in found.same.items()]
    for path, names in sorted([*places, *((row.path, row.repositories) for row in found.changed)]):
        for name in names:
            if name.lower() in seen:
                raise in_two(name, path, place)
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
        rows = [(_SHARD + path, json.dumps([one.stamp, list(one.repositories), one.detail])) for path, one in copied.items()]
        connection.executemany("INSERT OR REPLACE INTO settings VALUES (?, ?)", rows)
