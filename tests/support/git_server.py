"""A git server on the loopback: `git http-backend` behind http.server, counting, and failing
when it is told to.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from collector.json_values import Texts

# What happens to a request: None serves it; a number is the status of an error; ("cut", n) ends the
# answer after n bytes; ("wait", seconds) makes it late.
Fault = None | int | tuple[str, float]
SETTINGS = {
    "uploadpack.allowFilter": "true",
    "uploadpack.allowAnySHA1InWant": "true",
    "http.receivepack": "false",
}


class GitServer:
    """Serves the bare repositories below a directory. `url(name)` is where owner/name is found.

    `renamed`: old name -> (new name, status of the answer at the old one), as long as nothing else
    has the old name.
    """

    def __init__(
        self,
        root: Path,
        faults: Callable[[str], Fault] = lambda path: None,
        settings: Mapping[str, str] = SETTINGS,
    ) -> None:
        self.root = root
        self.faults = faults
        self.settings = dict(settings)
        self.requests: Counter[str] = Counter()
        self.sent = 0
        self.log: list[tuple[str, str]] = []
        self.renamed: dict[str, tuple[str, int]] = {}
        self._guard = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def url(self, name: str) -> str:
        return f"{self.base}/{name}.git"

    def note(self, method: str, path: str, sent: int) -> None:
        with self._guard:
            self.requests[f"{method} {path.rpartition('/')[2].partition('?')[0]}"] += 1
            self.log.append((method, path))
            self.sent += sent

    def reset(self) -> None:
        with self._guard:
            self.requests.clear()
            self.log.clear()
            self.sent = 0

    def environment(self) -> Texts:
        found = {
            name: os.environ[name]
            for name in ("PATH", "LD_LIBRARY_PATH", "TMPDIR")
            if name in os.environ
        }
        found |= {
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        found |= {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "HOME": "/nonexistent",
            "REMOTE_ADDR": "127.0.0.1",
            "LC_ALL": "C",
        }
        settings = {"safe.directory": "*", **self.settings}
        found["GIT_CONFIG_COUNT"] = str(len(settings))
        for number, (key, value) in enumerate(settings.items()):
            found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return found


def _handler(server: GitServer) -> type[BaseHTTPRequestHandler]:  # noqa: C901 (one class)
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def _serve(self) -> None:
            body = self._body()
            fault = server.faults(self.path)
            if isinstance(fault, tuple) and fault[0] == "wait":
                time.sleep(fault[1])
            if isinstance(fault, int):
                server.note(self.command, self.path, 0)
                self.send_error(fault)
                return
            if self._is_moved():
                return
            most = int(fault[1]) if isinstance(fault, tuple) and fault[0] == "cut" else None
            try:
                sent = self._answer(body, most)
            except (BrokenPipeError, ConnectionResetError):
                sent = 0
            server.note(self.command, self.path, sent)

        def _is_moved(self) -> bool:
            name, dot, rest = self.path.removeprefix("/").partition(".git")
            new, status = server.renamed.get(name, ("", 0))
            if not new or (server.root / f"{name}.git").is_dir():
                return False
            server.note(self.command, self.path, 0)
            self.send_response(status)
            self.send_header("Location", f"{server.base}/{new}{dot}{rest}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return True

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            pieces = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(pieces)

        def _answer(self, body: bytes, most: int | None) -> int:
            path, _, query = self.path.partition("?")
            environment = server.environment() | {
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            process = subprocess.Popen(
                ["git", "http-backend"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
            assert process.stdin is not None and process.stdout is not None
            with process.stdout as output:
                try:
                    process.stdin.write(body)
                    process.stdin.close()
                except BrokenPipeError:
                    pass
                try:
                    return self._pass_on(output, most)
                finally:
                    process.kill()
                    process.wait()

        def _pass_on(self, output: Any, most: int | None) -> int:
            status = 200
            headers = []
            while (line := output.readline()) not in (b"\r\n", b"\n", b""):
                name, _, value = line.decode("latin-1").partition(":")
                if name.lower() == "status":
                    status = int(value.split()[0])
                else:
                    headers.append((name, value.strip()))
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            sent = 0
            while data := output.read1(65536):
                if most is not None:
                    data = data[: max(0, most - sent)]
                self.wfile.write(data)
                sent += len(data)
                if most is not None and sent >= most:
                    break
            return sent

    return Handler
