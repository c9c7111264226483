"""What a channel gets, and what it has to be: a function that names candidates.

And what discovery knows, in the database: candidates, who named them, and how far each slice of
each query got.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from collector.checkpoints.entire import remote_setting
from collector.discovery.github.client import GitHub
from collector.discovery.records import CHECKPOINTS
from collector.discovery.words import CursorState
from collector.json_values import JsonObject
from collector.repository_names import GITHUB, BadName, host_of, source, tombstone
from collector.runtime.progress import Progress, no_progress
from collector.storage.store import Connection, Store, iso
from collector.text import printable

_CURSOR = "channel, query, slice, state, position, total, found, detail, parent"


@dataclass(frozen=True)
class DiscoveryHit:
    """A repository that a channel named; `server` None: the one that is being searched."""

    full_name: str
    evidence: str
    github_id: int | None = None
    hits: int = 1
    server: str | None = None


@dataclass(frozen=True)
class Cursor:
    """A slice of a query and how far it got; the states are listed in the schema."""

    channel: str
    query: str
    slice: str
    state: str = CursorState.PENDING
    position: str | None = None
    total: int | None = None
    found: int = 0
    detail: str | None = None
    parent: str | None = None


@dataclass
class DiscoveryLog:
    """One database, one server."""

    store: Store
    server: str
    clock_now: Callable[[], float]

    def now(self) -> str:
        return iso(self.clock_now()) or ""

    def cursor(self, channel: str, query: str, slice: str) -> Cursor | None:
        return next(iter(self.cursors(channel, query, slice)), None)

    def cursors(
        self, channel: str, query: str | None = None, slice: str | None = None
    ) -> list[Cursor]:
        """In order of the slices."""
        return self.store.select(
            Cursor,
            f"SELECT {_CURSOR} FROM cursors WHERE server = ? AND channel = ?"
            " AND (query = ? OR ? IS NULL) AND (slice = ? OR ? IS NULL) ORDER BY query, slice",
            (self.server, channel, query, query, slice, slice),
        )

    def next_open(self, channel: str, query: str) -> Cursor | None:
        """The first slice that is not finished."""
        return self.store.select_one(
            Cursor,
            f"SELECT {_CURSOR} FROM cursors WHERE server = ? AND channel = ?"
            " AND query = ? AND state IN (?, ?) ORDER BY slice LIMIT 1",
            (self.server, channel, query, CursorState.PENDING, CursorState.PART),
        )

    def put(self, cursors: Iterable[Cursor]) -> None:
        with self.store.transaction() as connection:
            self._put(connection, cursors)

    def forget_cursors(self, channels: Sequence[str]) -> None:
        """The next run asks everything again."""
        with self.store.transaction() as connection:
            connection.executemany(
                "DELETE FROM cursors WHERE server = ? AND channel = ?",
                [(self.server, c) for c in channels],
            )

    def _put(
        self, connection: Connection, cursors: Iterable[Cursor], conflict: str = "REPLACE"
    ) -> None:
        columns = f"server, {_CURSOR}, updated_at"
        now = self.now()
        rows = [
            (
                self.server,
                c.channel,
                c.query,
                c.slice,
                c.state,
                c.position,
                c.total,
                c.found,
                c.detail and printable(c.detail),
                c.parent,
                now,
            )
            for c in cursors
        ]
        connection.executemany(
            f"INSERT OR {conflict} INTO cursors ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?,"
            " ?, ?)",
            rows,
        )

    def record(
        self,
        before: Cursor,
        cursor: Cursor,
        hits: Iterable[DiscoveryHit],
        children: Iterable[Cursor] = (),
    ) -> int:
        """Hits and the cursor that says they were read, in one transaction; returns how many
        candidates are new.

        `children`: slices to read in place of this one, unless they are there. Nothing is written
        when the cursor is no longer as it was `before`: another process read the same.
        """
        with self.store.transaction() as connection:
            stored = connection.execute(
                "SELECT state, position FROM cursors WHERE server = ? AND channel = ? AND query = ?"
                " AND slice = ?",
                (self.server, before.channel, before.query, before.slice),
            ).fetchone()
            if stored is not None and tuple(stored) != (before.state, before.position):
                return 0
            new = sum(
                self._name(connection, cursor.channel, cursor.query, cursor.slice, hit)
                for hit in hits
            )
            self._put(connection, [cursor])
            self._put(connection, children, "IGNORE")
        return new

    def name(self, channel: str, query: str, slice: str, hit: DiscoveryHit) -> bool:
        """A candidate that no query named, such as the new name of a renamed one.

        True when it is new; again changes nothing.
        """
        with self.store.transaction() as connection:
            exists = connection.execute(
                "SELECT 1 FROM discoveries d JOIN candidates c ON c.id = d.candidate_id"
                " WHERE c.server = ? AND c.full_name = ? AND d.channel = ? AND d.query = ?",
                (hit.server or self.server, hit.full_name, channel, query),
            ).fetchone()
            if exists:
                return False
            return bool(self._name(connection, channel, query, slice, hit))

    def _name(
        self, connection: Connection, channel: str, query: str, slice: str, hit: DiscoveryHit
    ) -> int:
        now = self.now()
        server = hit.server or self.server
        if parse_name(hit.full_name, server) != (server, hit.full_name) or self._is_forgotten(
            connection, server, hit.full_name
        ):
            return 0
        before = connection.total_changes
        connection.execute(
            "INSERT INTO candidates (server, full_name, first_seen_at, github_id) VALUES (?, ?, ?,"
            " ?) ON CONFLICT DO NOTHING",
            (server, hit.full_name, now, hit.github_id),
        )
        new = connection.total_changes - before
        row = connection.execute(
            "SELECT id FROM candidates WHERE server = ? AND full_name = ?", (server, hit.full_name)
        ).fetchone()
        connection.execute(
            "INSERT INTO discoveries (candidate_id, channel, query, slice, seen_at, hits, evidence)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (candidate_id, channel, query) DO UPDATE SET"
            " hits = hits + excluded.hits",
            (row[0], channel, query, slice, now, hit.hits, printable(hit.evidence)[:500]),
        )
        return new

    @staticmethod
    def _is_forgotten(connection: Connection, server: str, full_name: str) -> bool:
        """Removed on request: not even its name is kept."""
        hashed = (tombstone(full_name), tombstone(f"{host_of(server)}/{full_name}"))
        return (
            connection.execute(
                "SELECT 1 FROM forgotten WHERE name_hash IN (?, ?)", hashed
            ).fetchone()
            is not None
        )

    def update(self, candidate_id: int, values: JsonObject) -> None:
        with self.store.transaction() as connection:
            self.update_in(connection, candidate_id, values)

    @staticmethod
    def update_in(connection: Connection, candidate_id: int, values: JsonObject) -> None:
        names = ", ".join(f"{name} = ?" for name in values)
        connection.execute(
            f"UPDATE candidates SET {names} WHERE id = ?", (*values.values(), candidate_id)
        )


_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}(?:/[A-Za-z0-9_.-]{1,100}){1,5}")
_PROVIDERS = {"github": GITHUB, "gitlab": "https://gitlab.com"}


class NamedRepository(NamedTuple):
    server: str  # https://…
    name: str  # owner/name; on GitLab also group/subgroup/name


def valid_name(text: str) -> str | None:
    """`owner/name`, or `group/subgroup/name`, without `.git`; None for anything that could be
    something else.
    """
    name = text.removesuffix(".git").strip("/")
    if not _NAME.fullmatch(name) or any(
        part in (".", "..", ".git") or part.startswith("-") for part in name.split("/")
    ):
        return None
    return name


def parse_name(text: str, server: str = GITHUB) -> NamedRepository | None:
    """The repository of `owner/name`, `host/owner/name`, a web address, or an ssh address; None
    when it is none of them.
    """
    text = text.strip()
    plain = valid_name(text)
    if (
        plain is not None
        and "." not in plain.partition("/")[0]
        and (server != GITHUB or plain.count("/") == 1)
    ):
        return NamedRepository(server, plain)
    try:
        url = source(text, server).url
    except BadName:
        return None
    scheme, _, after = url.partition("://")
    host, _, path = after.partition("/")
    name = valid_name(path)
    if scheme.startswith("http") and name:
        return NamedRepository(f"{scheme}://{host}", name)
    return None


def checkpoint_remote(settings: str, server: str = GITHUB) -> NamedRepository | None:
    """The repository that holds the checkpoints, from the text of the settings; None: this one."""
    setting = remote_setting(settings)
    if setting is None:
        return None
    home = (
        server if setting.provider in ("", "github") else _PROVIDERS.get(setting.provider.lower())
    )
    if home:
        return parse_name(setting.repository, home)
    return None


FIRST_DAY = datetime(2026, 1, 3, tzinfo=UTC)  # the producer's first public release


@dataclass(frozen=True)
class DiscoverOptions:
    """What the user asked for. Times are UTC."""

    since: datetime | None = None
    until: datetime | None = None
    owners: tuple[str, ...] = ()
    forks: bool = False
    lists: tuple[Path, ...] = ()
    records: tuple[str, ...] = (CHECKPOINTS,)  # names of `records()`
    texts: tuple[tuple[str, bytes], ...] = ()  # lists from elsewhere: their source and content

    @property
    def names_repositories(self) -> bool:
        """Whether the user knows where to look."""
        return bool(self.lists or self.texts or self.owners)


def is_search_wanted(options: DiscoverOptions) -> bool:
    """Whether a search is worth asking when no channel is named."""
    return not options.names_repositories


@dataclass
class ChannelContext:
    github: GitHub
    log: DiscoveryLog
    request: DiscoverOptions = field(default_factory=DiscoverOptions)
    tell: Callable[[str], None] = lambda text: None
    progress: Progress = no_progress
    new: int = 0  # candidates that were new in this run

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.github.clock.now(), UTC)


class Channel(NamedTuple):
    """`run` resumes at the cursors; it raises WhoWroteError when it has to stop early, and
    everything before is kept.
    """

    name: str
    about: str  # what it asks and what it needs, for people
    needs_token: bool
    run: Callable[[ChannelContext], None]
    # whether it is asked when no channel is named
    is_usual: Callable[[DiscoverOptions], bool] = is_search_wanted
