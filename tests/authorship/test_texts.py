"""Texts that the replay asks the clone for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.builder import World

from attribution.authorship import texts
from attribution.authorship.commits import RARE, LineFiles, read_history
from attribution.authorship.texts import RepositoryTexts
from attribution.shell.project import task_text
from collector.git.repository import GitRepo


def test_a_task_is_looked_up_once_in_each_version_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World("tasks", "v1")
    world.human_write("package.json", '{"scripts": {"fmt": "gofmt -w ."}}')
    first = world.commit("One way")
    world.human_write("package.json", '{"scripts": {"fmt": "goimports -w ."}}')
    second = world.commit("Another way")
    repo = GitRepo(world.build(tmp_path / "repo", True))
    asked: list[str] = []

    def noted(name: str, text: str, task: str) -> Any:
        asked.append(text)
        return task_text(name, text, task)

    monkeypatch.setattr(texts, "task_text", noted)
    found = RepositoryTexts(repo, read_history(repo, list(repo.history(repo.default_branch().sha))))
    for _ in range(3):
        assert found.task(first.at, "/w", "/w", "npm", "fmt") == "gofmt -w ."
        assert found.task(second.at, "/w", "/w", "npm", "fmt") == "goimports -w ."
        assert found.task(first.at - 1, "/w", "/w", "npm", "fmt") is None
        assert found.task(second.at, "/w", "/w", "npm", "other") is None
    assert len(asked) == 3


def test_a_line_is_counted_once_for_each_file_and_not_beyond_what_is_rare() -> None:
    files = LineFiles()
    for path in ("a", "b", "a", *"cdef"):
        files.add(path, [b"  common", b"of " + path.encode()])
        files.add(path, [b"common  "])
    assert (files.files(b"common"), files.files(b"of a"), files.files(b"never")) == (RARE + 1, 1, 0)


def test_lines_that_earlier_commits_had_in_several_files_stay_as_common_as_they_were() -> None:
    earlier = LineFiles()
    for path in "ab":
        earlier.add(path, [b"  two", b"of " + path.encode()])
    later = LineFiles(earlier.shared_lines())
    assert [later.files(line) for line in (b"two", b"of a", b"never")] == [2, 0, 0]
    for path in "cde":
        later.add(path, [b"two ", b"of a"])
    assert [later.files(line) for line in (b"two", b"of a")] == [3, 3]
    assert LineFiles(later.shared_lines()).files(b"two") == 3
