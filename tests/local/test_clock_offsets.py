"""Where git's clock was behind the agent's, a commit holds what was written only later. Text
that is repeated moves no commit.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import numbered_text
from support.local_clone import AgentSession, Clone, authors_in
from support.local_writers import keep, two_agents

MINUTE = 60.0
LONG = numbered_text(8, "def step_{n}(rows):\n    return [row.step_{n} for row in rows]\n")
BY_HAND = LONG.replace("step", "phase").replace("rows", "columns")
AGENTS = ["claude-code", "codex", "gemini-cli", "opencode", "copilot-cli", "pi", "qwen-code"]


@pytest.fixture
def clone(clone: Clone) -> Clone:
    clone.wait(86_400)
    return clone


@pytest.mark.parametrize("minutes", [5, 12, 30])
@pytest.mark.parametrize("agent", AGENTS)
def test_person_commits_by_a_clock_that_is_behind(
    agent: str, minutes: int, clone: Clone, session: AgentSession, db: Path
) -> None:
    session.write("src/steps.py", LONG)
    clone.wait(90)
    sha = clone.commit("Add steps", -minutes * MINUTE)
    keep(session, agent)
    assert authors_in(clone, db, sha, "src/steps.py") == {"agent"}


@pytest.mark.parametrize("agent", AGENTS)
def test_lines_that_were_put_into_a_file_by_hand_before(
    agent: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    session.edit("src/app.py", "    return sum(rows)\n", "    return sum(rows)\n\n\n" + LONG)
    sha = clone.commit("Add steps", -12 * MINUTE)
    keep(session, agent)
    assert authors_in(clone, db, sha, "src/app.py") == {"agent"}


@pytest.mark.parametrize("agent", AGENTS)
def test_commit_that_holds_earlier_work_as_well(
    agent: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    """As a squash does: most of its lines were written long before."""
    for number in range(3):
        clone.person(f"src/old_{number}.py", BY_HAND.replace("phase", f"phase_{number}"))
    clone.wait(60 * MINUTE)
    session.prompt("Go on")
    session.write("src/steps.py", LONG)
    sha = clone.commit("Add everything", -12 * MINUTE)
    keep(session, agent)
    assert authors_in(clone, db, sha, "src/steps.py") == {"agent"}
    assert "agent" not in authors_in(clone, db, sha, "src/old_1.py")


@pytest.mark.parametrize("off", [0.0, -12 * MINUTE])
@two_agents
def test_next_commit_of_the_same_person_has_the_same_clock(
    off: float, agent: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    """Of itself it has too few lines to tell."""
    session.write("src/steps.py", LONG)
    clone.commit("Add steps", off)
    session.prompt("Go on")
    session.edit("src/steps.py", "row.step_0 for", "row.step_zero for")
    sha = clone.commit("Rename", off)
    keep(session, agent)
    assert authors_in(clone, db, sha, "src/steps.py") == {"agent"}


def rewritten_whole(session: AgentSession) -> None:
    # whose text the agent's program gives to the model
    session.prompt("Add a last line to @src/steps.py")
    session.write("src/steps.py", BY_HAND + "\n\nlast = True\n")


def moved_about(session: AgentSession) -> None:
    session.edit("src/steps.py", BY_HAND[:600], "")
    session.edit("src/steps.py", BY_HAND[600:], BY_HAND[600:] + BY_HAND[:600])


def pasted_by_the_person(session: AgentSession) -> None:
    session.prompt(f"Take this:\n{BY_HAND}")
    session.write("src/steps.py", BY_HAND + "last = True\n")


def printed_before(
    command: str, listed: Callable[[int, str], str]
) -> Callable[[AgentSession], None]:
    def act(session: AgentSession) -> None:
        lines = BY_HAND.removesuffix("\n").split("\n")
        session.shell(
            command, "\n".join(listed(number, line) for number, line in enumerate(lines, 1))
        )
        session.write("src/steps.py", BY_HAND + "last = True\n")

    return act


def named_before(session: AgentSession) -> None:
    session.shell("mytool show steps.py", "done")
    session.write("src/steps.py", BY_HAND + "last = True\n")


REPEATED = {
    "rewritten whole": rewritten_whole,
    "moved about": moved_about,
    "pasted by the person": pasted_by_the_person,
    "git show": printed_before("git show HEAD", lambda number, line: f"+{line}"),
    "rg": printed_before("rg '' src", lambda number, line: f"src/steps.py:{number}:{line}"),
    "nl": printed_before("cat src/* | nl -ba", lambda number, line: f"{number:6}\t{line}"),
    "a tool that names the file": named_before,
}


@pytest.mark.parametrize("repeated", REPEATED)
@pytest.mark.parametrize("agent", AGENTS)
def test_what_a_person_committed_before_is_not_the_agents_that_writes_it_again(
    agent: str, repeated: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    clone.person("src/steps.py", BY_HAND)
    sha = clone.commit("By hand")
    clone.wait(10 * MINUTE)
    REPEATED[repeated](session)
    clone.commit("Again")
    keep(session, agent)
    assert "agent" not in authors_in(clone, db, sha, "src/steps.py")
