"""Cursor: JSONL of `{role, message: {content}}`. No ids, no results, no times but the one put before some prompts.

A line is known by its place and its text. Whether a call succeeded is not recorded: its status is unknown.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any

from collector.json_values import get, get_str
from collector.model import Edit, Session
from collector.transcripts.common.arguments import argument, deletions, edits_from_arguments, edits_from_patch
from collector.transcripts.common.calls import Call, Result
from collector.transcripts.common.jsonl import copies, values
from collector.transcripts.common.messages import blocks_of, text_of
from collector.transcripts.common.prompts import classify, without_reminders
from collector.transcripts.common.reader import RecordReader

NAME = "cursor"
GIVES = frozenset({"text", "commands", "directory"})
ORDER = 60

_WRITERS = frozenset({"Write", "StrReplace", "MultiStrReplace", "Edit", "MultiEdit", "edit_file", "write", "search_replace"})
_STAMP = re.compile(r"\A\s*<timestamp>[^<]*</timestamp>\s*")
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.S)
_SAME_SHARE = 0.5


def sniff(head: object) -> bool:
    return isinstance(head, dict) and isinstance(head.get("role"), str) and "message" in head and "type" not in head


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(NAME, session_id)
    for blob in copies(blobs):
        reader.copy(blob)
    return reader.session()


class _Reader(RecordReader):
    shells = frozenset({"Shell", "run_terminal_cmd"})
    spawns = frozenset({"Task"})

    def __init__(self, agent: str, session_id: str) -> None:
        super().__init__(agent, session_id)
        self.seen: set[tuple[int, bytes]] = set()  # number and digest of the lines of all copies
        self.longest = 0  # lines
        self.key = ""  # of the record that is being read

    def copy(self, blob: bytes) -> None:
        """Lines not seen yet. A copy that shares most of its lines is the same text, redacted elsewhere: only its end is new."""
        lines = [(number, hashlib.sha256(line).digest(), line) for number, line in enumerate(blob.split(b"\n")) if line.strip()]
        shared = sum(1 for number, digest, _ in lines if (number, digest) in self.seen)
        start = self.longest if lines and shared / len(lines) >= _SAME_SHARE else 0
        bad = 0
        for number, digest, line in lines:
            if number >= start and (number, digest) not in self.seen:
                bad += not self._line(f"{number}:{digest.hex()[:12]}", line)
        self.seen.update((number, digest) for number, digest, _ in lines)
        self.longest = max(self.longest, lines[-1][0] + 1 if lines else 0)
        if bad:
            self.problem("unreadable_lines", str(bad))

    def _line(self, key: str, line: bytes) -> bool:
        """Whether the line could be read."""
        try:
            found = list(values(line))
        except (ValueError, RecursionError):
            return False
        for index, record in enumerate(found):
            if isinstance(record, dict):
                self.key = f"{key}.{index}" if index else key
                self.take(record)
        return all(isinstance(record, dict) for record in found)

    def take(self, record: dict[str, Any]) -> None:
        self.begin(None)
        content = get(record, "message", "content")
        if record.get("role") == "user":
            self._user(text_of(content))
            return
        for index, block in enumerate(blocks_of(content)):
            kind = get(block, "type")
            if kind == "text":
                self.add_message((self.key, index), None, "text", get_str(block, "text"))
            elif kind == "tool_use":
                self._call(block, f"{self.key}/{index}")

    def _user(self, text: str) -> None:
        typed = without_reminders(_STAMP.sub("", text))
        query = _QUERY.search(typed)
        clean = query[1] if query else typed
        self.add_turn(self.key, None, clean, classify(clean).value)

    def _call(self, block: dict[str, Any], key: str) -> None:
        arguments = block.get("input")
        cwd = self.add_cwd(argument(arguments, "working_directory", "cwd"))
        self.add_call(Call(get_str(block, "id") or key, get_str(block, "name"), arguments, None, self.order, cwd=cwd))

    def edits(self, call: Call, result: Result) -> list[Edit]:
        if call.name in ("ApplyPatch", "apply_patch"):
            return edits_from_patch(call.arguments)
        if call.name in ("Delete", "delete_file"):
            return deletions(call.arguments)
        return edits_from_arguments(call.arguments) if call.name in _WRITERS else []
