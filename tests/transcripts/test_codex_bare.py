"""Until October 2025 Codex wrote its records without envelopes, and without times but for the
first.
"""

import json

import pytest
from support import jsonl

from collector.agents import codex, readers_for
from collector.model import Session

ID = "89fd76e1-3371-41a0-9ae3-12e5b8f999e8"
BEGAN = "2025-09-24T00:55:32.770Z"
PATCH = "*** Begin Patch\n*** Add File: b.py\n+x = 1\n*** End Patch\n"


def items(cwd: str) -> list[dict[str, object]]:
    context = (
        f"<environment_context>\n  <cwd>{cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"
    )
    arguments = json.dumps({"command": ["apply_patch", PATCH]})
    output = json.dumps(
        {"output": "Success. Updated the following files:\nA b.py\n", "metadata": {"exit_code": 0}}
    )
    return [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": context}]},
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Write b.py"}],
        },
        {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": "call_1"},
        {"type": "function_call_output", "call_id": "call_1", "output": output},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Done: \ud83d\ude00"}],
        },
    ]


def bare(cwd: str) -> bytes:
    rows = [
        {"id": ID, "timestamp": BEGAN, "instructions": None, "git": {"branch": "main"}},
        {"record_type": "state"},
        *items(cwd),
    ]
    return jsonl(*rows)


def enveloped(cwd: str) -> bytes:
    meta = {"id": ID, "timestamp": BEGAN, "cwd": cwd, "git": {"branch": "main"}}
    rows = [{"timestamp": BEGAN, "type": "session_meta", "payload": meta}]
    rows += [{"type": "response_item", "payload": item} for item in items(cwd)]
    return jsonl(*rows)


def summary(session: Session) -> list[object]:
    edits = [(edit.path, edit.op, edit.content) for call in session.calls for edit in call.edits]
    calls = [(call.call_id, call.name, call.status, call.at) for call in session.calls]
    return [
        session.started_at,
        session.cwds,
        session.branches,
        [turn.text for turn in session.turns],
        calls,
        edits,
    ]


@pytest.mark.parametrize(
    ("cwd", "path"),
    [("/home/ana/shop", "/home/ana/shop/b.py"), ("E:\\work\\shop", "/e/work/shop/b.py")],
)
def test_records_without_envelopes_say_what_they_say_with_them(cwd: str, path: str) -> None:
    assert [reader.NAME for reader in readers_for(bare(cwd))] == ["codex"]
    session = codex.read(ID, [bare(cwd)])
    assert summary(session) == summary(codex.read(ID, [enveloped(cwd)]))
    assert [edit.path for call in session.calls for edit in call.edits] == [path]
    assert [turn.text for turn in session.turns] == ["Write b.py"]
    assert not session.problems


def test_the_first_record_may_stand_behind_a_mark_of_the_byte_order() -> None:
    blob = b"\xef\xbb\xbf" + bare("/home/ana/shop")
    assert summary(codex.read(ID, [blob])) == summary(codex.read(ID, [bare("/home/ana/shop")]))


def test_lines_that_cannot_be_read_are_counted_and_equal_prompts_are_two() -> None:
    prompt = json.dumps(
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on"}]}
    )
    blob = b"\n".join([bare("/home/ana/shop"), prompt.encode(), b'{"type": "mess', prompt.encode()])
    session = codex.read(ID, [blob])
    assert [turn.text for turn in session.turns] == ["Write b.py", "Go on", "Go on"]
    assert session.problems


@pytest.mark.parametrize("cut", [90, 200, 700, 1100])
def test_a_rollout_that_is_cut_off_is_read_as_far_as_it_goes(cut: int) -> None:
    codex.read(ID, [bare("/home/ana/shop")[:cut]])


@pytest.mark.parametrize(
    "head",
    [
        {"id": ID, "timestamp": BEGAN},
        {"id": ID, "instructions": ""},
        [],
        None,
        "id timestamp instructions",
    ],
)
def test_what_only_looks_like_its_beginning_is_none(head: object) -> None:
    assert not codex.sniff(head)
