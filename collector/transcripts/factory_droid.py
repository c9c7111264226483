"""Factory AI Droid: JSONL envelopes `{type: "message", id, message: {role, content}}` around Anthropic content blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from collector.model import Command, Edit, FileObservation, Session, Spawn, Status, ToolCall, Usage
from collector.transcripts.apply_patch import deletion, edit_from_arguments, edits_from_patch_arguments, path_argument
from collector.transcripts.jsonl import (
    Events,
    as_json,
    commits_in,
    copies,
    get,
    get_dict,
    get_int,
    get_str,
    records,
    resolve,
    text_of,
    time_of,
)
from collector.transcripts.prompts import PromptKind, classify, without_reminders

NAME = "factory-droid"
LABEL = "Factory AI Droid"
GIVES = frozenset(["times", "results", "text", "reads", "commands", "commits", "models", "tokens", "directory"])
ORDER = 70

_WRITERS = frozenset({"Create", "Write", "Edit", "MultiEdit", "NotebookEdit"})
_SHELLS = frozenset({"Execute", "Bash", "Shell"})
_AGENT = re.compile(r"agentId: ([0-9A-Za-z_-]{1,64})")
_REJECTED = ("user rejected", "user cancelled", "doesn't want to proceed", "rejected by user")
_ERROR_CHARS = 300


def sniff(head: object) -> bool:
    if not isinstance(head, dict) or "uuid" in head:
        return False
    wrapped = head.get("type") == "message" and isinstance(head.get("message"), dict)
    return head.get("type") == "session_start" or wrapped


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(Events(NAME, session_id))
    for record in records(copies(blobs), reader.events.problems, session_id):
        reader.take(record)
    return reader.session()


@dataclass(slots=True)
class _Call:
    call_id: str
    name: str
    arguments: object
    at: float | None
    order: int
    model: str
    message_id: str


class _Reader:
    def __init__(self, events: Events) -> None:
        self.events = events
        self.calls: dict[str, _Call] = {}
        self.results: dict[str, tuple[dict[str, Any], float | None]] = {}
        self.seen: set[str] = set()
        self.cwd = ""

    def take(self, record: dict[str, Any]) -> None:
        key = get_str(record, "id")
        if key and key in self.seen:
            return
        self.seen.add(key)
        at = time_of(record.get("timestamp"))
        self.events.next(at)
        kind = get_str(record, "type")
        if kind == "session_start":
            self.cwd = self.events.seen_in(self.events.cwds, record.get("cwd")) or self.cwd
            self.events.seen_in(self.events.versions, record.get("version"))
        elif kind == "message":
            self._message(get_dict(record, "message"), key or f"{at}/{self.events.order}", at)
        elif kind in ("compaction_state", "compaction"):
            self.events.mark("compaction", at)
        elif kind not in ("session_event", "session_end", "todo_state"):
            self.events.stranger(kind)

    def _message(self, message: dict[str, Any], key: str, at: float | None) -> None:
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        if message.get("role") == "assistant":
            self._assistant(message, blocks, key, at)
            return
        for block in blocks:
            if get(block, "type") == "tool_result":
                self.results.setdefault(get_str(block, "tool_use_id"), (block, at))
        self._user("\n".join(get_str(b, "text") for b in blocks if get(b, "type") == "text"), key, at)

    def _user(self, text: str, key: str, at: float | None) -> None:
        clean = without_reminders(text)
        kind = classify(clean)
        if kind is PromptKind.INTERRUPT:
            self.events.mark("interrupt", at)
        elif kind is PromptKind.INJECTED:
            self.events.mark("injected", at, clean[:80])
        else:
            self.events.turn(key, at, clean, kind.value)

    def _assistant(self, message: dict[str, Any], blocks: list[Any], key: str, at: float | None) -> None:
        model = get_str(message, "model")
        usage = get_dict(message, "usage")
        if usage:
            counts = [get_int(usage, f"{name}_tokens") for name in ("input", "output", "cache_read_input", "cache_creation_input")]
            self.events.use(Usage(get_str(message, "id") or key, at, 0, model, counts[0], counts[1], counts[2], counts[3]))
        for index, block in enumerate(blocks):
            kind = get(block, "type")
            if kind == "tool_use":
                call_id = get_str(block, "id") or f"{key}/{index}"
                call = _Call(call_id, get_str(block, "name"), block.get("input"), at, self.events.order, model, key)
                self.calls.setdefault(call_id, call)
            elif kind == "text":
                self.events.say((key, index), at, "text", get_str(block, "text"))
            elif kind in ("thinking", "redacted_thinking"):
                self.events.say((key, index), at, "reasoning", get_str(block, "thinking"))

    def session(self) -> Session:
        for call in self.calls.values():
            self.events.call(self._finished(call), call.order)
        return self.events.session()

    def _finished(self, call: _Call) -> ToolCall:
        result, done_at = self.results.get(call.call_id, (None, None))
        status, error = _outcome(result)
        text = text_of(get(result, "content"))
        command = None
        if call.name in _SHELLS:
            command = Command(get_str(call.arguments, "command"), resolve("", self.cwd), output=text[:2000])
        agent = _AGENT.search(text) if call.name == "Task" else None
        return ToolCall(
            call_id=call.call_id,
            name=call.name,
            turn=0,
            at=call.at,
            done_at=done_at,
            status=status,
            error=error,
            model=call.model,
            message_id=call.message_id,
            input=as_json(call.arguments),
            edits=tuple(_edits(call.name, call.arguments, self.cwd)),
            command=command,
            seen=self._seen(call, text, done_at) if call.name == "Read" and status is Status.OK else None,
            spawn=Spawn(agent[1] if agent else "", get_str(call.arguments, "subagent_type"), False)
            if call.name == "Task"
            else None,
            commits=commits_in(command.text, text) if command else (),
            result_size=len(text) if result is not None else None,
        )

    def _seen(self, call: _Call, text: str, done_at: float | None) -> FileObservation | None:
        path = resolve(self.cwd, path_argument(call.arguments))
        part = get(call.arguments, "offset") is not None or get(call.arguments, "limit") is not None
        if not path or part or not text:  # how a part is shown is not known
            return None
        return FileObservation(path, done_at or call.at, 1, text, whole=True)


def _outcome(result: dict[str, Any] | None) -> tuple[Status, str]:
    if result is None:
        return Status.UNKNOWN, ""
    if result.get("is_error") is not True:
        return Status.OK, ""
    text = text_of(result.get("content"))
    rejected = any(mark in text.lower() for mark in _REJECTED)
    return (Status.REJECTED if rejected else Status.ERROR), text[:_ERROR_CHARS]


def _edits(name: str, arguments: object, cwd: str) -> list[Edit]:
    if name in ("ApplyPatch", "apply_patch"):
        return edits_from_patch_arguments(arguments, cwd)
    if name == "Delete":
        return deletion(arguments, cwd)
    if name == "NotebookEdit":
        return [Edit(resolve(cwd, path_argument(arguments)), "edit")] if path_argument(arguments) else []
    edit = edit_from_arguments(arguments, cwd) if name in _WRITERS and isinstance(arguments, dict) else None
    return [edit] if edit else []
