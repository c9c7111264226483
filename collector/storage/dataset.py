"""A corpus as columns: Parquet files of the tables of many databases, a directory for each table and repository.

    DIRECTORY/whowrote-columns.json              which files belong to it; written last, so readers see all of a run or none
    DIRECTORY/whowrote-numbers.sqlite            what the next run needs, and tables whose rows several databases may have
    DIRECTORY/TABLE/repo=NAME/rows-VERSION.parquet

The names of directories are those of Hive partitions. A file is never changed: a repository whose database changed gets files of
another version, and the old ones go when the manifest names the new ones.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from collector.errors import DatabaseUnusable
from collector.storage.schema import CORE, NEEDS, OPTIONAL, names_in
from collector.storage.store import SCHEMA_VERSION

MANIFEST = "whowrote-columns.json"
NUMBERS = "whowrote-numbers.sqlite"  # no database of a corpus by its ending
EVERY = "all"  # directory of the rows that belong to no single repository
FORMAT = 1  # of the directory: names, files, what is left out
AGAIN = "Write it again: collect columns DIR|DB --to DIRECTORY"
_FOLDER = re.compile(rf"repo=[\w.%~-]+|{EVERY}")
_VERSION = re.compile(r"[0-9a-f]{32}")
_WORD = re.compile(r"\w+")  # of a table, column or type
_LONGEST = 150  # bytes of a name; file systems end at 255


Columns = list[tuple[str, str]]
"""Names, and types as SQLite has them."""


@dataclass(frozen=True, slots=True)
class Partition:
    """The rows of one repository, or those that belong to none: that one has a file for every table, also without rows."""

    folder: str
    version: str  # digest of what they were made from
    rows: dict[str, int]  # table -> number of rows, for tables with a file

    def file(self, table: str) -> str:
        """Relative to the directory of the data set."""
        return f"{table}/{self.folder}/rows-{self.version}.parquet"


@dataclass(frozen=True)
class Manifest:
    """What a data set holds."""

    partitions: list[Partition] = field(default_factory=list)
    columns: dict[str, Columns] = field(default_factory=dict)  # of each table with rows

    def tables(self) -> dict[str, list[str]]:
        """Table -> its files, relative to the directory, in order of the partitions."""
        found: dict[str, list[str]] = {}
        for partition in self.partitions:
            for table in partition.rows:
                found.setdefault(table, []).append(partition.file(table))
        return found

    def tables_of(self, repositories: Iterable[str]) -> dict[str, list[str]]:
        """The same with the files of some repositories alone, and those of rows that belong to none."""
        folders = [EVERY, *map(folder_of, repositories)]
        return Manifest([self._by_folder[name] for name in folders if name in self._by_folder]).tables()

    @cached_property
    def _by_folder(self) -> dict[str, Partition]:
        return {one.folder: one for one in self.partitions}

    def parts(self) -> list[str]:
        """Parts of the schema that a database with these rows has."""
        filled = {table for partition in self.partitions for table, rows in partition.rows.items() if rows}
        found = {part for part in OPTIONAL if any(name in filled for name in names_in(part))}
        found |= {NEEDS[part] for part in found if part in NEEDS}
        return [*CORE, *(part for part in OPTIONAL if part in found)]

    def files(self) -> Iterator[str]:
        for paths in self.tables().values():
            yield from paths


def is_dataset(directory: Path) -> bool:
    """Whether there is a data set, or one that a run began."""
    return (directory / MANIFEST).is_file() or (directory / NUMBERS).is_file()


def folder_of(repository: str) -> str:
    """The directory of a partition: the name with everything escaped that a path or an other reader might take for something."""
    name = quote(repository, safe="")
    if len(name) > _LONGEST:
        name = name[:_LONGEST].rpartition("%")[0] + "~" + hashlib.sha256(repository.encode()).hexdigest()[:32]
    return f"repo={name}"


def read_manifest(directory: Path) -> Manifest:
    """Raises DatabaseUnusable for one that is damaged, not finished or of another version."""
    path = directory / MANIFEST
    if not path.is_file():
        raise DatabaseUnusable(f"{directory} is not finished: a run that writes it was stopped, or is at work", AGAIN)
    try:
        given = json.loads(path.read_text("utf-8"))
        schema, layout = int(given["schema"]), int(given["format"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DatabaseUnusable(f"{path} is damaged", AGAIN) from error
    if (schema, layout) != (SCHEMA_VERSION, FORMAT):
        raise DatabaseUnusable(f"{directory} was written by another version (schema {schema})", AGAIN)
    return _checked(path, given)


def _checked(path: Path, given: dict[str, Any]) -> Manifest:
    try:
        found = Manifest(
            [
                Partition(str(one["folder"]), str(one["version"]), {str(name): int(rows) for name, rows in one["rows"].items()})
                for one in given["partitions"]
            ],
            {str(table): [(str(name), str(kind)) for name, kind in columns] for table, columns in given["columns"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DatabaseUnusable(f"{path} is damaged", AGAIN) from error
    folders = all(_FOLDER.fullmatch(one.folder) and _VERSION.fullmatch(one.version) for one in found.partitions)
    words = [*found.columns, *(word for columns in found.columns.values() for column in columns for word in column)]
    if not folders or not all(map(_WORD.fullmatch, words)) or not found.columns.keys() >= found.tables().keys():
        raise DatabaseUnusable(f"{path} names what no data set has", AGAIN)  # nobody but us should say which files are read
    return found


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Replaces the manifest at once. Raises OSError."""
    text = json.dumps({"format": FORMAT, "schema": SCHEMA_VERSION, **asdict(manifest)}, indent=0)
    waiting = directory / f"{MANIFEST}.part"
    waiting.write_text(text + "\n", "utf-8")
    waiting.replace(directory / MANIFEST)
