"""One file followed back: by git blame, and by the forward pass where objects are missing; the
two must agree.
"""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest
from support.answers import pick
from support.histories import Build, drop, random_history, with_lost_version, words

from attribution.lineage import introduced
from attribution.lineage.git_blame import Introduction
from attribution.lineage.introduced import introductions, renames
from collector.git import program
from collector.git.program import GitFailed
from collector.git.repository import GitRepo
from collector.json_values import Numbers
from collector.text import split_lines


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return Build(tmp_path / "repo.git")


def files(repo: GitRepo, sha: str) -> Numbers:
    """Path -> number of lines."""
    return {path: len(split_lines(repo.blob(oid) or b"")) for path, oid in repo.paths(sha).items()}


@pytest.mark.parametrize("seed", range(3))
def test_both_engines_say_the_same(
    build: Build, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip = random_history(build, random.Random(300 + seed), 25)
    repo = build.done()
    sha = build.sha[tip]
    blamed = {
        path: introductions(repo, sha, path, count) for path, count in files(repo, sha).items()
    }
    monkeypatch.setattr(introduced, "blame", _fails)
    passed = {
        path: introductions(repo, sha, path, count) for path, count in files(repo, sha).items()
    }
    assert blamed == passed
    assert sum(map(len, blamed.values())) > 20


def _fails(*_: object) -> list[Introduction]:
    raise GitFailed("an object is missing")


@pytest.mark.parametrize("seed", range(3))
def test_some_lines_are_followed_as_all_are(build: Build, seed: int) -> None:
    rng = random.Random(400 + seed)
    tip = random_history(build, rng, 25)
    repo = build.done()
    sha = build.sha[tip]
    for path, count in files(repo, sha).items():
        every = introductions(repo, sha, path, count)
        some = sorted(rng.sample(range(1, count + 1), min(count, 4)), reverse=True)
        assert introductions(repo, sha, path, count, some) == {n: every[n] for n in some or every}


def test_a_line_whose_earlier_text_is_missing_counts_as_added_after_it(build: Build) -> None:
    repo = with_lost_version(build)
    three, four = pick(build.sha, "three", "four")
    expected = {
        1: Introduction(three, "f", 1),
        3: Introduction(three, "f", 3),
        4: Introduction(four, "f", 4),
    }
    assert introductions(repo, four, "f", 4, [1, 3, 4]) == expected
    assert introductions(repo, four, "g", 2) == {
        1: Introduction(build.sha["one"], "g", 1),
        2: Introduction(three, "g", 2),
    }


def test_a_file_that_cannot_be_read_counts_as_added_where_it_is_looked_at(build: Build) -> None:
    build.commit("one", {"f": ["a"]})
    build.commit("two", {"f": ["a", "b"]})
    repo = build.done()
    drop(build.where, repo.file_at(build.sha["two"], "f") or "")
    two = build.sha["two"]
    assert introductions(repo, two, "f", 2) == {n: Introduction(two, "f", n) for n in (1, 2)}


# --- renames --------------------------------------------------------------------------------------


def named(repo: GitRepo, sha: str, path: str, line: Introduction) -> list[tuple[Introduction, str]]:
    return [(step.place, step.before.path) for step in renames(repo, sha, path, line)]


def test_renames_of_a_file_are_told_newest_first(build: Build) -> None:
    lines = words(8)
    build.commit("one", {"a": [*lines]})
    build.commit("two", {"b": ["new", *lines]})
    build.commit("three", {"b": ["new", *lines, "end"]})
    build.commit("four", {"d/c": [*lines, "end"]})
    repo = build.done()
    sha = build.sha
    assert named(repo, sha["four"], "d/c", Introduction(sha["one"], "a", 3)) == [
        (Introduction(sha["four"], "d/c", 3), "b"),
        (Introduction(sha["two"], "b", 4), "a"),
    ]
    assert named(repo, sha["four"], "d/c", Introduction(sha["three"], "b", 10)) == [
        (Introduction(sha["four"], "d/c", 9), "b")
    ]
    assert renames(repo, sha["three"], "b", Introduction(sha["two"], "b", 1)) == []


def test_a_line_of_the_other_side_is_renamed_by_the_merge(build: Build) -> None:
    lines = words(8)
    build.commit("base", {"a": [*lines]})
    build.commit("renamed", {"b": ["head", *lines]})
    build.commit("side", {"a": [*lines, "side"]}, "base")
    build.commit("merge", {"b": ["head", *lines, "side"]}, "renamed side")
    repo = build.done()
    sha = build.sha
    assert named(repo, sha["merge"], "b", Introduction(sha["side"], "a", 9)) == [
        (Introduction(sha["merge"], "b", 10), "a")
    ]
    assert named(repo, sha["merge"], "b", Introduction(sha["base"], "a", 1)) == [
        (Introduction(sha["renamed"], "b", 2), "a")
    ]


@pytest.mark.parametrize("seed", range(4))
def test_renames_lead_from_the_last_name_to_the_first(build: Build, seed: int) -> None:
    tip = random_history(build, random.Random(500 + seed), 30)
    repo = build.done()
    sha = build.sha[tip]
    seen = 0
    for path, count in files(repo, sha).items():
        for line in {
            (i.sha, i.path): i for i in introductions(repo, sha, path, count).values()
        }.values():
            name = path
            for place, before in named(repo, sha, path, line):
                assert place.path == name != before
                name = before
                seen += 1
            assert name == line.path
    assert seen


def test_renames_are_left_out_where_objects_are_missing(build: Build) -> None:
    build.commit("one", {"a": words(8)})
    build.commit("two", {"b": words(8)})
    build.commit("three", {"b": words(9)})
    repo = build.done()
    sha = build.sha
    line = Introduction(sha["one"], "a", 3)
    assert len(renames(repo, sha["three"], "b", line)) == 1
    drop(build.where, repo.file_at(sha["two"], "b") or "")
    assert renames(repo, sha["three"], "b", line) == []


# --- the commit-graph of the clone ----------------------------------------------------------------


def _long_history(build: Build) -> tuple[GitRepo, str]:
    """A file that two of forty commits changed, and the last of these commits."""
    for n in range(40):
        build.commit(str(n), {"rare": ["a", "b", f"c{n // 20}"], f"other{n}": [str(n)]})
    return build.done(), build.sha["39"]


def _write_graph(repo: Path) -> Path:
    options = ["commit-graph", "write", "--reachable", "--changed-paths"]
    subprocess.run(["git", f"--git-dir={repo}", *options], check=True, capture_output=True)
    return repo / "objects" / "info" / "commit-graph"


def _filters_asked(
    repo: GitRepo, sha: str, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, dict[int, Introduction]]:
    """How often git asked a filter of changed paths, and where the lines of the file were added."""
    trace.unlink(missing_ok=True)
    environment = program.clean_environment
    monkeypatch.setattr(
        program,
        "clean_environment",
        lambda home: environment(home) | {"GIT_TRACE2_PERF": str(trace)},
    )
    found = introductions(repo, sha, "rare", 3)
    monkeypatch.setattr(program, "clean_environment", environment)
    return sum(map(int, re.findall(r"bloom/queries:(\d+)", trace.read_text("utf-8")))), found


def test_filters_of_changed_paths_are_used(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, sha = _long_history(build)
    without = _filters_asked(repo, sha, tmp_path / "trace", monkeypatch)
    _write_graph(tmp_path / "repo.git")
    with_filters = _filters_asked(repo, sha, tmp_path / "trace", monkeypatch)
    assert without[0] == 0 and with_filters[0] > 30
    assert without[1] == with_filters[1] and len({line.sha for line in without[1].values()}) == 2


def test_a_damaged_commit_graph_changes_nothing(build: Build, tmp_path: Path) -> None:
    repo, sha = _long_history(build)
    right = introductions(repo, sha, "rare", 3)
    graph = _write_graph(tmp_path / "repo.git")
    data = graph.read_bytes()
    graph.chmod(0o644)
    for damaged in (b"", data[:100], data[: len(data) // 2], b"CGPH" + bytes(2_000)):
        graph.write_bytes(damaged)
        assert introductions(repo, sha, "rare", 3) == right
