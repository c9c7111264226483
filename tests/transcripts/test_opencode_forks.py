"""OpenCode: what a fork repeats is counted once, switches of the model, and the cost that it records."""

from __future__ import annotations

import json
from typing import Any

from collector.agents import opencode
from collector.model import Session

_CREATED = 1_790_000_000_000  # milliseconds


def _info(role: str, at: int, **more: Any) -> dict[str, Any]:
    return {"id": f"msg_{at}", "role": role, "sessionID": "ses_1", "time": {"created": _CREATED + at}, **more}


def _prompt(at: int, text: str, model: str = "m1") -> dict[str, Any]:
    info = _info("user", at, model={"providerID": "p", "modelID": model})
    return {"info": info, "parts": [{"id": f"p{at}", "type": "text", "text": text}]}


def _answer(at: int, path: str, model: str = "m1", cost: Any = 0) -> dict[str, Any]:
    time = {"start": _CREATED + at, "end": _CREATED + at + 5}
    state = {"status": "completed", "input": {"filePath": path, "content": "x\n"}, "output": "", "time": time}
    part = {"id": f"t{at}", "type": "tool", "callID": f"call_{at}", "tool": "write", "state": state}
    info = _info("assistant", at, modelID=model, providerID="p", cost=cost, tokens={"input": 9, "output": 1}, path={"cwd": "/w"})
    return {"info": info, "parts": [part]}


def _read(*messages: dict[str, Any]) -> Session:
    info = {"id": "ses_1", "directory": "/w", "title": "Count (fork #1)", "time": {"created": _CREATED, "updated": _CREATED}}
    return opencode.read("ses_1", [json.dumps({"info": info, "messages": list(messages)}).encode()])


def test_a_fork_begins_where_it_was_made() -> None:
    session = _read(_prompt(-90_000, "first"), _answer(-80_000, "/w/a"), _prompt(5_000, "second"), _answer(6_000, "/w/b"))
    assert [turn.text for turn in session.turns] == ["second"]
    assert [edit.path for call in session.calls for edit in call.edits] == ["/w/b"]
    assert [mark.kind for mark in session.marks] == ["forked"]
    assert len(session.usage) == 1 and session.started_at == _CREATED / 1000


def test_a_first_message_at_the_moment_of_the_session_is_its_own() -> None:
    session = _read(_prompt(-300, "first"), _answer(10, "/w/a"))
    assert ([turn.text for turn in session.turns], session.marks) == (["first"], ())


def test_a_prompt_names_the_model_it_was_sent_to() -> None:
    session = _read(_prompt(1, "one"), _answer(2, "/w/a"), _prompt(3, "two", "m2"), _answer(4, "/w/b", "m2"))
    assert [(mark.kind, mark.detail, mark.turn) for mark in session.marks] == [("model_change", "m2", 2)]
    assert [call.model for call in session.calls] == ["m1", "m2"]


def test_the_cost_of_a_response_is_kept() -> None:
    answers = [_answer(n, f"/w/{n}", cost=cost) for n, cost in enumerate((0.25, 0, "much", 1e300, True))]
    assert [usage.cost for usage in _read(_prompt(-1, "go"), *answers).usage] == [0.25, None, None, None, None]
