"""The contract of every transcript reader, on samples in the real record shape.

`expected.json` of a sample says what a person reads in it; `_view` shows a session in the same
words.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ROOT, jsonl

from collector.agents import reader_for, readers
from collector.agents.common.edits import edits_of_command, parse_patch
from collector.agents.common.jsonl import first_value, same_lines
from collector.agents.common.numbered_diffs import display_hunks
from collector.agents.common.reader import FACETS
from collector.agents.common.scripts import commands_in_script, patches_in_script
from collector.git.patches import parse_unified, whole_texts
from collector.json_values import JsonObject, RowValues, time_of
from collector.model import AgentMessage, Edit, Session, SessionEvent, Status, ToolCall, Usage
from collector.text import resolve

_SAMPLES = ROOT / "tests" / "data" / "transcripts"
_READERS = {reader.NAME: reader for reader in readers()}
_NAMES = sorted(path.parent.name for path in _SAMPLES.glob("*/sample.json*"))
_SESSION = "session-of-the-sample"


def _sample(name: str) -> bytes:
    return next((_SAMPLES / name).glob("sample.json*")).read_bytes()


def _is_document(name: str) -> bool:
    return (_SAMPLES / name / "sample.json").exists()


def _agent(name: str) -> str:
    """The reader of a sample. An agent that keeps its sessions in several forms has a sample
    `NAME.FORM` of each further one.
    """
    return name.partition(".")[0]


def _read(name: str, blobs: Iterable[bytes]) -> Session:
    return _READERS[_agent(name)].read(_SESSION, blobs)


def _gives(session: Session) -> set[str]:
    """What a session really holds, in the words of FACETS."""
    calls = session.calls
    edits = [edit for call in session.calls for edit in call.edits]
    holds = {
        "times": any(c.at is not None for c in calls),
        "results": any(c.status is not Status.UNKNOWN for c in calls),
        "text": any(
            e.content or e.after or e.replacements or any(h.exact_text for h in e.hunks)
            for e in edits
        ),
        "before": any(e.before_known for e in edits),
        "positions": any(h.old_start for e in edits for h in e.hunks),
        "reads": any(c.seen for c in calls),
        "commands": any(c.command for c in calls),
        "commits": any(c.commits for c in calls),
        "subagents": any(c.agent_id for c in calls),
        "models": any(u.model for u in session.usage) or any(c.model for c in calls),
        "tokens": any(u.input or u.output for u in session.usage),
        "directory": bool(session.cwds),
    }
    assert holds.keys() == FACETS.keys()
    return {facet for facet, held in holds.items() if held}


@pytest.mark.parametrize("name", [name for name in _NAMES if name in _READERS])
def test_reader_declares_what_its_sample_holds(name: str) -> None:
    assert _gives(_read(name, [_sample(name)])) == _READERS[name].GIVES


# --- the words of expected.json -------------------------------------------------------------------


def _view(session: Session) -> JsonObject:
    return {
        "agent": session.agent,
        "cwds": list(session.cwds),
        "versions": list(session.versions),
        "branches": list(session.branches),
        "parent": session.parent_id,
        "turns": [[turn.origin, turn.text] for turn in session.turns],
        "calls": [_view_call(call) for call in session.calls],
        "said": [[said.kind, said.turn, said.text] for said in session.messages],
        "usage": [[u.model, u.input, u.output, u.cache_read, u.cache_write] for u in session.usage],
        "notices": [[n.path, n.start, n.text, n.whole] for n in session.notices],
        "marks": [[mark.kind, mark.turn] for mark in session.marks],
        "problems": [problem.code for problem in session.problems],
    }


def _view_call(call: ToolCall) -> JsonObject:
    view: JsonObject = {"name": call.name, "turn": call.turn, "status": call.status.value}
    if call.agent_id:
        view["agent"] = call.agent_id
    if call.command:
        view["command"] = [call.command.text, call.command.cwd, call.command.output]
    if call.seen:
        view["seen"] = [call.seen.path, call.seen.start, call.seen.text, call.seen.whole]
    if call.spawn:
        view["spawn"] = [call.spawn.agent_id, call.spawn.kind, call.spawn.visible]
    if call.commits:
        view["commits"] = list(call.commits)
    if call.edits:
        view["edits"] = [_view_edit(edit) for edit in call.edits]
    return view


def _view_edit(edit: Edit) -> JsonObject:
    view: JsonObject = {"op": edit.op, "path": edit.path}
    for name in ("content", "before", "after", "new_path", "by_shell"):
        if getattr(edit, name):
            view[name] = getattr(edit, name)
    if edit.before_known and edit.before is None:
        view["before"] = "did not exist"
    if edit.replacements:
        view["replacements"] = [[r.old, r.new, r.all] for r in edit.replacements]
    if edit.hunks:
        view["hunks"] = [
            [h.old_start, h.old_count, h.new_start, h.new_count, *h.lines] for h in edit.hunks
        ]
        view["exact"] = all(h.exact_text for h in edit.hunks)
    return view


# --- what every reader must do --------------------------------------------------------------------


def test_every_reader_but_the_first_has_a_sample() -> None:
    assert set(_READERS) - set(_NAMES) <= {
        "claude-code",
        "aider",
        "specstory",
        "kilo-code",
        "copilot-chat",
        "claude-flow",
    }  # a program of its own, Markdown (twice), documents of OpenCode, events of Copilot CLI, rows


@pytest.mark.parametrize("name", _NAMES)
def test_only_its_own_reader_knows_the_sample(name: str) -> None:
    head = first_value(_sample(name))
    agent = _agent(name)
    assert [reader.NAME for reader in readers() if reader.sniff(head)][:1] == [agent]
    found = reader_for(_sample(name))
    assert (found.NAME if found else None) == agent
    others = [
        reader.NAME
        for reader in readers()
        if reader.sniff(head) and reader.NAME not in (agent, "claude-code")
    ]
    assert others == []


@pytest.mark.parametrize("name", _NAMES)
def test_sample_is_read_as_expected(name: str) -> None:
    expected = json.loads((_SAMPLES / name / "expected.json").read_text())
    view = json.loads(json.dumps(_view(_read(name, [_sample(name)]))))
    for key, value in expected.items():
        assert view[key] == value, key
    assert set(expected) == set(view)


@pytest.mark.parametrize("name", _NAMES)
def test_numbers_and_times_fit_together(name: str) -> None:
    session = _read(name, [_sample(name)])
    assert [turn.index for turn in session.turns] == list(range(1, len(session.turns) + 1))
    ids = [call.call_id for call in session.calls]
    assert len(ids) == len(set(ids)) and all(ids)
    events: list[ToolCall | AgentMessage | Usage | SessionEvent] = [
        *session.calls,
        *session.messages,
        *session.usage,
        *session.marks,
    ]
    for event in events:
        assert 0 <= event.turn <= len(session.turns)
        if event.at is not None and session.started_at is not None and session.ended_at is not None:
            assert session.started_at <= event.at <= session.ended_at
    for call in session.calls:
        assert call.done_at is None or call.at is None or call.done_at >= call.at
        for edit in call.edits:
            assert edit.path and edit.op in ("edit", "write", "append", "delete", "move", "copy")


def _shorter(name: str) -> list[bytes]:
    """Earlier copies of the same session: the lines, or the messages, up to some point."""
    blob = _sample(name)
    if not _is_document(name):
        lines = blob.split(b"\n")
        return [b"\n".join(lines[:n]) for n in range(1, len(lines), 3)]
    document = json.loads(blob)
    if isinstance(document, list):
        return [json.dumps(document[:n]).encode() for n in range(1, len(document))]
    # a document without is put together from an editor's files, once
    count = len(document.get("messages", ()))
    return [
        json.dumps({**document, "messages": document["messages"][:n]}).encode()
        for n in range(1, count)
    ]


@pytest.mark.parametrize("name", _NAMES)
def test_copies_and_their_order_make_no_difference(name: str) -> None:
    whole = _read(name, [_sample(name)])
    copies = [_sample(name), *_shorter(name), _sample(name)]
    shuffled = random.Random(4).sample(copies, len(copies))
    for blobs in (copies, copies[::-1], shuffled, iter(copies)):
        assert _read(name, blobs) == whole


@pytest.mark.parametrize("name", [name for name in _NAMES if not _is_document(name)])
def test_two_halves_are_the_whole(name: str) -> None:
    """Old checkpoints store what is new since the one before."""
    lines = _sample(name).split(b"\n")
    half = len(lines) // 2
    parts = [b"\n".join(lines[:half]), b"\n".join(lines[half:])]
    whole = _read(name, [_sample(name)])
    joined = _read(name, parts)
    assert {call.call_id: call.status for call in whole.calls} == {
        c.call_id: c.status for c in joined.calls
    } or _agent(name) == "cursor"
    assert sum(len(c.edits) for c in whole.calls) == sum(len(c.edits) for c in joined.calls)
    assert sorted(turn.text for turn in whole.turns) == sorted(turn.text for turn in joined.turns)


@pytest.mark.parametrize(
    "name", [name for name in _NAMES if _is_document(name) and b'"messages"' in _sample(name)]
)
def test_document_in_several_chunks(name: str) -> None:
    document = json.loads(_sample(name))
    messages = document["messages"]
    chunks = [
        json.dumps({**document, "messages": part}).encode() for part in (messages[:2], messages[2:])
    ]
    whole = _read(name, [_sample(name)])
    joined = _read(name, [b"\n".join(chunks)])
    assert [c.call_id for c in joined.calls] == [c.call_id for c in whole.calls]
    assert joined.turns == whole.turns


@pytest.mark.parametrize("name", _NAMES)
def test_truncated_anywhere(name: str) -> None:
    blob = _sample(name)
    whole = {call.call_id for call in _read(name, [blob]).calls}
    for part in range(21):
        cut = blob[: len(blob) * part // 20]
        session = _read(name, [cut])
        if not _is_document(name):
            assert {call.call_id.partition("#")[0] for call in session.calls} <= {
                i.partition("#")[0] for i in whole
            }
        if cut.strip() and part < 20 and not cut.endswith(b"\n") and _is_document(name):
            assert session.problems


@pytest.mark.parametrize("name", [*_NAMES, "claude-code"])
def test_strange_bytes(name: str) -> None:
    deep = b'{"type":"message","payload":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    for blob in (
        b"",
        b"\n\n",
        b"\0" * 50,
        b"\xff\xfe{",
        b"null",
        b"[1]",
        b'"text"',
        deep,
        b'{"a":' * 5000,
        "\u2028\u2029".encode(),
    ):
        assert isinstance(_read(name, [blob]), Session)
        reader_for(blob)


_ODD: list[Any] = [
    None,
    True,
    -1,
    10**400,
    1e308,
    "",
    "\ud800",
    "a\0b",
    "x\u2028y",
    [],
    {},
    [[]],
    {"a": {"a": 1}},
    [None, 1, "x", {}],
]


def _paths(value: Any, at: RowValues = ()) -> Iterable[RowValues]:
    if at:
        yield at
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from _paths(inner, (*at, key))


def _changed(value: Any, path: RowValues, new: Any) -> Any:
    copy = json.loads(json.dumps(value))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return copy


@pytest.mark.parametrize("name", _NAMES)
def test_every_value_of_every_wrong_type(name: str) -> None:
    """Each value of the sample in turn becomes something odd; nothing raises and the rest is
    still read.
    """
    blob = _sample(name)
    records = (
        [json.loads(blob)]
        if _is_document(name)
        else [json.loads(line) for line in blob.splitlines()]
    )
    rng = random.Random(7)
    reader = _READERS[_agent(name)]
    for number, record in enumerate(records):
        for path in _paths(record):
            wrong = _changed(record, path, rng.choice(_ODD))
            lines = (
                [json.dumps(wrong if i == number else r) for i, r in enumerate(records)]
                if rng.random() < 0.1
                else [json.dumps(wrong)]
            )
            session = reader.read(_SESSION, ["\n".join(lines).encode("utf-8", "surrogatepass")])
            assert isinstance(session, Session)


@pytest.mark.parametrize(
    "name", [name for name in _NAMES if not _is_document(name) and name not in ("cursor", "gptme")]
)
def test_a_damaged_copy_of_the_same_records_adds_nothing(name: str) -> None:
    """Written anew by another program, and cut at its end."""
    blob = _sample(name)
    copy = b"\n".join(
        json.dumps(json.loads(line), sort_keys=True).encode() for line in blob.splitlines()
    )
    session = _read(name, [blob, copy + b'\n{"role": "user", '])
    assert {call.call_id for call in session.calls} == {
        call.call_id for call in _read(name, [blob]).calls
    }


@settings(max_examples=25, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda c: st.lists(c) | st.dictionaries(st.text(max_size=8), c),
    )
)
def test_no_sniffer_raises(head: object) -> None:
    for reader in readers():
        assert reader.sniff(head) in (True, False)


def test_line_ends_are_newlines_only() -> None:
    text = "a\u2028b\x0cc\x85d"
    patch = f"*** Begin Patch\n*** Add File: f\n+{text}\n*** End Patch"
    payload = {"type": "custom_tool_call", "name": "apply_patch", "call_id": "c", "input": patch}
    record = {"timestamp": "2026-05-04T10:00:00Z", "type": "response_item", "payload": payload}
    session = _read("codex", [json.dumps(record, ensure_ascii=False).encode()])
    assert session.calls[0].edits[0].content == text + "\n"


# --- Codex threads --------------------------------------------------------------------------------

_PARENT = "019d7000-0000-7000-8000-000000000001"
_CHILD = "019d8000-0000-7000-8000-000000000002"


def _rollout(*records: tuple[str, str, JsonObject]) -> bytes:
    return "".join(
        json.dumps({"timestamp": at, "type": kind, "payload": payload}) + "\n"
        for at, kind, payload in records
    ).encode()


def _meta(thread: str, **more: Any) -> JsonObject:
    return {"id": thread, "cwd": "/w", "cli_version": "0.125.0", "source": "cli", **more}


def _codex(*records: tuple[str, JsonObject]) -> Session:
    """A thread below `/w`, all recorded at once: the kind and the payload of each record."""
    at = "2026-07-15T20:40:00Z"
    blob = _rollout((at, "session_meta", _meta(_PARENT)), *((at, *record) for record in records))
    return _READERS["codex"].read(_PARENT, [blob])


def _ran(words: list[str], output: str) -> ToolCall:
    """A call of the shell with these words, and what it printed."""
    arguments = json.dumps({"command": words})
    about = {"call_id": "c"}
    (call,) = _codex(
        (
            "response_item",
            {"type": "function_call", "name": "shell", "arguments": arguments, **about},
        ),
        ("response_item", {"type": "function_call_output", "output": output, **about}),
    ).calls
    return call


def _patch_call(call_id: str) -> JsonObject:
    patch = "*** Begin Patch\n*** Add File: a\n+a\n*** End Patch"
    return {"type": "custom_tool_call", "call_id": call_id, "name": "apply_patch", "input": patch}


@pytest.mark.parametrize(
    ("action", "searches"),
    [({"type": "search", "query": "q"}, 1), ({"type": "open_page", "url": "u"}, 0), ({}, 0)],
)
def test_searches_of_the_web_are_counted_and_opened_pages_are_not(
    action: JsonObject, searches: int
) -> None:
    call = {"type": "web_search_call", "status": "completed", "action": action}
    (read,) = _codex(("response_item", call)).calls
    assert (read.name, read.searches) == ("web_search_call", searches)


def test_copied_history_of_a_fork_is_not_read() -> None:
    fork = "2026-04-11T20:34:05.810Z"
    later = "2026-04-11T20:34:36.000Z"
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": _PARENT, "depth": 1}}}
    total = {
        "total_token_usage": {"total_tokens": 50},
        "last_token_usage": {"input_tokens": 50, "output_tokens": 5},
    }
    more = {
        "total_token_usage": {"total_tokens": 60},
        "last_token_usage": {"input_tokens": 9, "output_tokens": 1},
    }
    blob = _rollout(
        (fork, "session_meta", _meta(_CHILD, source=spawned, forked_from_id=_PARENT)),
        (fork, "session_meta", _meta(_PARENT)),
        (fork, "event_msg", {"type": "task_started", "turn_id": _PARENT}),
        (fork, "event_msg", {"type": "user_message", "message": "typed in the parent"}),
        (fork, "response_item", _patch_call("of_the_parent")),
        (fork, "event_msg", {"type": "token_count", "info": total}),
        (fork, "event_msg", {"type": "task_started", "turn_id": _CHILD[:-1] + "9"}),
        (fork, "event_msg", {"type": "user_message", "message": "explore"}),
        (later, "response_item", _patch_call("of_the_child")),
        (later, "event_msg", {"type": "token_count", "info": total}),
        (later, "event_msg", {"type": "token_count", "info": more}),
    )
    session = _READERS["codex"].read(_CHILD, [blob])
    assert [call.call_id for call in session.calls] == ["of_the_child"]
    assert [(turn.origin, turn.text) for turn in session.turns] == [("injected", "explore")]
    assert [usage.input for usage in session.usage] == [9]
    assert session.parent_id == _PARENT
    assert [mark.kind for mark in session.marks] == ["forked"]


def test_review_thread_stored_under_the_id_of_its_parent() -> None:
    at = "2026-06-17T10:00:00Z"
    main = _rollout(
        (at, "session_meta", _meta(_PARENT)), (at, "response_item", _patch_call("main"))
    )
    review = _rollout(
        (
            at,
            "session_meta",
            _meta(_CHILD, source={"subagent": "review"}, parent_thread_id=_PARENT),
        ),
        (at, "response_item", {**_patch_call("review"), "id": "longer than the other copy"}),
    )
    session = _READERS["codex"].read(_PARENT, [main, review])
    assert {call.call_id: call.agent_id for call in session.calls} == {"main": "", "review": _CHILD}
    assert session.parent_id == ""


def test_a_script_that_fails_applies_only_the_patches_with_an_event() -> None:
    first, second = (
        f'"*** Begin Patch\\n*** Add File: /w/{name}\\n+x\\n*** End Patch"' for name in "ab"
    )
    called = {
        "type": "custom_tool_call",
        "call_id": "c",
        "name": "exec",
        "input": f"await tools.apply_patch({first});tools.apply_patch({second})",
    }
    applied = {
        "type": "patch_apply_end",
        "call_id": "exec-1",
        "success": True,
        "changes": {"/w/a": {"add": {"content": "x\n"}}},
    }
    printed = [
        {"type": "input_text", "text": text}
        for text in (
            "Script failed\nWall time 0.1 seconds\nOutput:\n",
            "Script error:\napply_patch verification failed",
        )
    ]
    session = _codex(
        ("response_item", called),
        ("event_msg", applied),
        (
            "response_item",
            {"type": "custom_tool_call_output", "call_id": "c", "output": printed},
        ),
    )
    calls = {call.call_id: call for call in session.calls}
    assert {key: (call.name, call.status) for key, call in calls.items()} == {
        "c": ("exec", Status.ERROR),
        "exec-1": ("apply_patch", Status.OK),
        "c#2": ("apply_patch", Status.ERROR),
    }
    assert sorted(edit.path for call in calls.values() for edit in call.edits) == ["/w/a", "/w/b"]


def test_a_cd_of_crush_moves_no_later_edit() -> None:
    """Its result has the directory in which the shell ended; the next call begins where the
    session does.
    """
    wrote = {"file_path": "a.py", "content": "x = 1\\n"}
    calls: tuple[tuple[str, str, JsonObject, JsonObject], ...]
    calls = (
        ("c1", "bash", {"command": "cd sub && make"}, {"working_directory": "/r/sub"}),
        ("c2", "write", wrote, {}),
    )
    records: list[JsonObject] = [
        {"session": {"id": "s", "message_count": 2, "completion_tokens": 1}, "cwd": "/r"}
    ]
    for number, (call, name, arguments, details) in enumerate(calls):
        part = {
            "type": "tool_call",
            "data": {"id": call, "name": name, "input": json.dumps(arguments), "finished": True},
        }
        done = {
            "type": "tool_result",
            "data": {"tool_call_id": call, "content": "ok", "metadata": json.dumps(details)},
        }
        for role, entry in (("assistant", part), ("tool", done)):
            message = {
                "id": f"{call}{role}",
                "role": role,
                "parts": json.dumps([entry]),
                "created_at": 1_770_000_000 + number,
            }
            records.append({"message": message})
    session = _READERS["crush"].read("s", [jsonl(*records)])
    assert [edit.path for call in session.calls for edit in call.edits] == ["/r/a.py"]
    assert [call.command.cwd for call in session.calls if call.command] == ["/r"]
    assert session.cwds == ("/r",)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["bash", "-lc", "ls; ls"], "ls; ls"),
        (["/bin/sh", "-c", "ls; ls"], "ls; ls"),
        (["powershell.exe", "-Command", "ls; ls"], "ls; ls"),
        (
            [
                "C:\\Program Files\\PowerShell\\7\\pwsh.exe",
                "-NoLogo",
                "-NoProfile",
                "-Command",
                "ls; ls",
            ],
            "ls; ls",
        ),
        (["pwsh", "-File", "build.ps1"], "pwsh -File build.ps1"),
        (["bash", "run.sh", "-c", "x y"], "bash run.sh -c 'x y'"),
        (["git", "push"], "git push"),
    ],
)
def test_the_text_that_a_shell_was_given_is_the_command(words: list[str], text: str) -> None:
    command = _ran(words, "x").command
    assert command is not None and command.text == text


@pytest.mark.parametrize(
    ("mark", "whole"),
    {
        "[... omitted 20 of 40 lines ...]": False,
        "[... output truncated to fit 10240 bytes ...]": False,
        "…1520 tokens truncated…": False,
        "[...]": True,
    }.items(),
)
def test_a_file_with_lines_left_out_was_not_seen(mark: str, whole: bool) -> None:
    output = json.dumps({"output": f"one\n{mark}\nthree\n", "metadata": {"exit_code": 0}})
    call = _ran(["bash", "-lc", "sed -n '1,240p' a.py"], output)
    assert (call.seen is not None) == whole


@pytest.mark.parametrize("in_script", [False, True])
def test_a_patch_that_names_a_file_twice_has_both_its_changes(in_script: bool) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+ONE\n*** Add File: b.py\n+new\n"
        "*** Update File: a.py\n@@\n-two\n+TWO\n*** Delete File: c.py\n*** Add File: c.py\n+anew\n"
        "*** End Patch"
    )
    script = f"const patch = {json.dumps(patch)};\ntext(await tools.apply_patch(patch));\n"
    passed = (
        {"name": "exec", "input": script} if in_script else {"name": "apply_patch", "input": patch}
    )
    last = {"type": "update", "unified_diff": "@@ -2 +2 @@\n-two\n+TWO\n", "move_path": None}
    applied = {
        "type": "patch_apply_end",
        "call_id": "exec-1" if in_script else "c",
        "success": True,
        "changes": {
            "/w/a.py": last,
            "/w/b.py": {"type": "add", "content": "new\n"},
            "/w/c.py": {"type": "add", "content": "anew\n"},
        },
    }
    call = _codex(
        ("response_item", {"type": "custom_tool_call", "call_id": "c", **passed}),
        ("event_msg", applied),
    ).calls[-1]
    assert call.call_id == ("exec-1" if in_script else "c")
    changed = [
        (edit.path, edit.op, [line for hunk in edit.hunks for line in hunk.lines])
        for edit in call.edits
    ]
    assert changed == [
        ("/w/a.py", "edit", ["-one", "+ONE"]),
        ("/w/a.py", "edit", ["-two", "+TWO"]),
        ("/w/b.py", "write", []),
        ("/w/c.py", "write", []),  # written over: lines that stay are not new
    ]


@pytest.mark.parametrize("with_event", [True, False])
def test_what_a_patch_changed_before_it_failed_is_applied(with_event: bool) -> None:
    """Codex stops at the first file that cannot be written; its output lists what it wrote
    before.
    """
    patch = (
        "*** Begin Patch\n*** Add File: new.py\n+n\n*** Update File: a.py\n@@\n-a\n+A\n"
        "*** Update File: ro.py\n@@\n-r\n+R\n*** Update File: a.py\n@@\n-b\n+B\n*** End Patch"
    )
    told = (
        "Failed to write file /w/ro.py\nPatch failed after applying these changes:\nA /w/new.py\nM"
        " /w/a.py\nAdditional filesystem changes may not be listed.\nInspect the current files"
        " before retrying the remaining changes; do not retry the whole patch.\n"
    )
    changes = {
        "/w/ro.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-r\n+R\n", "move_path": None},
        "/w/a.py": {"type": "update", "unified_diff": "@@ -2 +2 @@\n-b\n+B\n", "move_path": None},
        "/w/new.py": {"type": "add", "content": "n\n"},
    }
    event = {
        "type": "patch_apply_end",
        "call_id": "c",
        "success": False,
        "stderr": told,
        "changes": changes,
    }
    output = {
        "type": "custom_tool_call_output",
        "call_id": "c",
        "output": f"Exit code: 1\nWall time: 0 seconds\nOutput:\n{told}",
    }
    called = {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": patch}
    failed, applied = _codex(
        ("response_item", called),
        *([("event_msg", event)] if with_event else []),
        ("response_item", output),
    ).calls
    shown = [
        (c.status, [(e.path, [line for h in e.hunks for line in h.lines]) for e in c.edits])
        for c in (applied, failed)
    ]
    assert shown == [
        (Status.OK, [("/w/new.py", []), ("/w/a.py", ["-a", "+A"])]),
        (Status.ERROR, [("/w/ro.py", ["-r", "+R"]), ("/w/a.py", ["-b", "+B"])]),
    ]


@pytest.mark.parametrize(
    ("listing", "expected"),
    [
        ("\n3: total = 1\n4: \n", [(3, "total = 1\n\n", False)]),
        ("1: total = 1\n\n(End of file - total 1 lines)\n", [(1, "total = 1\n", True)]),
        ("1: total = 1... (line truncated to 2000 chars)\n", []),
    ],
    ids=["a part", "all of it", "a line is cut"],
)
def test_opencode_shows_a_file_named_in_a_prompt(
    listing: str, expected: list[tuple[int, str, bool]]
) -> None:
    document = json.loads(_sample("opencode"))
    head = "<path>/home/ana/work/tally/named.py</path>\n<type>file</type>"
    text = f"{head}\n<content>{listing}</content>"
    document["messages"][0]["parts"].append({"type": "text", "synthetic": True, "text": text})
    notices = _read("opencode", [json.dumps(document).encode()]).notices
    named = [item for item in notices if item.path == "/home/ana/work/tally/named.py"]
    assert [(item.start, item.text, item.whole) for item in named] == expected


def test_opencode_child_session() -> None:
    document = json.loads(_sample("opencode"))
    document["info"]["parentID"] = "ses_parent"
    session = _read("opencode", [json.dumps(document).encode()])
    assert session.parent_id == "ses_parent"
    assert {turn.origin for turn in session.turns} == {"injected"}


def test_the_size_of_an_error_is_the_size_of_its_text() -> None:
    state = {
        "status": "error",
        "input": {"filePath": "/w/a"},
        "error": "Error: File not found: /w/a",
        "time": {"start": 1000, "end": 2000},
    }
    part = {
        "type": "tool",
        "callID": "c",
        "tool": "read",
        "state": state,
        "id": "p",
        "messageID": "m",
    }
    info = {
        "id": "m",
        "role": "assistant",
        "time": {"created": 1000},
        "modelID": "x",
        "path": {"cwd": "/w", "root": "/w"},
    }
    opencode = _read(
        "opencode",
        [
            json.dumps(
                {"info": {"id": "ses_1"}, "messages": [{"info": info, "parts": [part]}]}
            ).encode()
        ],
    )
    assert [call.result_size for call in opencode.calls] == [27]
    records = [
        {"type": "session.start", "data": {"sessionId": "s", "context": {"cwd": "/w"}}},
        {
            "type": "tool.execution_start",
            "data": {"toolCallId": "c", "toolName": "view", "arguments": {"path": "/w/a"}},
        },
        {
            "type": "tool.execution_complete",
            "data": {
                "toolCallId": "c",
                "success": False,
                "error": {"message": "Path does not exist"},
            },
        },
    ]
    lines = "\n".join(
        json.dumps({**r, "id": str(i), "timestamp": f"2026-03-02T09:00:0{i}.000Z"})
        for i, r in enumerate(records)
    )
    copilot = _read("copilot-cli", [lines.encode()])
    assert [call.result_size for call in copilot.calls] == [19]


# --- changes as text ------------------------------------------------------------------------------


def test_patch_format() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@ def f\n x\n\n-y\n+z\n\n*** End of File\n"
        "*** Add File: sub/n\n+1\n+\n*** Delete File: /d\n*** End Patch"
    )
    update, add, delete = parse_patch(patch, "/r")
    assert (update.path, update.hunks[0].lines) == ("/r/a.py", (" x", " ", "-y", "+z"))
    assert (update.hunks[0].old_start, update.hunks[0].old_count, update.hunks[0].new_count) == (
        0,
        3,
        3,
    )
    assert (add.path, add.op, add.content) == ("/r/sub/n", "write", "1\n\n")
    assert (delete.path, delete.op) == ("/d", "delete")
    assert parse_patch("no patch") == []
    assert parse_patch("*** Begin Patch\n*** Update File: a\n@@\n-cut")[0].hunks[0].lines == (
        "-cut",
    )


def test_unified_diff_keeps_every_character() -> None:
    diff = (
        "--- a/x y\n+++ b/x y\n@@ -1,3 +1,2 @@ def f():\n a\u2028\x0c\t\r\n-b\n-@@ -1 +1 @@\n+c\n\\"
        " No newline at end of file\n"
    )
    (hunk,) = parse_unified(diff)
    assert hunk.lines == (
        " a\u2028\x0c\t\r",
        "-b",
        "-@@ -1 +1 @@",
        "+c",
        "\\ No newline at end of file",
    )
    assert hunk.exact_text and (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) == (
        1,
        3,
        1,
        2,
    )
    assert whole_texts((hunk,)) == ("a\u2028\x0c\t\r\nb\n@@ -1 +1 @@\n", "a\u2028\x0c\t\r\nc")
    assert (
        parse_unified("")
        == parse_unified("@@ -1,5 +1,5 @@\n cut\n")
        == parse_unified("text @@ -1 +1 @@\n")
        == ()
    )


def test_patches_inside_programs() -> None:
    body = '*** Begin Patch\n*** Update File: /x\n@@\n-`a` "b"\n+\u0041\\n\n*** End Patch'
    script = (
        "tools.apply_patch("
        + json.dumps(body)
        + "); tools.apply_patch(String.raw`"
        + body.replace("`", "'")
        + "`)"
    )
    assert patches_in_script(script) == [body, body.replace("`", "'")]
    assert patches_in_script("tools.apply_patch(`*** Begin Patch\n${text}\n*** End Patch`)") == []
    assert patches_in_script('"*** Begin Patch never closed') == []
    (edit,) = edits_of_command(f"apply_patch <<'EOF'\n{body}\nEOF")
    assert (edit.by_shell, edits_of_command(f"echo '{body}'")) == (True, [])
    assert commands_in_script(
        'a({cmd:"no"}); exec_command({"cmd":"x \\"y\\"","workdir":"/w"}); exec_command({cmd:`z`})'
    ) == [
        ('x "y"', "/w"),
        ("z", ""),
    ]


def test_display_diff_of_pi() -> None:
    first, second = display_hunks(" 1 a\n-2 b\n+2 c\n+3 d\n 3 e\n   ...\n 8 f\n-9 \tg")
    assert (first.old_start, first.old_count, first.new_start, first.new_count) == (1, 3, 1, 4)
    assert (second.old_start, second.old_count, second.new_start, second.new_count) == (8, 2, 9, 1)
    assert second.lines == (" f", "-\tg")
    assert display_hunks("") == display_hunks(" 1 unchanged") == ()


def test_paths_and_times() -> None:
    assert resolve("/w", "a/../b") == "/w/b"
    assert resolve("C:\\w", "a\\b") == "/c/w/a/b"
    assert resolve("/w", "D:\\x") == "/d/x"
    assert resolve("/w", "~/x") == "~/x"
    assert time_of(1_777_889_000_000) == time_of(1_777_889_000) == 1_777_889_000.0
    assert (
        time_of(10**400) is None
        and time_of(True) is None
        and time_of("2026-05-04T10:00:00Z") is not None
    )


@given(st.text("ab\n", max_size=40), st.integers(0, 40), st.text("ab\n", max_size=12))
def test_copies_agree_up_to_the_line_in_which_they_first_differ(
    text: str, cut: int, rest: str
) -> None:
    one = text.encode()
    other = (text[:cut] + rest).encode()
    same = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    assert same_lines(one, other) == other.rfind(b"\n", 0, same) + 1


def _gemini(*said: tuple[str, str]) -> Session:
    """A session in which the kinds of speakers said these texts."""
    messages = [
        {"id": str(n), "timestamp": f"2026-03-04T09:00:0{n}.000Z", "type": kind, "content": text}
        for n, (kind, text) in enumerate(said)
    ]
    return _read("gemini-cli", [json.dumps({"messages": messages}).encode()])


def test_what_gemini_cli_says_to_itself_is_no_prompt() -> None:
    texts = ["Fix it", "System: Please continue.", "System: Please continue. And test it."]
    session = _gemini(*(("user", text) for text in texts))
    assert [turn.text for turn in session.turns] == [texts[0], texts[2]]
    assert [mark.kind for mark in session.marks] == ["injected"]


@pytest.mark.parametrize(
    ("kinds", "prompts", "marks"),
    [
        (("user", "gemini"), [], ["compaction"]),
        (("user", "user"), ["The talk so far", "Got it. Thanks for the additional context!"], []),
        (("gemini", "gemini"), [], []),
        (("gemini", "user"), ["Got it. Thanks for the additional context!"], []),
    ],
)
def test_only_gemini_cli_itself_answers_to_a_summary(
    kinds: tuple[str, str], prompts: list[str], marks: list[str]
) -> None:
    texts = ["The talk so far", "Got it. Thanks for the additional context!"]
    session = _gemini(*zip(kinds, texts, strict=True))
    assert [turn.text for turn in session.turns] == prompts
    assert [mark.kind for mark in session.marks] == marks


def test_a_session_that_gemini_cli_resumed_keeps_its_calls() -> None:
    """What is written at the beginning of the next run is the talk in the form of the model's
    interface: no calls, no tokens.
    """
    at = {"timestamp": "2026-11-25T09:00:00Z"}
    call = {
        "id": "c1",
        "name": "write_file",
        "args": {"file_path": "/w/a.py", "content": "x = 1\n"},
        "status": "success",
        **at,
    }
    asked = {"id": "u1", "type": "user", "content": [{"text": "write it"}], **at}
    answered = {
        "id": "g1",
        "type": "gemini",
        "content": "Next.",
        "tokens": {"input": 10, "output": 5},
        "toolCalls": [call],
        **at,
    }
    again = [
        asked,
        {
            "id": "g1",
            "type": "gemini",
            "content": [{"text": "Next."}, {"functionCall": {"name": "write_file"}}],
            **at,
        },
        {
            "id": "g1",
            "type": "user",
            "content": [{"functionResponse": {"id": "c1", "response": {"output": "ok"}}}],
            **at,
        },
    ]
    lines = [{"sessionId": "s", "projectHash": "h"}, asked, answered, {"$set": {"messages": again}}]
    session = _READERS["gemini-cli"].read("s", [jsonl(*lines)])
    assert [(len(session.turns), len(session.calls), usage.output) for usage in session.usage] == [
        (1, 1, 5)
    ]


def test_a_log_of_gemini_is_read_as_its_document() -> None:
    document = json.loads((_SAMPLES / "gemini-cli" / "sample.json").read_bytes())
    head = {
        "sessionId": "s",
        "projectHash": "0" * 64,
        "startTime": "2026-06-11T06:27:35Z",
        "kind": "main",
    }
    first, *rest = document["messages"]
    early = {
        "id": first["id"],
        "type": first["type"],
        "timestamp": first["timestamp"],
        "content": "",
    }
    lines = [
        head,
        {"$set": {"messages": [early]}},
        first,
        *rest,
        {"$set": {"lastUpdated": "2026-06-11T07:00:00Z"}},
    ]
    log = jsonl(*lines)
    reader = reader_for(log)
    assert reader is not None and reader.NAME == "gemini-cli"
    read = reader.read("s", [log])
    whole = reader.read("s", [json.dumps(document).encode()])
    assert (read.turns, read.calls, read.messages, read.usage) == (
        whole.turns,
        whole.calls,
        whole.messages,
        whole.usage,
    )
    assert read.calls and [
        problem.code for problem in reader.read("s", [log + b"\n{torn"]).problems
    ] == ["unreadable_lines"]
