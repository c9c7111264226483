"""What an agent's maker wrote is cut out of transcripts; calls, results and what was said stay
word for word.
"""

from __future__ import annotations

import json

import pytest
from lab.samples import Cutter

# none is long enough to be known by
SHORT_LINES = "".join(f"{number},pear,{number * 3}\n" for number in range(60))
PROMPT = "You are an agent. " * 40
SCRIPT = ["Add the table of pears to the shop"]


@pytest.mark.parametrize(
    "record",
    [
        {
            "message": {
                "content": [
                    {"type": "tool_use", "input": {"content": SHORT_LINES}},
                    {"type": "tool_result", "content": SHORT_LINES},
                ],
            },
            "toolUseResult": {"originalFile": SHORT_LINES},
        },
        {"payload": {"type": "function_call", "arguments": json.dumps({"cmd": SHORT_LINES})}},
        {"payload": {"type": "function_call_output", "output": SHORT_LINES}},
        {
            "payload": {
                "item": {"changes": {"a.csv": {"unified_diff": SHORT_LINES}}},
            }
        },
        {"message": {"role": "toolResult", "details": {"diff": SHORT_LINES}}},
        {
            "toolCalls": [
                {"args": {"content": SHORT_LINES}, "resultDisplay": {"fileDiff": SHORT_LINES}}
            ],
        },
        {"type": "tool.execution_complete", "data": {"result": {"content": SHORT_LINES}}},
        {"data": {"toolRequests": [{"arguments": {"file_text": SHORT_LINES}}]}},
        {"role": "user", "content": SCRIPT[0] + ", please. " * 30},
    ],
)
def test_calls_results_and_what_was_said_stay(record: dict[str, object]) -> None:
    assert Cutter(SCRIPT, 150).value(record) == record


@pytest.mark.parametrize(
    "record",
    [
        {"payload": {"content": [{"text": PROMPT}]}},
        {"attachment": {"systemPrompt": [PROMPT]}},
        {"message": {"sections": {"tools": PROMPT}}},
        {"toolsAdded": [{"description": PROMPT}]},
        {
            "type": "tool_result",
            "output": f"<functions>{PROMPT}</functions><system-reminder>{PROMPT}</system-reminder>",
        },
    ],
)
def test_what_the_maker_wrote_goes(record: dict[str, object]) -> None:
    assert PROMPT.strip() not in json.dumps(Cutter(SCRIPT, 150).value(record))
