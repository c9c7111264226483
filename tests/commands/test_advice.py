"""What would name the author of more lines: said at the end of `whowrote repo`, and true when it
is done.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from support.builder import World, commit_by_ada, git
from support.commands import analyse, run

from attribution.authorship.options import AttributeOptions
from attribution.ensure.lines import AttributeRequest, attribute_clone
from attribution.queries.repo_report import Advice, RepoReport


@pytest.fixture(autouse=True)
def _own_mirrors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def _source(tmp_path: Path) -> Path:
    """Two commits of a session, of which the second is on a branch of its own."""
    world = World("advice")
    world.human_write("README.md", "# Advice\n")
    world.commit("Start")
    session = world.session(prompt="A function")
    session.write("src/one.py", "def first():\n    return 'the first of them'\n")
    world.commit("First", [session])
    session.write("src/two.py", "def second():\n    return 'the second of them'\n")
    world.commit("Second", [session])
    source = world.build(tmp_path / "source")
    git(source, "config", "uploadpack.allowFilter", "true")
    return source


def _report(repository: Path, tmp_path: Path) -> RepoReport:
    return attribute_clone(AttributeRequest(str(repository), tmp_path / f"{repository.name}.db"))


def _clone(source: Path, repository: Path, *options: str) -> Path:
    git(source, "clone", "-q", *options, f"file://{source}", str(repository))
    return repository


def _follow(advice: Advice, db: Path) -> None:
    words = shlex.split(advice.command)
    assert words[0] == "whowrote"
    run(*words[1:], db=db)


def _fetched(report: RepoReport) -> list[Advice]:
    return [one for one in report.advice if one.command.endswith(" --fetch")]


def test_a_whole_clone_needs_nothing(tmp_path: Path) -> None:
    assert _report(_source(tmp_path), tmp_path).advice == []


def test_the_command_brings_what_a_clone_of_one_branch_lacks(tmp_path: Path) -> None:
    db = tmp_path / "single.db"
    repository = _clone(_source(tmp_path), tmp_path / "single", "--single-branch")
    options = AttributeOptions()
    report = attribute_clone(AttributeRequest(str(repository), db, options))
    (advice,) = _fetched(report)
    assert advice.lines == 4
    _follow(advice, db)
    report = _report(repository, tmp_path)
    assert (report.advice, report.lines["agent"]) == ([], 4)


def test_the_command_brings_what_a_shallow_clone_lacks(tmp_path: Path) -> None:
    db = tmp_path / "shallow.db"
    repository = _clone(_source(tmp_path), tmp_path / "shallow", "--depth=2")
    report = attribute_clone(AttributeRequest(str(repository), db, AttributeOptions()))
    (advice,) = _fetched(report)
    assert advice.what.startswith("history, ")
    _follow(advice, db)
    report = _report(repository, tmp_path)
    assert (report.advice, report.lines["agent"], report.censored) == ([], 4, [])


def test_a_clone_without_checkpoints_may_lack_those_of_commits_that_only_name_an_agent(
    tmp_path: Path,
    db: Path,
) -> None:
    """Trailers are lost in squashes: whether the server has checkpoints is not known before they
    are fetched. A repository that never used Entire has none.
    """
    plain = World("plain")
    plain.human_write("src/one.py", "def first():\n    return 'the first of them'\n")
    plain.commit("First\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    never = _clone(plain.build(tmp_path / "never"), tmp_path / "copy")
    assert _report(never, tmp_path).advice == []
    world = World("named")
    world.human_write(".entire/settings.json", "{}\n")
    world.human_write("README.md", "# Named\n")
    world.commit("Start")
    world.human_write("src/one.py", "def first():\n    return 'the first of them'\n")
    world.commit("First\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    source = world.build(tmp_path / "source")
    options = AttributeOptions()
    whole = attribute_clone(AttributeRequest(str(_clone(source, tmp_path / "whole")), db, options))
    assert [one.lines for one in _fetched(whole)] == [2]
    alone = attribute_clone(AttributeRequest(str(source), tmp_path / "alone.db", options))
    assert [(one.lines, one.command) for one in alone.advice] == [(2, "")]  # it has no remote
    shallow = attribute_clone(
        AttributeRequest(
            str(_clone(source, tmp_path / "cut", "--depth=1")), tmp_path / "cut.db", options
        )
    )
    (advice,) = _fetched(shallow)
    assert advice.what.startswith("history, ")


def test_the_command_brings_what_a_partial_clone_left_out(tmp_path: Path) -> None:
    db = tmp_path / "partial.db"
    repository = _clone(
        _source(tmp_path), tmp_path / "partial", "--filter=blob:none", "--no-checkout"
    )
    report = _report(repository, tmp_path)
    (advice,) = _fetched(report)
    shown = run("repo", repository, db=db).stdout
    # of an agent that only the transcripts would name
    assert "2 sessions note:" in " ".join(shown.split())
    _follow(advice, db)
    assert _report(repository, tmp_path).lines["agent"] == 4


def test_an_agent_whose_transcripts_are_not_read_yet_is_named(tmp_path: Path) -> None:
    world = World("unread")
    world.human_write("README.md", "# Unread\n")
    world.commit("Start")
    session = world.session(prompt="A function")
    session.write("src/one.py", "def first():\n    return 'the first of them'\n")
    commit = world.commit("First", [session])
    (checkpoint,) = commit.checkpoints
    strange = {f"{checkpoint[:2]}/{checkpoint[2:]}/0/full.jsonl": b'{"spoken": "otherwise"}\n'}
    world.store_files(strange, "In a format of its own")
    (advice,) = _report(world.build(tmp_path / "source"), tmp_path).advice
    assert (advice.lines, advice.command) == (2, "")
    assert advice.what == "sessions in a format that is not read yet: Claude Code (1)"


def test_a_branch_whose_commits_name_the_checkpoints_is_named(tmp_path: Path) -> None:
    source = _source(tmp_path)
    git(source, "branch", "feature")
    git(source, "update-ref", "refs/heads/main", "main~1")
    (advice,) = _report(source, tmp_path).advice
    assert advice.what == "sessions whose commits are on branch feature only: 1"
    assert advice.command == f"whowrote repo {source} --branch feature"


def test_a_commit_that_the_server_lacks_is_not_fetched(tmp_path: Path, db: Path) -> None:
    repository = _clone(_source(tmp_path), tmp_path / "ahead")
    run("repo", repository, "--fetch", db=db)
    (repository / "b.py").write_text("print(1)\n")
    git(repository, "add", "b.py")
    commit_by_ada(repository, "Not pushed")
    assert "push it" in run("repo", repository, "--fetch", code=2, db=db).stderr
    analyse(repository, db)
    assert "Not pushed" in run("log", repository, db=db).stdout
    git(repository, "remote", "remove", "origin")
    assert "no remote" in run("repo", repository, "--fetch", code=2, db=db).stderr
