"""report --by: groups of lines add up to the whole, equal plain SQL and the other reports, and
hold nothing unknown.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.answers import column, pick, value
from support.builder import git
from support.commands import analyse, clone, run, run_json, run_rows

from attribution.commands import report as report_command
from attribution.lineage.survival import LifetimeRecord
from attribution.queries import breakdown as module
from attribution.queries import weekly
from attribution.queries.breakdown import DIMENSIONS, NOT_TO_CONCLUDE, breakdown
from attribution.queries.breakdown_facts import (
    BreakdownOptions,
    CommitSign,
    Facts,
    Life,
    LineCell,
    Place,
    Prompt,
)
from attribution.queries.coverage import headline
from attribution.queries.overview import monday
from attribution.queries.survival import SurvivalOptions, records_of, survival_report
from attribution.queries.weekly import weekly_report
from collector.json_values import Row
from collector.storage.store import Store
from collector.vocabulary.lines import LINE_CLASSES

_CODE = "kind IN ('source', 'test') AND nonblank > 0"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("breakdown")
    path = directory / "b.db"
    for name in ("example", "touched_up_by_human"):
        analyse(clone(name, directory), path, "--history", "--name", name)
    return path


@pytest.mark.parametrize("by", [name for name in DIMENSIONS if name != "team"])
def test_groups_add_up_to_what_sql_counts(db: Path, by: str) -> None:
    with Store(db) as store:
        found = breakdown(store, BreakdownOptions((by,)))
        expected = {
            r["class"]: r["n"]
            for r in store.rows(
                f"SELECT class, SUM(nonblank) AS n FROM line_spans WHERE {_CODE} GROUP BY 1"
            )
        }
        commits = store.value(f"SELECT COUNT(DISTINCT commit_id) FROM line_spans WHERE {_CODE}")
    for name in LINE_CLASSES:
        assert (
            sum(row[f"{name}_lines"] for row in found.table)
            == found.whole[f"{name}_lines"]
            == expected.get(name, 0)
        )
    assert found.whole["commits"] == commits
    assert [row[by] for row in found.table] == sorted(row[by] for row in found.table)
    assert sum(sum(month.values()) for month in found.months.values()) == found.whole["lines"]


def test_a_group_equals_sql(db: Path) -> None:
    with Store(db) as store:
        found = breakdown(store, BreakdownOptions(("repository", "month")))
        sql = (
            "SELECT repo, substr(author_at, 1, 7) AS month, SUM(nonblank) AS n FROM line_spans"
            " JOIN (SELECT c.id AS number, author_at, r.name AS repo FROM commits c JOIN repos r"
            f" ON r.id = c.repo_id) ON number = commit_id WHERE {_CODE} GROUP BY 1, 2"
        )
        assert {pick(row, "repository", "month"): row["lines"] for row in found.table} == {
            pick(r, "repo", "month"): r["n"] for r in store.rows(sql)
        }


def test_groups_by_driver_have_the_lines_and_prompts_of_its_sessions(
    db: Path, tmp_path: Path
) -> None:
    """What no session wrote is a group of its own; shares of all lines are not said of a group
    of one kind.
    """
    copy = tmp_path / "driven.db"
    shutil.copy(db, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute(
            "UPDATE sessions SET driver = CASE id % 2 WHEN 1 THEN 'program' ELSE 'person' END"
        )
    with Store(copy) as store:
        found = breakdown(store, BreakdownOptions(("driver",)))
        lines = "SELECT session_id, nonblank FROM line_spans"
        of_agents = store.rows(
            f"SELECT driver, SUM(nonblank) AS n FROM ({lines} WHERE {_CODE} AND class = 'agent') l "
            "JOIN sessions s ON s.id = l.session_id GROUP BY 1"
        )
        prompts = store.rows(
            "SELECT driver, COUNT(*) AS n FROM turn_outcomes t JOIN sessions s ON s.id ="
            " t.session_id GROUP BY 1"
        )
    groups = {row["driver"]: row for row in found.table}
    assert groups.keys() == {"no session", "person", "program"}
    assert {name: groups[name]["agent_lines"] for name in ("person", "program")} == {
        r["driver"]: r["n"] for r in of_agents
    }
    assert {name: groups[name]["prompts"] for name in ("person", "program")} == {
        r["driver"]: r["n"] for r in prompts
    }
    assert groups["no session"]["agent_lines"] == 0 and groups["no session"]["undeclared_lines"]
    assert {row["agent_share"] for row in found.table} == {None}


def test_the_whole_says_what_the_other_reports_say(db: Path) -> None:
    with Store(db) as store:
        whole = breakdown(store, BreakdownOptions()).whole
        coverage = headline(store, None).coverage[0]
        ids = column(store, "SELECT id FROM repos")
        agents = [
            row
            for row in survival_report(store, ids, SurvivalOptions()).groups
            if row["author"] == "agent"
        ]
        cost = store.value("SELECT SUM(cost_usd) FROM turn_outcomes")
    assert pick(whole, "coverage", "coverage_of") == (
        pytest.approx(coverage.attributed / coverage.lines),
        coverage.lines,
    )
    head = next(row for row in agents if row["unit"] == "head")
    assert whole["agent_at_head_of"] == head["at_risk"] and whole["agent_at_head"] == head["share"]
    month = next((row for row in agents if pick(row, "unit", "horizon") == ("days", 30)), None)
    if month is not None:
        assert pick(whole, "agent_kept_30_days_of", "agent_kept_30_days") == pick(
            month, "enough", "share"
        )
    assert whole["cost_usd"] == pytest.approx(cost)


def test_the_headline_of_one_repository_does_not_read_all_of_them(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[str] = []
    with Store(db) as store:
        rows = store.rows

        def explained(sql: str, parameters: Sequence[Any] = ()) -> Any:
            plans.extend(row["detail"] for row in rows(f"EXPLAIN QUERY PLAN {sql}", parameters))
            return rows(sql, parameters)

        monkeypatch.setattr(Store, "rows", lambda _, *words: explained(*words))
        first, second, both = (headline(store, repo).lines for repo in (1, 2, None))
    assert {name: first[name] + second[name] for name in first} == both
    commits = [plan for plan in plans if plan.split()[1] == "c"]
    assert len(commits) == 3 and all(
        plan.startswith("SEARCH") and "repo_id=?" in plan for plan in commits[:2]
    ), plans


def test_days_and_teams_choose(db: Path, tmp_path: Path) -> None:
    with Store(db) as store:
        days = [
            r["day"]
            for r in store.rows(
                "SELECT DISTINCT substr(author_at, 1, 10) AS day FROM commits ORDER BY 1"
            )
        ]
        one = breakdown(store, BreakdownOptions(since=days[1], until=days[1])).whole
        sql = (
            "SELECT SUM(nonblank) FROM line_spans l JOIN commits c ON c.id = l.commit_id WHERE"
            f" {_CODE} AND c.author_at LIKE ?"
        )
        assert one["lines"] == store.value(sql, (f"{days[1]}%",))
        email = store.value("SELECT author_email FROM commits LIMIT 1")
    teams = tmp_path / "teams.csv"
    teams.write_text(f"email,team\n{email.upper()},core\n*@nowhere.example,others\n", "utf-8")
    groups = {row["team"] for row in run_rows("report", "--by", "team", "--teams", teams, db=db)}
    assert "core" in groups and groups <= {"core", "no team"}


def test_what_cannot_be_known_is_empty_and_said(db: Path) -> None:
    by_directory = run_json("report", "--by", "directory", db=db)
    assert all(row["cost_usd"] is None and row["findings"] is None for row in by_directory["rows"])
    assert any("a prompt belongs to no directory" in note for note in by_directory["notes"])
    assert any("whowrote findings scan" in note for note in by_directory["notes"])
    by_agent = run_json("report", "--by", "agent", db=db)
    assert all(row["agent_share"] is None and row["coverage"] is None for row in by_agent["rows"])
    shown = " ".join(run("report", "--by", "month", "--full", db=db).stdout.split())
    assert all(" ".join(warning.split()) in shown for warning in NOT_TO_CONCLUDE)


def test_the_page_says_it_too(db: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run("report", "--by", "directory,month", "--html", page, db=db)
    text = page.read_text("utf-8")
    assert "What must not be concluded" in text and "<script" not in text and "src=" not in text
    assert text.index("How much is known") < text.index("By directory, month")
    assert "USD per line" not in text


# --- the page of a week ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def last_day(db: Path) -> str:
    """The Sunday after the newest line of the example."""
    newest = value(
        db,
        "SELECT MAX(substr(author_at, 1, 10)) FROM commits c JOIN line_spans l ON"
        " l.commit_id = c.id",
    )
    return (date.fromisoformat(monday(newest)) + timedelta(days=6)).isoformat()


def test_the_week_says_what_the_breakdown_of_its_days_says(db: Path, last_day: str) -> None:
    with Store(db) as store:
        report = weekly_report(store, BreakdownOptions(("week", "repository"), until=last_day))
        whole = breakdown(store, BreakdownOptions(since=report.days[0], until=last_day)).whole
        begun = (date.fromisoformat(last_day) + timedelta(days=3)).isoformat()
        later = weekly_report(store, BreakdownOptions(("week",), until=begun))
        by_week = breakdown(store, BreakdownOptions(("week",), until=last_day)).table.rows
    weeks, became, weaknesses, by_repository = report.sections
    assert later.days[0] == report.days[0], "a week that is not over is compared with none"
    names = ("lines", "commits", "coverage", "agent_or_declared_share")
    assert [weeks.table.rows[0][name] for name in names] == [whole[name] for name in names]
    shown = {row["week"]: row["lines"] for row in weeks.table}
    assert len(shown) > 1 and list(shown) == sorted(shown, reverse=True)
    assert all(shown[row["week"]] == row["lines"] for row in by_week if row["week"] in shown)
    this = [row for row in by_repository.table if row["week"] == report.days[0]]
    assert sum(row["lines"] for row in this) == whole["lines"]
    assert len(report.unknowable) == 3 and "findings scan" in weaknesses.table.notes[0]
    assert became.title.startswith("What became")


def test_what_became_of_the_last_weeks_adds_up_to_the_agents_lines_of_these(
    db: Path, last_day: str
) -> None:
    later = date.fromisoformat(last_day) + timedelta(weeks=2)
    with Store(db) as store:
        report = weekly_report(store, BreakdownOptions(("week",), until=later.isoformat()))
        days = [(later - timedelta(later.weekday(), weeks=weeks)).isoformat() for weeks in (4, 0)]
        lives = records_of(store, [1, 2])
        births = set(
            column(
                store,
                "SELECT id FROM history_commits WHERE author_at >= ? AND author_at < ?",
                *days,
            )
        )
    expected = sum(life.lines for life in lives if life.birth in births and life.author == "agent")
    rows = report.sections[1].table.rows
    assert expected and sum(row["lines"] for row in rows) == expected
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    # nothing in that week, and no number for its shares
    first = report.sections[0].table.rows[0]
    assert (first["lines"], first["agent_share"], first["coverage"]) == (0, None, None)


@pytest.mark.parametrize(("unpriced", "least"), [(0, ""), (3, "at least ")])
def test_the_cost_of_a_line_is_that_of_the_lines_beside_it(unpriced: int, least: str) -> None:
    lives = [
        LifetimeRecord(1500, "agent", 9, 9, 0, 0, False),
        LifetimeRecord(500, "agent", 2, 9, 0, 0, True),
        LifetimeRecord(700, "agent", 2, 2, 0, 0, False, lost=True),
        LifetimeRecord(900, "human", 9, 9, 0, 0, False),
    ]
    prompts = [*[Prompt(_PLACE, 30.0)] * 2, *[Prompt(_PLACE, None)] * unpriced]
    table = weekly._became(lives, prompts).table
    there = next(row["lines"] for row in table if row["lines of agents"] == "still there")
    assert (there, table.notes[0].rpartition(", ")[2]) == (
        1500,
        f"{least}USD {60 / 1500:.4f} for each line that is still there",
    )
    (note,) = weekly._became([replace(lives[0], lines=1), lives[1]], prompts).table.notes
    assert note.endswith("have a price)"), "too few lines for a cost of each"


def test_last_counts_whole_weeks_days_and_months(db: Path) -> None:
    until = datetime(2026, 3, 12)  # a Thursday
    periods = ("1w", "6w", "1d", "30d", "1m", "3m", "15m")
    firsts = {
        period: report_command._first_day(report_command._period(period), until)
        for period in periods
    }
    assert firsts == {
        "1w": "2026-03-09",
        "6w": "2026-02-02",
        "1d": "2026-03-12",
        "30d": "2026-02-11",
        "1m": "2026-03-01",
        "3m": "2026-01-01",
        "15m": "2025-01-01",
    }


def test_the_week_on_a_terminal_and_as_a_page_has_the_same_words(
    db: Path, last_day: str, tmp_path: Path
) -> None:
    options = (
        "report",
        "--by",
        "week",
        "--last",
        "6w",
        "--until",
        last_day,
        "--by",
        "agent",
        "--db",
        db,
    )
    shown = run(*options, "--full")
    run(*options, "--html", tmp_path / "w.html")
    page = (tmp_path / "w.html").read_text("utf-8")
    assert re.search('<th class="n"[^>]*>lines', page), "numbers end below each other"
    for heading in (
        "and those before",
        "Open weaknesses",
        "By agent",
        "Claude Code",
    ):
        assert heading in shown.stdout and heading in page, heading
    assert "claude-code" not in shown.stdout and "<main" in page and "<script" not in page
    assert run_json(*options)["rows"][0].keys() >= {
        "week",
        "agent",
        "lines",
    }


def test_months_without_agents_are_folded_for_people_and_not_in_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def of(day: str, line_class: str, lines: int) -> LineCell:
        return LineCell(
            Place(day, "r", ".", "", "n", "", "", ""),
            int(day.replace("-", "")),
            line_class,
            0,
            lines,
        )

    months = [
        "2019-01-03",
        "2019-02-03",
        "2021-07-01",
        "2025-01-05",
        "2025-03-01",
        "2025-04-01",
        "2025-05-01",
    ]
    cells = [
        of(day, "agent" if day.startswith(("2025-01", "2025-05")) else "undeclared", 30)
        for day in months
    ]
    options = BreakdownOptions(("month",))
    folded = module.group_rows(Facts(cells), replace(options, fold=True))
    assert [row["month"] for row in folded] == [
        "2019-01 to 2021-07",
        "2025-01",
        "2025-03 to 2025-04",
        "2025-05",
    ]
    assert [row["lines"] for row in folded] == [90, 30, 60, 30]
    assert [row["month"] for row in module.group_rows(Facts(cells), options)] == [
        day[:7] for day in months
    ]
    alone = [of(day, "undeclared", 30) for day in months]
    assert len(module.group_rows(Facts(alone), replace(options, fold=True))) == len(months)


@pytest.mark.parametrize(
    ("options", "words"),
    {
        ("--by", "week", "--last", "6"): "write for example 6w",
        ("--by", "week", "--last", "6w", "--since", "2026-01-01"): "choose one of them",
        ("--by", "week", "--until", "2001-01-01"): "add --until",
        ("--html", "page.html", "--last", "6w"): "only together with --by",
        ("--by", "weather"): "cannot be grouped by weather",
        ("--by", ","): "cannot be grouped by nothing",
        ("--by", "team"): "no teams are known",
        ("--html", "page.html", "--since", "2026-01-01"): "only together with --by",
        ("--by", "month", "--since", "2199-01-01"): "no attributed line of these days",
    }.items(),
)
def test_wrong_input(db: Path, options: tuple[str, ...], words: str) -> None:
    done = run("report", *options, code=2, db=db)
    assert words in done.stderr


def test_a_table_of_teams_without_its_columns(db: Path, tmp_path: Path) -> None:
    (tmp_path / "teams.csv").write_text("core,me@example.org\n", "utf-8")
    done = run("report", "--by", "team", "--teams", tmp_path / "teams.csv", code=2, db=db)
    assert "must name the columns email and team" in done.stderr


def test_releases_say_since_when_agents_took_part(tmp_path: Path) -> None:
    repo = clone("example", tmp_path)
    db = tmp_path / "r.db"
    commits = git(repo, "rev-list", "--reverse", "main").decode().split()
    for name, commit in (
        ("dev-2026-01", commits[1]),
        ("v0.10", commits[3]),
        ("v0.10-rc1", commits[3]),
    ):
        git(repo, "tag", name, commit)
    analyse(repo, db)
    found = run_json("report", "--by", "release", db=db)
    assert [row["release"] for row in found["rows"]] == ["dev-2026-01", "v0.10", "not released"]
    assert found["notes"][0].startswith(
        "first release with a sign of an agent: v0.10, from 2026-01-12;"
        " last one before it: dev-2026-01; "
    )
    git(repo, "-c", "user.name=A", "-c", "user.email=a@b", "tag", "-am", "All", "v1.0", "main")
    assert "nothing changed" in run("repo", repo, db=db).stdout
    found = run_json("report", "--by", "release", db=db)
    assert [row["release"] for row in found["rows"]] == ["dev-2026-01", "v0.10", "v1.0"]


def test_a_release_of_another_branch_has_commits_of_this_one(tmp_path: Path) -> None:
    repo = clone("example", tmp_path)
    db = tmp_path / "r.db"
    commits = git(repo, "rev-list", "--reverse", "main").decode().split()
    by = b"A <a@b.c> 1768219300 +0000"  # before the third commit
    parent = git(repo, "cat-file", "commit", commits[1])
    tree = parent.partition(b"\n")[0]
    fix = b"%b\nparent %b\nauthor %b\ncommitter %b\n\nFix\n" % (tree, commits[1].encode(), by, by)
    made = git(repo, "hash-object", "-t", "commit", "-w", "--stdin", stdin=fix)
    git(repo, "tag", "v0.1", made.decode().strip())
    git(repo, "tag", "v0.2", commits[-1])
    rows = run_json("report", "--by", "release", repo, db=db)["rows"]
    assert [row["release"] for row in rows] == ["v0.1", "v0.2"]
    for name, releases in (("v0.1", ["v0.2"]), ("v0.2", ["not released"])):  # they were withdrawn
        git(repo, "tag", "-d", name)
        run("repo", repo, db=db)
        rows = run_json("report", "--by", "release", db=db)["rows"]
        assert [row["release"] for row in rows] == releases


def test_without_a_sign_of_an_agent_the_releases_are_counted() -> None:
    commits = [
        CommitSign(_PLACE._replace(release=name), number, 0)
        for number, name in enumerate(("v1", "v2", ""))
    ]
    assert module.since_when(commits).startswith("no sign of an agent in 2 releases; looked for: ")
    signed = [
        commit._replace(signed=1, place=commit.place._replace(day=f"2026-0{5 - n}"))
        for n, commit in enumerate(commits)
    ]
    assert module.since_when(signed).startswith(
        "first release with a sign of an agent: v2, from 2026-04; looked"
    )


# --- the statistics, on facts made by hand --------------------------------------------------------

_PLACE = Place("2026-01", "r", "src/", "", "", "", "", "")


def _whole(facts: Facts, monkeypatch: pytest.MonkeyPatch, store: Store) -> Row:
    monkeypatch.setattr(module, "facts", lambda *_: facts)
    return breakdown(store, BreakdownOptions()).whole


def _cells(*shares: tuple[int, int]) -> list[LineCell]:
    return [
        LineCell(_PLACE, number, name, 1, lines)
        for number, (agent, other) in enumerate(shares)
        for name, lines in (("agent", agent), ("undeclared", other))
        if lines
    ]


def test_an_interval_is_over_commits_and_needs_two(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(db) as store:
        many = _whole(Facts(_cells((10, 10), (20, 0), (0, 20), (15, 5))), monkeypatch, store)
        single = _whole(Facts(_cells((10, 30))), monkeypatch, store)
        few = _whole(Facts(_cells((5, 5))), monkeypatch, store)
        none = _whole(Facts(_cells((0, 30), (0, 30))), monkeypatch, store)
    # commits of 20 lines each with shares .5, 1, 0, .75: the interval of a mean, t(3) = 3.182
    assert many["agent_share"] == pytest.approx(0.5625)
    deviation = (
        ((0.5 - 0.5625) ** 2 + (1 - 0.5625) ** 2 + 0.5625**2 + (0.75 - 0.5625) ** 2) / 3 / 4
    ) ** 0.5
    assert many["agent_share_low"] == pytest.approx(
        max(0.0, 0.5625 - 3.18245 * deviation), abs=1e-4
    )
    assert many["agent_share_high"] == 1.0
    assert pick(single, "agent_share", "agent_share_low", "agent_share_high") == (
        0.25,
        None,
        None,
    )
    assert pick(few, "agent_lines", "agent_share_of", "agent_share") == (5, 10, None)
    assert pick(none, "agent_share", "agent_share_low") == (0.0, None)


@pytest.mark.parametrize("unpriced", [0, 2])
def test_the_cost_of_a_line_of_a_group_is_that_of_the_agent_lines_beside_it(
    unpriced: int, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever multiplies the share at HEAD by its lines gets the divisor."""
    records = [
        LifetimeRecord(60, "agent", 9, 9, 0, 0, False),
        LifetimeRecord(40, "agent", 2, 9, 1, 1, True),
        LifetimeRecord(70, "agent", 2, 2, 0, 0, False, lost=True),
        LifetimeRecord(900, "human", 9, 9, 0, 0, False),
    ]
    prompts = [Prompt(_PLACE, 2.0), Prompt(_PLACE, 1.0), *[Prompt(_PLACE, None)] * unpriced]
    lives = [Life(_PLACE, record) for record in records]
    with Store(db) as store:
        known = _whole(Facts(_cells((10, 10)), lives, prompts), monkeypatch, store)
        few = _whole(Facts(_cells((10, 10)), lives[1:], prompts), monkeypatch, store)
        free = _whole(Facts(_cells((10, 10)), lives, [Prompt(_PLACE, None)]), monkeypatch, store)
    assert known["agent_at_head"] * known["agent_at_head_of"] == 60
    assert known["cost_usd"] == 3.0 and known["cost_per_line_at_head"] == pytest.approx(3 / 60)
    assert pick(known, "prompts_with_cost", "prompts") == (2, 2 + unpriced)
    assert pick(few, "cost_usd", "cost_per_line_at_head") == (3.0, None)
    assert pick(free, "cost_usd", "cost_per_line_at_head") == (None, None)


def test_lines_that_are_too_young_are_counted_as_far_as_they_were_followed(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def life(birth: int, lines: int, days: float, dead: bool, followed: float) -> Life:
        return Life(_PLACE, LifetimeRecord(lines, "agent", days, followed, 0, 0, dead, birth=birth))

    old = [life(n, 10, 100, False, 100) for n in range(4)]
    with Store(db) as store:
        lives = [*old, life(9, 40, 10, True, 100), life(10, 40, 5, False, 5)]
        kept = _whole(Facts(_cells((10, 10)), lives=lives), monkeypatch, store)
        young = _whole(
            Facts(_cells((10, 10)), lives=[life(1, 90, 5, False, 5)]), monkeypatch, store
        )
    assert kept["agent_kept_30_days_of"] == 80 and kept["agent_kept_30_days"] == pytest.approx(0.5)
    assert pick(young, "agent_kept_30_days_of", "agent_kept_30_days") == (0, None)
