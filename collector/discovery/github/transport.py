"""The adapter for HTTP (httpx2): one request, one answer of bounded size and time.

Redirects take no token to another host.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit, urlunsplit

from collector.errors import WhoWroteError
from collector.json_values import Texts
from collector.limits import ANSWER_BYTES, REDIRECTS
from collector.runtime.bounds import Deadline, deadline_until

if TYPE_CHECKING:
    import httpx2

PATIENCE = 300.0  # seconds for a whole answer, from the connection to the last byte
_REDIRECTS = (301, 302, 303, 307, 308)
_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_PRIVATE = ("authorization", "cookie")


class Unreachable(WhoWroteError):
    """No usable answer: no connection, a timeout, a connection that broke, an answer that is too
    large.
    """

    def __init__(self, message: str, hint: str = "", answered: bool = False) -> None:
        """`answered`: the server is there, and fails."""
        super().__init__(
            message, hint or "Check the network and run it again; finished work is kept"
        )
        self.answered = answered


class TooLarge(Unreachable):
    """More bytes than allowed; asking again would give the same."""


class HttpResponse(NamedTuple):
    """`headers` have lower-case names; `url` is the address that answered."""

    status: int
    headers: Texts
    body: bytes
    url: str


@dataclass
class Web:
    """Keeps connections open; may be used by several threads.

    Close it, or use it in a `with` statement.
    """

    timeout: float = 30.0
    user_agent: str = "whowrote"
    connections: int = 16
    _client: httpx2.Client | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Web:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def open(self) -> httpx2.Client:
        """The connections; made at the first request, because the library takes 0.2 s to load."""
        with self._lock:
            if self._client is None:
                import logging

                import httpx2

                from collector.discovery.github.timed import keep_deadlines

                # The library writes every address at level INFO: those who switch logging on should
                # not see them through us.
                logging.getLogger("httpx2").setLevel(logging.WARNING)
                logging.getLogger("httpcore2").setLevel(logging.WARNING)
                self._client = httpx2.Client(
                    timeout=self.timeout,
                    follow_redirects=False,
                    limits=httpx2.Limits(
                        max_connections=self.connections, max_keepalive_connections=self.connections
                    ),
                    headers={"User-Agent": self.user_agent},
                )
                keep_deadlines(self._client)
            return self._client

    def send(
        self,
        method: str,
        url: str,
        headers: Texts | None = None,
        content: bytes = b"",
        most: int = ANSWER_BYTES,
    ) -> HttpResponse:
        """The whole answer, whatever its status. Raises Unreachable."""
        with self.stream(method, url, headers, content, most) as (answer, chunks):
            body = b"".join(chunks)
        return HttpResponse(answer.status, answer.headers, body, answer.url)

    @contextmanager
    def stream(
        self,
        method: str,
        url: str,
        headers: Texts | None = None,
        content: bytes = b"",
        most: int = ANSWER_BYTES,
        patience: float = PATIENCE,
    ) -> Iterator[tuple[HttpResponse, Iterator[bytes]]]:
        """The answer without its body, and the body in pieces, decompressed.

        Raises Unreachable, also while it is read.

        `most` bytes, and `patience` seconds or the deadline that holds, are the bounds of the whole
        answer, with its headers and redirects: a server may send for ever.
        """
        import httpx2

        sent = dict(headers or {})
        first_url = url
        client = self.open()
        with deadline_until(Deadline.from_now(patience)) as deadline:
            try:
                for _ in range(REDIRECTS + 1):
                    with client.stream(
                        method, url, headers=sent, content=content or None
                    ) as response:
                        target = (
                            response.headers.get("location")
                            if response.status_code in _REDIRECTS
                            else None
                        )
                        if target is None:
                            headers = {
                                name.lower(): value for name, value in response.headers.items()
                            }
                            answer = HttpResponse(response.status_code, headers, b"", url)
                            yield answer, self._pieces(response.iter_bytes(), url, most)
                            return
                    method, url, content, sent = _follow_redirect(
                        method, url, target, content, sent, response.status_code
                    )
            except httpx2.TimeoutException:
                if deadline.has_passed:
                    raise Unreachable(
                        f"{plain_url(url)} took longer than {deadline.seconds:g} s"
                    ) from None
                raise Unreachable(
                    f"{plain_url(url)} did not answer within {self.timeout:g} s"
                ) from None
            except httpx2.InvalidURL:
                raise TooLarge(f"{plain_url(url)} is not a valid URL", "Check the URL") from None
            except httpx2.HTTPError as error:
                reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
                raise Unreachable(
                    f"{plain_url(url)} cannot be reached: {_NUMBER.sub('', reason)}"
                ) from None
        raise TooLarge(f"{plain_url(first_url)} redirects endlessly", "Remove it from the list")

    def _pieces(self, pieces: Iterator[bytes], url: str, most: int) -> Iterator[bytes]:
        size = 0
        for piece in pieces:
            size += len(piece)
            if size > most:
                raise TooLarge(
                    f"the answer of {plain_url(url)} is larger than {most >> 20} MiB",
                    "Remove it from the list",
                )
            yield piece


Redirect = tuple[str, str, bytes, Texts]


def _follow_redirect(
    method: str, url: str, target: str, content: bytes, sent: Texts, status: int
) -> Redirect:
    """The next request.

    POST stays POST (git servers redirect renamed repositories with 301), except after 303.
    """
    try:
        following = urljoin(url, target)
    except ValueError:
        following = ""
    if origin(following)[0] not in ("http", "https"):
        raise TooLarge(
            f"{plain_url(url)} redirects to something that is not a URL", "Remove it from the list"
        )
    if origin(following) != origin(url):
        sent = {name: value for name, value in sent.items() if name.lower() not in _PRIVATE}
    if urlsplit(url).scheme == "https" and urlsplit(following).scheme == "http":
        raise TooLarge(f"{plain_url(url)} redirects from https to http", "Remove it from the list")
    if status == 303:
        method = "GET"
        content = b""
    return method, following, content, sent


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port; of what is no address none that any address has."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:  # a bracket without its other half, a port that is no number
        return "", "", None
    return parts.scheme, (parts.hostname or "").lower(), port


def plain_url(url: str) -> str:
    """An address for messages: no user, no password, no query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
