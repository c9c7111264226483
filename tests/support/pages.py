"""The pages as a person starts them: a process on a port of the loopback."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path

from collector.json_values import Texts

_PRINTED = re.compile(r"(http://127\.0\.0\.1:(\d+)/\S+\?token=(\S+))")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Texts
    text: str


@dataclass(frozen=True)
class Server:
    address: str  # as printed, with the token
    port: int
    token: str
    process: subprocess.Popen[str]
    said: list[str] = field(default_factory=list)  # what it wrote to the terminal, once it ended

    def get(self, path: str, method: str = "GET", known: bool = True, **headers: str) -> Answer:
        """`headers`: with _ for -; `known`: with the token, as programs send it."""
        given: Texts = {"Authorization": f"Bearer {self.token}"} if known else {}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, headers=given)
            found = connection.getresponse()
            body = found.read().decode("utf-8", "replace")
            fields = {name.lower(): value for name, value in found.getheaders()}
        finally:
            connection.close()
        if "/-/query" in fields.get("location", ""):  # where Datasette 1 answers ?sql=
            return self.get(fields["location"], method, known, **headers)
        return Answer(found.status, fields, body)

    def peak(self) -> int:
        """The most memory the process ever had, in bytes (Linux)."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmHWM:")[1].split()[0]) * 1024


@contextmanager
def serving(db: Path, through: Sequence[str] = ()) -> Iterator[Server]:
    """`through`: a command that starts the one after it."""
    code = "from attribution.cli import main; main()"
    command = [
        *through,
        sys.executable,
        "-c",
        code,
        "browse",
        "--db",
        str(db),
        "--port",
        "0",
        "--no-open",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        said = ""
        while (found := _PRINTED.search(said)) is None:
            line = process.stderr.readline()
            assert line, f"ended with {process.wait()}: {said}"
            said += line
        server = Server(found[1], int(found[2]), found[3], process)
        yield server
        process.terminate()
        server.said.append(process.communicate()[1])
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
