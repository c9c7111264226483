"""Whether two databases say the same: rows with their numbers replaced by what they stand for.

Numbers of rows depend on the order in which repositories were read. So a row is compared without
its own number, and a foreign key by what the row it points to says (its content, its own foreign
keys replaced in the same way). Left out is what differs between any two runs: when a stage ran and
how long it took.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from collector.storage.merge import MergeSchema, MergeTable
from collector.storage.store import Connection, read_only

# Columns about the run, not about what was found. The search index is no fact either.
PASSING = {
    "stage_runs": {"finished_at", "seconds"},
    **{table: {"gone_since"} for table in ("sessions", "checkpoints", "gone_commits")},
    "tip_states": {"added"},
}
# The keys of these stages say which run of another stage they followed, by its time.
_READ_AS = {
    (
        "stage_runs",
        "input_key",
    ): ("CASE WHEN stage IN ('weaknesses', 'commit_quality') THEN '' ELSE input_key END")
}
_EXAMPLES = 3
_WIDE = 60  # characters of a value in an example


@dataclass(frozen=True)
class TableDifference:
    """One table of two databases. `rows` are those that both have; examples are rows as text."""

    table: str
    rows: int
    only_first: int
    only_second: int
    # columns that only the first has, separated by blanks; they are not compared
    columns_first: str
    columns_second: str
    examples_first: Sequence[str] = ()
    examples_second: Sequence[str] = ()

    @property
    def differs(self) -> bool:
        return bool(self.only_first or self.only_second)


def compare(first: Path, second: Path) -> list[TableDifference]:
    """Every table that has a row in either, in order of the names.

    A missing table is the same as an empty one.

    Columns that only one database has are named and not compared. Raises DatabaseUnusable.
    """
    with read_only(first) as first_connection, read_only(second) as second_connection:
        ours = _Contents(first_connection)
        theirs = _Contents(second_connection)
        shared = {
            name: set(ours.columns(name)) & set(theirs.columns(name))
            for name in ours.tables.keys() & theirs.tables.keys()
        }
        unshared = {
            name: (_missing(ours, theirs, name), _missing(theirs, ours, name)) for name in shared
        }
        ours.compared = theirs.compared = shared
        names = sorted({*ours.tables, *theirs.tables})
        differences = [_table(name, ours, theirs, unshared.get(name, ("", ""))) for name in names]
    return [
        first_connection
        for first_connection in differences
        if first_connection.rows or first_connection.differs
    ]


def _missing(ours: _Contents, theirs: _Contents, name: str) -> str:
    """Columns that only ours has."""
    return " ".join(column for column in ours.columns(name) if column not in theirs.columns(name))


def _table(
    name: str, ours: _Contents, theirs: _Contents, unshared: tuple[str, str]
) -> TableDifference:
    columns = ours.columns(name) or theirs.columns(name)
    mine = ours.rows(name, columns)
    others = theirs.rows(name, columns)
    more = mine - others
    less = others - mine
    return TableDifference(
        name,
        (mine & others).total(),
        more.total(),
        less.total(),
        *unshared,
        ours.examples(name, columns, more),
        theirs.examples(name, columns, less),
    )


class _Contents:
    """The rows of one database as hashes of what they say."""

    def __init__(self, connection: Connection) -> None:
        self._run = connection.execute
        schema = MergeSchema(self._run)
        self.tables: dict[str, MergeTable] = {
            name: t for name, t in schema.tables.items() if "_fts" not in name
        }
        # columns of the tables that the other database has too
        self.compared: dict[str, set[str]] = {}
        self._identities = cache(self._identities_of)

    def columns(self, name: str) -> list[str]:
        """Those that are compared."""
        table = self.tables.get(name)
        if table is None:
            return []
        left_out = PASSING.get(name, set())
        compared = self.compared.get(name)
        return [
            c
            for c in table.columns
            if c != table.number and c not in left_out and (compared is None or c in compared)
        ]

    def rows(self, name: str, columns: Sequence[str]) -> Counter[bytes]:
        return Counter(map(_hash, self._row_values(name, columns)))

    def examples(self, name: str, columns: Sequence[str], hashes: Counter[bytes]) -> list[str]:
        texts: list[str] = []
        if hashes:
            for values in self._row_values(name, columns):
                if len(texts) < _EXAMPLES and _hash(values) in hashes:
                    texts.append(
                        ", ".join(f"{c}={_short(v)}" for c, v in zip(columns, values, strict=True))
                    )
        return texts

    def _row_values(self, name: str, columns: Sequence[str]) -> Iterator[list[Any]]:
        """Values of each row; a reference is the hash of the row it points to."""
        if name not in self.tables or not columns:
            return
        links = {k.column: k for k in self.tables[name].links if k.parent in self.tables}
        identities = {
            c: self._identities(links[c].parent, links[c].to) for c in columns if c in links
        }
        listed = ", ".join(_READ_AS.get((name, c), f'"{c}"') for c in columns)
        for row in self._run(f'SELECT {listed} FROM "{name}"'):
            yield [
                identities[c].get(v, v) if c in identities else v
                for c, v in zip(columns, row, strict=True)
            ]

    def _identities_of(self, name: str, column: str) -> dict[Any, bytes]:
        """Value of `column` -> what its row says, references of the table to itself left out."""
        own_references = {k.column for k in self.tables[name].links if k.parent == name}
        columns = [c for c in self.columns(name) if c not in own_references and c != column]
        return {
            number: _hash(values) for number, *values in self._row_values(name, [column, *columns])
        }


def _hash(values: Sequence[Any]) -> bytes:
    text = "\0".join(f"{type(v).__name__}:{v!r}" for v in values)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _short(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()[:12]
    text = str(value)
    if len(text) <= _WIDE:
        return text
    return text[: _WIDE - 1] + "…"
