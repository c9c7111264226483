"""Means and differences, worked out by hand."""

from __future__ import annotations

import pytest

from attribution.maintainability.means import (
    COMMITS,
    DMM,
    PROCESS,
    REPOSITORIES,
    QualityRow,
    gap,
    limits,
    means,
)

SIZE = DMM[0]


def row(value: float | None, repo: str = "a/a", churn: int = 10, /, **lines: int) -> QualityRow:
    values: dict[str, float | None] = dict.fromkeys((*DMM, *PROCESS))
    return QualityRow(repo, lines, values | {SIZE: value, "code_churn": churn})


def test_a_commit_counts_for_each_class_with_its_share() -> None:
    rows = [row(1.0, agent=3, human=1), row(0.0, agent=1, human=3), row(None, agent=5), row(1.0)]
    found = {mean.name: mean for mean in means(rows, "class", SIZE, least=1)}
    assert set(found) == {"agent", "human"}
    assert (found["agent"].commits, found["agent"].weight) == (2, 1.0)
    assert found["agent"].mean.value == pytest.approx(0.75)
    assert found["human"].mean.value == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("lines", "mode"),
    [
        ({"agent": 99, "human": 1}, "vibe"),
        ({"declared": 5, "unknown": 5}, "not known"),
        ({"agent": 5, "likely_human": 5, "tool": 5}, "vibe"),
        ({"agent": 98, "human": 2}, "collaborative"),
        ({"human": 2, "undeclared": 9}, "human_only"),
        ({"undeclared": 9, "unknown": 1}, "not known"),
    ],
)
def test_modes(lines: dict[str, int], mode: str) -> None:
    assert [mean.name for mean in means([row(0.5, **lines)], "mode", SIZE, least=1)] == [mode]


def test_too_few_whole_commits_have_no_mean() -> None:
    rows = [row(1.0, agent=1, human=1) for _ in range(19)]
    (agent, human) = means(rows, "class", SIZE)
    assert (agent.commits, agent.weight) == (19, 9.5)
    assert agent.mean.value is None and agent.mean.interval is None and human.mean.value is None
    assert means([*rows, row(1.0, agent=1)], "class", SIZE)[0].mean.value == 1.0


def test_the_interval_is_that_of_a_mean_of_commits() -> None:
    """With whole commits of one repository it is the t interval: mean 0.5, deviation 0.527, t(9) = 2.262."""
    (mean,) = means([row(value, agent=1) for value in (0.0, 1.0) * 5], "class", SIZE)
    assert mean.mean.value == 0.5 and mean.mean.over == COMMITS
    assert mean.mean.interval == pytest.approx((0.123, 0.877), abs=0.001)


def test_with_five_repositories_the_interval_is_over_them() -> None:
    """Two commits of each say no more than one: means 0.2, 0.4, 0.6, 0.8, 1.0, t(4) = 2.776."""
    rows = [row(0.2 * (n + 1), f"r/{n}", agent=1) for n in range(5) for _ in range(2)]
    (mean,) = means(rows, "class", SIZE)
    assert mean.mean.over == REPOSITORIES and mean.mean.value == pytest.approx(0.6)
    assert mean.mean.interval == pytest.approx((0.2074, 0.9926), abs=0.001)


def test_differences_need_enough_commits_on_both_sides() -> None:
    agents, people = [row(0.2, agent=1)] * 10, [row(0.8, human=1)] * 10
    found = gap([*agents, *people], SIZE, "human")
    assert found.raw.value == pytest.approx(-0.6) and (found.weight, found.reference_weight) == (10, 10)
    assert found.raw.interval == pytest.approx((-0.6, -0.6))
    few = gap([*agents, *people[:9]], SIZE, "human")
    assert few.raw.value is None and few.alike.value is None and few.reference_weight == 9
    assert gap(agents, SIZE, "human").raw.value is None


def test_alike_compares_commits_of_one_repository_and_size() -> None:
    """In each repository and size agents are 0.1 lower; that they work where values are high hides it."""
    rows = []
    for repo, churn, base, agents, people in (("a/a", 10, 0.9, 12, 2), ("a/a", 1000, 0.5, 3, 3), ("b/b", 10, 0.3, 2, 12)):
        rows += [row(base - 0.1, repo, churn, agent=1)] * agents + [row(base, repo, churn, human=1)] * people
    found = gap(rows, SIZE, "human")
    assert found.raw.value is not None and found.raw.value > 0.2
    assert found.alike.value == pytest.approx(-0.1)
    assert found.alike.interval == pytest.approx((-0.1, -0.1))


def test_a_stratum_with_one_class_says_nothing() -> None:
    rows = [row(0.0, "a/a", agent=1)] * 10 + [row(1.0, "b/b", human=1)] * 10
    found = gap(rows, SIZE, "human")
    assert found.raw.value == -1.0
    assert found.alike.value is None and found.alike.interval is None


def test_intervals_stay_within_what_is_possible() -> None:
    (mean,) = means([row(value, agent=1) for value in (*[1.0] * 9, 0.0)], "class", SIZE)
    assert mean.mean.interval is not None and mean.mean.interval.high == 1.0
    assert limits("hunks") == (0.0, float("inf")) and limits("contributors_experience") == (0.0, 100.0)
