"""Repairs by author, who owns what still stands, and the page: on constructed histories whose
numbers can be counted by hand.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from support.answers import pick, select
from support.builder import git
from support.commands import Analysed, analyse, clone, run
from support.histories import Build

import whowrote
from attribution.addresses import Addresses, Place
from attribution.browse.pages import page_at
from attribution.culprit.queries import culprits
from attribution.culprit.queries.ownership import bus_factor
from attribution.culprit.queries.repairs import (
    WrittenLines,
    _bounds,
    _rate_row,
    _rates,
)
from attribution.lineage.survival import LifetimeRecord
from attribution.queries.survival import as_agents
from attribution.stats.comparison import UNDECLARED, compare
from collector.json_values import Row, Texts
from collector.storage.store import Store

AGENT = "\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
PEOPLE = ("Ann <ann@example.org>", "Ben <ben@example.org>")


def block(name: str, count: int, value: str = "1") -> list[str]:
    return [f"{name}_{n} = compute({value})" for n in range(count)]


@pytest.fixture
def repaired(tmp_path: Path) -> Analysed:
    """1,200 declared lines of an agent, of which a fix repairs three and a rewrite five; 1,200
    others without any repair.
    """
    build = Build(tmp_path / "r.git")
    agent = block("agent", 1200)
    other = block("other", 1200)
    build.commit("other", {"o.py": [*other]}, author=f"{PEOPLE[0]} 1700000000 +0000")
    build.commit(
        "agent",
        {"o.py": [*other], "a.py": [*agent]},
        message=f"add{AGENT}",
        author=f"{PEOPLE[1]} 1700010000 +0000",
    )
    fixed = [*block("agent", 3, "2"), *agent[3:]]
    build.commit("fix", {"o.py": [*other], "a.py": [*fixed]}, message="fix: compute two")
    rewritten = [*fixed[:-5], *block("new", 5, "3")]
    build.commit("rewrite", {"o.py": [*other], "a.py": [*rewritten]})
    build.done()
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/x4")
    db = tmp_path / "r.db"
    analyse(build.where, db)
    run("survival", build.where, "-q", "--full", db=db)
    return Analysed(build.where, db)


def tables(*arguments: object) -> dict[str, list[Row]]:
    done = run("report", *arguments, "--json")
    return {table["name"]: table["rows"] for table in json.loads(done.stdout)}


# --- repairs --------------------------------------------------------------------------------------


def test_only_what_fixes_removed_counts_as_repaired(repaired: Analysed) -> None:
    repo, db = repaired
    run("culprit", repo, "--all", db=db)
    by_class = {
        row["name"]: row
        for row in tables("repairs", repo, "--db", db)["repairs"]
        if row["by"] == "class"
    }
    agents = by_class["declared"]
    assert pick(agents, "lines", "commits", "repairs") == (1200, 1, 1)
    # one commit has no interval
    assert agents["per_1000"] == pytest.approx(1000 / 1200) and agents["low"] is None
    assert pick(by_class["undeclared"], "lines", "repairs") == (1208, 0)


def test_fixes_are_traced_first(repaired: Analysed) -> None:
    repo, db = repaired
    (name,) = [row["name"] for row in tables("repairs", repo, "--db", db)["repairs"]][:1]
    run("culprit", repo, "--all", db=db)
    again = tables("repairs", repo, "--db", db)["repairs"]
    assert again and again[0]["name"] == name


def test_a_repository_without_any_fix_is_not_sent_to_trace_them_again(
    tmp_path: Path, db: Path
) -> None:
    top = clone("example", tmp_path)
    for command in (("survival", top, "--db", db), ("culprit", top, "--all", "--db", db)):
        run(*command)
    refused = run("report", "repairs", top, code=2, db=db)
    assert "no commit shows that it is a fix" in refused.stderr and "--all" not in refused.stderr


def test_the_chapters_are_there_for_programs(repaired: Analysed) -> None:
    repo, db = repaired
    run("culprit", repo, "--all", db=db)
    with whowrote.open(db) as database:
        assert list(database.chapter("repairs")) == ["repairs"]
        assert list(database.chapter("ownership")) == ["ownership"]


def test_survival_compares_lines_that_only_commits_give_to_agents() -> None:
    records = [written("declared", birth=n).record for n in range(20)]
    records += [written("undeclared", birth=100 + n).record for n in range(20)]
    by_agents = as_agents(records)
    lines = {name: compare(of, UNDECLARED).rework_agent.lines for name, of in by_agents.items()}
    assert lines == {"declared": 4000}
    recorded = [written("agent", 5).record, *records]
    assert list(as_agents(recorded)) == ["agent or declared", "agent", "declared"]


def written(
    author: str,
    lines: int = 200,
    *,
    fix: int = 0,
    birth: int = 1,
    days: float = 400,
) -> WrittenLines:
    record = LifetimeRecord(
        lines, author, days, 400, 0, 0, bool(fix), birth=birth, path="a.py", kind="source"
    )
    return WrittenLines(record, fix)


def rates_by(by: str, lines: list[WrittenLines]) -> dict[str, float]:
    return {row["name"]: row["per_1000"] for row in _rates(lines).rows if row["by"] == by}


def test_rates_are_told_by_kind_of_work_and_by_what_people_did_to_the_lines() -> None:
    """Only lines of agents have either; a session whose kind of work is not known is in no row
    of it.
    """
    fixed = LifetimeRecord(
        1000, "agent", 10, 400, 0, 0, True, birth=1, path="a.py", edited_by="human"
    )
    lines = [
        WrittenLines(fixed, 7, "Debugging"),
        *(written("agent", 1000, birth=2)._replace(work=work) for work in ("Feature", "")),
        written("human", 1000, birth=3)._replace(work="Feature"),
    ]
    assert rates_by("kind of work", lines) == {"Debugging": 1.0, "Feature": 0.0}
    assert rates_by("edited", lines) == {"edited by a person": 1.0, "as written": 0.0}


def test_several_spans_that_a_fix_ends_are_one_repair() -> None:
    group = [
        written("agent", 5, fix=7, days=10),
        written("agent", 9, fix=7, days=10),
        written("agent", 986),
    ]
    row = _rate_row("class", "agent", group)
    assert pick(row, "repairs", "lines", "per_1000") == (1, 1000, 1.0)
    assert row["repaired_30_days"] == pytest.approx(14 / 1000)


def test_few_lines_have_no_rate() -> None:
    assert _rate_row("class", "agent", [written("agent", 999, fix=7)])["per_1000"] is None


def test_intervals_are_over_commits() -> None:
    group = [written("agent", 500, birth=n, fix=n % 2) for n in range(8)]
    row = _rate_row("class", "agent", group)
    assert row["per_1000"] == 1.0 and 0.0 < row["low"] < 1.0 < row["high"]


@pytest.mark.parametrize(("fix", "direction"), [(7, "too low"), (0, "too high")])
def test_the_direction_of_the_bias_of_unknown_lines_is_said(fix: int, direction: str) -> None:
    (sentence,) = _bounds(
        [written("agent", 1000, fix=5), written("unknown", 100, fix=fix, birth=2)]
    )
    assert sentence.endswith(direction)
    assert _bounds([written("agent", 1000, fix=5)]) == []


def test_a_view_has_the_repaired_lines_with_their_authors(repaired: Analysed) -> None:
    """It is in every export of tables. The rewrite is no fix, so that its five lines are not
    there.
    """
    repo, db = repaired
    run("culprit", repo, "--all", db=db)
    with Store(db) as store:
        shas: Texts = dict(select(store, "SELECT subject, commit_sha FROM commits"))
        rows = store.rows(
            "SELECT fix_sha, introduced_by, is_culprit, path, line, lines, class FROM"
            " repaired_lines"
        )
    assert rows == [
        {
            "fix_sha": shas["fix: compute two"],
            "introduced_by": shas["add"],
            "is_culprit": 1,
            "path": "a.py",
            "line": 1,
            "lines": 3,
            "class": "declared",
        }
    ]


# --- ownership ------------------------------------------------------------------------------------


def test_lines_at_head_by_directory_and_the_bus_factor_without_agents(
    repaired: Analysed,
) -> None:
    repo, db = repaired
    rows = {row["directory"]: row for row in tables("ownership", repo, "--db", db)["ownership"]}
    whole = rows["(all)"]
    assert set(rows) == {"(all)", "."} and whole["lines"] == 2400
    assert pick(whole, "by_agents", "agent", "declared") == (1192, 0, 1192)
    assert pick(whole, "undeclared", "unknown", "people") == (1208, 0, 0)
    assert pick(whole, "untouched", "untouched_share") == (1192, 1.0)
    assert pick(whole, "bus_factor", "bus_factor_without_agents") == (2, 1)


def _ownership(repo: Path, db: Path) -> Row:
    """Of the whole repository."""
    return tables("ownership", repo, "--db", db)["ownership"][0]


def test_lines_older_than_agents_are_counted_apart_from_other_people(
    repaired: Analysed,
) -> None:
    repo, db = repaired
    with Store(db) as store, store.transaction() as connection:
        connection.execute(
            "UPDATE origins SET author = 'human', evidence = 'dated' WHERE author = 'unknown'"
        )
    whole = _ownership(repo, db)
    assert pick(whole, "dated", "people", "undeclared") == (1208, 0, 0)


def test_a_file_in_which_a_person_wrote_later_is_touched(repaired: Analysed) -> None:
    repo, db = repaired
    with Store(db) as store, store.transaction() as connection:
        connection.execute(
            "UPDATE commit_files SET human_lines = 1 WHERE path = 'a.py' AND commit_id = (SELECT"
            " MAX(id) FROM commits)"
        )
    assert _ownership(repo, db)["untouched"] == 0
    with Store(db) as store, store.transaction() as connection:
        connection.execute(
            "UPDATE commit_files SET human_lines = path = 'o.py' WHERE path IN ('a.py', 'o.py')"
        )
    # another file, or before
    assert _ownership(repo, db)["untouched"] == 1192


def test_lines_that_a_person_reviewed_are_counted_once_reviews_were_read(
    repaired: Analysed,
) -> None:
    repo, db = repaired
    assert _ownership(repo, db)["reviewed"] is None
    run("culprit", repo, "--all", db=db)
    assert _ownership(repo, db)["reviewed"] == 0
    with Store(db) as store, store.transaction() as connection:
        connection.execute(
            "INSERT INTO commit_reviews SELECT repo_id, commit_sha, 'eve@example.org' FROM commits"
            " WHERE subject = 'add'"
        )
    assert _ownership(repo, db)["reviewed"] == 1192


def test_ownership_needs_followed_lines(db: Path) -> None:
    Store(db).close()
    refused = run("report", "ownership", code=2, db=db)
    assert "whowrote survival PATH" in refused.stderr


def test_bus_factor() -> None:
    assert bus_factor(Counter({"a": 6, "b": 3, "c": 2})) == 1
    assert bus_factor(Counter({"a": 5, "b": 5})) == 2
    assert bus_factor(Counter({"a": 4, "b": 3, "c": 3})) == 2
    assert bus_factor(Counter()) is None and bus_factor(Counter({"a": 0})) is None


# --- the page -------------------------------------------------------------------------------------


def shown(db: Path, **arguments: str) -> str:
    to = Addresses("/x")
    with Store(db) as store:
        name = store.value("SELECT name FROM repos")
        return "".join(page_at(store, Place(name, "repairs", ""), arguments, to)[0].values["parts"])


def test_the_page_says_how_fixes_are_traced_first(repaired: Analysed) -> None:
    assert "whowrote culprit PATH --all" in shown(repaired.db)


def test_the_page_has_the_prompt_that_introduced_what_was_fixed(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path, bare=False)
    analyse(repo, db)
    run("survival", repo, "-q", db=db)
    run("culprit", repo, "--all", db=db)
    with Store(db) as store:
        ended = store.rows(
            "SELECT h.commit_sha AS sha, h.author_at, t.origin, l.start_line, o.session_id,"
            " o.turn_index FROM line_fates t JOIN line_lifetimes l ON l.repo_id = t.repo_id AND"
            " l.origin = t.life JOIN history_commits h ON h.id = l.death JOIN origins o ON o.id ="
            " t.origin_id JOIN turns u ON u.session_id = o.session_id AND u.turn_index ="
            " o.turn_index WHERE o.author = 'agent' AND u.prompt <> '' LIMIT 1"
        )[0]
        prompt = store.value(
            "SELECT prompt FROM turns WHERE session_id = ? AND turn_index = ?",
            pick(ended, "session_id", "turn_index"),
        )
        with store.transaction() as connection:
            connection.execute("DELETE FROM fixes")
            connection.execute(
                "INSERT INTO fixes (id, repo_id, commit_sha, fixed_at, tier, names, outcome,"
                " culprit_sha, basis) VALUES (1, 1, ?, ?, 'issue', '#1', 'removed', NULL, 'none')",
                pick(ended, "sha", "author_at"),
            )
            connection.execute(
                "INSERT INTO fixed_lines VALUES (1, ?, ?, 1, 1)",
                pick(ended, "origin", "start_line"),
            )
    page = shown(db)
    assert prompt[:30].split("\n")[0] in page and "session</a>" in page and "issue" in page


def test_the_page_shows_lines_of_agents_alone_unless_asked_for_all(
    repaired: Analysed,
) -> None:
    repo, db = repaired
    run("culprit", repo, "--all", db=db)
    # declared by the commit alone
    assert "No fix repaired such a line" in shown(db) and "a.py:1" in shown(db, author="all")


def test_the_lines_of_a_fix_are_looked_up_by_their_numbers(repaired: Analysed) -> None:
    """The page answers at once: SQLite must not read all lines of the repository for each fix."""
    with Store(repaired.db) as store:
        plan = [
            row["detail"] for row in store.rows(f"EXPLAIN QUERY PLAN {culprits._LINES}", ("[]", 1))
        ]
    assert "SEARCH t USING PRIMARY KEY (repo_id=? AND origin=?)" in plan
