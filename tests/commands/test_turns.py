"""`whowrote sessions --by turn`: what each prompt led to, against a history whose truth is
known.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.answers import pick
from support.builder import World
from support.commands import Analysed, analyse, check, run, run_rows

from attribution.browse.describe import every_query
from collector.storage.store import Store

_NAMES = (
    "turn_index",
    "calls",
    "edits",
    "places_again",
    "places_undone",
    "committed",
    "old_30",
    "alive_30",
    "present",
)


@pytest.fixture
def database(tmp_path: Path, db: Path) -> Analysed:
    """Three turns: a file, one of its lines changed, the change taken back and another file,
    which is replaced much later.
    """
    world = World.holding("turns", {"a.py": "a = 1\n"})
    session = world.session(prompt="Write it")
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
    repo = world.build(tmp_path / "repo")
    run("survival", repo, "--no-curves", db=db)
    return Analysed(repo, db)


def test_one_row_per_turn(database: Analysed) -> None:
    repo, db = database
    found = run_rows("sessions", "--by", "turn", repo, db=db)
    assert [tuple(int(row[name] or -1) for name in _NAMES) for row in found] == [
        (1, 1, 1, 1, 0, 2, 2, 2, 2),
        (2, 1, 1, 1, 1, 0, 0, -1, 0),
        (3, 2, 2, 0, 0, 2, 2, 2, 1),
    ]
    assert found[2]["prompt"] == "No, put it back. And one more"
    assert "2 of 4 places" in run("sessions", "--by", "turn", repo, db=db).stdout
    check(db)


def test_the_saved_queries_about_turns(database: Analysed) -> None:
    _, db = database
    with Store(db) as store:
        corrected = store.rows(every_query()["corrected_in_deed"]["sql"])
        assert [pick(row, "turn", "places_again", "places_undone") for row in corrected] == [
            (2, 1, 1),
            (1, 1, 0),
        ]
        lasting, *_ = store.rows(every_query()["lasting_by_prompt"]["sql"])
        assert pick(lasting, "lines", "percent_alive_after_30_days") == (4, 100.0)
        for name in every_query():
            store.rows(every_query()[name]["sql"])


def test_what_the_next_turn_and_the_next_session_took_away(tmp_path: Path, db: Path) -> None:
    """Nothing in the words says that an answer was wrong: the lines do."""
    world = World.holding("deeds", {"a.py": "a = 1\n"})
    first = world.session(prompt="Write new.py with retry_limit = compute_limit(base_delay) in it")
    first.write(
        "new.py", "retry_limit = compute_limit(base_delay)\nsecond_value = 2\nthird_value = 3\n"
    )
    first.end_turn()
    first.prompt("それは違います")
    first.edit("new.py", "second_value = 2\nthird_value = 3", "another_value = 4")
    first.end_turn()
    world.wait(3600)
    second = world.session(prompt="Start again")
    second.write("new.py", "fresh_start = 1\n", overwrite=True)
    second.end_turn()
    world.commit("Fresh", [first, second])
    repo = world.build(tmp_path / "repo")
    analyse(repo, db)
    with Store(db) as store:
        found = store.rows("SELECT * FROM turn_outcomes ORDER BY at, turn_index")
        columns = (
            "produced",
            "dictated",
            "changed_next",
            "discarded",
            "committed",
            "alive_1",
            "interrupted",
        )
        assert [tuple(row[name] for name in columns) for row in found] == [
            (3, 1, 2, 1, 0, None, 0),
            (1, 0, 0, 1, 0, None, 0),
            (1, 0, 0, 0, 1, None, 0),
        ]
        assert found[1]["language"] == "ja" and found[1]["message_class"] is None
        assert (
            found[0]["discarded_by"] == found[2]["session_id"] and found[2]["discarded_by"] is None
        )
        (thrown,) = store.rows(every_query()["thrown_away_work"]["sql"])
        assert pick(thrown, "lines_thrown_away", "lines_written") == (2, 4)
        assert [row["dictated"] for row in store.rows(every_query()["dictated_lines"]["sql"])] == [
            1
        ]
