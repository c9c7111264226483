"""Goose: JSONL, a line about the session with its `working_dir`, then messages `{role, created, content}`, as in its database.

In checkpoints each message has the session beside it (`session`), or all is a document with a `conversation`, as Goose exports it.
Results of calls stand in messages with the role of the user. Tools carry the name of their extension: `developer__shell`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.arguments import argument, edits_from_arguments, path_argument
from collector.agents.common.calls import Call, Outcome, Result, failure, shell_command
from collector.agents.common.costs import recorded_cost
from collector.agents.common.jsonl import copies, first_value
from collector.agents.common.messages import text_of
from collector.agents.common.reader import RecordReader
from collector.agents.machine import files
from collector.agents.machine.databases import CopiedDatabase, copied
from collector.agents.machine.model import Known, LocalSession, Machine, Store
from collector.agents.machine.roots import Roots
from collector.git.patches import parse_unified
from collector.json_values import get, get_dict, get_int, get_list, get_str, objects, parse_json, time_of
from collector.model import Command, Edit, Hunk, Session, Status, Usage
from collector.text import resolve
from collector.vocabulary.agents import Agent

NAME = "goose"
AGENT = Agent(NAME, "Goose", tools={"edit": "text_editor developer__text_editor"})
GIVES = frozenset({"times", "results", "text", "positions", "commands", "commits", "models", "tokens", "directory", "subagents"})
ORDER = 26
UNTESTED = "all of it"

_REJECTED = ("declined to run this tool", "user denied", "user rejected")
_ALL = "session"


def sniff(head: object) -> bool:
    if not isinstance(head, dict):
        return False
    if "role" in head:
        about = get_dict(head, "session")
        return isinstance(head.get("content"), list) and "created" in head and ("working_dir" in about or "id" in about)
    if not isinstance(head.get("working_dir"), str) or "messages" in head:
        return False
    return "message_count" in head or isinstance(head.get("conversation"), list)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    value = copies(blobs)
    documents = [blob for blob in value if "conversation" in get_dict(first_value(blob))]
    reader = _Reader(NAME, session_id)
    return reader.read_documents(documents) if documents and len(documents) == len(value) else reader.read_lines(value)


class _Reader(RecordReader):
    shells = frozenset({"shell"})
    spawns = frozenset({"subagent", "delegate", "dynamic_task__create_task"})
    rejections = _REJECTED
    started = False  # whether a subagent's messages are here

    def take(self, record: dict[str, Any]) -> None:
        if isinstance(record.get("role"), str):
            if isinstance(record.get("session"), dict):
                self._about(record["session"])
            self._message(record)
        elif "working_dir" in record:
            self._about(record)
            for message in objects(record.get("conversation")):
                self._message(message)
        else:
            self.unknown_record_type("no role")

    def tool(self, call: Call) -> str:
        return call.name if call.name in self.spawns else call.name.rpartition("__")[2]

    def _about(self, record: dict[str, Any]) -> None:
        time = time_of(record.get("created_at"))
        self.begin(time)
        self.add_cwd(record.get("working_dir"))
        self.model = get_str(record, "model_config", "model_name") or self.model
        names = (("accumulated_input_tokens", "input_tokens"), ("accumulated_output_tokens", "output_tokens"))
        put_in, out = (max(get_int(record, total) or get_int(record, last), 0) for total, last in names)
        cost = recorded_cost(record.get("accumulated_cost"))
        if put_in or out or cost:
            self.add_usage(Usage(_ALL, time_of(record.get("updated_at")) or time, 0, self.model, put_in, out, cost=cost))

    def _message(self, record: dict[str, Any]) -> None:
        time, agent = time_of(record.get("created")), get_str(record, "agent")
        self.started = self.started or bool(agent)
        key = get_str(record, "id") or f"{agent} {self.order}"
        if not self.is_new(key):
            return
        self.begin(time)
        blocks, role = objects(record.get("content")), get_str(record, "role")
        self.model = self.switched("model_change", self.model, get_str(record, "metadata", "inference", "requestedModel"), time)
        typed = text_of([entry for entry in blocks if entry.get("type") == "text"]) if role == "user" and not agent else ""
        if typed and get(record, "metadata", "userVisible") is not False:
            self.add_prompt(key, time, typed)
        for index, block in enumerate(blocks):
            kind = get_str(block, "type")
            if kind in ("toolRequest", "frontendToolRequest"):
                self._call(block, f"{key}/{index}", key, time, agent)
            elif kind == "toolResponse":
                self._result(block, time)
            elif role == "assistant":
                self.add_block((key, index), time, block, agent)

    def _call(self, block: dict[str, Any], key: str, message: str, time: float | None, agent: str) -> None:
        value = get_dict(block, "toolCall", "value") or get_dict(block, "toolCall")
        call_id, name = get_str(block, "id") or key, get_str(value, "name")
        call = Call(call_id, name, get_dict(value, "arguments"), time, self.order, agent, self.model, message, self.cwd)
        self.add_call(call)

    def _result(self, block: dict[str, Any], time: float | None) -> None:
        answer = get_dict(block, "toolResult")
        value = get_dict(answer, "value")
        parts = get_list(value, "content") or get_list(answer, "value") or get_list(block, "toolResult")
        texts = dict.fromkeys(get_str(part, "text") for part in parts)  # once for the model and once for the person
        failed = answer.get("status") == "error" or value.get("isError") is True
        text = "\n".join(entry for entry in texts if entry) or get_str(answer, "error")
        self.add_result(get_str(block, "id"), Result(time, text, failed, get_dict(value, "structuredContent")))

    # --- what a call did ------------------------------------------------------------------------------------------

    def outcome(self, call: Call, result: Result) -> Outcome:
        if any(part in result.text[:300].lower() for part in _REJECTED):
            return failure(result.text, _REJECTED)
        code = get_int(result.details, "exit_code")
        if code and result.recorded and not result.failed and self.tool(call) in self.shells:
            return Status.ERROR, f"exit {code}"
        return super().outcome(call, result)

    def command(self, call: Call, result: Result) -> Command:
        return shell_command(get_str(call.arguments, "command"), call.cwd, get_str(result.details, "stdout") or result.text)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        arguments, tool = get_dict(call.arguments), self.tool(call)
        path = resolve(call.cwd, path_argument(arguments))
        kind = get_str(arguments, "command") if tool == "text_editor" else {"write": "write", "edit": "str_replace"}.get(tool, "")
        if not path or kind not in ("write", "create", "str_replace", "insert"):
            return []
        if kind == "insert":
            line = max(get_int(arguments, "insert_line"), 0)
            added = tuple(f"+{entry}" for entry in argument(arguments, "new_str").removesuffix("\n").split("\n"))
            return [Edit(path, "edit", hunks=(Hunk(line, 0, line + 1, len(added), added, exact_text=True),))]
        if hunks := parse_unified(get_str(arguments, "diff")):
            return [Edit(path, "edit", hunks=hunks)]
        if kind == "str_replace":
            old, new = argument(arguments, "old_str", "before", "old_string"), argument(arguments, "new_str", "after", "new_string")
            return edits_from_arguments({"path": path, "old_str": old, "new_str": new})
        return edits_from_arguments({"path": path, "content": argument(arguments, "file_text", "content")})


# --- sessions on this machine ----------------------------------------------------------------------------------------

_DATABASE = "sessions.db"
_TABLES = {"sessions": ("id", "working_dir"), "messages": ("session_id", "content_json")}
_ABOUT = ("id", "working_dir", "created_at", "updated_at", "parent_session_id", "accumulated_input_tokens", "input_tokens")
_MORE = ("accumulated_output_tokens", "output_tokens", "accumulated_cost", "model_config_json")
_MESSAGE = ("id", "message_id", "role", "content_json", "created_timestamp", "metadata_json")


def _places(machine: Machine) -> list[Path]:
    root = machine.variable("GOOSE_PATH_ROOT", machine.data / "goose")
    homes = [root / "data", root, machine.home / "AppData" / "Roaming" / "Block" / "goose" / "data"]
    return machine.existing(home / "sessions" for home in homes)


def _session_files(location: Path) -> Iterator[Path]:
    if (location / _DATABASE).is_file():
        yield location / _DATABASE
    yield from files.listed(location, (".jsonl",))


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    numbers = set()
    if (location / _DATABASE).is_file():
        for entry in _rows(location / _DATABASE, roots):
            numbers.add(entry.id)
            yield entry
    for path in files.listed(location, (".jsonl",)):
        first = files.first_line(path)
        cwd = get_str(first, "working_dir")
        if roots.of(cwd) and path.stem not in numbers:  # the database was filled from such files
            yield LocalSession(path.stem, (path,), f"started in {cwd}", cwd=cwd)


def _load(session: LocalSession) -> Iterator[bytes]:
    path = session.files[0]
    if path.suffix == ".jsonl":
        yield files.lines(path)
        return
    with copied(path) as database:
        lines = [json.dumps(record) for record in _records(database, session.key)]
    yield "\n".join(lines).encode()


def _rows(path: Path, roots: Roots) -> Iterator[LocalSession]:
    with copied(path) as database:
        if not database.has(_TABLES):
            return
        columns = database.present("sessions", _ABOUT)
        for row in database.rows(f"SELECT {columns} FROM sessions"):
            number, cwd = str(row["id"]), str(row["working_dir"])
            if roots.of(cwd) and not row.get("parent_session_id"):
                updated = row.get("updated_at")
                stamp = f"{number} {updated}" if updated else ""
                yield LocalSession(number, (path,), f"started in {cwd}", number, cwd, stamp, time_of(updated) or 0.0)


def _records(database: CopiedDatabase, session: str) -> Iterator[dict[str, Any]]:
    """A session as its lines were before there was a database, with the messages of the sessions that it started."""
    columns = database.present("sessions", _ABOUT + _MORE)
    (row,) = database.rows(f"SELECT {columns} FROM sessions WHERE id = ?", (session,))
    messages = list(_messages(database, session))
    yield row | {"message_count": len(messages), "model_config": parse_json(row.get("model_config_json"))}
    yield from messages
    if "parent_session_id" in row:
        for child in database.rows("SELECT id FROM sessions WHERE parent_session_id = ? ORDER BY id", (session,)):
            for message in _messages(database, str(child["id"])):
                yield message | {"agent": str(child["id"])}


def _messages(database: CopiedDatabase, session: str) -> Iterator[dict[str, Any]]:
    columns = database.present("messages", _MESSAGE)
    for row in database.rows(f"SELECT {columns} FROM messages WHERE session_id = ? ORDER BY id", (session,)):
        about = {"id": str(row.get("message_id") or f"{session}/{row['id']}"), "role": str(row["role"])}
        content = {"created": row.get("created_timestamp"), "content": parse_json(row["content_json"])}
        yield about | content | {"metadata": parse_json(row.get("metadata_json"))}


STORES = (
    Store(
        NAME,
        "`sessions.db` of Goose in `~/.local/share/goose/sessions/`, tables `sessions` and `messages`; "
        "before 1.10, a `.jsonl` each.",
        Known.DOCUMENTATION,
        _places,
        _find,
        load=_load,
        stored=_session_files,
        evidence="rows and lines that other projects describe from real ones",
    ),
)
