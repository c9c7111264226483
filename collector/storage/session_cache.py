"""What was read of sessions, kept in the user's cache, so that one that did not change is not read
again, whatever database asks.

An entry is known by what it was made from. It is encrypted with a key of the archive, which is the
owner's alone, since the replay needs texts as they were recorded, secrets included: the cache by
itself tells nothing, and what was not written with the key is never unpacked. Nothing is kept
without an archive, nor for a database that keeps less than all content. A cache that cannot be used
is done without.
"""

import os
import pickle
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collector.errors import DatabaseUnusable
from collector.limits import CACHE_BYTES
from collector.storage import archive
from collector.storage.places import cache_directory, configured_file, make_private
from collector.storage.retention import FULL
from collector.storage.store import Store, open_cache

ENVIRONMENT = "WHOWROTE_SESSIONS"
_KEPT = timedelta(days=30)  # since it was last used
_AT_ONCE = 16_000_000  # bytes that wait to be written
_WAIT = 0.5  # seconds for which they do: a run that is killed has to read them again
_KEPT_BYTES = "SELECT SUM(bytes) FROM sessions_read"
_PART = (
    "SELECT content, used_on FROM sessions_read WHERE repo = ? AND session = ? AND input_key = ?"
    " AND part = ?"
)
_OF_REPOSITORY = "sessions_read WHERE repo = ?"
_OF_SESSION = "session_places WHERE substr(file, -length(?)) = ?"
_FAILURES = (DatabaseUnusable, OSError)
_NONCE = 12  # bytes before what is encrypted

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def path() -> Path | None:
    """WHOWROTE_SESSIONS, else sessions.db in the user's cache directory; None: "off"."""
    return configured_file(ENVIRONMENT, cache_directory() / "sessions.db")


def opened() -> Store | None:
    """The file of the cache; None where there is none."""
    file = path()
    if file:
        return _open(file)
    return None


class SessionCache:
    """The sessions of one repository."""

    def __init__(self, cache: Store | None, repo: str, key: bytes | None) -> None:
        self._cache = cache if key else None
        self._repo = repo
        self._key = key or b""
        self._waiting: list[tuple[str, str, Mapping[str, bytes]]] = []
        self._today = datetime.now(UTC).date().isoformat()
        self._used: list[str] = []
        self._wrote = time.monotonic()

    def get(self, session: str, input_key: str, part: str = "") -> Any:
        """A part of what was kept of a session that was read from these inputs; None for none."""
        with suppress(*_FAILURES):
            values = (self._repo, session, input_key, part)
            if self._cache:
                for row in self._cache.rows(_PART, values):
                    if row["used_on"] != self._today:
                        self._used.append(session)
                    return unseal(row["content"], self._key)
        return None

    @cached_property
    def key(self) -> bytes:
        """To seal what is put in; b"" where it is not worth it: there was no room when it was first
        asked.
        """
        with suppress(*_FAILURES):
            if self._cache and int(self._cache.value(_KEPT_BYTES) or 0) < CACHE_BYTES:
                return self._key
        return b""

    def put(self, session: str, input_key: str, parts: Mapping[str, bytes]) -> None:
        """`parts`: each as `seal` gives it."""
        if self._cache is not None:
            self._waiting.append((session, input_key, parts))
            size = sum(_size(waiting) for *_, waiting in self._waiting)
            if size > _AT_ONCE or time.monotonic() > self._wrote + _WAIT:
                self.write()

    def write(self) -> None:
        """What waits, as far as there is room."""
        waiting = self._waiting
        self._waiting = []
        used = self._used
        self._used = []
        self._wrote = time.monotonic()
        if self._cache is None or not (waiting or used):
            return
        condition = "repo = ? AND session = ?"
        try:
            with self._cache.transaction() as connection:
                mine = [(self._repo, session) for session, *_ in waiting]
                connection.executemany(f"DELETE FROM sessions_read WHERE {condition}", mine)
                full = int(self._cache.value(_KEPT_BYTES) or 0)
                for session, key, parts in waiting:
                    full += _size(parts)
                    if full > CACHE_BYTES:
                        break
                    entries = (
                        (self._repo, session, part, key, self._today, len(kept), kept)
                        for part, kept in parts.items()
                    )
                    connection.executemany(
                        "INSERT INTO sessions_read VALUES (?, ?, ?, ?, ?, ?, ?)", entries
                    )
                rows = [(self._today, self._repo, session) for session in dict.fromkeys(used)]
                connection.executemany(
                    f"UPDATE sessions_read SET used_on = ? WHERE {condition}", rows
                )
        except _FAILURES:
            self._cache = None


def _size(parts: Mapping[str, bytes]) -> int:
    return sum(map(len, parts.values()))


@contextmanager
def sessions_of(store: Store, repo_id: int) -> Iterator[SessionCache]:
    """The cache for a repository of a database; what was added is in it at the end, also when
    the work in between fails.
    """
    repo = str(store.value("SELECT name FROM repos WHERE id = ?", (repo_id,)))
    file = path()
    cache = None if file is None or str(store.path) == ":memory:" else _open(file)
    try:
        keeps = store.policy.keeps(FULL)
        if cache is not None and not keeps:
            _delete(cache, _OF_REPOSITORY, repo)
        mine = SessionCache(cache, repo, archive.own_key() if cache is not None and keeps else None)
        try:
            yield mine
        finally:
            mine.write()
    finally:
        if cache is not None:
            cache.close()


def forget(repos: Iterable[str], sessions: Iterable[str]) -> bool:
    """Removes what is kept of repositories, whatever database they are in, and where sessions
    worked, by their ids; False when traces stay: somebody else reads it.
    """
    file = path()
    cache = _open(file) if file is not None and file.exists() else None
    if cache is None:
        return True
    with cache:
        for repo in repos:
            _delete(cache, _OF_REPOSITORY, repo)
        for session in sessions:
            _delete(cache, _OF_SESSION, f"#{session}", f"#{session}")
        return cache.wipe()


def _open(file: Path) -> Store | None:
    """The cache, without what was not used for a month; None when it cannot be used."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_private(file)
    except OSError:
        return None
    cache = open_cache(file)
    if cache is not None:
        _delete(cache, "sessions_read WHERE used_on < ?", (date.today() - _KEPT).isoformat())
    return cache


def _delete(cache: Store, rows: str, *values: str) -> None:
    with suppress(*_FAILURES):
        if cache.value(f"SELECT 1 FROM {rows} LIMIT 1", values):
            with cache.transaction() as connection:
                connection.execute(f"DELETE FROM {rows}", values)


def seal(value: object, key: bytes) -> bytes:
    """A value as entries are kept: compressed and encrypted."""
    content = zlib.compress(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), 1)
    nonce = os.urandom(_NONCE)
    return nonce + _cipher(key).encrypt(nonce, content, None)


def unseal(sealed: bytes, key: bytes) -> Any:
    """The value again; None for what was not sealed with the key. Nothing else is unpacked, since
    unpacking runs what it is told to.
    """
    from cryptography.exceptions import InvalidTag

    try:
        content = _cipher(key).decrypt(sealed[:_NONCE], sealed[_NONCE:], None)
    except (InvalidTag, ValueError):  # ValueError: it was cut
        return None
    return pickle.loads(zlib.decompress(content))


def _cipher(key: bytes) -> "AESGCM":
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)
