"""Which directories are worktrees of a clone, however agents, git and people name them."""

from __future__ import annotations

import json
import os
import unicodedata
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support import local_layouts as layouts
from support import numbered_text, truth
from support.answers import analysed_store, pick
from support.builder import git
from support.commands import run, run_json
from support.local_clone import AgentSession, Clone, attributed
from support.local_writers import WRITERS, keep, short

from collector.agents.machine.model import LocalSession, Roots
from collector.git.repository import GitRepo
from collector.json_values import Texts
from collector.local import find_sessions
from collector.local.model import LocalChoice, LocalOptions
from collector.local.named_places import PlaceIndex
from collector.text import normal_path

ONE, TWO, THREE, FOUR = (f"0197f3a1-5d2c-7b4e-8f60-00000000000{number}" for number in range(1, 5))
TEXT = "def mean(rows):\n    return sum(rows) / len(rows)\n"


@pytest.fixture
def clone(home: Path) -> Clone:
    made = Clone(home / "work" / "tally")
    made.person("src/app.py", "import sys\n")
    made.commit("Start by hand")
    return made


def agent_lines(clone: Clone, db: Path, options: LocalOptions | None = None) -> tuple[int, int]:
    """(lines of agents that the program names, all of them)."""
    said, _ = truth.run(clone.path, db, options)
    return attributed(clone, said, "agent")


def found(clone: Clone, *former: str) -> Texts:
    """Session -> why it belongs."""
    options = LocalOptions(LocalChoice.ALWAYS, former_paths=former)
    return {
        key: session.why
        for key, session in find_sessions(GitRepo(clone.path), options).sessions.items()
    }


# --- how a path is written ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "C:\\Users\\ada\\tally",
        "c:/Users/ada/tally",
        "/mnt/c/Users/ada/tally",
        "/cygdrive/c/Users/ada/tally",
        "\\\\?\\C:\\Users\\ada\\tally",
    ],
)
def test_a_drive_has_one_spelling(path: str) -> None:
    assert normal_path(path) == "/c/Users/ada/tally"
    assert Roots.of_paths(["C:\\Users\\ada\\tally"]).of(path) == "/c/users/ada/tally"


@pytest.mark.parametrize(
    "path",
    [
        "\\\\wsl$\\Ubuntu\\home\\ada",
        "\\\\wsl.localhost\\Ubuntu-24.04\\home\\ada",
        "//WSL$/Debian/home/ada",
    ],
)
def test_files_of_linux_that_windows_sees_are_files_of_linux(path: str) -> None:
    assert normal_path(path) == "/home/ada"


@pytest.mark.parametrize(
    "path", ["/mnt/data/tally", "/mnt", "//server/share/x", "src/C:x", "/home/c/x", "wsl$/x"]
)
def test_other_paths_stay(path: str) -> None:
    assert normal_path(path) == path.replace("//", "/")


def _on_windows(clone: Clone, home: Path, spelled: str, writer: str) -> None:
    """A session as it is recorded where the clone is named in another way."""
    session = clone.session("0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f", prompt="Add a mean")
    session.write("src/mean.py", TEXT)
    session.commit("Add mean")
    path = (layouts.claude_code if writer == "claude" else layouts.codex)(home, session)
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    text = "".join(
        json.dumps(_respell(record, str(clone.path), spelled)) + "\n" for record in records
    )
    target = path.parents[1] / layouts.slug(spelled) / path.name if writer == "claude" else path
    path.unlink()
    layouts.put_text(target, text, session.ended)


def _respell(value: object, old: str, new: str) -> object:
    """A value of JSON with a directory under another name, also where text of JSON stands in it."""
    if isinstance(value, dict):
        return {key.replace(old, new): _respell(inner, old, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_respell(inner, old, new) for inner in value]
    if isinstance(value, str) and value.startswith("{"):
        return json.dumps(_respell(json.loads(value), old, new))
    return value.replace(old, new) if isinstance(value, str) else value


@pytest.mark.parametrize("writer", ["claude", "codex"])
@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ("C:\\Users\\ada\\tally", "C:\\Users\\ada\\tally"),
        ("C:\\Users\\ada\\tally", "/mnt/c/Users/ada/tally"),
        ("/mnt/c/Users/ada/tally", "c:\\Users\\Ada\\Tally"),
        ("\\\\wsl$\\Ubuntu\\srv\\tally", "\\\\wsl.localhost\\Ubuntu\\srv\\tally"),
    ],
)
def test_a_clone_of_windows_is_found_in_a_copy(
    clone: Clone, tmp_path: Path, db: Path, recorded: str, said: str, writer: str
) -> None:
    _on_windows(clone, tmp_path / "copy", recorded, writer)
    options = LocalOptions(LocalChoice.ALWAYS, (tmp_path / "copy",), (said,))
    assert agent_lines(clone, db, options) == (2, 2)


@pytest.mark.parametrize(
    "name", ["/home/tal\0ly", "/home/\ud83d", "\0", "/" + "x" * 5000, "/home/tally/\0/../.."]
)
def test_a_directory_that_no_machine_can_have_is_no_worktree(name: str) -> None:
    assert Roots.of_paths(["/home/ada/tally"]).of(name) == ""


@pytest.mark.parametrize("name", ["\0", "\ud83d/b", "x" * 5000, "x/" * 3000])
def test_a_name_that_no_file_can_have_is_still_a_path_of_the_worktree(name: str) -> None:
    assert Roots.of_paths(["/home/ada/tally"]).of(f"/home/ada/tally/{name}") == "/home/ada/tally"


def test_a_decomposed_name_is_the_same_name(home: Path) -> None:
    made = Clone(home / "work" / "caf\u00e9")
    decomposed = unicodedata.normalize("NFD", str(made.path))
    session = short(made, "one", decomposed)
    keep(session)
    assert found(made) == {"one": f"started in {decomposed}"}


def test_a_clone_that_is_reached_through_a_link_is_the_same_clone(clone: Clone, home: Path) -> None:
    (home / "code").symlink_to(home / "work")
    layouts.codex(home, _idle(clone, str(home / "code" / "tally")))
    layouts.codex(home, _idle(clone, str(home / "code"), "0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e70"))
    assert list(found(clone).values()) == [f"started in {home}/code/tally"]


def _idle(
    clone: Clone, cwd: str, key: str = "0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f"
) -> AgentSession:
    session = clone.session(key, cwd, prompt="What is here?")
    return session


# --- sessions of other places ---------------------------------------------------------------------


def _away(clone: Clone, tree: Path, id: str, branch: str = "") -> AgentSession:
    """A session in a worktree elsewhere; the commit is merged there and back by fast-forward,
    and the worktree removed.
    """
    git(clone.path, "worktree", "add", "-q", "-b", branch or id, str(tree))
    session = clone.session(id, str(tree), prompt="Add a mean")
    session.write("src/mean.py", TEXT)
    session.commit("Add mean")
    git(clone.path, "worktree", "remove", "--force", str(tree))
    session.move(clone.path, tree)
    return session


REMOVED = {
    "conductor": "conductor/workspaces/tally/lima",
    "codex": ".codex/worktrees/1a2b/tally",
    "beside": "work/tally-mean",
    "deep": "trees/a/b/c/d",
}


@pytest.mark.parametrize("writer", ["claude-code", "codex", "pi", "copilot-cli", "qwen-code"])
@pytest.mark.parametrize("place", REMOVED)
def test_a_worktree_that_is_gone_is_found_by_the_commits_made_there(
    clone: Clone, home: Path, db: Path, place: str, writer: str
) -> None:
    keep(_away(clone, home / REMOVED[place], ONE), writer)
    assert agent_lines(clone, db) == (2, 2)
    assert [why.partition(" of ")[0] for why in found(clone).values()] == [
        f"made {list(clone.truth)[-1][:9]}"
    ]


def test_other_sessions_of_a_worktree_that_is_gone_belong_too(clone: Clone, home: Path) -> None:
    tree = home / "conductor" / "workspaces" / "tally" / "lima"
    keep(_away(clone, tree, ONE))
    layouts.codex(home, _idle(clone, str(tree / "src"), TWO))
    layouts.codex(home, _idle(clone, str(tree.parent / "oslo"), THREE))
    assert set(found(clone)) == {ONE, TWO}


def test_a_worktree_that_is_gone_is_found_by_its_remote_or_by_what_the_agent_noted(
    clone: Clone, home: Path
) -> None:
    git(clone.path, "remote", "add", "upstream", "git@github.com:ada/tally.git")
    for key, url in (
        (ONE, "https://github.com/Ada/Tally"),
        (TWO, "https://github.com/ada/tally-2.git"),
    ):
        session = _idle(clone, f"/gone/{key}", key)
        records = list(layouts.codex_records(session, git={"repository_url": url, "branch": "x"}))
        layouts.put_lines(
            home / ".codex/sessions/2026/03/02" / f"rollout-x-{key}.jsonl", records, session.ended
        )
    state = {
        "type": "worktree-state",
        "worktreeSession": {"originalCwd": str(clone.path), "worktreePath": "/gone/too"},
    }
    for key, told in ((THREE, state), (FOUR, {"type": "mode"})):
        path = keep(_idle(clone, "/gone/too/" + key, key))
        layouts.put_text(
            path,
            json.dumps({**told, "sessionId": key}) + "\n" + path.read_text("utf-8"),
            clone.clock,
        )
    assert set(found(clone)) == {ONE, THREE}


def test_where_a_session_began_tells_whose_a_directory_was_that_is_gone(
    clone: Clone, home: Path
) -> None:
    head = next(iter(clone.truth))
    for key, oid in ((ONE, head), (TWO, head[::-1])):
        session = _idle(clone, f"/gone/{key}", key)
        records = list(layouts.codex_records(session, git={"commit_hash": oid, "branch": "x"}))
        layouts.put_lines(
            home / ".codex/sessions/2026/03/02" / f"rollout-x-{key}.jsonl", records, session.ended
        )
    assert found(clone) == {ONE: f"began at {head[:9]} of this clone, in /gone/{ONE}"}


def test_the_beginning_is_read_where_no_other_word_speaks_of_a_commit(
    clone: Clone, home: Path
) -> None:
    head = next(iter(clone.truth))
    session = clone.session(ONE, "/gone/tally", prompt="Wait")
    path = layouts.copilot_cli(home, session)
    started = path.read_text("utf-8").replace('"branch": "main"', f'"headCommit": "{head}"')
    assert "commit" not in started.replace(head, "")
    layouts.put_text(path, started, clone.clock)
    assert found(clone) == {ONE: f"began at {head[:9]} of this clone, in /gone/tally"}


@pytest.mark.parametrize(
    "output",
    [
        "{short} Add mean",
        "{short} (HEAD -> main) Add mean",
        "{whole}",
        "commit {whole}\n\n    Add mean",
    ],
)
def test_a_quiet_commit_is_shown_by_what_git_prints_next(clone: Clone, output: str) -> None:
    clone.person("src/mean.py", TEXT)
    session = clone.session(ONE, "/gone/tally", prompt="Commit it")
    sha = clone.commit("Add mean")
    session.shell(
        "git commit -qam 'Add mean' && git log -1", output.format(short=sha[:7], whole=sha)
    )
    keep(session)
    assert found(clone) == {
        ONE: f"showed what was made meanwhile, {sha[:9]} of this clone, in /gone/tally"
    }


LONG = numbered_text(8, "def step_{n}(rows):\n    return [row.step_{n} for row in rows]\n")
OTHER = LONG.replace("step", "phase").replace("rows", "columns")


def _writes(clone: Clone, place: str, text: str, heredoc: bool = False) -> AgentSession:
    """A session in another directory that writes a file, which the clone gets from there without
    a commit of the session.
    """
    session = clone.session(ONE, place, prompt="Write the steps")
    if heredoc:
        session.shell(f"cd {place} && cat > src/steps.py <<'EOF'\n{text}EOF")
    else:
        session.write("src/steps.py", text)
        session.move(clone.path, place)
    clone.put("src/steps.py", LONG, "agent")
    clone.wait(300)
    clone.commit("Add steps")
    return session


@pytest.mark.parametrize("heredoc", [False, True])
@pytest.mark.parametrize(
    "writer", ["claude-code", "codex", "pi", "gemini-cli", "copilot-cli", "qwen-code"]
)
def test_a_worktree_that_is_gone_is_found_by_what_was_written_there(
    clone: Clone, db: Path, writer: str, heredoc: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(_writes(clone, "/gone/tally-steps", LONG, heredoc), writer)
    belongs = {ONE: "wrote 16 lines of this clone's files, in /gone/tally-steps"}
    assert found(clone) == belongs
    monkeypatch.delattr("collector.local.elsewhere.readers")  # it is read once for what it wrote
    assert found(clone) == belongs
    assert agent_lines(clone, db) == (16, 16)


@pytest.mark.parametrize("days", [0, 30])
@pytest.mark.parametrize("writer", ["claude-code", "codex", "gemini-cli", "copilot-cli"])
def test_what_was_written_counts_where_a_commit_of_that_time_has_it(
    clone: Clone, writer: str, days: int
) -> None:
    """Most of it was taken back later; in commits of another month it may be anybody's."""
    session = clone.session(ONE, "/gone/tally", prompt="Write the steps and the phases")
    for name, text in (("steps", LONG), ("phases", OTHER + OTHER.replace("phase", "stage"))):
        session.write(f"src/{name}.py", text)
        clone.put(f"src/{name}.py", text, "agent")
    session.move(clone.path, session.cwd, earlier=days * 86_400)
    clone.commit("Add steps and phases")
    clone.put("src/phases.py", "PHASES = []\n", "human")
    clone.wait(86_400)
    clone.commit("Do without phases")
    keep(session, writer)
    assert found(clone) == (
        {} if days else {ONE: "wrote 48 lines of this clone's files, in /gone/tally"}
    )


def test_a_project_of_gemini_is_known_by_its_logs_where_nothing_else_names_it(
    clone: Clone, home: Path
) -> None:
    for key, cwd in ((ONE, clone.path), (TWO, home / "work" / "another")):
        layouts.gemini_cli(home, _idle(clone, str(cwd), key)).parent.with_name(
            ".project_root"
        ).unlink()
    assert found(clone) == {ONE: f"kept for {clone.path}"}


def test_a_session_of_gemini_that_goes_on_in_another_file_is_one(
    clone: Clone, home: Path, db: Path
) -> None:
    session = clone.session(ONE, prompt="Add a mean")
    session.write("src/mean.py", TEXT)
    clone.commit("Add mean")
    path = layouts.gemini_cli(home, session)
    head = path.read_text("utf-8").partition("\n")[0] + "\n"
    for name in ("session-2026-03-02T08-00-empty.jsonl", "session-2026-03-02T10-00-empty.jsonl"):
        layouts.put_text(path.with_name(name), head + '{"$set": {"messages": []}}\n', clone.clock)
    assert agent_lines(clone, db) == (2, 2)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_of_an_old_gemini_is_read_however_it_is_laid_out(
    clone: Clone, home: Path, db: Path, indent: int | None
) -> None:
    session = clone.session(ONE, prompt="Add a mean")
    session.write("src/mean.py", TEXT)
    clone.put("src/mean.py", TEXT, "agent")
    clone.commit("Add mean")
    log = layouts.gemini_cli(home, session)
    head, *records = map(json.loads, log.read_text("utf-8").splitlines())
    messages = {record["id"]: record for record in records if "id" in record}
    document = json.dumps({**head, "messages": list(messages.values())}, indent=indent)
    layouts.put_text(log.with_suffix(".json"), document, clone.clock)
    log.unlink()
    assert agent_lines(clone, db) == (2, 2)


@pytest.mark.parametrize(
    "kind", ["other text", "a small part", "few lines", "another file", "still there"]
)
def test_a_session_that_wrote_other_things_is_of_no_worktree(
    clone: Clone, home: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {
        "other text": OTHER,
        "a small part": LONG[:400] + OTHER + OTHER.replace("phase", "stage"),
        "few lines": LONG[:200],
    }
    place = home / "elsewhere" if kind == "still there" else Path("/gone/tally-steps")
    if kind == "still there":
        Clone(place)
    session = _writes(clone, str(place), texts.get(kind, LONG))
    if kind == "another file":
        session.move("steps.py", "other.py")
    keep(session)
    assert found(clone) == {}
    with monkeypatch.context() as patch:  # it is read once for what it wrote
        patch.delattr("collector.local.elsewhere.readers")
        assert found(clone) == {}
    clone.person("src/steps.py", OTHER)
    clone.commit("Add other steps")
    assert bool(found(clone)) == (OTHER in texts.get(kind, ""))


def test_a_session_in_another_clone_belongs_when_it_made_commits_of_this_one(
    clone: Clone, home: Path
) -> None:
    second = home / "second"
    git(home, "clone", "-q", str(clone.path), str(second))
    session = clone.session(ONE, str(second), prompt="Add a mean")
    session.write("src/mean.py", TEXT)
    session.commit("Add mean")
    layouts.codex(
        home, replace(session, actions=[one for one in session.actions if one.kind != "write"])
    )
    layouts.codex(home, _idle(clone, str(second), TWO))
    assert set(found(clone)) == {ONE}


@pytest.mark.parametrize("writer", ["claude-code", "codex", "gemini-cli"])
@pytest.mark.parametrize("text", [LONG, TEXT])
def test_a_session_in_another_clone_belongs_when_this_one_has_what_it_wrote(
    clone: Clone, home: Path, db: Path, writer: str, text: str
) -> None:
    """A person committed it there, and pulled it here; two lines may stand in any file."""
    second = home / "second"
    git(home, "clone", "-q", str(clone.path), str(second))
    session = clone.session(ONE, str(second), prompt="Write the steps")
    session.write("src/steps.py", text)
    session.move(clone.path, second)
    clone.commit("Add steps")
    keep(session, writer)
    assert found(clone) == (
        {ONE: f"wrote 16 lines of this clone's files, in {second}"} if text == LONG else {}
    )
    if text == LONG:
        assert agent_lines(clone, db) == (16, 16)


@pytest.mark.parametrize("writer", ["claude-code", "codex"])
@pytest.mark.parametrize("of", ["this clone", "another", "nothing", "damaged"])
def test_a_workspace_of_jj_is_a_place_of_the_clone_that_it_names(
    clone: Clone, home: Path, db: Path, of: str, writer: str
) -> None:
    place = home / "work" / "tally-mean"
    (place / ".jj").mkdir(parents=True)
    named = {
        "this clone": "../../tally/.jj/repo",
        "another": "../../other/.jj/repo",
        "damaged": "\0",
    }
    if of in named:
        (place / ".jj" / "repo").write_text(named[of])
    session = clone.session(ONE, str(place), prompt="Add a mean")
    session.write("src/mean.py", TEXT)
    session.move(clone.path, place)
    clone.commit("Add mean")
    keep(session, writer)
    assert found(clone) == (
        {ONE: f"worked in {place}, a workspace of jj"} if of == "this clone" else {}
    )
    if of == "this clone":
        assert agent_lines(clone, db) == (2, 2)


@pytest.mark.parametrize(
    ("named", "writer"),
    [
        ("a path", "claude-code"),
        ("a path", "opencode"),
        ("a path", "opencode-files"),
        ("a path through a link", "claude-code"),
        ("a command", "claude-code"),
        ("a command", "codex"),
    ],
)
def test_a_session_that_began_in_another_repository_belongs_where_its_calls_name_this_clone(
    clone: Clone, home: Path, db: Path, named: str, writer: str
) -> None:
    other, linked = Clone(home / "work" / "other"), home / "linked"
    linked.symlink_to(clone.path)
    session = clone.session(ONE, str(other.path), prompt="Add a mean")
    session.write("src/mean.py", TEXT)
    session.say("Done.")
    clone.commit("Add mean")
    if named == "a path through a link":
        path = str(linked / "src" / "mean.py")
        session.actions[1] = replace(session.actions[1], path=path)
    elif named == "a command":
        command = f"cd {clone.path} && cat > src/mean.py <<'E'\n{TEXT}E\n"
        session.actions[1] = replace(session.actions[1], kind="shell", text=command, path="")
    keep(session, writer)
    assert found(clone) == {ONE: f"worked in {clone.path}, started in {other.path}"}
    assert agent_lines(clone, db) == (2, 2)


@pytest.mark.parametrize("writer", ["claude-code", "gemini-cli", "opencode"])
def test_a_session_that_began_above_belongs_where_its_command_goes_down_to_this_clone(
    clone: Clone, db: Path, writer: str
) -> None:
    session = clone.session(ONE, str(clone.path.parent), prompt="Add a mean")
    session.write("src/mean.py", TEXT)
    session.say("Done.")
    clone.commit("Add mean")
    command = f"cd {clone.path.name} && cat > src/mean.py <<'E'\n{TEXT}E\n"
    session.actions[1] = replace(session.actions[1], kind="shell", text=command, path="")
    keep(session, writer)
    assert list(found(clone)) == [ONE]
    assert agent_lines(clone, db) == (2, 2)


def test_a_session_that_opencode_copied_into_its_database_is_read_from_there(clone: Clone) -> None:
    """Its files stay as they were, and are no second session."""
    for writer in ("opencode-files", "opencode"):
        keep(short(clone, ONE), writer)
    result = find_sessions(GitRepo(clone.path), LocalOptions(LocalChoice.ALWAYS))
    assert [session.source for session in result.sessions.values()] == ["opencode"]


def test_a_database_of_sessions_elsewhere_is_no_problem(clone: Clone, home: Path) -> None:
    other = Clone(home / "work" / "other")
    session = other.session(ONE, prompt=f"Do it as in {clone.path}/src/app.py")
    session.write("k.py", TEXT)
    keep(session, "opencode")
    result = find_sessions(GitRepo(clone.path), LocalOptions(LocalChoice.ALWAYS))
    assert (result.sessions, result.problems) == ({}, ())


@pytest.mark.parametrize(
    "record",
    [
        '{"cwd": "/home/ada/site.com"}',
        '{"command": "cd ../site.com && ls"}',
        '{"command": "cd \\"../site.com\\" && ls"}',
        '{"command": "git -C ../site.com"}',
        '{"command": "pushd ../site.com > /dev/null; ls"}',
        '{"command": "set-location -LiteralPath \'..\\\\site.com\'; ls"}',
        '{"file_path": "/home/ada/site.com/a b.py"}',
        '{"arguments": "{\\"workdir\\":\\"/home/ada/site.com\\"}"}',
        '{"command": "cd /home/ada/site.com && ls"}',
        '{"command": "x\\n/home/ada/site.com/run.sh"}',
        '{"input": "*** Add File: ../site.com/b.py\\n+x"}',
    ],
)
def test_directories_are_found_however_records_name_them(record: str) -> None:
    session = LocalSession("s", (Path("/none"),), "", cwd="/home/ada/other", agent="codex")
    named = PlaceIndex().of(session, lambda: [record.encode()])
    assert "/home/ada/site.com" in named.directories


def test_a_long_run_of_backslashes_costs_little() -> None:
    session = LocalSession("s", (Path("/none"),), "", cwd="/home/ada", agent="codex")
    record = b"cd " + b"\\" * 100_000 + b" cd a" + b"\\" * 100_000 + b"x"
    assert PlaceIndex().of(session, lambda: [record]).made == ()


def test_what_a_session_names_is_kept_once_it_could_be_read(home: Path, tmp_path: Path) -> None:
    """A session whose directory is gone is not read again by every run."""
    session = LocalSession("s", (tmp_path / "s",), "", cwd="/home/ada", stamp="1", agent="codex")
    record = b'{"cwd": "/home/ada/tally", "commit_hash": "' + b"c" * 40 + b'"}'
    named = []
    for parts in ([], [record], []):
        with closing(PlaceIndex()) as index:
            named.append(index.of(session, partial(list, parts)))
    assert [("/home/ada/tally" in places.directories) for places in named] == [False, True, True]
    assert named[1] == named[2] and named[2].began_at == ("c" * 40,)


def test_no_secret_is_kept_of_what_a_session_names(home: Path, tmp_path: Path) -> None:
    secret = "sk-" + "ant-api03-" + "aB3dE5gH7j" * 9
    record = (
        f'{{"git_origin_url": "https://ada:{secret}@example.org/tally.git"}}\n'
        f'{{"text": "0123456 {secret} is the key", "html": "<b>{secret}</b>"}}'
    )
    session = LocalSession("s", (tmp_path / "s",), "", cwd="/home/ada", stamp="1", agent="codex")
    named = PlaceIndex().of(session, lambda: [record.encode()])
    assert secret not in repr(named)
    assert named.remotes == ("example.org/tally",) and named.shown[0][0] == "0123456"


def test_codex_files_are_read_whatever_they_are_called(clone: Clone, home: Path) -> None:
    path = layouts.codex(home, _idle(clone, str(clone.path), ONE))
    path.rename(path.with_name("kept.jsonl"))
    assert list(found(clone)) == [ONE]


def test_a_session_of_another_repository_that_only_speaks_of_this_clone_is_not_its(
    clone: Clone, home: Path
) -> None:
    other = Clone(home / "work" / "other")
    session = other.session(ONE, prompt=f"Do it as in {clone.path}/src/app.py")
    session.write("k.py", TEXT)
    keep(session)
    assert found(clone) == {}


def test_a_session_is_found_whose_directory_is_named_after_a_link(clone: Clone, home: Path) -> None:
    linked = home / "linked"
    linked.symlink_to(clone.path)
    keep(_idle(clone, str(linked), ONE))
    assert list(found(clone)) == [ONE]


@pytest.mark.parametrize(
    "kind", ["unrelated", "vendored", "quoted", "other subject", "long before"]
)
def test_what_looks_like_a_worktree_is_none(clone: Clone, home: Path, kind: str) -> None:
    """A sibling repository, one inside, a session that only quotes an id, one in which another
    repository has the same id.
    """
    clone.person_adds("src/app.py", "import os\n")
    sha = clone.commit("Add nothing much")
    other = Clone(
        clone.path / "vendor" / "inner" if kind == "vendored" else home / "work" / "tally-2"
    )
    place = str(other.path) if kind in ("unrelated", "vendored") else "/gone/tally"
    session = other.session(ONE, place, prompt="Commit it")
    shown = "Add another thing" if kind == "other subject" else "Add nothing much"
    number = "0123abc" if kind in ("unrelated", "vendored") else sha[:7]
    output = f"see {sha[:5]}" if kind == "quoted" else f"[main {number}] {shown}\n 1 file changed"
    session.shell("git commit -qam x", output)
    if kind == "long before":
        session.actions = [replace(one, at=one.at - 90 * 86_400) for one in session.actions]
    keep(session)
    assert found(clone) == {}


def test_a_settings_file_of_git_names_the_worktree(clone: Clone, home: Path) -> None:
    """`core.worktree`, `extensions.worktreeConfig`, and links between worktrees that are
    relative.
    """
    tree, moved = home / "trees" / "side", home / "elsewhere"
    git(clone.path, "worktree", "add", "-q", "-b", "side", str(tree))
    common = clone.path / ".git"
    (common / "worktrees" / "side" / "gitdir").write_text(
        "../../../../../trees/side/.git\n", "utf-8"
    )
    (common / "config.worktree").write_text(f"[core]\n\tworktree = {moved}\n", "utf-8")
    assert {tree, moved, clone.path} <= set(GitRepo(clone.path).worktrees())


def test_a_submodule_that_is_edited_from_the_superproject(home: Path) -> None:
    source, project = Clone(home / "source"), Clone(home / "work" / "project")
    source.person("lib.py", "x = 1\n")
    source.commit("Start")
    git(
        project.path,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(source.path),
        "libs/tally",
    )
    inner = project.path / "libs" / "tally"
    assert inner in GitRepo(inner).worktrees()
    session = project.session(ONE, str(project.path), prompt="Change the submodule")
    session.write("libs/tally/mean.py", TEXT)
    for writer in ("claude-code", "codex"):
        WRITERS[writer](home / writer, session)
        options = LocalOptions(LocalChoice.ALWAYS, (home / writer,))
        assert list(find_sessions(GitRepo(inner), options).sessions) == [ONE], writer


def test_the_summary_and_doctor_say_how_many_sessions_were_elsewhere(
    clone: Clone, home: Path, db: Path
) -> None:
    tree = home / "conductor" / "lima"
    # as old as a copy of the home, it tells less than its own times of what its agent deleted
    os.utime(keep(_away(clone, tree, ONE)))
    keep(_idle(clone, str(clone.path), TWO))
    said = (
        "1 session elsewhere is read too, by commits, files or the remote of this clone:"
        f" {tree} (1)"
    )
    for again in (False, True):
        (report,) = run_json("repo", clone.path, db=db)
        assert report["unchanged"] is again
        (advice,) = [item for item in report["advice"] if "elsewhere" in item["what"]]
        assert pick(advice, "what", "command") == (
            said,
            f"whowrote repo {clone.path} --was-at DIR",
        )
    printed = run("doctor", clone.path).stdout  # a long path breaks the line
    assert "".join(said.split()) in "".join(printed.split())


@pytest.mark.parametrize("kind", ["on another branch", "of no file"])
@pytest.mark.parametrize("writer", ["claude-code", "codex", "gemini-cli", "pi"])
def test_a_session_whose_commit_is_linked_to_none_is_a_problem(
    clone: Clone, db: Path, writer: str, kind: str
) -> None:
    session = clone.session(ONE, prompt="Add a mean")
    if kind == "on another branch":
        git(clone.path, "switch", "-q", "-c", "side")
        session.write("src/mean.py", TEXT)
        session.commit("Add mean")
        git(clone.path, "switch", "-q", "main")
    else:
        session.shell("git commit -qm x --allow-empty", "[main 1234567] x")
    keep(session, writer)
    with analysed_store(clone.path, db) as store:
        rows = store.rows("SELECT subject, detail FROM problems WHERE code = 'session_unlinked'")
    wanted = f"made 1, first {list(clone.truth)[-1][:9]}: not on the attributed branch"
    assert [dict(row) for row in rows] == (
        [{"subject": ONE, "detail": wanted}] if kind == "on another branch" else []
    )


@pytest.mark.parametrize("layout", [layouts.opencode, layouts.copilot_cli, layouts.cursor])
def test_sessions_that_began_in_another_repository_are_found_whatever_keeps_them(
    clone: Clone, home: Path, layout: Any
) -> None:
    other = Clone(home / "work" / "other")
    other.person("k.py", "k = 1\n")
    other.commit("Start another one")
    session = other.session(ONE, prompt="Write it over there")
    session.write(f"{clone.path}/src/mean.py", TEXT)
    layout(home, session)
    assert [why.partition(",")[0] for why in found(clone).values()] == [f"worked in {clone.path}"]
