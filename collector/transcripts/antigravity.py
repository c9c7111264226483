"""Antigravity: JSONL of steps `{step_index, source, type, status, created_at, content?, thinking?, tool_calls?}`.

A `PLANNER_RESPONSE` asks for tools; the steps that follow are their results, in the same order. Arguments may be JSON text in
JSON. The prompt stands in `<USER_REQUEST>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from collector.git.patches import parse_unified
from collector.model import Command, Edit, Session, Status, ToolCall
from collector.transcripts.apply_patch import deletion, edit_from_arguments
from collector.transcripts.jsonl import (
    Events,
    as_json,
    commits_in,
    copies,
    get_dict,
    get_list,
    get_str,
    parsed,
    records,
    resolve,
    time_of,
)
from collector.transcripts.prompts import classify

NAME = "antigravity"
LABEL = "Antigravity"
GIVES = frozenset(["times", "results", "text", "positions", "commands", "models", "directory"])
ORDER = 80

_EDIT_TOOLS = frozenset({"write_to_file", "replace_file_content", "multi_replace_file_content"})
_STATUS = {"DONE": Status.OK, "ERROR": Status.ERROR, "CANCELED": Status.REJECTED, "CANCELLED": Status.REJECTED}
_REQUEST = re.compile(r"<USER_REQUEST>\s*(.*?)\s*</USER_REQUEST>", re.S)
_MODEL = re.compile(r"`Model Selection` from .{0,100}? to (.{1,80}?)\. No need")
_NO_RESULT = frozenset({"PLANNER_RESPONSE", "USER_INPUT", "CONVERSATION_HISTORY", "EPHEMERAL_MESSAGE", "CHECKPOINT"})
_OUTPUT = re.compile(r"Stdout:\s*\n(.*?)(?:\n\s*Stderr:|\Z)", re.S)
_ERROR_CHARS = 300


def sniff(head: object) -> bool:
    return isinstance(head, dict) and "step_index" in head


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    """Steps by their index: the first copy that has a step tells it, a finished state before a running one."""
    events = Events(NAME, session_id)
    steps: dict[int, dict[str, Any]] = {}
    for record in records(copies(blobs), events.problems, session_id):
        index = record.get("step_index")
        if isinstance(index, int) and (index not in steps or steps[index].get("status") == "RUNNING"):
            steps[index] = record
    reader = _Reader(events)
    for index in sorted(steps):
        reader.take(steps[index], index)
    return reader.session()


class _Reader:
    def __init__(self, events: Events) -> None:
        self.events = events
        self.waiting: list[tuple[str, str, dict[str, Any], float | None, int]] = []
        self.model = ""

    def take(self, step: dict[str, Any], index: int) -> None:
        at = time_of(step.get("created_at"))
        self.events.next(at)
        kind, content = get_str(step, "type"), get_str(step, "content")
        if kind == "USER_INPUT":
            self._user(content, index, at)
        elif kind == "PLANNER_RESPONSE":
            self._plan(step, content, index, at)
        elif step.get("source") == "MODEL" and kind not in _NO_RESULT and self.waiting:
            self._finish(self.waiting.pop(0), step, content, at)
        elif kind == "ERROR_MESSAGE":
            self.events.mark("api_error", at, content)

    def _user(self, content: str, index: int, at: float | None) -> None:
        request = _REQUEST.search(content)
        text = request[1] if request else content
        model = _MODEL.search(content)
        if model and self.model and model[1] != self.model:
            self.events.mark("model_change", at, model[1])
        self.model = model[1] if model else self.model
        self.events.turn(index, at, text, classify(text).value)

    def _plan(self, step: dict[str, Any], content: str, index: int, at: float | None) -> None:
        self._give_up()
        if get_str(step, "thinking"):
            self.events.say((index, "reasoning"), at, "reasoning", get_str(step, "thinking").strip())
        if content:
            self.events.say(index, at, "text", content)
        for number, call in enumerate(get_list(step, "tool_calls")):
            arguments = {str(key): _decoded(value) for key, value in get_dict(call, "args").items()}
            self.waiting.append((f"{index}/{number}", get_str(call, "name"), arguments, at, self.events.order))

    def _give_up(self) -> None:
        """Calls whose result never came."""
        for waiting in self.waiting:
            self._finish(waiting, {}, "", None)
        self.waiting = []

    def _finish(
        self,
        waiting: tuple[str, str, dict[str, Any], float | None, int],
        step: dict[str, Any],
        content: str,
        done_at: float | None,
    ) -> None:
        call_id, name, arguments, at, order = waiting
        status = _STATUS.get(get_str(step, "status"), Status.UNKNOWN)
        command = None
        if name == "run_command":
            cwd = self.events.seen_in(self.events.cwds, arguments.get("Cwd"))
            output = _OUTPUT.search(content)
            text = (output[1] if output else content).strip()
            command = Command(get_str(arguments, "CommandLine"), resolve("", cwd), step.get("status") == "RUNNING", text[:2000])
        call = ToolCall(
            call_id=call_id,
            name=name,
            turn=0,
            at=at,
            done_at=done_at,
            status=status,
            error=content[:_ERROR_CHARS] if status in (Status.ERROR, Status.REJECTED) else "",
            model=self.model,
            input=as_json(arguments),
            edits=tuple(_edits(name, arguments, content)),
            command=command,
            commits=commits_in(command.text, command.output) if command else (),
            result_size=len(content) if step else None,
        )
        self.events.call(call, order)

    def session(self) -> Session:
        self._give_up()
        return self.events.session()


def _decoded(value: object) -> object:
    """An argument that is JSON text holds the value proper: `"\\"/a/b\\""` is the text `/a/b`."""
    if isinstance(value, str) and value[:1] in ('"', "[", "{"):
        inner = parsed(value)
        return inner if inner is not None else value
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


def _edits(name: str, arguments: dict[str, Any], content: str) -> list[Edit]:
    if name == "delete_file":
        return deletion(arguments)
    if name not in _EDIT_TOOLS:
        return []
    chunks = arguments.get("ReplacementChunks")
    if isinstance(chunks, list):
        arguments = {**arguments, "ReplacementChunks": [_chunk(chunk) for chunk in chunks]}
    edit = edit_from_arguments(arguments, hunks=parse_unified(content))
    return [edit] if edit else []


def _chunk(chunk: object) -> object:
    value = parsed(chunk) if isinstance(chunk, str) else chunk
    return {str(key): _decoded(item) for key, item in value.items()} if isinstance(value, dict) else value
