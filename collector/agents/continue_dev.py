"""Continue: one JSON document `{sessionId, workspaceDirectory, history: [{message, toolCallStates}]}`. No times are recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.arguments import argument, edits_from_arguments
from collector.agents.common.calls import ERROR_CHARS, Call, Outcome, Result, shell_command
from collector.agents.common.messages import text_of
from collector.agents.common.reader import RecordReader
from collector.agents.common.uris import path_of
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine, Store
from collector.agents.machine.roots import Roots
from collector.json_values import get, get_dict, get_int, get_list, get_str, objects, parse_json
from collector.model import Command, Edit, Session, Status, Usage
from collector.text import resolve
from collector.vocabulary.agents import Agent

NAME = "continue-dev"
AGENT = Agent(NAME, "Continue", aliases=("continue",), tools={"write": "create_new_file", "edit": "single_find_and_replace"})
GIVES = frozenset({"results", "text", "commands", "commits", "models", "tokens", "directory"})
ORDER = 30
UNTESTED = "all of it"

_STATUS = {"done": Status.OK, "errored": Status.ERROR, "canceled": Status.REJECTED}
_WRITERS = frozenset({"create_new_file", "single_find_and_replace", "multi_edit"})
_VAGUE = frozenset({"edit_existing_file", "edit_file"})  # their text leaves out what stays


def sniff(head: object) -> bool:
    if not isinstance(head, dict) or not isinstance(head.get("sessionId"), str) or not isinstance(head.get("history"), list):
        return False
    return "workspaceDirectory" in head and all(isinstance(get(item, "message"), dict) for item in head["history"])


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(NAME, session_id).read_documents(blobs)


class _Reader(RecordReader):
    shells = frozenset({"run_terminal_command"})

    def take(self, record: dict[str, Any]) -> None:
        location = get_str(record, "workspaceDirectory")
        self.add_cwd(path_of(location) if "://" in location else location)
        self.model = get_str(record, "chatModelTitle")
        for number, entry in enumerate(objects(record.get("history"))):
            key, message = get_str(entry, "message", "id") or f"entry {number}", get_dict(entry, "message")
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
            self.add_message((key, "reasoning"), None, "reasoning", get_str(entry, "reasoning", "text"))
        if text:
            self.add_message(key, None, "text", text)
        log = next(iter(objects(entry.get("promptLogs"))), {})
        self.model = self.switched("model_change", self.model, get_str(log, "modelTitle"), None)
        used = get_dict(message, "usage")
        if used:
            self.add_usage(Usage(key, None, 0, self.model, get_int(used, "promptTokens"), get_int(used, "completionTokens")))
        for index, state in enumerate(objects(entry.get("toolCallStates"))):
            call_id = get_str(state, "toolCallId") or f"{key}/{index}"
            arguments = get(state, "parsedArgs") or parse_json(get(state, "toolCall", "function", "arguments"))
            name = get_str(state, "toolCall", "function", "name").removeprefix("builtin_")
            call = Call(call_id, name, arguments, None, self.order, model=self.model, message_id=key, cwd=self.cwd)
            output = "\n".join(get_str(item, "content") for item in get_list(state, "output"))
            self.add_call(call, Result(None, output, details=state, recorded=get_str(state, "status") in _STATUS))

    def outcome(self, call: Call, result: Result) -> Outcome:
        status = _STATUS.get(get_str(result.details, "status"), Status.UNKNOWN)
        return status, "" if status in (Status.OK, Status.UNKNOWN) else result.text[:ERROR_CHARS]

    def command(self, call: Call, result: Result) -> Command:
        return shell_command(get_str(call.arguments, "command"), call.cwd, result.text)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        path = resolve(call.cwd, argument(call.arguments, "filepath", "path"))
        if not path:
            return []
        if call.name in _VAGUE:
            return [Edit(path, "edit")]
        return edits_from_arguments({**get_dict(call.arguments), "file_path": path}) if call.name in _WRITERS else []


# --- sessions on this machine ----------------------------------------------------------------------------------------

_LIST = "sessions.json"


def _places(machine: Machine) -> list[Path]:
    return machine.existing([machine.variable("CONTINUE_GLOBAL_DIR", machine.home / ".continue") / "sessions"])


def _session_files(location: Path) -> Iterator[Path]:
    return (path for path in files.listed(location, (".json",)) if path.name != _LIST)


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in _session_files(location):
        named = get_str(files.document(path), "workspaceDirectory")
        cwd = path_of(named) if "://" in named else named
        if roots.of(cwd):
            yield LocalSession(path.stem, (path,), f"started in {cwd}", cwd=cwd)


def _load(session: LocalSession) -> Iterator[bytes]:
    yield files.content(session.files[0])


STORES = (
    Store(
        NAME,
        "`~/.continue/sessions/<id>.json`, which names the directory.",
        Known.DOCUMENTATION,
        _places,
        _find,
        load=_load,
        stored=_session_files,
        evidence="its source, and what other projects read",
    ),
)
