"""Pi, and Oh My Pi which grew out of it: JSONL, a header and then entries that form a tree by `parentId`.

Going back to an earlier entry starts a branch; what the abandoned branch did to files is not undone, so every entry counts.
An edit names its replacements; the display diff of its result has exact text and line numbers, from which hunks are rebuilt.
Paths are relative to the header's working directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from collector.model import Command, Edit, FileObservation, Hunk, Session, Spawn, Status, ToolCall, Usage
from collector.transcripts.apply_patch import edit_from_arguments, edits_from_patch_arguments, path_argument
from collector.transcripts.jsonl import (
    Events,
    as_json,
    commits_in,
    copies,
    get,
    get_dict,
    get_int,
    get_list,
    get_str,
    records,
    resolve,
    text_of,
    time_of,
)
from collector.transcripts.prompts import PromptKind, classify, without_reminders

NAME = "pi"
LABEL = "Pi"
GIVES = frozenset(["times", "results", "text", "positions", "reads", "commands", "commits", "models", "tokens", "directory"])
ORDER = 40

_NOTED = frozenset({"thinking_level_change", "custom", "custom_message", "label", "ttsr_injection", "session_info"})
_ERROR_CHARS = 300


def sniff(head: object) -> bool:
    return isinstance(head, dict) and head.get("type") == "session" and ("version" in head or "cwd" in head)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(Events(NAME, session_id))
    for record in records(copies(blobs), reader.events.problems, session_id):
        reader.take(record)
    return reader.session()


@dataclass(slots=True)
class _Call:
    call_id: str
    name: str
    arguments: dict[str, Any]
    at: float | None
    order: int
    model: str
    message_id: str


@dataclass(frozen=True, slots=True)
class _Result:
    at: float | None
    failed: bool
    text: str
    details: dict[str, Any]


class _Reader:
    def __init__(self, events: Events) -> None:
        self.events = events
        self.calls: dict[str, _Call] = {}
        self.results: dict[str, _Result] = {}
        self.seen: set[str] = set()
        self.last = ""
        self.model = ""
        self.lineage = ""
        self.cwd = ""

    def take(self, record: dict[str, Any]) -> None:
        key = get_str(record, "id")
        if key and key in self.seen:
            return
        at = time_of(record.get("timestamp")) or time_of(get(record, "message", "timestamp"))
        self.events.next(at)
        self._branch(record, key, at)
        kind = get_str(record, "type")
        if kind == "session":
            self._header(record)
        elif kind == "message":
            self._message(get_dict(record, "message"), key or f"{at}/{self.events.order}", at)
        elif kind == "model_change":
            self._model(get_str(record, "modelId") or get_str(record, "model"), at)
        elif kind in ("compaction", "branch_summary"):
            self.events.mark("compaction" if kind == "compaction" else "branched", at, get_str(record, "summary"))
        elif kind == "mode_change":
            self.events.mark("mode_change", at, get_str(record, "mode"))
        elif kind == "session_init":  # a subagent: its task comes from the agent that started it
            self.events.parent_id = self.lineage
        elif kind not in _NOTED:
            self.events.stranger(kind)

    def _branch(self, record: dict[str, Any], key: str, at: float | None) -> None:
        """An entry whose parent is not the entry before it starts a branch."""
        parent = get_str(record, "parentId")
        if parent and self.last and parent != self.last and parent in self.seen:
            self.events.mark("branched", at, parent)
        if key:
            self.seen.add(key)
        self.last = key if record.get("type") != "session" else ""

    def _header(self, record: dict[str, Any]) -> None:
        self.cwd = self.events.seen_in(self.events.cwds, record.get("cwd")) or self.cwd
        self.lineage = get_str(record, "parentSession") or self.lineage

    def _model(self, model: str, at: float | None) -> None:
        if self.model and model and model != self.model:
            self.events.mark("model_change", at, model)
        self.model = model or self.model

    # --- messages -------------------------------------------------------------------------------------------------

    def _message(self, message: dict[str, Any], key: str, at: float | None) -> None:
        role = message.get("role")
        if role == "user":
            self._user(text_of(message.get("content")), key, at)
        elif role == "assistant":
            self._assistant(message, key, at)
        elif role == "toolResult":
            failed = message.get("isError") is True
            result = _Result(at, failed, text_of(message.get("content")), get_dict(message, "details"))
            self.results.setdefault(get_str(message, "toolCallId"), result)
        elif role == "bashExecution":
            self.events.mark("user_shell", at, get_str(message, "command"))
        elif role in ("custom", "hookMessage"):
            self.events.mark("injected", at, text_of(message.get("content"))[:80])

    def _user(self, text: str, key: str, at: float | None) -> None:
        clean = without_reminders(text)
        kind = PromptKind.INJECTED if self.events.parent_id else classify(clean)
        self.events.turn(key, at, clean, kind.value)

    def _assistant(self, message: dict[str, Any], key: str, at: float | None) -> None:
        self._model(get_str(message, "model"), at)
        self._usage(get_dict(message, "usage"), key, at)
        stop = message.get("stopReason")
        if stop in ("aborted", "error"):
            self.events.mark("interrupt" if stop == "aborted" else "api_error", at, get_str(message, "errorMessage"))
        for index, block in enumerate(get_list(message, "content")):
            kind = get(block, "type")
            if kind == "toolCall":
                call_id = get_str(block, "id") or f"{key}/{index}"
                arguments = get_dict(block, "arguments")
                call = _Call(call_id, get_str(block, "name"), arguments, at, self.events.order, self.model, key)
                self.calls.setdefault(call_id, call)
            elif kind == "text":
                self.events.say((key, index), at, "text", get_str(block, "text"))
            elif kind == "thinking":
                self.events.say((key, index), at, "reasoning", get_str(block, "thinking"))

    def _usage(self, usage: dict[str, Any], key: str, at: float | None) -> None:
        counts = [get_int(usage, name) for name in ("input", "output", "cacheRead", "cacheWrite")]
        if any(counts):
            fresh, output, cached, written = counts
            self.events.use(Usage(key, at, 0, self.model, fresh, output, cached, written))

    # --- the whole session ----------------------------------------------------------------------------------------

    def session(self) -> Session:
        for call in self.calls.values():
            self.events.call(self._finished(call, self.results.get(call.call_id)), call.order)
        return self.events.session()

    def _finished(self, call: _Call, result: _Result | None) -> ToolCall:
        text = result.text if result else ""
        status = Status.UNKNOWN if result is None else Status.ERROR if result.failed else Status.OK
        command = None
        if call.name in ("bash", "shell"):
            place = resolve(self.cwd, get_str(call.arguments, "cwd")) or resolve("", self.cwd)
            command = Command(get_str(call.arguments, "command"), place, output=text[:2000])
        return ToolCall(
            call_id=call.call_id,
            name=call.name,
            turn=0,
            at=call.at,
            done_at=result.at if result else None,
            status=status,
            error=text[:_ERROR_CHARS] if status is Status.ERROR else "",
            model=call.model,
            message_id=call.message_id,
            input=as_json(call.arguments),
            edits=tuple(_edits(call, result, self.cwd)),
            command=command,
            seen=_seen(call, result, self.cwd) if call.name == "read" and status is Status.OK else None,
            spawn=_spawn(call, result) if call.name in ("task", "subagent") else None,
            commits=commits_in(command.text, text) if command else (),
            result_size=len(text) if result else None,
        )


def _edits(call: _Call, result: _Result | None, cwd: str) -> list[Edit]:
    if call.name not in ("edit", "write", "apply_patch", "hashline_edit"):
        return []
    patched = edits_from_patch_arguments(call.arguments, cwd)
    if patched:
        return patched
    path = resolve(cwd, path_argument(call.arguments))
    operation = get_str(call.arguments, "op")
    if operation == "delete" and path:
        return [Edit(path, "delete")]
    hunks = display_hunks(get_str(result.details, "diff")) if result else ()
    new_path = resolve(cwd, get_str(call.arguments, "rename"))
    if new_path and path:
        return [Edit(path, "move", hunks=hunks, new_path=new_path)]
    edit = edit_from_arguments(call.arguments, cwd, hunks=hunks)
    return [edit] if edit else []


_DISPLAY = re.compile(r"^([+\- ])\s*(\d{1,9})(?: |\||$)(.*)$", re.S)


def display_hunks(diff: str) -> tuple[Hunk, ...]:
    """Hunks of a display diff: a mark, a line number (old for removed and kept lines, new for added ones), the text."""
    hunks: list[Hunk] = []
    group: list[tuple[str, int, str]] = []
    shift = 0  # new number minus old number of a kept line
    for line in [*diff.split("\n"), "..."]:
        match = _DISPLAY.match(line)
        if match:
            group.append((match[1], int(match[2]), match[3]))
            continue
        if any(mark != " " for mark, _, _ in group):
            hunk = _rebuilt(group, shift)
            shift += hunk.new_count - hunk.old_count
            hunks.append(hunk)
        group = []
    return tuple(hunks)


def _rebuilt(group: list[tuple[str, int, str]], shift: int) -> Hunk:
    mark, number, _ = group[0]
    old_start = number - shift if mark == "+" else number
    lines = tuple(mark + text for mark, _, text in group)
    old = sum(1 for mark, _, _ in group if mark != "+")
    new = sum(1 for mark, _, _ in group if mark != "-")
    # a unified diff counts from the line before where a side is empty
    return Hunk(old_start if old else old_start - 1, old, old_start + shift if new else old_start + shift - 1, new, lines, True)


_MORE = re.compile(r"\n*\[(?:Showing lines|\d+ more lines|Output truncated|Line \d+ is)[^\]]*\]\s*$")
_TAGGED = re.compile(r"^\s*\d+[#:][0-9A-Za-z]{1,8}[|:]")


def _seen(call: _Call, result: _Result | None, cwd: str) -> FileObservation | None:
    path = resolve(cwd, path_argument(call.arguments))
    if not path or result is None or not result.text or _TAGGED.match(result.text):
        return None
    part = any(key in call.arguments for key in ("offset", "limit"))
    text, cut = _MORE.subn("", result.text)
    return FileObservation(path, result.at or call.at, max(get_int(call.arguments, "offset"), 1), text, not part and not cut)


def _spawn(call: _Call, result: _Result | None) -> Spawn:
    agent_id = get_str(result.details, "sessionId") if result else ""
    return Spawn(agent_id=agent_id, kind=get_str(call.arguments, "agent"), visible=False)
