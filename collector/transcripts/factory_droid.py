"""Factory AI Droid: JSONL envelopes `{type: "message", id, message: {role, content}}` around Anthropic content blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from collector.json_values import first_of, get, get_dict, get_str, time_of
from collector.model import Command, Edit, FileObservation, Session, Spawn
from collector.text import resolve
from collector.transcripts import FACETS
from collector.transcripts.common.arguments import deletions, edits_from_arguments, edits_from_patch, path_argument
from collector.transcripts.common.calls import Call, Result, shell_command
from collector.transcripts.common.jsonl import copies
from collector.transcripts.common.messages import anthropic_usage, blocks_of, text_of
from collector.transcripts.common.prompts import classify, without_reminders
from collector.transcripts.common.reader import RecordReader

NAME = "factory-droid"
GIVES = frozenset(FACETS) - {"before", "positions", "subagents"}
ORDER = 70

_WRITERS = frozenset({"Create", "Write", "Edit", "MultiEdit", "NotebookEdit"})
_AGENT = re.compile(r"agentId: ([0-9A-Za-z_-]{1,64})")


def sniff(head: object) -> bool:
    if not isinstance(head, dict) or "uuid" in head:
        return False
    wrapped = head.get("type") == "message" and isinstance(head.get("message"), dict)
    return head.get("type") == "session_start" or wrapped


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(NAME, session_id).read_lines(copies(blobs))


class _Reader(RecordReader):
    shells = frozenset({"Execute", "Bash", "Shell"})
    reads = frozenset({"Read"})
    spawns = frozenset({"Task"})
    rejections = ("user rejected", "user cancelled", "doesn't want to proceed", "rejected by user")

    def take(self, record: dict[str, Any]) -> None:
        key = get_str(record, "id")
        if not self.is_new(key):
            return
        at = time_of(record.get("timestamp"))
        self.begin(at)
        kind = get_str(record, "type")
        if kind == "session_start":
            self.add_cwd(record.get("cwd"))
            self.add_version(record.get("version"))
        elif kind == "message":
            self._message(get_dict(record, "message"), key or f"{at}/{self.order}", at)
        elif kind in ("compaction_state", "compaction"):
            self.add_event("compaction", at)
        elif kind not in ("session_event", "session_end", "todo_state"):
            self.unknown_record_type(kind)

    def _message(self, message: dict[str, Any], key: str, at: float | None) -> None:
        blocks = blocks_of(message.get("content"))
        if message.get("role") == "assistant":
            self._assistant(message, blocks, key, at)
            return
        for block in blocks:
            if get(block, "type") == "tool_result":
                failed = get(block, "is_error") is True
                self.add_result(get_str(block, "tool_use_id"), Result(at, text_of(get(block, "content")), failed))
        text = without_reminders("\n".join(get_str(b, "text") for b in blocks if get(b, "type") == "text"))
        self.add_user_text(key, at, text, classify(text))

    def _assistant(self, message: dict[str, Any], blocks: list[Any], key: str, at: float | None) -> None:
        model, usage = get_str(message, "model"), get_dict(message, "usage")
        if usage:
            self.add_usage(anthropic_usage(usage, get_str(message, "id") or key, at, model))
        for index, block in enumerate(blocks):
            if get(block, "type") == "tool_use":
                call_id, name = get_str(block, "id") or f"{key}/{index}", get_str(block, "name")
                self.add_call(Call(call_id, name, block.get("input"), at, self.order, model=model, message_id=key))
            else:
                self.add_block((key, index), at, block)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        if call.name in ("ApplyPatch", "apply_patch"):
            return edits_from_patch(call.arguments, self.cwd)
        if call.name == "Delete":
            return deletions(call.arguments, self.cwd)
        return edits_from_arguments(call.arguments, self.cwd) if call.name in _WRITERS else []

    def command(self, call: Call, result: Result) -> Command:
        return shell_command(get_str(call.arguments, "command"), self.cwd, result.text)

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        path = resolve(self.cwd, path_argument(call.arguments))
        part = first_of(call.arguments, "offset", "limit") is not None
        if not path or part or not result.text:  # how a part is shown is not known
            return None
        return FileObservation(path, result.at or call.at, 1, result.text, whole=True)

    def spawn(self, call: Call, result: Result) -> Spawn:
        agent = _AGENT.search(result.text)
        return Spawn(agent[1] if agent else "", get_str(call.arguments, "subagent_type"), visible=False)
