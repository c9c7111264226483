"""What is on disk and was read by no run yet: questions answer it whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.answers import pick
from support.commands import analyse, run
from support.local_clone import AgentSession, Clone, touch
from support.local_writers import WRITERS, keep, two_agents

TEXT = "def median(values):\n    ordered = sorted(values)\n    return ordered[len(ordered) // 2]\n"


def ask(clone: Clone, db: Path, *words: str) -> Any:
    done = run(words[0], clone.path, *words[1:], "--json", db=db)
    return json.loads(done.stdout)


def begun(clone: Clone, db: Path) -> None:
    """Attributed before any agent worked there."""
    clone.person("README.md", "# Tally\n")
    clone.commit("Start")
    analyse(clone.path, db)


def write_median(clone: Clone) -> AgentSession:
    session = clone.session(
        "0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f", prompt="Add the median of all values"
    )
    session.write("src/median.py", TEXT)
    keep(session)
    return session


def test_lines_of_a_session_that_no_run_has_read_have_prompt_edit_and_title(
    clone: Clone, tmp_path: Path
) -> None:
    begun(clone, db := tmp_path / "x.db")
    write_median(clone)
    touch(clone.path / "src/median.py", clone.clock)
    for line in ask(clone, db, "blame", "src/median.py"):  # not committed yet
        assert pick(line, "class", "provisional", "commit") == ("agent", True, "0" * 40)
    why = ask(clone, db, "why", "src/median.py:2")
    assert why["prompt"] == "Add the median of all values"
    assert [line["text"] for line in why["tool_call"]["lines"] if line["hit"]] == [
        "    ordered = sorted(values)"
    ]
    sha = clone.commit("Median")
    why = ask(clone, db, "why", "src/median.py:2")
    assert pick(why, "class", "provisional") == ("agent", True)
    assert pick(why, "commit", "commit_subject") == (sha, "Median")
    assert why["prompt"] == why["session_label"] == "Add the median of all values"


@two_agents
def test_records_that_lie_in_the_worktree_are_read_before_they_are_committed(
    clone: Clone, tmp_path: Path, agent: str
) -> None:
    begun(clone, db := tmp_path / "x.db")
    inside, outside = (clone.session(f"0197f3a1-5d2c-7b4e-8f60-{n:012}") for n in (1, 2))
    for session in (inside, outside):
        session.prompt("Add a median")
        session.write(f"src/{session.id}.py", TEXT.replace("median", f"of_{session.id[-3:]}"))
        touch(clone.path / f"src/{session.id}.py", clone.clock)
    touch(WRITERS[agent](clone.path, inside), clone.clock)
    keep(outside)
    for session in (inside, outside):
        line = ask(clone, db, "blame", f"src/{session.id}.py")[0]
        assert pick(line, "class", "session") == ("agent", session.id)


def test_what_is_not_committed_is_of_whoever_works_here(
    clone: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(clone, db := tmp_path / "x.db")
    clone.git("commit", "-q", "--amend", "--no-edit", "--author", "Bob <bob@example.com>")
    clone.git("config", "--unset", "user.email")
    (tmp_path / "settings").write_text("[user]\n\temail = ada@example.com\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    (clone.path / ".git/logs/HEAD").unlink()
    write_median(clone)
    touch(clone.path / "src/median.py", clone.clock)
    assert ask(clone, db, "blame", "src/median.py")[0]["class"] == "agent"


def test_lines_that_are_not_committed_have_what_a_record_shows_of_a_person_or_a_command(
    clone: Clone, tmp_path: Path
) -> None:
    begun(clone, db := tmp_path / "x.db")
    session = write_median(clone)
    clone.commit("Median")
    clone.person_adds("src/median.py", "\n\nLIMIT = compute_limit(4)\n")
    touch(clone.path / "src/median.py", clone.clock)
    rows = ask(clone, db, "blame", "src/median.py")
    assert [row["class"] for row in rows[:3]] == ["agent"] * 3
    assert {pick(row, "class", "reason") for row in rows[3:]} == {("", "not_committed")}
    session.edit("src/median.py", "sorted(values)", "sorted(list(values))")
    keep(session)
    touch(clone.path / "src/median.py", clone.clock)
    rows = ask(clone, db, "blame", "src/median.py")
    assert [row["class"] for row in rows] == ["agent"] * 3 + ["human"] * (len(rows) - 3)
    session.shell("python3 complete.py")
    clone.person_adds("src/median.py", "MOST = 9\n")
    keep(session)
    touch(clone.path / "src/median.py", clone.clock)
    line = ask(clone, db, "blame", "src/median.py")[-1]
    assert pick(line, "class", "reason", "turn") == ("unknown", "opaque_shell", 1)
