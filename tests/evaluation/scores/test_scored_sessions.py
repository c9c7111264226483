"""Scores of sessions of a built repository, and the commands that show them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.answers import pick
from support.builder import World
from support.commands import run, run_json, run_rows
from support.invariants import broken_checks

from attribution.authorship.options import AttributeOptions
from attribution.features import of_session
from attribution.stages import feature_rows
from attribution.stages.feature_rows import price_repo
from attribution.stages.lines import attribute_repo
from collector.model import Session
from collector.storage.store import Store

MEAN = "def mean(rows):\n    return total(rows) / len(rows)\n"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A session whose work is committed."""
    world = World("orchard")
    world.human_write("app.py", "def total(rows):\n    return sum(rows)\n")
    world.commit("Start by hand")
    session = world.session(prompt="Add a mean")
    session.read("app.py")
    session.edit("app.py", "    return sum(rows)\n", "    return sum(rows)\n\n\n" + MEAN)
    session.end_turn()
    world.commit("Add mean", [session])
    db = tmp_path / "x.db"
    with Store(db) as store:
        attribute_repo(store, world.build(tmp_path / "repo"), AttributeOptions())
    return db


def test_scores_are_listed_and_explained(db: Path) -> None:
    (score,) = run_json("report", "quality", db=db)
    assert score["task_type"] == "coding" and 0.7 < score["q"] <= 1
    shown = run("report", "quality", "--explain", score["key"], db=db).stdout
    for words in (
        "completion",
        "execution",
        "efficiency",
        "outcome",
        "tool success",
        "model appropriateness",
        score["tier"],
    ):
        assert words in shown


def test_scores_follow_the_costs(db: Path, tmp_path: Path) -> None:
    table = tmp_path / "p.toml"
    table.write_text(
        'as_of = "2030-01-01"\n[[model]]\nmatch = ".*"\ninput = 0\noutput = 1\ncache_read ='
        " 0\ncache_write = 0\n"
    )
    (priced,) = run_json("sessions", "--columns", "features", "--prices", table, db=db)
    (score,) = run_json("report", "quality", db=db)
    assert score["cost_usd"] == priced["cost_usd"] > 0
    with Store(db) as store:
        store.connection.execute(
            "UPDATE settings SET value = replace(value, 'output = 1', 'output = 2') WHERE name ="
            " 'prices'"
        )
        assert price_repo(store, 1)
        assert store.value("SELECT cost_usd FROM scores") == pytest.approx(
            2 * priced["cost_usd"], abs=1e-6
        )
        assert not broken_checks(store)
        store.connection.execute("UPDATE scores SET cost_usd = 1000")
        assert list(broken_checks(store)) == ["score_costs"]


def test_ratings_are_matched_by_the_keys_of_sessions(db: Path, tmp_path: Path) -> None:
    (score,) = run_json("report", "quality", db=db)
    ratings = tmp_path / "r.csv"
    ratings.write_text(f"session,rating\n{score['key'][:8]},4\nnobody,2\n")
    compared = run("data", "ratings", ratings, "--json", db=db)
    pearson, *_ = json.loads(compared.stdout)
    assert pick(pearson, "sessions", "r") == (1, None)
    assert "no scored session found for 1 rating: nobody" in compared.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "no columns session and rating"),
        ("session,rating\nx,good\n", "not a number"),
        (None, "cannot be read"),
    ],
)
def test_ratings_that_are_none(db: Path, tmp_path: Path, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / "r.csv").write_text(text)
    failed = run("data", "ratings", tmp_path / "r.csv", code=2, db=db)
    assert words in failed.stderr


def test_wrong_use_is_explained(db: Path, tmp_path: Path) -> None:
    failed = run("report", "quality", "--explain", "zzzzzz", code=2, db=db)
    assert "no such session: zzzzzz" in failed.stderr
    nowhere = run("report", "quality", code=5, db=tmp_path / "none.db")
    assert "there is no database" in nowhere.stderr


def test_subagents_are_counted_apart(db: Path) -> None:
    with Store(db) as store, store.transaction():
        key = store.value("SELECT key FROM sessions")
        columns = ("id", "repo_id", "key", "label", "agent", "transcript", "parent_key")
        store.insert(
            "sessions", columns, [(9, 1, "spawned", "write tests", "codex", "present", key)]
        )
        feature_rows.write(store, 9, of_session(Session("spawned", "codex", parent_id=key)))
        store.insert(
            "scores",
            ("session_id", "task_type", "weight_covered", "parts", "version"),
            [(9, "coding", 0, "{}", 1)],
        )
    shown = run("report", "quality", db=db).stdout
    assert "Add a mean" in shown and "write tests" not in shown
    assert "1 session, 1 subagent stored as a session" in shown
    found = {row["label"]: row["parent"] for row in run_rows("report", "quality", db=db)}
    assert found == {"Add a mean": "", "write tests": key}
