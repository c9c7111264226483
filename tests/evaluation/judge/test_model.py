"""The judge's models through llm, with a server on this machine that stands in for one with OpenAI's interface."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.builder import import_stream
from support.judge_answers import paper_answer, session_answer, turns_answer
from support.truth import REPOS

from attribution.authorship.options import AttributeOptions
from attribution.cli import cli
from attribution.evaluation.judge.model import KEY, Model, ModelAnswer, ModelFailed
from attribution.stages.lines import attribute_repo
from collector.errors import WhoWroteError
from collector.storage.store import Store

pytest.importorskip("llm")


class StandIn(HTTPServer):
    """Answers as such servers do; keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.knows_schemas, self.raw, self.code = True, b"", 200

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: StandIn

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append({**body, "path": self.path})
        self.server.headers.append(dict(self.headers))
        if "response_format" in body and not self.server.knows_schemas:
            self.send_error(400)
            return
        text = json.dumps(_reply(body["messages"]))
        said = {"choices": [{"message": {"role": "assistant", "content": text}}]}
        data = self.server.raw or json.dumps({**said, "usage": {"prompt_tokens": 100, "completion_tokens": 10}}).encode()
        self.send_response(self.server.code)
        if self.server.code == 307:
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""


def _reply(messages: list[dict[str, str]]) -> dict[str, Any]:
    system, prompt = (message["content"] for message in messages)
    if "asked_about" in system:
        return turns_answer(*json.loads(prompt.split("\n")[1])["asked_about"], pushback="takeover")
    return paper_answer() if "paper_persona" in system else session_answer()


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as one:
        thread = threading.Thread(target=one.serve_forever, args=(0.01,))
        thread.start()
        yield one
        one.shutdown()
        thread.join()


def test_one_command_has_a_local_server_label_sessions(server: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a proxy in the environment, which must not see anything."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    repo, db = import_stream((REPOS / "example" / "history.fi").read_bytes(), tmp_path / "example", True), tmp_path / "e.db"
    with Store(db) as store:
        attribute_repo(store, repo, AttributeOptions())
    run = ["data", "judge", "run", str(repo), "--db", str(db), "--server", server.address, "--model", "qwen3:8b", "--yes"]
    asked = ["--question", "session", "--question", "turns", "--question", "paper"]
    done = CliRunner().invoke(cli, [*run, *asked], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    first = server.bodies[0]
    assert (first["path"], first["model"], first["temperature"]) == ("/v1/chat/completions", "qwen3:8b", 0)
    assert first["response_format"]["json_schema"]["schema"]["additionalProperties"] is False
    with Store(db) as store:
        labels = {(row["label"], row["value"], row["number"]) for row in store.rows("SELECT * FROM judge_labels")}
    assert {
        ("pushback", "takeover", None),
        ("paper_persona", "other", None),
        ("paper_success_score", None, 85.0),
        ("audience", "developers", None),
        ("success_score", None, 80.0),
    } <= labels
    assert not any(label == "scope_drift" and number is None and value for label, value, number in labels)
    before = len(server.bodies)
    CliRunner().invoke(cli, [*run, *asked], catch_exceptions=False)
    assert len(server.bodies) == before  # no question twice


def test_an_answer_comes_with_its_tokens(server: StandIn) -> None:
    answer = Model("m", server.address + "/").ask("asked_about", 'x\n{"asked_about": [1]}', {})
    assert answer == ModelAnswer(json.dumps(turns_answer(1, pushback="takeover")), 100, 10)


def test_a_key_comes_from_the_environment_alone(server: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    Model("m", server.address).ask("words", "x", {})
    monkeypatch.setenv(KEY, "abc")
    Model("m", server.address).ask("words", "x", {})
    assert [{name.lower(): value for name, value in headers.items()}.get("authorization") for headers in server.headers] == [
        "Bearer none",
        "Bearer abc",
    ]
    with pytest.raises(WhoWroteError, match="password") as caught:
        Model("m", "http://me:abc@localhost/v1")
    assert KEY in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("code", "raw", "kind"),
    [
        (200, b"<html>", ""),
        (200, b"[]", ""),
        (200, b'{"choices": []}', ""),
        (200, b'{"choices": [{"message": {"content": "x"}}], "usage": 3}', ""),
        (200, b'{"choices": ' + b"[" * 100_000, ""),
        (500, b"words", "InternalServerError"),
        (401, b'{"error": {"message": "no such key: sk-' + b"x9" * 24 + b'"}}', "AuthenticationError"),
        (307, b"x", "APIStatusError"),
    ],
)
def test_what_is_no_answer(server: StandIn, code: int, raw: bytes, kind: str) -> None:
    server.code, server.raw = code, raw
    with pytest.raises(ModelFailed, match=f"^{kind}") as caught:
        Model("m", server.address).ask("words", "x", {})
    assert "x9x9" not in str(caught.value)
    assert [body["path"] for body in server.bodies] == ["/v1/chat/completions"]  # asked once; nothing follows a redirect


def test_nobody_there() -> None:
    with pytest.raises(ModelFailed, match="APIConnectionError"):
        Model("m", "http://127.0.0.1:1/v1").ask("words", "x", {})


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("localhost:11434", "not an address"),
        ("file:///etc/passwd", "not an address"),
        ("http://[::1", "not an address"),
        ("http://localhost:x/v1", "not an address"),
        ("http://api.example.org/v1", "without encryption"),
        ("http://8.8.8.8/v1", "without encryption"),
    ],
)
def test_addresses_that_are_refused(address: str, why: str) -> None:
    with pytest.raises(WhoWroteError, match=why):
        Model("m", address)


@pytest.mark.parametrize(
    "address", ["http://localhost:11434/v1", "http://192.168.1.5:8080/v1", "http://ollama:11434/v1", "https://example.org/v1"]
)
def test_addresses_that_are_near_or_encrypted(address: str) -> None:
    assert Model("m", address).name == "m"
