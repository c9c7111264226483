"""The protocol of stages: when one runs, what it leaves behind, and what a run that fails does
not.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from collector.json_values import RowValues
from collector.model import Problem
from collector.runtime.stages import (
    Clock,
    Stage,
    StageName,
    clear_problems,
    digest,
    forget_runs,
    forget_subjects,
    last_run,
)
from collector.storage.store import Store

LINES = Stage(StageName.LINES, "1", problems=("lines", "commits"))
SESSION = Stage(StageName.SESSION, "1", problems=("transcripts",))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "s.db") as store:
        with store.transaction() as connection:
            connection.executemany("INSERT INTO repos (name) VALUES (?)", [("one",), ("two",)])
        yield store


def _problems(store: Store) -> list[RowValues]:
    return list(
        store.connection.execute(
            "SELECT repo_id, stage, subject, code FROM problems ORDER BY rowid"
        )
    )


def _noted(store: Store) -> list[RowValues]:
    columns = "repo_id, stage, subject, input_key, version, problems"
    return list(
        store.connection.execute(
            f"SELECT {columns} FROM stage_runs ORDER BY repo_id, stage, subject"
        )
    )


def test_a_stage_is_done_for_one_repository_subject_key_and_version(store: Store) -> None:
    LINES.start(store, 1, "key").finish()
    assert LINES.is_done(store, 1, "key") and LINES.start(store, 1, "key").is_current
    assert not LINES.is_done(store, 2, "key") and not LINES.is_done(store, 1, "other")
    assert not LINES.is_done(store, 1, "key", "subject") and not SESSION.is_done(store, 1, "key")
    assert not Stage(StageName.LINES, "2").is_done(store, 1, "key")
    LINES.start(store, 1, "other").finish()
    assert LINES.is_done(store, 1, "other") and not LINES.is_done(store, 1, "key")


def test_the_last_run_is_known_by_name(store: Store) -> None:
    assert last_run(store, 1, StageName.LINES) is None
    LINES.start(store, 1, "key").finish()
    found = last_run(store, 1, StageName.LINES)
    assert (
        found is not None
        and (found.key, found.version) == ("key", "1")
        and found.finished_at.endswith("Z")
    )
    assert (
        last_run(store, 2, StageName.LINES) is None
        and last_run(store, 1, StageName.LINES, "subject") is None
    )


def test_a_run_is_later_than_those_before_whatever_the_clock_says(store: Store) -> None:
    SESSION.start(store, 1, "key", "s").finish()
    ahead = "2999-12-31T23:59:59.999Z"
    store.connection.execute("UPDATE stage_runs SET finished_at = ?", (ahead,))
    for stage, stored in (
        (LINES, "3000-01-01T00:00:00.000Z"),
        (SESSION, "3000-01-01T00:00:00.001Z"),
    ):
        stage.start(store, 1, "key").finish()
        found = last_run(store, 1, stage.name)
        assert found is not None and found.finished_at == stored
    LINES.start(store, 2, "key").finish()
    other = last_run(store, 2, StageName.LINES)
    assert other is not None and other.finished_at < ahead
    store.connection.execute("UPDATE stage_runs SET finished_at = 'no time' WHERE repo_id = 2")
    LINES.start(store, 2, "other").finish()
    assert LINES.is_done(store, 2, "other")


def test_a_run_writes_its_rows_its_problems_and_its_note_together(store: Store) -> None:
    run = LINES.start(store, 1, "key")
    with run.writing() as connection:
        connection.execute("UPDATE repos SET branch = 'main' WHERE id = 1")
        run.report(
            [Problem("lines", "a", "edit_unmatched"), Problem("commits", "b", "tree_missing")]
        )
    assert _problems(store) == [
        (1, "lines", "a", "edit_unmatched"),
        (1, "commits", "b", "tree_missing"),
    ]
    assert _noted(store) == [(1, "lines", "", "key", "1", 2)]
    assert store.value("SELECT branch FROM repos WHERE id = 1") == "main"


def test_a_run_that_fails_leaves_everything_as_it_was(store: Store) -> None:
    first = LINES.start(store, 1, "key")
    with first.writing():
        first.report([Problem("lines", "a", "old")])
    second = LINES.start(store, 1, "other")
    with pytest.raises(KeyboardInterrupt), second.writing() as connection:
        connection.execute("UPDATE repos SET branch = 'main' WHERE id = 1")
        second.report([Problem("lines", "b", "new")])
        raise KeyboardInterrupt
    assert _problems(store) == [(1, "lines", "a", "old")] and LINES.is_done(store, 1, "key")
    assert store.value("SELECT branch FROM repos WHERE id = 1") is None


def test_a_run_replaces_its_own_problems_only(store: Store) -> None:
    with store.transaction():
        store.add_problems(
            1, [Problem("lines", "a", "old"), Problem("checkpoints", "a", "other stage")]
        )
        store.add_problems(2, [Problem("lines", "a", "other repository")])
    run = LINES.start(store, 1, "key")
    with run.writing():
        run.report([Problem("commits", "b", "new")])
    assert {row[3] for row in _problems(store)} == {"other stage", "other repository", "new"}


def test_a_run_on_a_subject_keeps_the_problems_of_the_others(store: Store) -> None:
    for subject in ("s1", "s2", "s1"):
        run = SESSION.start(store, 1, "key", subject)
        with run.writing():
            run.report([Problem("transcripts", subject, "unreadable")])
    assert sorted(row[2] for row in _problems(store)) == ["s1", "s2"]
    assert [row[2] for row in _noted(store)] == ["s1", "s2"]


def test_problems_reported_in_portions_are_counted_and_stay(store: Store) -> None:
    run = Stage(StageName.CLAIMS, "1").start(store, 1, "key")
    for number in range(3):
        with store.transaction():
            run.report([Problem("claims", f"note{number}", "unreadable")])
    run.finish()
    assert len(_problems(store)) == 3 and _noted(store) == [(1, "claims", "", "key", "1", 3)]


def test_a_run_may_cover_another_stage(store: Store) -> None:
    run = LINES.start(store, 1, "key")
    with run.writing():
        run.report([Problem("lines", "a", "c")])
        run.covers(Stage(StageName.LOAD, "7"), "facts")
    assert _noted(store) == [(1, "lines", "", "key", "1", 1), (1, "load", "", "facts", "7", 0)]


def test_the_clock_may_have_run_before(store: Store) -> None:
    clock = Clock()
    run = LINES.start(store, 1, "key", clock=clock)
    run.finish()
    assert (
        0 <= store.value("SELECT seconds FROM stage_runs") <= round(clock.seconds, 3) + 0.001
        and run.clock is clock
    )


def test_forgotten_runs_are_run_again(store: Store) -> None:
    for repo in (1, 2):
        LINES.start(store, repo, "key").finish()
        SESSION.start(store, repo, "key", "s").finish()
    with store.transaction():
        forget_runs(store, (StageName.LINES, StageName.LOAD), 1)
    assert (
        not LINES.is_done(store, 1, "key")
        and LINES.is_done(store, 2, "key")
        and SESSION.is_done(store, 1, "key", "s")
    )
    with store.transaction():
        forget_subjects(store, 1, ["s", "unknown"])
        forget_runs(store, (StageName.LINES,))
    assert _noted(store) == [(2, "session", "s", "key", "1", 0)]


def test_problems_are_cleared_by_subject_and_code(store: Store) -> None:
    with store.transaction():
        for repo in (1, 2):
            store.add_problems(
                repo,
                [
                    Problem("claims", "s", "a"),
                    Problem("claims", "s", "b"),
                    Problem("claims", "t", "a"),
                ],
            )
        clear_problems(store, 1, ("claims",), "s", codes=("a",))
    assert len(_problems(store)) == 5 and (1, "claims", "s", "a") not in _problems(store)
    with store.transaction():
        clear_problems(store, None, ("claims",), "t")
        clear_problems(store, 1, ())
    assert _problems(store) == [
        (1, "claims", "s", "b"),
        (2, "claims", "s", "a"),
        (2, "claims", "s", "b"),
    ]


def test_keys_depend_on_every_part_and_on_where_it_ends() -> None:
    assert digest("a", "b") == digest("a", "b") and len(digest()) == 32
    assert len({digest("a", "b"), digest("ab"), digest("b", "a"), digest("a", "b", "")}) == 4
    assert digest("\udc80")  # a name that is no UTF-8
