"""Continue: one JSON document
`{sessionId, workspaceDirectory, history: [{message, toolCallStates}]}`. No times are recorded.

A list of all sessions says when one was begun, which is all that is known of its calls. The program
for the command line has other tools than the editor.
"""

from collections.abc import Iterable, Iterator

from collector.agents.common.messages import text_of
from collector.agents.common.reader import Call, RecordReader, Result, status_of
from collector.agents.machine import files
from collector.agents.machine.editors import path_of
from collector.agents.machine.model import LocalSession, Store
from collector.json_values import (
    JsonObject,
    Moment,
    get,
    get_dict,
    get_list,
    get_str,
    get_time,
    has,
    json_bytes,
    load_json,
    objects,
    parse_json,
)
from collector.model import Edit, Status
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

_VAGUE = ("edit_existing_file", "edit_file")  # their text leaves out what stays


def sniff(head: object) -> bool:
    return (
        has(head, sessionId=str, history=list)
        and "workspaceDirectory" in get_dict(head)
        and all(has(item, message=dict) for item in get_list(head, "history"))
    )


class _Reader(RecordReader):
    shells = ("run_terminal_command", "Bash")
    writers = (
        "create_new_file",
        "single_find_and_replace",
        "multi_edit",
        "Write",
        "Edit",
        "MultiEdit",
    )
    began: Moment = None

    def take(self, record: JsonObject) -> None:
        self.began = get_time(record, "dateCreated")
        self.begin(self.began)
        self.add_cwd(_directory(record))
        self.model = get_str(record, "chatModelTitle")
        for number, entry in enumerate(objects(record.get("history"))):
            key = get_str(entry, "message", "id") or f"entry {number}"
            message = get_dict(entry, "message")
            if not self.is_new(key):
                continue
            self.begin(None)
            text = text_of(message.get("content"))
            if message.get("role") == "user":
                self.add_prompt(key, None, text)
            elif message.get("role") == "assistant":
                self._answer(entry, message, key, text)

    def _answer(self, entry: JsonObject, message: JsonObject, key: str, text: str) -> None:
        if get_str(entry, "reasoning", "text"):
            self.add_message(
                (key, "reasoning"), None, "reasoning", get_str(entry, "reasoning", "text")
            )
        if text:
            self.add_message(key, None, "text", text)
        log = next(iter(objects(entry.get("promptLogs"))), {})
        used = get_dict(message, "usage")
        self.use_model(get_str(log, "modelTitle") or get_str(used, "model"), None)
        self.count_tokens(key, None, used)
        for index, state in enumerate(objects(entry.get("toolCallStates"))):
            call_id = get_str(state, "toolCallId") or f"{key}/{index}"
            arguments = get(state, "parsedArgs") or parse_json(
                get(state, "toolCall", "function", "arguments")
            )
            name = get_str(state, "toolCall", "function", "name").removeprefix("builtin_")
            output = "\n".join(get_str(item, "content") for item in get_list(state, "output"))
            status = status_of(get_str(state, "status"))
            recorded = status is not Status.UNKNOWN
            result = Result(None, output, status, recorded=recorded)
            self.call_tool(
                call_id, name, arguments, None, result, message_id=key, not_before=self.began
            )

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        path = call.path
        if call.name in _VAGUE and path:
            return [Edit(path, "edit")]
        return super().edits(call, result)


read = _Reader.document_reader(NAME)


def _directory(document: object) -> str:
    location = get_str(document, "workspaceDirectory")
    if "://" in location:
        return path_of(location)
    return location


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
    yield json_bytes(
        {**get_dict(document), "dateCreated": int(began) if began.isdecimal() else None}
    )


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
