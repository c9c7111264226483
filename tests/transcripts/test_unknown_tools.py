"""Tools of servers and extensions that no agent has of its own: what they were asked to write counts as an edit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from collector.agents import claude_code
from collector.model import Session

BODY = "def total(prices):\n    return sum(prices)\n"


def session(name: str, arguments: dict[str, Any], details: object = None) -> Session:
    common = {"sessionId": "s", "cwd": "/r", "version": "2.1.100"}
    call = {"type": "tool_use", "id": "t1", "name": name, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}
    records: list[dict[str, Any]] = [
        {
            "type": "assistant",
            "uuid": "1",
            "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": [call]},
        },
        {"type": "user", "uuid": "2", "timestamp": "2026-01-01T00:00:01Z", "message": {"role": "user", "content": [result]}},
    ]
    records[1]["toolUseResult"] = details
    return claude_code.read("s", ["\n".join(json.dumps({**common, **record}) for record in records).encode()])


@pytest.mark.parametrize(
    ("name", "arguments", "op", "text"),
    [
        ("mcp__filesystem__write_file", {"path": "/r/a.py", "content": BODY}, "write", BODY),
        ("mcp__serena__create_text_file", {"relative_path": "a.py", "content": BODY}, "write", BODY),
        ("mcp__jetbrains__create_new_file_with_text", {"pathInProject": "a.py", "text": BODY}, "write", BODY),
        ("mcp__filesystem__edit_file", {"path": "/r/a.py", "edits": [{"oldText": "x", "newText": BODY}]}, "edit", BODY),
        ("mcp__serena__replace_symbol_body", {"relative_path": "a.py", "name_path": "total", "body": BODY}, "edit", BODY),
    ],
)
def test_a_call_with_a_path_and_a_text_is_an_edit(name: str, arguments: dict[str, Any], op: str, text: str) -> None:
    (call,) = session(name, arguments).calls
    (edit,) = call.edits
    written = edit.content or "".join(pair.new for pair in edit.replacements)
    written = written or "".join(f"{line[1:]}\n" for hunk in edit.hunks for line in hunk.lines)
    assert (edit.path, edit.op, written) == ("/r/a.py", op, text)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("mcp__github__create_or_update_file", {"owner": "o", "repo": "r", "path": "a.py", "content": BODY}),
        ("mcp__filesystem__search_files", {"path": "/r", "text": "total"}),
        ("mcp__notes__write_note", {"title": "a", "content": BODY}),
        ("mcp__filesystem__create_directory", {"path": "/r/src"}),
        ("Read", {"file_path": "/r/a.py"}),
        ("TodoWrite", {"path": "/r/a.py", "content": BODY}),
    ],
)
def test_other_calls_are_none(name: str, arguments: dict[str, Any]) -> None:
    (call,) = session(name, arguments).calls
    assert call.edits == ()


def test_a_notebook_is_known_before_and_after() -> None:
    details = {"original_file": "{}\n", "updated_file": '{"cells": []}\n', "notebook_path": "/r/n.ipynb"}
    (call,) = session("NotebookEdit", {"notebook_path": "/r/n.ipynb", "new_source": "x"}, details).calls
    (edit,) = call.edits
    assert (edit.path, edit.before, edit.after) == ("/r/n.ipynb", "{}\n", '{"cells": []}\n')
