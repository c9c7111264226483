"""Cursor: JSONL of `{role, message: {content}}`. No ids, no results, no times but the one put before some prompts.

A line is known by its place and its text. Whether a call succeeded is not recorded: its status is unknown.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any

from collector.model import Command, Edit, Problem, Session, Spawn, ToolCall
from collector.transcripts.apply_patch import argument, deletion, edit_from_arguments, edits_from_patch_arguments
from collector.transcripts.jsonl import Events, as_json, copies, get, get_dict, get_str, resolve, text_of, values
from collector.transcripts.prompts import classify, without_reminders

NAME = "cursor"
LABEL = "Cursor"
GIVES = frozenset(["text", "commands", "directory"])
ORDER = 60

_WRITERS = frozenset({"Write", "StrReplace", "MultiStrReplace", "Edit", "MultiEdit", "edit_file", "write", "search_replace"})
_STAMP = re.compile(r"\A\s*<timestamp>[^<]*</timestamp>\s*")
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.S)
_SAME_SHARE = 0.5


def sniff(head: object) -> bool:
    return isinstance(head, dict) and isinstance(head.get("role"), str) and "message" in head and "type" not in head


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(Events(NAME, session_id))
    for blob in copies(blobs):
        reader.copy(blob)
    return reader.events.session()


class _Reader:
    def __init__(self, events: Events) -> None:
        self.events = events
        self.seen: set[tuple[int, bytes]] = set()
        self.longest = 0

    def copy(self, blob: bytes) -> None:
        """Lines not seen yet. A copy that shares most of its lines is the same text, redacted elsewhere: only its end is new."""
        lines = [(number, hashlib.sha256(line).digest(), line) for number, line in enumerate(blob.split(b"\n")) if line.strip()]
        known = sum(1 for number, digest, _ in lines if (number, digest) in self.seen)
        start = self.longest if lines and known / len(lines) >= _SAME_SHARE else 0
        bad = 0
        for number, digest, line in lines:
            if number >= start and (number, digest) not in self.seen:
                bad += not self._line(f"{number}:{digest.hex()[:12]}", line)
        self.seen.update((number, digest) for number, digest, _ in lines)
        self.longest = max(self.longest, lines[-1][0] + 1 if lines else 0)
        if bad:
            self.events.problems.append(Problem("transcripts", self.events.session_id, "unreadable_lines", str(bad)))

    def _line(self, key: str, line: bytes) -> bool:
        try:
            found = list(values(line))
        except (ValueError, RecursionError):
            return False
        for index, record in enumerate(found):
            if isinstance(record, dict):
                self._take(record, f"{key}.{index}" if index else key)
        return all(isinstance(record, dict) for record in found)

    def _take(self, record: dict[str, Any], key: str) -> None:
        self.events.next(None)
        content = get(record, "message", "content")
        if record.get("role") == "user":
            self._user(text_of(content), key)
            return
        if isinstance(content, str):
            self.events.say(key, None, "text", content)
        for index, block in enumerate(content if isinstance(content, list) else []):
            kind = get(block, "type")
            if kind == "text":
                self.events.say((key, index), None, "text", get_str(block, "text"))
            elif kind == "tool_use":
                self._call(block, f"{key}/{index}")

    def _user(self, text: str, key: str) -> None:
        typed = without_reminders(_STAMP.sub("", text))
        query = _QUERY.search(typed)
        clean = query[1] if query else typed
        self.events.turn(key, None, clean, classify(clean).value)

    def _call(self, block: dict[str, Any], key: str) -> None:
        name, arguments = get_str(block, "name"), get_dict(block, "input")
        cwd = self.events.seen_in(self.events.cwds, argument(arguments, ("working_directory", "cwd")))
        call = ToolCall(
            call_id=get_str(block, "id") or key,
            name=name,
            turn=0,
            at=None,
            input=as_json(block.get("input")),
            edits=tuple(_edits(name, block.get("input"))),
            command=Command(get_str(arguments, "command"), resolve("", cwd)) if name in ("Shell", "run_terminal_cmd") else None,
            spawn=Spawn(kind=get_str(arguments, "subagent_type"), visible=False) if name == "Task" else None,
        )
        self.events.call(call)


def _edits(name: str, arguments: object) -> list[Edit]:
    if name in ("ApplyPatch", "apply_patch"):
        return edits_from_patch_arguments(arguments)
    if name in ("Delete", "delete_file"):
        return deletion(arguments)
    edit = edit_from_arguments(arguments) if name in _WRITERS and isinstance(arguments, dict) else None
    return [edit] if edit else []
