"""A command that Codex leaves running goes on until an event says that it has ended."""

import json

import pytest
from support import jsonl

from collector.agents import codex
from collector.json_values import JsonObject, Row
from collector.model import ToolCall

ID = "89fd76e1-3371-41a0-9ae3-12e5b8f999e8"
RUNNING = (
    "Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\nbuilding"
)
ENDED = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess exited with code 0\nOutput:\nbuilt"


def _at(minute: int) -> str:
    return f"2026-03-04T09:{minute:02}:00.000Z"


def _call(output: str, ended: dict[int, str]) -> ToolCall:
    """The one call; `ended`: minute -> id of a call whose end an event tells then. The output
    came in the second minute.
    """
    arguments = json.dumps({"cmd": "python tools/build.py"})
    payloads: list[tuple[int, str, JsonObject]] = [
        (
            1,
            "response_item",
            {
                "type": "function_call",
                "name": "exec_command",
                "arguments": arguments,
                "call_id": "call_1",
            },
        ),
        (
            2,
            "response_item",
            {"type": "function_call_output", "call_id": "call_1", "output": output},
        ),
    ]
    payloads += [
        (
            minute,
            "event_msg",
            {
                "type": "exec_command_end",
                "call_id": call,
                "exit_code": 0,
                "aggregated_output": "built",
            },
        )
        for minute, call in ended.items()
    ]
    rows: list[Row] = [
        {
            "timestamp": _at(0),
            "type": "session_meta",
            "payload": {"id": ID, "cwd": "/home/ana/shop"},
        }
    ]
    rows += [
        {"timestamp": _at(minute), "type": kind, "payload": payload}
        for minute, kind, payload in payloads
    ]
    calls = codex.read(ID, [jsonl(*rows)]).calls
    return next(call for call in calls if call.call_id == "call_1")


@pytest.mark.parametrize(
    ("output", "ended", "background", "minutes"),
    [
        (RUNNING, {9: "call_1"}, False, 9),
        (RUNNING, {}, True, 2),
        (RUNNING + "\nProcess exited with code 0\n", {}, True, 2),
        (RUNNING, {9: "call_2"}, True, 2),
        (ENDED, {}, False, 2),
    ],
    ids=["ended later", "no event", "what it printed", "of another call", "ended at once"],
)
def test_a_command_runs_until_its_end_is_told(
    output: str, ended: dict[int, str], background: bool, minutes: int
) -> None:
    call = _call(output, ended)
    assert call.command is not None and call.at is not None and call.done_at is not None
    assert (call.command.background, round((call.done_at - call.at) / 60) + 1) == (
        background,
        minutes,
    )
