"""A session whose clock is hours off wrote what its commits hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import numbered_text
from support.local_clone import Clone, authors
from support.local_writers import keep
from support.truth import program_lines

from attribution.authorship.options import AttributeOptions
from attribution.stages.lines import attribute_repo
from collector.storage.store import Store

HOUR = 3600.0
AGENTS = ["claude-code", "codex", "pi"]
FIRST = numbered_text(8, "first_{n} = compute({n}, 'first')\n")
HAND = numbered_text(5, "by_hand_{n} = compute({n}, 'by hand')\n")
NEXT = numbered_text(4, "next_{n} = compute({n}, 'next')\n")


def written_by(clone: Clone, db: Path, sha: str, path: str = "app.py") -> set[str]:
    """Authors of the lines; the calls that explain them are later than the commit."""
    with Store(db) as store:
        done = attribute_repo(store, clone.path, AttributeOptions())
        return authors(program_lines(store, done.repo_id)[sha][path])


@pytest.mark.parametrize("hours", [3, 24])
@pytest.mark.parametrize("agent", AGENTS)
def test_session_ahead_of_its_commit(agent: str, hours: int, home: Path, db: Path) -> None:
    clone = Clone(home / "work" / "tally")
    clone.person("app.py", FIRST)
    clone.commit("Start by hand")
    clone.wait(3 * 86_400)
    session = clone.session("0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f", prompt="Write it")
    session.edit("app.py", "first_3 = compute(3, 'first')\n", NEXT)
    sha = clone.commit("Change it", -hours * HOUR)
    keep(session, agent)
    assert written_by(clone, db, sha) == {"agent"}


@pytest.mark.parametrize("hours", [3, 24])
@pytest.mark.parametrize("agent", ["claude-code", "opencode"])
def test_file_that_was_not_there_when_a_session_ahead_of_its_commit_wrote_it(
    agent: str, hours: int, home: Path, db: Path
) -> None:
    """The commit also holds what a person wrote, and the session saw, before."""
    clone = Clone(home / "work" / "tally")
    clone.person("app.py", FIRST)
    clone.commit("Start by hand")
    clone.wait(3 * 86_400)
    clone.person_adds("app.py", HAND)
    session = clone.session("0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f", prompt="Write it")
    session.shell("cat app.py", FIRST + HAND)
    session.write("new.py", NEXT)
    sha = clone.commit("Change it", -hours * HOUR)
    keep(session, agent)
    assert written_by(clone, db, sha, "new.py") == {"agent"}
    assert "agent" not in written_by(clone, db, sha)


@pytest.mark.parametrize("hours", [3, 24])
@pytest.mark.parametrize("agent", AGENTS)
def test_session_behind_the_one_before_it(agent: str, hours: int, home: Path, db: Path) -> None:
    clone = Clone(home / "work" / "tally")
    clone.person("README.md", "# Tally\n")
    clone.commit("Start by hand")
    clone.wait(3 * 86_400)
    session = clone.session("0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f", prompt="Write it")
    session.write("app.py", FIRST)
    clone.wait(60)
    clone.commit("Begin")
    keep(session)
    clone.wait(600 - hours * HOUR)
    later = clone.session("0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e70", prompt="Change it")
    later.edit("app.py", "".join(FIRST.splitlines(keepends=True)[2:6]), NEXT)
    sha = clone.commit("Change it", hours * HOUR)
    keep(later, agent)
    assert written_by(clone, db, sha) == {"agent"}


def test_person_whose_lines_an_agent_wrote_once_more(home: Path, db: Path) -> None:
    clone = Clone(home / "work" / "tally")
    clone.person("app.py", FIRST)
    sha = clone.commit("Start by hand")
    clone.wait(3 * HOUR)
    session = clone.session("0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f", prompt="Write it")
    session.write("app.py", FIRST)
    session.write("other.py", NEXT)
    clone.commit("Other")
    keep(session)
    assert "agent" not in written_by(clone, db, sha)
