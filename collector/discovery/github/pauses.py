"""Until when a git server wants to be left alone: one pause per server, for all threads of a run."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Pause:
    """`until`: seconds since 1970; `strikes`: limits in a row."""

    until: float = 0.0
    strikes: int = 0


@dataclass(slots=True)
class Pauses:
    """Several threads may share one."""

    _by_server: dict[str, Pause] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _turns: threading.Lock = field(default_factory=threading.Lock)

    def turn(self, server: str) -> AbstractContextManager[object]:
        """After a limit the threads ask one after the other, until an answer is good: each would meet the same limit."""
        return self._turns if self.of(server).strikes else nullcontext()

    def of(self, server: str) -> Pause:
        return self._by_server.get(server, Pause())

    def close(self, server: str, pause: Pause) -> None:
        """A longer pause that another thread was given stays."""
        with self._lock:
            before = self.of(server)
            self._by_server[server] = Pause(max(before.until, pause.until), max(before.strikes, pause.strikes))

    def open(self, server: str, now: float) -> None:
        """After a good answer. One that was on its way when another thread met the limit ends no pause."""
        with self._lock:
            before = self.of(server)
            if before.strikes and before.until <= now:
                self._by_server[server] = Pause()


def server_of(url: str) -> str:
    """Scheme, host and port of an address: what has one pause."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}"
