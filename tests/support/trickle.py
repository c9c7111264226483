"""A server that sends a byte now and then, without an end."""

from __future__ import annotations

import socket
import threading
from typing import Self


class Trickle:
    """Answers every connection with `start`, then with `endless` byte by byte, one in `pause`
    seconds.
    """

    def __init__(self, start: bytes, endless: bytes, pause: float = 0.05) -> None:
        self._start = start
        self._endless = endless
        self._pause = pause
        self._over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self.connections = 0

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        """A thread that waits in `accept` does not hear of a `close`, and may go on with the
        socket that has the number next.
        """
        self._over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(65536)
                connection.sendall(self._start)
                at = 0
                while not self._over.wait(self._pause):
                    connection.sendall(self._endless[at % len(self._endless)].to_bytes())
                    at += 1
            except OSError:
                return
