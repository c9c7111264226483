"""Oh My Pi: a title before the header, edits by line number whose results say what they did, and
its compact copies.
"""

from __future__ import annotations

from typing import Any

from support import jsonl

from collector.agents import entire_compact as compact
from collector.agents import pi, reader_for
from collector.agents.common.numbered_diffs import display_hunks
from collector.json_values import JsonObject
from collector.model import Session

_AT = "2026-09-17T15:44:4"
_TITLE = {
    "type": "title",
    "v": 1,
    "title": "Count again",
    "updatedAt": _AT + "6.791Z",
    "pad": "   ",
}
_HEADER = {"type": "session", "version": 3, "id": "01a0", "timestamp": _AT + "6.791Z", "cwd": "/w"}


def _message(number: int, **message: Any) -> JsonObject:
    return {
        "type": "message",
        "id": f"m{number}",
        "parentId": f"m{number - 1}",
        "timestamp": f"{_AT}{number}Z",
        "message": message,
    }


def _calls(number: int, *calls: tuple[str, JsonObject]) -> JsonObject:
    blocks = [
        {"type": "toolCall", "id": f"call_{name}_{i}", "name": name, "arguments": a}
        for i, (name, a) in enumerate(calls)
    ]
    return _message(
        number,
        role="assistant",
        model="gemini-3.6-flash",
        content=blocks,
        usage={"input": 5, "output": 2},
    )


def _result(
    number: int, call: str, text: str, details: JsonObject, failed: bool = False
) -> JsonObject:
    content = [{"type": "text", "text": text}]
    return _message(
        number,
        role="toolResult",
        toolCallId=call,
        toolName="edit",
        content=content,
        isError=failed,
        details=details,
    )


def _read(*records: JsonObject) -> Session:
    blob = jsonl(
        _TITLE,
        _HEADER,
        {"type": "model_change", "id": "c", "model": "google/gemini-3.6-flash"},
        *records,
    )
    reader = reader_for(blob)
    assert reader is not None and reader.NAME == "pi"
    return reader.read("s", [blob])


def test_a_title_comes_before_the_header() -> None:
    session = _read(
        _message(
            1, role="user", attribution="user", content=[{"type": "text", "text": "Count again"}]
        ),
        _message(
            2, role="user", attribution="agent", content=[{"type": "text", "text": "Continue."}]
        ),
        _calls(3, ("bash", {"command": "make"})),
    )
    assert session.cwds == ("/w",) and not session.problems
    assert [(turn.origin, turn.text) for turn in session.turns] == [
        ("prompt", "Count again"),
        ("injected", "Continue."),
    ]
    # the provider before the model's name is no other model
    assert [mark.kind for mark in session.marks] == []


def test_the_recorded_cost_of_a_response_is_read() -> None:
    paid = _calls(1, ("bash", {"command": "make"}))
    free = _calls(2, ("bash", {"command": "make"}))
    paid["message"]["usage"] = {
        "input": 5,
        "output": 2,
        "cost": {"input": 0.01, "output": 0.02, "total": 0.03},
    }
    free["message"]["usage"] = {"input": 5, "output": 2, "cost": {"total": 0}}
    assert [usage.cost for usage in _read(paid, free).usage] == [0.03, None]


def test_an_edit_by_line_number_with_the_texts_of_its_result() -> None:
    patch = "[src/a.py#A1B2]\nSWAP 2.=2:\n+two again\n"
    details = {
        "diff": " 1|one\n-2|two\n+2|two again",
        "op": "update",
        "path": "/w/src/a.py",
        "oldText": "one\ntwo\n",
    }
    session = _read(
        _calls(1, ("edit", {"input": patch})),
        _result(
            2, "call_edit_0", "[src/a.py#C3D4]\n1:one", {**details, "newText": "one\ntwo again\n"}
        ),
    )
    (edit,) = session.calls[0].edits
    assert (edit.op, edit.path, edit.before, edit.after) == (
        "edit",
        "/w/src/a.py",
        "one\ntwo\n",
        "one\ntwo again\n",
    )
    assert edit.before_known and edit.hunks[0].lines == (" one", "-two", "+two again")


def test_a_large_file_has_its_diff_alone() -> None:
    details = {
        "diff": "-2|two\n+2|2\n 3|three\n\n 8|eight\n+9|nine",
        "firstChangedLine": 2,
        "snapshotsPruned": True,
    }
    patch = "[a.py#A1B2]\nSWAP 2.=2:\n+2\nINS.POST 8:\n+nine"
    session = _read(_calls(1, ("edit", {"input": patch})), _result(2, "call_edit_0", "", details))
    (edit,) = session.calls[0].edits
    assert (edit.path, edit.before_known, edit.after) == ("/w/a.py", False, None)
    assert [(h.old_start, h.old_count, h.new_start, h.new_count) for h in edit.hunks] == [
        (2, 2, 2, 2),
        (8, 1, 8, 2),
    ]


def test_a_patch_of_several_files() -> None:
    patch = (
        "[a.py#A1B2]\nSWAP 1.=1:\n+x\n[b.py#A1B2]\nREM\n[c.py#A1B2]\nMV d/e.py\n[f.py#A1B2]\nDEL"
        " 1.=1\n"
    )
    files = [
        {
            "path": "/w/a.py",
            "diff": "-1|y\n+1|x",
            "op": "update",
            "oldText": "y\n",
            "newText": "x\n",
        },
        {"path": "/w/b.py", "diff": "", "op": "delete", "oldText": "b\n"},
        {
            "path": "/w/d/e.py",
            "diff": "",
            "op": "update",
            "move": "d/e.py",
            "sourcePath": "c.py",
            "oldText": "c\n",
            "newText": "c\n",
        },
        {"path": "/w/f.py", "diff": "", "isError": True, "errorText": "stale"},
    ]
    records = (
        _calls(1, ("edit", {"input": patch})),
        _result(2, "call_edit_0", "", {"diff": "", "perFileResults": files}),
    )
    edits = _read(*records).calls[0].edits
    assert [(e.op, e.path, e.new_path) for e in edits] == [
        ("edit", "/w/a.py", ""),
        ("delete", "/w/b.py", ""),
        ("move", "/w/c.py", "/w/d/e.py"),
    ]
    unanswered = _read(records[0]).calls[0].edits  # cut off before the result
    assert [(e.op, e.path, e.new_path) for e in unanswered] == [
        *((e.op, e.path, e.new_path) for e in edits),
        ("edit", "/w/f.py", ""),
    ]


def test_what_it_reads_with_line_tags_is_no_text_of_a_file() -> None:
    session = _read(
        _calls(1, ("read", {"path": "a.py"})),
        _result(2, "call_read_0", "[a.py#A1B2]\n1:one\n2:two", {}),
    )
    assert session.calls[0].seen is None


def test_a_jump_in_the_numbers_separates_hunks() -> None:
    first, second = display_hunks(" 1|a\n-2|b\n+2|B\n 3|...\n 9|i\n+10|j")
    assert (first.old_start, first.lines) == (1, (" a", "-b", "+B"))
    assert (second.old_start, second.new_start, second.lines) == (9, 9, (" i", "+j"))


def test_calls_in_a_compact_copy() -> None:
    record = {
        "v": 1,
        "agent": "omp",
        "cli_version": "0.11.3",
        "type": "assistant",
        "ts": _AT + "9Z",
        "id": "m1",
        "content": [
            {"type": "text", "text": "Now."},
            {
                "type": "toolCall",
                "name": "write",
                "arguments": {"path": "/w/n.py", "content": "n\n"},
            },
            {
                "type": "toolCall",
                "name": "edit",
                "arguments": {"input": "[/w/a.py#A1B2]\nSWAP 1.=1:\n+x"},
            },
            {"type": "toolCall", "name": "bash", "arguments": {"command": "make"}},
        ],
    }
    session = compact.read("s", [jsonl(record)])
    assert session.agent == pi.NAME
    assert [(call.name, [edit.path for edit in call.edits]) for call in session.calls] == [
        ("write", ["/w/n.py"]),
        ("edit", ["/w/a.py"]),
        ("bash", []),
    ]
    assert session.calls[2].command is not None and session.calls[2].command.text == "make"


def test_a_patch_in_an_edit_of_a_compact_copy() -> None:
    """Its `edit` takes a patch for some models: what it adds is there, though nothing came back."""
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-a = 1\n+a = 2\n*** Add File: b.py\n+b ="
        " 1\n*** End Patch"
    )
    block = {"type": "toolCall", "id": "c", "name": "edit", "arguments": {"input": patch}}
    record = {
        "v": 1,
        "agent": "omp",
        "cli_version": "0.11.3",
        "type": "assistant",
        "ts": _AT + "8Z",
        "id": "m",
        "content": [block],
    }
    (call,) = compact.read("s", [jsonl(record)]).calls
    assert [(edit.op, edit.path) for edit in call.edits] == [("edit", "a.py"), ("write", "b.py")]
    assert [line for hunk in call.edits[0].hunks for line in hunk.lines] == ["-a = 1", "+a = 2"]
