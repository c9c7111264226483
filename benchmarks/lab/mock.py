"""A scripted model on the loopback.

It keeps no state that decides an answer: the newest `LAB:<step>` in a user's text names the step of
the script, the number of tool results after that text says which of its responses is due. So
retries, requests for titles and summaries, resumed and forked sessions and subagents get the right
answer in any order.

What each request finds changed in the worktree is what the calls before it did: that is logged as
the truth (`changes.jsonl`), beside the requests with their answers (`requests.jsonl`) and the tools
that were offered (`tools.json`).
"""

from __future__ import annotations

import gzip
import json
import re
import select
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from lab.actions import (
    BACKGROUND,
    FINISH,
    Action,
    Json,
    Style,
    Tool,
    action_in_text,
    call_for,
    fill_required,
    first_of,
)
from lab.interfaces import Answer, Call, Event, Interface, Usage, interface_of
from lab.truth import tree_texts

Response = Sequence[Action]  # what one response does; more than one call in it are parallel
Script = Mapping[str, Sequence[Response]]
MODELS = ("lab-model", "claude-sonnet-4-5", "gpt-5", "gpt-5-codex", "gemini-2.5-pro")
TITLE = "A lab session"
# how of an action: the answer's stream stands still until the agent gives up, or for PATIENCE
# seconds
SLOW = "slow"
PATIENCE = 60.0
TURN = 240.0  # seconds in which another conversation must have begun, and done what it does
PASSING = 0.5  # seconds in which another conversation can take the turn
TITLE_JSON = {
    "title": TITLE,
    "reasoning": "lab",
    "next_speaker": "user",
    "complexity_reasoning": "lab",
    "complexity_score": 10,
    "model_choice": "pro",
}
_STEP = re.compile(r"LAB:([\w-]+)")


@dataclass(frozen=True)
class Position:
    """Where in the script a conversation stands: `done` actions of `step` have their results."""

    step: str
    done: int


def position(events: Sequence[Event], script: Script, style: Style) -> Position | None:
    """None for a conversation that names no step, such as a request for a title."""
    step, results, said = "", 0, 0
    for event in events:
        if event.kind == "user":
            steps = [name for name in _STEP.findall(event.text) if name in script]
            if steps and steps[-1] != step:  # agents quote the prompt again in reminders
                step, results, said = steps[-1], 0, 0
        elif event.kind == "result":
            results += event.results
        elif step:
            said += 1
    return Position(step, said if style.text else results) if step else None


def due(script: Script, place: Position, style: Style) -> Response:
    """The response that the position asks for; empty after the last one."""
    if style.text:
        return next(iter(script[place.step][place.done : place.done + 1]), ())
    done = 0
    for response in script[place.step]:
        if done >= place.done:
            return response
        done += sum(1 for action in response if action.kind != "say")
    return ()


@dataclass
class Turns:
    """Conversations that go on at once act one after the other: so it is known whose call
    changed a file. Whoever has read a file keeps the turn for what it does next.
    """

    conversations: int = 1  # that all begin before one acts
    begun: set[str] = field(default_factory=set)
    holder: str = ""  # the step whose call runs
    reads: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def take(self, step: str) -> None:
        if self.conversations == 1:
            return
        with self.changed:
            self.begun.add(step)
            if self.holder == step and not self.reads:
                self._pass_on()
                self.changed.wait(PASSING)
            self.changed.notify_all()
            self.changed.wait_for(
                lambda: len(self.begun) >= self.conversations and self.holder in ("", step),
                TURN,
            )
            self.holder = step

    def act(self, response: Response) -> None:
        """What the holder does next."""
        with self.changed:
            self.reads = any(action.kind == "read" for action in response)
            if all(action.kind == "say" for action in response):
                self._pass_on()

    def _pass_on(self) -> None:
        self.holder = ""
        self.changed.notify_all()


@dataclass
class Model:
    """The script, and what was asked and answered in one run of an agent."""

    script: Script
    style: Style
    run: str  # part of every id, so that ids of resumed sessions differ
    directory: str  # the worktree, as the agent sees it
    log: Path
    delay: float = 0.0  # seconds before each answer
    used: int = 1000  # tokens of input that each answer says were read
    turns: Turns = field(default_factory=Turns)
    offered: dict[str, Tool] = field(default_factory=dict)
    number: int = 0
    ended: set[Position] = field(default_factory=set)  # where a last answer was given
    pending: list[tuple[Call, Action, str]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.log.mkdir(parents=True, exist_ok=True)
        self.texts = tree_texts(Path(self.directory))

    def note(self, name: str, row: Json) -> None:
        with (self.log / name).open("a", encoding="utf-8") as out:
            out.write(json.dumps({"at": round(time.time(), 3), **row}) + "\n")

    def answer(self, interface: Interface, body: Json, model: str) -> Answer:
        tools = interface.tools(body)
        place = position(list(interface.events(body)), self.script, self.style)
        side = place is None or place in self.ended or (not tools and not self.style.text)
        if place is not None and not side:
            self.turns.take(place.step)
        with self.lock:
            self.number += 1
            self._offer(tools)
            key = f"Lab{self.run}{self.number:04}"
            usage = Usage(
                self.used + self.number,
                50 + self.number,
                100,
                written=7 if interface.name == "anthropic" else 0,
            )
            if side or place is None:
                text = "Done." if place in self.ended else _side_text(body)
                later = place if place in self.ended else None
                return self._log(
                    interface, Answer(key, model, text, "", (), usage), later, side=True
                )
            self.changed()
            response = due(self.script, place, self.style)
            self.turns.act(response)
            if all(action.kind == "say" for action in response) and not self.style.text:
                self.ended.add(place)
            calls, text = self._calls(response, tools, place, key, interface.call_prefix)
            thinking = (
                f"I think about {place.step}, {place.done}." if interface.thinks(body) else ""
            )
            if thinking:
                usage = Usage(
                    usage.input, usage.output + 20, usage.cached, usage.written, thinking=20
                )
            slow = any(action.how == SLOW for action in response)
            return self._log(
                interface, Answer(key, model, text, thinking, calls, usage, slow), place
            )

    def settle(self) -> None:
        """Logs the changes so far, when a person is about to act and no request tells that the
        calls are over.
        """
        with self.lock:
            self.changed()

    def _offer(self, tools: Sequence[Tool]) -> None:
        new = {tool.name: tool for tool in tools if tool.name not in self.offered}
        if new:
            self.offered |= new
            rows = {name: sorted(tool.properties) for name, tool in sorted(self.offered.items())}
            (self.log / "tools.json").write_text(json.dumps(rows, indent=1), "utf-8")

    def _calls(
        self, response: Response, tools: Sequence[Tool], place: Position, key: str, prefix: str
    ) -> tuple[list[Call], str]:
        """The calls of a response and its text."""
        calls, texts = [], []
        for number, action in enumerate(response):
            if action.kind == "say" or self.style.text:
                texts.append(action_in_text(action, self.style))
                if action.kind != "say":
                    in_text = Call(f"{key}x{number}", Tool(self.style.text, {}), "")
                    self.pending.append((in_text, action, place.step))
                continue
            chosen = call_for(action, tools, self.directory, self.style)
            if chosen is None:
                texts.append(
                    action.text if action.kind == "plan" else f"lab: no tool for {action.kind}"
                )
                continue
            calls.append(Call(f"{prefix}{key}{'abcdefgh'[number]}", *chosen))
            self.pending.append((calls[-1], action, place.step))
        if not calls and not self.style.text:
            finish = next((tool for tool in tools if tool.name in FINISH), None)
            if finish is not None:  # some agents end only with a call
                name = first_of(("result", "message", "summary"), finish.properties) or "result"
                arguments = fill_required(finish.schema, {name: " ".join(texts) or "Done."})
                return [Call(f"{prefix}{key}z", finish, arguments)], ""
        return calls, "\n".join(texts) or ("Next step." if calls else "Done.")

    def changed(self) -> None:
        """Logs what became of the files since the last request, with the call that did it."""
        now = tree_texts(Path(self.directory))
        for path in sorted(self.texts.keys() | now.keys()):
            if self.texts.get(path) == now.get(path):
                continue
            did = [entry for entry in self.pending if entry[1].path == path] or [
                e for e in self.pending if e[1].kind in ("shell", "task")
            ]
            row = {
                "path": path,
                "text": now.get(path),
                "call": "",
                "action": "unknown",
                "step": "",
                "how": "",
            }
            for call, action, step in (did or self.pending)[:1]:
                row |= {
                    "call": call.id,
                    "action": action.kind,
                    "step": step,
                    "how": action.how,
                    "old": action.old,
                    "new": action.text,
                }
            self.note("changes.jsonl", row)
        self.texts, self.pending = (
            now,
            [entry for entry in self.pending if entry[1].how == BACKGROUND],
        )

    def _log(
        self,
        interface: Interface,
        answer: Answer,
        place: Position | None = None,
        *,
        side: bool = False,
    ) -> Answer:
        row: Json = {
            "number": self.number,
            "key": answer.key,
            "interface": interface.name,
            "model": answer.model,
            "side": side,
        }
        row |= {"step": place.step, "done": place.done} if place else {}
        row["calls"] = [
            {"id": call.id, "name": call.tool.name, "arguments": call.arguments}
            for call in answer.calls
        ]
        self.note(
            "requests.jsonl",
            row
            | {
                "text": answer.text,
                "thinking": bool(answer.thinking),
                "usage": asdict(answer.usage),
            },
        )
        return answer


def _side_text(body: Json) -> str:
    """An answer to a request that is none of the script's."""
    wanted = json.dumps(
        [
            body.get(name)
            for name in (
                "generationConfig",
                "response_format",
                "text",
                "output_config",
                "output_format",
            )
        ]
    )
    return json.dumps(TITLE_JSON) if "json" in wanted.lower() else TITLE


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Model

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _send(self, status: int, value: Json) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        self.model.note("other.jsonl", {"method": self.command, "path": self.path})
        if "/models" not in self.path:
            self._send(404, {"error": {"message": "not in this lab", "type": "not_found_error"}})
            return
        rows = [
            {
                "id": name,
                "object": "model",
                "type": "model",
                "display_name": name,
                "created": 0,
                "owned_by": "lab",
            }
            for name in MODELS
        ]
        self._send(
            200,
            {
                "object": "list",
                "data": rows,
                "models": [{"name": f"models/{name}"} for name in MODELS],
            },
        )

    do_HEAD = do_DELETE = do_PUT = do_GET

    def _body(self) -> Json:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("transfer-encoding") == "chunked":
            while size := int(self.rfile.readline().strip() or b"0", 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.partition("?")[0]
        if path.endswith(("/count_tokens", ":countTokens")):
            self._send(200, {"input_tokens": 1000, "totalTokens": 1000})
            return
        interface = interface_of(path)
        if interface is None:
            self.do_GET()
            return
        named = re.search(r"models/([^:]+):", path)
        answer = self.model.answer(
            interface, body, body.get("model") or (named[1] if named else "lab-model")
        )
        time.sleep(self.model.delay)
        if not (body.get("stream") or ":stream" in path):
            self._send(200, interface.whole(answer))
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        try:
            for chunk in interface.stream(answer):
                self.wfile.write(chunk.encode())
                self.wfile.flush()
                if answer.pauses_after(chunk):
                    self._wait_for_interruption()
        except ConnectionError:
            self.model.note(
                "interrupted.jsonl",
                {"key": answer.key, "usage": asdict(interface.announced(answer.usage))},
            )
        self.close_connection = True

    def _wait_for_interruption(self) -> None:
        readable, _, _ = select.select([self.connection], [], [], PATIENCE)
        if readable and not self.connection.recv(1, socket.MSG_PEEK):
            raise ConnectionAbortedError


def serve(model: Model) -> ThreadingHTTPServer:
    """Answers on a free port of the loopback until `shutdown`."""
    handler = type("ModelHandler", (Handler,), {"model": model})
    server = ThreadingHTTPServer(("127.0.0.1", PORT), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


PORT = 7777  # in a network of its own nobody else has it
