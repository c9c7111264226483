"""The benchmark of traced fixes: on a history whose tags and answers are known by construction,
and how it adds up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.builder import git
from support.histories import Build, Files

from collector.git.repository import GitRepo

pytest.importorskip("pydriller")

import culprits
from support.answers import pick

OTHER = [f"    value_{n} = compute(argument_{n});" for n in range(6)]


def commits(name_of_first: str) -> list[tuple[str, Files, str]]:
    """A wrong line, its move to another file, more lines around it, and a fix that names a
    commit.
    """
    wrong, right = (
        "    size = length - 1; /* of the buffer */",
        "    size = length; /* of the buffer */",
    )
    head = "int run(void)"
    return [
        ("first", {"a.c": [head, *OTHER, wrong, "    return size_of_it(size);"]}, "a: run"),
        (
            "moved",
            {
                "a.c": [head, *OTHER],
                "b.c": ["int go(void)", wrong, "    return size_of_it(size);"],
            },
            "b: split",
        ),
        (
            "fix",
            {
                "a.c": [head, *OTHER],
                "b.c": ["int go(void)", right, "    return size_of_it(size);"],
            },
            f"b: size\n\nFixes: {name_of_first}\n",
        ),
    ]


@pytest.fixture
def tagged(tmp_path: Path) -> Build:
    first = Build(tmp_path / "before.git")
    first.commit("first", {**commits("")[0][1]}, message="a: run")
    first.done()
    build = Build(tmp_path / "owner+name" / "repo")
    build.where.parent.mkdir()
    for name, files, message in commits(first.sha["first"][:12]):
        build.commit(name, files, message=message)
    build.done()
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/x3")
    return build


def test_tags_that_name_a_commit_of_the_history_are_the_truth(tagged: Build) -> None:
    assert culprits.named_culprits(GitRepo(tagged.where), tagged.sha["fix"]) == {
        tagged.sha["fix"]: {tagged.sha["first"]}
    }
    assert culprits.named_culprits(GitRepo(tagged.where), tagged.sha["moved"]) == {}


def test_the_four_methods_answer_on_the_same_fixes(tagged: Build) -> None:
    """Blame stops where the line was moved; the history of lines does not, and the tag is not
    looked at.
    """
    result = culprits.measure(tagged.where, "", 10)
    assert pick(result, "tags", "fixes", "commits") == (1, 1, 3)
    scores = {method: row["f1"] for method, row in result["score"].items()}
    assert scores == {"B-SZZ": 0.0, "MA-SZZ": 0.0, "R-SZZ": 0.0, "whowrote": 1.0}
    assert list(result["traced_by"]) == ["removed"]


def test_scores_are_over_commits() -> None:
    row = culprits.score([(1.0, 1.0, 0.0), (0.0, 1.0, 1.0), (1.0, 0.0, 1.0)])
    assert pick(row, "precision", "recall", "f1") == (0.5, 0.5, 0.5)
    assert row["low"] < 0.5 < row["high"]
    assert culprits.score([(0.0, 0.0, 1.0)])["precision"] is None


def test_the_page_says_what_was_tuned_and_adds_up_the_rest() -> None:
    methods = {name: culprits.score([(1.0, 0.0, 0.0)]) for name in culprits.NAMES}
    parts = {name: [[1, 0, 0]] for name in culprits.NAMES}
    result = {"fixes": 1, "score": methods, "parts": parts}
    page = culprits.page({culprits.TUNED_ON: result, "a/b": result, "c/d": result})
    assert f"{culprits.TUNED_ON} (tuned)" in page and "unseen together | 2" in page


def test_mirrors_are_called_by_their_repository(tmp_path: Path) -> None:
    assert culprits._clone_name(tmp_path / "owner+name" / "repo") == "owner/name"
    assert culprits._clone_name(tmp_path / "name.git") == "name"
