"""Repositories that keep their refs in a reftable."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
from pathlib import Path

import pytest
from support.builder.objects import git_environment
from support.commands import analyse, clone, run

from collector.errors import NotARepository
from collector.git import base
from collector.git.program import GitFailed
from collector.git.repository import GitRepo
from collector.json_values import Texts


def git(*arguments: object, at: Path) -> str:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *map(str, arguments)]
    return subprocess.run(
        command, cwd=at, env=git_environment(), capture_output=True, text=True, check=True
    ).stdout.strip()


def reftable_clone(case: str, directory: Path) -> Path:
    """A copy of a fixture whose refs are in a reftable."""
    copy = directory / "reftable.git"
    try:
        git(
            "clone",
            "--quiet",
            "--mirror",
            "--ref-format=reftable",
            clone(case, directory),
            copy,
            at=directory,
        )
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this git knows no reftable: {error.stderr.strip()[:100]}")
    return copy


def as_if(directory: Path) -> Path:
    """A repository that says so and has none, for tests that need no git that knows them."""
    copy = clone("example", directory)
    git("config", "core.repositoryFormatVersion", "1", at=copy)
    git("config", "extensions.refStorage", "reftable", at=copy)
    return copy


def test_a_clone_with_a_reftable_says_what_one_with_files_says(tmp_path: Path) -> None:
    copy = reftable_clone("example", tmp_path)
    plain = GitRepo(tmp_path / "example")
    other = GitRepo(copy)
    assert other.refs() == plain.refs() and other.default_branch() == plain.default_branch()
    assert [commit.sha for commit in other.history(other.default_branch().sha)] == [
        commit.sha for commit in plain.history(plain.default_branch().sha)
    ]
    stored = [attributed(place, tmp_path / f"{n}.db") for n, place in enumerate((plain.path, copy))]
    found = run("data", "compare", *stored)
    assert (found.exit_code, found.output[:6]) == (0, "equal:"), found.output


def attributed(place: Path, db: Path) -> Path:
    """What is stored of a clone, without what tells one clone of a repository from another:
    where it is, and its remote.
    """
    analyse(place, db, "--name", "o/r")
    with contextlib.closing(sqlite3.connect(db)) as store, store:
        assert store.execute("UPDATE repos SET path = NULL, url = NULL").rowcount == 1
    return db


def test_a_worktree_of_a_reftable_has_a_head_of_its_own(tmp_path: Path) -> None:
    copy = reftable_clone("example", tmp_path)
    tip = git("rev-parse", "HEAD", at=copy)
    git("worktree", "add", "-q", "-b", "side", tmp_path / "side", f"{tip}~1", at=copy)
    assert GitRepo(tmp_path / "side").default_branch().name == "side"
    git("checkout", "-q", "--detach", at=tmp_path / "side")
    detached = GitRepo(tmp_path / "side").default_branch()
    assert detached.sha == git("rev-parse", f"{tip}~1", at=copy)
    assert GitRepo(copy).resolve("side").sha == detached.sha


def test_refs_that_git_listed_are_those_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = GitRepo(clone("example", tmp_path / "plain"))
    tip = plain.default_branch()
    before = list(plain.history(plain.default_branch().sha))[-2].sha
    listed = {"HEAD": "ref: refs/heads/here", "refs/heads/here": tip.sha, "refs/tags/v1": before}
    monkeypatch.setattr(base, "reftable_refs", lambda *places: listed)
    repo = GitRepo(as_if(tmp_path))
    assert repo.refs() == {"refs/heads/here": tip.sha, "refs/tags/v1": before}
    assert repo.default_branch() == ("here", tip.sha) and repo.resolve("v1").sha == before


def test_a_git_that_knows_no_reftable_is_named(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*places: object) -> Texts:
        raise GitFailed(
            "git for-each-ref failed: fatal: unknown repository extension found: refstorage"
        )

    monkeypatch.setattr(base, "reftable_refs", failing)
    copy = as_if(tmp_path)
    with pytest.raises(NotARepository) as failure:
        GitRepo(copy)
    assert "unknown repository extension" in str(failure.value) and "git 2.45" in failure.value.hint
    run("repo", copy, code=2, db=db)
    assert not (db).exists()
