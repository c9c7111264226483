"""A file `info/grafts` gives commits other parents: what those changed is not known, and whoever
reads the result is told.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support import numbered_text
from support.builder import World
from support.commands import run

from collector.git.repository import GitRepo


def _history(tmp_path: Path) -> tuple[Path, list[str]]:
    world = World("grafted")
    for number in range(4):
        world.human_write("a.txt", numbered_text(number + 1, "line {n}\n"))
        world.commit(f"Commit {number}\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    path = world.build(tmp_path / "grafted")
    return path, [
        commit.sha for commit in GitRepo(str(path)).history(GitRepo(str(path)).resolve("HEAD").sha)
    ]


def _graft(path: Path, text: str) -> None:
    info = GitRepo(str(path)).common_dir() / "info"
    info.mkdir(exist_ok=True)
    (info / "grafts").write_text(text)


@pytest.mark.parametrize("parents", [[0], [0, 1], []])
def test_a_grafted_commit_is_a_boundary_and_the_result_says_so(
    parents: list[int], tmp_path: Path, db: Path
) -> None:
    path, shas = _history(tmp_path)
    _graft(path, f"{' '.join([shas[3], *(shas[number] for number in parents)])}\n")
    repo = GitRepo(str(path))
    assert repo.censored().shallow == (shas[3],)
    done = run("repo", path, "--local", "never", db=db)
    assert "grafted clone" in done.stdout + done.stderr


@pytest.mark.parametrize("text", [None, ""])
def test_a_clone_without_grafts_lacks_nothing(text: str | None, tmp_path: Path) -> None:
    path, _ = _history(tmp_path)
    if text is not None:
        _graft(path, text)
    assert GitRepo(str(path)).censored().shallow == ()
