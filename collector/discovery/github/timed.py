"""Deadlines for connections: a timeout of httpx2 begins again with every byte, so a server that
sends one now and then has no end.

The waits of a connection go through its network backend. Ours waits for no longer than is left
until the deadline that holds (`collector/runtime/bounds.py`).
"""

from __future__ import annotations

from typing import Any

import httpcore2
import httpx2

from collector.runtime.bounds import NEVER, current

_SHORTEST = 0.001  # seconds; a timeout of 0 would not wait at all, and fail otherwise


def keep_deadlines(client: httpx2.Client) -> None:
    """All connections of a client keep the deadline that holds, those through a proxy too."""
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx2.HTTPTransport):
            pool = transport._pool
            pool._network_backend = _Timed(pool._network_backend)  # type: ignore[assignment]


def _time_left(timeout: float | None, late: type[httpcore2.TimeoutException]) -> float | None:
    """How long to wait. Raises `late` when the deadline has passed."""
    deadline = current()
    if deadline is NEVER:
        return timeout
    if deadline.has_passed:
        raise late("the deadline has passed")
    left = max(_SHORTEST, deadline.seconds_left())
    if timeout is None:
        return left
    return min(timeout, left)


class _Timed:
    """A network backend or one of its streams, whose waits end at the deadline."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def read(self, max_bytes: int, timeout: float | None = None) -> Any:
        return self._inner.read(max_bytes, _time_left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _time_left(timeout, httpcore2.WriteTimeout))

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, **options: Any
    ) -> _Timed:
        return _Timed(
            self._inner.connect_tcp(
                host, port, _time_left(timeout, httpcore2.ConnectTimeout), **options
            )
        )

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> _Timed:
        return _Timed(
            self._inner.start_tls(
                ssl_context, server_hostname, _time_left(timeout, httpcore2.ConnectTimeout)
            )
        )
