"""Means and differences, worked out by hand."""

from __future__ import annotations

import pytest
from support.answers import pick

from attribution.evaluation.maintainability.measure import DMM
from attribution.evaluation.maintainability.report import Commit, compare, means
from collector.json_values import Numbers
from collector.vocabulary.lines import LINE_CLASSES

SIZE = DMM[0]


def row(value: float | None, repo: str = "a/a", changed: int = 10, /, **lines: int) -> Commit:
    nothing = dict.fromkeys(DMM) | dict.fromkeys(LINE_CLASSES, 0)
    return {**nothing, "repo": repo, SIZE: value, "changed": changed, **lines}


def test_a_commit_counts_for_each_class_with_its_share() -> None:
    rows = [row(1.0, agent=3, human=1), row(0.0, agent=1, human=3), row(None, agent=5), row(1.0)]
    found = {mean["name"]: mean for mean in means(rows, "class", SIZE, least=1)}
    assert set(found) == {"agent", "human"}
    assert pick(found["agent"], "commits", "whole") == (2, 1.0)
    assert found["agent"]["mean"] == pytest.approx(0.75)
    assert found["human"]["mean"] == pytest.approx(0.25)


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
def test_modes(lines: Numbers, mode: str) -> None:
    assert [mean["name"] for mean in means([row(0.5, **lines)], "mode", SIZE, least=1)] == [mode]


def test_too_few_whole_commits_have_no_mean() -> None:
    rows = [row(1.0, agent=1, human=1) for _ in range(19)]
    agent, human = means(rows, "class", SIZE)
    assert pick(agent, "commits", "whole") == (19, 9.5)
    assert agent["mean"] is None and agent["mean_low"] is None and human["mean"] is None
    assert means([*rows, row(1.0, agent=1)], "class", SIZE)[0]["mean"] == 1.0


def test_differences_need_enough_commits_on_both_sides() -> None:
    agents = [row(0.2, agent=1)] * 10
    people = [row(0.8, human=1)] * 10
    found = compare([*agents, *people], SIZE, "human")
    assert found["all_commits"] == pytest.approx(-0.6) and pick(
        found, "whole", "reference_whole"
    ) == (10, 10)
    assert pick(found, "all_commits_low", "all_commits_high") == pytest.approx((-0.6, -0.6))
    few = compare([*agents, *people[:9]], SIZE, "human")
    assert few["all_commits"] is None and few["alike"] is None and few["reference_whole"] == 9
    assert compare(agents, SIZE, "human")["all_commits"] is None


def test_alike_compares_commits_of_one_repository_and_size() -> None:
    """In each repository and size agents are 0.1 lower; that they work where values are high
    hides it.
    """
    rows = []
    for repo, churn, base, agents, people in (
        ("a/a", 10, 0.9, 12, 2),
        ("a/a", 1000, 0.5, 3, 3),
        ("b/b", 10, 0.3, 2, 12),
    ):
        rows += [row(base - 0.1, repo, churn, agent=1)] * agents + [
            row(base, repo, churn, human=1)
        ] * people
    found = compare(rows, SIZE, "human")
    assert found["all_commits"] > 0.2
    assert found["alike"] == pytest.approx(-0.1)
    assert pick(found, "alike_low", "alike_high") == pytest.approx((-0.1, -0.1))
