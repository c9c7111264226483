"""A command that ran when the user stopped it may have done a part; one that the user refused
did nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from support import jsonl

from collector.agents import claude_code, codex, gemini_cli, opencode
from collector.model import Session, Status

COMMAND = "printf 'apples,3\\n' > stock.csv; sleep 90; printf 'pears,5\\n' >> stock.csv"
WALL = "Wall time: 2.3 seconds\n"
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was"
)


def _claude_code(name: str = "Bash", **end: str) -> Session:
    """A call whose result says that it was refused; `end` is what the record of the interruption
    says besides.
    """
    call = {
        "type": "tool_use",
        "id": "c1",
        "name": name,
        "input": {"command": COMMAND, "file_path": "/w/a", "content": "a"},
    }
    result = {"type": "tool_result", "tool_use_id": "c1", "is_error": True, "content": REFUSED}
    told = {"type": "text", "text": "[Request interrupted by user for tool use]"}
    records = [
        {"type": "user", "uuid": "1", "sessionId": "s", "message": {"content": "Count"}},
        {"type": "assistant", "uuid": "2", "message": {"id": "m1", "content": [call]}},
        {
            "type": "user",
            "uuid": "3",
            "message": {"content": [result]},
            "toolUseResult": "User rejected tool use",
        },
        {"type": "user", "uuid": "4", "message": {"content": [told]}, **end},
    ]
    return claude_code.read("s", [jsonl(*records)])


def _codex(output: str) -> Session:
    call = {
        "type": "function_call",
        "name": "exec_command",
        "call_id": "c1",
        "arguments": json.dumps({"cmd": COMMAND}),
    }
    records = [
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/w"}},
        {"type": "response_item", "payload": call},
        {
            "type": "response_item",
            "payload": {"type": "function_call_output", "call_id": "c1", "output": output},
        },
    ]
    return codex.read("s", [jsonl(*records)])


def _opencode(exit_code: int | None, output: str) -> Session:
    state = {
        "status": "completed",
        "input": {"command": COMMAND},
        "output": output,
        "metadata": {"exit": exit_code},
    }
    part = {"id": "p1", "type": "tool", "tool": "bash", "callID": "c1", "state": state}
    message = {"info": {"id": "m1", "role": "assistant", "sessionID": "s"}, "parts": [part]}
    return opencode.read(
        "s", [json.dumps({"info": {"id": "s", "directory": "/w"}, "messages": [message]}).encode()]
    )


@pytest.mark.parametrize(
    "session",
    [
        _claude_code(interruptedMessageId="m1"),
        _claude_code("Write", interruptedMessageId="m1"),
        _codex(WALL + "aborted by user"),
        _opencode(
            None, "(no output)\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>"
        ),
    ],
    ids=["claude-code", "claude-code-write", "codex", "opencode"],
)
def test_nobody_knows_how_much_an_interrupted_call_did(session: Session) -> None:
    assert [call.status for call in session.calls] == [Status.UNKNOWN]


@pytest.mark.parametrize(
    ("session", "status"),
    [
        (_claude_code(), Status.REJECTED),
        (_claude_code(interruptedMessageId="m0"), Status.REJECTED),
        (_codex("exec_command failed: rejected by user"), Status.REJECTED),
        (_codex(WALL + "Process exited with code 0\nOutput:\naborted by user"), Status.OK),
        (_opencode(0, "User aborted the command"), Status.OK),
        (_opencode(1, "no such file"), Status.ERROR),
    ],
)
def test_a_call_that_was_refused_or_ended_is_told_from_it(session: Session, status: Status) -> None:
    assert [call.status for call in session.calls] == [status]


def _gemini_cli(*messages: Mapping[str, object]) -> Session:
    head = {
        "sessionId": "s",
        "projectHash": "p",
        "startTime": "2026-01-01T10:00:00Z",
        "kind": "main",
    }
    rows = [{"id": str(number), **message} for number, message in enumerate(messages)]
    return gemini_cli.read("s", [jsonl(head, *rows)])


ASKED = {
    "timestamp": "2026-01-01T10:00:01.000Z",
    "type": "user",
    "content": [{"text": "Count the pears"}],
}
STOPPED = {"timestamp": "2026-01-01T10:00:09.000Z", "type": "info", "content": "Request cancelled."}


def test_the_talk_that_gemini_writes_again_when_it_is_stopped_is_no_second_talk() -> None:
    session = _gemini_cli(ASKED, STOPPED, {**ASKED, "timestamp": STOPPED["timestamp"]})
    assert [turn.text for turn in session.turns] == ["Count the pears"]


def test_a_prompt_that_is_asked_again_later_is_a_turn() -> None:
    session = _gemini_cli(ASKED, STOPPED, {**ASKED, "timestamp": "2026-01-01T10:00:10.000Z"})
    assert [turn.text for turn in session.turns] == ["Count the pears", "Count the pears"]
