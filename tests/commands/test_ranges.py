"""Ranges of commits and of lines: log, stats, blame -L and -w, explain FILE:10-20. What git says
is the expected answer.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.answers import pick
from support.builder import git
from support.commands import Analysed, analyse, run, run_json, run_rows
from support.histories import Build

from attribution.demo import FILE
from collector.storage.store import Store
from collector.vocabulary.lines import LINE_CLASSES
from whowrote import open as open_database


@pytest.mark.parametrize(
    "wanted", ["", "HEAD", "HEAD~3..HEAD", "HEAD~4..", "..HEAD~2", "HEAD..HEAD"]
)
def test_the_commits_of_a_range_are_those_of_git(example: Analysed, wanted: str) -> None:
    repo, db = example
    expected = git(repo, "rev-list", wanted or "HEAD").decode().split()
    found = run_json("log", wanted, repo, db=db)
    assert {row["commit_sha"] for row in found} == set(expected) and len(found) == len(expected)
    stats = run_json("log", "--total", wanted, repo, db=db)
    assert stats["commits"] == len(expected) and stats["not_in_database"] == 0
    for name in LINE_CLASSES:
        assert stats["lines"][name] == sum(row[name] for row in found)


def test_lines_of_a_range_equal_sql(example: Analysed) -> None:
    repo, db = example
    ids = git(repo, "rev-list", "HEAD~6..HEAD").decode().split()
    with Store(db) as store:
        sql = (
            "SELECT class, SUM(nonblank) AS n FROM line_spans WHERE kind IN ('source', 'test') "
            f"AND commit_sha IN ({', '.join('?' * len(ids))}) GROUP BY 1"
        )
        expected = {row["class"]: row["n"] for row in store.rows(sql, ids)}
    found = run_json("log", "--total", "HEAD~6..HEAD", repo, db=db)
    assert {name: lines for name, lines in found["lines"].items() if lines} == expected
    assert sum(model["lines"] for model in found["models"]) == expected["agent"]
    assert found["total"] == sum(expected.values())


def test_a_clone_alone_is_no_range(example: Analysed, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, db = example
    whole = run_json("log", "", repo, db=db)
    monkeypatch.chdir(repo.parent)
    for name in (str(repo), repo.name, f"./{repo.name}"):
        assert run_json("log", name, db=db) == whole
        assert run_json("log", "--total", name, db=db)["commits"] == len(whole)
    done = run("log", "nothing", code=2, db=db)
    assert "in no clone" in done.stderr


def test_since_and_count(example: Analysed) -> None:
    repo, db = example
    since = run_rows("log", "", repo, "--since", "2026-02-01", db=db)
    assert since and all(row["author_at"] >= "2026-02-01" for row in since)
    assert len(since) == len(
        git(repo, "rev-list", "--since=2026-02-01T00:00:00Z", "HEAD").decode().split()
    )
    newest = run_rows("log", "-n", "2", "HEAD", repo, db=db)
    assert [row["commit_sha"] for row in newest] == [row["commit_sha"] for row in since[:2]]


def test_a_commit_that_takes_as_long_as_a_run_is_not_counted_as_anything(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Build(tmp_path / "two.git")
    build.commit("one", {"a.py": ["first = 1"]})
    build.commit("two", {"a.py": ["first = 1", "second = 2"]})
    build.commit("side", {"a.py": ["first = 1"], "b.py": ["aside = 3"]}, "one")
    build.done()
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/x2")
    analyse(build.where, db)
    wanted = f"{build.sha['two']}..{build.sha['side']}"
    total = ("log", "--total", wanted, build.where, "--db", db, "--json")
    found = json.loads(run(*total).stdout)
    assert pick(found, "commits", "not_in_database", "total") == (1, 0, 1)
    monkeypatch.setattr("attribution.ensure.current._MOST_COMMITS", 0)
    found = json.loads(run(*total).stdout)
    assert pick(found, "commits", "not_in_database", "total") == (1, 1, 0)
    shown = run("log", "--total", wanted, build.where, db=db).stdout
    assert "not attributed and not counted" in shown and "0.0 %" not in shown
    listed = run("log", wanted, build.where, db=db)
    assert "not attributed" in listed.stdout


@pytest.mark.parametrize(
    ("option", "wanted", "said"),
    [("", "A...B", "Use A..B"), ("--total", "nowhere..HEAD", "nowhere"), ("", "--help..", "")],
)
def test_what_is_no_range_is_said(example: Analysed, option: str, wanted: str, said: str) -> None:
    repo, db = example
    shown = run("log", *filter(None, [option]), "--db", db, "--", wanted, repo, code=2)
    assert said in shown.output


def test_a_log_in_80_columns_keeps_what_tells_rows_apart(example: Analysed) -> None:
    from click.testing import CliRunner

    from attribution.cli import cli

    repo, db = example
    shown = (
        CliRunner(env={"COLUMNS": "80"})
        .invoke(cli, ["log", "HEAD", str(repo), "--db", str(db)])
        .stdout
    )
    assert max(map(len, shown.splitlines())) <= 80
    for sha in git(repo, "rev-list", "HEAD").decode().split():
        assert sha[:8] in shown


# --- lines ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    {"2,4": range(2, 5), "3,+2": range(3, 5), ",2": range(1, 3), "2": None}.items(),
)
def test_lines_of_blame_are_those_of_git(
    example: Analysed, given: str, expected: range | None
) -> None:
    repo, db = example
    every = run_rows("blame", repo, FILE, db=db)
    found = run_rows("blame", repo, FILE, "-L", given, db=db)
    wanted = [str(n) for n in expected] if expected else [row["line"] for row in every[1:]]
    assert [row["line"] for row in found] == wanted
    assert found == [row for row in every if row["line"] in wanted]


@pytest.mark.parametrize("given", ["4,2", "0,3", "x", "3,y", ",", "9999"])
def test_lines_that_are_not_there_are_said(example: Analysed, given: str) -> None:
    repo, db = example
    shown = run("blame", repo, FILE, "-L", given, code=2, db=db)
    assert shown.stdout == ""


def test_a_range_of_lines_is_explained_in_blocks(example: Analysed) -> None:
    repo, db = example
    found = run_json("why", repo, f"{FILE}:2-9", db=db)
    assert found[0]["start_line"] == 2 and found[-1]["end_line"] == 9
    every = run_json("why", repo, FILE, db=db)
    assert {block["commit"] for block in found} <= {block["commit"] for block in every}
    run("why", repo, f"{FILE}:9-2", code=2, db=db)


def test_blame_looks_behind_changes_of_spaces_when_asked(tmp_path: Path, db: Path) -> None:
    build = Build(tmp_path / "spaces.git")
    build.commit("one", {"a.py": ["if ready:", "start()", "go_on()"]})
    build.commit("two", {"a.py": ["if ready:", "    start()", "go_on()"]})
    build.done()
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/x2")
    analyse(build.where, db)
    one, two = pick(build.sha, "one", "two")
    plain = run_rows("blame", build.where, "a.py", db=db)
    assert [row["commit"] for row in plain] == [one, two, one]
    behind = run_rows("blame", build.where, "a.py", "-w", db=db)
    assert [row["commit"] for row in behind] == [one, one, one]


def test_ranges_in_python(example: Analysed) -> None:
    repo, db = example
    with open_database(repo, db) as found:
        assert len(found.log("HEAD~3..HEAD")) == found.stats("HEAD~3..HEAD").commits == 3
