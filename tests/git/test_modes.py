"""Modes that git wrote in its first months, which it still takes for ordinary files."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.builder.objects import git

from attribution.authorship.commits import read_history
from collector.git.repository import GitRepo

TEXT = b"one\n\ntwo\n"


def commit_of(place: Path, mode: str, text: bytes, parents: tuple[str, ...] = ()) -> str:
    """A commit of one file with that mode."""
    blob = git(place, "hash-object", "-w", "--stdin", stdin=text).decode().strip()
    entry = f"{mode} file.txt\0".encode() + bytes.fromhex(blob)
    tree = (
        git(place, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=entry)
        .decode()
        .strip()
    )
    named = [word for parent in parents for word in ("-p", parent)]
    who = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    return git(place, *who, "commit-tree", tree, *named, "-m", "x").decode().strip()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "--bare", "--template=", ".")
    return tmp_path


@pytest.mark.parametrize(("mode", "seen"), [("100664", 0o100644), ("100775", 0o100755)])
def test_file_of_an_early_mode_has_lines(place: Path, mode: str, seen: int) -> None:
    sha = commit_of(place, mode, TEXT)
    repo = GitRepo(place)
    commit = repo.commit(sha)
    assert commit is not None
    (file,) = read_history(repo, [commit]).diffs[sha].files or []
    assert (file.content, file.added, file.change.new_mode) == ("text", ((0, 3, 2),), seen)
    assert repo.paths(commit.tree) == {"file.txt": file.change.new}


def test_early_and_later_mode_are_the_same(place: Path) -> None:
    first = commit_of(place, "100664", TEXT)
    repo = GitRepo(place)
    second = repo.commit(commit_of(place, "100644", TEXT, (first,)))
    assert second is not None
    assert repo.changes(second) == []
