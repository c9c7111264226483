"""Grade patterns, worked out by hand."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support import ROOT
from support.answers import pick
from support.commands import run, run_json, run_rows

from attribution.evaluation.estimates import LEAST_CLUSTERS, OBSERVATIONS, REPOSITORIES
from attribution.evaluation.grades.report import (
    LEAST,
    LEAST_WEIGHT,
    SUPPORT,
    Session,
    differences,
    grades,
    harm,
    means,
    scored_sessions,
    trend,
)
from attribution.features import features
from attribution.stats.intervals import around, jackknife, t_quantile, wilson
from collector.errors import WhoWroteError
from collector.json_values import Row, RowValues
from collector.limits import RESULT_BYTES
from collector.storage.store import Store
from collector.storage.views import Table

START = datetime(2026, 3, 2, tzinfo=UTC)  # a Monday, 2026-W10
NOON = "2026-03-02T12:00:00Z"


def _some(
    repository: str,
    *scores: float,
    category: str = "coding",
    harness: str = "a",
    weeks: float | None = 0,
) -> list[Session]:
    started = None if weeks is None else (START + timedelta(weeks=weeks)).isoformat()
    return [
        {
            "q": q,
            "category": category,
            "work": None,
            "harness": harness,
            "model": f"model of {harness}",
            "repository": repository,
            "started_at": started,
        }
        for q in scores
    ]


def _mean(sessions: list[Session], least: int = LEAST) -> Row:
    """The row of the harness that all of these sessions have."""
    (row,) = means(sessions, "harness", least)
    return row


# --- intervals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("df", "expected"),
    {
        1: 12.706,
        2: 4.303,
        3: 3.182,
        4: 2.776,
        10: 2.228,
        15: 2.131,
        100: 1.984,
        1000: 1.962,
    }.items(),
)
def test_quantiles_are_those_of_the_tables(df: int, expected: float) -> None:
    assert t_quantile(df) == pytest.approx(expected, abs=5e-4)


def test_a_jackknife_over_clusters_by_hand() -> None:
    # (n, sum): without the first 5/5 = 1, without the second 7/8, without the third 8/9; all: 10/11
    parts = [(6.0, 5.0), (3.0, 3.0), (2.0, 2.0)]
    whole = 10 / 11
    without = (5 / 5, 7 / 8, 8 / 9)
    expected = math.sqrt(2 / 3 * sum((w - whole) ** 2 for w in without))
    assert jackknife(parts, lambda m: m[1] / m[0]) == pytest.approx(expected)


def test_a_statistic_that_hangs_on_one_cluster_has_no_error() -> None:
    assert jackknife([(1.0, 1.0), (0.0, 0.0)], lambda m: m[1] / m[0] if m[0] else None) is None
    assert jackknife([(1.0, 1.0)], lambda m: m[1]) is None
    assert around(0.5, None, 3) is None
    assert around(0.5, 0.1, 0) is None


def test_wilson() -> None:
    assert wilson(0, 0) is None
    one = wilson(3, 10)
    # Wilson 1927; Brown, Cai and DasGupta 2001
    assert one is not None and one == pytest.approx((0.1078, 0.6032), abs=1e-4)
    nothing = wilson(0, 10)
    assert (
        nothing is not None and nothing.low == 0 and nothing.high == pytest.approx(0.2775, abs=1e-4)
    )


# --- means ----------------------------------------------------------------------------------------


def test_a_group_of_few_sessions_has_no_mean() -> None:
    assert means(_some("r", *[0.5] * (LEAST - 1)), "harness") == []
    assert _mean(_some("r", *[0.5] * 4), least=4)["mean_q"] == 0.5


def test_with_few_repositories_the_interval_is_over_sessions() -> None:
    found = _mean([*_some("r", 0.2, 0.4, 0.6), *_some("s", 0.8, 1.0)])
    assert found["mean_q"] == pytest.approx(0.6) and found["median_q"] == 0.6
    error = math.sqrt((0.16 + 0.04 + 0 + 0.04 + 0.16) / 4 / 5)
    assert found["error"] == pytest.approx(error) and found["over"] == OBSERVATIONS
    assert pick(found, "low", "high") == pytest.approx(
        (0.6 - 2.7764 * error, min(1.0, 0.6 + 2.7764 * error)), abs=1e-4
    )
    assert found["effective"] == pytest.approx(25 / 13)


def test_with_five_repositories_the_interval_is_over_repositories() -> None:
    """Equal sizes: the standard error is that of the mean of the repositories' means."""
    sizes = (0.1, 0.3, 0.5, 0.7, 0.9)
    found = _mean([g for i, m in enumerate(sizes) for g in _some(f"r{i}", m - 0.05, m + 0.05)])
    assert found["over"] == REPOSITORIES and pick(
        found, "sessions", "repositories", "effective"
    ) == (10, 5, 5.0)
    assert found["error"] == pytest.approx(math.sqrt(0.4 / 4 / 5))
    width = 2.7764 * math.sqrt(0.02)
    assert pick(found, "low", "high") == pytest.approx((0.5 - width, 0.5 + width), abs=1e-4)


def test_an_interval_stays_within_what_is_possible() -> None:
    found = _mean(_some("r", 0, 1, 1, 1, 1))
    assert found["high"] == 1.0 and found["low"] > 0


def test_groups_and_weeks() -> None:
    some = [
        *_some("r", *[0.5] * 6, harness="b"),
        *_some("r", *[1.0] * 5, weeks=1),
        *_some("r", 0.1, category="chat"),
    ]

    def rows(grouping: str, sessions: list[Session] = some) -> list[tuple[str, int]]:
        return [pick(row, "name", "sessions") for row in means(sessions, grouping, 1)]

    assert rows("harness") == [("a", 6), ("b", 6)]
    assert [pick(row, "name", "mean_q") for row in means(some, "week")] == [
        ("2026-W10", pytest.approx(3.1 / 7)),
        ("2026-W11", 1.0),
    ]
    assert [name for name, _ in rows("category x harness")] == [
        "coding x b",
        "coding x a",
        "chat x a",
    ]
    # one without a time
    assert [n for _, n in rows("week", [*some, *_some("r", 1, category="chat", weeks=None)])] == [
        7,
        5,
    ]
    assert rows("all") == [("all", 12)]


# --- differences ----------------------------------------------------------------------------------


def _two(category: str, harness: str, n: int, q: float) -> list[Session]:
    """n sessions at a mean of q, half of them in each of two repositories."""
    return [
        g
        for r in ("r", "s")
        for g in _some(r, *[q - 0.01, q + 0.01] * (n // 4), category=category, harness=harness)
    ]


def test_a_raw_gap_reverses_when_the_tasks_are_made_the_same() -> None:
    """Simpson: b is better at both types of task, and worse on the whole, because it has the
    hard ones.
    """
    some = [
        *_two("coding", "a", 40, 0.90),
        *_two("chat", "a", 8, 0.20),
        *_two("coding", "b", 4, 0.96),
        *_two("chat", "b", 28, 0.30),
    ]
    (gap,) = differences(some, "harness")
    assert pick(gap, "harness", "reference", "sessions", "reference_sessions") == (
        "b",
        "a",
        32,
        48,
    )
    mean_a = (40 * 0.9 + 8 * 0.2) / 48
    mean_b = (4 * 0.96 + 28 * 0.3) / 32
    assert gap["raw"] == pytest.approx(mean_b - mean_a) == pytest.approx(-0.400833, abs=1e-6)
    assert gap["adjusted"] == pytest.approx(44 / 80 * 0.06 + 36 / 80 * 0.10) == pytest.approx(0.078)
    assert gap["categories"] == "chat, coding" and gap["left_out"] == "" and gap["weight"] == 1.0
    assert gap["raw_over"] == gap["adjusted_over"] == OBSERVATIONS and gap["shared"] == 2
    assert gap["raw_high"] < 0
    assert gap["adjusted_low"] > 0


def test_the_weights_are_those_of_all_sessions_also_of_other_harnesses() -> None:
    some = [
        *_two("coding", "a", 12, 0.5),
        *_two("chat", "a", 12, 0.5),
        *_two("coding", "b", 4, 0.6),
        *_two("chat", "b", 4, 0.9),
    ]
    assert differences(some, "harness")[0]["adjusted"] == pytest.approx(0.5 * 0.1 + 0.5 * 0.4)
    other = _two("chat", "c", 16, 0.1)
    both = {g["harness"]: g for g in differences([*some, *other], "harness")}
    assert both["b"]["adjusted"] == pytest.approx(16 / 48 * 0.1 + 32 / 48 * 0.4)


def test_types_of_task_that_one_side_lacks_are_left_out_and_said() -> None:
    some = [
        *_two("coding", "a", 20, 0.5),
        *_two("chat", "a", 8, 0.9),
        *_two("coding", "b", 8, 0.7),
        *_two("research", "b", 4, 0.1),
    ]
    (gap,) = differences(some, "harness")
    assert gap["categories"] == "coding" and gap["left_out"] == "chat, research"
    assert gap["weight"] == pytest.approx(28 / 40)
    assert gap["adjusted"] == pytest.approx(0.2)


def test_a_gap_over_a_small_part_of_the_work_is_not_told() -> None:
    some = [
        *_two("coding", "a", 20, 0.5),
        *_two("chat", "a", 60, 0.9),
        *_two("coding", "b", 8, 0.7),
    ]
    (gap,) = differences(some, "harness")
    assert gap["weight"] < 0.5 and gap["categories"] == "coding" and gap["adjusted"] is None
    assert gap["raw"] is not None


def test_support_needs_two_repositories() -> None:
    """With one the gap would be that of a repository."""
    some = [*_two("coding", "a", 20, 0.5), *_some("r", *[0.7] * 8, harness="b")]
    (gap,) = differences(some, "harness")
    assert gap["categories"] == "" and gap["adjusted"] is None and gap["left_out"] == "coding"


def test_gaps_over_repositories_by_hand() -> None:
    """Five repositories with one session of each harness: the error of paired differences."""
    steps = (0.1, 0.2, 0.0, 0.3, 0.1)
    some = [
        g
        for i, d in enumerate(steps)
        for g in (*_some(f"r{i}", 0.5), *_some(f"r{i}", 0.5 + d, harness="b"))
    ]
    some += _some("r0", 0.5)  # a is the larger one
    (gap,) = differences(some, "harness", least=5)
    assert gap["raw_over"] == REPOSITORIES and gap["shared"] == 5
    whole = 0.14
    without = [(0.7 - d) / 4 for d in steps]
    assert gap["raw"] == pytest.approx(whole)
    error = math.sqrt(4 / 5 * sum((w - whole) ** 2 for w in without))
    assert gap["raw_high"] == pytest.approx(whole + 2.7764 * error, abs=1e-5)


def test_a_gap_that_is_one_between_repositories_vanishes_within_them() -> None:
    """b is used in the better repositories, and no better than a in any of them."""
    some = []
    for i in range(6):
        level = 0.1 + 0.1 * i
        some += _some(f"r{i}", *[level] * (13 - 2 * i)) + _some(
            f"r{i}", *[level] * (2 * i + 1), harness="b"
        )
    (gap,) = differences(some, "harness")
    assert gap["raw"] is not None and gap["raw"] > 0.1
    assert gap["within"] == pytest.approx(0) and gap["within_over"] == REPOSITORIES


def test_a_gap_within_repositories_by_hand() -> None:
    """Two places: 2 against 2 sessions with +0.2 (weight 1), 1 against 3 with -0.1 (weight 3/4);
    a third has only one of them.
    """
    some = [
        *_some("r", 0.5, 0.5),
        *_some("r", 0.7, 0.7, harness="b"),
        *_some("s", *[0.6] * 3),
        *_some("s", 0.5, harness="b"),
    ]
    some += [*_some("s", 0.9, category="chat"), *_some("t", 0.9, 0.8, harness="b")]
    (gap,) = differences(some, "harness", least=5)
    assert gap["within"] == pytest.approx((0.2 - 0.075) / 1.75)
    assert gap["within_low"] is None and gap["within_over"] == ""


def test_nobody_is_compared_without_enough_sessions_or_a_name() -> None:
    some = [
        *_two("coding", "a", 8, 0.5),
        *_some("r", 0.1, 0.2, harness="b"),
        *_two("coding", "unknown", 12, 0.5),
    ]
    assert differences(some, "harness") == []


# --- weeks ----------------------------------------------------------------------------------------


def test_a_trend_by_hand() -> None:
    slope, within = trend(
        [g for week, q in enumerate((0.2, 0.3, 0.7, 0.8)) for g in _some("r", q, weeks=week)]
    )
    # x - mean: -1.5 -0.5 0.5 1.5; their squares 5; products with q: -0.3 - 0.15 + 0.35 + 1.2 = 1.1
    assert slope["slope"] == pytest.approx(1.1 / 5)
    assert pick(slope, "sessions", "repositories", "weeks", "slope_over") == (
        4,
        1,
        4,
        OBSERVATIONS,
    )
    assert within["slope"] == pytest.approx(1.1 / 5) and within["slope_low"] is None


def test_a_trend_that_is_only_a_change_of_repositories() -> None:
    """Every repository gets worse; the later ones are better ones."""
    some = []
    for i in range(6):
        for step in range(3):
            some += _some(f"r{i}", 0.1 + 0.1 * i - 0.01 * step, weeks=i + step)
    slope, within = trend(some)
    assert slope["slope"] > 0.05
    assert within["slope"] == pytest.approx(-0.01) and within["slope_over"] == REPOSITORIES
    assert pick(within, "slope_low", "slope_high") == pytest.approx((-0.01, -0.01), abs=1e-6)


def test_no_trend_without_times() -> None:
    slope, within = trend(_some("r", 0.5, weeks=None))
    assert (slope["sessions"], slope["slope"], within["slope"]) == (0, None, None)
    assert trend(_some("r", 0.1, 0.9))[0]["slope"] is None  # all at one time


# --- harm -----------------------------------------------------------------------------------------


def _harmed(
    harness: str, commits: int | None, reverted: int, undone: int | None, findings: int | None
) -> Session:
    known: Session = {
        "followed": commits is not None,
        "commits": commits or 0,
        "reverted": reverted,
    }
    return {"harness": harness, **known, "undone": undone, "findings": findings}


def test_harm_is_not_zero_when_it_is_not_known() -> None:
    known = _harmed("a", 4, 1, 1, 2)
    clean = _harmed("a", 2, 0, 0, 0)
    idle = _harmed("a", 0, 0, None, 0)
    dark = _harmed("b", None, 0, None, None)
    (found,) = harm([known, clean, idle, dark], "all", 1)
    assert pick(found, "sessions", "commits", "reverted", "findings") == (
        4,
        6,
        1,
        2,
    )
    assert pick(found, "sessions_reverted", "sessions_reverted_of") == (0.5, 2)
    assert pick(found, "undid_own_changes", "undid_own_changes_of") == (0.5, 2)
    assert pick(found, "sessions_with_findings", "sessions_with_findings_of") == (
        pytest.approx(1 / 3),
        3,
    )
    second = harm([known, dark], "harness", 1)[1]
    assert pick(second, "name", "commits", "undid_own_changes", "findings") == (
        "b",
        None,
        None,
        None,
    )


# --- of a database --------------------------------------------------------------------------------


def _filled(path: Path, sessions: list[tuple[str, Row]]) -> Store:
    """A database with sessions of (repository, columns) and their scores."""
    store = Store(path)
    with store.transaction() as connection:
        columns = ", ".join(f"{feature.name} {feature.sql_type}" for feature in features())
        connection.execute(
            f"CREATE TABLE session_features (session_id INTEGER PRIMARY KEY, {columns})"
        )
        for number, (repo, given) in enumerate(sessions, 1):
            connection.execute("INSERT OR IGNORE INTO repos (name) VALUES (?)", (repo,))
            connection.execute(
                "INSERT INTO sessions (id, repo_id, key, label, agent, model, transcript,"
                " started_at) VALUES (?, (SELECT id FROM repos WHERE name = ?), ?, 'x', ?, ?,"
                " 'present', ?)",
                (
                    number,
                    repo,
                    f"key{number:04}",
                    given.get("agent", "codex"),
                    given.get("model"),
                    given.get("at", NOON),
                ),
            )
            if "q" in given:
                connection.execute(
                    "INSERT INTO scores (session_id, task_type, q, weight_covered, parts, version)"
                    " VALUES (?, ?, ?, 1, '{}', 1)",
                    (number, given.get("task", "coding"), given["q"]),
                )
            values = (number, given.get("undone"))
            connection.execute(
                "INSERT INTO session_features (session_id, changes_reverted) VALUES (?, ?)", values
            )
    return store


def _chapter(store: Store, least: int = LEAST) -> dict[str, Table]:
    return {table.name: table for table in grades(store, least)}


def test_a_report_counts_what_it_leaves_out(db: Path) -> None:
    given: list[tuple[str, Row]] = [
        ("o/r", {"q": 0.5, "undone": 1}),
        ("o/r", {"q": 0.7, "at": None}),
        ("o/s", {}),
    ]
    with _filled(db, given) as store:
        found = _chapter(store, least=2)
        rows = {pick(row, "by", "name"): row for row in found["means"]}
        assert rows["category", "coding"]["mean_q"] == pytest.approx(0.6)
        assert not any(by == "week" for by, _ in rows), "one session has a time"
        harmed, *_ = found["harm"].rows
        assert (
            harmed["commits"] is None
            and harmed["findings"] is None
            and harmed["undid_own_changes_of"] == 1
        )
        notes = " ".join(note for table in found.values() for note in table.notes)
    for part in (
        "2 sessions with a score",
        "1 session without a score",
        "a recorded time",
        "unknown, not zero",
        "1 group with",
    ):
        assert part in notes, part


def test_few_sessions_are_a_sentence_and_no_table(db: Path) -> None:
    with _filled(db, [("o/r", {"q": 0.5})] * 3) as store:
        (table,) = grades(store)
    assert table.rows == [] and table.notes == [
        "3 sessions with a score; 5 are needed for a mean, a difference or a trend."
    ]


def test_a_judges_grade_and_the_driver_choose_what_is_graded(db: Path) -> None:
    with _filled(db, [("o/r", {"q": 0.5}) for _ in range(6)]) as store:
        with store.transaction() as connection:
            connection.execute(
                "UPDATE sessions SET driver = CASE WHEN id <= 3 THEN 'program' ELSE 'person' END"
            )
            for number, (model, at) in enumerate((("old", "2026-01-01"), ("new", "2026-02-01")), 1):
                row = (number, model, "session", "1", "i", "{}", 1, None, None, None, at)
                connection.execute(
                    f"INSERT INTO judgements VALUES ({', '.join('?' * len(row))})", row
                )
            for session, grade, model in (
                (1, 90, "new"),
                (2, 70, "new"),
                (4, 10, "new"),
                (5, 99, "old"),
            ):
                connection.execute(
                    "INSERT INTO judge_labels VALUES (?, 0, 'success_score', NULL, ?, ?, '1', ?)",
                    (session, grade, model, 2 if model == "new" else 1),
                )

        def mean(**chosen: Any) -> tuple[int, float]:
            (row,) = (r for r in grades(store, 2, **chosen)[0].rows if r["by"] == "all")
            return row["sessions"], round(row["mean_q"], 4)

        assert mean() == (6, 0.5)
        assert mean(drivers=("program",)) == (3, 0.5)
        assert mean(by_judge=True) == (
            3,
            round(1.7 / 3, 4),
        ), "labels of an earlier judge are not mixed in"
        assert mean(by_judge=True, drivers=("program", "ci")) == (2, 0.8)
        assert any("judge" in note for note in grades(store, 2, by_judge=True)[0].notes)
        with pytest.raises(WhoWroteError, match="no such session"):
            grades(store, 2, drivers=("ci",))


def test_findings_are_read_when_they_are_there(db: Path) -> None:
    given: list[tuple[str, Row]] = [
        ("o/r", {"q": 0.5}),
        ("o/r", {"q": 0.7}),
        ("o/s", {"q": 0.1}),
    ]

    def findings(store: Store) -> dict[str, int | None]:
        return {
            row["name"]: row["findings"] for row in harm(scored_sessions(store), "repository", 1)
        }

    with _filled(db, given) as store:
        with store.transaction() as connection:
            connection.execute("DROP TABLE IF EXISTS findings")
            connection.execute(
                "CREATE TABLE findings (repo_id INTEGER, severity TEXT, status TEXT, session_id"
                " INTEGER)"
            )
        assert findings(store) == {"o/r": None, "o/s": None}
        with store.transaction():
            rows: list[RowValues] = [
                (1, level, "introduced", 1) for level in ("ERROR", "high", "INFO")
            ]
            rows += [(1, "ERROR", "introduced", None), (1, "ERROR", "moved", 1)]
            store.insert("findings", ("repo_id", "severity", "status", "session_id"), rows)
        assert findings(store) == {"o/r": 2, "o/s": None}


def test_commits_that_were_taken_back(db: Path) -> None:
    with _filled(db, [("o/r", {"q": 0.5}), ("o/r", {"q": 0.7})]) as store:
        with store.transaction() as connection:
            for number, sha in enumerate("abc", 1):
                connection.execute(
                    "INSERT INTO commits (id, repo_id, commit_sha, label, position, parents,"
                    " author_at, committed_at) VALUES (?, 1, ?, ?, ?, 1, '', '')",
                    (number, sha, sha, number),
                )
                connection.execute(
                    "INSERT INTO history_commits (id, repo_id, number, commit_sha, parents,"
                    " author_at, committed_at, lines_born, lines_gone, lines_came, lines_present)"
                    " VALUES (?, 1, ?, ?, 1, '', '', 0, 0, 0, 0)",
                    (number, number, sha),
                )
                lines = number - 1  # the first commit has no line of the session
                link = (number, 1, "trailer", 1, lines)
                store.insert(
                    "commit_sessions",
                    ("commit_id", "session_id", "method", "confidence", "agent_lines"),
                    [link],
                )
            connection.execute("UPDATE history_commits SET reverted_by = 3 WHERE id <= 2")
            connection.execute(
                "INSERT INTO tip_states (repo_id, tip_sha, after_sha, keep, settings, lines,"
                " copies, commits, added, state) VALUES (1, 'c', '', '', '', 0, 0, 3, 3, x'')"
            )
        found = sorted(pick(row, "q", "commits", "reverted") for row in scored_sessions(store))
        assert found == [(0.5, 2, 1), (0.7, 0, 0)]


def test_the_command(db: Path) -> None:
    given: list[tuple[str, Row]] = [
        (f"o/r{i % 6}", {"q": i / 40, "model": "m\x1b[2J" if i % 2 else "n"}) for i in range(30)
    ]
    with _filled(db, given):
        pass
    shown = run("report", "grades", db=db)
    titles = ("Difference in mean quality by model", "Change of quality per week", "Harm")
    for part in (*titles, "mean q", "error", "adjusted", "weight", "30 sessions with a score"):
        assert part in shown.stdout, part
    assert "\x1b[2J" not in shown.stdout and "by harness" not in shown.stdout, (
        "there is one harness"
    )
    table = [
        row
        for row in run_rows("report", "grades", db=db)
        if row["by"] == "repository" and row["mean_q"]
    ]
    assert [r["name"] for r in table] == [f"o/r{i}" for i in range(6)] and table[0][
        "over"
    ] == OBSERVATIONS
    data = {table["name"]: table["rows"] for table in run_json("report", "grades", db=db)}
    assert (
        data["means"][0]["sessions"] == 30 and data["means"][0]["low"] < data["means"][0]["mean_q"]
    )


def test_without_scores_it_says_what_to_do(tmp_path: Path, db: Path) -> None:
    with Store(db) as store, pytest.raises(WhoWroteError) as told:
        grades(store)
    assert "whowrote repo" in told.value.hint
    run("report", "grades", code=5, db=tmp_path / "none.db")


def test_the_page_says_what_the_code_does() -> None:
    page = " ".join((ROOT / "docs" / "grades.md").read_text("utf-8").split())
    assert f"A group of fewer than {LEAST} sessions" in page
    assert f"With at least {LEAST_CLUSTERS} repositories" in page
    assert f"at least {SUPPORT} sessions of it, from at least two repositories each" in page
    assert LEAST_WEIGHT == 0.5 and "less than half of all sessions (`weight`)" in page
    assert f"above {RESULT_BYTES // 1_000_000} MB" in page
