"""An ordinary clone, attributed from the transcripts that agents keep on the developer's
machine.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import claude_writer as claude
from support import local_layouts as layouts
from support.answers import analysed_store, column, pick
from support.builder import World, git
from support.commands import analyse, run, run_json
from support.invariants import broken_checks
from support.local_clone import AgentSession, Clone, attributed, touch, wrong_lines
from support.local_writers import WRITERS, keep, short
from support.truth import Line, program_lines

from attribution.authorship.options import AttributeOptions
from attribution.stages.lines import Attributed, attribute_repo
from collector.agents.machine import files
from collector.agents.machine.model import LocalSession
from collector.git.repository import GitRepo
from collector.local import find_sessions
from collector.local.model import LocalChoice, LocalOptions
from collector.storage.retention import Policy, Redaction
from collector.storage.store import Store

Said = dict[str, dict[str, dict[int, Line]]]

APP = "def total(rows):\n    return sum(rows)\n"
MEAN = "def mean(rows):\n    return total(rows) / len(rows)\n"
MEDIAN = "def median(rows):\n    ordered = sorted(rows)\n    return ordered[len(ordered) // 2]\n"
SESSION = "0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f"


@pytest.fixture
def clone(home: Path) -> Clone:
    """A person's clone with a first commit of their own."""
    made = Clone(home / "work" / "tally")
    made.person("src/app.py", APP)
    made.person("README.md", "# Tally\n")
    made.commit("Start by hand")
    return made


def work(clone: Clone, id: str = SESSION) -> AgentSession:
    """A session with two commits of its own: a person adds lines in between."""
    session = clone.session(id, prompt="Add a mean")
    session.edit("src/app.py", "    return sum(rows)\n", f"    return sum(rows)\n\n\n{MEAN}")
    session.say("Done.")
    session.commit("Add mean")
    clone.person_adds("src/app.py", "\n\ndef spread(rows):\n    return max(rows) - min(rows)\n")
    session.prompt("Add a median")
    session.write("src/median.py", MEDIAN)
    session.edit(
        "src/app.py",
        "    return total(rows) / len(rows)\n",
        "    return total(rows) / max(1, len(rows))\n",
    )
    session.commit("Add median")
    session.say("Committed.")
    return session


def keep_work(clone: Clone) -> Path:
    return keep(work(clone))


def attribute(
    clone: Clone, db: Path, options: LocalOptions | None = None
) -> tuple[Attributed, Said]:
    with Store(db) as store:
        done = attribute_repo(store, clone.path, AttributeOptions(local=options or LocalOptions()))
        assert not broken_checks(store)
        return done, program_lines(store, done.repo_id)


# Of the six lines of agents in `work`, where the sessions tell too little for all: Cursor records
# neither results nor times, and Grok and VS Code no results.
LINES = {"cursor": 4, "grok": 4, "copilot-chat": 4}


@pytest.mark.parametrize("agent", WRITERS)
def test_lines_of_an_ordinary_clone_get_their_authors(agent: str, clone: Clone, db: Path) -> None:
    keep(work(clone), agent)
    _, said = attribute(clone, db)
    assert wrong_lines(clone, said) == []
    right, whole = attributed(clone, said, "agent")
    assert whole == 6 and right >= LINES.get(agent, 6)


def test_what_a_person_wrote_between_two_edits_is_seen(clone: Clone, db: Path) -> None:
    keep_work(clone)
    _, said = attribute(clone, db)
    assert attributed(clone, said, "human")[0] == 2


@pytest.mark.parametrize(
    "command",
    [
        "mv draft.py src",
        "git mv draft.py src/draft.py",
        "move draft.py src\\draft.py",
        "Move-Item draft.py src\\",
    ],
)
@pytest.mark.parametrize("agent", ["claude-code", "codex", "pi"])
def test_a_file_that_a_session_moved_is_its_work_whoever_commits_it(
    agent: str, command: str, clone: Clone, db: Path
) -> None:
    session = clone.session(SESSION, prompt="Add a median")
    session.write("draft.py", MEDIAN)
    clone.put("src/draft.py", MEDIAN, "agent")
    (clone.path / "draft.py").unlink()
    del clone.lines["draft.py"]
    session.shell(command)
    clone.wait(200)
    clone.commit("Median")
    keep(session, agent)
    _, said = attribute(clone, db)
    assert wrong_lines(clone, said) == []
    assert attributed(clone, said, "agent")[0] == 3


@pytest.mark.parametrize("look", [True, False])
@pytest.mark.parametrize(
    "agent", ["claude-code", "codex", "gemini-cli", "opencode", "copilot-cli", "pi"]
)
def test_what_an_agent_saw_before_it_wrote_the_file_again_is_not_its(
    agent: str, look: bool, clone: Clone, db: Path
) -> None:
    """Whether or not the agent records what its call found there; a look is what shows it."""
    session = clone.session(SESSION, prompt="Add a mean")
    clone.person_adds("src/app.py", "\n\ndef spread(rows):\n    return max(rows) - min(rows)\n")
    if look:
        session.shell("cat src/app.py", clone.text("src/app.py") or "")
    session.write("src/app.py", f"{clone.text('src/app.py')}\n\n{MEAN}")
    session.commit("Add mean")
    keep(session, agent)
    _, said = attribute(clone, db)
    assert attributed(clone, said, "agent")[0] == 2
    if look:
        assert wrong_lines(clone, said) == []


@pytest.mark.parametrize("path", ["src/app.py", "src/median.py"])
def test_a_commit_by_hand_holds_lines_of_both(path: str, clone: Clone, db: Path) -> None:
    """Nothing but time and files links it to the session; the person wrote in a file that the
    session changed, or in another.
    """
    session = clone.session(SESSION, prompt="Add a median")
    session.write("src/median.py", MEDIAN)
    session.say("Done.")
    clone.person_adds(path, "\n\ndef spread(rows):\n    return max(rows) - min(rows)\n")
    clone.commit("Median and spread")
    keep(session)
    _, said = attribute(clone, db)
    assert wrong_lines(clone, said) == []
    assert attributed(clone, said, "agent")[0] == 3
    assert attributed(clone, said, "human")[0] == 2


def test_without_transcripts_there_is_nothing_to_say(clone: Clone, db: Path) -> None:
    assert attributed(clone, attribute(clone, db)[1], "agent")[0] == 0


def test_transcripts_are_not_read_when_that_is_not_wanted(clone: Clone, db: Path) -> None:
    keep_work(clone)
    _, said = attribute(clone, db, LocalOptions(LocalChoice.NEVER))
    assert attributed(clone, said, "agent")[0] == 0


# --- which files are read -------------------------------------------------------------------------


def found(clone: Clone, options: LocalOptions | None = None) -> dict[str, LocalSession]:
    return dict(
        find_sessions(GitRepo(clone.path), options or LocalOptions(LocalChoice.ALWAYS)).sessions
    )


def test_a_session_started_below_the_clone_belongs_to_it(clone: Clone) -> None:
    keep(short(clone, "one", str(clone.path / "src")))
    assert found(clone)["one"].why == f"started in {clone.path}/src"


def test_a_session_started_above_belongs_when_it_worked_in_the_clone(
    clone: Clone, home: Path
) -> None:
    keep(short(clone, "one", str(clone.path.parent)))
    other = Clone(home / "work" / "other")
    keep(short(other, "two", str(clone.path.parent)))
    assert {key: one.why for key, one in found(clone).items()} == {
        "one": f"worked on files of {clone.path}"
    }


def test_directories_with_the_same_name_are_told_apart(home: Path) -> None:
    """`a-b` and `a_b` are both `-a-b` there."""
    mine, other = Clone(home / "work" / "a-b"), Clone(home / "work" / "a_b")
    keep(short(mine, "mine"))
    keep(short(other, "other"))
    assert list(found(mine)) == ["mine"] and list(found(other)) == ["other"]


def test_a_repository_inside_the_clone_is_another_one(clone: Clone) -> None:
    inner = Clone(clone.path / "vendor" / "inner")
    keep(short(inner, "inner"))
    assert found(clone) == {} and list(found(inner)) == ["inner"]


def test_sessions_in_a_linked_worktree_belong(clone: Clone, home: Path) -> None:
    tree = home / "trees" / "side"
    git(clone.path, "worktree", "add", "-q", "-b", "side", str(tree))
    keep(short(clone, "one", str(tree)))
    assert list(found(clone)) == ["one"]


def test_sessions_of_other_repositories_are_read_once_for_what_they_name(
    clone: Clone, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Clone(home / "elsewhere" / "other")
    keep(short(other, "other"))
    keep(short(clone, "mine"))
    opened: list[Path] = []
    read = files._read

    def noted(path: Path, size: int | None) -> bytes:
        opened.extend([path] if size is None else [])
        return read(path, size)

    monkeypatch.setattr(files, "_read", noted)
    monkeypatch.setenv("WHOWROTE_SESSIONS", str(home / "sessions.db"))
    for times in (1, 2):
        assert list(found(clone)) == ["mine"]
        assert [path.stem for path in opened].count("other") == 1, times
    longer = short(other, "other")
    longer.say("Done.")
    keep(longer)
    assert list(found(clone)) == ["mine"]
    assert [path.stem for path in opened].count("other") == 2


def test_links_are_not_followed(clone: Clone, tmp_path: Path) -> None:
    secret = layouts.claude_code(tmp_path / "elsewhere", short(clone, "secret"))
    project = keep(short(clone, "mine")).parent
    (project / "linked.jsonl").symlink_to(secret)
    assert list(found(clone)) == ["mine"]


def test_a_line_that_is_being_written_is_left_out(clone: Clone, db: Path) -> None:
    path = keep_work(clone)
    with path.open("a") as file:
        file.write('{"type":"assistant","message":{"content":[{"type":"tool_')
    with analysed_store(clone.path, db) as store:
        assert store.rows("SELECT * FROM problems WHERE stage = 'transcripts'") == []


def test_what_a_subagent_did_is_its_sessions(clone: Clone, db: Path) -> None:
    session = clone.session(SESSION, prompt="Add two files")
    session.write("src/a.py", "alpha = 'first'\n")
    session.write("src/b.py", "beta = 'second'\n", agent="a1b2c3")
    session.commit("Add two")
    keep(session)
    _, said = attribute(clone, db)
    assert attributed(clone, said, "agent") == (2, 2)
    with Store(db) as store:
        assert store.rows("SELECT key FROM sessions") == [{"key": SESSION}]
        calls = store.rows(
            "SELECT agent_id, COUNT(*) AS calls FROM tool_calls GROUP BY 1 ORDER BY 1"
        )
    assert calls == [{"agent_id": None, "calls": 2}, {"agent_id": "a1b2c3", "calls": 1}]


def test_a_fork_is_counted_once(clone: Clone, db: Path) -> None:
    path = keep_work(clone)
    text = path.read_text("utf-8")
    fork = "ffffffff-0000-4000-8000-000000000000"
    layouts.put_text(
        path.with_name(f"{fork}.jsonl"), text.replace(SESSION, fork), path.stat().st_mtime + 60
    )
    assert set(found(clone)) == {SESSION, fork}
    attribute(clone, db)
    with Store(db) as store:
        assert store.value("SELECT COUNT(*) FROM tool_calls") == text.count('"tool_use"')
        rows = store.rows(
            "SELECT tool_calls > 0 AS calls, forked_from FROM sessions WHERE key IN (?, ?) ORDER"
            " BY key",
            (SESSION, fork),
        )
        assert [pick(row, "calls", "forked_from") for row in rows] == [(1, None), (0, SESSION)]


def test_a_clone_that_was_moved_says_where_it_was(clone: Clone, home: Path, tmp_path: Path) -> None:
    keep_work(clone)
    before, clone.path = clone.path, clone.path.rename(home / "moved")
    for former in ((), (str(before),)):  # its sessions printed the ids of commits
        _, said = attribute(
            clone, tmp_path / f"{len(former)}.db", LocalOptions(former_paths=former)
        )
        assert attributed(clone, said, "agent") == (6, 6)


def test_a_clone_that_was_moved_before_anything_was_committed_must_say_where_it_was(
    clone: Clone, home: Path, db: Path
) -> None:
    keep(short(clone, "one"))
    clone.commit("Add a file by hand")
    before, clone.path = clone.path, clone.path.rename(home / "moved")
    _, said = attribute(clone, db)
    assert attributed(clone, said, "agent")[0] == 0
    assert list(found(clone, LocalOptions(LocalChoice.ALWAYS, former_paths=(str(before),)))) == [
        "one"
    ]


@pytest.mark.parametrize("named", ["", ".claude", ".claude/projects"])
def test_a_copy_of_a_home_directory_is_read_when_it_is_named(
    clone: Clone, tmp_path: Path, named: str
) -> None:
    layouts.claude_code(tmp_path / "copy", work(clone))
    assert found(clone) == {}
    assert list(found(clone, LocalOptions(LocalChoice.ALWAYS, (tmp_path / "copy" / named,)))) == [
        SESSION
    ]


# --- what comes of them ---------------------------------------------------------------------------


def test_sessions_of_checkpoints_and_of_the_machine_are_one(home: Path, tmp_path: Path) -> None:
    world = World("tally")
    session = world.session(cwd=str(home / "work" / "tally"), prompt="Add a mean")
    session.write("src/mean.py", MEAN)
    world.commit("Add mean", [session])
    clone = world.build(home / "work" / "tally", bare=False)
    text = claude.to_jsonl(session.log.records)
    project = home / ".claude" / "projects" / layouts.slug(str(clone))
    layouts.put_text(project / f"{session.id}.jsonl", text, world.clock)
    for choice in (LocalChoice.AUTO, LocalChoice.ALWAYS):
        with Store(tmp_path / f"{choice}.db") as store:
            attribute_repo(store, clone, AttributeOptions(local=LocalOptions(choice)))
            assert column(store, "SELECT key FROM sessions") == [session.id]
            assert store.value("SELECT COUNT(*) FROM tool_calls") == 1
            assert column(store, "SELECT store FROM checkpoints") == ["v1"]


def test_a_second_run_does_nothing_until_a_session_goes_on(clone: Clone, db: Path) -> None:
    path = keep_work(clone)
    attribute(clone, db)
    assert attribute(clone, db)[0].unchanged
    keep(short(clone, "another"))
    assert not attribute(clone, db)[0].unchanged
    touch(path, clone.clock)
    assert not attribute(clone, db)[0].unchanged


def test_before_the_agent_deleted_sessions_nobody_knows(clone: Clone, db: Path) -> None:
    """A session of forty days later is there; one of before the first commits may be gone."""
    path = keep_work(clone)
    clone.wait(40 * 86_400)
    keep(short(clone, "later"))
    touch(path, clone.clock - 5 * 86_400)
    _, said = attribute(clone, db)
    assert attributed(clone, said, "human")[0] == 0
    assert attributed(clone, said, "agent")[0] == 6


@pytest.mark.parametrize("agent", ["claude-code", "gemini-cli"])
def test_a_copied_home_is_as_old_as_its_records_and_not_as_its_files(
    agent: str, clone: Clone, home: Path, tmp_path: Path, db: Path
) -> None:
    """Copied half a year later without the times of the files: nothing was deleted on the
    machine that it was copied from.
    """
    keep(work(clone), agent)
    for path in (path for path in home.rglob("*") if path.is_file()):
        touch(path, clone.clock + 180 * 86_400)
    _, said = attribute(clone, db)
    for path in (path for path in home.rglob("*") if path.is_file()):
        touch(path, clone.clock)
    assert said == attribute(clone, tmp_path / "again.db")[1]


def test_what_is_stored_of_local_transcripts(clone: Clone, tmp_path: Path, db: Path) -> None:
    key = "ghp_" + "a1B2c3D4" * 5
    session = clone.session(SESSION, prompt=f"Use {key}, and write to bob@example.com")
    session.shell("cat notes.txt", "what stood in the notes")
    session.write("src/a.py", "alpha = 'first'\n")
    session.commit("Add a")
    keep(session)
    attribute(clone, db)
    assert db.stat().st_mode & 0o777 == 0o600
    with Store(db) as store:
        assert store.policy == Policy(redaction=Redaction.EMAILS)
        prompt = store.value("SELECT prompt FROM turns")
        assert "Use [secret]" in prompt and "bob@" not in prompt
    whole = b"".join(path.read_bytes() for path in tmp_path.glob("out*"))
    assert key.encode() not in whole and b"stood in the notes" not in whole


# --- commands -------------------------------------------------------------------------------------


def test_a_dry_run_lists_what_would_be_read_and_stores_nothing(clone: Clone) -> None:
    keep_work(clone)
    done = run("doctor", clone.path, "--json")
    (row,) = json.loads(done.stdout)
    assert pick(row, "agent", "session", "files", "why") == (
        "claude-code",
        SESSION,
        1,
        f"started in {clone.path}",
    )
    assert "Claude Code" in run("doctor", clone.path).stdout


def test_doctor_shows_agents_and_what_cannot_be_read(clone: Clone, home: Path) -> None:
    keep_work(clone)
    (home / ".codeium" / "windsurf" / "cascade").mkdir(parents=True)
    rows = {row["agent"]: row for row in run_json("doctor")}
    assert rows["claude-code"]["files"] == 1 and rows["claude-code"]["oldest"].startswith(
        "2026-03-02"
    )
    assert "30 days" in rows["claude-code"]["note"]
    assert "cannot be read" in rows["windsurf"]["note"]
    shown = run("doctor").stdout
    assert "Claude Code" in shown and "Windsurf" in shown


def test_the_commands_choose_what_is_read(clone: Clone, tmp_path: Path, db: Path) -> None:
    keep_work(clone)
    analyse(clone.path, db)
    for number, choice in enumerate(("auto", "never")):
        shown = run("repo", clone.path, "--local", choice, db=tmp_path / f"{number}.db")
        assert (shown.exit_code, "no sign of an agent" in shown.stdout) == (0, choice == "never")


def test_sessions_without_a_repository_are_read_alone(
    clone: Clone, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    copy = tmp_path / "copy"
    layouts.claude_code(copy, work(clone))
    layouts.codex(copy, short(clone, "0197f3a1-5d2c-7b4e-8f60-bbbbbbbbbbbb"))
    run("repo", "--transcripts", copy, db=db)
    with Store(db) as store:
        assert not broken_checks(store)
        assert store.value("SELECT COUNT(*) FROM sessions") == 2
        assert store.value("SELECT COUNT(*) FROM session_features WHERE edit_calls > 0") == 2
        assert store.value("SELECT COUNT(*) FROM regions") > 0
        assert store.rows("SELECT DISTINCT outcome FROM edits") == [{"outcome": "applied"}]
    run("repo", "--transcripts", copy, db=db)
    run("repo", code=2)


def test_a_directory_without_sessions_is_an_answer(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    run("repo", "--transcripts", tmp_path / "empty", code=2, db=db)
