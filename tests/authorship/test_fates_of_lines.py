"""What became of an agent's lines: a person took them only where a witness shows that person; a
formatter's part is its own.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.answers import analysed_store
from support.builder import World
from support.builder.session import Session
from support.invariants import broken_checks

from attribution.authorship.align import is_relaid
from attribution.stages.line_rows import FATES
from collector.json_values import Numbers

WRITTEN = (
    "def pick(first, second):\n    if (\n        first and\n        second\n    ):\n        return"
    " 1\n    return 0\n"
)
JOINED = "def pick(first, second):\n    if first and second:\n        return 1\n    return 0\n"


def _start() -> tuple[World, Session]:
    world = World("fates", "v1")
    world.human_write("README.md", "# Fates\n")
    world.commit("Start")
    session = world.session(prompt="Add a choice")
    session.write("pick.py", WRITTEN)
    return world, session


def _fates(world: World, session: Session, tmp_path: Path) -> Numbers:
    world.commit("Add a choice", [session])
    with analysed_store(world.build(tmp_path / "repo"), tmp_path / "out.db") as store:
        (row,) = store.rows(f"SELECT {', '.join(FATES)} FROM session_stats")
        assert not broken_checks(store)
    return {name: count for name, count in row.items() if count}


@pytest.mark.parametrize("looked", [False, True])
def test_lines_that_a_formatter_joined_are_not_a_persons(looked: bool, tmp_path: Path) -> None:
    world, session = _start()
    world.formatter("pick.py", lambda _: JOINED)
    if looked:
        session.read("pick.py")
    session.end_turn()
    assert _fates(world, session, tmp_path) == {"survived": 3, "reformatted": 4}


def test_what_only_the_commit_shows_in_another_text_is_nobodys(tmp_path: Path) -> None:
    world, session = _start()
    session.end_turn()
    world.human_replace(
        "pick.py",
        "        first and\n        second\n",
        "        any(map(bool, remaining_candidates))\n",
    )
    fates = _fates(world, session, tmp_path)
    assert fates == {"survived": 5, "unexplained": 2}


def test_what_a_person_replaced_before_the_agent_looked_again_is_that_persons(
    tmp_path: Path,
) -> None:
    world, session = _start()
    world.human_replace(
        "pick.py",
        "        first and\n        second\n",
        "        any(map(bool, remaining_candidates))\n",
    )
    session.read("pick.py")
    session.end_turn()
    assert _fates(world, session, tmp_path) == {"survived": 5, "human_overwritten": 2}


def test_a_deletion_that_the_session_saw_is_a_persons_and_one_that_it_did_not_see_is_nobodys(
    tmp_path: Path,
) -> None:
    world, session = _start()
    world.human_delete("pick.py", "    return 0\n")
    session.read("pick.py")
    session.end_turn()
    world.human_delete("pick.py", "        return 1\n")
    assert _fates(world, session, tmp_path) == {
        "survived": 5,
        "human_deleted": 1,
        "not_committed": 1,
    }


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (["if (", "a and", "b", "):"], ["if a and b:"], True),
        (["call(a, 'b')"], ["call(", "    a,", '    "b",', ")"], True),
        (["import b", "import a"], ["import a", "import b"], True),
        (["a + b"], ["a - b"], False),
        (["a and b"], ["a"], False),
        (["a"], [], False),
    ],
)
def test_another_layout_says_the_same_and_nothing_else(
    old: list[str], new: list[str], same: bool
) -> None:
    assert is_relaid(old, new) is same
