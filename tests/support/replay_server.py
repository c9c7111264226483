"""A server on loopback that gives the answers it was handed, by path, as the API of another
forge does, and logs requests.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from collector.json_values import RowValues, Texts


@dataclass(frozen=True)
class Answer:
    """`pages`: bodies by number of the page, from 1; a Link header leads on."""

    pages: RowValues
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class ReplayServer:
    """`answers`: path, or path?key=value with one telling parameter -> Answer. Use it in a
    `with` statement.
    """

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers = dict(answers)
        self.log: list[tuple[str, Texts]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def find(self, path: str, query: Mapping[str, str]) -> Answer:
        for key, value in query.items():
            if f"{path}?{key}={value}" in self.answers:
                return self.answers[f"{path}?{key}={value}"]
        return self.answers.get(path, Answer(({"message": "404 Not Found"},), 404))


def _handler(server: ReplayServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            return

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            server.log.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            answer = server.find(parts.path, query)
            page = int(query.get("page", "1"))
            body = json.dumps(answer.pages[page - 1] if page <= len(answer.pages) else []).encode()
            self.send_response(answer.status)
            for name, value in {
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                **answer.headers,
            }.items():
                self.send_header(name, value)
            if page < len(answer.pages):
                self.send_header("Link", f'<{server.url}{parts.path}?page={page + 1}>; rel="next"')
            self.end_headers()
            self.wfile.write(body)

    return Handler
