"""OpenCode's `/export`: calls and answers of a session that was written as Markdown."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from collector.agents import opencode, reader_for
from collector.json_values import JsonObject
from collector.model import Session
from collector.vocabulary.sessions import CallStatus


def _write_head(created: str) -> str:
    return (
        f"# Add a cart\n\n**Session ID:** ses_1f46\n**Created:** {created}\n**Updated:** x\n\n---\n"
    )


def _write_message(speaker: str, text: str) -> str:
    return f"\n## {speaker}\n\n{text}\n\n---\n"


def _write_call(tool: str, arguments: JsonObject, answer: str, kind: str = "Output") -> str:
    written = json.dumps(arguments, indent=2)
    text = f"**Tool: {tool}**\n\n**Input:**\n```json\n{written}\n```\n\n"
    return text + f"**{kind}:**\n```\n{answer}\n```"


def _read_text(text: str) -> Session:
    reader = reader_for(text.encode())
    assert reader is opencode
    return opencode.read("ses_1f46", [text.encode()])


def test_calls_have_their_input_and_answer() -> None:
    answer = "Assistant (Build · MiniMax M2.5 Free · 3.3s)"
    write = _write_call("write", {"filePath": "/a/b.py", "content": "x = 1\n```\n"}, "Wrote it.")
    failed = _write_call("edit", {"filePath": "/a/b.py", "oldString": "y"}, "not found", "Error")
    shell = _write_call("bash", {"command": "ls"}, "b.py\n\n```\n---\n## User")
    session = _read_text(
        _write_head("5/9/2026, 9:08:30 AM")
        + _write_message("User", "Add it")
        + _write_message(answer, f"_Thinking:_\n\nNow.\n\n{write}\n\n{failed}")
        + _write_message(answer, shell)
    )
    assert [turn.text for turn in session.turns] == ["Add it"]
    assert [call.name for call in session.calls] == ["write", "edit", "bash"]
    written, refused, listed = session.calls
    assert written.edits[0].content == "x = 1\n```\n"
    assert (written.model, written.status) == ("MiniMax M2.5 Free", CallStatus.OK)
    assert refused.status == CallStatus.ERROR
    assert listed.command is not None
    assert listed.command.output == "b.py\n\n```\n---\n## User"


@pytest.mark.parametrize(
    ("created", "moment"),
    {
        "5/9/2026, 9:08:30 PM": datetime(2026, 5, 9, 21, 8, 30),
        "1/29/2026, 12:23:37 AM": datetime(2026, 1, 29, 0, 23, 37),
        "31/07/2026, 20:37:39": datetime(2026, 7, 31, 20, 37, 39),
        "04.05.2026, 17:46:01": datetime(2026, 5, 4, 17, 46, 1),
        "2026/8/2 14:58:50": datetime(2026, 8, 2, 14, 58, 50),
    }.items(),
)
def test_a_session_began_by_the_clock_of_its_author(created: str, moment: datetime) -> None:
    call = _write_call("write", {"filePath": "/a/b.py", "content": ""}, "Wrote it.")
    session = _read_text(
        _write_head(created) + _write_message("Assistant (Build · m · 1.0s)", call)
    )
    assert session.local_clock
    assert [call.not_before for call in session.calls] == [moment.replace(tzinfo=UTC).timestamp()]


def test_an_unknown_date_gives_no_time() -> None:
    call = _write_call("write", {"filePath": "/a/b.py", "content": ""}, "Wrote it.")
    session = _read_text(
        _write_head("yesterday") + _write_message("Assistant (Build · m · 1.0s)", call)
    )
    assert [call.not_before for call in session.calls] == [None]
