"""A commit that a session made is its own: whatever the clocks say, however small it is, and
whether or not git printed its id.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path

import pytest
from support import numbered_text
from support.answers import column, value
from support.local_clone import PRINTED, AgentSession, Clone, authors, authors_in, said_of
from support.local_writers import keep, three_agents, two_agents
from support.truth import run

from attribution.ensure.clone import attributed_clone
from attribution.queries.blame import blame
from collector.git.repository import GitRepo
from collector.storage.store import Store

SMALL = "def f():\n    return 41\n"
LONG = numbered_text(6, "def step_{n}(rows):\n    return [row.step_{n} for row in rows]\n")
LICENCE = "# Copyright 2026 The Example Authors\n# SPDX-License-Identifier: Apache-2.0\n\n"
HOUR = 3600.0


QUIET = {
    "-q": ("git commit -qam '{message}'", ""),
    "> /dev/null": ("git add -A && git commit -am '{message}' > /dev/null", ""),
    "heredoc": ("git commit -qa -F - <<'EOF'\n{message}\n\nBody.\nEOF", ""),
    "then log": (
        "git commit -qam '{message}' && git log --oneline -1",
        "{short} (HEAD -> main) {message}",
    ),
    "then rev-parse": ("git commit -qam '{message}'; git rev-parse HEAD", "{sha}"),
    "no message": ("git commit -a --no-edit -q", ""),
}


AGENTS = ["codex", "gemini-cli", "opencode", "copilot-cli", "pi"]


@pytest.mark.parametrize(
    ("agent", "way"),
    [
        *(("claude-code", way) for way in QUIET),
        *((agent, way) for agent in AGENTS for way in ("-q", "then log")),
    ],
)
def test_quiet_commit_is_its_sessions(
    agent: str, way: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    command, output = QUIET[way]
    session.write("src/f.py", SMALL)
    sha = session.commit("Add f", command.format(message="Add f"), output)
    keep(session, agent)
    assert authors_in(clone, db, sha, "src/f.py") == {"agent"}


def test_quiet_command_makes_no_commit_of_another_message_its_own(
    clone: Clone, session: AgentSession, db: Path
) -> None:
    """The call failed to commit; a person committed two lines of their own in that second."""
    clone.person("src/g.py", "def g():\n    return 42\n")
    sha = session.commit(
        "By hand", "git commit -qam 'Add f' || true", "nothing to commit, working tree clean"
    )
    keep(session)
    assert "agent" not in authors_in(clone, db, sha, "src/g.py")


@pytest.mark.parametrize("off", [-40.0, 40.0, -HOUR, HOUR, 9 * HOUR, -9 * HOUR])
@three_agents
def test_clock_of_git_may_be_off(
    agent: str, off: float, clone: Clone, session: AgentSession, db: Path
) -> None:
    clone.wait(10 * HOUR)
    session.prompt("Go on")
    session.write("src/steps.py", LONG)
    sha = session.commit("Add steps", off=off)
    keep(session, agent)
    assert authors_in(clone, db, sha, "src/steps.py") == {"agent"}


@pytest.mark.parametrize("off", [-3 * HOUR, 3 * HOUR, -20 * HOUR, 20 * HOUR])
@pytest.mark.parametrize("by", ["edit", "command"])
@three_agents
def test_quiet_commit_is_its_sessions_though_the_clock_of_git_is_off(
    agent: str, by: str, off: float, clone: Clone, session: AgentSession, db: Path
) -> None:
    clone.wait(30 * HOUR)
    session.prompt("Go on")
    if by == "edit":
        session.write("src/steps.py", LONG)
    else:
        clone.put("src/steps.py", LONG, "agent")
        session.shell(f"cat > src/steps.py <<'EOF'\n{LONG}EOF", "")
    sha = session.commit("Add steps", QUIET["-q"][0].format(message="Add steps"), "", off=off)
    keep(session, agent)
    assert authors_in(clone, db, sha, "src/steps.py") == {"agent"}


def test_quiet_commit_of_a_busy_day_with_the_same_message_twice_is_nobodys(
    clone: Clone, session: AgentSession, db: Path
) -> None:
    """Either may be the call's."""
    clone.wait(30 * HOUR)
    session.prompt("Go on")
    session.edit("src/app.py", "    return sum(rows)\n", "    return sum(rows) or 0\n")
    sha = session.commit("wip", QUIET["-q"][0].format(message="wip"), "", off=20 * HOUR)
    clone.person("src/app.py", "def total(rows):\n    return math.fsum(rows)\n")
    other = clone.commit("wip", 20 * HOUR)
    keep(session)
    said = said_of(clone, db, other, "src/app.py")
    assert sha != other and "agent" not in authors(said)


def test_commit_keeps_gits_times_in_the_database(
    clone: Clone, session: AgentSession, db: Path
) -> None:
    session.write("src/steps.py", LONG)
    sha = session.commit("Add steps", off=-40.0)
    keep(session)
    said_of(clone, db, sha, "src/steps.py")
    shown = clone.git("show", "-s", "--format=%ad", "--date=format-local:%Y-%m-%dT%H:%M:%S", sha)
    assert (
        value(db, "SELECT author_at FROM commits WHERE commit_sha = ?", sha)[:19] == shown.strip()
    )


# git runs 3 s after its call began
@pytest.mark.parametrize(("off", "behind"), [(0.0, False), (-3.0, False), (-40.0, True)])
def test_parts_of_a_second_that_git_cuts_off_are_no_wrong_clock(
    off: float, behind: bool, clone: Clone, session: AgentSession, db: Path
) -> None:
    clone.wait(0.4 - clone.clock % 1)
    session.write("src/steps.py", LONG)
    sha = session.commit("Add steps", off=off)
    keep(session)
    said_of(clone, db, sha, "src/steps.py")
    assert (value(db, "SELECT clock_behind FROM commit_sessions") is not None) == behind


@pytest.mark.parametrize("agent", ["claude-code", "codex", "opencode"])
@pytest.mark.parametrize("off", [0.0, -HOUR])
def test_what_a_hook_adds_in_the_sessions_own_commit_is_no_persons(
    agent: str, off: float, clone: Clone, session: AgentSession, db: Path
) -> None:
    session.write("src/steps.py", LONG)
    clone.put("src/steps.py", LICENCE + LONG, "hook")
    sha = session.commit("Add steps", off=off)
    keep(session, agent)
    lines = said_of(clone, db, sha, "src/steps.py")
    assert authors({number: line for number, line in lines.items() if number <= 2}) == {"unknown"}
    assert authors({number: line for number, line in lines.items() if number > 3}) == {"agent"}


@two_agents
def test_what_two_sightings_of_the_session_bracket_is_still_a_persons(
    agent: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    session.edit("src/app.py", "    return sum(rows)\n", "    return sum(rows) or 0\n")
    clone.person_adds("src/app.py", "\n\ndef spread(rows):\n    return max(rows) - min(rows)\n")
    session.prompt("Go on")
    session.edit("src/app.py", "sum(rows) or 0", "sum(rows, 0)")
    sha = session.commit("Add spread", QUIET["-q"][0].format(message="Add spread"), "")
    keep(session, agent)
    lines = said_of(clone, db, sha, "src/app.py")
    # Codex records no text before its patches
    expected = "human" if agent == "claude-code" else "unknown"
    assert {number: line.author for number, line in lines.items()}[5] == expected


@pytest.mark.parametrize("command", ["git add -A && git commit --no-edit", "git merge --continue"])
@three_agents
def test_conflict_that_the_agent_resolved_is_its_own(
    agent: str, command: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    clone.git("checkout", "-q", "-b", "side")
    clone.person("src/app.py", "def total(rows):\n    return sum(rows, 1)\n")
    clone.commit("Side")
    clone.git("checkout", "-q", "main")
    clone.person("src/app.py", "def total(rows):\n    return sum(rows, 2)\n")
    clone.commit("Main")
    clone.git("merge", "side", check=False)
    resolved = (
        "def total(rows):\n"
        + numbered_text(5, "    part_{n} = sum(rows, {n})\n")
        + "    return part_1\n"
    )
    session.write("src/app.py", resolved)
    sha = session.commit("Merge branch 'side'", command)
    keep(session, agent)
    lines = said_of(clone, db, sha, "src/app.py")
    assert len(lines) == 6 and authors(lines) == {"agent"}


TEXTS = {
    "latin-1": "/* zählt die Einträge */\nint anzahl_der_eintraege;\n",
    "cp1252": "/* – Größe in € */\nint groesse;\n",
    "gb18030": "/* 统计所有条目的数量 */\nint number_of_entries;\n",
    "cp932": "/* 全ての項目を数える */\nint number_of_entries;\n",
    "cp949": "/* 모든 항목의 수를 센다 */\nint number_of_entries;\n",
    "koi8_r": "/* считает все записи */\nint number_of_entries;\n",
    "utf-8-sig": "/* zählt die Einträge */\nint anzahl_der_eintraege;\n",
}


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", TEXTS)
@two_agents
def test_file_in_another_encoding_has_the_text_of_the_transcript(
    agent: str,
    encoding: str,
    ends: str,
    clone: Clone,
    session: AgentSession,
    db: Path,
) -> None:
    session.write("src/w.c", TEXTS[encoding])
    (clone.path / "src" / "w.c").write_bytes(TEXTS[encoding].replace("\n", ends).encode(encoding))
    sha = session.commit("Count entries")
    keep(session, agent)
    lines = said_of(clone, db, sha, "src/w.c")
    assert len(lines) == 2 and authors(lines) == {"agent"}


UTF_16 = {
    "little end first": (BOM_UTF16_LE, "utf-16-le"),
    "big end first": (BOM_UTF16_BE, "utf-16-be"),
}


def _in_utf_16(clone: Clone, path: str, order: str, ends: str) -> None:
    mark, encoding = UTF_16[order]
    (clone.path / path).write_bytes(
        mark + (clone.text(path) or "").replace("\n", ends).encode(encoding)
    )


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("order", UTF_16)
@two_agents
def test_file_in_utf_16_has_lines_of_the_agent_but_none_that_a_person_changed(
    agent: str,
    order: str,
    ends: str,
    clone: Clone,
    session: AgentSession,
    db: Path,
) -> None:
    session.write(
        "src/w.rc", "// zählt die Einträge\nint number_of_entries;\nint number_of_rows;\n"
    )
    _in_utf_16(clone, "src/w.rc", order, ends)
    first = session.commit("Count entries")
    clone.wait(600)
    clone.person(
        "src/w.rc", "// zählt die Einträge\nint number_of_all_columns = 7;\nint number_of_rows;\n"
    )
    _in_utf_16(clone, "src/w.rc", order, ends)
    second = clone.commit("By hand")
    keep(session, agent)
    lines = said_of(clone, db, first, "src/w.rc")
    assert sorted(lines) == [1, 2, 3] and authors(lines) == {"agent"}
    changed = said_of(clone, db, second, "src/w.rc")
    assert sorted(changed) == [2] and "agent" not in authors(changed)
    with Store(db) as store:
        shown = blame(
            attributed_clone(store, GitRepo(clone.path), lambda _: None), "src/w.rc"
        ).lines
    assert [(line.introduced.sha, line.introduced.line) for line in shown] == [
        (first, 1),
        (second, 2),
        (first, 3),
    ]
    assert shown[0].text.rstrip("\r") == "// zählt die Einträge"


@pytest.mark.parametrize(
    "data",
    [b"\xff\xfe\0\0a\0\0\0", b"\xfe\xff\xd8\0\0a\0\n", b"\xff\xfea\0\n", b"\xff\xfea\0\0\0\n\0"],
)
def test_what_only_begins_like_utf_16_stays_binary(
    data: bytes, clone: Clone, session: AgentSession, db: Path
) -> None:
    session.write("src/f.py", SMALL)
    (clone.path / "src" / "data.bin").write_bytes(data)
    sha = session.commit("Add f")
    keep(session)
    assert said_of(clone, db, sha, "src/data.bin") == {}
    assert column(db, "SELECT content FROM commit_files WHERE path = 'src/data.bin'") == ["binary"]


DAY = 86_400.0


@pytest.mark.parametrize(
    "agent",
    ["claude-code", "codex", "gemini-cli", "opencode", "copilot-cli", "pi", "kimi-code", "grok"],
)
def test_single_edited_line_that_a_person_commits_is_the_agents(
    agent: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    session.edit("src/app.py", "    return sum(rows)\n", "    return sum(rows) or 0\n")
    clone.wait(300)
    sha = clone.commit("Zero")
    keep(session, agent)
    assert authors_in(clone, db, sha, "src/app.py") == {"agent"}


def test_single_line_beside_the_agents_uncommitted_one_is_not_its(
    clone: Clone, session: AgentSession, db: Path
) -> None:
    """The person took the agent's line out again and committed another one of theirs."""
    session.edit("src/app.py", "    return sum(rows)\n", "    return sum(rows) or 0\n")
    clone.person("src/app.py", "def total(rows):\n    return math.fsum(rows)\n")
    sha = clone.commit("By hand")
    keep(session)
    assert "agent" not in authors_in(clone, db, sha, "src/app.py")


@pytest.mark.parametrize(("days", "linked"), {1: True, 4: True, 20: True, 40: False}.items())
def test_work_that_is_committed_days_later_is_the_sessions(
    days: float, linked: bool, clone: Clone, session: AgentSession, db: Path
) -> None:
    session.write("src/f.py", SMALL)
    clone.wait(days * DAY)
    sha = clone.commit("Add f")
    keep(session)
    assert authors_in(clone, db, sha, "src/f.py") == {"agent" if linked else "unknown"}


def test_work_of_days_ago_that_was_changed_since_connects_nothing(
    clone: Clone, session: AgentSession, db: Path
) -> None:
    session.write("src/f.py", SMALL)
    clone.wait(4 * DAY)
    clone.person("src/f.py", SMALL + "\n\ndef g():\n    return other_things(17)\n")
    sha = clone.commit("By hand")
    keep(session)
    assert authors_in(clone, db, sha, "src/f.py") == {"unknown"}


@pytest.mark.parametrize("subject", ["Steps (#12)", "Add steps", "Everything of the branch"])
@three_agents
def test_squash_of_a_branch_that_is_still_there_is_its_sessions(
    agent: str, subject: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    """Forty days later, by somebody else: the session's own commit on the branch is what
    connects them.
    """
    clone.git("checkout", "-q", "-b", "feat")
    session.write("src/steps.py", LONG)
    session.commit("Add steps")
    clone.git("checkout", "-q", "main")
    clone.wait(40 * DAY)
    clone.git("merge", "-q", "--squash", "feat")
    clone.git("config", "user.email", "other@example.org")
    clone.git("commit", "-q", "-m", subject)
    sha = clone.git("rev-parse", "HEAD").strip()
    clone.git("config", "user.email", "ada@example.com")
    keep(session, agent)
    assert authors_in(clone, db, sha, "src/steps.py") == {"agent"}


def _indent(text: str) -> str:
    return "def outer():\n" + "".join(f"    {line}\n" for line in text.splitlines())


def _links_of(db: Path, sha: str) -> int:
    joined = "commit_sessions x JOIN commits c ON c.id = x.commit_id"
    return int(value(db, f"SELECT COUNT(*) FROM {joined} WHERE c.commit_sha = ?", sha) or 0)


LAID_OUT = {
    "indented later": _indent,
    "spread later": lambda text: _indent(text).replace("\n    def", "\n\n    def"),
    "indented before its commit": _indent,
    "indented with a new line of it": _indent,
}


@pytest.mark.parametrize("agent", ["claude-code", "codex", "opencode"])
@pytest.mark.parametrize("kind", [*LAID_OUT, "moved later"])
def test_a_commit_that_only_changes_or_moves_older_lines_is_not_the_sessions_that_wrote_them(
    agent: str, kind: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    """Nor do blank lines between such lines, which follow their neighbours, make it so.

    Another session of the directory wrote in the same commit, so that it is compared.
    """
    session.write("src/steps.py", LONG)
    if kind != "indented before its commit":
        session.commit("Add steps")
        clone.wait(DAY)
    if kind == "indented with a new line of it":
        session.edit(
            "src/steps.py",
            "    return [row.step_5 for row in rows]\n",
            "    return [row.step_5 for row in rows if row]\n",
        )
    clone.wait(300)
    text = clone.text("src/steps.py") or ""
    if kind == "moved later":
        clone.put("src/later.py", text, "agent")
        clone.put("src/steps.py", "STEPS = []\n", "human")
    else:
        clone.put("src/steps.py", LAID_OUT[kind](text), "human")
    other = clone.session("0b53a1de-77a5-4f0e-9a0f-3d1c6b1f2a11")
    other.write("src/other.py", LONG.replace("step", "phase"))
    sha = clone.commit("Lay it out by hand")
    keep(session, agent)
    keep(other, agent)
    said_of(clone, db, sha, "src/steps.py")
    assert _links_of(db, sha) == (1 if kind.endswith("later") else 2)


LOOP = (
    "def run(rows):\n    for row in rows:\n        if not row:\n            continue\n        yield"
    " row.upper()\n"
)


@pytest.mark.parametrize("agent", ["claude-code", "codex", "opencode"])
@pytest.mark.parametrize(
    ("late", "linked"), [("            continue\n", 0), ("        yield row.upper()\n", 1)]
)
def test_older_work_takes_part_by_a_line_that_stands_nowhere_by_chance(
    agent: str,
    late: str,
    linked: int,
    clone: Clone,
    session: AgentSession,
    db: Path,
) -> None:
    """A person commits all but one line of the session's, and that line after something else of
    theirs, a day later.
    """
    session.write("src/run.py", LOOP)
    clone.put("src/run.py", LOOP.replace(late, ""), "agent")
    clone.commit("Add run")
    clone.wait(DAY)
    clone.person("src/other.py", "def other(rows):\n    return sorted(rows, key=len)\n")
    clone.commit("Sort rows")
    clone.wait(HOUR)
    clone.put("src/run.py", LOOP, "agent")
    sha = clone.commit("The rest")
    keep(session, agent)
    said_of(clone, db, sha, "src/run.py")
    assert _links_of(db, sha) == linked


@pytest.mark.parametrize("agent", ["claude-code", "codex", "pi"])
@pytest.mark.parametrize("shown", [1, 3])
def test_a_commit_is_a_sessions_too_that_wrote_the_smaller_part_of_it(
    agent: str,
    shown: int,
    clone: Clone,
    session: AgentSession,
    db: Path,
) -> None:
    """One edit in its place links a commit. The rest is of a session that is gone, and nobody's."""
    clone.put("src/steps.py", LONG + LONG.replace("step", "phase"), "agent")
    session.shell("cat src/steps.py", clone.text("src/steps.py") or "")
    last = "    return [row.phase_5 for row in rows]\n"
    session.edit(
        "src/steps.py",
        last,
        last + numbered_text(shown, "area_{n} = width_{n} * height_{n}\n"),
    )
    clone.wait(600)
    sha = clone.commit("Everything of the feature (#1)")
    keep(session, agent)
    lines = said_of(clone, db, sha, "src/steps.py")
    assert authors(lines) == {"agent", "unknown"}
    assert sum(line.author == "agent" for line in lines.values()) == shown


@two_agents
@pytest.mark.parametrize(
    "command",
    ["make commit", "npm run release", "just commit 'Add f'", "git ci -am f", "cat build.log"],
)
def test_an_id_that_a_program_printed_for_its_commit_is_a_fact_too(
    agent: str, command: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    """Git's clock is two hours off, so that nothing else connects them; what a log says of a
    commit made none.
    """
    session.write("src/f.py", SMALL)
    sha = session.commit("Add f", command, "$ git commit -qam x\n" + PRINTED, off=-2 * HOUR)
    keep(session, agent)
    said_of(clone, db, sha, "src/f.py")
    calls = value(db, "SELECT COUNT(*) FROM commit_sessions WHERE method = 'made_by_call'")
    assert calls == (command != "cat build.log")


@two_agents
def test_tool_of_a_git_server_makes_a_commit_as_well(
    agent: str, clone: Clone, session: AgentSession, home: Path, db: Path
) -> None:
    session.write("src/f.py", SMALL)
    sha = session.commit("Add f", off=-HOUR)
    keep(session, agent)
    # the same session with the other tool
    for file in (file for file in home.rglob("*.jsonl") if file.is_file()):
        text = file.read_text("utf-8")
        printed = PRINTED.format(short=sha[:7], message="Add f")
        text = text.replace(
            json.dumps(printed)[1:-1], f"Changes committed successfully with hash {sha}"
        )
        file.write_text(text.replace('"name": "Bash"', '"name": "mcp__git__git_commit"'), "utf-8")
    assert authors_in(clone, db, sha, "src/f.py") == {"agent"}


@pytest.mark.parametrize("known", [True, False])
def test_commit_that_names_the_session_by_its_other_id_is_its_own(
    known: bool, clone: Clone, session: AgentSession, db: Path
) -> None:
    """Another person's commit of two common lines: nothing but the id in the message speaks for
    the session.
    """
    session.write("src/f.py", SMALL)
    clone.git("config", "user.email", "other@example.org")
    clone.wait(40 * DAY)
    sha = clone.commit("Add f\n\nClaude-Session: https://claude.ai/code/session_01NqYVUY")
    clone.git("config", "user.email", "ada@example.com")
    file = keep(session)
    bridge = {
        "type": "bridge-session",
        "sessionId": session.id,
        "bridgeSessionId": "cse_01NqYVUY" if known else "cse_other",
    }
    file.write_text(file.read_text("utf-8") + json.dumps(bridge) + "\n", "utf-8")
    assert authors_in(clone, db, sha, "src/f.py") == {"agent" if known else "declared"}


TABLE = (
    "rows = ['id,name\\n'] + [f'{n},item {n % 7},{n * n}\\n' for n in"
    " range(40)]\nopen('src/table.csv', 'w').write(''.join(rows))\n"
)


@three_agents
def test_file_that_a_script_computes_is_the_agents_whoever_commits_it_and_what_follows_is_not(
    agent: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    session.prompt("Make the table")
    session.shell(f"python3 - <<'EOF'\n{TABLE}EOF")
    text = "id,name\n" + "".join(f"{n},item {n % 7},{n * n}\n" for n in range(40))
    clone.put("src/table.csv", text, "agent")
    session.say("Done")
    keep(session, agent)
    clone.person(
        "src/table.csv",
        text.replace("5,item 5,25\n", "what somebody typed instead of it\n")
        + "40,added by hand,0\n",
    )
    sha = clone.commit("Add the table")
    said = said_of(clone, db, sha, "src/table.csv")
    assert {number for number, line in said.items() if line.author == "agent"} == set(
        range(1, 42)
    ) - {7}


TRAILER = "Co-Authored-By: Claude <noreply@anthropic.com>"


@pytest.mark.parametrize(
    ("typed", "script", "expected"),
    [
        (True, "", {"agent", "unknown"}),
        # a hook or a setting of the agent may have added it for all that work there
        (False, "", {"agent", "declared"}),
        # which may have written the file
        (True, "python3 tools/make_all.py", {"agent", "declared"}),
    ],
)
def test_trailer_typed_by_a_session_says_nothing_of_files_that_it_cannot_have_written(
    typed: bool,
    script: str,
    expected: set[str],
    clone: Clone,
    session: AgentSession,
    db: Path,
) -> None:
    clone.person("tools/make_all.py", LONG)
    clone.commit("Begin")
    session.prompt("Write f")
    session.write("src/f.py", SMALL)
    if script:
        session.shell(script)
    clone.person("src/notes.py", LONG.replace("step", "note"))
    message = f"Add f\n\n{TRAILER}"
    command = (
        f"git add -A && git commit -q -m 'Add f' -m '{TRAILER}'"
        if typed
        else "git add -A && git commit -q -m 'Add f'"
    )
    sha = session.commit(message, command, "")
    keep(session)
    run(clone.path, db)
    classes = column(db, "SELECT class FROM line_spans WHERE commit_sha = ? AND nonblank", sha)
    assert set(classes) == expected


MEAN = "\n\ndef mean_of_rows(rows):\n    return total_of_rows(rows) / len(rows)\n"


@pytest.mark.parametrize("way", ["amend", "--fixup", "edited"])
@pytest.mark.parametrize("minutes", [5, 90, 600])
@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli", "opencode"])
def test_what_an_agent_writes_between_a_commit_and_its_amending_by_a_person_is_the_agents(
    agent: str,
    minutes: int,
    way: str,
    clone: Clone,
    session: AgentSession,
    db: Path,
) -> None:
    """The commit keeps its author date, which is older than the edit."""
    clone.person_adds("src/app.py", "\n\nclass Row:\n    size = 0\n")
    clone.commit("Rows")
    if way != "amend":
        clone.person("docs/rows.md", "# Rows\n")
        clone.commit("Rows in the docs")
    clone.wait(60 * minutes)
    session.edit("src/app.py", "    return sum(rows)\n", "    return sum(rows)\n" + MEAN)
    keep(session, agent)
    clone.wait(60)
    sha = _rewrite(clone, way)
    lines = said_of(clone, db, sha, "src/app.py")
    text = (clone.text("src/app.py") or "").split("\n")
    assert {text[number - 1] for number, line in lines.items() if line.author == "agent"} - {
        ""
    } == set(MEAN.split("\n")) - {""}


@pytest.mark.parametrize("way", ["amend", "reworded"])
@pytest.mark.parametrize("minutes", [5, 90])
@two_agents
def test_session_that_came_after_the_text_has_no_part_in_a_commit_that_was_only_rebased(
    agent: str,
    minutes: int,
    way: str,
    clone: Clone,
    session: AgentSession,
    db: Path,
) -> None:
    clone.person_adds("src/app.py", MEAN)
    clone.commit("Mean")
    if way != "amend":
        clone.person("docs/rows.md", "# Rows\n")
        clone.commit("Rows in the docs")
    clone.wait(60 * minutes)
    session.edit("src/app.py", "len(rows)\n", "len(rows)\n# the end of the rows\n")
    clone.person(
        "src/app.py", (clone.text("src/app.py") or "").removesuffix("# the end of the rows\n")
    )
    keep(session, agent)
    sha = _rewrite(clone, way)
    assert "agent" not in authors_in(clone, db, sha, "src/app.py")


AMENDED = "[main 1a2b3c4] Add steps twice\n Date: Mon Mar 2 09:00:00 2026 +0000\n 1 file changed"


@three_agents
def test_commit_that_its_session_amended_and_a_person_rebased_later_is_the_sessions(
    agent: str, clone: Clone, session: AgentSession, db: Path
) -> None:
    """None of its ids is left, and the files were changed again before it was rebased."""
    session.write("src/steps.py", LONG)
    session.commit("Add steps")
    session.edit("src/steps.py", LONG, LONG.replace("row.step", "row.phase"))
    clone.git("commit", "-q", "-a", "--amend", "-m", "Add steps twice")
    session.shell("git commit -a --amend -m 'Add steps twice'", AMENDED)
    session.edit("src/steps.py", "row.phase", "row.stage")
    keep(session, agent)
    clone.git("stash", "-q")
    clone.wait(8 * DAY)
    clone.git("rebase", "-q", "--force-rebase", "--root")
    sha = clone.git("rev-parse", "HEAD").strip()
    assert authors_in(clone, db, sha, "src/steps.py") == {"agent"}
    assert value(db, "SELECT clock_behind FROM commit_sessions") is None


@pytest.mark.parametrize(
    ("message", "method"), [("Fix it", []), ("Add the rows up by fsum", ["made_by_call"])]
)
def test_commit_under_another_address_is_a_sessions_only_by_a_message_that_tells(
    message: str, method: list[str], clone: Clone, session: AgentSession, db: Path
) -> None:
    session.edit("src/app.py", "sum(rows)", "sum(rows) or 0")
    session.shell(f"git commit -qam '{message}' && git reset --hard HEAD~1")
    clone.git("config", "user.email", "other@example.org")
    clone.person("src/app.py", "def total(rows):\n    return math.fsum(rows)\n")
    sha = clone.commit(message)
    clone.git("config", "user.email", "ada@example.com")
    clone.git("reflog", "expire", "--expire=now", "--all")  # it was made elsewhere
    keep(session)
    said_of(clone, db, sha, "src/app.py")
    assert column(db, "SELECT method FROM commit_sessions") == method


def _rewrite(clone: Clone, way: str) -> str:
    """What is in the work tree goes into an older commit: its author date stays, the committer's
    is of now.
    """
    clone.git("add", "-A")
    if way == "amend":
        clone.git("commit", "-q", "--amend", "--no-edit")
        return clone.git("rev-parse", "HEAD").strip()
    if way == "--fixup":
        clone.git("commit", "-q", "--allow-empty", "--fixup", "HEAD~1")
        clone.git("-c", "sequence.editor=true", "rebase", "-q", "-i", "--autosquash", "HEAD~3")
    else:
        clone.git("stash", "-q")
        edit = "sed -i '1s/pick/edit/'" if way == "edited" else "sed -i '1s/pick/reword/'"
        message = "sed -i '1s/$/ of a table/'"
        clone.git(
            "-c",
            f"sequence.editor={edit}",
            "-c",
            f"core.editor={message}",
            "rebase",
            "-q",
            "-i",
            "HEAD~2",
        )
        if way == "edited":
            clone.git("stash", "pop", "-q")
            clone.git("commit", "-q", "-a", "--amend", "--no-edit")
            clone.git("rebase", "--continue")
    return clone.git("rev-parse", "HEAD~1").strip()
