"""Events of Copilot, of its command line and in VS Code: JSONL
`{type, data, id, timestamp, parentId, agentId?}`.

A call is `tool.execution_start` and `tool.execution_complete`, and a request before. VS Code keeps
no results, and writes the arguments of a request as JSON text.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from collector.agents.common.messages import PromptKind, classify, without_reminders
from collector.agents.common.reader import (
    ERROR_CHARS,
    Call,
    Outcome,
    RecordReader,
    Result,
    is_error,
)
from collector.git.patches import parse_unified
from collector.json_values import (
    JsonObject,
    Moment,
    get,
    get_dict,
    get_int,
    get_list,
    get_str,
    get_time,
    parse_json,
    to_json,
)
from collector.model import Command, Edit, FileObservation, Session, Spawn, Status, Usage
from collector.vocabulary.sessions import Driver

_EXIT = re.compile(r"exit(?:ed with exit)? code:? (-?\d{1,9})>?\s*$")
_TOTALS_CHARS = 4000
# records that are an event -> its kind, and where its detail stands
_NOTED = {
    "session.model_change": ("model_change", "newModel"),
    "session.mode_changed": ("mode_change", "newMode"),
    "session.compaction_complete": ("compaction", ""),
    "session.error": ("api_error", "message"),
    "session.workspace_file_changed": ("files_changed", "path"),
    "abort": ("interrupt", "reason"),
}


def _noise(line: bytes) -> bool:
    return line.startswith(
        (
            b'{"type":"hook.',
            b'{"type":"assistant.message_delta',
            b'{"type":"assistant.reasoning_delta',
        )
    )


def read_events(agent: str, session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(agent, session_id).read_lines(blobs, skip=_noise)


class _Reader(RecordReader):
    shells = ("bash", "powershell", "shell", "run_in_terminal")
    writers = (
        "edit",
        "create",
        "str_replace",
        "insert",
        "write",
        "str_replace_editor",
        "str_replace_based_edit_tool",
        "create_file",
        "replace_string_in_file",
        "multi_replace_string_in_file",
        "insert_edit_into_file",
        "edit_notebook_file",
    )
    reads = ("view", "read")
    spawns = ("task",)

    def prepare(self) -> None:
        self.agents: set[str] = set()  # subagents whose events are here
        self.handlers: dict[str, Callable[[JsonObject, JsonObject, Moment], None]] = {
            "session.start": self._context,
            "session.resume": self._resume,
            "session.context_changed": self._context,
            "user.message": self._user,
            "assistant.message": self._assistant,
            "tool.execution_start": self._call,
            "tool.execution_complete": self._result,
            "session.usage_record": self._usage,
            "session.shutdown": self._shutdown,
            "permission.completed": self._permission,
        }

    def take(self, record: JsonObject) -> None:
        if not self.is_new(get_str(record, "id")):
            return
        time = get_time(record, "timestamp")
        self.begin(time)
        agent_id = _agent(record)
        if agent_id:
            self.agents.add(agent_id)
        kind = str(record.get("type"))
        data = get_dict(record, "data")
        if kind in self.handlers:
            self.handlers[kind](record, data, time)
        elif kind in _NOTED:
            event, detail = _NOTED[kind]
            self.add_event(event, time, get_str(data, detail))
        elif "." not in kind:
            self.unknown_record_type(kind)

    def _context(self, record: JsonObject, data: JsonObject, time: Moment) -> None:
        context = get_dict(data, "context") or data
        self.add_version(data.get("copilotVersion"))
        if data.get("vscodeVersion"):
            self.driver = Driver.IDE
        self.add_cwd(context.get("cwd"))
        self.add_branch(context.get("branch"))

    def _resume(self, record: JsonObject, data: JsonObject, time: Moment) -> None:
        self.add_event("resumed", time)
        self._context(record, data, time)

    def _usage(self, record: JsonObject, data: JsonObject, time: Moment) -> None:
        """Tokens of a response since 1.0; those read from a cache and written to it are among
        the input.
        """
        used = get_dict(data, "usage")
        key = get_str(used, "apiCallId") or get_str(record, "id")
        model = get_str(used, "model")
        self.count_tokens(
            key,
            time,
            used,
            reasoning=get_int(used, "reasoningTokens"),
            model=model,
            agent_id=_agent(record),
        )

    def _shutdown(self, record: JsonObject, data: JsonObject, time: Moment) -> None:
        totals = {key: data.get(key) for key in ("codeChanges", "modelMetrics")}
        self.add_event("totals", time, to_json(totals, _TOTALS_CHARS), limit=_TOTALS_CHARS)

    def _permission(self, record: JsonObject, data: JsonObject, time: Moment) -> None:
        kind = get_str(data, "result", "kind")
        if kind.startswith("denied"):
            self.add_event("permission_denied", time, f"{kind} {get_str(data, 'toolCallId')}")

    def _user(self, record: JsonObject, data: JsonObject, time: Moment) -> None:
        text = without_reminders(get_str(data, "content"))
        source = get_str(data, "source")
        if _agent(record):  # the task given to a subagent
            return
        if source and source != "user":
            self.add_event("injected", time, f"{source}: {text.strip()[:80]}")
            return
        kind = classify(text)
        queued = data.get("delivery") in ("steering", "queued") and kind is PromptKind.PROMPT
        self.add_turn(
            get_str(record, "id") or (time, text), time, text, "queued" if queued else kind.value
        )

    def _assistant(self, record: JsonObject, data: JsonObject, time: Moment) -> None:
        key = get_str(data, "messageId") or get_str(record, "id")
        agent_id = _agent(record)
        reasoning = get_str(data, "reasoningText")
        if reasoning or "reasoningOpaque" in data:
            self.add_message((key, "reasoning"), time, "reasoning", reasoning, agent_id)
        if get_str(data, "content"):
            self.add_message(key, time, "text", get_str(data, "content"), agent_id)
        output = get_int(data, "outputTokens")
        if key and output:
            response = get_str(data, "apiCallId") or key
            self.add_usage(
                Usage(response, time, 0, get_str(data, "model"), output=output, agent_id=agent_id)
            )
        for request in get_list(data, "toolRequests"):
            self._add_call(request, get_str(request, "name"), record, time)

    def _call(self, record: JsonObject, data: JsonObject, time: Moment) -> None:
        self._add_call(data, get_str(data, "toolName"), record, time)

    def _add_call(self, request: object, name: str, record: JsonObject, time: Moment) -> None:
        """A call is known from the request and, a moment later, from its start."""
        call_id = get_str(request, "toolCallId")
        model = get_str(record, "data", "model")
        arguments = get(request, "arguments")
        if call_id:
            if isinstance(arguments, str):
                arguments = parse_json(arguments) or arguments
            self.call_tool(call_id, name, arguments, time, agent_id=_agent(record), model=model)

    def _result(self, record: JsonObject, data: JsonObject, time: Moment) -> None:
        output = get_str(data, "result", "content")
        error = get_str(data, "error", "message")
        rejected = get_str(data, "error", "code") == "rejected" or "user rejected" in error.lower()
        status = Status.REJECTED if rejected else is_error(data.get("success") is not True)
        self.add_result(
            get_str(data, "toolCallId"),
            Result(time, output or error, status, error, data, printed=output),
        )

    def outcome(self, call: Call, result: Result) -> Outcome:
        output = result.printed or ""
        code = (
            _EXIT.search(output[-200:])
            if call.name in self.shells and result.status is Status.OK
            else None
        )
        if code and int(code[1]) != 0:
            return (Status.ERROR, output[:ERROR_CHARS])
        return super().outcome(call, result)

    def command(self, call: Call, result: Result) -> Command | None:
        return super().command(
            call, replace(result, running=get(call.arguments, "mode") == "async")
        )

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        if get_str(call.arguments, "command") == "view":
            return ()
        return super().edits(call, result)

    def result_fields(self, call: Call, result: Result) -> JsonObject:
        diff = _diff(result) if result.status is Status.OK else ""
        created = "\n--- a/dev/null\n" in diff[:2000] or "\n--- /dev/null\n" in diff[:2000]
        return {"hunks": parse_unified(diff), "before_known": created}

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        """The text that `view` showed; a directory is shown as a list, which no diff
        accompanies.
        """
        metrics = get_dict(result.details, "toolTelemetry", "metrics")
        if metrics.get("resultLength") != metrics.get("resultForLlmLength") or "\n@@ " not in _diff(
            result
        ):
            return None
        lines = [line for line in get_list(call.arguments, "view_range") if isinstance(line, int)]
        return self.display(
            call, result, result.printed or "", max(lines[0], 1) if lines else 1, whole=not lines
        )

    def spawn(self, call: Call, result: Result) -> Spawn:
        background = get(call.arguments, "mode") == "background"
        return Spawn(
            call.id,
            get_str(call.arguments, "agent_type"),
            call.id in self.agents,
            asynchronous=background,
        )


def _agent(record: JsonObject) -> str:
    return get_str(record, "agentId") or get_str(record, "data", "parentToolCallId")


def _diff(result: Result) -> str:
    return get_str(result.details, "result", "detailedContent")
