"""Results of Cline's calls, in one message or in one for each."""

from __future__ import annotations

import json

import pytest

from collector.agents.cline import read
from collector.json_values import JsonObject
from collector.model import Status


def calls_of(*results: list[JsonObject]) -> list[tuple[str, Status]]:
    uses = [
        {
            "type": "tool_use",
            "id": key,
            "name": "editor",
            "input": {"path": f"/r/{key}.py", "new_text": "x\n"},
        }
        for key in "ab"
    ]
    api: list[JsonObject] = [
        {"role": "user", "content": [{"type": "text", "text": "Write"}]},
        {"role": "assistant", "content": uses},
    ]
    api += [{"role": "user", "content": content} for content in results]
    api += [{"role": "assistant", "content": [{"type": "text", "text": "Done."}]}]
    document = {"task": {"agent": "cline", "cwd": "/r", "as_typed": True}, "api": api, "ui": []}
    return [
        (call.call_id, call.status) for call in read("s", [json.dumps(document).encode()]).calls
    ]


def result(key: str) -> JsonObject:
    text = json.dumps(
        {"query": f"edit:/r/{key}.py", "result": "File created successfully", "success": True}
    )
    return {"type": "tool_result", "tool_use_id": key, "content": text}


@pytest.mark.parametrize("together", [True, False])
def test_parallel_calls_have_their_results_in_one_message_or_in_several(together: bool) -> None:
    messages = [[result("a"), result("b")]] if together else [[result("a")], [result("b")]]
    assert calls_of(*messages) == [("a", Status.OK), ("b", Status.OK)]


def test_a_result_behind_the_next_answer_is_of_no_call_before_it() -> None:
    assert calls_of([result("a")])[1] == ("b", Status.UNKNOWN)
