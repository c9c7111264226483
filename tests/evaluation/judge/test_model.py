"""The judge's models through llm: one that is configured there, of a server on this machine with
OpenAI's interface.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.answers import pick
from support.commands import clone
from support.judge_answers import paper_answer, session_answer, turns_answer

from attribution.authorship.options import AttributeOptions
from attribution.cli import cli
from attribution.evaluation.models import Model, ModelAnswer, ModelFailed
from attribution.stages.lines import attribute_repo
from collector.json_values import JsonObject, Texts
from collector.storage.store import Store

pytest.importorskip("llm")


class StandIn(HTTPServer):
    """Answers as such servers do; keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[JsonObject] = []
        self.knows_schemas = True
        self.raw = b""
        self.code = 200

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: StandIn

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append({**body, "path": self.path})
        if "response_format" in body and not self.server.knows_schemas:
            self.send_error(400)
            return
        text = json.dumps(_reply(body["messages"]))
        said = {"choices": [{"message": {"role": "assistant", "content": text}}]}
        data = (
            self.server.raw
            or json.dumps(
                {**said, "usage": {"prompt_tokens": 100, "completion_tokens": 10}}
            ).encode()
        )
        self.send_response(self.server.code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""


def _reply(messages: list[Texts]) -> JsonObject:
    system, prompt = (message["content"] for message in messages)
    if "asked_about" in system:
        return turns_answer(*json.loads(prompt.split("\n")[1])["asked_about"], pushback="takeover")
    return paper_answer() if "paper_persona" in system else session_answer()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """A server whose model llm knows as `local`."""
    with StandIn() as one:
        monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
        models = (
            f"- model_id: local\n  model_name: qwen3:8b\n  api_base: {one.address}\n "
            " supports_schema: true\n"
        )
        (tmp_path / "extra-openai-models.yaml").write_text(models)
        thread = threading.Thread(target=one.serve_forever, args=(0.01,))
        thread.start()
        yield one
        one.shutdown()
        thread.join()


def test_a_model_of_llm_labels_sessions(server: StandIn, tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)
    with Store(db) as store:
        attribute_repo(store, repo, AttributeOptions())
    run = ["data", "judge", "run", str(repo), "--db", str(db), "--model", "local", "--yes"]
    asked = ["--question", "session", "--question", "turns", "--question", "paper"]
    done = CliRunner().invoke(cli, [*run, *asked], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    first = server.bodies[0]
    assert pick(first, "path", "model") == ("/v1/chat/completions", "qwen3:8b")
    assert first["response_format"]["json_schema"]["schema"]["additionalProperties"] is False
    with Store(db) as store:
        labels = {
            pick(row, "label", "value", "number")
            for row in store.rows("SELECT * FROM judge_labels")
        }
    assert {
        ("pushback", "takeover", None),
        ("paper_persona", "other", None),
        ("paper_success_score", None, 85.0),
        ("audience", "developers", None),
        ("success_score", None, 80.0),
    } <= labels
    assert not any(
        label == "scope_drift" and number is None and value for label, value, number in labels
    )
    before = len(server.bodies)
    CliRunner().invoke(cli, [*run, *asked], catch_exceptions=False)
    assert len(server.bodies) == before  # no question twice


def test_an_answer_comes_with_its_tokens(server: StandIn) -> None:
    answer = Model("local").ask("asked_about", 'x\n{"asked_about": [1]}', {})
    assert answer == ModelAnswer(json.dumps(turns_answer(1, pushback="takeover")), 100, 10)


@pytest.mark.parametrize(
    ("code", "raw", "kind"),
    [
        (200, b"<html>", ""),
        (200, b"[]", ""),
        (200, b'{"choices": []}', ""),
        (200, b'{"choices": [{"message": {"content": "x"}}], "usage": 3}', ""),
        (200, b'{"choices": ' + b"[" * 100_000, ""),
        (400, b"words", "BadRequestError"),
        (
            401,
            b'{"error": {"message": "no such key: sk-' + b"x9" * 24 + b'"}}',
            "AuthenticationError",
        ),
    ],
)
def test_what_is_no_answer(server: StandIn, code: int, raw: bytes, kind: str) -> None:
    server.code = code
    server.raw = raw
    with pytest.raises(ModelFailed, match=f"^{kind}") as caught:
        Model("local").ask("words", "x", {})
    assert "x9x9" not in str(caught.value)
