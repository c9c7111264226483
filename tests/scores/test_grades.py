"""Grade patterns, worked out by hand."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.commands import rows, run

from attribution.evaluation.attempts.scan import MOST_BYTES
from attribution.queries.grades import grade_report, harm_of
from attribution.scores.grades import (
    LEAST,
    LEAST_CLUSTERS,
    LEAST_WEIGHT,
    REPOSITORIES,
    SESSIONS,
    SUPPORT,
    Graded,
    Harmed,
    cell,
    cells,
    gaps,
    harm,
    trend,
)  # fmt: skip
from attribution.stats.intervals import around, jackknife, t_quantile, wilson
from collector.errors import WhoWroteError
from collector.storage.store import Store

START = datetime(2026, 3, 2, tzinfo=UTC)  # a Monday, 2026-W10
NOON = "2026-03-02T12:00:00Z"


def _some(repository: str, *scores: float, category: str = "coding", harness: str = "a", weeks: float = 0) -> list[Graded]:
    at = START + timedelta(weeks=weeks)
    return [Graded(q, category, harness, f"model of {harness}", repository, at) for q in scores]


# --- intervals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("df", "expected"), [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (10, 2.228), (15, 2.131), (100, 1.984), (1000, 1.962)]
)
def test_quantiles_are_those_of_the_tables(df: int, expected: float) -> None:
    assert t_quantile(df) == pytest.approx(expected, abs=5e-4)


def test_a_jackknife_over_single_values_is_the_usual_standard_error() -> None:
    values = [0.2, 0.4, 0.9, 0.5]  # mean 0.5, squares 0.09 + 0.01 + 0.16 + 0 = 0.26
    found = jackknife([(1.0, v) for v in values], lambda m: m[1] / m[0])
    assert found == pytest.approx(math.sqrt(0.26 / 3 / 4))


def test_a_jackknife_over_clusters_by_hand() -> None:
    # (n, sum): without the first 5/5 = 1, without the second 7/8, without the third 8/9; all: 10/11
    parts = [(6.0, 5.0), (3.0, 3.0), (2.0, 2.0)]
    whole, without = 10 / 11, (5 / 5, 7 / 8, 8 / 9)
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
    assert one is not None and one == pytest.approx((0.1078, 0.6032), abs=1e-4)  # Wilson 1927; Brown, Cai and DasGupta 2001
    nothing = wilson(0, 10)
    assert nothing is not None and nothing.low == 0 and nothing.high == pytest.approx(0.2775, abs=1e-4)


# --- cells ------------------------------------------------------------------------------------------------------------


def test_a_cell_of_few_sessions_has_a_count_and_nothing_else() -> None:
    found = cell("harness", "a", _some("r", *[0.5] * (LEAST - 1)))
    assert (found.sessions, found.mean, found.median, found.error, found.interval, found.over) == (4, None, None, None, None, "")
    assert cell("harness", "a", _some("r", *[0.5] * 4), least=4).mean == 0.5


def test_with_few_repositories_the_interval_is_over_sessions() -> None:
    found = cell("harness", "a", [*_some("r", 0.2, 0.4, 0.6), *_some("s", 0.8, 1.0)])
    assert found.mean == pytest.approx(0.6) and found.median == 0.6
    error = math.sqrt((0.16 + 0.04 + 0 + 0.04 + 0.16) / 4 / 5)
    assert found.error == pytest.approx(error)
    assert found.over == SESSIONS and found.interval is not None
    assert found.interval == pytest.approx((0.6 - 2.7764 * error, min(1.0, 0.6 + 2.7764 * error)), abs=1e-4)
    assert found.effective == pytest.approx(25 / 13)


def test_with_five_repositories_the_interval_is_over_repositories() -> None:
    """Equal sizes: the standard error is that of the mean of the repositories' means."""
    means = (0.1, 0.3, 0.5, 0.7, 0.9)
    some = [g for i, m in enumerate(means) for g in _some(f"r{i}", m - 0.05, m + 0.05)]
    found = cell("harness", "a", some)
    assert found.over == REPOSITORIES and (found.sessions, found.repositories, found.effective) == (10, 5, 5.0)
    assert found.error == pytest.approx(math.sqrt(0.4 / 4 / 5))
    assert found.interval == pytest.approx((0.5 - 2.7764 * math.sqrt(0.02), 0.5 + 2.7764 * math.sqrt(0.02)), abs=1e-4)


def test_an_interval_stays_within_what_is_possible() -> None:
    found = cell("harness", "a", _some("r", 0, 1, 1, 1, 1))
    assert found.interval is not None and found.interval.high == 1.0 and found.interval.low > 0


def test_groups_and_weeks() -> None:
    some = [*_some("r", *[0.5] * 6, harness="b"), *_some("r", *[1.0] * 5, weeks=1), *_some("r", 0.1, category="chat")]
    assert [(c.name, c.sessions) for c in cells(some, "harness")] == [("a", 6), ("b", 6)]
    assert [(c.name, c.mean) for c in cells(some, "week")] == [("2026-W10", pytest.approx(3.1 / 7)), ("2026-W11", 1.0)]
    assert [c.name for c in cells(some, "category x harness")] == ["coding x b", "coding x a", "chat x a"]
    assert [c.sessions for c in cells([*some, Graded(1, "chat", "a", "m", "r")], "week")] == [7, 5]  # one without a time
    assert [(c.name, c.sessions) for c in cells(some, "all")] == [("all", 12)]


# --- gaps -------------------------------------------------------------------------------------------------------------


def _two(category: str, harness: str, n: int, q: float) -> list[Graded]:
    """n sessions at a mean of q, half of them in each of two repositories."""
    return [g for r in ("r", "s") for g in _some(r, *[q - 0.01, q + 0.01] * (n // 4), category=category, harness=harness)]


def test_a_raw_gap_reverses_when_the_tasks_are_made_the_same() -> None:
    """Simpson: b is better at both types of task, and worse on the whole, because it has the hard ones."""
    some = [
        *_two("coding", "a", 40, 0.90), *_two("chat", "a", 8, 0.20),
        *_two("coding", "b", 4, 0.96), *_two("chat", "b", 28, 0.30),
    ]  # fmt: skip
    (gap,) = gaps(some, "harness")
    assert (gap.name, gap.reference, gap.sessions, gap.reference_sessions) == ("b", "a", 32, 48)
    mean_a, mean_b = (40 * 0.9 + 8 * 0.2) / 48, (4 * 0.96 + 28 * 0.3) / 32
    assert gap.raw.value == pytest.approx(mean_b - mean_a) == pytest.approx(-0.400833, abs=1e-6)
    assert gap.standardised.value == pytest.approx(44 / 80 * 0.06 + 36 / 80 * 0.10) == pytest.approx(0.078)
    assert gap.categories == ("chat", "coding") and gap.left_out == () and gap.weight == 1.0
    assert gap.raw.over == gap.standardised.over == SESSIONS and gap.shared_repositories == 2
    assert gap.raw.interval is not None and gap.raw.interval.high < 0
    assert gap.standardised.interval is not None and gap.standardised.interval.low > 0


def test_the_weights_are_those_of_all_sessions_also_of_other_harnesses() -> None:
    some = [*_two("coding", "a", 12, 0.5), *_two("chat", "a", 12, 0.5), *_two("coding", "b", 4, 0.6), *_two("chat", "b", 4, 0.9)]
    assert gaps(some, "harness")[0].standardised.value == pytest.approx(0.5 * 0.1 + 0.5 * 0.4)
    other = _two("chat", "c", 16, 0.1)
    both = {g.name: g for g in gaps([*some, *other], "harness")}
    assert both["b"].standardised.value == pytest.approx(16 / 48 * 0.1 + 32 / 48 * 0.4)


def test_types_of_task_that_one_side_lacks_are_left_out_and_said() -> None:
    some = [*_two("coding", "a", 20, 0.5), *_two("chat", "a", 8, 0.9), *_two("coding", "b", 8, 0.7), *_two("research", "b", 4, 0.1)]
    (gap,) = gaps(some, "harness")
    assert gap.categories == ("coding",) and gap.left_out == ("chat", "research")
    assert gap.weight == pytest.approx(28 / 40)
    assert gap.standardised.value == pytest.approx(0.2)


def test_a_gap_over_a_small_part_of_the_work_is_not_told() -> None:
    some = [*_two("coding", "a", 20, 0.5), *_two("chat", "a", 60, 0.9), *_two("coding", "b", 8, 0.7)]
    (gap,) = gaps(some, "harness")
    assert gap.weight < 0.5 and gap.categories == ("coding",) and gap.standardised.value is None
    assert gap.raw.value is not None


def test_support_needs_two_repositories() -> None:
    """With one the gap would be that of a repository."""
    some = [*_two("coding", "a", 20, 0.5), *_some("r", *[0.7] * 8, harness="b")]
    (gap,) = gaps(some, "harness")
    assert gap.categories == () and gap.standardised.value is None and gap.left_out == ("coding",)


def test_gaps_over_repositories_by_hand() -> None:
    """Five repositories with one session of each harness: the error of paired differences."""
    differences = (0.1, 0.2, 0.0, 0.3, 0.1)
    some = [g for i, d in enumerate(differences) for g in (*_some(f"r{i}", 0.5), *_some(f"r{i}", 0.5 + d, harness="b"))]
    some += _some("r0", 0.5)  # a is the larger one
    (gap,) = gaps(some, "harness", least=5)
    assert gap.raw.over == REPOSITORIES and gap.shared_repositories == 5
    whole = 0.14
    without = [(0.7 - d) / 4 for d in differences]
    assert gap.raw.value == pytest.approx(whole)
    assert gap.raw.error == pytest.approx(math.sqrt(4 / 5 * sum((w - whole) ** 2 for w in without)))


def test_a_gap_that_is_one_between_repositories_vanishes_within_them() -> None:
    """b is used in the better repositories, and no better than a in any of them."""
    some = []
    for i in range(6):
        level = 0.1 + 0.1 * i
        some += _some(f"r{i}", *[level] * (13 - 2 * i)) + _some(f"r{i}", *[level] * (2 * i + 1), harness="b")
    (gap,) = gaps(some, "harness")
    assert gap.raw.value is not None and gap.raw.value > 0.1
    assert gap.within.value == pytest.approx(0) and gap.within.over == REPOSITORIES


def test_a_gap_within_repositories_by_hand() -> None:
    """Two places: 2 against 2 sessions with +0.2 (weight 1), 1 against 3 with -0.1 (weight 3/4); a third has only one of them."""
    some = [*_some("r", 0.5, 0.5), *_some("r", 0.7, 0.7, harness="b"), *_some("s", *[0.6] * 3), *_some("s", 0.5, harness="b")]
    some += [*_some("s", 0.9, category="chat"), *_some("t", 0.9, 0.8, harness="b")]
    (gap,) = gaps(some, "harness", least=5)
    assert gap.within.value == pytest.approx((0.2 - 0.075) / 1.75)
    assert gap.within.interval is None and gap.within.over == ""


def test_nobody_is_compared_without_enough_sessions_or_a_name() -> None:
    some = [*_two("coding", "a", 8, 0.5), *_some("r", 0.1, 0.2, harness="b"), *_two("coding", "unknown", 12, 0.5)]
    assert gaps(some, "harness") == []


# --- weeks ------------------------------------------------------------------------------------------------------------


def test_a_trend_by_hand() -> None:
    some = [g for week, q in enumerate((0.2, 0.3, 0.7, 0.8)) for g in _some("r", q, weeks=week)]
    found = trend(some)
    # x - mean: -1.5 -0.5 0.5 1.5; their squares 5; products with q: -0.3 - 0.15 + 0.35 + 1.2 = 1.1
    assert found.slope.value == pytest.approx(1.1 / 5)
    assert (found.sessions, found.repositories, found.weeks, found.slope.over) == (4, 1, 4, SESSIONS)
    assert found.within.value == pytest.approx(1.1 / 5) and found.within.interval is None


def test_a_trend_that_is_only_a_change_of_repositories() -> None:
    """Every repository gets worse; the later ones are better ones."""
    some = []
    for i in range(6):
        for step in range(3):
            some += _some(f"r{i}", 0.1 + 0.1 * i - 0.01 * step, weeks=i + step)
    found = trend(some)
    assert found.slope.value is not None and found.slope.value > 0.05
    assert found.within.value == pytest.approx(-0.01) and found.within.over == REPOSITORIES
    assert found.within.interval == pytest.approx((-0.01, -0.01), abs=1e-6)


def test_no_trend_without_times() -> None:
    found = trend([Graded(0.5, "chat", "a", "m", "r")])
    assert (found.sessions, found.slope.value, found.within.value) == (0, None, None)
    assert trend(_some("r", 0.1, 0.9)).slope.value is None  # all at one time


# --- harm -------------------------------------------------------------------------------------------------------------


def test_harm_is_not_zero_when_it_is_not_known() -> None:
    known = Harmed("a", "m", "coding", 4, 1, True, 2)
    clean = Harmed("a", "m", "coding", 2, 0, False, 0)
    idle = Harmed("a", "m", "chat", 0, 0, None, 0)
    dark = Harmed("b", "n", "coding", None, None, None, None)
    (found,) = harm([known, clean, idle, dark])
    assert (found.sessions, found.commits, found.reverted_commits, found.findings) == (4, 6, 1, 2)
    assert found.with_reverted_commits is not None
    assert (found.with_reverted_commits.hits, found.with_reverted_commits.of, found.with_reverted_commits.share) == (1, 2, 0.5)
    assert found.changes_reverted is not None and (found.changes_reverted.hits, found.changes_reverted.of) == (1, 2)
    assert found.with_findings is not None and (found.with_findings.hits, found.with_findings.of) == (1, 3)
    second = harm([known, dark], "harness")[1]
    assert (second.name, second.commits, second.changes_reverted, second.findings) == ("b", None, None, None)


# --- of a database ----------------------------------------------------------------------------------------------------


def _filled(path: Path, sessions: list[tuple[str, dict[str, Any]]]) -> Store:
    """A database with sessions of (repository, columns) and their scores."""
    store = Store(path)
    with store.transaction() as connection:
        connection.execute("CREATE TABLE session_features (session_id INTEGER PRIMARY KEY, changes_reverted INTEGER)")
        for number, (repo, given) in enumerate(sessions, 1):
            connection.execute("INSERT OR IGNORE INTO repos (name) VALUES (?)", (repo,))
            connection.execute(
                "INSERT INTO sessions (id, repo_id, key, label, agent, model, transcript, started_at) "
                "VALUES (?, (SELECT id FROM repos WHERE name = ?), ?, 'x', ?, ?, 'present', ?)",
                (number, repo, f"key{number:04}", given.get("agent", "codex"), given.get("model"), given.get("at", NOON)),
            )
            if "q" in given:
                connection.execute(
                    "INSERT INTO scores (session_id, task_type, q, weight_covered, parts, version) VALUES (?, ?, ?, 1, '{}', 1)",
                    (number, given.get("task", "coding"), given["q"]),
                )
            connection.execute("INSERT INTO session_features VALUES (?, ?)", (number, given.get("undone")))
    return store


def test_a_report_counts_what_it_leaves_out(tmp_path: Path) -> None:
    given: list[tuple[str, dict[str, Any]]] = [("o/r", {"q": 0.5, "undone": 1}), ("o/r", {"q": 0.7, "at": None}), ("o/s", {})]
    with _filled(tmp_path / "g.db", given) as store:
        found = grade_report(store, least=2)
        assert (found.graded, found.ungraded) == (2, 1)
        assert found.cells["category"][0].mean == pytest.approx(0.6)
        assert [c.sessions for c in found.cells["week"]] == [1]
        assert found.harm[0].commits is None and found.harm[0].findings is None
        assert found.harm[0].changes_reverted is not None and found.harm[0].changes_reverted.of == 1
        assert len(found.notes) == 3


def test_findings_are_read_when_they_are_there(tmp_path: Path) -> None:
    given: list[tuple[str, dict[str, Any]]] = [("o/r", {"q": 0.5}), ("o/r", {"q": 0.7}), ("o/s", {"q": 0.1})]
    with _filled(tmp_path / "g.db", given) as store:
        with store.transaction() as connection:
            connection.execute("DROP TABLE IF EXISTS findings")
            connection.execute("CREATE TABLE findings (repo_id INTEGER, rule_id TEXT, severity TEXT, session_id INTEGER)")
        assert [h.findings for h in harm_of(store)[0]] == [None, None, None]
        with store.transaction():
            rows = [(1, "x", "ERROR", 1), (1, "y", "error", 1), (1, "z", "INFO", 1), (1, "x", "ERROR", None)]
            store.insert("findings", ("repo_id", "rule_id", "severity", "session_id"), rows)
        assert [h.findings for h in harm_of(store)[0]] == [2, 0, None]


def test_commits_that_were_taken_back(tmp_path: Path) -> None:
    with _filled(tmp_path / "g.db", [("o/r", {"q": 0.5}), ("o/r", {"q": 0.7})]) as store:
        with store.transaction() as connection:
            for number, sha in enumerate("abc", 1):
                connection.execute(
                    "INSERT INTO commits (id, repo_id, commit_sha, label, position, parents, author_at, committed_at) "
                    "VALUES (?, 1, ?, ?, ?, 1, '', '')",
                    (number, sha, sha, number),
                )
                connection.execute(
                    "INSERT INTO history_commits (id, repo_id, number, commit_sha, parents, author_at, committed_at, lines_born, "
                    "lines_gone, lines_came, lines_present) VALUES (?, 1, ?, ?, 1, '', '', 0, 0, 0, 0)",
                    (number, number, sha),
                )
                lines = number - 1  # the first commit has no line of the session
                link = (number, 1, "trailer", 1, lines)
                store.insert("commit_sessions", ("commit_id", "session_id", "method", "confidence", "agent_lines"), [link])
            connection.execute("UPDATE history_commits SET reverted_by = 3 WHERE id <= 2")
            connection.execute(
                "INSERT INTO tip_states (repo_id, tip_sha, after_sha, keep, settings, lines, copies, commits, added, state) "
                "VALUES (1, 'c', '', '', '', 0, 0, 3, 3, x'')"
            )
        assert [(h.commits, h.reverted) for h in harm_of(store)[0]] == [(2, 1), (0, 0)]


def test_the_command(tmp_path: Path) -> None:
    db = tmp_path / "g.db"
    given: list[tuple[str, dict[str, Any]]] = [
        (f"o/r{i % 6}", {"q": i / 40, "model": "m\x1b[2J" if i % 2 else "n"}) for i in range(30)
    ]
    with _filled(db, given):
        pass
    shown = run("grades", db)
    assert shown.exit_code == 0, shown.stderr
    for part in (
        "mean Q",
        "std error",
        "adjusted for task",
        "weight",
        "difference in mean Q from",
        "trend of Q per week",
        "harm",
        "unknown",
        "30 sessions with a score",
    ):
        assert part in shown.stdout, part
    assert "\x1b[2J" not in shown.stdout
    table = rows(run("grades", "--db", db, "--by", "repository", "--csv"))
    assert [r["name"] for r in table] == [f"o/r{i}" for i in range(6)] and table[0]["over"] == SESSIONS
    data = json.loads(run("grades", db, "--json").stdout)
    assert data["graded"] == 30
    assert len(data["cells"]["model"][0]["interval"]) == 2


def test_without_scores_it_says_what_to_do(tmp_path: Path) -> None:
    with Store(tmp_path / "e.db") as store, pytest.raises(WhoWroteError) as told:
        grade_report(store)
    assert "whowrote repo" in told.value.hint
    assert run("grades", tmp_path / "none.db").exit_code != 0


def test_the_page_says_what_the_code_does() -> None:
    page = " ".join((Path(__file__).parent.parent.parent / "docs" / "grades.md").read_text("utf-8").split())
    assert f"A group of fewer than {LEAST} sessions" in page
    assert f"With at least {LEAST_CLUSTERS} repositories" in page
    assert f"at least {SUPPORT} sessions of it, from at least two repositories each" in page
    assert LEAST_WEIGHT == 0.5 and "less than half of all sessions (`weight`)" in page
    assert f"above {MOST_BYTES // 1_000_000} MB" in page
