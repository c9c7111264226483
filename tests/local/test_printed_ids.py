"""The id of a session's own commit is read in every form in which programs print it, and is
nobody else's commit.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from support import numbered_text, truth
from support.answers import column, select
from support.local_clone import Action, AgentSession, Clone
from support.local_writers import keep, three_agents, two_agents
from support.truth import Line

from collector.json_values import Numbers

SMALL = "def f():\n    return 41\n"
MINUTE = 60.0
HOUR = 3600.0
DAY = 86_400.0

AT = "Working copy  (@) now at: kntqzsqt d7439b06 (empty) (no description set)\n"
PARENT = AT + "Parent commit (@-)      : orrkosyo {eight} {message}\n"
OLD_PARENT = (
    "Working copy now at: kntqzsqt d7439b06 (empty)\nParent commit      : orrkosyo {eight}"
    " {message}\n"
)
DATED = "[main {short}] {message}\n Date: Mon Mar 2 09:00:00 2026 +0000\n 1 file changed\n"
ONE_LINE = "{short} (HEAD -> main) {message}\n"
MERGED = "✓ Squashed and merged pull request ada/tally#12 ({message})\n"
PULLED = "Updating 4b4e8d1..{short}\nFast-forward\n src/f.py | 2 ++\n"
BY_JJ = "Changes to push to origin:\n  Move forward bookmark main from 4b4e8d1f25b5 to {twelve}\n"
# The first call makes the commit; each has its command and what it prints.
SHAPES = {
    "jj commit": [("jj commit -m '{message}'", PARENT)],
    "jj commit, older": [("jj commit -m '{message}'", OLD_PARENT)],
    "jj squash": [("jj squash", PARENT)],
    "jj describe, then push": [
        ("jj describe -m '{message}'", "Rebased 1 descendant commits\n"),
        ("jj git push", BY_JJ),
    ],
    "jj new, then push": [("jj describe --stdin < msg && jj new", ""), ("jj git push", BY_JJ)],
    "rebase --continue": [
        (
            "git add -A && git rebase --continue",
            "[detached HEAD {short}] {message}\n 1 file changed\n",
        )
    ],
    "cherry-pick": [("git cherry-pick feat", DATED)],
    "amend": [("git commit --amend --no-edit", DATED)],
    "amend -q, then log": [("git commit --amend --no-edit -q && git log --oneline -1", ONE_LINE)],
    "am, then log": [
        ("git am 0001-f.patch", "Applying: {message}\n"),
        ("git log --oneline -1", ONE_LINE),
    ],
    "merge --continue, then log": [
        ("git merge --continue", ""),
        ("git log -1 --format=%H", "{sha}\n"),
    ],
    "autosquash, then log": [
        ("git commit --fixup HEAD && git rebase -i --autosquash", ""),
        ("git log --oneline -1", ONE_LINE),
    ],
    "message of a file, then push": [
        ("git commit -qF msg.txt", ""),
        ("git push", "   4b4e8d1..{short}  main -> main\n"),
    ],
    "in colour": [("git commit -m '{message}'", "\x1b[33m[main {short}]\x1b[m {message}\n")],
    "Graphite": [("gt create -am '{message}'", "[main {short}] {message}\n 1 file changed\n")],
    "GitHub's squash, then pull": [
        ("gh pr merge 12 --squash --delete-branch", MERGED),
        ("git pull", PULLED),
    ],
}


class Told(NamedTuple):
    """What was said of a commit: its lines by path, and by which methods it is linked to
    sessions.
    """

    lines: dict[str, dict[int, Line]]
    methods: list[str]

    def authors(self, path: str = "src/f.py") -> list[str]:
        return sorted({line.author for line in self.lines.get(path, {}).values()})


def said_of(clone: Clone, db: Path, sha: str) -> Told:
    links = (
        "SELECT method FROM commit_sessions JOIN commits ON commits.id = commit_id WHERE"
        " commits.commit_sha = ?"
    )
    said, _ = truth.run(clone.path, db)
    return Told(said.get(sha, {}), column(db, links, sha))


def run(session: AgentSession, shape: str, at: float, sha: str, message: str) -> None:
    """The calls of a shape, the first of them when the commit was made."""
    names = {"short": sha[:7], "eight": sha[:8], "twelve": sha[:12], "sha": sha, "message": message}
    first, *others = (
        (command.format(**names), output.format(**names)) for command, output in SHAPES[shape]
    )
    session.actions.append(Action("shell", at, text=first[0], output=first[1]))
    for command, output in others:
        session.shell(command, output)


@pytest.mark.parametrize("off", [0.0, -30 * MINUTE])
@two_agents
@pytest.mark.parametrize("shape", SHAPES)
def test_commit_is_its_sessions_in_every_shape(
    shape: str,
    agent: str,
    off: float,
    clone: Clone,
    session: AgentSession,
    db: Path,
) -> None:
    session.write("src/f.py", SMALL)
    at = clone.clock
    sha = clone.commit("Add f (#12)" if shape.startswith("GitHub") else "Add f", off)
    run(session, shape, at, sha, "Add f")
    keep(session, agent)
    told = said_of(clone, db, sha)
    assert told.methods == ["made_by_call"] and told.authors() == ["agent"]


QUIET = [
    "amend -q, then log",
    "am, then log",
    "message of a file, then push",
    "jj new, then push",
    "merge --continue, then log",
]


@pytest.mark.parametrize("shape", QUIET)
@pytest.mark.parametrize("path", ["src/other.py", "src/f.py"])
def test_commit_of_a_person_that_is_shown_after_a_failed_one_is_not_the_sessions(
    shape: str, path: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    """The person's commit is of another file at that moment, or of the agent's file hours ago."""
    if path == "src/f.py":
        clone.person(path, "def f():\n    return compute_by_hand(17)\n")
        sha = clone.commit("By hand")
        clone.wait(2 * HOUR)
        session.prompt("Go on")
        session.edit(path, "compute_by_hand(17)", "compute(17)")
    else:
        session.write("src/f.py", SMALL)
        clone.lines.pop("src/f.py")
        (clone.path / "src" / "f.py").unlink()
        clone.person(path, "def g():\n    return compute_by_hand(17)\n")
        sha = clone.commit("By hand", -90.0)
    run(session, shape, clone.clock, sha, "By hand")
    keep(session)
    told = said_of(clone, db, sha)
    assert told.methods == [] and "agent" not in told.authors(path)


@pytest.mark.parametrize("command", ["jj new main", "jj edit orrkosyo", "jj log", "jj git fetch"])
def test_parent_that_jj_shows_is_not_made_by_a_call_that_only_goes_there(
    command: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    clone.person("src/f.py", "def f():\n    return compute_by_hand(17)\n")
    sha = clone.commit("By hand", -2 * HOUR)
    session.shell(command, PARENT.format(eight=sha[:8], message="By hand"))
    session.write("src/g.py", SMALL)
    keep(session)
    told = said_of(clone, db, sha)
    assert told.methods == [] and "agent" not in told.authors()


@two_agents
def test_pull_request_of_others_is_not_the_sessions_that_merges_it(
    agent: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    session.write("src/g.py", SMALL)
    session.commit("Add g")
    clone.person("src/f.py", "def f():\n    return compute_by_hand(17)\n")
    at = clone.clock
    sha = clone.commit("Add f (#12)", -90.0)
    run(session, "GitHub's squash, then pull", at, sha, "Add f")
    keep(session, agent)
    told = said_of(clone, db, sha)
    assert told.methods == [] and "agent" not in told.authors()


@three_agents
def test_what_was_stashed_meanwhile_is_still_the_agents(
    agent: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    session.write("src/f.py", SMALL)
    session.write("src/g.py", SMALL.replace("f()", "g()"))
    session.shell("git stash push src/f.py", "Saved working directory and index state WIP on main")
    stashed = clone.lines.pop("src/f.py")
    (clone.path / "src" / "f.py").unlink()
    session.commit("Add g", "git add -A && git commit -qm 'Add g'", "")
    session.shell("git stash pop", "Dropped refs/stash@{0}")
    clone.lines["src/f.py"] = stashed
    (clone.path / "src" / "f.py").write_text(SMALL, "utf-8")
    sha = session.commit("Add f", "git add -A && git commit -qm 'Add f'", "")
    keep(session, agent)
    assert said_of(clone, db, sha).authors() == ["agent"]


@three_agents
def test_lines_of_a_person_that_the_agents_revert_brings_back_are_not_the_agents(
    agent: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    clone.person("src/f.py", "def f():\n    return compute_by_hand(17)\n")
    clone.commit("By hand")
    session.prompt("Simplify f")
    session.write("src/f.py", SMALL)
    session.commit("Simplify f")
    clone.put("src/f.py", "def f():\n    return compute_by_hand(17)\n", "human")
    sha = session.commit('Revert "Simplify f"', "git revert --no-edit HEAD", DATED)
    keep(session, agent)
    told = said_of(clone, db, sha)
    assert told.methods == ["made_by_call"] and told.authors() == ["unknown"]


# --- two sessions and one commit ------------------------------------------------------------------

LARGE = numbered_text(
    4, "def f{n}(value):\n    return compute(value, {n}) + offset_of(value)\n\n\n"
)
PAIRS = [
    ("claude-code", "codex"),
    ("codex", "claude-code"),
    ("gemini-cli", "claude-code"),
    ("claude-code", "claude-code"),
]


def linked_sessions(clone: Clone, db: Path, sha: str) -> Numbers:
    """Session -> its lines of the commit that are linked to it."""
    said_of(clone, db, sha)
    links = (
        "SELECT s.key, x.agent_lines FROM commit_sessions x JOIN commits c ON c.id = x.commit_id "
        "JOIN sessions s ON s.id = x.session_id WHERE c.commit_sha = ?"
    )
    return dict(select(db, links, sha))


def _first_of_two(clone: Clone) -> tuple[AgentSession, AgentSession]:
    """Two sessions, of which the first has written a file."""
    first = clone.session("5c7d5c23-0691-4467-9e3b-000000000001")
    second = clone.session("5c7d5c23-0691-4467-9e3b-000000000002")
    first.prompt("Write the functions")
    first.write("src/f.py", LARGE)
    return first, second


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_commit_is_not_the_other_sessions_whose_lines_its_maker_wrote_again(
    pair: tuple[str, str], clone: Clone, db: Path
) -> None:
    first, second = _first_of_two(clone)
    clone.lines.pop("src/f.py")
    (clone.path / "src" / "f.py").unlink()  # somebody threw it away
    clone.wait(2 * MINUTE)
    second.prompt("Write the functions")
    second.write("src/f.py", LARGE)
    sha = second.commit("Add the functions")
    keep(first, pair[0])
    keep(second, pair[1])
    assert list(linked_sessions(clone, db, sha)) == [second.id]


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("whole", [False, True])
def test_commit_is_both_sessions_where_the_file_has_lines_that_only_the_other_wrote(
    pair: tuple[str, str], whole: bool, clone: Clone, db: Path
) -> None:
    first, second = _first_of_two(clone)
    clone.wait(2 * MINUTE)
    second.prompt("Write one more")
    more = "def more(value):\n    return f1(value) + f2(value)\n"
    if whole and pair[1] == "claude-code":  # its record has the file before
        second.write("src/f.py", LARGE + more)
    else:
        second.edit("src/f.py", "def f3", more + "\n\ndef f3")
    sha = second.commit("Add the functions")
    keep(first, pair[0])
    keep(second, pair[1])
    assert linked_sessions(clone, db, sha).keys() == {first.id, second.id}


@two_agents
def test_commit_that_puts_an_older_version_back_has_the_lines_of_whoever_wrote_them_then(
    agent: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    session.prompt("Write the functions")
    session.write("src/f.py", LARGE)
    session.commit("Add the functions")
    line = "    return compute(value, 2) + offset_of(value)\n"
    session.edit("src/f.py", line, "    return None\n")
    session.edit("src/f.py", "    return None\n", line)
    session.edit("src/f.py", "def f3", "def third")
    session.commit("Rename one")
    keep(session, agent)
    clone.wait(HOUR)
    clone.person("src/f.py", (clone.text("src/f.py") or "").replace(line, "    return value\n"))
    clone.commit("Simplify it")
    clone.wait(HOUR)
    clone.person("src/f.py", (clone.text("src/f.py") or "").replace("    return value\n", line))
    sha = clone.commit("Take that back")
    told = said_of(clone, db, sha)
    assert (told.methods, told.authors()) == (["content"], ["agent"])
