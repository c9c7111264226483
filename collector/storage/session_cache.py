"""Sessions that were read, kept in the user's cache, so that one that did not change is not read again.

Loading keeps a session as it was parsed, and attribution puts what it made of it in its place.

A session in whose text a secret is found is not kept: it is read again each time, since what the replay needs is the text as it
was recorded. What is kept the clone holds as well, so the file is the owner's alone, it is never beside a database that may be
passed on, and nothing is kept for a database that keeps less than all content. An entry is known by what it was read from, not by
the database, which may be moved. A cache that cannot be used is done without.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from pathlib import Path

from collector.errors import DatabaseUnusable
from collector.limits import CACHE_BYTES, CACHED_BYTES
from collector.storage.places import cache_directory
from collector.storage.redaction import secrets_out
from collector.storage.retention import FULL
from collector.storage.store import Store, open_cache

ENVIRONMENT = "WHOWROTE_SESSIONS"
OFF = "off"
_KEPT = timedelta(days=30)  # since it was last used
_AT_ONCE = 16_000_000  # bytes that wait to be written
_MOST_SCANNED = 300_000
_KEPT_BYTES = "SELECT SUM(bytes) FROM sessions_read"
_FAILURES = (DatabaseUnusable, OSError)


def path() -> Path | None:
    """WHOWROTE_SESSIONS, else sessions.db in the user's cache directory; None: "off"."""
    configured = os.environ.get(ENVIRONMENT, "")
    if configured == OFF:
        return None
    return Path(configured) if configured else cache_directory() / "sessions.db"


class SessionCache:
    """The sessions of one repository. Entries are hostile input: who reads them checks what they are."""

    def __init__(self, cache: Store | None, repo: str) -> None:
        self._cache, self._repo = cache, repo
        self._waiting: list[tuple[str, str, bytes]] = []
        self._today = datetime.now(UTC).date().isoformat()
        self._used: list[str] = []

    def get(self, session: str, input_key: str) -> bytes | None:
        """What was kept of a session that was read from these inputs."""
        if self._cache is None:
            return None
        sql = "SELECT content, used_on FROM sessions_read WHERE repo = ? AND session = ? AND input_key = ?"
        try:
            rows = self._cache.rows(sql, (self._repo, session, input_key))
        except _FAILURES:
            return None
        if not rows or not isinstance(rows[0]["content"], bytes):
            return None
        if rows[0]["used_on"] != self._today:
            self._used.append(session)
        return inflate(rows[0]["content"])

    def has_room(self) -> bool:
        """Whether it is worth making something to put in."""
        return self._cache is not None and self._total < CACHE_BYTES

    @cached_property
    def _total(self) -> int:
        """Bytes of the whole cache when it was first asked."""
        try:
            return int(self._cache.value(_KEPT_BYTES) or 0) if self._cache is not None else 0
        except _FAILURES:
            return CACHE_BYTES

    def put(self, session: str, input_key: str, content: bytes) -> None:
        """`content`: as `compress` gives it."""
        if self._cache is not None:
            self._waiting.append((session, input_key, content))
            if sum(len(entry) for _, _, entry in self._waiting) > _AT_ONCE:
                self.write()

    def write(self) -> None:
        """What waits, as far as there is room."""
        waiting, self._waiting, used, self._used = self._waiting, [], self._used, []
        if self._cache is None or not (waiting or used):
            return
        condition = "repo = ? AND session = ?"
        try:
            with self._cache.transaction() as connection:
                mine = [(self._repo, session) for session, *_ in waiting]
                connection.executemany(f"DELETE FROM sessions_read WHERE {condition}", mine)
                full = int(self._cache.value(_KEPT_BYTES) or 0)
                for session, input_key, content in waiting:
                    full += len(content)
                    if full > CACHE_BYTES:
                        break
                    row = (self._repo, session, input_key, self._today, len(content), content)
                    connection.execute("INSERT INTO sessions_read VALUES (?, ?, ?, ?, ?, ?)", row)
                rows = [(self._today, self._repo, session) for session in used]
                connection.executemany(f"UPDATE sessions_read SET used_on = ? WHERE {condition}", rows)
        except _FAILURES:
            self._cache = None


@contextmanager
def sessions_of(store: Store, repo: str) -> Iterator[SessionCache]:
    """The cache for a repository of a database; what was added is in it at the end, also when the work in between fails."""
    file = path()
    cache = None if file is None or str(store.path) == ":memory:" else _open(file)
    mine = SessionCache(cache, repo)
    try:
        if cache is not None and not store.policy.keeps(FULL):
            _delete(cache, "repo = ?", repo)
            mine = SessionCache(None, "")
        yield mine
        mine.write()
    finally:
        if cache is not None:
            cache.close()


def forget_sessions(repo: str) -> bool:
    """Removes what is kept of a repository, whatever database it is in; False when traces stay: somebody else reads it."""
    file = path()
    cache = _open(file) if file is not None and file.exists() else None
    if cache is None:
        return True
    with cache:
        _delete(cache, "repo = ?", repo)
        return cache.wipe()


def _open(file: Path) -> Store | None:
    """The cache, without what was not used for a month; None when it cannot be used."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        file.chmod(0o600)
    except OSError:
        return None
    cache = open_cache(file)
    if cache is not None:
        _delete(cache, "used_on < ?", (date.today() - _KEPT).isoformat())
    return cache


def _delete(cache: Store, condition: str, *values: str) -> None:
    with suppress(*_FAILURES):
        if cache.value(f"SELECT 1 FROM sessions_read WHERE {condition} LIMIT 1", values):
            with cache.transaction() as connection:
                connection.execute(f"DELETE FROM sessions_read WHERE {condition}", values)


_scanned: set[int] = set()  # lines, each with the one before it, in which no secret was found


def has_secret(texts: Iterable[str]) -> bool:
    """Whether a secret is found in one of the texts. Lines that were searched before, after the same line, are passed over."""
    if len(_scanned) > _MOST_SCANNED:
        _scanned.clear()
    return any(map(_has_secret, texts))


def _has_secret(text: str) -> bool:
    before, searched, keys = "", [""], []
    for line in text.split("\n"):
        if not line or line.isspace():
            continue
        key = hash((before, line))
        if key not in _scanned:
            keys.append(key)
            searched += [line] if searched[-1] is before else [before, line]
        before = line
    new = "\n".join(searched)
    if secrets_out(new) != new:
        return True
    _scanned.update(keys)
    return False


def compress(content: bytes) -> bytes:
    """As entries are kept."""
    return zlib.compress(content, 1)


def inflate(content: bytes) -> bytes | None:
    """None for what is damaged, or larger than anything that is put in."""
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(content, CACHED_BYTES + 1)
    except zlib.error:
        return None
    return content if len(content) <= CACHED_BYTES and stream.eof else None
