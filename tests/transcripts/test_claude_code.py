"""Claude Code's transcripts, where a wrong reading would give lines to the wrong author."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from time import monotonic
from typing import Any

import pytest
from support import ROOT, jsonl

from attribution.authorship.edits import recorded_starts
from attribution.authorship.replay import ReplayStep, Worktree
from attribution.authorship.verdicts import CallRef
from collector.agents import claude_code
from collector.agents.common.messages import PromptKind, classify, without_reminders
from collector.json_values import JsonObject
from collector.model import Edit, Replacement, Session, Status, ToolCall

_SAMPLE = ROOT / "tests" / "data" / "transcripts" / "claude-code" / "sample.jsonl"
W = "/home/ana/work/orchard"


# --- records --------------------------------------------------------------------------------------


def _at(second: int) -> str:
    return f"2026-03-04T09:{second // 60:02d}:{second % 60:02d}.000Z"


def _moment(second: int) -> float:
    return datetime.fromisoformat(_at(second)).timestamp()


def _user(at: int, content: object, **more: Any) -> JsonObject:
    return {
        "type": "user",
        "message": {"role": "user", "content": content},
        "timestamp": _at(at),
        "cwd": W,
        **more,
    }


def _assistant(
    at: int, *blocks: JsonObject, mid: str = "", output: int = 9, **more: Any
) -> JsonObject:
    usage = {
        "input_tokens": 3,
        "output_tokens": output,
        "cache_read_input_tokens": 70,
        "cache_creation_input_tokens": 5,
    }
    message = {
        "id": mid or f"msg_{at}",
        "model": "claude-opus-4-6",
        "role": "assistant",
        "content": list(blocks),
        "usage": usage,
    }
    return {"type": "assistant", "message": message, "timestamp": _at(at), "cwd": W, **more}


def _tool(call_id: str, name: str, **arguments: Any) -> JsonObject:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def _result(
    at: int, call_id: str, detail: object = None, content: object = "done", error: bool = False
) -> JsonObject:
    block: JsonObject = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    if error:
        block["is_error"] = True
    return _user(at, [block], **({"toolUseResult": detail} if detail is not None else {}))


def _queued(at: int, text: object, mode: str | None = "prompt") -> JsonObject:
    attachment: JsonObject = {"type": "queued_command", "prompt": text}
    if mode is not None:
        attachment["commandMode"] = mode
    return {"type": "attachment", "attachment": attachment, "timestamp": _at(at)}


def _lines(*records: JsonObject) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode(
        "utf-8", "surrogatepass"
    )


def _read(*records: JsonObject) -> Session:
    return claude_code.read("s", [_lines(*records)])


def _one(*records: JsonObject) -> ToolCall:
    (call,) = _read(*records).calls
    return call


def _edit_of(call: JsonObject, detail: object = None) -> Edit:
    (edit,) = _one(_assistant(1, call), _result(2, call["id"], detail)).edits
    return edit


def _detail(old: str, new: str, before: str | None, patch: Sequence[JsonObject] = ()) -> JsonObject:
    """What the result of an edit has beside its text."""
    return {
        "filePath": "/w/a",
        "oldString": old,
        "newString": new,
        "originalFile": before,
        "structuredPatch": list(patch),
    }


def _edit_call(old: str, new: str, **more: Any) -> JsonObject:
    return _tool("t", "Edit", file_path="/w/a", old_string=old, new_string=new, **more)


# --- calls ----------------------------------------------------------------------------------------


def test_every_block_of_a_message_is_read() -> None:
    blocks = [_tool(f"t{i}", "Write", file_path=f"{W}/{i}", content="x\n") for i in range(3)]
    session = _read(_assistant(1, {"type": "text", "text": "Three files."}, *blocks))
    assert [call.call_id for call in session.calls] == ["t0", "t1", "t2"]
    assert [said.text for said in session.messages] == ["Three files."]


def test_a_message_streamed_over_several_records_is_counted_once() -> None:
    session = _read(
        _assistant(1, {"type": "text", "text": "a"}, mid="m", output=1),
        _assistant(2, _tool("t1", "Bash", command="ls"), mid="m", output=40),
        _assistant(3, _tool("t2", "Bash", command="ls"), mid="m", output=25),
    )
    (usage,) = session.usage
    assert (usage.message_id, usage.input, usage.output, usage.cache_read, usage.cache_write) == (
        "m",
        3,
        40,
        70,
        5,
    )


def test_same_session_stored_again_adds_nothing() -> None:
    blob = _SAMPLE.read_bytes()
    lines = blob.split(b"\n")
    assert claude_code.read("s", [blob, blob, b"\n".join(lines[:20])]) == claude_code.read(
        "s", [blob]
    )


@pytest.mark.parametrize("envelope", [{"uuid": "u1"}, {}])
def test_two_copies_that_differ_in_a_secret_are_one_event(envelope: JsonObject) -> None:
    """The same record, redacted in a later copy."""
    record = _assistant(
        1, _tool("t1", "Write", file_path=f"{W}/a", content="key=abc\n"), **envelope
    )
    hidden = _assistant(
        1, _tool("t1", "Write", file_path=f"{W}/a", content="key=REDACTED\n"), **envelope
    )
    session = claude_code.read("s", [_lines(record), _lines(hidden)])
    assert [edit.content for call in session.calls for edit in call.edits] == ["key=abc\n"]
    assert len(session.usage) == 1


_QUIET: dict[str, JsonObject] = {
    "prompt": _user(1, "Go"),
    "snapshot": {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    "progress": {
        "type": "progress",
        "data": {"type": "hook_progress", "command": "fmt"},
        "toolUseID": "t0",
    },
}


@pytest.mark.parametrize("first", sorted(_QUIET))
def test_two_values_on_one_line_are_two_records(first: str) -> None:
    call = _assistant(2, _tool("t1", "Bash", command="ls"))
    line = b"".join(
        json.dumps(record, separators=(",", ":")).encode() for record in (_QUIET[first], call)
    )
    session = claude_code.read("s", [line + b"\n\n"])
    assert [c.call_id for c in session.calls] == ["t1"]
    assert len(session.turns) == (first == "prompt")
    assert session.problems == ()


def test_whole_sample_with_all_newlines_lost_says_the_same() -> None:
    blob = _SAMPLE.read_bytes()
    assert (
        claude_code.read("s", [blob.replace(b"\n", b"")]).calls
        == claude_code.read("s", [blob]).calls
    )


def test_line_that_is_cut_off_is_reported_and_costs_nothing_else() -> None:
    blob = _lines(_user(1, "Go"), _assistant(2, _tool("t1", "Bash", command="ls")))
    session = claude_code.read("s", [blob + b'{"type":"user","mess'])
    assert len(session.calls) == 1
    (problem,) = session.problems
    assert (problem.stage, problem.subject, problem.code) == (
        "transcripts",
        "s",
        "unreadable_lines",
    )


def test_unknown_record_types_are_counted_once_each() -> None:
    session = _read({"type": "hologram"}, {"type": "hologram", "n": 2}, {"type": "echo"})
    assert {p.detail for p in session.problems} == {"hologram: 2", "echo: 1"}


def test_known_records_of_no_interest_are_no_problem() -> None:
    quiet = (
        "summary",
        "last-prompt",
        "ai-title",
        "permission-mode",
        "mode",
        "custom-title",
        "agent-name",
        "bridge-session",
    )
    assert _read(*({"type": kind} for kind in quiet)).problems == ()


# --- results --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "detail", "status"),
    [
        (
            "<tool_use_error>String to replace not found in file.</tool_use_error>",
            "Error: String to replace",
            Status.ERROR,
        ),
        (
            "<tool_use_error>File has not been read yet.</tool_use_error>",
            "Error: File has not been read yet.",
            Status.ERROR,
        ),
        (
            "The user doesn't want to proceed with this tool use. …",
            "User rejected tool use",
            Status.REJECTED,
        ),
        (
            "The user doesn't want to proceed … the user said:\nno",
            "Error: The user doesn't want to proceed …",
            Status.REJECTED,
        ),
        ("The user doesn't want to take this action right now.", None, Status.REJECTED),
        ("anything", "User rejected tool use", Status.REJECTED),
        ("[Request interrupted by user for tool use]", None, Status.REJECTED),
        ([{"type": "text", "text": "User rejected it"}], None, Status.REJECTED),
        ("The code says: User rejected", None, Status.ERROR),
    ],
)
def test_errors_and_rejections_are_told_apart(
    content: object, detail: object, status: Status
) -> None:
    call = _one(
        _assistant(1, _edit_call("a", "b")),
        _result(2, "t", detail, content, True),
    )
    assert call.status is status
    assert call.error


def test_result_that_only_talks_of_errors_is_a_success() -> None:
    call = _one(
        _assistant(1, _tool("t", "Read", file_path="/w/a")),
        _result(2, "t", None, "User rejected: error 500"),
    )
    assert (call.status, call.error) == (Status.OK, "")


def test_call_without_a_result_is_neither() -> None:
    assert _one(_assistant(1, _edit_call("a", "b"))).status is Status.UNKNOWN


def test_result_before_its_call_is_joined_to_it() -> None:
    detail = _detail("a", "b", "a\n")
    call = _one(
        _result(5, "t", detail),
        _assistant(4, _edit_call("a", "b")),
    )
    assert call.status is Status.OK
    assert call.edits[0].before == "a\n"
    assert call.done_at is not None and call.at is not None and call.done_at - call.at == 1


def test_fuller_result_of_a_later_copy_is_taken() -> None:
    """A first copy may lack the structured result."""
    call = _edit_call("a", "b")
    detail = _detail("a", "b", "a\n")
    first = _lines(_assistant(1, call), _result(2, "t"))
    second = _lines(_result(2, "t", detail))
    (found,) = claude_code.read("s", [first, second]).calls
    assert found.edits[0].before_known


# --- edits ----------------------------------------------------------------------------------------


def test_text_comes_from_the_call_and_positions_from_the_patch() -> None:
    patch = [
        {"oldStart": 4, "oldLines": 1, "newStart": 4, "newLines": 1, "lines": ["-  a", "+  b"]}
    ]
    edit = _edit_of(_edit_call("\ta", "\tb"), _detail("\ta", "\tb", "\ta\n", patch))
    assert edit.replacements == (Replacement("\ta", "\tb"),)
    (hunk,) = edit.hunks
    assert (hunk.old_start, hunk.new_start, hunk.exact_text) == (4, 4, False)


def test_strings_the_tool_really_used_replace_those_of_the_call() -> None:
    """Curly quotes and blanks at line ends are put right by the tool."""
    detail = _detail("“a”", "“b”", "“a”\n")
    edit = _edit_of(_edit_call('"a"', '"b"', replace_all=True), detail)
    assert edit.replacements == (Replacement("“a”", "“b”", True),)


def test_text_before_that_was_not_recorded_is_not_an_absent_file() -> None:
    detail = _detail("a", "b", None)
    edit = _edit_of(_edit_call("a", "b"), detail)
    assert (edit.before, edit.before_known) == (None, False)


def test_patch_says_where_an_edit_begins_when_the_text_before_is_not_recorded() -> None:
    """The file is known by this edit alone: without the patch its region would begin at line 1."""
    lines = ["   a", "   b", "-  one", "+  two", "+  three", "   c"]
    patch = [{"oldStart": 40, "oldLines": 4, "newStart": 42, "newLines": 5, "lines": lines}]
    old = "\tone"
    new = "\ttwo\n\tthree"
    edit = _edit_of(_edit_call(old, new), _detail(old, new, None, patch))
    assert recorded_starts(edit) == [44]
    tree = Worktree(lambda *_: (), lambda *_: False)
    assert tree.apply(ReplayStep(1.0, 1, "a", edit, CallRef(1, "t", 1, 1.0), "")).applied
    assert [change.start for change in tree.changes] == [44]


@pytest.mark.parametrize(
    ("kind", "content", "before"),
    [
        ("create", "a\n", None),
        ("create", "", None),
        ("update", "b\n", "a\n"),
        ("update", "b\n", ""),
    ],
)
def test_a_write_says_what_was_there_before(kind: str, content: str, before: str | None) -> None:
    """A file that it creates is known not to have existed; an empty one is a known text."""
    detail: JsonObject = {
        "type": kind,
        "filePath": "/w/a",
        "content": content,
        "structuredPatch": [],
        "originalFile": before,
    }
    edit = _edit_of(_tool("t", "Write", file_path="/w/a", content=content), detail)
    assert (edit.op, edit.content) == ("write", content)
    assert (edit.before, edit.before_known) == (before, True)


def test_empty_search_creates_the_file() -> None:
    edit = _edit_of(_tool("t", "Edit", file_path="/w/a", old_string="", new_string="a\n"))
    assert (edit.op, edit.content, edit.replacements) == ("write", "a\n", ())


def test_multi_edit_keeps_order_and_flags() -> None:
    edits = [
        {"old_string": "a", "new_string": "b"},
        {"old_string": "b", "new_string": "c", "replace_all": True},
    ]
    edit = _edit_of(_tool("t", "MultiEdit", file_path="/w/a", edits=edits))
    assert edit.replacements == (Replacement("a", "b"), Replacement("b", "c", True))


def test_multi_edit_keeps_the_text_it_started_from() -> None:
    edits = [{"old_string": "a", "new_string": "b"}]
    detail: JsonObject = {
        "filePath": "/w/a",
        "edits": edits,
        "originalFileContents": "a\n",
        "structuredPatch": [],
        "userModified": False,
    }
    edit = _edit_of(_tool("t", "MultiEdit", file_path="/w/a", edits=edits), detail)
    assert (edit.before, edit.before_known) == ("a\n", True)


def test_notebook_cell_is_an_edit_without_text() -> None:
    edit = _edit_of(
        _tool("t", "NotebookEdit", notebook_path="/w/a.ipynb", new_source="1", edit_mode="insert")
    )
    assert (edit.path, edit.op, edit.content, edit.replacements) == ("/w/a.ipynb", "edit", None, ())


@pytest.mark.parametrize("name", ["mcp__acp__Write", "mcp__acp__Edit"])
def test_editors_that_run_the_agent_have_tools_of_their_own(name: str) -> None:
    edit = _edit_of(
        _tool("t", name, file_path="/w/a", content="x\n", old_string="a", new_string="b")
    )
    assert (edit.op, edit.content) == (
        ("write", "x\n") if name.endswith("Write") else ("edit", None)
    )


@pytest.mark.parametrize(
    ("path", "normal"),
    {
        "C:\\Work\\app\\a.py": "/c/Work/app/a.py",
        "c:/Work/a.py": "/c/Work/a.py",
        "/w/./x/../a.py": "/w/a.py",
        "src/a.py": "src/a.py",
    }.items(),
)
def test_paths_are_spelled_one_way(path: str, normal: str) -> None:
    assert _edit_of(_tool("t", "Write", file_path=path, content="x")).path == normal


def test_tools_that_change_no_file_have_no_edits() -> None:
    names = (
        "Read",
        "Grep",
        "Glob",
        "TodoWrite",
        "WebFetch",
        "Bash",
        "Task",
        "mcp__db__query",
        "ShowPlan",
    )
    session = _read(
        _assistant(
            1,
            *(_tool(f"t{i}", name, file_path="/w/a", content="x") for i, name in enumerate(names)),
        )
    )
    assert [call.edits for call in session.calls] == [()] * len(names)


# --- subagents ------------------------------------------------------------------------------------


def _progress(
    at: int, message: JsonObject, parent: str = "task", agent: str | None = "a1"
) -> JsonObject:
    data: JsonObject = {"type": "agent_progress", "message": message, "prompt": ""}
    if agent is not None:
        data["agentId"] = agent
    return {
        "type": "progress",
        "data": data,
        "parentToolUseID": parent,
        "toolUseID": f"m{at}",
        "timestamp": _at(at),
        "uuid": f"p{at}",
    }


def _nested(at: int, *blocks: JsonObject, uuid: str) -> JsonObject:
    return {
        "type": "assistant",
        "timestamp": _at(at),
        "uuid": uuid,
        "message": {"id": f"n{at}", "model": "small", "content": list(blocks)},
    }


def test_calls_of_a_subagent_are_calls_of_the_session() -> None:
    write = _tool("inner", "Write", file_path="/w/a", content="x\n")
    block = {"type": "tool_result", "tool_use_id": "inner", "content": "ok"}
    answer = {
        "type": "user",
        "timestamp": _at(4),
        "uuid": "i2",
        "message": {"role": "user", "content": [block]},
    }
    session = _read(
        _assistant(1, _tool("task", "Task", subagent_type="general-purpose", prompt="p")),
        _progress(2, _nested(2, write, uuid="i1")),
        _progress(3, _nested(2, write, uuid="i1")),  # shown again
        _progress(4, answer),
        _result(5, "task", {"status": "completed", "agentId": "a1"}),
    )
    task, inner = session.calls
    assert (inner.call_id, inner.agent_id, inner.model, inner.status) == (
        "inner",
        "a1",
        "small",
        Status.OK,
    )
    assert task.spawn is not None and task.spawn.visible
    assert session.turns == ()  # what the subagent was told is no prompt of the user


def test_subagent_without_a_name_is_known_by_the_call_that_started_it() -> None:
    session = _read(
        _assistant(1, _tool("task", "Task", prompt="p")),
        _progress(2, _nested(2, _tool("inner", "Bash", command="ls"), uuid="i1"), agent=None),
        _result(3, "task", {"status": "completed"}),
    )
    assert [call.agent_id for call in session.calls] == ["", "task"]
    assert session.calls[0].spawn is not None and session.calls[0].spawn.visible


@pytest.mark.parametrize(
    ("detail", "edits", "asynchronous"),
    [
        (
            {"agentId": "x", "toolStats": {"editFileCount": 2, "linesAdded": 5, "linesRemoved": 0}},
            2,
            False,
        ),
        ({"agentId": "x", "toolStats": {"editFileCount": 0}}, 0, False),
        ({"agentId": "x"}, None, False),
        ({"agentId": "x", "status": "async_launched"}, None, True),
    ],
)
def test_subagent_nobody_recorded_is_invisible(
    detail: JsonObject, edits: int | None, asynchronous: bool
) -> None:
    call = _one(
        _assistant(1, _tool("t", "Agent", subagent_type="general-purpose", prompt="p")),
        _result(2, "t", detail),
    )
    assert call.spawn is not None
    assert (call.spawn.visible, call.spawn.edits, call.spawn.asynchronous) == (
        False,
        edits,
        asynchronous,
    )


def test_progress_of_hooks_and_shells_says_nothing() -> None:
    session = _read(
        {
            "type": "progress",
            "data": {
                "type": "hook_progress",
                "message": _nested(1, _tool("x", "Bash", command="ls"), uuid="i"),
            },
        },
        {"type": "progress", "data": {"type": "bash_progress", "output": "…"}, "timestamp": _at(2)},
    )
    assert (session.calls, session.problems) == ((), ())


# --- shell ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "detail", "commits"),
    [
        ("git commit -m x", {"stdout": "[main 1a2b3c4] x\n 1 file"}, ("1a2b3c4",)),
        ("git commit -m x", {"stdout": "[main (root-commit) 1a2b3c4] x"}, ("1a2b3c4",)),
        ("git commit -m x", {"stdout": "[detached HEAD 1a2b3c4] x"}, ("1a2b3c4",)),
        (
            "git commit -m a; git commit -m b",
            {"stdout": "[m 1111111] a\n[m 2222222] b\n[m 1111111] a"},
            ("1111111", "2222222"),
        ),
        (
            "git commit -qm x",
            {"stdout": "", "gitOperation": {"commit": {"sha": "c9c1515", "kind": "committed"}}},
            ("c9c1515",),
        ),
        ("git log", {"stdout": "1a2b3c4 [main 9999999] said the log"}, ()),
        ("cat notes", {"stdout": "[main 1a2b3c4] x"}, ()),
    ],
)
def test_commits_an_agent_made_are_known_by_their_ids(
    command: str, detail: JsonObject, commits: tuple[str, ...]
) -> None:
    assert (
        _one(_assistant(1, _tool("t", "Bash", command=command)), _result(2, "t", detail)).commits
        == commits
    )


def test_command_knows_where_it_ran_and_what_it_said() -> None:
    record = _assistant(1, _tool("t", "Bash", command="ls", run_in_background=True)) | {
        "cwd": f"{W}/sub/"
    }
    call = _one(record, _result(2, "t", {"stdout": "x" * 150_000}))
    assert call.command is not None
    assert (call.command.text, call.command.cwd, call.command.background) == (
        "ls",
        f"{W}/sub",
        True,
    )
    assert call.command.output == "x" * 100_000


def _notice(status: str, call: str = "t", task: str = "b1") -> str:
    ids = (
        f"<task-id>{task}</task-id>\n<tool-use-id>{call}</tool-use-id>"
        if call
        else f"<task-id>{task}</task-id>"
    )
    return f"<task-notification>\n{ids}\n<status>{status}</status>\n</task-notification>"


def _in_background(*later: JsonObject) -> Session:
    begun = _tool("t", "Bash", command="python build.py", run_in_background=True)
    return _read(
        _assistant(1, begun), _result(2, "t", {"stdout": "", "backgroundTaskId": "b1"}), *later
    )


def test_a_task_that_was_over_before_the_command_began_is_another_of_the_same_name() -> None:
    begun = _tool("t0", "Bash", command="make", run_in_background=True)
    over = _result(5, "asked", {"shellId": "bash_1", "status": "completed"})
    again = _tool("t", "Bash", command="python build.py", run_in_background=True)
    launched = (
        _result(2, "t0", {"backgroundTaskId": "bash_1"}),
        _assistant(4, _tool("asked", "BashOutput", bash_id="bash_1")),
        over,
    )
    calls = _read(
        _assistant(1, begun),
        *launched,
        _assistant(6, again),
        _result(7, "t", {"backgroundTaskId": "bash_1"}),
    ).calls
    assert {call.call_id: call.over_at for call in calls} == {
        "t0": _moment(5),
        "asked": None,
        "t": None,
    }


def _asked(name: str, detail: JsonObject) -> tuple[JsonObject, JsonObject]:
    return _assistant(8, _tool("asked", name, task_id="b1")), _result(9, "asked", detail)


@pytest.mark.parametrize(
    "later",
    [
        *((_user(9, _notice(status)),) for status in ("completed", "failed", "killed")),
        (_user(9, _notice("completed", call="")),),
        (_queued(9, _notice("completed"), "task-notification"),),
        (_user(9, _notice("running", "other", "b2") + _notice("completed")),),
        _asked(
            "TaskOutput",
            {"retrieval_status": "success", "task": {"task_id": "b1", "status": "completed"}},
        ),
        _asked("BashOutput", {"shellId": "b1", "status": "completed", "exitCode": 0}),
        _asked("KillShell", {"message": "Successfully killed shell: b1 (x)", "shell_id": "b1"}),
        _asked("TaskStop", {"message": "Successfully stopped task: b1 (x)", "task_id": "b1"}),
    ],
)
def test_a_command_in_the_background_is_over_when_the_record_says_so(
    later: tuple[JsonObject, ...],
) -> None:
    call = _in_background(*later).calls[0]
    assert (call.over_at, call.done_at) == (_moment(9), _moment(2))


@pytest.mark.parametrize(
    "later",
    [
        (),
        (_user(9, _notice("running")),),
        (_user(9, _notice("completed", "other", "b2")),),
        (_user(9, _notice("running") + _notice("completed", "other", "b2")),),
        _asked(
            "TaskOutput",
            {"retrieval_status": "timeout", "task": {"task_id": "b1", "status": "running"}},
        ),
        _asked("BashOutput", {"shellId": "b2", "status": "completed"}),
        _asked("KillShell", {"message": "No shell found with ID: b1", "shell_id": "b1"}),
    ],
)
def test_a_command_in_the_background_goes_on_where_nothing_says_that_it_is_over(
    later: tuple[JsonObject, ...],
) -> None:
    assert _in_background(*later).calls[0].over_at is None


@pytest.mark.parametrize(
    "detail", [{"status": "completed", "agentId": "a7"}, {"status": "completed"}]
)
@pytest.mark.parametrize("launched", [None, {"stdout": ""}])
def test_a_subagent_that_is_done_ends_no_command_whose_task_is_not_on_record(
    detail: JsonObject, launched: JsonObject | None
) -> None:
    begun = (
        _assistant(1, _tool("t", "Bash", command="python build.py", run_in_background=True)),
        _result(2, "t", launched),
    )
    asked = _assistant(8, _tool("asked", "Agent", prompt="p")), _result(9, "asked", detail)
    assert _read(*begun, *asked).calls[0].over_at is None


def test_a_subagent_in_the_background_is_over_with_its_last_notice() -> None:
    begun = (
        _assistant(1, _tool("t", "Agent", prompt="p")),
        _result(2, "t", {"agentId": "a7", "status": "async_launched"}),
    )
    assert _one(
        *begun, _user(5, _notice("completed", "t", "a7")), _user(9, _notice("completed", "", "a7"))
    ).over_at == _moment(9)


def test_many_ids_without_a_state_take_no_time() -> None:
    began = monotonic()
    assert _in_background(_user(9, "<task-id>b1</task-id>\n" * 6_000)).calls[0].over_at is None
    assert monotonic() - began < 2


def test_windows_shell_is_a_shell() -> None:
    assert _one(_assistant(1, _tool("t", "PowerShell", command="dir"))).command is not None


# --- sightings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "count", "total", "whole"),
    [(1, 3, 3, True), (1, 2, 3, False), (2, 2, 3, False), (1, 0, 0, False)],
)
def test_only_a_read_of_the_whole_file_shows_the_whole_file(
    start: int, count: int, total: int, whole: bool
) -> None:
    file = {
        "filePath": "/w/a",
        "content": "x\n",
        "startLine": start,
        "numLines": count,
        "totalLines": total,
    }
    call = _one(
        _assistant(1, _tool("t", "Read", file_path="/w/a")),
        _result(2, "t", {"type": "text", "file": file}),
    )
    assert call.seen is not None
    assert (call.seen.whole, call.seen.start) == (whole, start)


@pytest.mark.parametrize(
    "detail",
    [
        {"type": "image", "file": {"content": "aGk=", "numLines": 1, "totalLines": 1}},
        "Error: no",
        {},
    ],
)
def test_pictures_and_errors_show_no_text(detail: object) -> None:
    assert (
        _one(_assistant(1, _tool("t", "Read", file_path="/w/a.png")), _result(2, "t", detail)).seen
        is None
    )


@pytest.mark.parametrize("mark", ["→", "\t"])
def test_notice_of_an_outside_edit_gives_the_lines_as_they_are(mark: str) -> None:
    snippet = f"     7{mark}\tx := 1\n     8{mark}\n     9{mark}}}\n... more"
    attachment = {"type": "edited_text_file", "filename": "/w/a.go", "snippet": snippet}
    (notice,) = _read({"type": "attachment", "attachment": attachment, "timestamp": _at(1)}).notices
    assert (notice.path, notice.start, notice.text) == ("/w/a.go", 7, "\tx := 1\n\n}")
    assert notice.outside_edit and not notice.whole


# --- what the user said ---------------------------------------------------------------------------


KINDS = {
    PromptKind.PROMPT: [
        "Fix the bug",
        "The log says [Request interrupted by user]",
        "Caveat: this is mine",
        "Please implement the following plan:",
        "<div> is broken",
    ],
    PromptKind.INTERRUPT: [
        "  \n[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
    ],
    PromptKind.INJECTED: [
        "<local-command-stdout>ok</local-command-stdout>",
        "<local-command-caveat>x",
        "Caveat: The messages below were generated by the user while running local commands",
        "This session is being continued from a previous conversation that ran out",
        "Base directory for this skill: /x",
        "<task-notification>done</task-notification>",
        '<agent-message from="reviewer">done</agent-message>',
        "<bash-stdout>ls</bash-stdout>",
    ],
    PromptKind.USER_SHELL: [
        "<bash-input>ls</bash-input>",
    ],
    PromptKind.COMMAND: [
        "<command-name>/clear</command-name>",
        "<command-message>x</command-message>",
    ],
    PromptKind.PLAN: [
        "Implement the following plan:\n\n# Plan",
    ],
}


@pytest.mark.parametrize(
    ("text", "kind"),
    [(text, kind) for kind, texts in KINDS.items() for text in texts],
)
def test_kinds_of_user_texts(text: str, kind: PromptKind) -> None:
    assert classify(text) is kind


def test_harness_texts_are_known_by_their_flags() -> None:
    assert classify("Continue.", is_meta=True) is PromptKind.INJECTED
    assert classify("Anything", is_summary=True) is PromptKind.INJECTED
    assert classify("<command-name>/x</command-name>", is_meta=True) is PromptKind.COMMAND


def test_reminders_and_editor_context_are_no_words_of_the_user() -> None:
    text = (
        "<ide_selection>lines 1 to 3\nof a.py</ide_selection>\nFix"
        " <b>\n<system-reminder>\na\nb\n</system-reminder>\nit"
    )
    assert without_reminders(text) == "Fix <b>\nit"


def test_prompt_that_is_only_a_reminder_starts_no_turn() -> None:
    assert _read(_user(1, "<system-reminder>x</system-reminder>")).turns == ()


def test_what_the_harness_says_beside_loaded_tools_is_no_prompt() -> None:
    """Claude Code 2.1.70: `Tool loaded.` stands as a text beside the result of ToolSearch. Other
    texts there were typed.
    """

    def answer(content: object, *texts: str) -> list[str]:
        blocks = [
            {"type": "tool_result", "tool_use_id": "t", "content": content},
            *({"type": "text", "text": t} for t in texts),
        ]
        return [
            turn.text
            for turn in _read(
                _assistant(1, _tool("t", "ToolSearch", query="select:Edit")), _user(2, blocks)
            ).turns
        ]

    loaded = [{"type": "tool_reference", "tool_name": "Edit"}]
    assert answer(loaded, "Tool loaded.") == []
    assert answer(loaded, "Tool loaded.", "and test it") == ["and test it"]
    assert answer("done", "Tool loaded.") == ["Tool loaded."]
    assert answer([{"type": "text", "text": "done"}], "and test it") == ["and test it"]


def test_turn_is_the_last_prompt_before_the_event() -> None:
    session = _read(
        _assistant(1, _tool("early", "Bash", command="ls")),
        _user(2, "One"),
        _assistant(3, _tool("a", "Bash", command="ls")),
        _user(4, "<local-command-stdout>x</local-command-stdout>"),
        _assistant(5, _tool("b", "Bash", command="ls")),
        _user(6, [{"type": "text", "text": "Two"}, {"type": "image", "source": {}}]),
        _assistant(7, _tool("c", "Bash", command="ls")),
    )
    assert [(call.call_id, call.turn) for call in session.calls] == [
        ("early", 0),
        ("a", 1),
        ("b", 1),
        ("c", 2),
    ]
    assert [turn.text for turn in session.turns] == ["One", "Two"]


@pytest.mark.parametrize(
    ("record", "turns"),
    [
        (_queued(1, "And tests"), [("queued", "And tests")]),
        (_queued(1, "And tests", None), [("queued", "And tests")]),
        (
            _queued(1, [{"type": "text", "text": "And"}, {"type": "text", "text": "tests"}]),
            [("queued", "And\ntests")],
        ),
        (_queued(1, "<task-notification>x</task-notification>", "task-notification"), []),
        (_queued(1, "<task-notification>x</task-notification>"), []),
        (_queued(1, "  "), []),
    ],
)
def test_prompt_typed_while_the_agent_works_is_a_turn(
    record: JsonObject, turns: list[tuple[str, str]]
) -> None:
    assert [(turn.origin, turn.text) for turn in _read(record).turns] == turns


def test_queued_prompt_delivered_as_an_ordinary_one_is_one_turn() -> None:
    session = _read(_queued(1, "And tests"), _user(2, "And tests"), _user(9, "Go on"))
    assert [turn.origin for turn in session.turns] == ["queued", "prompt"]


def test_prompt_said_again_later_is_a_turn_of_its_own() -> None:
    session = _read(
        _queued(1, "Go on"),
        _user(2, "Go on"),
        _assistant(3, _tool("t", "Bash", command="ls")),
        _user(9, "Go on"),
    )
    assert [turn.origin for turn in session.turns] == ["queued", "prompt"]


def test_interrupts_and_compactions_are_marked() -> None:
    session = _read(
        _user(1, "Go"),
        _user(2, [{"type": "text", "text": "[Request interrupted by user]"}]),
        _user(3, "[Request interrupted by user for tool use]"),
        {
            "type": "system",
            "subtype": "compact_boundary",
            "compactMetadata": {"trigger": "auto"},
            "timestamp": _at(4),
        },
        {"type": "system", "subtype": "microcompact_boundary", "timestamp": _at(5)},
        _user(
            6, "This session is being continued from a previous conversation", isCompactSummary=True
        ),
    )
    assert [mark.kind for mark in session.marks] == [
        "interrupt",
        "interrupt_tool",
        "compaction",
        "microcompaction",
        "injected",
    ]
    assert len(session.turns) == 1


def test_records_without_times_keep_their_order() -> None:
    records = [
        _user(1, "One"),
        _assistant(2, _tool("a", "Bash", command="ls")),
        _user(3, "Two"),
        _assistant(4, _tool("b", "Bash", command="ls")),
    ]
    for record in records:
        del record["timestamp"]
    session = _read(*records)
    assert [(call.call_id, call.turn) for call in session.calls] == [("a", 1), ("b", 2)]
    assert (session.started_at, session.ended_at) == (None, None)


PARENT = {"parentUuid": "11111111-aaaa-bbbb-cccc-000000000000"}


def test_transcript_whose_first_record_continues_another_has_lost_its_beginning() -> None:
    assert not _read(_user(1, "go", parentUuid=None), _user(2, "on", **PARENT)).truncated_start
    lost = _read(
        _user(1, "go", **PARENT),
        _user(2, "on", **PARENT),
        _user(3, "and", **PARENT),
        _user(4, "x", **PARENT),
    )
    assert lost.truncated_start
    assert [p.code for p in lost.problems] == ["beginning_missing"]


def test_leftovers_of_a_cleared_session_are_no_lost_beginning() -> None:
    assert not _read(
        _user(1, "no", **PARENT),
        _user(2, "stop", **PARENT),
        _user(2, "go", parentUuid=None),
    ).truncated_start


def test_copy_that_has_the_beginning_makes_the_session_whole() -> None:
    late = _lines(*[_user(n, f"later {n}", **PARENT) for n in range(10, 15)])
    whole = _lines(_user(1, "go", parentUuid=None))
    assert claude_code.read("s", [late]).truncated_start
    assert not claude_code.read("s", [late, whole]).truncated_start


# --- costs on record ------------------------------------------------------------------------------


def _cost_state(total: float, unknown: bool = False) -> JsonObject:
    return {
        "type": "cost-state",
        "sessionId": "s",
        "totalCostUSD": total,
        "modelUsage": {},
        "hasUnknownModelCost": unknown,
    }


def _costs(*records: JsonObject) -> list[float | None]:
    return [used.cost and round(used.cost, 6) for used in _read(_user(0, "go"), *records).usage]


def test_the_cost_on_record_is_divided_by_the_tokens_of_the_responses_so_far() -> None:
    first = _assistant(1, {"type": "text", "text": "a"})
    second = _assistant(2, {"type": "text", "text": "b"}, output=25)
    costs = _costs(first, _cost_state(0.1), second, _cost_state(0.4))
    assert costs == [
        pytest.approx(0.4 * 61.25 / 202.5, abs=1e-6),
        pytest.approx(0.4 * 141.25 / 202.5, abs=1e-6),
    ]


def test_a_response_after_the_last_cost_on_record_has_none() -> None:
    costs = _costs(
        _assistant(1, {"type": "text", "text": "a"}),
        _cost_state(0.1),
        _assistant(2, {"type": "text", "text": "b"}),
    )
    assert costs == [0.1, None]


def test_a_cost_that_leaves_out_unknown_models_or_is_none_does_not_count() -> None:
    answer = _assistant(1, {"type": "text", "text": "a"})
    assert (
        _costs(answer, _cost_state(0.1, unknown=True))
        == _costs(answer, _cost_state(0))
        == _costs(answer)
        == [None]
    )


@pytest.mark.parametrize(
    ("speed", "fast"), {"fast": True, "standard": False, None: False, 1: False}.items()
)
def test_a_response_says_whether_it_is_of_the_fast_tier(speed: object, fast: bool) -> None:
    answer = _assistant(1, {"type": "text", "text": "a"})
    answer["message"]["usage"]["speed"] = speed
    assert [used.fast for used in _read(_user(0, "go"), answer).usage] == [fast]


# --- texts beside prompts -------------------------------------------------------------------------


def _shown(**attachment: Any) -> list[tuple[int, str, bool]]:
    session = _read(
        _user(0, "Go on"),
        {"type": "attachment", "attachment": attachment, "timestamp": _at(1), "cwd": W},
    )
    assert {item.path for item in session.notices} <= {f"{W}/basket.go"}
    return [(item.start, item.text, item.whole) for item in session.notices]


def test_every_part_of_a_notice_is_seen() -> None:
    """The notice shows what is around each change, and what lies between is left out."""
    snippet = "4\ta := 1\n5\tb := 2\n...\n     90→y := 8\n    91→z := 9\n"
    parts = [(4, "a := 1\nb := 2", False), (90, "y := 8\nz := 9", False)]
    assert _shown(type="edited_text_file", filename=f"{W}/basket.go", snippet=snippet) == parts


def test_a_cut_notice_has_what_is_numbered() -> None:
    snippet = "7\ta := 1\n\n... [30 lines truncated] ..."
    assert _shown(type="edited_text_file", filename=f"{W}/basket.go", snippet=snippet) == [
        (7, "a := 1", False)
    ]


@pytest.mark.parametrize(("start", "count", "whole"), [(1, 2, True), (3, 2, False), (1, 1, False)])
def test_a_file_named_in_a_prompt_is_seen_as_far_as_it_is_shown(
    start: int, count: int, whole: bool
) -> None:
    file = {
        "filePath": f"{W}/basket.go",
        "content": "a\nb",
        "numLines": count,
        "startLine": start,
        "totalLines": 2,
    }
    assert _shown(
        type="file", filename=f"{W}/basket.go", content={"type": "text", "file": file}
    ) == [(start, "a\nb", whole)]


def test_a_picture_named_in_a_prompt_is_no_text() -> None:
    picture = {"type": "image", "file": {"base64": "iVBORw0KGgo", "type": "image/png"}}
    assert _shown(type="file", filename=f"{W}/basket.png", content=picture) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"content": "Tabs.\n", "contentDiffersFromDisk": False}, (1, "Tabs.\n", True)),
        (
            {
                "content": "Tabs.\n",
                "contentDiffersFromDisk": True,
                "rawContent": "---\n---\nTabs.\n",
            },
            (1, "---\n---\nTabs.\n", True),
        ),
        ({"content": "Tabs.\n"}, (1, "Tabs.\n", False)),
    ],
    ids=["as on disk", "another text on disk", "perhaps without its comments"],
)
def test_rules_of_a_directory_are_seen_as_they_are_on_disk(
    content: JsonObject, expected: tuple[int, str, bool]
) -> None:
    assert _shown(type="nested_memory", path="", content={"path": f"{W}/basket.go", **content}) == [
        expected
    ]


@pytest.mark.parametrize(
    ("detail", "searches"),
    [
        (
            {
                "query": "q",
                "searchCount": 2,
                "results": [{"tool_use_id": "srvtoolu_1", "content": []}],
            },
            2,
        ),
        (
            {
                "query": "q",
                "results": [{"tool_use_id": "srvtoolu_1", "content": []}, "what it found"],
            },
            1,
        ),
        ({"query": "q", "results": ["Web search error: unavailable"]}, 0),
        ("Error: not allowed", 0),
        (None, 0),
    ],
)
def test_searches_of_the_web_are_counted(detail: object, searches: int) -> None:
    call = _one(_assistant(1, _tool("a", "WebSearch", query="q")), _result(2, "a", detail))
    assert (call.searches, call.model) == (searches, "claude-opus-4-6")


@pytest.mark.parametrize(("seconds", "holes"), [(30, 0), (600, 1)])
def test_records_that_are_missing_in_the_middle_leave_a_hole(seconds: int, holes: int) -> None:
    times = [0, 1, 2, 3, 4, 4 + seconds, 5 + seconds]
    records = [_user(at, f"text {at}", uuid=f"u{at}", sessionId="s") for at in times]
    records[0]["parentUuid"] = None
    for record, parent in zip(records[1:], times, strict=False):
        record["parentUuid"] = f"u{parent}"
    records[5]["parentUuid"] = "of a record that is not here"
    lines = jsonl(*records)
    session = claude_code.read("s", [lines])
    assert [tuple(hole) for hole in session.holes] == [(_moment(4), _moment(604))][:holes]
    assert [problem.code for problem in session.problems] == ["records_missing"][:holes]
