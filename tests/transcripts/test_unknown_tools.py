"""Tools of servers and extensions that no agent has of its own: what they were asked to write
counts as an edit.
"""

from __future__ import annotations

import json

import pytest
from support import jsonl

from collector.agents import claude_code, codex, copilot_chat
from collector.json_values import JsonObject
from collector.model import Session, ToolCall

BODY = "def total(prices):\n    return sum(prices)\n"


def session(name: str, arguments: JsonObject, details: object = None) -> Session:
    common = {"sessionId": "s", "cwd": "/r", "version": "2.1.100"}
    call = {"type": "tool_use", "id": "t1", "name": name, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}
    records: list[JsonObject] = [
        {
            **common,
            "type": kind,
            "uuid": kind,
            "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": kind, "content": [block]},
        }
        for kind, block in (("assistant", call), ("user", result))
    ]
    records[1]["toolUseResult"] = details
    return claude_code.read("s", [jsonl(*records)])


@pytest.mark.parametrize(
    ("name", "arguments", "op"),
    [
        ("mcp__filesystem__write_file", {"path": "/r/a.py", "content": BODY}, "write"),
        (
            "mcp__serena__create_text_file",
            {"relative_path": "a.py", "content": BODY},
            "write",
        ),
        (
            "mcp__jetbrains__create_new_file_with_text",
            {"pathInProject": "a.py", "text": BODY},
            "write",
        ),
        (
            "mcp__filesystem__edit_file",
            {"path": "/r/a.py", "edits": [{"oldText": "x", "newText": BODY}]},
            "edit",
        ),
        (
            "mcp__serena__replace_symbol_body",
            {"relative_path": "a.py", "name_path": "total", "body": BODY},
            "edit",
        ),
    ],
)
def test_a_call_with_a_path_and_a_text_is_an_edit(
    name: str, arguments: JsonObject, op: str
) -> None:
    (call,) = session(name, arguments).calls
    assert _written(call) == ("/r/a.py", op, BODY)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("mcp__shelf__ipynb_replace_cell", {"cell_index": 1, "new_content": "a = 'ä'\nb = \"c\""}),
        ("shelf-ipynb_insert_cell", {"cell_index": 1, "content": "a = 'ä'\nb = \"c\""}),
        ("mcp__shelf__update_cell", {"cell_id": "one", "new_source": "a = 'ä'\nb = \"c\""}),
    ],
)
def test_the_text_of_a_cell_is_what_stands_in_the_notebook(
    name: str, arguments: JsonObject
) -> None:
    (call,) = session(name, {"ipynb_filepath": "/r/a.ipynb", **arguments}).calls
    stored = json.dumps(["a = 'ä'\n", 'b = "c"'], indent=4, ensure_ascii=False)
    assert _written(call) == ("/r/a.ipynb", "edit", stored.removeprefix("[\n").removesuffix("]"))


def _written(call: ToolCall) -> tuple[str, str, str]:
    """(path, kind, new text) of the only edit of a call."""
    (edit,) = call.edits
    written = edit.content or "".join(pair.new for pair in edit.replacements)
    written = written or "".join(f"{line[1:]}\n" for hunk in edit.hunks for line in hunk.lines)
    return edit.path, edit.op, written


_FILE: JsonObject = {"path": "/r/a.py", "content": BODY}


@pytest.mark.parametrize(
    ("name", "arguments"),
    {
        "tool_call": {"name": "mcp__shelf__write_file", "arguments": _FILE},
        "use_mcp_tool": {
            "server_name": "shelf",
            "tool_name": "write_file",
            "arguments": json.dumps(_FILE),
        },
        "call_mcp_tool": {"ServerName": "shelf", "ToolName": "write_file", "Arguments": _FILE},
    }.items(),
)
def test_a_tool_that_passes_a_call_on_is_that_call(name: str, arguments: JsonObject) -> None:
    (call,) = session(name, arguments).calls
    assert call.name == "mcp__shelf__write_file"
    assert _written(call) == ("/r/a.py", "write", BODY)


@pytest.mark.parametrize(
    "name", ["mcp__shelf__run_command", "shelf-shell_execute", "mcp_shelf_start_process"]
)
def test_a_server_that_runs_commands_is_a_shell(name: str) -> None:
    (call,) = session(name, {"command": "make"}).calls
    assert call.command


@pytest.mark.parametrize(
    "named",
    [
        {"name": "write_file", "namespace": "mcp__shelf__"},
        {"name": "write_file", "namespace": "mcp__shelf"},
        {"name": "mcp__shelf__write_file"},
        {"name": "shelf__write_file"},
    ],
)
def test_codex_names_the_server_of_a_tool_or_puts_it_before_the_name(named: JsonObject) -> None:
    arguments = json.dumps({"path": "/r/a.py", "content": BODY})
    call = {"type": "function_call", "call_id": "t1", "arguments": arguments, **named}
    output = {"type": "function_call_output", "call_id": "t1", "output": "Wall time: 0.1 seconds"}
    common = {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item"}
    records = (common | {"payload": item} for item in (call, output))
    (call_read,) = codex.read("s", [jsonl(*records)]).calls
    assert call_read.name.endswith("shelf__write_file")
    assert _written(call_read) == ("/r/a.py", "write", BODY)


_MARKED = f"# ...existing code...\n{BODY}// ... existing code ...\n"
_ADDED = (
    "*** Begin Patch\n*** Add File: /r/a.py\n"
    + "".join(f"+{line}\n" for line in BODY.splitlines())
    + "*** End Patch"
)
_PAIR = {"filePath": "/r/a.py", "oldString": "x", "newString": BODY}


@pytest.mark.parametrize(
    ("name", "arguments", "op"),
    [
        ("create_file", {"filePath": "/r/a.py", "content": BODY}, "write"),
        ("replace_string_in_file", _PAIR, "edit"),
        ("multi_replace_string_in_file", {"explanation": "", "replacements": [_PAIR]}, "edit"),
        ("insert_edit_into_file", {"filePath": "/r/a.py", "code": _MARKED}, "edit"),
        ("apply_patch", {"input": _ADDED}, "write"),
    ],
)
@pytest.mark.parametrize("as_text", [True, False])
def test_tools_of_vs_code_write_what_their_arguments_say(
    name: str, arguments: JsonObject, op: str, as_text: bool
) -> None:
    """A request has the arguments as text of JSON, the start of the call as an object; a
    transcript may have one of both.
    """
    passed: JsonObject = {
        "toolCallId": "t1",
        "name": name,
        "toolName": name,
        "arguments": json.dumps(arguments) if as_text else arguments,
    }
    kind, data = (
        ("assistant.message", {"toolRequests": [passed]})
        if as_text
        else ("tool.execution_start", passed)
    )
    events: list[JsonObject] = [
        {"type": kind, "data": data},
        {"type": "tool.execution_complete", "data": {"toolCallId": "t1", "success": True}},
    ]
    common = {"timestamp": "2026-01-01T00:00:00Z"}
    records = (common | event | {"id": str(n)} for n, event in enumerate(events))
    (call,) = copilot_chat.read("s", [jsonl(*records)]).calls
    assert _written(call) == ("/r/a.py", op, BODY)


@pytest.mark.parametrize(
    ("name", "arguments"),
    {
        "mcp__github__create_or_update_file": {
            "owner": "o",
            "repo": "r",
            "path": "a.py",
            "content": BODY,
        },
        "mcp__filesystem__search_files": {"path": "/r", "text": "total"},
        "mcp__shelf__list_processes": {"command": "make"},
        "mcp__notes__write_note": {"title": "a", "content": BODY},
        "mcp__filesystem__create_directory": {"path": "/r/src"},
        "Read": {"file_path": "/r/a.py"},
        "TodoWrite": {"path": "/r/a.py", "content": BODY},
    }.items(),
)
def test_other_calls_are_none(name: str, arguments: JsonObject) -> None:
    (call,) = session(name, arguments).calls
    assert call.edits == ()
    assert not call.command


def test_a_notebook_is_known_before_and_after() -> None:
    details = {
        "original_file": "{}\n",
        "updated_file": '{"cells": []}\n',
        "notebook_path": "/r/n.ipynb",
    }
    (call,) = session(
        "NotebookEdit", {"notebook_path": "/r/n.ipynb", "new_source": "x"}, details
    ).calls
    (edit,) = call.edits
    assert (edit.path, edit.before, edit.after) == ("/r/n.ipynb", "{}\n", '{"cells": []}\n')
