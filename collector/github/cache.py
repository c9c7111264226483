"""Answers kept in the database (`http_cache`), so that asking again costs nothing when they did not change."""

from __future__ import annotations

import time
import zlib
from dataclasses import dataclass

from collector.storage.store import Store, iso

MOST_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class CachedResponse:
    etag: str | None
    last_modified: str | None
    link: str | None
    body: bytes


class HttpCache:
    """Call it from the thread that opened the database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, url: str) -> CachedResponse | None:
        """None also for a row that is damaged."""
        found = self._store.rows("SELECT etag, last_modified, link, body FROM http_cache WHERE url = ?", (url,))
        if not found:
            return None
        row = found[0]
        try:
            body = zlib.decompressobj().decompress(row["body"], MOST_BYTES)
        except zlib.error:
            return None
        return CachedResponse(row["etag"], row["last_modified"], row["link"], body)

    def put(self, url: str, cached: CachedResponse) -> None:
        if len(cached.body) >= MOST_BYTES:
            return
        row = (url, cached.etag, cached.last_modified, cached.link, zlib.compress(cached.body), iso(time.time()))
        with self._store.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO http_cache VALUES (?, ?, ?, ?, ?, ?)", row)
