"""gptme's conversations: what was asked for and not done, results of several calls, and texts
made to be slow.
"""

from __future__ import annotations

import time
from typing import Any

import pytest
from support import jsonl

from collector.agents.gptme import read, sniff
from collector.json_values import JsonObject
from collector.model import Session, Status

WROTE = "```save /w/a.py\nx = 1\n```"


def _said(role: str, content: str, second: int, **more: Any) -> JsonObject:
    return {
        "role": role,
        "content": content,
        "timestamp": f"2026-07-15T10:00:{second:02}.000001",
        **more,
    }


def _read(*records: JsonObject) -> Session:
    return read("one", [jsonl(*records)])


@pytest.mark.parametrize(
    ("answer", "status"),
    {
        "Saved to `a.py`": Status.OK,
        "Save aborted: user refused to create a missing folder.": Status.REJECTED,
        "No content provided": Status.ERROR,
        "Interrupted by user": Status.ERROR,
    }.items(),
)
def test_what_was_refused_was_not_done(answer: str, status: Status) -> None:
    (call,) = _read(_said("assistant", WROTE, 1), _said("system", answer, 2)).calls
    assert call.status is status


def test_a_result_goes_to_the_call_that_it_names() -> None:
    calls = (
        '@save(c1): {"path": "/w/a.py", "content": "x"}\n@save(c2): {"path": "/w/b.py", "content":'
        ' "y"}'
    )
    results = _said("system", "Error: no", 2, call_id="c2"), _said("system", "Saved", 3)
    assert [c.status for c in _read(_said("assistant", calls, 1), *results).calls] == [
        Status.OK,
        Status.ERROR,
    ]


def test_what_a_tool_printed_sets_no_clock() -> None:
    shown = _said("system", "**Local date:** y UTC+09:00", 2)
    first, second = _read(
        _said("assistant", WROTE, 1), shown, _said("assistant", WROTE.replace("a.py", "b.py"), 3)
    ).calls
    assert first.at is not None and second.at is not None
    assert second.at - first.at == pytest.approx(2)


@pytest.mark.parametrize(
    "text", ["**Local date:** " * 40_000, "```stdout\nx" * 60_000, "```" * 200_000]
)
def test_texts_made_to_be_slow_are_not(text: str) -> None:
    began = time.process_time()
    _read(
        _said("system", text, 0, hide=True),
        _said("assistant", WROTE, 1),
        _said("system", text, 2),
        _said("assistant", text, 3),
    )
    assert time.process_time() - began < 5


def test_the_conversation_of_another_program_is_not_gptmes() -> None:
    assert sniff(_said("system", "You are helpful", 0, hide=True))
    assert not sniff(_said("assistant", "hello", 0, tool="other"))
