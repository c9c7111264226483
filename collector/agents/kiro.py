"""Kiro CLI: one JSON document `{conversation_id, history: [{user, assistant, request_metadata}]}`; newer: JSONL `{kind, data}`.

Checkpoints hold such a document, or since its plug-in writes lines, half an entry in each: `{entry, user}`, `{entry, assistant}`.
The results of calls are what the user's side sends next. In a document a request tells when it was sent and when its answer ended.
The documents of Kiro's editor in checkpoints have empty ids, no times and no results, and of an edit only its path.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.arguments import argument, edits_from_arguments, path_argument
from collector.agents.common.calls import ERROR_CHARS, Call, Outcome, Result, commits_in, shell_command
from collector.agents.common.jsonl import copies, first_value, records
from collector.agents.common.reader import RecordReader
from collector.agents.formats.kiro_editor import CHATS, is_chat, read_chat
from collector.agents.machine import files
from collector.agents.machine.databases import copied
from collector.agents.machine.model import Known, LocalSession, Machine, Store
from collector.agents.machine.roots import Roots
from collector.json_values import first_of, get, get_dict, get_int, get_list, get_str, objects, parse_json, time_of, to_json
from collector.model import Command, Edit, FileObservation, Hunk, Problem, Session, Status
from collector.text import resolve
from collector.vocabulary.agents import Agent

NAME = "kiro"
AGENT = Agent(NAME, "Kiro", aliases=("kiro-cli",), tools={"edit": "fs_write"})
GIVES = frozenset({"times", "results", "text", "positions", "reads", "commands", "commits", "models", "directory"})
ORDER = 25
UNTESTED = "edits"

_BESIDE = "Session"  # what lies in a file beside the lines
_KINDS = frozenset({"Prompt", "AssistantMessage", "ToolResults", _BESIDE})
_WRITERS = frozenset({"fs_write", "write"})
_STATUS = {"success": Status.OK, "error": Status.ERROR, "cancelled": Status.REJECTED}


def sniff(head: object) -> bool:
    if is_chat(head):
        return True
    if get(head, "kind") in _KINDS and isinstance(get(head, "data"), dict):
        return True
    if isinstance(get(head, "entry"), int):
        return "user" in get_dict(head) or "assistant" in get_dict(head)
    history = get_list(head, "history")
    return isinstance(get(head, "conversation_id"), str) and all(
        "user" in item and "assistant" in item for item in objects(history)
    )


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    value = copies(blobs)
    chats = [blob for blob in value if is_chat(first_value(blob))]
    if chats:
        return read_chat(NAME, session_id, chats)
    documents = [blob for blob in value if "history" in get_dict(first_value(blob))]
    reader = _Reader(NAME, session_id)
    return (
        reader.read_documents(documents)
        if documents
        else reader.read_lines(_entries_again(blob, reader.problems, session_id) for blob in value)
    )


class _Reader(RecordReader):
    shells = frozenset({"execute_bash", "execute_cmd", "shell"})
    reads = frozenset({"fs_read", "read"})

    def take(self, record: dict[str, Any]) -> None:
        self.add_version(record.get("cli_version"))
        if "history" in record:
            for number, entry in enumerate(objects(record.get("history"))):
                self._entry(entry, number)
        elif record.get("kind") == _BESIDE:
            self.add_cwd(get(record, "data", "cwd"))
        elif record.get("kind") in ("Prompt", "AssistantMessage", "ToolResults"):
            self._line(record)
        else:
            self.unknown_record_type(record.get("kind"))

    # --- documents ------------------------------------------------------------------------------------------------

    def _entry(self, entry: dict[str, Any], number: int) -> None:
        user, about = get_dict(entry, "user"), get_dict(entry, "request_metadata")
        answer = get_dict(entry, "assistant")
        notice = get_dict(answer, "ToolUse") or get_dict(answer, "Response")
        key = get_str(notice, "message_id") or _place(entry, number)
        if not self.is_new(key):
            return
        prompted = time_of(about.get("request_start_timestamp_ms")) or time_of(user.get("timestamp"))
        self.begin(prompted)
        self.add_cwd(get(user, "env_context", "env_state", "current_working_directory"))
        content = get_dict(user, "content")
        for kind in ("ToolUseResults", "CancelledToolUses"):
            for item in objects(get(content, kind, "tool_use_results")):
                self._result(item, prompted, kind == "CancelledToolUses")
        prompt = get_str(content, "Prompt", "prompt") or get_str(content, "CancelledToolUses", "prompt")
        self.add_turn((key, "asked"), time_of(user.get("timestamp")) or prompted, prompt)
        ended = time_of(about.get("stream_end_timestamp_ms")) or prompted
        self.begin(ended)
        self.model = self.switched("model_change", self.model, get_str(about, "model_id"), ended)
        if get_str(notice, "content"):
            self.add_message(key, ended, "text", get_str(notice, "content"))
        for index, item in enumerate(objects(get(notice, "tool_uses"))):
            self._call(get_str(item, "id") or f"{key}/{index}", get_str(item, "name"), item.get("args"), key, ended)

    # --- lines ----------------------------------------------------------------------------------------------------

    def _line(self, record: dict[str, Any]) -> None:
        data = get_dict(record, "data")
        time = time_of(first_of(get_dict(data, "meta"), "timestamp", "timestamp_ms")) or time_of(
            first_of(data, "timestamp", "created_at")
        )
        key = first_of(data, "message_id", "messageId")
        key = key if isinstance(key, str) and key else f"line {self.order}"
        if not self.is_new(f"{record.get('kind')} {key}"):
            return
        self.begin(time)
        blocks = objects(data.get("content"))
        if record.get("kind") == "Prompt":
            self.add_turn(key, time, "\n".join(get_str(item, "data") for item in blocks if item.get("kind") == "text"))
            return
        for index, block in enumerate(blocks):
            inner = get_dict(block, "data")
            if block.get("kind") == "text":
                self.add_message((key, index), time, "text", get_str(block, "data"))
            elif block.get("kind") == "toolUse":
                call_id = get_str(inner, "toolUseId") or f"{key}/{index}"
                self._call(call_id, get_str(inner, "name"), inner.get("input"), key, time)
            elif block.get("kind") == "toolResult":
                self._result(inner, time, cancelled=False)

    # --- both -----------------------------------------------------------------------------------------------------

    def _call(self, call_id: str, name: str, arguments: object, key: str, time: float | None) -> None:
        call = Call(call_id, name, get_dict(arguments), time, self.order, model=self.model, message_id=key, cwd=self.cwd)
        self.add_call(call)

    def _result(self, result: dict[str, Any], time: float | None, cancelled: bool) -> None:
        parts = [first_of(item, "Json", "Text", "data") for item in get_list(result, "content")]
        text = "\n".join(part if isinstance(part, str) else to_json(part, 1_000_000) for part in parts if part is not None)
        status = "cancelled" if cancelled else get_str(result, "status").lower()
        value = next((part for part in parts if isinstance(part, dict)), None)
        details = {"status": status, "value": value if value is not None else parse_json(text)}
        self.add_result(get_str(result, "tool_use_id") or get_str(result, "toolUseId"), Result(time, text, details=details))

    def outcome(self, call: Call, result: Result) -> Outcome:
        status = _STATUS.get(get_str(result.details, "status"), Status.UNKNOWN)
        code = get_str(result.details, "value", "exit_status") or str(get_int(result.details, "value", "exit_status"))
        if status is Status.OK and call.name in self.shells and code.strip("0 "):
            return Status.ERROR, f"exit {code}"[:ERROR_CHARS]
        return status, "" if status is Status.OK else result.text[:ERROR_CHARS]

    def command(self, call: Call, result: Result) -> Command:
        cwd = resolve(call.cwd, argument(call.arguments, "working_dir", "workingDir", "cwd")) or call.cwd
        output = get_str(result.details, "value", "stdout") or result.text
        return shell_command(get_str(call.arguments, "command"), cwd, output)

    def commits(self, command: Command, result: Result) -> tuple[str, ...]:
        return commits_in(command, command.output)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        if call.name not in _WRITERS:
            return []
        return list(_writing_edits(get_dict(call.arguments), resolve(call.cwd, path_argument(call.arguments))))

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        """A whole file, where one was asked for and no part of it."""
        prompted = objects(get(call.arguments, "operations")) or [get_dict(call.arguments)]
        item = prompted[0]
        part = any(get_int(item, name) not in (0, 1) for name in ("start_line", "end_line", "offset", "limit"))
        path = resolve(call.cwd, path_argument(item))
        if len(prompted) > 1 or part or not path or not result.text or item.get("mode") not in (None, "Line"):
            return None
        return FileObservation(path, result.at or call.at, 1, result.text, whole=False)


def _entries_again(blob: bytes, problems: list[Problem], session_id: str) -> bytes:
    """Lines of half an entry each as one document; other lines as they are."""
    if get(first_value(blob), "entry") is None:
        return blob
    entries: dict[int, dict[str, Any]] = {}
    about: dict[str, Any] = {}
    for record in records([blob], problems, session_id):
        number = record.get("entry")
        if isinstance(number, int):
            half = {name: record[name] for name in ("user", "assistant") if isinstance(record.get(name), dict)}
            entries.setdefault(number, {}).update(half)
        about = {name: record.get(name) for name in ("conversation_id", "cli_version")}
    return json.dumps({**about, "history": list(entries.values())}).encode()


def _place(entry: dict[str, Any], number: int) -> str:
    """What an entry without an id is known by: a copy may hold only what came since the one before."""
    return f"entry {number} {hashlib.sha256(to_json(entry, 1_000_000).encode('utf-8', 'replace')).hexdigest()[:12]}"


def _writing_edits(arguments: dict[str, Any], path: str) -> Iterator[Edit]:
    """What the tool that writes was asked to do: `create`, `str_replace`, `insert` or `append`, in two spellings."""
    kind, new = get_str(arguments, "command"), argument(arguments, "new_str", "newStr", "content")
    if not path:
        return
    if kind == "create":
        yield Edit(path, "write", content=argument(arguments, "file_text", "fileText") or new)
    elif kind == "append":
        yield Edit(path, "append", content=new)
    elif kind == "insert":
        line = max(get_int(arguments, "insert_line") or get_int(arguments, "insertLine"), 0)
        added = tuple(f"+{item}" for item in new.removesuffix("\n").split("\n"))
        yield Edit(path, "edit", hunks=(Hunk(line, 0, line + 1, len(added), added, exact_text=True),))
    else:
        old = argument(arguments, "old_str", "oldStr")
        pair = {"old_str": old, "new_str": new} if old else arguments
        yield from edits_from_arguments({"file_path": path, **pair})


# --- sessions on this machine ----------------------------------------------------------------------------------------

_DATABASE = "data.sqlite3"


def _places(machine: Machine) -> list[Path]:
    homes = [machine.data, machine.home / "Library" / "Application Support"]
    lines = machine.variable("KIRO_HOME", machine.home / ".kiro") / "sessions" / "cli"
    return machine.existing([lines, *(home / name / _DATABASE for home in homes for name in ("kiro-cli", "amazon-q"))])


def _session_files(location: Path) -> Iterator[Path]:
    if location.name == _DATABASE:
        yield location
    else:
        yield from files.listed(location, (".jsonl",))


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    return _rows(location, roots) if location.name == _DATABASE else _lines(location, roots)


def _load(session: LocalSession) -> Iterator[bytes]:
    path = session.files[0]
    if path.suffix == ".jsonl":
        yield json.dumps({"kind": "Session", "data": {"cwd": session.cwd}}).encode() + b"\n" + files.lines(path)
        return
    with copied(path) as database:
        table = _table(session.key)
        condition = "conversation_id = ?" if table == "conversations_v2" else "key = ?"
        sql = f"SELECT CAST(value AS TEXT) AS value FROM {table} WHERE {condition}"
        (row,) = database.rows(sql, (session.key.partition(" ")[2],))
    yield str(row["value"]).encode("utf-8", "replace")


def _table(key: str) -> str:
    return "conversations_v2" if key.startswith("v2 ") else "conversations"


def _rows(location: Path, roots: Roots) -> Iterator[LocalSession]:
    """The key is the directory; before version 2 there was one conversation for each."""
    with copied(location) as database:
        if {"key", "conversation_id", "value"} <= (columns := database.columns("conversations_v2")):
            updated = "updated_at" if "updated_at" in columns else "NULL"
            for row in database.rows(f"SELECT key, conversation_id, {updated} AS at FROM conversations_v2"):
                if roots.of(str(row["key"])):
                    yield _session(
                        location, str(row["conversation_id"]), f"v2 {row['conversation_id']}", str(row["key"]), row["at"]
                    )
        elif {"key", "value"} <= database.columns("conversations"):
            sql = "SELECT key, json_extract(value, '$.conversation_id') AS id FROM conversations WHERE json_valid(value)"
            for row in database.rows(sql):
                if roots.of(str(row["key"])) and row["id"]:
                    yield _session(location, str(row["id"]), f"v1 {row['key']}", str(row["key"]), None)


def _session(location: Path, number: str, key: str, cwd: str, updated: object) -> LocalSession:
    stamp = f"{key} {updated}" if updated is not None else ""
    return LocalSession(number, (location,), f"kept for {cwd}", key, cwd, stamp, time_of(updated) or 0.0)


def _lines(location: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in _session_files(location):
        about = files.document(path.with_suffix(".json"))
        cwd = get_str(about, "cwd")
        if roots.of(cwd):
            yield LocalSession(get_str(about, "session_id") or path.stem, (path,), f"started in {cwd}", cwd=cwd)


STORES = (
    Store(
        NAME,
        "`data.sqlite3` of Kiro CLI, table `conversations_v2`; newer: `~/.kiro/sessions/cli/<id>.jsonl` with a `.json` beside it.",
        Known.DOCUMENTATION,
        _places,
        _find,
        load=_load,
        stored=_session_files,
        evidence="the source of Amazon Q Developer CLI, which became Kiro CLI, and readers of other projects",
    ),
    CHATS,
)
