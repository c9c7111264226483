"""Sessions of built repositories: their rows in the database, and the commands that show them."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from rich.console import Console
from support.answers import analysed_store, pick, select
from support.builder import World
from support.builder.model import Stored
from support.commands import analyse, run, run_json
from support.commands import rows as csv_rows
from support.invariants import broken_checks

from attribution.authorship.options import AttributeOptions
from attribution.features import features
from attribution.features.prices import KINDS
from attribution.queries.sessions import region_counts, region_table
from attribution.stages import outcomes as aftermath
from attribution.stages.feature_rows import price_repo
from attribution.stages.lines import attribute_repo
from attribution.terminal.sessions import region_list
from collector.errors import EXIT_CHECK_FAILED
from collector.json_values import Row, Texts
from collector.storage.store import Store

APP = "def total(rows):\n    return sum(rows)\n\n\ndef first(rows):\n    return rows[0]\n"
MEAN = "def mean(rows):\n    return total(rows) / len(rows)\n"


class Taken(NamedTuple):
    """A clone, its database, the features of its sessions, and the world that they are of."""

    repo: Path
    db: Path
    rows: dict[str, Row]
    world: World


def _world() -> World:
    world = World("orchard")
    world.human_write("app.py", APP)
    world.commit("Start by hand")
    return world


def _attributed(world: World, tmp_path: Path) -> Taken:
    repo = world.build(tmp_path / "repo")
    db = tmp_path / "x.db"
    with analysed_store(repo, db) as store:
        rows = store.rows(
            "SELECT s.key, f.* FROM session_features f JOIN sessions s ON s.id = f.session_id"
        )
    return Taken(repo, db, {row["key"]: row for row in rows}, world)


@pytest.fixture
def taken(tmp_path: Path) -> Taken:
    """A session whose work is committed after three rounds of edits of one line."""
    world = _world()
    one = world.session(prompt="Add a mean")
    one.read("app.py")
    one.edit("app.py", "    return rows[0]\n", "    return rows[0]\n\n\n" + MEAN)
    one.edit("app.py", "total(rows) / len(rows)", "total(rows) / max(len(rows), 1)")
    one.edit("app.py", "total(rows) / max(len(rows), 1)", "total(rows) / len(rows)")
    one.end_turn()
    world.commit("Add mean", [one])
    return _attributed(world, tmp_path)


def test_a_session_whose_work_was_taken(
    taken: Taken,
) -> None:
    (key,) = taken.world.sessions
    row = taken.rows[key]
    assert json.loads(row["touched_files"]) == ["app.py"]
    assert pick(row, "edit_calls", "files_read_before_edit", "first_tool_precision") == (
        3,
        1,
        1,
    )
    assert row["diff_lines"] == 4
    assert pick(row, "output_applied", "output_applied_fraction", "session_outcome") == (
        1,
        1.0,
        "accepted",
    )
    assert pick(row, "changes_reverted", "reverted_lines", "reverted_by") == (0, 0, None)
    assert pick(row, "region_count", "region_re_edit_count") == (1, 1)
    assert json.loads(row["region_edit_convergence"]) == ["oscillating"]
    assert pick(row, "prior_sessions_same_repo", "prior_sessions_same_region") == (0, 0)


def test_two_sources_say_the_same(
    taken: Taken,
) -> None:
    with Store(taken.db) as store:
        for row in store.rows(
            "SELECT f.edit_calls, f.diff_lines, f.region_count, (SELECT COUNT(DISTINCT call_id)"
            " FROM edits e WHERE e.session_id = f.session_id AND by_shell = 0) AS edits, (SELECT"
            " SUM(lines_added + lines_removed) FROM edits e WHERE e.session_id = f.session_id) AS"
            " lines, (SELECT SUM(lines_added + lines_removed) FROM region_edits e WHERE"
            " e.session_id = f.session_id) AS in_regions, (SELECT COUNT(*) FROM regions g WHERE"
            " g.session_id = f.session_id) AS regions FROM session_features f"
        ):
            assert row["edit_calls"] == row["edits"]
            assert row["diff_lines"] <= row["lines"] == row["in_regions"]
            assert row["region_count"] == row["regions"]


def test_every_missing_value_has_its_reason(
    taken: Taken,
) -> None:
    _, db, rows, _ = taken
    (row,) = rows.values()
    with Store(db) as store:
        why: Texts = dict(select(store, "SELECT feature, reason FROM feature_nulls"))
        assert set(why) == {name for name, value in row.items() if value is None}
        assert why["reasoning_tokens_total"] == "reasoning_uncounted"
        assert pick(why, "subagents_succeeded", "reverted_by") == ("no_subagent", "not_reverted")
        assert why["user_msg_length_slope"] == "one_message"
        assert aftermath.problems(store, 1) == []
        store.connection.execute("UPDATE sessions SET input_tokens = NULL")
        store.connection.execute(
            "UPDATE session_features SET turn_count = NULL, cost_usd = NULL, edit_calls = NULL"
        )
        (problem,) = aftermath.problems(store, 1)
        assert (problem.stage, problem.code) == ("features", "feature_null")
        assert (
            problem.detail
            == "the agent records no usage: turn_count, reasoning_tokens_total, cost_usd"
        )
        assert [row["feature"] for row in broken_checks(store)["feature_nulls"]] == ["edit_calls"]
    shown = run("sessions", "--columns", "features", "--session", row["key"][:6], db=db).stdout
    assert "none: the agent records no usage" in shown and "none: unexplained" in shown
    checked = run("data", "check", code=EXIT_CHECK_FAILED, db=db).stdout
    assert "No feature is without a value for no reason" in checked


def test_a_session_without_a_transcript_has_no_feature_for_that_reason(tmp_path: Path) -> None:
    world = _world()
    one = world.session(prompt="Add a mean")
    one.write("mean.py", MEAN)
    one.end_turn()
    world.commit("Add mean", [one], stored=Stored(transcript="none"))
    _, db, rows, _ = _attributed(world, tmp_path)
    assert rows == {}
    with Store(db) as store:
        found = store.rows("SELECT feature, reason FROM feature_nulls")
    assert {r["feature"] for r in found} == {f.name for f in features()}
    assert {r["reason"] for r in found} == {"no_transcript"}


def test_a_disagreement_is_told(taken: Taken) -> None:
    _, db, _, _ = taken
    changes = {
        "feature_calls": "tool_call_count = 99",
        "feature_edit_calls": "edit_calls = 99",
        "feature_diff_lines": "diff_lines = 99",
        "feature_regions": "region_count = 99",
        "feature_tokens": "output_tokens = 99",
        "feature_touched": "touched_files = '[\"b\"]'",
        "feature_committed": "touched_files = '[]'",
    }
    with Store(db) as store:
        assert broken_checks(store) == {}
        for name, change in changes.items():
            store.connection.execute("SAVEPOINT before")
            store.connection.execute(f"UPDATE session_features SET {change}")
            assert broken_checks(store)[name]
            store.connection.execute("ROLLBACK TO before")


def test_hunks_with_their_symbols_and_children_with_their_parents(
    taken: Taken,
) -> None:
    _, db, rows, _ = taken
    (key,) = rows
    with Store(db) as store:
        found = store.rows(
            "SELECT path, round, start_line, symbol FROM region_edit_history ORDER BY round"
        )
        store.connection.execute(
            "INSERT INTO sessions (repo_id, key, label, transcript, parent_key) VALUES (1, 'c',"
            " 'c', 'none', ?)",
            (key,),
        )
        store.connection.execute(
            "INSERT INTO sessions (repo_id, key, label, transcript, parent_key) VALUES (1, 'd',"
            " 'd', 'none', 'x')"
        )
        children = store.rows(
            "SELECT session_key, parent_key, parent_id FROM child_sessions ORDER BY 1"
        )
    assert found == [
        {"path": "app.py", "round": 1, "start_line": 7, "symbol": "def first(rows):"},
        {"path": "app.py", "round": 2, "start_line": 10, "symbol": "def mean(rows):"},
        {"path": "app.py", "round": 3, "start_line": 10, "symbol": "def mean(rows):"},
    ]
    assert [tuple(r.values()) for r in children] == [("c", key, 1), ("d", "x", None)]
    assert "in def first(rows):" in run("sessions", "--by", "region", db=db).stdout


def test_a_second_run_computes_nothing_and_other_columns_compute_again(
    taken: Taken, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, db, _, _ = taken
    with Store(db) as store:
        monkeypatch.setattr("attribution.features.of_session", None)  # a call would fail
        assert attribute_repo(store, repo, AttributeOptions()).unchanged
        before = store.rows("SELECT * FROM session_features")
        monkeypatch.undo()
        store.connection.execute("ALTER TABLE session_features ADD COLUMN left_over TEXT")
        store.connection.execute("DELETE FROM stage_runs WHERE stage = 'lines'")
        attribute_repo(store, repo, AttributeOptions())
        assert store.rows("SELECT * FROM session_features") == before


# --- commands -------------------------------------------------------------------------------------


def test_features_command(taken: Taken, tmp_path: Path) -> None:
    repo, db, rows, _ = taken
    (key,) = rows
    assert "Add a" in run("sessions", "--columns", "features", repo, db=db).stdout
    (found,) = run_json("sessions", "--columns", "features", db=db)
    assert found["tool_sequence"] == ["read", "edit", "edit", "edit"]
    (line,) = csv_rows(run("sessions", "--columns", "features", "--csv", db=db))
    assert {f.name for f in features()} <= line.keys()
    shown = run("sessions", "--columns", "features", "--session", key[:6], db=db).stdout
    assert all(f.name in shown for f in features())
    table = tmp_path / "p.toml"
    kinds = "".join(f"{kind} = {int(kind == 'output')}\n" for kind in KINDS)
    table.write_text(f'as_of = "2030-01-01"\n[[model]]\nmatch = ".*"\n{kinds}')
    (priced,) = run_json("sessions", "--columns", "features", "--prices", table, db=db)
    assert priced["cost_usd"] == pytest.approx(priced["output_tokens"] / 1e6, abs=1e-6)
    assert priced["prices_as_of"] == "2030-01-01"
    analyse(repo, db)  # the database keeps to the table
    (kept,) = run_json("sessions", "--columns", "features", db=db)
    assert kept["cost_usd"] == priced["cost_usd"]
    with Store(db) as store:
        assert not price_repo(store, 1)
        store.connection.execute(
            "UPDATE settings SET value = replace(value, 'output = 1', 'output = 2') WHERE name ="
            " 'prices'"
        )
        assert price_repo(store, 1)
        assert store.value("SELECT cost_usd FROM session_features") == pytest.approx(
            2 * priced["cost_usd"], abs=1e-6
        )
        assert not broken_checks(store)


def test_regions_command(taken: Taken) -> None:
    repo, db, _, _ = taken
    shown = run("sessions", "--by", "region", repo, "--oscillating", db=db).stdout
    assert "app.py:10" in shown and "oscillating" in shown and "back to round 1" in shown
    assert shown.count("/ max(len(rows), 1)") == 2  # once added, once removed
    (found,) = run_json("sessions", "--by", "region", db=db)
    assert [e["round"] for e in found["edits"]] == [1, 2, 3] and found["sizes"] == [4, 2, 2]
    assert len(csv_rows(run("sessions", "--by", "region", "--csv", db=db))) == 3
    with Store(db) as store:
        every = region_table(store)
        first = region_table(store, most=1)
        none = (
            region_table(store, {"session_id": 10_000}),
            region_counts(store, {"session_id": 10_000}),
        )
        counts = region_counts(store, {})
    assert first.rows == every.rows[:1] and (none[0].rows, none[1]) == ([], {})
    assert counts == Counter(row["convergence"] for row in every)
    console = Console(file=io.StringIO(), width=100)
    every.rows *= 2
    region_list(console, every, {every.rows[0]["convergence"]: 3})
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert printed.count("app.py:10") == 2 and "2 are shown; for more: --limit N" in printed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("sessions", "--session", "zzzzzz"), "no such session: zzzzzz"),
        (("sessions", "--by", "region", "--session", "zzzzzz"), "no such session: zzzzzz"),
        (("sessions", "--prices", "none.toml"), "cannot be read"),
    ],
)
def test_wrong_use_is_explained(
    taken: Taken,
    arguments: tuple[str, ...],
    words: str,
) -> None:
    assert words in run(*arguments, code=2, db=taken.db).stderr


def test_without_a_database(db: Path) -> None:
    for command in (["sessions", "--columns", "features"], ["sessions", "--by", "region"]):
        assert "there is no database" in run(*command, code=5, db=db).stderr
    assert not db.exists()


def test_a_session_that_worked_in_several_repositories_counts_once(db: Path) -> None:
    rows = [  # repository, id, first event, output tokens, calls
        (1, "a", "2026-09-01T10:00:00Z", 50, 3),
        (2, "a", "2026-09-01T10:00:00Z", 80, 4),  # a later copy
        (2, "b", "2026-09-02T10:00:00Z", 10, 1),
        (1, "20260901_1", "2026-09-01T11:00:00Z", 5, 1),  # some agents number the sessions of a day
        (2, "20260901_1", "2026-09-01T12:00:00Z", 7, 1),
        (1, "unread", None, None, 0),
        (2, "unread", None, None, 0),
    ]
    columns = "repo_id, key, started_at, output_tokens, tool_calls, label, agent, transcript"
    with Store(db) as store:
        for number in (1, 2):
            store.connection.execute(
                "INSERT INTO repos (id, name, path) VALUES (?, ?, '')", (number, f"one/{number}")
            )
        store.connection.executemany(
            f"INSERT INTO sessions ({columns}) VALUES (?, ?, ?, ?, ?, '', 'goose', 'present')", rows
        )
        query = (
            "SELECT session_key, repo_id, repositories, output_tokens FROM corpus_sessions ORDER BY"
            " session_key, repo_id"
        )
        found = store.rows(query)
    assert [tuple(row.values()) for row in found] == [
        ("20260901_1", 1, 1, 5),
        ("20260901_1", 2, 1, 7),
        ("a", 2, 2, 80),
        ("b", 2, 1, 10),
        ("unread", 1, 1, None),
        ("unread", 2, 1, None),
    ]
