"""Who may read the pages: an ASGI layer in front of the whole application.

A server on the loopback is open to every program of the machine, and through the browser to every
page a person visits: such a page can send requests, and can read the answers when its own name
resolves to 127.0.0.1 (DNS rebinding). So a request needs a `Host` that is ours, must not come from
another page, and must know the token that is printed at the start. The token arrives in the address
once and is a cookie afterwards; programs send it as `Authorization: Bearer TOKEN`.
"""

import hmac
import ipaddress
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from collector.json_values import Row

Send = Callable[[Row], Awaitable[None]]
Application = Callable[[Row, Callable[[], Awaitable[Row]], Send], Awaitable[None]]
TOKEN = "token"
_LOCAL = ("localhost", "127.0.0.1", "::1")
_WILDCARDS = ("0.0.0.0", "::")
_HTTP_PORT = 80
_SAME = ("same-origin", "none")  # none: typed, a bookmark, or opened by another program


class Access(NamedTuple):
    """What a request must show.

    `host`: the address given by the person; `port`: the one listened on.
    """

    host: str
    port: int
    token: str

    @property
    def cookie(self) -> str:
        """Cookies are shared by all ports of a host, so the name has the port."""
        return f"whowrote_{self.port}"

    def is_own_host(self, header: str) -> bool:
        """Whether a `Host` header names this server.

        On a wildcard address any literal address does: it cannot be rebound.
        """
        try:
            parts = urlsplit(f"//{header}")
            name = (parts.hostname or "").removesuffix(".")
            port = parts.port or _HTTP_PORT
        except ValueError:
            return False
        if parts.netloc != header or "@" in header or port != self.port:
            return False
        return name in (*_LOCAL, self.host.lower()) or (
            self.host in _WILDCARDS and _is_address(name)
        )

    def knows(self, token: str) -> bool:
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())


class _Refusal(NamedTuple):
    status: HTTPStatus
    text: str


def private(app: Application, access: Access) -> Application:
    """The application for those who may read it; everybody else gets a sentence and no content."""

    async def answer_if_known(
        scope: Row, receive: Callable[[], Awaitable[Row]], send: Send
    ) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = _refusal(scope, access)
        if refusal is not None:
            await _answer(send, refusal)
        elif TOKEN in (parameters := dict(_query(scope))) and access.knows(parameters[TOKEN]):
            await _enter(scope, send, access)
        elif _is_known(scope, access):
            await app(scope, receive, _forbid_embedding(send))
        else:
            await _answer(
                send,
                _Refusal(
                    HTTPStatus.FORBIDDEN,
                    "Open the address that `whowrote browse` printed at its start.",
                ),
            )

    return answer_if_known


def _refusal(scope: Row, access: Access) -> _Refusal | None:
    """Why a request is refused whatever token it has."""
    hosts = _values(scope, b"host")
    if len(hosts) != 1 or not access.is_own_host(hosts[0]):
        return _Refusal(
            HTTPStatus.FORBIDDEN,
            f"This server answers only as localhost:{access.port} and its own address.",
        )
    if any(site not in _SAME for site in _values(scope, b"sec-fetch-site")):
        return _Refusal(
            HTTPStatus.FORBIDDEN,
            "Another page asked for this. Open the address in a tab of its own.",
        )
    if scope["method"] not in ("GET", "HEAD"):
        return _Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "These pages are only read.")
    return None


def _is_known(scope: Row, access: Access) -> bool:
    for header in _values(scope, b"authorization"):
        kind, _, token = header.partition(" ")
        if kind.lower() == "bearer" and access.knows(token.strip()):
            return True
    for header in _values(scope, b"cookie"):
        try:
            morsel = SimpleCookie(header).get(access.cookie)
        except CookieError:
            continue
        if morsel is not None and access.knows(morsel.value):
            return True
    return False


async def _enter(scope: Row, send: Send, access: Access) -> None:
    """The token becomes a cookie, and leaves the address: addresses are kept in histories and
    copied.
    """
    query = urlencode([pair for pair in _query(scope) if pair[0] != TOKEN])
    path = "/" + (scope.get("raw_path") or scope["path"].encode()).split(b"?")[0].decode(
        "latin-1"
    ).lstrip("/\\")
    cookie = f"{access.cookie}={access.token}; Path=/; HttpOnly; SameSite=Strict"
    headers = [
        (b"location", (path + (f"?{query}" if query else "")).encode("latin-1")),
        (b"set-cookie", cookie.encode()),
    ]
    await _answer(send, _Refusal(HTTPStatus.SEE_OTHER, ""), headers)


async def _answer(
    send: Send, refusal: _Refusal, more: list[tuple[bytes, bytes]] | None = None
) -> None:
    body = f"{refusal.text}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"referrer-policy", b"no-referrer"),
        *(more or []),
    ]
    await send({"type": "http.response.start", "status": refusal.status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _forbid_embedding(send: Send) -> Send:
    """Answers that no other page may embed."""

    async def answer(message: Row) -> None:
        if message["type"] == "http.response.start":
            message = message | {
                "headers": [*message["headers"], (b"cross-origin-resource-policy", b"same-origin")]
            }
        await send(message)

    return answer


def _values(scope: Row, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _query(scope: Row) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
