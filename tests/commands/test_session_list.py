"""`whowrote sessions`: sessions and the subagents they spawned."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.answers import pick
from support.commands import run, run_rows

from attribution.features import of_session
from attribution.queries.repo_report import repo_report
from attribution.stages import feature_rows
from collector.model import Session
from collector.storage.store import Store


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Two sessions of two repositories; the first spawned two subagents, a third subagent's
    parent is not stored.
    """
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
    shown = run("sessions", db=db).stdout
    assert "the task" in shown and "write tests" not in shown and "unknown parent" not in shown
    assert "3 sessions, 3 subagents stored as a session" in shown and "--subagents" in shown


def test_subagents_are_listed_on_request(db: Path) -> None:
    shown = run("sessions", "--subagents", db=db).stdout
    assert "write tests" in shown and "unknown parent" in shown and "--subagents" not in shown


def test_a_session_is_found_by_what_the_list_shows_of_it(db: Path) -> None:
    key = "019a1b2c-3d4e-7000-8000-000000000001"
    with Store(db) as store, store.transaction() as connection:
        connection.execute("UPDATE sessions SET key = ? WHERE id = 5", (key,))
    (row,) = (line for line in run("sessions", db=db).stdout.splitlines() if "another task" in line)
    shown = next(word for word in row.split() if key.startswith(word))
    assert "another task" in run("sessions", "--session", shown, db=db).stdout
    assert key in run("sessions", "--csv", db=db).stdout, "data has the whole key"


def test_data_has_all_with_their_parents(db: Path) -> None:
    found = {r["label"]: pick(r, "parent", "subagents") for r in run_rows("sessions", db=db)}
    assert found["the task"] == ("", "2")
    assert found["write tests"] == ("parent", "0")
    assert found["a key that both have"] == ("", "0")  # keys are of one repository


def test_features_count_subagents_apart(db: Path) -> None:
    with Store(db) as store:
        feature_rows.prepare(store)
        with store.transaction():
            for number in (1, 2, 3):
                feature_rows.write(
                    store,
                    number,
                    of_session(Session("s", "opencode", parent_id="" if number == 1 else "parent")),
                )
    shown = run("sessions", "--columns", "features", db=db).stdout
    assert "the task" in shown and "write tests" not in shown
    assert "1 session, 2 subagents stored as a session" in shown
    found = {
        row["label"]: row["parent_key"]
        for row in run_rows("sessions", "--columns", "features", db=db)
    }
    assert found == {"the task": "", "look around": "parent", "write tests": "parent"}


@pytest.mark.parametrize(("kind", "chosen"), [("source", "app.py"), ("config", "plan.md")])
def test_the_file_worth_looking_at_is_source_or_test_where_agents_wrote_any(
    tmp_path: Path, kind: str, chosen: str
) -> None:
    with Store(tmp_path / "r.db") as store, store.transaction() as connection:
        connection.execute("INSERT INTO repos (id, name) VALUES (1, 'o/r')")
        commit = {
            "id": 1,
            "repo_id": 1,
            "commit_sha": "c1",
            "label": "first",
            "position": 1,
            "parents": 0,
        }
        store.insert_rows(
            "commits", [commit | {"author_at": "2026-01-01", "committed_at": "2026-01-01"}]
        )
        columns = (
            "id",
            "commit_id",
            "path",
            "status",
            "content",
            "kind",
            "lines_added",
            "lines_deleted",
            "agent_lines",
        )
        store.insert(
            "commit_files",
            columns,
            [
                (1, 1, "plan.md", "A", "text", "docs", 9, 0, 9),
                (2, 1, "app.py", "A", "text", kind, 2, 0, 2),
            ],
        )
    with Store(tmp_path / "r.db") as store:
        assert repo_report(store, 1).example == f"{chosen}:1"
        gone = repo_report(store, 1, lambda sha, path: None if path == chosen else path)
        assert gone.example not in ("", f"{chosen}:1"), "HEAD has it no more"
