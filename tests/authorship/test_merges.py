"""What a merge adds that none of its parents has, and how little is compared to find it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pygit2
import pytest
from support.histories import Build, Files, random_history, words

from attribution.authorship.commits import read_history
from attribution.authorship.diffs import diff_of
from collector.git.renames import pair
from collector.git.repository import GitRepo
from collector.model import Commit, FileChange


def merged(build: Build, resolved: Files) -> tuple[GitRepo, Commit]:
    """Two sides that change a.txt; one renames b.txt to c.txt. The merge holds `resolved`."""
    lines = words(12)
    build.commit("base", {"a.txt": [*lines], "b.txt": words(30, "b")}, "")
    build.commit("left", {"a.txt": ["left", *lines], "c.txt": words(30, "b")})
    build.commit("right", {"a.txt": [*lines, "right"], "b.txt": words(30, "b")}, "base")
    build.commit("merge", resolved, "left right")
    repo = build.done()
    commit = repo.commit(build.sha["merge"])
    assert commit is not None
    return repo, commit


def added(repo: GitRepo, commit: Commit) -> dict[str, list[tuple[int, int]]]:
    files = read_history(repo, [commit]).diffs[commit.sha].files
    assert files is not None
    return {f.change.path: [(a, b) for a, b, _ in f.added] for f in files}


@pytest.fixture
def pairings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A number for each time that renames are looked for."""
    seen: list[int] = []

    def counted(*files: Any, **options: Any) -> Any:
        seen.append(1)
        return pair(*files, **options)

    monkeypatch.setattr("collector.git.base.pair", counted)
    return seen


def test_renames_of_files_that_were_taken_over_are_not_looked_for(
    tmp_path: Path, pairings: list[int]
) -> None:
    whole: Files = {
        "a.txt": ["left", *words(12), "by hand", "right"],
        "c.txt": [*words(30, "b")],
    }
    repo, commit = merged(Build(tmp_path / "r.git"), whole)
    assert added(repo, commit) == {"a.txt": [(13, 14)]}
    assert pairings == []


def test_file_that_one_parent_has_under_another_name_is_compared_with_it(
    tmp_path: Path, pairings: list[int]
) -> None:
    whole: Files = {
        "a.txt": ["left", *words(12), "right"],
        "c.txt": [*words(30, "b"), "by hand"],
    }
    repo, commit = merged(Build(tmp_path / "r.git"), whole)
    assert added(repo, commit) == {"c.txt": [(30, 31)]}
    assert len(pairings) == 1


def test_each_pair_of_trees_is_compared_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: Files = {"a.txt": ["else"], "c.txt": [*words(30, "b"), "by hand"]}
    repo, commit = merged(Build(tmp_path / "r.git"), whole)
    seen: list[str] = []
    original = GitRepo._tree_diff

    def counted(repo: GitRepo, old: str, new: str, **options: Any) -> pygit2.Diff | None:
        seen.append(old)
        return original(repo, old, new, **options)

    monkeypatch.setattr(GitRepo, "_tree_diff", counted)
    read_history(repo, [commit])
    assert len(seen) == len(set(seen)) == 2


def _all_changes(repo: GitRepo, commit: Commit) -> list[list[FileChange] | None]:
    return [repo.changes(commit, number) for number in range(len(commit.parents))]


@pytest.mark.parametrize("seed", range(4))
def test_pairing_always_or_only_where_it_matters_gives_the_same(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Build(tmp_path / "r.git")
    tip = random_history(build, random.Random(seed), 40)
    repo = build.done()
    commits = list(repo.history(build.sha[tip]))
    quick = [diff_of(repo, commit) for commit in commits]
    monkeypatch.setattr(GitRepo, "merge_changes", _all_changes)
    assert [diff_of(repo, commit) for commit in commits] == quick
