"""Drafts that an agent writes outside the repository and copies into it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.builder import Session, World
from support.builder.lines import Line, new_file
from support.line_answers import Answer, answers

from attribution.authorship.case import AttributionWindow
from attribution.authorship.replay import ReplayStep
from attribution.authorship.session_edits import session_edits
from attribution.authorship.timeline import Timeline, timelines
from attribution.authorship.worktree_roots import WorktreeRoots
from collector.model import Command, Edit, Replacement, Status, ToolCall
from collector.model import Session as Recorded

DRAFT = "/tmp/claude/scratchpad/rows.py"
TEXT = "import sys\n\n\ndef rows_of(path):\n    return open(path).read().split()\n"


def _write(at: float, path: str = DRAFT, text: str = TEXT) -> ToolCall:
    return ToolCall(
        f"w{at}", "Write", 1, at, at, Status.OK, edits=(Edit(path, "write", content=text),)
    )


def _edit(at: float, old: str, new: str) -> ToolCall:
    return ToolCall(
        f"e{at}",
        "Edit",
        1,
        at,
        at,
        Status.OK,
        edits=(Edit(DRAFT, "edit", (Replacement(old, new),)),),
    )


def _run(at: float, command: str, status: Status = Status.OK) -> ToolCall:
    return ToolCall(f"b{at}", "Bash", 1, at, at, status, command=Command(command, "/w"))


def _timeline(*calls: ToolCall) -> Timeline:
    places = WorktreeRoots(frozenset({"src/app.py", "rows.py"}))
    places.learn(["/w/src/app.py"], ["/w"])
    places.settle()
    track = session_edits(
        Recorded(
            "s", "claude-code", ("/w",), calls=(_write(1.0, "/w/src/app.py", "a = 1\n"), *calls)
        ),
        1,
    )
    return timelines([track], places)[0]["/w"]


def _arrived(*calls: ToolCall) -> list[ReplayStep]:
    return [step for step in _timeline(*calls).steps if step.path != "src/app.py"]


@pytest.mark.parametrize(
    "command", [f"cp {DRAFT} rows.py", f"mv {DRAFT} /w/rows.py", f"mkdir -p x && cp {DRAFT} ."]
)
def test_text_written_outside_arrives_with_the_copy(command: str) -> None:
    step = _arrived(_write(10.0), _run(20.0, command))[-1]
    assert (step.path, step.edit.op, step.edit.content, step.at, step.call.call_id) == (
        "rows.py",
        "write",
        TEXT,
        20.0,
        "b20.0",
    )


@pytest.mark.parametrize(
    ("command", "path"),
    {
        "mv draft.py src": "src/draft.py",
        "mkdir -p src && mv draft.py src": "src/draft.py",
        "cp draft.py src": "src/draft.py",
        "cp draft.py src/": "src/draft.py",
        "git mv draft.py src": "src/draft.py",
        "Move-Item draft.py src": "src/draft.py",
        "cd src && mv ../draft.py .": "src/draft.py",
        "mv draft.py rows.py": "rows.py",
        "mv draft.py src/app.py": "src/app.py",
        "mv draft.py other": "other",  # the repository never had such a directory
    }.items(),
)
def test_a_file_that_is_moved_into_a_directory_stands_in_it(command: str, path: str) -> None:
    places = WorktreeRoots(frozenset({"src/app.py", "src/draft.py", "rows.py"}))
    places.learn(["/w/src/app.py"], ["/w"])
    places.settle()
    calls = (
        _write(1.0, "/w/src/app.py", "a = 1\n"),
        _write(2.0, "/w/draft.py"),
        _run(3.0, command),
    )
    track = session_edits(Recorded("s", "claude-code", ("/w",), calls=calls), 1)
    step = timelines([track], places)[0]["/w"].steps[-1]
    assert (step.path, step.new_path) == ("draft.py", path)


def test_what_arrives_is_the_text_after_the_earlier_calls() -> None:
    calls = (_write(10.0), _edit(12.0, "read()", "read(1000)"))
    step = _arrived(*calls, _run(20.0, f"cp {DRAFT} rows.py"), _edit(30.0, "def", "async def"))[-1]
    assert step.edit.content == TEXT.replace("read()", "read(1000)")


@pytest.mark.parametrize(
    "calls",
    [
        (),  # never seen
        (_edit(12.0, "read()", "read(1000)"),),  # somebody else's text
        (_write(10.0), _edit(12.0, "not there", "x")),
        (_write(10.0), _run(12.0, f"rm {DRAFT}")),
        (_write(10.0), _run(12.0, f"mv {DRAFT} /tmp/other.py")),
    ],
)
def test_text_that_is_not_known_does_not_arrive(calls: tuple[ToolCall, ...]) -> None:
    assert [step.edit.content for step in _arrived(*calls, _run(20.0, f"cp {DRAFT} rows.py"))] in (
        [],
        [None],
    )


def test_a_copy_that_failed_brings_nothing() -> None:
    assert not _arrived(_write(10.0), _run(20.0, f"cp {DRAFT} rows.py", Status.ERROR))


def test_copy_of_a_copy_outside() -> None:
    step = _arrived(
        _write(10.0), _run(12.0, f"cp {DRAFT} /tmp/b.py"), _run(20.0, "cp /tmp/b.py rows.py")
    )[-1]
    assert step.edit.content == TEXT


@pytest.mark.parametrize(
    ("between", "answer"),
    {
        f"black {DRAFT}": "opaque_shell",
        "./tool": "opaque_shell",
        "ls /tmp": "",
        "rm /tmp/x": "",
        "black /tmp/other.py": "",
    }.items(),
)
def test_a_command_of_unknown_effect_before_the_copy_stays_a_doubt(
    between: str, answer: str
) -> None:
    gaps = _timeline(_write(10.0), _run(12.0, between), _run(20.0, f"cp {DRAFT} rows.py")).windows
    assert gaps.cause(AttributionWindow("rows.py", 20.0, 100.0)).reason == answer


# --- through the whole program --------------------------------------------------------------------


def _of_rows(tmp_path: Path, text: str, between: str = "") -> list[Answer]:
    world = World("brought")
    world.human_write("src/app.py", "a = 1\n")
    world.commit("Start by hand")
    session: Session = world.session()
    session.prompt("Write a script")
    session.edit("src/app.py", "a = 1", "a = 2")
    session.write_outside(DRAFT, TEXT)
    if between:
        session.bash(between)
    session.bash(
        f"cp {DRAFT} rows.py",
        lambda _: world.put("rows.py", new_file(text, lambda line: Line(line, "shell"))),
    )
    session.end_turn()
    return answers(world, world.commit("A script", [session]), tmp_path)["rows.py"]


def test_a_script_that_was_written_elsewhere_is_the_agents(tmp_path: Path) -> None:
    assert {one.author for one in _of_rows(tmp_path, TEXT)} == {"agent"}


def test_a_draft_that_a_formatter_changed_on_the_way_makes_no_person(tmp_path: Path) -> None:
    changed = TEXT.replace("import sys\n", "import sys\nfrom __future__ import annotations\n")
    assert {one.author for one in _of_rows(tmp_path, changed, f"ruff check --fix {DRAFT}")} <= {
        "agent",
        "unknown",
    }
