"""Sessions of this machine that no commit is linked to are listed with the reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import run
from support.local_clone import AgentSession, Clone
from support.local_writers import WRITERS

TEXT = "def mean(rows):\n    return sum(rows) / len(rows)\n"


def _reads(clone: Clone, session: AgentSession) -> None:
    session.shell("cat src/app.py", clone.text("src/app.py") or "")


def _leaves_work(clone: Clone, session: AgentSession) -> None:
    session.write("src/mean.py", TEXT)


def _loses_work(clone: Clone, session: AgentSession) -> None:
    """A person takes the file back and commits something else in it."""
    session.write("src/app.py", TEXT)
    clone.wait(60)
    clone.person("src/app.py", "def total(rows):\n    return sum(rows)\n\n\ndef spread(rows):\n    return max(rows)\n")
    clone.commit("Add spread by hand")


def _commits_elsewhere(clone: Clone, session: AgentSession) -> None:
    session.write("src/mean.py", TEXT)
    session.shell("git commit -qam x", "[main 1234567] x\n 1 file changed")


def _commits(clone: Clone, session: AgentSession) -> None:
    session.write("src/mean.py", TEXT)
    session.commit("Add mean")


@pytest.mark.parametrize("writer", ["claude-code", "codex"])
@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (_reads, "changed no file here"),
        (_leaves_work, "not committed"),
        (_loses_work, "lost before a commit of its files"),
        (_commits_elsewhere, "its commits are not linked"),
        (_commits, None),
    ],
)
def test_a_session_without_a_commit_says_why(
    clone: Clone, home: Path, tmp_path: Path, session: AgentSession, writer: str, work: Callable[[Clone, AgentSession], None],
    reason: str | None,
) -> None:  # fmt: skip
    work(clone, session)
    WRITERS[writer](home, session)
    run("repo", clone.path, "--db", tmp_path / "out.db")
    (row,) = json.loads(run("sessions", clone.path, "--db", tmp_path / "out.db", "--json").stdout)
    assert (row["unlinked_because"], row["commits"]) == (reason, 0 if reason else 1)
