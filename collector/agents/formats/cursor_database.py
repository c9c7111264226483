"""Conversations of Cursor's editor: a line about the conversation, then `{composer, bubble, before, after}` for each message.

`stores/cursor_editor.py` writes these lines from Cursor's database. A message (bubble) has its time, and a tool call with
its result; of an edit the database keeps the whole text of the file before and after, since 2026-04 always.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from collector.agents.common.arguments import deletions, edits_from_arguments, edits_from_patch, path_argument, replacements
from collector.agents.common.calls import ERROR_CHARS, Call, Outcome, Result, shell_command
from collector.agents.common.jsonl import copies
from collector.agents.common.prompts import classify, without_reminders
from collector.agents.common.reader import RecordReader
from collector.agents.common.uris import path_of
from collector.json_values import get, get_dict, get_int, get_list, get_str, parsed, time_of
from collector.model import Command, Edit, FileObservation, Hunk, Session, Spawn, Status, Usage
from collector.text import normal_path, resolve

_EDITORS = frozenset({"edit_file", "edit_file_v2", "search_replace", "write", "MultiEdit", "reapply"})
_USER, _ASSISTANT = 1, 2
_YEAR_2000 = 946_684_800_000  # milliseconds; what is less counts from the start of the program
_ENDS = ("clientRpcSendTime", "clientSettleTime", "clientEndTime")
_PARTS = ("offset", "limit", "startLineOneIndexed", "start_line_one_indexed")


def is_conversation(head: object) -> bool:
    about, bubble = get_dict(head, "composerData"), get_dict(head, "bubble")
    return bool(about) or (bool(bubble) and isinstance(get(head, "composer"), str))


def read_conversation(agent: str, session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(agent, session_id).read_lines(copies(blobs))


class _Reader(RecordReader):
    shells = frozenset({"run_terminal_cmd", "run_terminal_command", "run_terminal_command_v2"})
    reads = frozenset({"read_file", "read_file_v2"})
    spawns = frozenset({"task", "task_v2"})
    main = ""  # the conversation that a person began; others are those of its subagents
    last: float | None = None  # the latest time so far

    def __init__(self, agent: str, session_id: str) -> None:
        super().__init__(agent, session_id)
        self.created: set[str] = set()  # files that were not there before, and have not been written yet

    def take(self, record: dict[str, Any]) -> None:
        about = get_dict(record, "composerData")
        if about:
            self._conversation(about, record)
        elif get_dict(record, "bubble"):
            self._bubble(record, get_dict(record, "bubble"))
        else:
            self.unknown_record_type("no bubble")

    def _conversation(self, about: dict[str, Any], record: dict[str, Any]) -> None:
        at = time_of(about.get("createdAt"))
        self.begin(at)
        self.last = at if at is not None else self.last
        self.main = self.main or get_str(about, "composerId")
        self.add_cwd(record.get("folder"))
        self.add_branch(about.get("createdOnBranch"))
        self.model = get_str(about, "modelConfig", "modelName") or self.model
        self.created |= {normal_path(path_of(get(one, "uri"))) for one in get_list(about, "newlyCreatedFiles")}

    def _bubble(self, record: dict[str, Any], bubble: dict[str, Any]) -> None:
        composer, key = get_str(record, "composer"), get_str(bubble, "bubbleId")
        if not self.is_new(f"{composer}:{key}" if key else ""):
            return
        agent = "" if composer in ("", self.main) else composer
        at = _time(bubble)
        self.last = at if at is not None else self.last
        self.begin(at)
        key = key or str(self.order)
        text = get_str(bubble, "text")
        if bubble.get("type") == _USER:
            if not agent:
                clean = without_reminders(text)
                self.add_user_text(key, at, clean, classify(clean))
        elif bubble.get("type") == _ASSISTANT:
            self._answer(record, bubble, key, at, agent)
        else:
            self.unknown_record_type(bubble.get("type"))

    def _answer(self, record: dict[str, Any], bubble: dict[str, Any], key: str, at: float | None, agent: str) -> None:
        self.model = self.switched("model_change", self.model, get_str(bubble, "modelInfo", "modelName"), at)
        thought, text = get_str(bubble, "thinking", "text"), get_str(bubble, "text")
        if thought:
            self.add_message((key, "thinking"), at, "reasoning", thought, agent)
        if text:
            self.add_message(key, at, "text", text, agent)
        tokens = get_dict(bubble, "tokenCount")
        put_in, put_out = get_int(tokens, "inputTokens"), get_int(tokens, "outputTokens")
        if put_in or put_out:
            self.add_usage(Usage(key, at, 0, self.model, put_in, put_out, agent_id=agent))
        tool = get_dict(bubble, "toolFormerData")
        if get_str(tool, "name"):
            self._tool(tool, record, key, at, agent)

    def _tool(self, tool: dict[str, Any], record: dict[str, Any], key: str, at: float | None, agent: str) -> None:
        """What the model wrote (`rawArgs`) and how Cursor read it (`params`) are one set of arguments."""
        arguments = {**_object(tool.get("rawArgs")), **_object(tool.get("params"))}
        details = {"tool": tool, "result": _object(tool.get("result"))}
        details |= {name: record[name] for name in ("before", "after") if isinstance(record.get(name), str)}
        call_id = get_str(tool, "toolCallId") or key
        call = Call(call_id if call_id not in self.calls else key, get_str(tool, "name"), arguments, at, self.order)
        call.agent_id, call.model, call.message_id, call.cwd = agent, self.model, key, self.cwd
        call.not_before = None if at is not None else self.last
        ended = get_str(tool, "status") in ("completed", "error", "cancelled")
        self.add_call(call, Result(None, get_str(details, "result", "output"), details=details, recorded=ended))

    # --- what a call did ------------------------------------------------------------------------------------------

    def outcome(self, call: Call, result: Result) -> Outcome:
        tool, answer = get_dict(result.details, "tool"), get_dict(result.details, "result")
        status = get_str(tool, "status")
        refused = get_str(tool, "userDecision") == "rejected" or answer.get("rejected") is True
        if refused or get_str(tool, "additionalData", "reviewData", "selectedOption") == "reject":
            return Status.REJECTED, ""
        if status == "error" or (get(answer, "diff") is None and answer.get("applyFailed") is True):
            return Status.ERROR, _error(tool)[:ERROR_CHARS]
        if status != "completed":
            return Status.UNKNOWN, ""
        code = get_int(answer, "exitCodeV2") or get_int(answer, "exitCode")
        return (Status.ERROR, f"exit {code}") if code and call.name in self.shells else (Status.OK, "")

    def command(self, call: Call, result: Result) -> Command:
        cwd = resolve(call.cwd, get_str(call.arguments, "cwd")) or call.cwd
        background = get(call.arguments, "is_background") is True
        return shell_command(get_str(call.arguments, "command"), cwd, result.text, background)

    def spawn(self, call: Call, result: Result) -> Spawn:
        agent = get_str(result.details, "result", "agentId")
        kind = get_str(call.arguments, "subagentType") or get_str(call.arguments, "subagent_type")
        return Spawn(agent, kind, visible=bool(agent))

    def edits(self, call: Call, result: Result) -> list[Edit]:
        path = _path(call)
        arguments = {**get_dict(call.arguments), "file_path": path}
        if call.name == "delete_file":
            return deletions(arguments, call.cwd)
        if call.name == "apply_patch":
            return edits_from_patch(arguments, call.cwd)
        if call.name not in _EDITORS or not path:
            return []
        after, before = get(result.details, "after"), get(result.details, "before")
        if isinstance(after, str):
            return [self._whole(path, before, after, call)]
        hunks = _hunks(get_list(result.details, "result", "diff", "chunks"))
        if replacements(arguments) or (call.name == "write" and not hunks):
            return edits_from_arguments(arguments, call.cwd)
        return [Edit(path, "edit", hunks=hunks)]

    def _whole(self, path: str, before: object, after: str, call: Call) -> Edit:
        """An edit of which the texts are known. Of an edit with the text after it alone it is not known what it changed."""
        new = path in self.created
        self.created.discard(path)
        if isinstance(before, str) or new:
            there = before if isinstance(before, str) and before else None  # an empty text is that of a file that was not there
            return Edit(path, "write", content=after, before=there, before_known=True, after=after)
        self.add_observation(FileObservation(path, call.at, 1, after, whole=True))
        return Edit(path, "edit")

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        answer = get_dict(result.details, "result")
        text, path = get_str(answer, "contents"), _path(call)
        lines = get_int(answer, "totalLinesInFile")
        part = any(name in get_dict(call.arguments) for name in _PARTS)
        if not text or not path or part or (lines and lines != text.removesuffix("\n").count("\n") + 1):
            return None
        return FileObservation(path, call.at, 1, text, whole=True)


def _path(call: Call) -> str:
    """The file that a call is about, absolute where the folder is known."""
    named = get_str(call.arguments, "relativeWorkspacePath") or get_str(call.arguments, "targetFile")
    named = named or path_argument(call.arguments)
    return normal_path(path_of(named)) if named.startswith("file:") else resolve(call.cwd, named)


def _hunks(chunks: list[Any]) -> tuple[Hunk, ...]:
    """Parts of a diff whose lines begin with a mark and a blank."""
    found = []
    for chunk in chunks:
        lines = get_str(chunk, "diffString").removesuffix("\n").split("\n")
        if all(line[:2] in ("- ", "+ ", "  ", "-", "+", " ", "") for line in lines):
            start, count = get_int(chunk, "oldStart"), get_int(chunk, "oldLines")
            new_start, new_count = get_int(chunk, "newStart"), get_int(chunk, "newLines")
            marked = tuple((line[:1] or " ") + line[2:] for line in lines)
            found.append(Hunk(max(start, 0), max(count, 0), max(new_start, 0), max(new_count, 0), marked, exact_text=True))
    return tuple(found)


def _object(text: object) -> dict[str, Any]:
    """An object, or the one that a text holds."""
    value = parsed(text) if isinstance(text, str) else text
    return value if isinstance(value, dict) else {}


def _error(tool: dict[str, Any]) -> str:
    about = _object(tool.get("error"))
    said = get_str(about, "modelVisibleErrorMessage") or get_str(about, "clientVisibleErrorMessage")
    return said or get_str(tool, "error")


def _time(bubble: dict[str, Any]) -> float | None:
    """When a message was begun; old versions count from the start of the program, and tell when it ended."""
    at = time_of(bubble.get("createdAt"))
    timing = get_dict(bubble, "timingInfo")
    started = get_int(timing, "clientStartTime")
    ended = next((value for name in _ENDS if (value := get_int(timing, name)) >= _YEAR_2000), 0)
    if at is not None or started <= 0:
        return at
    return time_of(started) if started >= _YEAR_2000 else time_of(ended - started)
