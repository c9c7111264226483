"""Qwen Code: JSONL records `{uuid, type, message: {role, parts}}`, the envelope of Claude Code around the messages of Gemini.

The result of a call is a record of its own. Edit tools show the whole text of the file before and after, unless it is long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.arguments import argument, edits_from_arguments, path_argument
from collector.agents.common.calls import ERROR_CHARS, Call, Outcome, Result, failure, shell_command
from collector.agents.common.facets import FACETS
from collector.agents.common.jsonl import copies
from collector.agents.common.prompts import classify, without_reminders
from collector.agents.common.reader import RecordReader
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine, Store
from collector.agents.machine.roots import Roots
from collector.git.patches import parse_unified
from collector.json_values import get, get_dict, get_int, get_list, get_str, time_of
from collector.model import Command, Edit, FileObservation, Session, Status, Usage
from collector.text import resolve
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
UNTESTED = "edits"

_EDIT_TOOLS = frozenset({"write_file", "edit", "replace"})
_REJECTED = ("user denied", "user rejected", "user cancelled", "did not allow")


def sniff(head: object) -> bool:
    if not isinstance(head, dict) or not isinstance(head.get("uuid"), str) or not isinstance(head.get("sessionId"), str):
        return False
    return "systemPayload" in head or isinstance(get(head, "message", "parts"), list)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(NAME, session_id).read_lines(copies(blobs))


class _Reader(RecordReader):
    shells = frozenset({"run_shell_command"})
    reads = frozenset({"read_file"})
    rejections = _REJECTED

    def take(self, record: dict[str, Any]) -> None:
        key = get_str(record, "uuid")
        if not self.is_new(key):
            return
        time = time_of(record.get("timestamp"))
        self.begin(time)
        self.add_cwd(record.get("cwd"))
        self.add_version(record.get("version"))
        self.add_branch(record.get("gitBranch"))
        kind, parts = get_str(record, "type"), get_list(record, "message", "parts")
        if kind == "user":
            text = without_reminders("\n".join(get_str(part, "text") for part in parts))
            self.add_user_text(key, time, text, classify(text, is_meta=get_str(record, "provenance") not in ("", "real_user")))
        elif kind == "assistant":
            self._answer(record, parts, key, time)
        elif kind == "tool_result":
            self._results(record, parts, time)
        elif kind == "system":
            if get_str(record, "subtype") == "chat_compression":
                self.add_event("compaction", time)
        else:
            self.unknown_record_type(kind)

    def _answer(self, record: dict[str, Any], parts: list[Any], key: str, time: float | None) -> None:
        self.model = self.switched("model_change", self.model, get_str(record, "model"), time)
        tokens = get_dict(record, "usageMetadata")
        if tokens:
            cached, thoughts = get_int(tokens, "cachedContentTokenCount"), get_int(tokens, "thoughtsTokenCount")
            fresh = max(0, get_int(tokens, "promptTokenCount") - cached)
            output = get_int(tokens, "candidatesTokenCount")
            self.add_usage(Usage(key, time, 0, self.model, fresh, output, cached, reasoning=thoughts))
        for number, part in enumerate(parts):
            request = get_dict(part, "functionCall")
            if request:
                call_id, name = get_str(request, "id") or f"{key}/{number}", get_str(request, "name")
                arguments = get_dict(request, "args")
                call = Call(call_id, name, arguments, time, self.order, model=self.model, message_id=key, cwd=self.cwd)
                self.add_call(call)
            elif get_str(part, "text"):
                self.add_message(
                    (key, number), time, "reasoning" if get(part, "thought") is True else "text", get_str(part, "text")
                )

    def _results(self, record: dict[str, Any], parts: list[Any], time: float | None) -> None:
        details = get_dict(record, "toolCallResult")
        for part in parts:
            response = get_dict(part, "functionResponse")
            if not response:
                continue
            answer = get_dict(response, "response")
            text = get_str(answer, "output") or get_str(answer, "error")
            failed = "error" in answer or get_str(details, "status") in ("error", "cancelled")
            self.add_result(get_str(response, "id") or get_str(details, "callId"), Result(time, text, failed, details))

    def outcome(self, call: Call, result: Result) -> Outcome:
        if result.failed and get_str(result.details, "status") == "cancelled":
            return Status.REJECTED, result.text[:ERROR_CHARS]
        return failure(result.text, _REJECTED) if result.failed else super().outcome(call, result)

    def command(self, call: Call, result: Result) -> Command:
        cwd = resolve(call.cwd, argument(call.arguments, "directory", "dir_path")) or call.cwd
        background = get(call.arguments, "is_background") is True
        return shell_command(get_str(call.arguments, "command"), cwd, result.text.removeprefix("Output: "), background)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        if call.name not in _EDIT_TOOLS:
            return []
        display = get_dict(result.details, "resultDisplay")
        whole = display.get("truncatedForSession") is not True
        before, after = display.get("originalContent"), display.get("newContent")
        new = whole and "originalContent" in display and before is None
        return edits_from_arguments(
            {**get_dict(call.arguments), "file_path": path_argument(call.arguments)},
            call.cwd,
            before=before if whole and isinstance(before, str) else None,
            before_known=new or (whole and isinstance(before, str)),
            after=after if whole and isinstance(after, str) else None,
            hunks=parse_unified(get_str(display, "fileDiff")),
        )

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        path = resolve(call.cwd, argument(call.arguments, "file_path", "absolute_path", "path"))
        part = any(key in get_dict(call.arguments) for key in ("offset", "limit"))
        if not path or not result.text or part or "truncated" in result.text[:ERROR_CHARS]:
            return None
        return FileObservation(path, result.at or call.at, 1, result.text, whole=True)


# --- sessions on this machine ----------------------------------------------------------------------------------------


def _places(machine: Machine) -> list[Path]:
    return machine.existing([machine.variable("QWEN_RUNTIME_DIR", machine.home / ".qwen") / "projects"])


def _session_files(location: Path) -> Iterator[Path]:
    for project in files.directories(location):
        yield from files.listed(project / "chats", (".jsonl",))


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    mine = tuple(re.sub(r"[^A-Za-z0-9]", "-", root) for root in roots.paths)
    for path in _session_files(location):
        if roots.anywhere or path.parents[1].name.startswith(mine):
            cwd = get_str(files.first_line(path), "cwd")
            if roots.of(cwd):
                yield LocalSession(path.stem, (path,), f"started in {cwd}", cwd=cwd)


STORES = (
    Store(
        NAME,
        "`~/.qwen/projects/<directory>/chats/<session>.jsonl`; every record names the directory.",
        Known.DOCUMENTATION,
        _places,
        _find,
        stored=_session_files,
    ),
)
