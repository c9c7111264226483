"""`whowrote sessions`: sessions and the subagents they spawned."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import rows, run

from attribution.features import of_session
from attribution.stages import feature_rows
from collector.model import Session
from collector.storage.store import Store


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Two sessions of two repositories; the first spawned two subagents, a third subagent's parent is not stored."""
    with Store(tmp_path / "s.db") as store, store.transaction() as connection:
        connection.execute("INSERT INTO repos (id, name) VALUES (1, 'o/one'), (2, 'o/two')")
        columns = ("id", "repo_id", "key", "parent_key", "label", "agent", "transcript")
        sessions = [
            (1, 1, "parent", None, "the task", "opencode", "present"),
            (2, 1, "child1", "parent", "look around", "opencode", "present"),
            (3, 1, "child2", "parent", "write tests", "opencode", "present"),
            (4, 1, "lost", "absent", "of an unknown parent", "opencode", "present"),
            (5, 2, "alone", None, "another task", "codex", "present"),
            (6, 2, "parent", None, "a key that both have", "codex", "present"),
        ]
        store.insert("sessions", columns, sessions)
    return tmp_path / "s.db"


def test_subagents_are_counted_and_not_listed(db: Path) -> None:
    shown = run("sessions", "--db", db).stdout
    assert "the task" in shown and "write tests" not in shown and "unknown parent" not in shown
    assert "3 sessions, 3 subagents that are stored as sessions" in shown and "--subagents" in shown


def test_subagents_are_listed_on_request(db: Path) -> None:
    shown = run("sessions", "--subagents", "--db", db).stdout
    assert "write tests" in shown and "unknown parent" in shown and "--subagents" not in shown


def test_data_has_all_with_their_parents(db: Path) -> None:
    found = {r["label"]: (r["parent"], r["subagents"]) for r in rows(run("sessions", "--csv", "--db", db))}
    assert found["the task"] == ("", "2")
    assert found["write tests"] == ("parent", "0")
    assert found["a key that both have"] == ("", "0")  # keys are of one repository


def test_features_count_subagents_apart(db: Path) -> None:
    with Store(db) as store:
        feature_rows.prepare(store)
        with store.transaction():
            for number in (1, 2, 3):
                feature_rows.write(store, number, of_session(Session("s", "opencode", parent_id="" if number == 1 else "parent")))
    shown = run("sessions", "--columns", "features", "--db", db).stdout
    assert "the task" in shown and "write tests" not in shown
    assert "1 sessions, 2 subagents that are stored as sessions" in shown
    found = {row["label"]: row["parent_key"] for row in rows(run("sessions", "--columns", "features", "--csv", "--db", db))}
    assert found == {"the task": "", "look around": "parent", "write tests": "parent"}
