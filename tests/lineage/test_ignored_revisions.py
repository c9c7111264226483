"""Commits that a repository wants blame to look through: blame, survival and culprit do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.builder import git
from support.commands import analyse, run, run_json
from support.local_clone import Clone

from attribution.lineage.git_blame import Ignored
from attribution.lineage.introduced import introductions
from attribution.lineage.match_policy import LineHunk, find_kept
from attribution.lineage.model import numbers
from attribution.lineage.walk import HistoryWalk, WalkOptions
from collector.files.stated import ignored_revisions
from collector.git.repository import GitRepo

TEXT = (
    "def greet(name):\n    said = 'Hello ' + name + '!!'\n    return said\n\n\n"
    "def part():\n    return 'Bye'\n"
)
STYLED = TEXT.replace("'Hello ' + name + '!!'", '("Hello " + name) + "!!"').replace("'", '"')


def _styled(path: Path, listed: str) -> tuple[Clone, str, str]:
    """A clone, the commit that wrote a file, and the one that only changed its style."""
    clone = Clone(path)
    clone.person("b.py", TEXT)
    wrote = clone.commit("Write it")
    clone.person("b.py", STYLED)
    style = clone.commit("New quotes")
    if listed == "in a file":
        clone.person(".git-blame-ignore-revs", f"# style\n{style}  # quotes\n{'0' * 40}\nnot one\n")
    elif listed == "in the settings":
        (clone.path / "ignored").write_text(f"{style}\n")
        clone.git("config", "blame.ignoreRevsFile", "ignored")
    elif listed == "outside of the clone":
        (clone.path.parent / "ignored").write_text(f"{style}\n")
        clone.git("config", "blame.ignoreRevsFile", "../ignored")
    clone.person("other.py", "x = 1\n")
    clone.commit("Go on")
    return clone, wrote, style


@pytest.mark.parametrize("listed", ["in a file", "in the settings"])
def test_lines_are_of_the_commit_before_one_that_is_ignored(tmp_path: Path, listed: str) -> None:
    clone, wrote, style = _styled(tmp_path / "tally", listed)
    repo = GitRepo(clone.path)
    head = repo.default_branch().sha
    assert ignored_revisions(repo, head) == {style}
    assert {one.sha for one in introductions(repo, head, "b.py", 7).values()} == {wrote}
    options = WalkOptions(keep=True, texts=True, ignored=frozenset({style}))
    with repo.open_scratch() as scratch:
        history = HistoryWalk(repo, scratch, options).run(head)
    found = {history.line(origin)[0] for origin in numbers(history.state["b.py"].vector)}
    assert found == {wrote}


def test_a_line_that_was_broken_in_several_is_each_of_them() -> None:
    parts = [b"said = (\n", b"    'Hello '\n", b"    + name\n", b"    + '!!'\n", b")\n"]
    hunk = LineHunk("b.py", 0, [b"said = 'Hello ' + name + '!!'\n"], "b.py", 0, parts)
    find_kept([hunk], lambda before, after: [], ignored=True)
    assert set(hunk.successors) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("listed", ["nowhere", "outside of the clone"])
def test_no_other_commit_is_looked_through(tmp_path: Path, listed: str) -> None:
    clone, wrote, style = _styled(tmp_path / "tally", listed)
    repo = GitRepo(clone.path)
    head = repo.default_branch().sha
    assert not ignored_revisions(repo, head)
    assert {one.sha for one in introductions(repo, head, "b.py", 7).values()} == {wrote, style}
    named = Ignored(revisions=frozenset({style}))
    assert {one.sha for one in introductions(repo, head, "b.py", 7, (), named).values()} == {wrote}


def test_git_says_the_same(tmp_path: Path) -> None:
    clone, _, style = _styled(tmp_path / "tally", "in a file")
    repo = GitRepo(clone.path)
    ours = introductions(repo, repo.default_branch().sha, "b.py", 7)
    printed = git(clone.path, "blame", "-l", "-s", "--ignore-rev", style, "b.py").decode()
    theirs = [line.split(" ")[0].lstrip("^?*") for line in printed.splitlines()]
    assert all(ours[n].sha.startswith(sha) for n, sha in enumerate(theirs, 1))


@pytest.mark.parametrize("listed", ["in a file", "nowhere"])
def test_a_repair_is_traced_to_the_commit_before(tmp_path: Path, db: Path, listed: str) -> None:
    clone, wrote, style = _styled(tmp_path / "tally", listed)
    clone.person("b.py", STYLED.replace("!!", "!"))
    fix = clone.commit("fix: one exclamation mark")
    analyse(clone.path, db, "--allow-no-checkpoints", "--history")
    run("survival", clone.path, "-q", "--full", db=db)
    told = run("culprit", clone.path, fix, "--json", db=db).stdout
    assert [row["culprit"] for row in json.loads(told)] == [
        wrote if listed == "in a file" else style
    ]


def test_blame_takes_commits_to_look_through(tmp_path: Path, db: Path) -> None:
    clone, wrote, style = _styled(tmp_path / "tally", "nowhere")
    analyse(clone.path, db, "--allow-no-checkpoints")
    told = [
        {row["commit"] for row in run_json("blame", clone.path, "b.py", "--db", db, *more)}
        for more in ((), ("--ignore-rev", style[:10]))
    ]
    assert told == [{wrote, style}, {wrote}]
