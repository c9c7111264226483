"""pydriller and the program on the same commits: committed fixtures, and small histories in
which they differ.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.commands import clone
from support.histories import Build, drop, words

pytest.importorskip("pydriller")
import second_opinion

from collector.git.repository import GitRepo
from collector.json_values import Numbers


def opinion(build: Build, tip: str) -> dict[str, Numbers]:
    repo = build.done()
    for command in (
        ["update-ref", "refs/heads/tip", build.sha[tip]],
        ["symbolic-ref", "HEAD", "refs/heads/tip"],
    ):
        subprocess.run(["git", "-C", str(repo.path), *command], check=True)
    return second_opinion.second_opinion(build.where, jobs=1)


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return Build(tmp_path / "repo.git")


def test_both_say_the_same_about_the_example(tmp_path: Path) -> None:
    repo = clone("example", tmp_path)
    ordinary = sum(
        1 for c in GitRepo(repo).history(GitRepo(repo).default_branch()[1]) if len(c.parents) < 2
    )
    found = second_opinion.second_opinion(repo, jobs=1)
    assert found["commits"] == {"compared": ordinary}
    assert set(found["files"]) <= {"same", "context", "no_text"} and found["files"]["same"] >= 10
    assert set(found["renames"]) <= {"same"}
    assert (
        set(found["methods"]) <= {"same", "nothing_added", "inner_head"}
        and found["methods"]["same"] >= 5
    )


def test_renames_are_paired_alike(build: Build) -> None:
    build.commit("one", {"a": words(9), "b": words(9, "b")})
    build.commit("two", {"c": [*words(9), "more"], "d/b": words(9, "b")})
    found = opinion(build, "two")
    assert found["renames"] == {"same": 2} and found["files"] == {"same": 4}


def test_methods_are_named_or_the_difference_has_a_reason(build: Build) -> None:
    """To lizard a nested function is a part of the one around it; to git it is the head above
    the lines after it.
    """
    first = [
        "def outer():",
        "    def inner():",
        "        return 1",
        "    return inner",
        "",
        "def other(): return 0",
    ]
    second = [*first[:3], "    x = 2", *first[3:]]
    script = ["const f = function (a) {", "  return a", "}"]
    build.commit("one", {"a.py": [*first], "a.js": [*script]})  # outer, other, f
    # outer, f
    build.commit("two", {"a.py": [*second], "a.js": [script[0], "  let b = a", *script[1:]]})
    # outer
    build.commit(
        "three",
        {"a.py": [*first], "a.js": [script[0], "  let b = a", *script[1:]]},
    )
    assert opinion(build, "three")["methods"] == {"inner_head": 1, "same": 4, "nothing_added": 1}


def test_lines_that_context_moves_are_told_apart(build: Build) -> None:
    """The second commit inserts a block that equals the end of the one before it: two places are
    equally good.
    """
    block = ["    {", "      a", "    },"]
    build.commit("one", {"f": [*words(4), *block, *words(4, "z")]})
    build.commit("two", {"f": [*words(4), *block, *block, *words(4, "z")]})
    found = opinion(build, "two")["files"]
    assert sum(found.values()) == 2 and set(found) <= {"same", "context"}


def test_what_cannot_be_read_is_counted(build: Build) -> None:
    build.commit("one", {"a.py": ["x = 1"]})
    build.commit("two", {"a.py": ["x = 2"], "link": ("120000", b"a.py")})
    build.commit("three", {"a.py": ["x = 3"], "link": ("120000", b"a.py"), "b": b"\0\1"})
    repo = build.done()
    drop(build.where, repo.file_at(build.sha["three"], "a.py") or "")
    build.done = lambda: repo  # type: ignore[method-assign]
    found = opinion(build, "three")
    assert found["commits"] == {"compared": 2, "not_compared": 1}
    assert found["files"] == {"same": 2, "ours_symlink": 1}


@pytest.mark.parametrize(
    ("head", "name", "same"),
    [
        ("def mean(values):", "mean", True),
        ("def means(values):", "mean", False),
        ("func (s *Server) Close() error {", "Close", True),
        (
            "def test_a_name_that_is_so_long_that_it_is_cut_as_git_cuts_the_heads_of_its_hunk",
            "test_a_name_that_is",
            False,
        ),
        (f"def {'long_' * 15}name_that_goes_on"[:79], f"{'long_' * 15}name_that_goes_on", True),
    ],
)
def test_heads_and_names(head: str, name: str, same: bool) -> None:
    assert second_opinion._has_name(head, name) is same


def test_the_page_counts_and_gives_reasons() -> None:
    counts = {
        "commits": {"compared": 1200},
        "files": {"same": 9, "context": 1, "no_text": 5},
        "renames": {},
        "methods": {"same": 3, "anonymous": 1, "nothing_added": 2},
    }
    shown = second_opinion.texts({"o/r": counts})
    assert "| o/r | 1,200 | 9 of 10 | none | 3 of 3 |" in str(shown["second_opinion"])
    reasons = str(shown["second_opinion_reasons"])
    assert (
        reasons.count("\n") == 4
        and "| files | 1 | git picks" in reasons
        and "only pydriller" not in reasons
    )
