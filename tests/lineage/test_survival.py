"""Survival numbers against examples worked out by hand, and the estimates of the library against
the same.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

from attribution.lineage import minimum, survival
from attribution.lineage.survival import (
    DELETION,
    LifetimeRecord,
    RemovedLines,
    deletions,
    ended_by,
    group_records,
    language,
)
from attribution.stats import comparison
from attribution.stats.comparison import StatsMissing
from attribution.stats.kaplan_meier import Observation, estimate, survival_curve, survival_points
from collector.json_values import Row

END = 100.0


def compare(records: list[LifetimeRecord], baseline: str) -> comparison.Comparison:
    """However few there are."""
    return comparison.compare(records, baseline, minimum.NOTHING)


def line(
    born: float, died: float | None = None, lines: int = 1, author: str = "agent", **more: Any
) -> LifetimeRecord:
    """Lines born at some day and dead at another; the tip is at day 100."""
    values: Row = {"path": "f", "commits": 0, "follow_commits": 0} | more
    days = (END if died is None else died) - born
    return LifetimeRecord(
        lines, author, days, END - born, dead=died is not None and not values.get("lost"), **values
    )


def points(records: list[LifetimeRecord], unit: str) -> dict[int, tuple[int, float | None]]:
    """Age -> (lines at risk, share), however few there are."""
    found = survival_points(records, minimum.NOTHING)
    return {
        p.horizon: (p.at_risk, None if p.share is None else round(p.share, 6))
        for p in found
        if p.unit == unit
    }


# --- surviving so long ----------------------------------------------------------------------------


def test_lines_count_until_they_are_too_young() -> None:
    """Of 10 lines 2 end at 5 days and 1 after a day and a half; 4 are 5 days old and alive."""
    found = [line(0, 5, 2), line(0, None, 3), line(95, None, 4), line(95, 96.5, 1)]
    # 0.9 after a day and a half; at 5 days 2 of the 9 that are left end, as 4 of them are old
    # enough to be at risk then
    assert points(found, "days") == {1: (10, 1.0), 7: (3, 0.7), 30: (3, 0.7), 90: (3, 0.7)}
    assert points(found, "head") == {0: (10, 0.7)}


def test_shares_never_rise_with_age() -> None:
    """Lines old enough for 90 days are other ones than those old enough for 30: the share of
    each alone would rise.
    """
    found = [line(0, None, 10), line(60, 70, 90), line(60, None, 10)]
    shares = [share for _, share in points(found, "days").values() if share is not None]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] == round(20 / 110, 6)


def test_a_line_that_ends_on_the_day_is_not_alive_then() -> None:
    assert points([line(0, 7), line(0, 7.01)], "days")[7] == (1, 0.5)


def test_lines_lost_from_sight_leave_the_risk_and_are_no_deaths() -> None:
    found = [line(0, 10, lost=True), line(0)]
    assert points(found, "days") == {1: (2, 1.0), 7: (2, 1.0), 30: (1, 1.0), 90: (1, 1.0)}
    assert points(found, "head") == {0: (1, 1.0)}


def test_ages_in_commits() -> None:
    never_there = line(0, 3, commits=0, follow_commits=50)
    short = line(0, 3, commits=5, follow_commits=50)
    alive = line(0, None, commits=50, follow_commits=50)
    assert points([never_there, short, alive], "commits") == {1: (2, 0.666667), 10: (1, 0.333333)}


def test_no_share_of_few_lines() -> None:
    assert survival_points([]) == []
    few = [line(0, None, 19, birth=n) for n in (1,)] + [line(0, None, 0, birth=n) for n in (2, 3)]
    assert {p.share for p in survival_points(few)} == {None}
    two_commits = [line(0, None, 100, birth=n) for n in (1, 2)]
    assert {p.share for p in survival_points(two_commits)} == {None}
    assert {p.share for p in survival_points(two_commits, minimum.share_of("session"))} == {1.0}
    assert {p.share for p in survival_points([line(0, None, 100, birth=n) for n in (1, 2, 3)])} == {
        1.0
    }


def test_the_variance_is_greenwoods_when_lines_are_independent() -> None:
    """Deaths at 2, 5 and 9 of 6: 1/(6*5) + 1/(5*4) + 1/(3*2), as one is lost from sight at 7;
    the clusters' factor aside.
    """
    ages = [(2, True), (5, True), (7, False), (9, True), (20, False), (20, False)]
    found = estimate([Observation(age, dead, 1, n) for n, (age, dead) in enumerate(ages)], [10])[0]
    share = 5 / 6 * 4 / 5 * 2 / 3
    assert found.share == pytest.approx(share)
    assert found.variance is not None
    assert found.variance * 5 / 6 == pytest.approx(share**2 * (1 / 30 + 1 / 20 + 1 / 6))


def test_lines_of_one_commit_are_one_observation() -> None:
    """A hundred times the lines in the same commits give the same interval; in commits of their
    own a narrower one.
    """
    ages = [(2, True), (5, True), (7, False), (9, True), (20, False), (20, False)]
    one = estimate([Observation(age, dead, 1, n) for n, (age, dead) in enumerate(ages)], [10])[0]
    many = estimate([Observation(age, dead, 100, n) for n, (age, dead) in enumerate(ages)], [10])[0]
    apart = estimate(
        [
            Observation(age, dead, 1, (n, m))
            for n, (age, dead) in enumerate(ages)
            for m in range(100)
        ],
        [10],
    )[0]
    assert many.interval() == pytest.approx(one.interval())
    wide = one.interval()
    narrow = apart.interval()
    assert wide is not None and narrow is not None
    assert wide.high - wide.low > 5 * (narrow.high - narrow.low)
    assert 0 < wide.low < one.share < wide.high < 1


def test_no_interval_of_one_commit_or_of_all_or_nothing() -> None:
    assert (
        estimate([Observation(2, True, 1, 1), Observation(9, False, 1, 1)], [5])[0].interval()
        is None
    )
    assert (
        estimate([Observation(9, False, 1, 1), Observation(9, False, 1, 2)], [5])[0].interval()
        is None
    )
    assert (
        estimate([Observation(2, True, 1, 1), Observation(2, True, 1, 2)], [5])[0].interval()
        is None
    )


def test_groups() -> None:
    found = [
        line(0, path="src/a.py", model="m1", session_name="s", agent="codex"),
        line(0, path="b.md", author="human"),
        line(0, path="src/c.ts", author="declared", model="m2"),
    ]
    assert set(group_records(found, "class")) == {
        ("agent", "agent"),
        ("human", "human"),
        ("declared", "declared"),
    }
    assert set(group_records(found, "model")) == {("m1", "agent"), ("m2", "declared")}
    assert set(group_records(found, "session")) == {("s", "agent")}
    assert set(group_records(found, "directory")) == {
        ("src/", "agent"),
        (".", "human"),
        ("src/", "declared"),
    }
    assert set(group_records(found, "language")) == {
        ("py", "agent"),
        ("md", "human"),
        ("ts", "declared"),
    }


@pytest.mark.parametrize(
    ("path", "name"),
    {
        "a/b.tsx": "ts",
        "Makefile": "make",
        "x.YML": "yaml",
        ".gitignore": "other",
        "LICENSE": "other",
        "a.b/c": "other",
    }.items(),
)
def test_languages_by_name(path: str, name: str) -> None:
    assert language(path) == name


# --- who ends lines -------------------------------------------------------------------------------


def test_who_ended_the_agents_lines() -> None:
    def dead(
        actor: str, actor_session: int | None = None, lines: int = 1, **more: Any
    ) -> LifetimeRecord:
        return line(0, 1, lines, session=1, actor=actor, actor_session=actor_session, **more)

    found = [
        dead("agent", 1, 2),
        dead("agent", 2, 3),
        dead("agent", None, 4),
        dead("human", None, 5),
        dead("unknown", None, 6),
        dead("human", None, 7, author="human"),
        line(0),
    ]
    assert ended_by(found) == dict(zip(survival.ENDERS, (2, 3, 4, 5, 6), strict=True))


def test_deletions_by_commit_author_and_age() -> None:
    young = line(0, 10, 1, actor="human", cause="deleted")
    old = line(0, 40, 2, actor="human", cause="deleted")
    (row,) = deletions([RemovedLines(9, young), RemovedLines(9, old), RemovedLines(0, line(0))])
    assert dict(zip(DELETION, row, strict=True)) == {
        "commit_id": 9,
        "author": "agent",
        "author_session_id": None,
        "actor": "human",
        "actor_session_id": None,
        "cause": "deleted",
        "lines": 3,
        "youngest_days": 10.0,
        "mean_days": 30.0,
        "oldest_days": 40.0,
    }


# --- agents against people ------------------------------------------------------------------------


def test_weights_are_counts_of_lines() -> None:
    single = [
        line(0, 1),
        line(0, 1),
        line(0, 5),
        line(0, 2, author="human"),
        line(0, author="human"),
        line(0, author="human"),
    ]
    joined = [
        line(0, 1, 2),
        line(0, 5),
        line(0, 2, author="human"),
        line(0, None, 2, author="human"),
    ]
    assert compare(single, "human") == compare(joined, "human")


def test_only_files_with_both_count_and_the_baseline_is_said() -> None:
    found = [
        line(0, 1, path="a"),
        line(0, 1, path="b"),
        line(0, path="b", author="undeclared"),
        line(0, path="c", author="human"),
    ]
    assert compare(found, "human").files == 0
    wide = compare(found, "human + undeclared")
    assert (wide.files, wide.agent_lines, wide.baseline_lines) == (1, 1, 1)
    other_repository = [line(0, 1, repo=1), line(0, author="human", repo=2)]
    assert compare(other_repository, "human").files == 0


def test_excess_rework() -> None:
    found = [
        line(0, 10, 3),
        line(0, None, 1),
        line(0, 10, 1, author="human"),
        line(0, 60, 3, author="human"),
        line(95, None, 50),
    ]
    assert compare(found, "human").excess_rework == pytest.approx(3 / 4 - 1 / 4)
    assert compare(found, "human").rework_agent == comparison.Rework(4, 3 / 4)
    assert compare(found[:2], "human").excess_rework is None


def test_excess_rework_moves_with_the_baseline() -> None:
    def lines(author: str, removed: int, first: int, **more: Any) -> list[LifetimeRecord]:
        """Ten lines of each of ten commits, those of some commits removed on the tenth day."""
        return [
            line(0, 10 if n < removed else None, 10, author, birth=first + n, **more)
            for n in range(10)
        ]

    found = [
        *lines("agent", 5, 0),
        *lines("human", 2, 100),
        *lines("undeclared", 4, 200),
        *lines("human", 1, 300, dated=True),
    ]
    made = {name: comparison.compare(found, name) for name in comparison.BASELINES}
    shares = {name: c.rework_baseline.removed for name, c in made.items()}
    assert shares == pytest.approx({"human": 0.15, "dated": 0.1, "human + undeclared": 7 / 30})
    human = made["human"]
    assert human.excess_low is not None and human.excess_high is not None
    assert human.excess_low < 0 < 0.3 < human.excess_high  # ten commits on each side do not tell


def test_too_few_lines_or_commits_are_not_compared_and_the_reason_is_said() -> None:
    people = [line(0, 10 + n, 10, "human", birth=100 + n) for n in range(10)]
    agents = [line(0, 5 + n, 10, birth=n) for n in range(10)]
    found = comparison.compare([*agents, *people], "human")
    assert found.refused == found.refused_rework == "" and found.excess_rework is not None
    one_short = comparison.compare([*agents, *people[1:]], "human")
    assert one_short.refused == "too few: human has 90 lines of 9 commits; needed 100 of 10"
    assert one_short.excess_rework is None
    assert (one_short.agent_lines, one_short.baseline_lines) == (100, 90)
    one_commit = [line(0, 10, 400, "human", birth=100)]
    assert (
        "400 lines of 1 commit"
        in comparison.compare([*agents, *one_commit], "human").refused_rework
    )


def test_a_young_repository_has_no_baseline_of_dated_lines() -> None:
    people = [line(0, 10 + n, 10, "human", birth=100 + n) for n in range(10)]
    found = comparison.compare(
        [*(line(0, 5 + n, 10, birth=n) for n in range(10)), *people], "dated"
    )
    assert found.refused == found.refused_rework == "no baseline: no line is dated"
    assert found.excess_rework is None


def test_lines_of_old_commits_are_compared_up_to_the_age_of_agents_lines() -> None:
    """What becomes of old lines at an age that no agent's line has reached yet changes no test."""
    agents = [line(50, 55 + n, 10, birth=n) for n in range(10)]
    short = [line(-3000, -2990 + n, 10, "human", birth=100 + n, dated=True) for n in range(10)]
    kept, lost = (
        [*agents, *short, line(-3000, end, 10, "human", birth=200, dated=True)] for end in (None, 0)
    )
    one = comparison.compare(kept, "dated")
    other = comparison.compare(lost, "dated")
    assert one.excess_rework == other.excess_rework
    assert one.excess_rework is not None


def test_lines_without_a_witness_are_in_no_baseline() -> None:
    found = [
        line(0, 3),
        line(0, 5, author="likely_human"),
        line(0, 5, author="tool"),
        line(0, 9, author="human"),
    ]
    assert (
        compare(found, "human").baseline_lines
        == compare(found, "human + undeclared").baseline_lines
        == 1
    )


# --- curves ---------------------------------------------------------------------------------------


def test_curve_by_hand() -> None:
    """Dead at 6 (two lines), 10; censored at 8, 100: (1 - 2/5) at 6, times (1 - 1/2) at 10."""
    found = [
        line(0, 6, 2, birth=1),
        line(0, 8, lost=True, birth=2),
        line(0, 10, birth=3),
        line(0, birth=4),
    ]
    curve = survival_curve(found)
    assert [(s.days, round(s.alive, 9), s.at_risk) for s in curve.steps] == [
        (0.0, 1.0, 5),
        (6.0, 0.6, 5),
        (10.0, 0.3, 2),
    ]
    assert all(s.low <= s.alive <= s.high for s in curve.steps)
    assert (curve.lines, curve.commits, curve.median) == (5, 4, 10.0)


def test_the_band_of_a_curve_is_the_interval_of_the_shares() -> None:
    found = [line(0, n % 7 + 1 if n % 3 else None, n % 4 + 1, birth=n % 11) for n in range(60)]
    curve = survival_curve(found)
    seen = [Observation(r.days, r.dead, r.lines, r.birth) for r in found]
    for step, share in zip(
        curve.steps[1:], estimate(seen, [step.days for step in curve.steps[1:]]), strict=True
    ):
        assert (step.alive, (step.low, step.high)) == (share.share, share.interval())


def test_curves_are_those_of_the_library() -> None:
    lifelines: Any = pytest.importorskip("lifelines")
    found = [line(0, n % 7 + 1 if n % 3 else None, n % 4 + 1, birth=n % 11) for n in range(60)]
    fitter = lifelines.KaplanMeierFitter().fit(
        [r.days for r in found], [r.dead for r in found], weights=[r.lines for r in found]
    )
    curve = survival_curve(found)
    assert [step.alive for step in curve.steps] == pytest.approx(
        [fitter.predict(step.days) for step in curve.steps]
    )


def test_a_curve_ends_where_few_lines_are_at_risk() -> None:
    curve = survival_curve(
        [line(0, 5, 100, birth=1), line(0, 6, 99, birth=2), line(0, 7, 1, birth=3)]
    )
    assert [step.days for step in curve.steps] == [0.0, 5.0, 6.0]


def test_more_than_half_alive_has_no_median() -> None:
    curve = survival_curve([line(0, 6, birth=1), line(0, None, 9, birth=2)])
    assert curve.median is None
    with pytest.raises(ValueError, match="no lines"):
        survival_curve([])


# --- the library ----------------------------------------------------------------------------------


@pytest.fixture
def lifelines() -> Any:
    return pytest.importorskip("lifelines")


def test_hazard_ratio_has_the_right_side(lifelines: Any) -> None:
    found = [line(0, 1 + n % 5, birth=n, path=f"f{n % 3}") for n in range(30)]
    found += [
        line(0, 20 + n % 5 if n % 2 else None, author="human", birth=100 + n, path=f"f{n % 3}")
        for n in range(30)
    ]
    found += [line(0, 4 + n, author="human", birth=200 + n, path=f"f{n}") for n in range(3)]
    result = comparison.hazard(found, "human", minimum.NOTHING)
    assert (
        result is not None
        and result["ratio"] > 1
        and result["low"] < result["ratio"] < result["high"]
    )
    assert comparison.hazard(found[:30], "human") is None
    first = [
        line(0, 1 if n % 2 else 9, author="agent" if n % 2 else "human", birth=n) for n in range(40)
    ]
    assert comparison.hazard(first, "human", minimum.NOTHING) is None, "one side always dies first"
    assert comparison.hazard(found, "human") is None, "33 lines of people are too few"


def test_without_the_extra_there_are_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lifelines", None)
    with pytest.raises(StatsMissing) as raised:
        comparison.hazard(
            [line(0, 1, path="f"), line(0, 2, path="f", author="human")], "human", minimum.NOTHING
        )
    assert "[stats]" in raised.value.hint


def test_a_share_of_few_lines_is_not_printed() -> None:
    assert minimum.part_of(5, 20) == 0.25 and minimum.part_of(0, 20) == 0.0
    assert (
        minimum.part_of(5, 19) is None
        and minimum.part_of(None, 50) is None
        and minimum.part_of(0, 0) is None
    )


def test_a_curve_needs_lines_and_commits() -> None:
    twelve = minimum.Sample(12, 9)
    few = minimum.Sample(90, 4)
    enough = minimum.Sample(20, 5)
    assert minimum.CURVE.refusal({"human": twelve}) and minimum.CURVE.refusal({"human": few})
    assert minimum.CURVE.refusal({"human": enough}) == ""
