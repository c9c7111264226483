"""Copies repositories from one database into another: shards into the whole, and back.

What belongs to a repository, and in which order it goes, is read from the foreign keys of the
tables, so a new table needs nothing here. Rows of a repository that are there already are replaced.
Two kinds of tables:

    owned    a chain of foreign keys leads to `repos`: copied with the repository, numbers moved
             past the ones in use
    named    no chain, and a name of its own (a primary key of text, a UNIQUE): added unless it is
             there; numbers found by the name
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from collector.errors import DatabaseUnusable
from collector.json_values import Texts
from collector.repository_names import (
    host_of,
    name_of,
    name_with_host,
    on_other_server,
    same_place,
    tombstone,
)
from collector.storage.store import Store, last_id

ROOT = "repos"


def column_list(names: Iterable[str]) -> str:
    """Names of columns for a statement."""
    return ", ".join(f'"{name}"' for name in names)


Execute = Callable[..., Any]  # of a connection: a cursor
# Tables about the database itself, or of one run of the machine it was made on.
_NOT_COPIED = {"settings", "forgotten"}
# Tables whose column `name` is that of a repository.
_NAMED = (ROOT, "mirrors")
# Tables that hold for the lines of every repository.
_FOR_ALL = ("confidence",)


class Link(NamedTuple):
    """A foreign key of one column."""

    column: str
    parent: str
    to: str
    required: bool


@dataclass
class MergeTable:
    name: str
    columns: list[str]
    # the column of its own numbers (INTEGER PRIMARY KEY), '' when it has none or they are another
    # table's
    number: str
    # columns of its name: PRIMARY KEY without a number, else the first UNIQUE; [] when there is
    # none
    key: list[str]
    links: list[Link]

    def link(self, column: str) -> Link | None:
        """The foreign key of a column."""
        for link in self.links:
            if link.column == column:
                return link
        return None


@dataclass(frozen=True)
class Merged:
    """What one shard brought."""

    path: str
    replaced: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)  # ours are as new or newer
    forgotten: int = 0
    rows: int = 0


# Tables that exist while rows are copied or removed.
_TEMPORARY = {
    "taken": "id",
    "doomed": "id",
    "repo_numbers": "old INTEGER PRIMARY KEY, new",
    "names": "there TEXT PRIMARY KEY COLLATE NOCASE, here TEXT",
}


def without_shadows(definitions: Texts) -> list[str]:
    """Names of the tables with rows of ours, of all that `sqlite_master` has: not SQLite's own,
    nor an index for searching.
    """
    virtual = tuple(
        f"{name}_" for name, sql in definitions.items() if sql.upper().startswith("CREATE VIRTUAL")
    )
    internal = ("sqlite_", "_sqlite_", *virtual)
    return [
        name for name in definitions if not name.startswith(internal) and f"{name}_" not in virtual
    ]


def definitions_of(run: Execute, database: str) -> Texts:
    """Table -> its statement, in order of the names."""
    # Not `pragma_table_list`: it resolves every view, and that of the reasons for features without
    # a value takes 0.1 s.
    return dict(
        run(
            f"SELECT name, sql FROM {database}.sqlite_master WHERE type = 'table' ORDER BY name"
        ).fetchall()
    )


def read_tables(run: Execute, database: str = "main") -> dict[str, MergeTable]:
    return {
        name: _table(run, name, database) for name in without_shadows(definitions_of(run, database))
    }


_SCHEMAS: dict[tuple[tuple[str, str], ...], MergeSchema] = {}
_MOST_SCHEMAS = 8


def merge_schema(run: Execute, database: str) -> MergeSchema:
    """The same object for databases with the same tables, as one shard after the other has: to
    read them takes 200 statements.
    """
    key = tuple(definitions_of(run, database).items())
    if key not in _SCHEMAS:
        if len(_SCHEMAS) >= _MOST_SCHEMAS:
            _SCHEMAS.clear()
        _SCHEMAS[key] = MergeSchema(run, database)
    return _SCHEMAS[key]


class MergeSchema:
    """The tables of a database, as their foreign keys order them."""

    def __init__(self, run: Execute, database: str = "main") -> None:
        self._conditions: dict[tuple[str, str, str], str] = {}
        self.tables = {
            name: table
            for name, table in read_tables(run, database).items()
            if name not in _NOT_COPIED
        }

    @cached_property
    def owner(self) -> dict[str, Link]:
        """Table -> the foreign key by which its rows belong to a repository; a required one
        rather than another.
        """
        owners: dict[str, Link] = {}
        for strict in (True, False):
            while grown := {
                name: link
                for name in self.tables
                if name != ROOT
                and name not in owners
                and (link := self._way_up(name, owners, strict))
            }:
                owners |= grown
        return owners

    def _way_up(self, name: str, owners: Iterable[str], strict: bool) -> Link | None:
        links = (
            link
            for link in self.tables[name].links
            if link.parent != name and (link.required or not strict)
        )
        for link in links:
            if link.parent == ROOT or link.parent in owners:
                return link
        return None

    @cached_property
    def named_tables(self) -> set[str]:
        """Tables of no repository, whose rows have a name of their own."""
        return {
            name
            for name, table in self.tables.items()
            if name != ROOT and name not in self.owner and table.key
        }

    @cached_property
    def order(self) -> list[str]:
        """Tables after the ones they point to."""
        ordered = []
        waiting = sorted(self.tables)
        while waiting:
            ready = [
                name
                for name in waiting
                if not any(
                    link.parent in waiting and link.parent != name
                    for link in self.tables[name].links
                )
            ]
            if not ready:
                # a circle of foreign keys: they are not enforced while rows are copied
                ready = waiting[:1]
            ordered += ready
            waiting = [name for name in waiting if name not in ordered]
        return ordered

    def condition(self, name: str, database: str, taken: str) -> str:
        """Which rows of a table belong to the repositories whose numbers `taken` holds."""
        key = (name, database, taken)
        if key not in self._conditions:
            self._conditions[key] = self._condition(*key)
        return self._conditions[key]

    def _condition(self, name: str, database: str, taken: str) -> str:
        if name == ROOT:
            return f"id IN (SELECT id FROM {taken})"
        link = self.owner.get(name)
        if link is None:
            return "0"
        within = self.condition(link.parent, database, taken)
        return (
            f'"{link.column}" IN (SELECT "{link.to}" FROM {database}."{link.parent}" WHERE'
            f" {within})"
        )


def _columns_of(sql: str) -> str:
    """What a statement that makes a table says after its name."""
    return sql[sql.index("(") :]


def _table(run: Execute, name: str, database: str) -> MergeTable:
    info = run(
        "SELECT name, type, [notnull], pk FROM pragma_table_info(?, ?) ORDER BY cid",
        (name, database),
    ).fetchall()
    required = {r[0] for r in info if r[2] or r[3]}
    keys = run(
        'SELECT id, seq, "table", "from", "to" FROM pragma_foreign_key_list(?, ?)', (name, database)
    ).fetchall()
    compound = {r[0] for r in keys if r[1]}
    links = [Link(r[3], r[2], r[4] or "id", r[3] in required) for r in keys if r[0] not in compound]
    primary = [r[0] for r in sorted(info, key=lambda r: r[3]) if r[3]]
    numbered = (
        len(primary) == 1 and next(r[1] for r in info if r[0] == primary[0]).upper() == "INTEGER"
    )
    foreign = {link.column for link in links}
    number = primary[0] if numbered and primary[0] not in foreign else ""
    key = primary if primary and not numbered else _unique(run, name, database)
    return MergeTable(name, [r[0] for r in info], number, key, links)


def _unique(run: Execute, name: str, database: str) -> list[str]:
    rows = run(
        "SELECT name FROM pragma_index_list(?, ?) WHERE [unique] AND origin = 'u' ORDER BY seq",
        (name, database),
    )
    for (index,) in rows.fetchall():
        return [
            r[0]
            for r in run(
                "SELECT name FROM pragma_index_info(?, ?) ORDER BY seqno", (index, database)
            )
        ]
    return []


# --- copying --------------------------------------------------------------------------------------


class _Copy:
    """Repositories of the attach database `source` into `target`, which is main, or the other
    way round.
    """

    def __init__(self, store: Store, source: str, target: str) -> None:
        self.run = store.connection.execute
        self.source = source
        self.target = target
        self._there = definitions_of(self.run, source)
        self._add_tables()
        self.schema = merge_schema(self.run, target)
        names = [name for name in self.schema.tables if name in self._there]
        listed = ", ".join(f'EXISTS (SELECT 1 FROM {self.source}."{name}")' for name in names)
        self._filled = {
            name
            for name, filled in zip(names, self.run(f"SELECT {listed}").fetchone(), strict=True)
            if filled
        }
        self.rows = 0

    def _add_tables(self) -> None:
        """Makes what the target lacks of the tables whose columns the program decides, as those of
        features.

        Raises DatabaseUnusable when the target has such a table with other columns.
        """
        here = definitions_of(self.run, self.target)
        for name in without_shadows(self._there):
            columns = _columns_of(self._there[name])
            if name not in here:
                self.run(f'CREATE TABLE {self.target}."{name}" {columns}')
            elif name not in _NOT_COPIED and columns != _columns_of(here[name]):
                raise DatabaseUnusable(
                    f"{name} has other columns there: made by another version of whowrote",
                    "Create it again",
                )

    def copy(self, names: Texts, named: bool) -> None:
        """Replaces these repositories: name there -> name here.

        Call within a transaction that does not enforce foreign keys.
        """
        for table in ("taken", "doomed", "names"):
            self.run(f"DELETE FROM temp.{table}")
        for name, here in names.items():
            self.run(
                f"INSERT INTO temp.taken SELECT id FROM {self.source}.{ROOT} WHERE name = ?",
                (name,),
            )
            self.run(
                f"INSERT INTO temp.doomed SELECT id FROM {self.target}.{ROOT} WHERE name = ?",
                (here,),
            )
            self.run("INSERT INTO temp.names VALUES (?, ?)", (name, here))
        self._moves()
        remove(self.run, self.schema, self.target)
        for name in self.schema.order:
            if name in self._filled:
                self._insert(name, named)

    def _moves(self) -> None:
        """Old and new numbers of the repositories, and by how much other numbers move."""
        self.run("DELETE FROM temp.repo_numbers")
        first = self._last(ROOT, "id")
        self.run(
            f"INSERT INTO temp.repo_numbers SELECT s.id, COALESCE(t.id, {first} + ROW_NUMBER() OVER"
            f" (ORDER BY s.id)) FROM {self.source}.{ROOT} s JOIN temp.names n ON n.there = s.name"
            f" LEFT JOIN {self.target}.{ROOT} t ON t.name = n.here WHERE s.id IN (SELECT id FROM"
            " temp.taken)"
        )
        self.offsets = {
            name: self._last(name, table.number) - self._first(name, table.number) + 1
            for name, table in self.schema.tables.items()
            if table.number and name in self._filled and name != ROOT
        }

    def _last(self, name: str, column: str) -> int:
        return last_id(self.run, name, column, self.target)

    def _first(self, name: str, column: str) -> int:
        return int(self.run(f'SELECT MIN("{column}") FROM {self.source}."{name}"').fetchone()[0])

    def _insert(self, name: str, named: bool) -> None:
        table = self.schema.tables[name]
        is_named = name in self.schema.named_tables
        if is_named and not named:
            return
        columns = [c for c in table.columns if not (is_named and c == table.number)]
        condition = "1" if is_named else self.schema.condition(name, self.source, "temp.taken")
        if (link := self.schema.owner.get(name)) and table.key and not link.required and named:
            # of no repository, but with a name of its own
            condition = f'({condition} OR s."{link.column}" IS NULL)'
            is_named = True
        listed = column_list(columns)
        verb = "INSERT OR IGNORE" if is_named else "INSERT"
        values = ", ".join(self._value(table, column) for column in columns)
        order = f' ORDER BY "{table.number}"' if table.number else ""
        select = f'SELECT {values} FROM {self.source}."{table.name}" s WHERE {condition}{order}'
        self.rows += max(
            0, self.run(f'{verb} INTO {self.target}."{name}" ({listed}) {select}').rowcount
        )

    def _value(self, table: MergeTable, column: str) -> str:
        if column == "name" and table.name in _NAMED:
            return 'COALESCE((SELECT here FROM temp.names WHERE there = s."name"), s."name")'
        link = table.link(column)
        if link is not None:
            return self._number(link.parent, f's."{column}"', link.to)
        if column == table.number:
            return self._number(table.name, f's."{column}"', column)
        return f's."{column}"'

    def _number(self, name: str, value: str, to: str) -> str:
        """The new number of a row of a table that had the number `value`."""
        if name == ROOT:
            return f"(SELECT new FROM temp.repo_numbers WHERE old = {value})"
        table = self.schema.tables.get(name)
        if table is None:
            return value
        if name in self.schema.named_tables and table.number == to:
            same = " AND ".join(f't."{c}" IS {self._value_of(table, c)}' for c in table.key)
            return (
                f'(SELECT t."{table.number}" FROM {self.target}."{name}" t, {self.source}."{name}"'
                f' o WHERE o."{table.number}" = {value} AND {same})'
            )
        if table.number == to:
            # of a table without rows there is no value
            return f"{value} + {self.offsets.get(name, 0)}"
        link = table.link(to)  # its number is another table's
        if link is not None:
            return self._number(link.parent, value, link.to)
        return value

    def _value_of(self, table: MergeTable, column: str) -> str:
        link = table.link(column)
        if link:
            return self._number(link.parent, f'o."{column}"', link.to)
        return f'o."{column}"'


def remove(run: Execute, schema: MergeSchema, database: str) -> int:
    """Removes every row of the repositories in temp.doomed; returns how many."""
    if run("SELECT 1 FROM temp.doomed").fetchone() is None:
        return 0
    return sum(
        max(
            0,
            run(
                f'DELETE FROM {database}."{name}" WHERE'
                f" {schema.condition(name, database, 'temp.doomed')}"
            ).rowcount,
        )
        for name in reversed(schema.order)
        if name not in schema.named_tables
    )


@contextmanager
def foreign_keys_off(store: Store) -> Iterator[None]:
    """Foreign keys are not enforced inside: rows are copied and removed in an order and with
    numbers that keep them.
    """
    run = store.connection.execute
    run("PRAGMA foreign_keys = OFF")
    for name, columns in _TEMPORARY.items():
        run(f"CREATE TEMP TABLE IF NOT EXISTS {name} ({columns})")
    try:
        yield
    finally:
        for name in _TEMPORARY:
            run(f"DROP TABLE temp.{name}")
        run("PRAGMA foreign_keys = ON")


@contextmanager
def attach(store: Store, path: Path) -> Iterator[None]:
    """`path` as the database `other`."""
    store.connection.execute("ATTACH DATABASE ? AS other", (str(path),))
    try:
        yield
    finally:
        store.connection.execute("DETACH DATABASE other")


def merge(store: Store, path: Path, force: bool = False, one_server: bool = False) -> Merged:
    """Takes all repositories of a shard, or another database, in one transaction.

    Those we have newer are kept unless `force`.

    A repository whose owner/name is another server's here is called host/owner/name, unless
    `one_server`: then equal names are one repository.

    Raises DatabaseUnusable for a file that is none, was made by another version, or points to rows
    it does not have, and for another repository of the same name without a server; BadName for an
    address that is none.
    """
    with Store(path, create=False) as shard:
        broken = shard.value("SELECT COUNT(*) FROM pragma_foreign_key_check")
        theirs = _states(shard)
        policy = shard.policy
        gone = shard.rows("SELECT * FROM forgotten")
    if broken:
        raise DatabaseUnusable(
            f"{path} is damaged, rows that refer to nothing: {broken}", "Create it again"
        )
    ours = _states(store, theirs if one_server else None)
    known = forgotten_names(store)
    hidden = known | {row["name_hash"] for row in gone}
    called = {
        name: name if one_server else _name_here(path, state, ours, force)
        for name, state in theirs.items()
    }
    dropped = {
        name
        for name, here in called.items()
        if not hidden.isdisjoint((tombstone(name), tombstone(here)))
    }
    here_too = [n for n in theirs if n not in dropped and not force and called[n] in ours]
    newer_here = [n for n in here_too if theirs[n].at and theirs[n].at <= ours[called[n]].at]
    names = {n: called[n] for n in theirs if n not in dropped and n not in newer_here}
    with attach(store, path), foreign_keys_off(store), store.transaction():
        copy = _Copy(store, "other", "main")
        copy.copy(names, named=True)
        store.insert_rows("forgotten", [row for row in gone if row["name_hash"] not in known])
        if policy != store.policy:  # what both allow, and of the rows of both
            store.keep(policy.stricter(store.policy))
            store.take_out_texts()
    forget_told(store, known)
    replaced = [here for here in names.values() if here in ours]
    return Merged(
        str(path),
        replaced,
        [here for here in names.values() if here not in ours],
        newer_here,
        len(dropped),
        copy.rows,
    )


def _name_here(path: Path, theirs: _State, ours: Mapping[str, _State], force: bool) -> str:
    """What a repository of another database is called in this one.

    Raises DatabaseUnusable, BadName.
    """
    namesake = ours.get(theirs.name)
    if host_of(theirs.url):
        names = (name_of(theirs.url), name_with_host(theirs.url))
        present = (
            name for name in names if name in ours and same_place(ours[name].url, theirs.url)
        )
        if theirs.name in names and (same := next(present, None)):
            return same
        if namesake and on_other_server(namesake.url, theirs.url):
            return names[1]
        return theirs.name
    roots = {theirs.root_sha, namesake.root_sha if namesake is not None else None}
    if not force and None not in roots and len(roots) > 1:
        raise DatabaseUnusable(
            f"{path} holds another repository named {theirs.name}: its first commit is another one",
            "Attribute one of them under another name (whowrote repo PATH --name NAME), or replace"
            " ours with --force",
        )
    return theirs.name


def extract(store: Store, path: Path, names: Sequence[str]) -> None:
    """Rows of repositories into another database of ours, in one transaction; it is a seed,
    which need not be safe on the disk.
    """
    with attach(store, path), foreign_keys_off(store):
        store.connection.execute("PRAGMA other.synchronous = OFF")
        with store.transaction():
            _Copy(store, "main", "other").copy({name: name for name in names}, named=False)


def forget_told(store: Store, known: Set[str]) -> None:
    """Removes the repositories of whose removal another database has told: all but the hashes
    `known` before.
    """
    told = forgotten_names(store) - known
    names = store.column(f"SELECT name FROM {ROOT}") if told else []
    if gone := [name for name in names if tombstone(name) in told]:
        forget_rows(store, gone)


def forgotten_names(store: Store) -> set[str]:
    """The hashes that stand for the names of removed repositories."""
    return set(store.column("SELECT name_hash FROM forgotten"))


def forget_rows(store: Store, names: Iterable[str]) -> int:
    """Removes every row of repositories; returns how many. Call outside of a transaction."""
    with foreign_keys_off(store), store.transaction():
        for name in names:
            store.connection.execute(
                f"INSERT INTO temp.doomed SELECT id FROM {ROOT} WHERE name = ? COLLATE NOCASE",
                (name,),
            )
        gone = remove(
            store.connection.execute, merge_schema(store.connection.execute, "main"), "main"
        )
        if not store.value(f"SELECT COUNT(*) FROM {ROOT}"):
            for name in _FOR_ALL:
                store.connection.execute(f"DELETE FROM {name}")
        return gone


class _State(NamedTuple):
    """What a repository is, and when its last stage was finished."""

    name: str
    url: str
    root_sha: str | None
    at: str


def _states(store: Store, names: Iterable[str] | None = None) -> dict[str, _State]:
    """By name: of these repositories, or of all."""
    sql = (
        "SELECT r.name, r.url, r.root_sha, MAX(t.finished_at) AS at FROM repos r LEFT JOIN"
        " stage_runs t ON t.repo_id = r.id"
    )
    if names is None:
        rows = store.rows(f"{sql} GROUP BY r.id")
    else:
        rows = [
            row
            for name in names
            for row in store.rows(f"{sql} WHERE r.name = ? GROUP BY r.id", (name,))
        ]
    return {
        r["name"]: _State(r["name"], r["url"] or "", r["root_sha"], r["at"] or "") for r in rows
    }
