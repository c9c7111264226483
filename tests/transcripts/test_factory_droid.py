"""Factory AI Droid: models, workers, and results that say where an edit was made."""

from __future__ import annotations

import json
from typing import Any

from support import ROOT, jsonl

from collector.agents import factory_droid
from collector.json_values import JsonObject
from collector.model import Session

_SAMPLE = ROOT / "tests" / "data" / "transcripts" / "factory-droid" / "sample.jsonl"


def _read(*records: JsonObject) -> Session:
    return factory_droid.read("s", [jsonl(*records)])


def _message(number: int, role: str, content: Any, **more: Any) -> JsonObject:
    message = {"role": role, "content": content, **more}
    return {
        "type": "message",
        "id": f"m{number}",
        "timestamp": f"2026-09-03T11:55:0{number}Z",
        "message": message,
    }


def test_each_call_has_the_model_of_its_message() -> None:
    session = factory_droid.read("s", [_SAMPLE.read_bytes()])
    assert [call.model for call in session.calls] == [
        *["gpt-5.6-luna"] * 6,
        *["claude-opus-4-6"] * 3,
    ]
    assert [mark.detail for mark in session.marks if mark.kind == "model_change"] == [
        "claude-opus-4-6"
    ]
    # of the whole session
    assert [(usage.model, usage.at) for usage in session.usage] == [
        ("claude-opus-4-6", session.ended_at)
    ]


def test_what_starts_a_worker_was_not_typed() -> None:
    start = {
        "type": "session_start",
        "id": "child",
        "callingSessionId": "caller",
        "version": 2,
        "cwd": "/w",
    }
    session = _read(
        start,
        _message(1, "user", [{"type": "text", "text": "Add the count."}]),
        _message(2, "assistant", "Done."),
    )
    assert session.parent_id == "caller"
    assert [(turn.origin, turn.text) for turn in session.turns] == [("injected", "Add the count.")]
    assert [said.turn for said in session.messages] == [1]


def _patched(patch: str, result: str) -> list[tuple[int, ...]]:
    use = {"type": "tool_use", "id": "c", "name": "ApplyPatch", "input": {"input": patch}}
    answer = {"type": "tool_result", "tool_use_id": "c", "is_error": False, "content": result}
    (call,) = _read(_message(1, "assistant", [use]), _message(2, "user", [answer])).calls
    return [tuple(hunk.old_start for hunk in edit.hunks) for edit in call.edits]


def test_a_result_places_the_edits_of_a_patch() -> None:
    section = "*** Update File: /w/{}\n@@\n-a\n+b\n"
    diff = "--- previous\t\n+++ current\t\n@@ -4,1 +4,1 @@\n-a\n+b\n"
    result = json.dumps(
        {
            "success": True,
            "files": [{"file_path": "/w/one", "display_operation": "update", "diff": diff}],
        }
    )
    both = f"*** Begin Patch\n{section.format('one')}{section.format('two')}*** End Patch"
    assert _patched(both, result) == [(4,), (0,)]
    twice = f"*** Begin Patch\n{section.format('one')}{section.format('one')}*** End Patch"
    assert _patched(twice, result) == [(0,), (0,)]  # which of them the diff shows is not told
    for text in (
        "Updated 2 files",
        "{",
        '{"files": 3}',
        '{"files": [{"file_path": 1, "diff": "@@"}]}',
    ):
        assert _patched(both, text) == [(0,), (0,)]
