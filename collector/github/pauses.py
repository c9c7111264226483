"""Until when a git server wants to be left alone: one pause per server, for all threads of a process or all processes of a run."""

from __future__ import annotations

import hashlib
import json
import threading
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Pause:
    """`until`: seconds since 1970; `strikes`: limits in a row."""

    until: float = 0.0
    strikes: int = 0


@dataclass(slots=True)
class Pauses:
    """In memory, for the threads of one process."""

    _known: dict[str, Pause] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _turns: threading.Lock = field(default_factory=threading.Lock)

    def turn(self, server: str) -> AbstractContextManager[object]:
        """After a limit the threads ask one after the other, until an answer is good: each would meet the same limit."""
        return self._turns if self.of(server).strikes else nullcontext()

    def of(self, server: str) -> Pause:
        with self._lock:
            return self._read(server)

    def close(self, server: str, pause: Pause) -> None:
        """A longer pause that another worker was given stays."""
        with self._lock:
            known = self._read(server)
            self._write(server, Pause(max(known.until, pause.until), max(known.strikes, pause.strikes)))

    def open(self, server: str, now: float) -> None:
        """After a good answer. One that was on its way when another worker met the limit ends no pause."""
        with self._lock:
            known = self._read(server)
            if known.strikes and known.until <= now:
                self._write(server, Pause())

    def _read(self, server: str) -> Pause:
        return self._known.get(server, Pause())

    def _write(self, server: str, pause: Pause) -> None:
        self._known[server] = pause


@dataclass(slots=True)
class SharedPauses(Pauses):
    """In a directory, a small file per server, for processes that see the same files."""

    directory: Path = Path()

    def _read(self, server: str) -> Pause:
        try:
            found = json.loads(self._file(server).read_text("utf-8"))
            return Pause(float(found["until"]), int(found["strikes"]))
        except (OSError, ValueError, KeyError, TypeError):
            return Pause()  # none, or damaged: the server will say so again

    def _write(self, server: str, pause: Pause) -> None:
        file = self._file(server)
        if not pause.until:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(f".{threading.get_native_id()}")
        new.write_text(json.dumps({"until": pause.until, "strikes": pause.strikes}), "utf-8")
        new.replace(file)

    def _file(self, server: str) -> Path:
        return self.directory / f"{hashlib.sha256(server.encode()).hexdigest()[:16]}.json"


def server_of(url: str) -> str:
    """Scheme, host and port of an address: what has one pause."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}"
