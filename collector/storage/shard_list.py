"""The databases in directories, each as it is: repositories, rows, versions and size. Nothing is opened for writing or merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from collector.errors import DatabaseUnusable, WhoWroteError
from collector.storage.connection import CACHE_SUFFIX
from collector.storage.store import APPLICATION_ID, SCHEMA_VERSION, Connection, read_only

_ENDINGS = (".db", ".db.part")


class ShardState(StrEnum):
    READY = "ready"
    OLDER = "older"  # schema of an earlier version, brought up to date when it is opened for writing
    NEWER = "newer"  # of a later version, which this one does not read
    UNFINISHED = "unfinished"  # a run is filling it, or was killed
    DAMAGED = "damaged"


NOT_READY = {
    ShardState.OLDER: "it is of an earlier version; attribute db FILE brings it up to date",
    ShardState.NEWER: "it is of a later version of whowrote",
    ShardState.UNFINISHED: "a run has not finished it",
    ShardState.DAMAGED: "it is damaged",
}
"""Why a database is left out, in words."""


@dataclass(frozen=True, slots=True)
class ShardRow:
    """A database. Without what it holds when it is damaged."""

    path: str
    state: ShardState
    repositories: Sequence[str] = ()
    sessions: int = 0
    commits: int = 0
    rows: int = 0  # of all its tables
    schema: int = 0
    stages: Mapping[str, str] = field(default_factory=dict)  # stage -> version that computed it, several separated by blanks
    finished_at: str = ""  # of its last stage
    bytes: int = 0  # with its log
    elsewhere: Sequence[str] = ()  # repositories that an earlier row has too

    def data(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return asdict(self) | {"state": str(self.state)}


def _none(_: Path) -> bool:
    return False


def shard_rows(places: Iterable[Path], is_known: Callable[[Path], bool] = _none) -> Iterator[ShardRow]:
    """The databases of ours that are named or in a directory, in order of their paths. Raises WhoWroteError for no such place.

    A file in a directory that is no database of ours is passed over; one that is named is an error. Files that are known are not
    opened and have no row.
    """
    seen: set[str] = set()
    for path, named in _paths(places).items():
        if is_known(path):
            continue
        try:
            row: ShardRow | None = _row(path)
        except DatabaseUnusable:
            if named:
                raise
            if not _is_ours(path):
                continue
            row = ShardRow(str(path), ShardState.DAMAGED, bytes=_size(path))
        if row is None:
            continue
        lowered = {name: name.lower() for name in row.repositories}
        yield replace(row, elsewhere=[name for name in row.repositories if lowered[name] in seen])
        seen.update(lowered.values())


def in_two(name: str, path: str, directory: Path) -> WhoWroteError:
    """Of a repository that is in two databases of a directory only merging tells which is newer."""
    return WhoWroteError(
        f"{name} is in {path} and in another database of {directory}",
        f"Merge them, which keeps the newest: collect merge {path} … -o FILE",
    )


def _paths(places: Iterable[Path]) -> dict[Path, bool]:
    """Path -> whether it was named itself."""
    found: dict[Path, bool] = {}
    for place in places:
        if place.is_dir():
            files = (file for file in place.rglob("*.db*") if file.name.endswith(_ENDINGS) and not file.name.endswith(CACHE_SUFFIX))
            for file in sorted(file for file in files if file.is_file()):
                found.setdefault(file, False)
        elif place.is_file():
            found[place] = True
        else:
            raise WhoWroteError(f"there is no {place}", "Name directories with databases, or databases")
    return found


def _is_ours(path: Path) -> bool:
    """Whether a file that cannot be read was a database of ours, by its first bytes."""
    with path.open("rb") as file:
        return file.read(72)[68:] == APPLICATION_ID.to_bytes(4, "big")


def _row(path: Path) -> ShardRow | None:
    """None for a file of ours that holds no repositories, as a cache."""
    with read_only(path) as connection:
        run = connection.execute
        schema = int(run("PRAGMA user_version").fetchone()[0])
        listed = run("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
        tables = [row[0] for row in listed]
        if "repos" not in tables:
            return None
        counts = {name: int(run(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0]) for name in tables if not _is_index(name)}
        names = [r[0] for r in run("SELECT name FROM repos ORDER BY name")]
        stages, finished = _stages(connection) if "stage_runs" in counts else ({}, "")
    return ShardRow(
        str(path), _state(path, schema), names, counts.get("sessions", 0), counts.get("commits", 0), sum(counts.values()),
        schema, stages, finished, _size(path),
    )  # fmt: skip


def _is_index(name: str) -> bool:
    """The tables of the full-text index repeat rows of others."""
    return "_fts" in name


def _stages(connection: Connection) -> tuple[dict[str, str], str]:
    rows = connection.execute("SELECT stage, version, MAX(finished_at) FROM stage_runs GROUP BY 1, 2 ORDER BY 1, 2").fetchall()
    versions: dict[str, list[str]] = {}
    for stage, version, _ in rows:
        versions.setdefault(stage, []).append(version)
    return {stage: " ".join(found) for stage, found in versions.items()}, max((row[2] or "" for row in rows), default="")


def _state(path: Path, schema: int) -> ShardState:
    if path.name.endswith(".part"):
        return ShardState.UNFINISHED
    if schema == SCHEMA_VERSION:
        return ShardState.READY
    return ShardState.OLDER if schema < SCHEMA_VERSION else ShardState.NEWER


def _size(path: Path) -> int:
    log = path.with_name(f"{path.name}-wal")
    return path.stat().st_size + (log.stat().st_size if log.exists() else 0)


def summary(rows: Sequence[ShardRow]) -> str:
    """What the list adds up to, in words."""
    names = {name.lower() for row in rows for name in row.repositories}
    states = ", ".join(f"{count} {state}" for state, count in Counter(str(row.state) for row in rows).most_common())
    twice = {name.lower() for row in rows for name in row.elsewhere}
    text = f"{len(rows)} databases ({states or 'none'}) with {len(names)} repositories, {sum(row.rows for row in rows):,} rows"
    return text + (f"; {len(twice)} repositories are in several databases: collect merge takes the newest" if twice else "")
