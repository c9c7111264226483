"""Pi, and Oh My Pi which grew out of it: JSONL, a header and then entries that form a tree by `parentId`.

Going back to an earlier entry starts a branch; what the abandoned branch did to files is not undone, so every entry counts.
An edit names its replacements; the display diff of its result has exact text and line numbers, from which hunks are rebuilt.
Paths are relative to the header's working directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from collector.json_values import get, get_dict, get_int, get_list, get_str, time_of
from collector.model import Edit, FileObservation, Hunk, Session, Spawn, Status, ToolCall, Usage
from collector.text import normal_path, resolve
from collector.transcripts import FACETS
from collector.transcripts.common.arguments import edits_from_arguments, edits_from_patch, path_argument
from collector.transcripts.common.builder import SessionBuilder
from collector.transcripts.common.calls import Call, Result, commits_in, outcome_of, shell_command
from collector.transcripts.common.jsonl import copies
from collector.transcripts.common.messages import text_of
from collector.transcripts.common.prompts import PromptKind, classify, without_reminders

NAME = "pi"
LABEL = "Pi"
GIVES = frozenset(FACETS) - {"before", "subagents"}
ORDER = 40

_IGNORED = frozenset({"thinking_level_change", "custom", "custom_message", "label", "ttsr_injection", "session_info"})


def sniff(head: object) -> bool:
    return isinstance(head, dict) and head.get("type") == "session" and ("version" in head or "cwd" in head)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(session_id).read_lines(copies(blobs))


class _Reader(SessionBuilder):
    agent = NAME

    def __init__(self, session_id: str) -> None:
        super().__init__(session_id)
        self.last_id = ""  # of the entry before
        self.parent_session = ""

    def take(self, record: dict[str, Any]) -> None:
        key = get_str(record, "id")
        if not self.is_new(key):
            return
        at = time_of(record.get("timestamp")) or time_of(get(record, "message", "timestamp"))
        self.begin(at)
        self._branch(record, key, at)
        kind = get_str(record, "type")
        if kind == "session":
            self.add_cwd(record.get("cwd"))
            self.parent_session = get_str(record, "parentSession") or self.parent_session
        elif kind == "message":
            self._message(get_dict(record, "message"), key or f"{at}/{self.order}", at)
        elif kind == "model_change":
            self._switch_model(get_str(record, "modelId") or get_str(record, "model"), at)
        elif kind in ("compaction", "branch_summary"):
            self.add_event("compaction" if kind == "compaction" else "branched", at, get_str(record, "summary"))
        elif kind == "mode_change":
            self.add_event("mode_change", at, get_str(record, "mode"))
        elif kind == "session_init":  # a subagent: its task comes from the agent that started it
            self.parent_id = self.parent_session
        elif kind not in _IGNORED:
            self.unknown_record_type(kind)

    def _branch(self, record: dict[str, Any], key: str, at: float | None) -> None:
        """An entry whose parent is not the entry before it starts a branch."""
        parent = get_str(record, "parentId")
        if parent and self.last_id and parent not in (self.last_id, key) and parent in self.record_ids:
            self.add_event("branched", at, parent)
        self.last_id = key if record.get("type") != "session" else ""

    def _switch_model(self, model: str, at: float | None) -> None:
        self.model = self.switched("model_change", self.model, model, at)

    # --- messages -------------------------------------------------------------------------------------------------

    def _message(self, message: dict[str, Any], key: str, at: float | None) -> None:
        role, text = message.get("role"), text_of(message.get("content"))
        if role == "user":
            clean = without_reminders(text)
            kind = PromptKind.INJECTED if self.parent_id else classify(clean)
            self.add_turn(key, at, clean, kind.value)
        elif role == "assistant":
            self._assistant(message, key, at)
        elif role == "toolResult":
            result = Result(at, text, failed=message.get("isError") is True, details=message.get("details"))
            self.add_result(get_str(message, "toolCallId"), result)
        elif role == "bashExecution":
            self.add_event("user_shell", at, get_str(message, "command"))
        elif role in ("custom", "hookMessage"):
            self.add_event("injected", at, text[:80])

    def _assistant(self, message: dict[str, Any], key: str, at: float | None) -> None:
        self._switch_model(get_str(message, "model"), at)
        fresh, output, cached, written = (get_int(message, "usage", n) for n in ("input", "output", "cacheRead", "cacheWrite"))
        if fresh or output or cached or written:
            self.add_usage(Usage(key, at, 0, self.model, fresh, output, cached, written))
        stop = message.get("stopReason")
        if stop in ("aborted", "error"):
            self.add_event("interrupt" if stop == "aborted" else "api_error", at, get_str(message, "errorMessage"))
        for index, block in enumerate(get_list(message, "content")):
            if get(block, "type") == "toolCall":
                call_id, name = get_str(block, "id") or f"{key}/{index}", get_str(block, "name")
                arguments = get_dict(block, "arguments")
                self.add_call(Call(call_id, name, arguments, at, self.order, model=self.model, message_id=key))
            else:
                self.add_block((key, index), at, block)

    def completed(self, call: Call, result: Result | None) -> ToolCall:
        outcome, text = outcome_of(result), result.text if result else ""
        command = None
        if call.name in ("bash", "shell"):
            cwd = resolve(self.cwd, get_str(call.arguments, "cwd")) or normal_path(self.cwd)
            command = shell_command(get_str(call.arguments, "command"), cwd, text)
        return call.finished(
            result,
            outcome,
            edits=_edits(call, result, self.cwd),
            command=command,
            seen=_seen(call, result, self.cwd) if result and call.name == "read" and outcome[0] is Status.OK else None,
            spawn=_spawn(call, result) if call.name in ("task", "subagent") else None,
            commits=commits_in(command, text),
        )


def _edits(call: Call, result: Result | None, cwd: str) -> list[Edit]:
    if call.name not in ("edit", "write", "apply_patch", "hashline_edit"):
        return []
    patched = edits_from_patch(call.arguments, cwd)
    if patched:
        return patched
    path = resolve(cwd, path_argument(call.arguments))
    if get_str(call.arguments, "op") == "delete" and path:
        return [Edit(path, "delete")]
    hunks = display_hunks(get_str(result.details, "diff")) if result else ()
    new_path = resolve(cwd, get_str(call.arguments, "rename"))
    if new_path and path:
        return [Edit(path, "move", hunks=hunks, new_path=new_path)]
    return edits_from_arguments(call.arguments, cwd, hunks=hunks)


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


def _seen(call: Call, result: Result, cwd: str) -> FileObservation | None:
    path = resolve(cwd, path_argument(call.arguments))
    if not path or not result.text or _TAGGED.match(result.text):
        return None
    part = "offset" in get_dict(call.arguments) or "limit" in get_dict(call.arguments)
    text, cut = _MORE.subn("", result.text)
    return FileObservation(path, result.at or call.at, max(get_int(call.arguments, "offset"), 1), text, not part and not cut)


def _spawn(call: Call, result: Result | None) -> Spawn:
    agent_id = get_str(result.details, "sessionId") if result else ""
    return Spawn(agent_id=agent_id, kind=get_str(call.arguments, "agent"), visible=False)
