"""A hook of the user's that runs after an agent's edit may change the file again: what it leaves
is no person's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.builder import Session, World
from support.line_answers import Answer, about, answers

from collector.vocabulary.lines import Author, Reason

ROWS = """\
import json

def load(path):
    with open(path, 'r') as rows:
        return json.load(rows)

def total(rows):
    return sum(row["cents"] for row in rows)
"""
SHORTER = "    with open(path) as rows:"
TYPED = "    assert rows, 'the ledger is empty'"
FORMAT = "python .claude/hooks/after_edit.py"
Run = Callable[[Session, str], object]


def _answer(directory: Path, run: Run, line: str, old: str = "") -> Answer:
    """What is said of a line that stands in the file after the hook, and before the agent's next
    edit.
    """
    world = World("hook")
    world.human_write("rows.py", ROWS)
    world.commit("Start the ledger")
    session = world.session(prompt="Please go on")
    call = session.edit("rows.py", "for row in rows)", "for row in rows if row)")
    run(session, call)
    (
        world.human_replace("rows.py", old, line)
        if old
        else world.human_insert("rows.py", f"{line}\n", after="def total(rows):")
    )
    world.wait(40)
    session.edit("rows.py", "return json.load(rows)", "return json.loads(rows.read())")
    session.end_turn()
    return about(answers(world, world.commit("Go on", [session]), directory), line.strip())


def _shorten(directory: Path, run: Run) -> Answer:
    return _answer(directory, run, SHORTER, "    with open(path, 'r') as rows:")


def test_line_that_a_hook_left(tmp_path: Path) -> None:
    assert (
        _shorten(tmp_path, lambda session, call: session.hook_run(call, FORMAT)).author
        != Author.HUMAN
    )


def test_line_that_a_hook_of_an_earlier_version_left(tmp_path: Path) -> None:
    assert (
        _shorten(tmp_path, lambda session, call: session.hook_progress(call, FORMAT)).author
        != Author.HUMAN
    )


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(lambda session, call: None, id="no hook"),
        pytest.param(
            lambda session, call: session.hook_run(call, FORMAT, "PreToolUse"),
            id="a hook before the edit",
        ),
        pytest.param(
            lambda session, call: session.hook_run(call, "callback"), id="one of the agent's own"
        ),
        pytest.param(
            lambda session, call: session.hook_progress(call, "callback"),
            id="the same in earlier versions",
        ),
        pytest.param(
            lambda session, call: session.hook_run("toolu_another", FORMAT),
            id="a hook after another call",
        ),
    ],
)
def test_line_of_a_person_where_no_hook_ran(run: Run, tmp_path: Path) -> None:
    assert _shorten(tmp_path, run).author == Author.HUMAN


def test_line_of_a_person_with_words_of_its_own_beside_a_hook(tmp_path: Path) -> None:
    assert (
        _answer(tmp_path, lambda session, call: session.hook_run(call, FORMAT), TYPED).author
        == Author.HUMAN
    )


def test_import_beside_a_linter_that_mends(tmp_path: Path) -> None:
    """It replaces one module with another, so that even a new word is nobody's."""
    line = "from collections.abc import Iterable"
    answer = _answer(
        tmp_path, lambda session, _: session.bash("uv run ruff check --fix ."), line, "import json"
    )
    assert (answer.author, answer.reason) == (Author.UNKNOWN, Reason.FORMATTER)
