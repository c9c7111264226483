"""The commands about what became of lines: survival, history, verify, and what blame and explain
say of travels.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from support.answers import pick, value
from support.builder import git
from support.commands import Analysed, analyse, check, clone, run, run_json, run_rows
from support.histories import Build, words

from collector import errors
from collector.storage.store import Store

BLOCK = [
    "def moved(argument):",
    "    return argument.something_long()",
    "    # and a third line of it",
]


@pytest.fixture
def travelled(tmp_path: Path) -> tuple[Path, Path, Build]:
    """A block that moves to another file, which is renamed then; one line of it is rewritten at
    last.
    """
    build = Build(tmp_path / "moves.git")
    a = words(3, "a")
    b = words(3, "b")
    build.commit("one", {"a": [*BLOCK, *a], "b": [*b]})
    build.commit("two", {"a": [*a], "b": [*b, *BLOCK]})
    build.commit("three", {"a": [*a], "c": [*b, *BLOCK]})
    build.commit("four", {"a": [*a], "c": [*b, *BLOCK[:2], "    # rewritten"]})
    build.done()
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/x4")
    db = tmp_path / "moves.db"
    analyse(build.where, db)
    return build.where, db, build


# --- survival -------------------------------------------------------------------------------------


def test_survival_follows_first_and_prints_tables(example: Analysed) -> None:
    repo, db = example
    shown = run("survival", repo, "--by", "session", "--by", "language", "--no-curves", db=db)
    parts = (
        "agent",
        "HEAD",
        "still there after",
        "language",
        "session",
    )
    assert [part for part in parts if part not in shown.stdout] == []
    check(db)


def test_survival_as_data(example: Analysed) -> None:
    repo, db = example
    table = run_rows("survival", repo, db=db)
    assert {row["grouping"] for row in table} == {
        "class",
        "model",
        "agent",
        "session",
        "directory",
        "language",
    }
    head = next(
        row
        for row in table
        if pick(row, "grouping", "author", "unit") == ("class", "agent", "head")
    )
    assert (
        float(head["share"]) == pytest.approx(1 - int(head["dead"]) / int(head["lines"]))
        and float(head["share"]) > 0
    )
    assert all(
        float(row["low"]) < float(row["share"]) < float(row["high"]) for row in table if row["low"]
    )
    found = run_json("survival", repo, "--no-curves", db=db)
    assert set(found) >= {
        "repositories",
        "groups",
        "agent_lines_ended_by",
        "comparisons",
        "curves",
        "left_out",
    }
    assert [c["baseline"] for c in found["comparisons"]] == ["human", "dated", "human + undeclared"]


def test_survival_of_a_whole_database(example: Analysed, tmp_path: Path) -> None:
    repo, db = example
    run("survival", repo, "--no-curves", db=db)
    other = clone("example", tmp_path)
    both = tmp_path / "both.db"
    shutil.copy(db, both)
    renamed = other.rename(tmp_path / "another")
    analyse(renamed, both)
    shown = run("survival", "--no-curves", db=both)
    assert "no line history for another yet" in shown.stdout
    run("survival", renamed, "--no-curves", db=both)
    table = run_rows("survival", db=both)
    alone = run_rows("survival", db=db)
    assert [int(row["at_risk"]) for row in table] == [2 * int(row["at_risk"]) for row in alone]


def test_a_database_that_was_attributed_again_says_what_is_behind(
    travelled: tuple[Path, Path, Build],
) -> None:
    repo, db, _ = travelled
    run("survival", repo, "--no-curves", db=db)
    before = run("survival", "--csv", db=db).stdout
    with Store(db) as store:
        store.connection.execute("DELETE FROM line_fates")
        store.connection.execute("UPDATE stage_runs SET input_key = 'other' WHERE stage = 'lines'")
        store.connection.execute("UPDATE repos SET head_sha = 'elsewhere'")
    shown = run("survival", "--no-curves", db=db)
    assert "newer attribution than line history" in shown.stdout
    assert run("survival", "--csv", db=db).stdout == before


def test_curves(example: Analysed) -> None:
    repo, db = example
    shown = run("survival", repo, "--tables", db=db)
    assert "curves" in shown.stdout and "comparisons" in shown.stdout
    found = run_json("survival", repo, db=db)
    assert found["curves"]["agent"]["steps"][0] | {"low": 0, "high": 0, "alive": 0} == {
        "days": 0.0,
        "low": 0,
        "high": 0,
        "alive": 0,
        "at_risk": found["curves"]["agent"]["lines"],
    }


def test_without_the_statistics_extra(example: Analysed, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, db = example
    monkeypatch.setitem(sys.modules, "lifelines", None)
    monkeypatch.setattr("attribution.stats.comparison.available", lambda: False)
    shown = run("survival", repo, db=db)
    assert "no hazard ratios" in shown.stdout
    run("survival", repo, "--csv", db=db)


def test_history_with_the_attribution_in_one_go(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)
    analyse(repo, db, "--history")
    assert value(db, "SELECT COUNT(*) FROM line_fates") > 0
    again = run("repo", repo, "--history", db=db)
    assert "nothing changed" in again.stdout


# --- history --------------------------------------------------------------------------------------


def test_the_life_of_a_line_that_travelled(travelled: tuple[Path, Path, Build]) -> None:
    repo, db, build = travelled
    run("why", repo, "c:5", "--history", db=db)
    found = run_json("why", repo, "c:5", "--history", db=db)["history"]
    events = [(e["what"], build.name[e["sha"]], e["path"], e["line"]) for e in found["events"]]
    assert events == [
        ("introduced", "one", "a", 2),
        ("moved", "two", "b", 5),
        ("renamed", "three", "c", 5),
        ("present", "four", "c", None),
    ]
    assert found["age_days"] == pytest.approx(3 / 24)


def test_the_life_of_a_line_that_is_gone(travelled: tuple[Path, Path, Build]) -> None:
    repo, db, build = travelled
    at = build.sha["three"]
    found = run_json("why", repo, "c:6", "--commit", at, "--history", db=db)["history"]
    assert [(e["what"], build.name[e["sha"]]) for e in found["events"]][-1] == ("removed", "four")
    assert pick(found, "cause", "removed_by", "replaced_by") == (
        "modified",
        "unknown",
        ["    # rewritten"],
    )
    shown = run("why", repo, "c:6", "--commit", at, "--history", db=db)
    assert "removed by an unknown author" in shown.stdout and "# rewritten" in shown.stdout
    table = run_rows("why", repo, "c:6", "--commit", at, "--history", db=db)
    assert [row["what"] for row in table] == ["introduced", "moved", "renamed", "removed"]


def test_blame_and_explain_know_travels(travelled: tuple[Path, Path, Build]) -> None:
    repo, db, build = travelled
    before = run_rows("blame", repo, "c", db=db)
    assert all(row["moves"] == "" and row["first_commit"] == row["commit"] for row in before)
    run("survival", repo, "--no-curves", db=db)
    table = run_rows("blame", repo, "c", db=db)
    moved = table[4]
    assert build.name[moved["commit"]] == "two" and build.name[moved["first_commit"]] == "one"
    assert pick(moved, "first_path", "first_line", "moves") == (
        "a",
        "2",
        f"moved in {build.sha['two'][:9]}",
    )
    assert "~ 2 lines older" in run("blame", repo, "c", db=db).stdout
    assert (
        f"first written in {build.sha['one'][:9]} as a:2" in run("why", repo, "c:5", db=db).stdout
    )


def test_a_line_older_than_the_window(tmp_path: Path, db: Path) -> None:
    build = Build(tmp_path / "window.git")
    build.commit("one", {"a": [*BLOCK, *words(3)], "b": ["b"]})
    claude = "two\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
    build.commit("two", {"a": words(3), "b": ["b", *BLOCK]}, message=claude)
    build.done()
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/x2")
    analyse(build.where, db)
    for place in ("a:1", "b:3"):
        assert "--full" in run("why", build.where, place, "--history", db=db).stdout
    found = run_json("why", build.where, "b:3", "--full", "--history", db=db)["history"]
    assert [e["what"] for e in found["events"]] == ["introduced", "moved", "present"] and not found[
        "notes"
    ]


# --- wrong use ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words_"),
    [
        (["why", "--history", "{repo}", "README.md:99999"], "has no line 99999"),
        (["why", "--history", "{repo}", "nope.md:1"], "there is no file nope.md"),
        (
            ["why", "--history", "{repo}", "README.md:1", "--commit", "nope"],
            "no branch, tag or commit named 'nope'",
        ),
        (["survival", "--full"], "require the PATH of a clone"),
        (["survival", "{repo}", "--by", "colour"], "colour"),
        (["survival", "/nowhere", "--no-curves"], "does not exist"),
    ],
)
def test_wrong_use(example: Analysed, arguments: list[str], words_: str) -> None:
    given: list[Any] = [a.replace("{repo}", str(example.clone)) for a in arguments]
    shown = run(*given, code=errors.EXIT_USAGE, db=example.db)
    assert words_ in shown.stderr and shown.stdout == ""


def test_survival_needs_something_to_tell_of(tmp_path: Path, db: Path) -> None:
    Store(db).close()
    shown = run("survival", "--no-curves", code=errors.EXIT_USAGE, db=db)
    assert "whowrote survival PATH" in shown.stderr
    run("survival", "--no-curves", code=errors.EXIT_DATABASE, db=tmp_path / "none.db")


def test_survival_can_be_quiet(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)
    assert (
        "attributing it first" in run("survival", repo, "--no-curves", db=tmp_path / "y.db").stderr
    )
    shown = run("survival", repo, "--no-curves", "-q", db=db)
    assert shown.stderr == "" and "agent" in shown.stdout
