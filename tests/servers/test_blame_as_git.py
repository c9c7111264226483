"""`blame` in git's own formats: git's answer, with agents beside the names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT
from support.builder import git
from support.commands import clone

import whowrote
from attribution.demo import FILE
from whowrote.servers.blame_as_git import answer

NAMES = (
    rb"(Ada Example|deps\[bot\]|<bo@b>|<ada@example.com>|Bo|Not Committed Yet"
    rb"|<not.committed.yet>)"
)
FORMATS = ("", "--porcelain", "--line-porcelain", "--incremental")
OPTIONS = (
    "",
    "-e -n -f",
    "-s -t",
    "-c",
    "-b --root --date=short",
    "--date=format:%Y --abbrev=12",
    "-C -C -M -w --color-lines",
    "-L /import/,+3 -L 7,9",
    "--since=2026-02-01 --show-stats",
    "HEAD~3..HEAD",
    "--contents README.md",
)


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a line of a person, and a changed file."""
    repo = clone("example", tmp_path_factory.mktemp("as-git"), bare=False)
    git(repo, "checkout", "-q", "-f")
    file = repo / FILE
    file.write_text(file.read_text() + "# (by Bo  1) Ada Example\n")
    git(repo, "-c", "user.name=Bo", "-c", "user.email=bo@b", "commit", "-qam", "A line")
    file.write_text("# not committed\n" + file.read_text())
    return repo


def asked(repo: Path, *words: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "whowrote", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **more}
    return subprocess.run(command, cwd=repo, env=environment, capture_output=True, check=False)


def put_back(text: bytes) -> bytes:
    """Without what is added to git's answer, and without times: a line that is not committed has
    that of the question.
    """
    text = re.sub(rb"\d\d:\d\d:\d\d|\b1\d{9}\b", b"TIME", text)
    text = re.sub(rb"(?m)^whowrote-\w+ .*\n", b"", text)
    text = re.sub(rb"(?m)^author .*, (?=%s$)" % NAMES, b"author ", text)
    row = rb"(?m)^([^()\n]*\() *(?:[^\n]{0,40}?, )?%s *(?=[\t ])" % NAMES
    return re.sub(row, rb"\1\2", text)


@pytest.mark.parametrize("options", OPTIONS)
def test_with_the_names_put_back_it_is_gits_answer(repo: Path, options: str) -> None:
    for form in FORMATS:
        words = [*form.split(), *options.split(), "--", FILE]
        code, ours, errors = answer(["-C", str(repo)], words, b"", None)
        gits = git(repo, "blame", *words)
        assert (code, errors) == (0, b"")
        assert put_back(ours) == put_back(gits), form
        assert (b"Claude Code (" in ours) == (bool(form) or "-s" not in options.split()), form


def test_columns_stay_columns(repo: Path) -> None:
    lines = asked(repo, "blame", "--git", FILE).stdout.splitlines()
    assert len({line.index(b" +0000 ") for line in lines if b"+0000 " in line}) == 1
    assert any(b"(Claude Code (" in line for line in lines)


def test_a_commit_that_git_tells_of_once_has_its_headers_once(repo: Path) -> None:
    """Else magit would forget the first ones."""
    groups = asked(repo, "blame", "--incremental", FILE).stdout.split(b"\nfilename ")
    assert all((b"\nauthor " in group) == (b"\nwhowrote-" in group) for group in groups)


def test_what_it_says_of_a_line_is_what_the_library_says(repo: Path) -> None:
    said = asked(repo, "blame", "--line-porcelain", FILE).stdout.decode()
    with whowrote.open(repo) as db:
        lines = db.blame(FILE)
    assert re.findall(r"(?m)^whowrote-class (.*)", said) == [
        line.attribution.kind or "none" for line in lines
    ]
    assert re.findall(r"(?m)^whowrote-session (.*)", said) == [
        line.attribution.session for line in lines if line.attribution.session
    ]
    for author, line in zip(re.findall(r"(?m)^author (.*)", said), lines, strict=True):
        assert author.startswith("Claude Code (") == (line.attribution.kind == "agent"), author


def test_a_wrapper_answers_blame_and_hands_the_rest_to_git(repo: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs/git-blame.md").read_text()
    (tmp_path / "git").write_text(re.findall(r"(?s)```sh\n(.*?)```", page)[0])
    (tmp_path / "whowrote").write_text(f'#!/bin/sh\nexec {sys.executable} -m whowrote "$@"\n')
    for program in tmp_path.iterdir():
        program.chmod(0o755)
    # `whowrote` has a directory of its own, as the wrapper takes its own off the PATH
    programs = tmp_path / "bin"
    programs.mkdir()
    (tmp_path / "whowrote").rename(programs / "whowrote")
    path = f"{tmp_path}:{programs}:{os.environ['PATH']}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path}

    def wrapped(*words: str) -> subprocess.CompletedProcess[bytes]:
        command = [str(tmp_path / "git"), *words]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, check=False
        )

    at = ("-C", str(repo), "-c", "core.quotePath=false")
    assert b"(Claude Code (" in wrapped(*at, "blame", FILE).stdout
    assert wrapped(*at, "rev-parse", "HEAD").stdout == git(repo, "rev-parse", "HEAD")
    assert wrapped(*at, "log", "--grep", "blame", "-1").returncode == 0
    missing = wrapped(*at, "blame", "nothing.py")
    assert missing.returncode == 128
    assert b"no such path" in missing.stderr


def test_nothing_that_the_clone_names_is_run(repo: Path, tmp_path: Path) -> None:
    (repo / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    ran = tmp_path / "ran"
    names = ("filter.evil.clean", "filter.evil.process", "diff.evil.textconv", "core.fsmonitor")
    for name in names:
        git(repo, "config", name, f"touch {ran}; cat")
    git(repo, "config", "filter.evil.required", "true")
    try:
        assert asked(repo, "blame", "--porcelain", FILE).returncode == 0
        assert not ran.exists()
        subprocess.run(["git", "blame", FILE], cwd=repo, capture_output=True, check=False)
        assert ran.exists(), "git itself runs it"
    finally:
        git(repo, "config", "--unset", "core.fsmonitor")
        for section in ("filter.evil", "diff.evil"):
            git(repo, "config", "--remove-section", section)
        (repo / ".gitattributes").unlink()
