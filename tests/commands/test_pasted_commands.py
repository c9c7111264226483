"""A command that is printed can be pasted into a shell: whatever a file is called, its name stays
one word.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from support.builder import git
from support.commands import run

AUTHOR = ("-c", "user.name=Ann", "-c", "user.email=ann@test")
NAME = "$(touch RUN;echo x) `id` 'a'.py"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    directory = tmp_path / "clone"
    directory.mkdir()
    git(directory, "init", "-q", "-b", "main")
    for text in ("a = 1\n", "a = 1\nb = 2\n"):
        (directory / NAME).write_text(text)
        git(directory, "add", "-A")
        git(directory, *AUTHOR, "commit", "-q", "-m", "Change")
    git(directory, "branch", "base", "HEAD~1")
    return directory


def printed_commands(output: str) -> list[list[str]]:
    """The words of each command `whowrote why`, as a shell takes them."""
    lines = (line.partition(" · ")[0] for line in output.splitlines())
    return [
        shlex.split(line[line.index("whowrote why") :]) for line in lines if "whowrote why" in line
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
def test_a_hostile_name_is_one_word_of_every_command(clone: Path, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "a.db")
    outputs = [
        run("repo", clone, "--allow-no-checkpoints", *db).output,
        run("blame", clone, NAME, *db).output,
        run("review", "base", clone, *db).output,
    ]
    git(clone, "rm", "-q", NAME)
    git(clone, *AUTHOR, "commit", "-q", "-m", "Remove")
    outputs.append(run("why", clone, f"{NAME}:1", *db, code=2).output)
    for output in outputs:
        (command,) = printed_commands(output)
        assert any(word.startswith(f"{NAME}:") for word in command), output
