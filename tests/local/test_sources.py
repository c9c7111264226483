"""What is special about the places of single agents."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from support import local_layouts as layouts
from support import local_stores as stores
from support import local_threads as threads
from support.answers import analysed_store, pick
from support.local_clone import AgentSession, Clone

from collector import agents
from collector.agents import readers
from collector.agents.gemini_cli import folded
from collector.agents.machine import files
from collector.agents.machine.databases import DatabaseUnreadable, copied
from collector.agents.machine.editors import path_of
from collector.agents.machine.model import LocalSession, Machine
from collector.agents.machine.model import Store as SessionStore
from collector.agents.machine.zstd import decompressed
from collector.git.repository import GitRepo
from collector.json_values import get_str
from collector.local import find_sessions, load
from collector.local.model import LocalChoice, LocalOptions
from collector.model import Session
from collector.session_graph import copied_events, event_keys, without_copied
from collector.vocabulary.agents import agents as known_agents

ONE = "0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f"
TWO = "0197f3a1-5d2c-7b4e-8f60-aaaaaaaaaaaa"


@pytest.fixture
def clone(home: Path) -> Clone:
    return Clone(home / "work" / "tally")


def session(clone: Clone, id: str = ONE) -> AgentSession:
    made = clone.session(id, prompt="Add a file")
    made.write(f"src/{id[-4:]}.py", f"value = '{id}'\n")
    return made


def found(clone: Clone) -> dict[str, LocalSession]:
    return dict(find_sessions(GitRepo(clone.path), LocalOptions(LocalChoice.ALWAYS)).sessions)


def read(one: LocalSession) -> Session:
    reader = next(reader for reader in readers() if one.agent == reader.NAME)
    return reader.read(one.id, load(one))


@pytest.mark.parametrize("store", agents.stores(), ids=lambda store: store.name)
def test_each_store_names_an_agent_and_its_reader(store: SessionStore) -> None:
    assert store.agent in {agent.slug for agent in known_agents()} & {
        reader.NAME for reader in readers()
    }


# --- Codex ----------------------------------------------------------------------------------------


def test_a_variable_says_where_an_agent_keeps_its_sessions(
    clone: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layouts.codex(tmp_path, session(clone))
    assert found(clone) == {}
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / ".codex"))
    monkeypatch.setattr(
        Machine,
        "here",
        lambda: Machine(tmp_path / "nobody", {"CODEX_HOME": str(tmp_path / ".codex")}),
    )
    assert list(found(clone)) == [ONE]


def test_a_compressed_session_is_read_unless_it_is_there_plain(clone: Clone, home: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    path = layouts.codex(home, session(clone))
    plain = path.read_bytes()
    with arrow.CompressedOutputStream(str(path) + ".zst", "zstd") as file:
        file.write(plain)
    assert [one.files for one in found(clone).values()] == [(path,)]
    path.unlink()
    (one,) = found(clone).values()
    assert one.files[0].suffix == ".zst" and list(load(one)) == [plain]
    assert [edit.path for call in read(one).calls for edit in call.edits] == [
        f"{clone.path}/src/5e6f.py"
    ]
    assert decompressed(one.files[0].read_bytes(), 100) == plain[:100]


def test_a_damaged_compressed_session_costs_no_other(clone: Clone, home: Path) -> None:
    layouts.codex(home, session(clone))
    damaged = layouts.codex(home, session(clone, TWO))
    packed = damaged.rename(damaged.with_name(f"{damaged.name}.zst"))
    local = find_sessions(GitRepo(clone.path), LocalOptions(LocalChoice.ALWAYS))
    assert list(local.sessions) == [ONE]
    (problem,) = local.problems
    assert (problem.code, problem.subject) == (
        "local_file_unreadable",
        "codex",
    ) and problem.detail.startswith(f"{packed}: ")


def test_an_archived_session_is_found(clone: Clone, home: Path) -> None:
    path = layouts.codex(home, session(clone))
    archived = home / ".codex" / "archived_sessions" / path.name
    archived.parent.mkdir()
    path.rename(archived)
    assert [one.files for one in found(clone).values()] == [(archived,)]


def test_a_codex_subagent_is_read_with_its_parent(clone: Clone, home: Path) -> None:
    main = layouts.codex(home, session(clone))
    spawned = {"source": {"subagent": {"thread_spawn": {"parent_thread_id": ONE}}}}
    child = session(clone, TWO)
    path = main.with_name(f"rollout-2026-03-02T09-05-00-{TWO}.jsonl")
    layouts.put_lines(path, layouts.codex_records(child, **spawned), child.ended)
    (one,) = found(clone).values()
    assert one.files == (main, path)
    assert [call.agent_id for call in read(one).calls] == ["", TWO]


def test_another_repositorys_session_is_read_once_and_then_only_its_beginning(
    clone: Clone, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Clone(home / "elsewhere" / "other")
    for number in range(5):
        path = layouts.codex(home, session(other, f"{ONE[:-1]}{number}"))
        with path.open("a") as file:
            file.write("x" * 1_000_000)
    sizes: list[int] = []
    whole = files._read

    def noted(path: Path, size: int | None) -> bytes:
        data = whole(path, size)
        sizes.append(len(data))
        return data

    monkeypatch.setattr(files, "_read", noted)
    monkeypatch.setenv("WHOWROTE_SESSIONS", str(home / "sessions.db"))
    assert found(clone) == {}
    sizes.clear()
    assert found(clone) == {}
    # once for the clone's worktrees, once for all other places
    assert sum(sizes) <= 5 * (2 * 8_000 + files.HEAD)


# --- Gemini CLI -----------------------------------------------------------------------------------


def test_the_last_form_of_a_message_counts() -> None:
    records = [
        {"sessionId": "s", "kind": "main"},
        {"id": "1", "type": "user", "content": "Do it"},
        {"id": "2", "type": "gemini", "content": "first"},
        {"id": "2", "type": "gemini", "content": "second", "toolCalls": [{"id": "c"}]},
        {"$set": {"summary": "done"}},
        {"$rewindTo": "1"},
        {
            "$set": {
                "messages": [
                    {"id": "1", "type": "user", "content": "Do it"},
                    {"id": "3", "type": "gemini", "content": "third"},
                ]
            }
        },
    ]
    document = folded(records)
    assert pick(document, "sessionId", "summary") == ("s", "done")
    assert [get_str(message, "content") for message in document["messages"]] == [
        "Do it",
        "second",
        "third",
    ]


# --- files that cannot be read --------------------------------------------------------------------


@pytest.mark.parametrize(
    "layout",
    [layouts.claude_code, layouts.codex, layouts.pi, layouts.gemini_cli, layouts.copilot_cli],
)
@pytest.mark.parametrize(
    "inside", [True, False], ids=["in the clone", "in a directory that is gone"]
)
def test_a_file_that_cannot_be_read_is_named_and_costs_no_other(
    layout: Callable[[Path, AgentSession], Path],
    inside: bool,
    clone: Clone,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layout(home, session(clone))
    lost = layout(home, session(clone if inside else Clone(home / "gone" / "other"), f"b{TWO[1:]}"))
    shutil.rmtree(home / "gone", ignore_errors=True)
    whole = files._read

    def failing(path: Path, size: int | None) -> bytes:
        if path == lost:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return whole(path, size)

    monkeypatch.setattr(files, "_read", failing)
    local = find_sessions(GitRepo(clone.path), LocalOptions(LocalChoice.ALWAYS))
    assert ONE in local.sessions
    assert [(one.code, one.detail.startswith(f"{lost}: ")) for one in local.problems] == [
        ("local_file_unreadable", True)
    ]


# --- databases ------------------------------------------------------------------------------------


def test_a_database_in_use_is_copied_with_its_log_and_left_alone(clone: Clone, home: Path) -> None:
    path = layouts.opencode(home, session(clone))
    before = {
        file.name: (file.stat().st_size, file.stat().st_mtime_ns) for file in path.parent.iterdir()
    }
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    with pytest.raises(sqlite3.OperationalError):  # all that it holds is still in the log
        connection.execute("SELECT COUNT(*) FROM part")
    connection.close()
    (one,) = found(clone).values()
    assert len(read(one).calls) == 1
    assert {
        file.name: (file.stat().st_size, file.stat().st_mtime_ns) for file in path.parent.iterdir()
    } == before


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path, db: Path) -> None:
    with copied(db) as database:
        assert database.columns("session") == frozenset()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database_is_a_problem(clone: Clone, home: Path) -> None:
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    layouts.put_text(
        path, "no database at all, but long enough to be taken for one" * 9, clone.clock
    )
    with pytest.raises(DatabaseUnreadable), copied(path) as database:
        database.rows("SELECT 1 FROM session")
    problems = find_sessions(GitRepo(clone.path), LocalOptions(LocalChoice.ALWAYS)).problems
    assert [(problem.code, problem.subject) for problem in problems] == [
        ("local_place_unreadable", "opencode")
    ]


def test_a_database_that_cannot_be_read_is_a_problem_when_nothing_else_was_found(
    clone: Clone, home: Path, db: Path
) -> None:
    path = home / ".local" / "share" / "kilo" / "kilo.db"
    layouts.put_text(
        path, "no database at all, but long enough to be taken for one" * 9, clone.clock
    )
    clone.person("a.py", "a = 1\n")
    clone.commit("Start")
    with analysed_store(clone.path, db) as store:
        (problem,) = store.rows("SELECT code, subject, detail FROM problems")
    assert pick(problem, "code", "subject") == ("local_place_unreadable", "kilo-code")
    assert "kilo.db" in problem["detail"]


def test_an_index_on_an_expression_keeps_no_session_from_being_read(
    clone: Clone, home: Path
) -> None:
    path = threads.kilo_cli(home, session(clone))
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE INDEX recall_message_role_idx ON message (json_extract(data, '$.role'))"
        )
    connection.close()
    (one,) = found(clone).values()
    assert [edit.path for call in read(one).calls for edit in call.edits] == [
        f"{clone.path}/src/5e6f.py"
    ]


def test_a_view_of_a_foreign_database_runs_nothing(db: Path) -> None:
    with sqlite3.connect(db) as connection:
        connection.execute("CREATE VIEW session AS SELECT load_extension('evil') AS id")
    connection.close()
    with (
        copied(db) as database,
        pytest.raises(DatabaseUnreadable, match="unsafe use"),
    ):
        database.rows("SELECT id FROM session")


def test_bytes_where_text_should_be_cost_no_session(clone: Clone, home: Path) -> None:
    path = layouts.opencode(home, session(clone))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE session SET title = ?", (b"\xff\x00",))
    connection.close()
    (one,) = found(clone).values()
    assert len(read(one).calls) == 1


# --- Pi -------------------------------------------------------------------------------------------


def test_a_fork_of_pi_repeats_its_origin(clone: Clone, home: Path) -> None:
    path = layouts.pi(home, session(clone))
    first, *rest = path.read_text("utf-8").splitlines(keepends=True)
    header = json.loads(first) | {"id": TWO, "parentSession": str(path)}
    fork = layouts.put_text(
        path.with_name(f"2026-03-02T10-00-00-000Z_{TWO}.jsonl"),
        json.dumps(header) + "\n" + "".join(rest),
        1.8e9,
    )
    origin, copy = (read(session) for _, session in sorted(found(clone).items()))
    copied = copied_events({one.id: event_keys(one) for one in (origin, copy)})
    assert (len(origin.calls), without_copied(copy, copied[copy.id]).calls, fork.exists()) == (
        1,
        (),
        True,
    )


# --- Antigravity ----------------------------------------------------------------------------------


def test_the_list_of_workspaces_says_whose_an_antigravity_session_is(
    clone: Clone, home: Path
) -> None:
    made = clone.session(ONE, prompt="Only talk")
    made.say("Well.")
    layouts.antigravity(home, made)
    assert found(clone) == {}
    workspaces = {ONE: {"WorkspaceURIs": [clone.path.as_uri()]}}
    layouts.put_text(
        home / ".gemini" / "antigravity-cli" / "cache" / "conversation_metadata.json",
        json.dumps(workspaces),
        1.8e9,
    )
    assert list(found(clone)) == [ONE]


@pytest.mark.parametrize("uri", ["file://[", "file:///%ff", "file:", "[]"])
def test_a_workspace_without_a_usable_address_costs_nobody_else_s_session(
    clone: Clone, home: Path, uri: str
) -> None:
    layouts.antigravity(home, session(clone))
    workspaces = {
        ONE: {"WorkspaceURIs": [clone.path.as_uri()]},
        TWO: {"WorkspaceURIs": [uri], "workspace": uri},
    }
    layouts.put_text(
        home / ".gemini" / "antigravity-cli" / "cache" / "conversation_metadata.json",
        json.dumps(workspaces),
        1.8e9,
    )
    assert list(found(clone)) == [ONE]


# --- VS Code --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/ana/a%20b.py", "/home/ana/a b.py"),
        ("vscode-remote://wsl%2Bubuntu/home/ana", "/home/ana"),
        ({"scheme": "file", "path": "/c:/shop/x"}, "c:/shop/x"),
        ("untitled:Untitled-1", ""),
        (7, ""),
    ],
)
def test_paths_of_addresses(uri: object, path: str) -> None:
    assert path_of(uri) == path


# --- Cursor ---------------------------------------------------------------------------------------


def test_a_session_of_cursor_belongs_when_it_names_the_clone(home: Path) -> None:
    mine, other = Clone(home / "work" / "a-b"), Clone(home / "work" / "a_b")
    layouts.cursor(home, session(mine, ONE))
    layouts.cursor(home, session(other, TWO))
    assert list(found(mine)) == [ONE] and list(found(other)) == [TWO]


# --- Cline ----------------------------------------------------------------------------------------


def test_a_task_that_no_list_names_says_where_it_is_in_its_first_message(
    clone: Clone, home: Path
) -> None:
    path = stores.cline(home, session(clone))
    (path.parents[2] / "state" / "taskHistory.json").unlink()
    assert found(clone) == {}
    messages = json.loads(path.read_text("utf-8"))
    details = (
        f"<environment_details>\n# Current Working Directory ({clone.path})"
        " Files\nREADME.md\n</environment_details>"
    )
    messages[0]["content"].append({"type": "text", "text": details})
    layouts.put_text(path, json.dumps(messages), 1.8e9)
    assert [one.cwd for one in found(clone).values()] == [str(clone.path)]


def test_messages_of_a_task_that_are_being_written_are_a_problem(clone: Clone, home: Path) -> None:
    path = stores.cline(home, session(clone))
    layouts.put_text(path, path.read_text("utf-8")[:-20], 1.8e9)
    (one,) = found(clone).values()
    with pytest.raises(ValueError):
        list(load(one))


# --- Crush ----------------------------------------------------------------------------------------


def test_a_database_in_a_worktree_holds_sessions_of_that_worktree(clone: Clone, home: Path) -> None:
    stores.crush(home, session(clone))
    other = Clone(home / "work" / "other")
    assert found(other) == {}
    database = clone.path / ".crush"
    database.rename(other.path / ".crush")  # it came with the files of somebody else
    assert found(other) == found(clone) == {}


def test_what_a_write_replaced_is_in_the_versions_of_its_file(clone: Clone, home: Path) -> None:
    made = clone.session(ONE, prompt="Add a file")
    made.write("a.py", "one = 1\n")
    clone.person_adds("a.py", "two = 2\n")
    made.write("a.py", "one = 1\nthree = 3\n")
    stores.crush(home, made)
    (one,) = found(clone).values()
    edits = [edit for call in read(one).calls for edit in call.edits]
    assert [(edit.before, edit.before_known, edit.after) for edit in edits] == [
        (None, True, "one = 1\n"),
        ("one = 1\ntwo = 2\n", True, "one = 1\nthree = 3\n"),
    ]


# --- Kimi Code, Kilo Code -------------------------------------------------------------------------


def test_subagents_of_kimi_code_are_read_with_their_session(clone: Clone, home: Path) -> None:
    made = session(clone)
    made.write("src/b.py", "b = 1\n", agent="agent-1")
    threads.kimi_code(home, made)
    (one,) = found(clone).values()
    assert [path.parent.name for path in one.files] == ["main", "agent-1"]
    assert [call.agent_id for call in read(one).calls] == ["", "agent-1"]
    assert [turn.text for turn in read(one).turns] == ["Add a file"]  # each prompt once


def test_kilo_code_and_opencode_keep_to_their_own_databases(clone: Clone, home: Path) -> None:
    threads.kilo_cli(home, session(clone))
    layouts.opencode(home, session(clone, TWO))
    assert {key: (one.source, one.agent) for key, one in found(clone).items()} == {
        ONE: ("kilo-code", "kilo-code"),
        TWO: ("opencode", "opencode"),
    }
