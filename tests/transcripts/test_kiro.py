"""Kiro as its checkpoints hold it: ids are empty there, and a copy may hold only what came since
the one before.
"""

from __future__ import annotations

import json

from collector.agents import kiro
from collector.json_values import JsonObject


def _entry(prompt: str, path: str) -> JsonObject:
    use = {"id": "", "name": "fs_write", "args": {"path": path}}
    answer = {"ToolUse": {"message_id": "", "tool_uses": [use]}}
    return {"user": {"content": {"Prompt": {"prompt": prompt}}}, "assistant": answer}


def _copy(*entries: JsonObject) -> bytes:
    return json.dumps({"conversation_id": "", "history": list(entries)}).encode()


def test_copies_that_follow_each_other_are_all_read() -> None:
    first = _entry("one", "/w/a.md")
    second = _entry("two", "/w/b.md")
    session = kiro.read("s", [_copy(first), _copy(second)])
    assert sorted(edit.path for call in session.calls for edit in call.edits) == [
        "/w/a.md",
        "/w/b.md",
    ]
    assert sorted(turn.text for turn in session.turns) == ["one", "two"]


def test_copies_that_hold_each_other_are_read_once() -> None:
    first = _entry("one", "/w/a.md")
    second = _entry("two", "/w/b.md")
    session = kiro.read("s", [_copy(first), _copy(first, second)])
    assert [turn.text for turn in session.turns] == ["one", "two"]
    assert len(session.calls) == 2
