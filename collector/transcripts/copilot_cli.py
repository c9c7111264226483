"""Copilot CLI: JSONL events `{type, data, id, timestamp, parentId, agentId?}`, subagents among them.

A call is `tool.execution_start` and `tool.execution_complete`; the result of an edit holds a git diff with exact text.
Responses tell their output tokens only; totals by model are in `session.shutdown`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from collector.git.patches import parse_unified
from collector.model import Command, Edit, FileObservation, Session, Spawn, Status, ToolCall, Usage
from collector.transcripts.apply_patch import (
    deletion,
    edit_from_arguments,
    edits_from_patch_arguments,
    path_argument,
)
from collector.transcripts.jsonl import (
    Events,
    as_json,
    commits_in,
    copies,
    get,
    get_dict,
    get_int,
    get_list,
    get_str,
    records,
    resolve,
    time_of,
)
from collector.transcripts.prompts import PromptKind, classify, without_reminders

NAME = "copilot-cli"
LABEL = "Copilot CLI"
GIVES = frozenset(
    [
        "times",
        "results",
        "text",
        "before",
        "positions",
        "reads",
        "commands",
        "commits",
        "subagents",
        "models",
        "tokens",
        "directory",
    ]
)
ORDER = 50

_SHELLS = frozenset({"bash", "powershell", "shell"})
_EDITORS = frozenset({"edit", "create", "str_replace", "insert", "write", "str_replace_editor", "str_replace_based_edit_tool"})
_EXIT = re.compile(r"exit(?:ed with exit)? code:? (-?\d{1,9})>?\s*$")
_ERROR_CHARS = 300
_TOTALS_CHARS = 4000


def sniff(head: object) -> bool:
    kind = head.get("type") if isinstance(head, dict) else None
    return isinstance(kind, str) and "." in kind and isinstance(head, dict) and isinstance(head.get("data"), dict)


def _noise(line: bytes) -> bool:
    return line.startswith((b'{"type":"hook.', b'{"type":"assistant.message_delta', b'{"type":"assistant.reasoning_delta'))


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(Events(NAME, session_id))
    for record in records(copies(blobs), reader.events.problems, session_id, skip=_noise):
        reader.take(record)
    return reader.session()


@dataclass(slots=True)
class _Call:
    call_id: str
    name: str
    arguments: object
    at: float | None
    order: int
    agent_id: str
    model: str
    cwd: str


@dataclass(frozen=True, slots=True)
class _Result:
    at: float | None
    success: bool
    text: str
    detail: str
    error: str
    code: str
    whole: bool  # nothing was cut for the model


class _Reader:
    def __init__(self, events: Events) -> None:
        self.events = events
        self.calls: dict[str, _Call] = {}
        self.results: dict[str, _Result] = {}
        self.agents: set[str] = set()  # subagents whose events are here
        self.seen: set[str] = set()
        self.cwd = ""
        self.handlers: dict[str, Callable[[dict[str, Any], dict[str, Any], float | None], None]] = {
            "session.start": self._start,
            "session.resume": self._resume,
            "session.context_changed": self._context,
            "user.message": self._user,
            "assistant.message": self._assistant,
            "tool.execution_start": self._call,
            "tool.execution_complete": self._result,
            "session.model_change": lambda r, d, at: self.events.mark("model_change", at, get_str(d, "newModel")),
            "session.mode_changed": lambda r, d, at: self.events.mark("mode_change", at, get_str(d, "newMode")),
            "session.compaction_complete": lambda r, d, at: self.events.mark("compaction", at),
            "session.error": lambda r, d, at: self.events.mark("api_error", at, get_str(d, "message")),
            "session.shutdown": self._shutdown,
            "session.workspace_file_changed": lambda r, d, at: self.events.mark("files_changed", at, get_str(d, "path")),
            "abort": lambda r, d, at: self.events.mark("interrupt", at, get_str(d, "reason")),
            "permission.completed": self._permission,
        }

    def take(self, record: dict[str, Any]) -> None:
        key = get_str(record, "id")
        if key and key in self.seen:
            return
        self.seen.add(key)
        at = time_of(record.get("timestamp"))
        self.events.next(at)
        agent_id = _agent(record)
        if agent_id:
            self.agents.add(agent_id)
        kind = record.get("type")
        if isinstance(kind, str) and kind in self.handlers:
            self.handlers[kind](record, get_dict(record, "data"), at)
        elif not isinstance(kind, str) or "." not in kind:
            self.events.stranger(kind)

    # --- session --------------------------------------------------------------------------------------------------

    def _start(self, record: dict[str, Any], data: dict[str, Any], at: float | None) -> None:
        self.events.seen_in(self.events.versions, data.get("copilotVersion"))
        self._context(record, data, at)

    def _resume(self, record: dict[str, Any], data: dict[str, Any], at: float | None) -> None:
        self.events.mark("resumed", at)
        self._context(record, data, at)

    def _context(self, record: dict[str, Any], data: dict[str, Any], at: float | None) -> None:
        context = get_dict(data, "context") or data
        self.cwd = self.events.seen_in(self.events.cwds, context.get("cwd")) or self.cwd
        self.events.seen_in(self.events.branches, context.get("branch"))

    def _shutdown(self, record: dict[str, Any], data: dict[str, Any], at: float | None) -> None:
        totals = {key: data.get(key) for key in ("codeChanges", "modelMetrics")}
        self.events.mark("totals", at, as_json(totals, _TOTALS_CHARS), limit=_TOTALS_CHARS)

    def _permission(self, record: dict[str, Any], data: dict[str, Any], at: float | None) -> None:
        kind = get_str(data, "result", "kind")
        if kind.startswith("denied"):
            self.events.mark("permission_denied", at, f"{kind} {get_str(data, 'toolCallId')}")

    # --- messages -------------------------------------------------------------------------------------------------

    def _user(self, record: dict[str, Any], data: dict[str, Any], at: float | None) -> None:
        text = without_reminders(get_str(data, "content"))
        source = get_str(data, "source")
        if _agent(record):  # the task given to a subagent
            return
        if source and source != "user":
            self.events.mark("injected", at, f"{source}: {text.strip()[:80]}")
            return
        kind = classify(text)
        queued = data.get("delivery") in ("steering", "queued") and kind is PromptKind.PROMPT
        self.events.turn(get_str(record, "id") or (at, text), at, text, "queued" if queued else kind.value)

    def _assistant(self, record: dict[str, Any], data: dict[str, Any], at: float | None) -> None:
        key, agent_id = get_str(data, "messageId") or get_str(record, "id"), _agent(record)
        reasoning = get_str(data, "reasoningText")
        if reasoning or "reasoningOpaque" in data:
            self.events.say((key, "reasoning"), at, "reasoning", reasoning, agent_id)
        if get_str(data, "content"):
            self.events.say(key, at, "text", get_str(data, "content"), agent_id)
        output = get_int(data, "outputTokens")
        if key and output:
            response = get_str(data, "apiCallId") or key
            self.events.use(Usage(response, at, 0, get_str(data, "model"), output=output, agent_id=agent_id))
        for request in get_list(data, "toolRequests"):
            self._add(get_str(request, "toolCallId"), get_str(request, "name"), get(request, "arguments"), at, agent_id, data)

    def _call(self, record: dict[str, Any], data: dict[str, Any], at: float | None) -> None:
        self._add(get_str(data, "toolCallId"), get_str(data, "toolName"), data.get("arguments"), at, _agent(record), data)

    def _add(self, call_id: str, name: str, arguments: object, at: float | None, agent_id: str, data: dict[str, Any]) -> None:
        """A call is known from the request and, a moment later, from its start."""
        if call_id and call_id not in self.calls:
            model = get_str(data, "model")
            self.calls[call_id] = _Call(call_id, name, arguments, at, self.events.order, agent_id, model, self.cwd)

    def _result(self, record: dict[str, Any], data: dict[str, Any], at: float | None) -> None:
        metrics = get_dict(data, "toolTelemetry", "metrics")
        result = _Result(
            at=at,
            success=data.get("success") is True,
            text=get_str(data, "result", "content"),
            detail=get_str(data, "result", "detailedContent"),
            error=get_str(data, "error", "message"),
            code=get_str(data, "error", "code"),
            whole=metrics.get("resultLength") == metrics.get("resultForLlmLength"),
        )
        self.results.setdefault(get_str(data, "toolCallId"), result)

    # --- the whole session ----------------------------------------------------------------------------------------

    def session(self) -> Session:
        for call in self.calls.values():
            self.events.call(self._finished(call, self.results.get(call.call_id)), call.order)
        return self.events.session()

    def _finished(self, call: _Call, result: _Result | None) -> ToolCall:
        status, error = _outcome(call, result)
        text = result.text if result else ""
        command = None
        if call.name in _SHELLS:
            background = get(call.arguments, "mode") == "async" or get(call.arguments, "detach") is True
            command = Command(get_str(call.arguments, "command"), resolve("", call.cwd), background, text[:2000])
        return ToolCall(
            call_id=call.call_id,
            name=call.name,
            turn=0,
            at=call.at,
            done_at=result.at if result else None,
            status=status,
            error=error,
            agent_id=call.agent_id,
            model=call.model,
            input=as_json(call.arguments),
            edits=tuple(_edits(call, result)),
            command=command,
            seen=_seen(call, result) if result and status is Status.OK else None,
            spawn=self._spawn(call) if call.name == "task" else None,
            commits=commits_in(command.text, text) if command else (),
            result_size=len(text or result.error) if result else None,
        )

    def _spawn(self, call: _Call) -> Spawn:
        background = get(call.arguments, "mode") == "background"
        kind = get_str(call.arguments, "agent_type")
        return Spawn(call.call_id, kind, visible=call.call_id in self.agents, asynchronous=background)


def _agent(record: dict[str, Any]) -> str:
    return get_str(record, "agentId") or get_str(record, "data", "parentToolCallId")


def _outcome(call: _Call, result: _Result | None) -> tuple[Status, str]:
    if result is None:
        return Status.UNKNOWN, ""
    if not result.success:
        rejected = result.code == "rejected" or "user rejected" in result.error.lower()
        return (Status.REJECTED if rejected else Status.ERROR), (result.error or result.text)[:_ERROR_CHARS]
    code = _EXIT.search(result.text[-200:]) if call.name in _SHELLS else None
    if code and int(code[1]) != 0:
        return Status.ERROR, result.text[:_ERROR_CHARS]
    return Status.OK, ""


def _edits(call: _Call, result: _Result | None) -> list[Edit]:
    if call.name == "apply_patch":
        return edits_from_patch_arguments(call.arguments, call.cwd)
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    operation = get_str(arguments, "command") or call.name
    if call.name == "delete":
        return deletion(arguments, call.cwd)
    if call.name not in _EDITORS or operation == "view":
        return []
    diff = result.detail if result and result.success else ""
    created = "\n--- a/dev/null\n" in diff[:2000] or "\n--- /dev/null\n" in diff[:2000]
    edit = edit_from_arguments(arguments, call.cwd, hunks=parse_unified(diff), before_known=created)
    return [edit] if edit else []


def _seen(call: _Call, result: _Result) -> FileObservation | None:
    """The text that `view` showed; a directory is shown as a list, which no diff accompanies."""
    path = resolve(call.cwd, path_argument(call.arguments))
    if call.name not in ("view", "read") or not path or not result.whole or "\n@@ " not in result.detail:
        return None
    lines = [line for line in get_list(call.arguments, "view_range") if isinstance(line, int)]
    return FileObservation(path, result.at or call.at, max(lines[0], 1) if lines else 1, result.text, whole=not lines)
