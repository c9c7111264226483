"""OpenCode: what a fork repeats is counted once, switches of the model, and the cost that it
records.
"""

from __future__ import annotations

import json
from typing import Any

from collector.agents import opencode
from collector.json_values import JsonObject
from collector.model import Session
from collector.session_graph import copied_events, event_keys, without_copied

_CREATED = 1_790_000_000_000  # milliseconds


def _info(role: str, at: int, **more: Any) -> JsonObject:
    return {
        "id": f"msg_{at}",
        "role": role,
        "sessionID": "ses_1",
        "time": {"created": _CREATED + at},
        **more,
    }


def _prompt(at: int, text: str, model: str = "m1") -> JsonObject:
    info = _info("user", at, model={"providerID": "p", "modelID": model})
    return {"info": info, "parts": [{"id": f"p{at}", "type": "text", "text": text}]}


def _answer(at: int, path: str, model: str = "m1", cost: Any = 0) -> JsonObject:
    time = {"start": _CREATED + at, "end": _CREATED + at + 5}
    state = {
        "status": "completed",
        "input": {"filePath": path, "content": "x\n"},
        "output": "",
        "time": time,
    }
    part = {"id": f"t{at}", "type": "tool", "callID": f"call_{at}", "tool": "write", "state": state}
    info = _info(
        "assistant",
        at,
        modelID=model,
        providerID="p",
        cost=cost,
        tokens={"input": 9, "output": 1},
        path={"cwd": "/w"},
    )
    return {"info": info, "parts": [part]}


def _read(*messages: JsonObject, name: str = "ses_1") -> Session:
    info = {
        "id": name,
        "directory": "/w",
        "title": "Count (fork #1)",
        "time": {"created": _CREATED, "updated": _CREATED},
    }
    return opencode.read(name, [json.dumps({"info": info, "messages": list(messages)}).encode()])


def test_a_fork_begins_where_it_was_made_and_a_fork_of_a_session_that_is_not_stored_has_all() -> (
    None
):
    copied = [_prompt(-90_000, "first"), _answer(-80_000, "/w/a")]
    renamed = [
        message | {"info": message["info"] | {"id": f"msg_new{n}"}}
        for n, message in enumerate(copied)
    ]
    origin = _read(*copied)
    fork = _read(*renamed, _prompt(5_000, "second"), _answer(6_000, "/w/b"), name="ses_2")
    assert len(fork.turns) == len(fork.calls) == 2
    keys = copied_events({session.id: event_keys(session) for session in (origin, fork)})
    fork = without_copied(fork, keys["ses_2"])
    assert [turn.text for turn in fork.turns] == ["second"]
    assert [edit.path for call in fork.calls for edit in call.edits] == ["/w/b"]
    assert (len(fork.usage), fork.fork and fork.fork.session) == (1, "ses_1")


def test_a_prompt_names_the_model_it_was_sent_to() -> None:
    session = _read(
        _prompt(1, "one"), _answer(2, "/w/a"), _prompt(3, "two", "m2"), _answer(4, "/w/b", "m2")
    )
    assert [(mark.kind, mark.detail, mark.turn) for mark in session.marks] == [
        ("model_change", "m2", 2)
    ]
    assert [call.model for call in session.calls] == ["m1", "m2"]


def test_the_cost_of_a_response_is_kept() -> None:
    answers = [
        _answer(n, f"/w/{n}", cost=cost) for n, cost in enumerate((0.25, 0, "much", 1e300, True))
    ]
    assert [usage.cost for usage in _read(_prompt(-1, "go"), *answers).usage] == [
        0.25,
        None,
        None,
        None,
        None,
    ]


def test_what_the_document_of_every_copy_repeats_is_known_once() -> None:
    messages = [
        message
        for n in range(6)
        for message in (_prompt(10_000 * n, "more"), _answer(10_000 * n + 5_000, f"/w/{n}"))
    ]
    info = {"id": "ses_1", "directory": "/w", "time": {"created": _CREATED, "updated": _CREATED}}
    copies = [
        json.dumps({"info": info, "messages": messages[: 2 * n]}).encode() for n in range(1, 7)
    ]
    every = opencode.read("ses_1", copies)
    last = opencode.read("ses_1", copies[-1:])
    assert (every.turns, every.calls, every.notices) == (last.turns, last.calls, last.notices)
    assert len(every.turns) == len(every.calls) == 6
