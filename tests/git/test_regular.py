"""A repository that holds pipes and devices in place of files is refused in words; opening one
would wait for ever.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import clone, run

from collector.errors import NotARepository
from collector.git import regular
from collector.git.regular import NotRegular, require_files
from collector.git.repository import GitRepo

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="there are no named pipes in directories"
)


def _pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def _loose(folder: Path) -> None:
    folder.mkdir()
    _pipe(folder / ("c" * 38))


def _include(git: Path, text: str) -> None:
    _pipe(git / "pipe")
    with (git / "config").open("a") as config:
        config.write(text)


def _included_twice(git: Path) -> None:
    (git / "more").write_text("[include]\n\tpath = pipe\n")
    _include(git, "[include]\n\tpath = more\n")
    (git / "pipe").rename(git.parent / "pipe")
    (git / "more").write_text("[include]\n\tpath = ../pipe\n")


PLACES: dict[str, Callable[[Path], None]] = {
    "HEAD": lambda git: _pipe(git / "HEAD"),
    "config": lambda git: _pipe(git / "config"),
    "packed-refs": lambda git: _pipe(git / "packed-refs"),
    "a ref": lambda git: _pipe(git / "refs" / "heads" / "pipe"),
    "alternates": lambda git: _pipe(git / "objects" / "info" / "alternates"),
    "a loose object": lambda git: _loose(git / "objects" / "ab"),
    "an index of a pack": lambda git: _pipe(git / "objects" / "pack" / f"pack-{'a' * 40}.idx"),
    "included": lambda git: _include(git, "[include]\n\tpath = pipe\n"),
    "included on one line, quoted": lambda git: _include(git, f'[Include] PATH = "{git}/pipe"\n'),
    "included on a condition": lambda git: _include(
        git, '[includeIf "gitdir:/**"]\n\tpath = pi\\\npe\n'
    ),
    "included by what is included": _included_twice,
    "a device": lambda git: (git / "shallow").symlink_to("/dev/zero"),
    "an included device": lambda git: _include(git, "[include]\n\tpath = /dev/zero\n"),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_pipe_is_found_before_anything_is_opened(tmp_path: Path, db: Path, place: str) -> None:
    repo = clone("example", tmp_path)
    PLACES[place](repo)
    began = time.monotonic()
    with pytest.raises(NotRegular):
        require_files(repo)
    with pytest.raises(NotARepository, match="is a pipe or a device"):
        GitRepo(repo)
    assert time.monotonic() - began < 5
    run("repo", repo, code=2, db=db)
    assert not (db).exists()


def test_a_pipe_as_dot_git_or_behind_a_worktree_is_found(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    _pipe(tmp_path / "one" / ".git")
    with pytest.raises(NotARepository, match="is a pipe or a device"):
        GitRepo(tmp_path / "one")
    repo = clone("example", tmp_path)
    subprocess.run(["git", "-C", repo, "worktree", "add", "-q", tmp_path / "tree"], check=True)
    assert GitRepo(tmp_path / "tree").common_dir() == repo
    _pipe(repo / "packed-refs")
    regular._look.cache_clear()  # a process looks once
    with pytest.raises(NotRegular):
        require_files(tmp_path / "tree")


def test_ordinary_repositories_are_opened(tmp_path: Path) -> None:
    repo = clone("example", tmp_path)
    (repo / "config").write_text(
        (repo / "config").read_text() + "[include]\n\tpath = not-there\n\tpath = ~/nor-there\n"
    )
    (repo / "link").symlink_to("nowhere")
    assert GitRepo(repo).default_branch().name == "main"
