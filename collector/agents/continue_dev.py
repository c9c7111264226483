"""Continue: one JSON document
`{sessionId, workspaceDirectory, history: [{message, toolCallStates}]}`. No times are recorded.

A list of all sessions says when one was begun, which is all that is known of its calls. The program
for the command line has other tools than the editor.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from collector.agents.common.edits import path_argument
from collector.agents.common.messages import text_of
from collector.agents.common.reader import Call, RecordReader, Result
from collector.agents.machine import files
from collector.agents.machine.editors import path_of
from collector.agents.machine.model import LocalSession, Store
from collector.json_values import (
    first_of,
    get,
    get_dict,
    get_int,
    get_list,
    get_str,
    load_json,
    objects,
    parse_json,
    time_of,
)
from collector.model import Edit, Session, Status
from collector.text import resolve
from collector.vocabulary.agents import Agent

NAME = "continue-dev"
AGENT = Agent(
    NAME,
    "Continue",
    accounts=r"noreply@continue\.dev|continue@noreply\.continue\.dev",
    aliases=("continue",),
    common="word",
    tools={"write": "create_new_file", "edit": "single_find_and_replace"},
)
GIVES = frozenset({"results", "text", "commands", "commits", "models", "tokens", "directory"})
ORDER = 30

_TOKENS = (("promptTokens", "prompt_tokens"), ("completionTokens", "completion_tokens"))
_STATUS = {"done": Status.OK, "errored": Status.ERROR, "canceled": Status.REJECTED}
_VAGUE = frozenset({"edit_existing_file", "edit_file"})  # their text leaves out what stays


def sniff(head: object) -> bool:
    if (
        not isinstance(head, dict)
        or not isinstance(head.get("sessionId"), str)
        or not isinstance(head.get("history"), list)
    ):
        return False
    return "workspaceDirectory" in head and all(
        isinstance(get(item, "message"), dict) for item in head["history"]
    )


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(NAME, session_id).read_documents(blobs)


class _Reader(RecordReader):
    shells = frozenset({"run_terminal_command", "Bash"})
    writers = frozenset(
        {"create_new_file", "single_find_and_replace", "multi_edit", "Write", "Edit", "MultiEdit"}
    )
    began: float | None = None

    def take(self, record: dict[str, Any]) -> None:
        self.began = time_of(record.get("dateCreated"))
        self.begin(self.began)
        self.add_cwd(_directory(record))
        self.model = get_str(record, "chatModelTitle")
        for number, entry in enumerate(objects(record.get("history"))):
            key, message = (
                get_str(entry, "message", "id") or f"entry {number}",
                get_dict(entry, "message"),
            )
            if not self.is_new(key):
                continue
            self.begin(None)
            text = text_of(message.get("content"))
            if message.get("role") == "user":
                self.add_prompt(key, None, text)
            elif message.get("role") == "assistant":
                self._answer(entry, message, key, text)

    def _answer(self, entry: dict[str, Any], message: dict[str, Any], key: str, text: str) -> None:
        if get_str(entry, "reasoning", "text"):
            self.add_message(
                (key, "reasoning"), None, "reasoning", get_str(entry, "reasoning", "text")
            )
        if text:
            self.add_message(key, None, "text", text)
        log, used = next(iter(objects(entry.get("promptLogs"))), {}), get_dict(message, "usage")
        self.use_model(get_str(log, "modelTitle") or get_str(used, "model"), None)
        cached = get_int(used, "prompt_tokens_details", "cached_tokens")
        prompt, output = (first_of(used, *names) for names in _TOKENS)
        self.use_tokens(
            key, None, max(get_int(prompt) - cached, 0), get_int(output), cache_read=cached
        )
        for index, state in enumerate(objects(entry.get("toolCallStates"))):
            call_id = get_str(state, "toolCallId") or f"{key}/{index}"
            arguments = get(state, "parsedArgs") or parse_json(
                get(state, "toolCall", "function", "arguments")
            )
            name = get_str(state, "toolCall", "function", "name").removeprefix("builtin_")
            output = "\n".join(get_str(item, "content") for item in get_list(state, "output"))
            status = _STATUS.get(get_str(state, "status"))
            result = Result(None, output, status or Status.UNKNOWN, recorded=status is not None)
            self.call_tool(
                call_id, name, arguments, None, result, message_id=key, not_before=self.began
            )

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        path = resolve(call.cwd, path_argument(call.arguments))
        return [Edit(path, "edit")] if call.name in _VAGUE and path else super().edits(call, result)


def _directory(document: object) -> str:
    location = get_str(document, "workspaceDirectory")
    return path_of(location) if "://" in location else location


# --- sessions on this machine ---------------------------------------------------------------------

_LIST = "sessions.json"


def _load(session: LocalSession) -> Iterator[bytes]:
    """The document with the time that the list of sessions gives. Raises ValueError where it is
    no JSON: it is being written.
    """
    (path,) = session.files
    listed = objects(files.document(path.with_name(_LIST)))
    about = next((entry for entry in listed if get_str(entry, "sessionId") == session.id), {})
    document = load_json(files.content(path))
    began = get_str(about, "dateCreated")  # milliseconds, as text
    yield json.dumps(
        {**get_dict(document), "dateCreated": int(began) if began.isdecimal() else None}
    ).encode()


STORES = (
    Store(
        NAME,
        at=("${CONTINUE_GLOBAL_DIR:-~/.continue}/sessions",),
        patterns=("*.json",),
        whose=lambda path: (
            path.stem,
            "" if path.name == _LIST else _directory(files.document(path)),
        ),
        load=_load,
    ),
)
