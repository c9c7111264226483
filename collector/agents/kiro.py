"""Kiro CLI: one JSON document `{conversation_id, history: [{user, assistant, request_metadata}]}`.

Checkpoints hold such a document, or since its plug-in writes lines, half an entry in each:
`{entry, user}`, `{entry, assistant}`. The results of calls are what the user's side sends next. In
a document a request tells when it was sent and when its answer ended. The documents of Kiro's
editor in checkpoints have empty ids, no times and no results, and of an edit only its path.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import replace

from collector.agents.common.edits import added_lines, edits_from_arguments
from collector.agents.common.jsonl import copies, first_value, records
from collector.agents.common.reader import Call, RecordReader, Result, status_of
from collector.json_values import (
    JsonObject,
    Moment,
    first_of,
    first_text,
    get,
    get_dict,
    get_int,
    get_list,
    get_str,
    get_time,
    has,
    json_bytes,
    objects,
    parse_json,
    to_json,
)
from collector.model import Edit, FileObservation, Problem, Session
from collector.vocabulary.agents import Agent

NAME = "kiro"
AGENT = Agent(NAME, "Kiro", aliases=("kiro-cli",), common="name", tools={"edit": "fs_write"})
GIVES = frozenset(
    {"times", "results", "text", "positions", "reads", "commands", "commits", "models", "directory"}
)
ORDER = 25


def sniff(head: object) -> bool:
    if has(head, entry=int):
        return "user" in get_dict(head) or "assistant" in get_dict(head)
    history = get_list(head, "history")
    entries = all("user" in item and "assistant" in item for item in objects(history))
    return has(head, conversation_id=str) and entries


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(NAME, session_id)
    return reader.read_documents(
        [_document(blob, reader.problems, session_id) for blob in copies(blobs)]
    )


class _Reader(RecordReader):
    shells = ("execute_bash", "execute_cmd", "shell")
    writers = ("fs_write", "write")
    reads = ("fs_read", "read")

    def take(self, record: JsonObject) -> None:
        self.add_version(record.get("cli_version"))
        for number, entry in enumerate(objects(record.get("history"))):
            self._entry(entry, number)

    def _entry(self, entry: JsonObject, number: int) -> None:
        user = get_dict(entry, "user")
        about = get_dict(entry, "request_metadata")
        answer = get_dict(entry, "assistant")
        notice = get_dict(answer, "ToolUse") or get_dict(answer, "Response")
        # a copy may hold only what came since the one before
        whole = to_json(entry, 1_000_000).encode("utf-8", "replace")
        key = (
            get_str(notice, "message_id")
            or f"entry {number} {hashlib.sha256(whole).hexdigest()[:12]}"
        )
        if not self.is_new(key):
            return
        prompted = get_time(about, "request_start_timestamp_ms") or get_time(user, "timestamp")
        self.begin(prompted)
        self.add_cwd(get(user, "env_context", "env_state", "current_working_directory"))
        content = get_dict(user, "content")
        for kind in ("ToolUseResults", "CancelledToolUses"):
            for item in objects(get(content, kind, "tool_use_results")):
                self._result(item, prompted, kind == "CancelledToolUses")
        prompt = get_str(content, "Prompt", "prompt") or get_str(
            content, "CancelledToolUses", "prompt"
        )
        self.add_turn((key, "asked"), get_time(user, "timestamp") or prompted, prompt)
        ended = get_time(about, "stream_end_timestamp_ms") or prompted
        self.begin(ended)
        self.use_model(get_str(about, "model_id"), ended)
        if get_str(notice, "content"):
            self.add_message(key, ended, "text", get_str(notice, "content"))
        for index, item in enumerate(objects(get(notice, "tool_uses"))):
            self.take_call(item, "args", f"{key}/{index}", ended, message_id=key)

    def _result(self, result: JsonObject, time: Moment, cancelled: bool) -> None:
        parts = [first_of(item, "Json", "Text", "data") for item in get_list(result, "content")]
        text = "\n".join(
            part if isinstance(part, str) else to_json(part, 1_000_000)
            for part in parts
            if part is not None
        )
        status = "cancelled" if cancelled else get_str(result, "status")
        value = next((part for part in parts if isinstance(part, dict)), None) or parse_json(text)
        code = get_str(value, "exit_status") or str(get_int(value, "exit_status"))
        self.add_result(
            first_text(result, "tool_use_id", "toolUseId"),
            Result(
                time,
                text,
                status_of(status),
                printed=get_str(value, "stdout") or None,
                exit_code=int(code) if code.lstrip("-").isdecimal() else 1,
            ),
        )

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        """What the tool that writes was asked to do: `create`, `str_replace`, `insert` or
        `append`, in two spellings.
        """
        path = call.path
        arguments = get_dict(call.arguments)
        kind = get_str(arguments, "command")
        new = first_text(arguments, "new_str", "newStr", "content")
        if call.name not in self.writers or not path:
            return super().edits(call, result)
        if kind == "create":
            return [
                Edit(path, "write", content=first_text(arguments, "file_text", "fileText") or new)
            ]
        if kind == "append":
            return [Edit(path, "append", content=new)]
        if kind == "insert":
            return [
                added_lines(
                    path, max(get_int(first_of(arguments, "insert_line", "insertLine")), 0), new
                )
            ]
        old = first_text(arguments, "old_str", "oldStr")
        return edits_from_arguments(
            {"file_path": path, **({"old_str": old, "new_str": new} if old else arguments)}
        )

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        """A whole file, where one was asked for and no part of it."""
        prompted = objects(get(call.arguments, "operations")) or [get_dict(call.arguments)]
        item = prompted[0]
        part = any(
            get_int(item, name) not in (0, 1)
            for name in ("start_line", "end_line", "offset", "limit")
        )
        if len(prompted) > 1 or part or item.get("mode") not in (None, "Line"):
            return None
        return self.display(replace(call, arguments=item), result, result.text, whole=False)


def _document(blob: bytes, problems: list[Problem], session_id: str) -> bytes:
    """Lines of half an entry each as one document; a document as it is."""
    if get(first_value(blob), "entry") is None:
        return blob
    entries: dict[int, JsonObject] = {}
    about = {}
    for record in records([blob], problems, session_id):
        number = record.get("entry")
        if isinstance(number, int):
            half = {
                name: record[name]
                for name in ("user", "assistant")
                if isinstance(record.get(name), dict)
            }
            entries.setdefault(number, {}).update(half)
        about = {name: record.get(name) for name in ("conversation_id", "cli_version")}
    return json_bytes({**about, "history": list(entries.values())})
