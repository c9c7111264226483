"""`attribute turns`: what each prompt led to, against a history whose truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.builder import World
from support.commands import rows, run

from attribution.browse.queries import QUERIES
from collector.storage.store import Store

_NAMES = ("turn_index", "calls", "edits", "places_again", "places_undone", "committed", "old_enough", "gone_30_days", "present")


@pytest.fixture
def database(tmp_path: Path) -> tuple[Path, Path]:
    """Three turns: a file, one of its lines changed, the change taken back and another file, which is replaced much later."""
    world = World("turns")
    world.human_write("a.py", "a = 1\n")
    world.commit("Start")
    session = world.session()
    session.prompt("Write it")
    session.write("new.py", "first_value = 1\nsecond_value = 2\nthird_value = 3\n")
    session.end_turn()
    session.prompt("Change the second value")
    session.edit("new.py", "second_value = 2", "second_value = 22")
    session.end_turn()
    session.prompt("No, put it back. And one more")
    session.edit("new.py", "second_value = 22", "second_value = 2")
    session.write("other.py", "fourth_value = 4\n")
    session.end_turn()
    world.commit("Both", [session])
    world.wait(40 * 86_400)
    world.human_write("other.py", "something_else = 5\n")
    world.commit("Much later")
    repo, db = world.build(tmp_path / "repo"), tmp_path / "out.db"
    assert run("survival", repo, "--db", db, "--no-curves").exit_code == 0
    return repo, db


def test_one_row_per_turn(database: tuple[Path, Path]) -> None:
    repo, db = database
    found = rows(run("turns", repo, "--db", db, "--csv"))
    assert [tuple(int(row[name]) for name in _NAMES) for row in found] == [
        (1, 1, 1, 1, 0, 2, 2, 0, 2),
        (2, 1, 1, 1, 1, 0, 0, 0, 0),
        (3, 2, 2, 0, 0, 2, 2, 0, 1),
    ]
    assert found[2]["prompt"] == "No, put it back. And one more"
    assert "places again" in run("turns", repo, "--db", db).stdout
    assert run("check", "--db", db).exit_code == 0


def test_the_saved_queries_about_turns(database: tuple[Path, Path]) -> None:
    _, db = database
    with Store(db) as store:
        corrected = store.rows(QUERIES["corrected_in_deed"].sql)
        assert [(row["turn"], row["places_again"], row["places_undone"]) for row in corrected] == [(2, 1, 1), (1, 1, 0)]
        for name in ("lasting_prompts", "paid_for_lines_that_are_gone"):
            store.rows(QUERIES[name].sql)
