"""Qwen Code: JSONL records `{uuid, type, message: {role, parts}}`, the envelope of Claude Code
around the messages of Gemini.

The result of a call is a record of its own. Edit tools show the whole text of the file before and
after, unless it is long.
"""

from typing import Any

from collector.agents.common.edits import displayed_texts
from collector.agents.common.reader import ERROR_CHARS, FACETS, Call, RecordReader, Result, is_part
from collector.agents.machine import files
from collector.agents.machine.model import Store
from collector.json_values import (
    JsonObject,
    Moment,
    first_text,
    get,
    get_dict,
    get_int,
    get_list,
    get_str,
    get_time,
    has,
)
from collector.model import FileObservation, Status
from collector.vocabulary.agents import Agent

NAME = "qwen-code"
AGENT = Agent(
    NAME,
    "Qwen Code",
    accounts=r"qwen-coder@alibabacloud\.com",
    aliases=("qwen",),
    tools={
        "read": "read_file read_many_files",
        "write": "write_file",
        "edit": "edit",
        "todo": "todo_write",
    },
)
GIVES = frozenset(FACETS) - {"subagents"}
ORDER = 45

_STATUS = {"error": Status.ERROR, "cancelled": Status.REJECTED}


def sniff(head: object) -> bool:
    return has(head, uuid=str, sessionId=str) and (
        "systemPayload" in get_dict(head) or has(get(head, "message"), parts=list)
    )


class _Reader(RecordReader):
    shells = ("run_shell_command",)
    writers = ("write_file", "edit", "replace")
    reads = ("read_file",)
    rejections = ("user denied", "user rejected", "user cancelled", "did not allow")

    def take(self, record: JsonObject) -> None:
        key = get_str(record, "uuid")
        if not self.is_new(key):
            return
        time = get_time(record, "timestamp")
        self.begin(time)
        self.add_cwd(record.get("cwd"))
        self.add_version(record.get("version"))
        self.add_branch(record.get("gitBranch"))
        kind = get_str(record, "type")
        parts = get_list(record, "message", "parts")
        if kind == "user":
            text = "\n".join(get_str(part, "text") for part in parts)
            self.add_prompt(
                key, time, text, is_meta=get_str(record, "provenance") not in ("", "real_user")
            )
        elif kind == "assistant":
            self._answer(record, parts, key, time)
        elif kind == "tool_result":
            self._results(record, parts, time)
        elif kind == "system":
            if get_str(record, "subtype") == "chat_compression":
                self.add_event("compaction", time)
        else:
            self.unknown_record_type(kind)

    def _answer(self, record: JsonObject, parts: list[Any], key: str, time: Moment) -> None:
        self.use_model(get_str(record, "model"), time)
        used = record.get("usageMetadata")
        self.count_tokens(key, time, used, reasoning=get_int(used, "thoughtsTokenCount"))
        for number, part in enumerate(parts):
            request = get_dict(part, "functionCall")
            if request:
                self.take_call(request, "args", f"{key}/{number}", time, message_id=key)
            elif get_str(part, "text"):
                kind = "reasoning" if get(part, "thought") is True else "text"
                self.add_message((key, number), time, kind, get_str(part, "text"))

    def _results(self, record: JsonObject, parts: list[Any], time: Moment) -> None:
        details = get_dict(record, "toolCallResult")
        for part in parts:
            response = get_dict(part, "functionResponse")
            if not response:
                continue
            answer = get_dict(response, "response")
            text = first_text(answer, "output", "error")
            status = _STATUS.get(
                get_str(details, "status"), Status.ERROR if "error" in answer else Status.OK
            )
            result = Result(
                time, text, status, details=details, printed=text.removeprefix("Output: ")
            )
            self.add_result(get_str(response, "id") or get_str(details, "callId"), result)

    def result_fields(self, call: Call, result: Result) -> JsonObject:
        display = get_dict(result.details, "resultDisplay")
        new = "originalContent" in display and display["originalContent"] is None
        texts = displayed_texts({**display, "isNewFile": new})
        if display.get("truncatedForSession") is True:
            return {"hunks": texts["hunks"]}
        return texts

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        if is_part(call.arguments) or "truncated" in result.text[:ERROR_CHARS]:
            return None
        return self.display(call, result, result.text)


read = _Reader.line_reader(NAME)


# --- sessions on this machine ---------------------------------------------------------------------


STORES = (
    Store(
        NAME,
        at=("${QWEN_RUNTIME_DIR:-~/.qwen}/projects",),
        patterns=("*/chats/*.jsonl",),
        whose=lambda path: (path.stem, get_str(files.first_line(path), "cwd")),
    ),
)
