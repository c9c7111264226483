"""The commands as a person meets them: screens, data, and what they say when something is wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result
from support import ROOT
from support.answers import analysed_store, pick
from support.builder import World, commit_by_ada, git, import_stream, object_id
from support.commands import Analysed, analyse, check, clone, run, run_json, run_rows
from support.truth import cases

from attribution.cli import cli as attribute
from attribution.ensure.clone import attributed_clone
from attribution.lineage.git_blame import Introduction
from attribution.queries.blame import BlameLine, blame
from attribution.queries.reasons import reasons
from attribution.queries.suspects import produced, works_on
from attribution.queries.verdicts import LineAttribution
from collector import errors
from collector.cli import cli as collect
from collector.console import terminal as console
from collector.console.terminal import Program
from collector.git.repository import GitRepo
from collector.hooks import plugins
from collector.runtime.version import ISSUES, version
from collector.storage.store import Store
from collector.vocabulary.lines import LINE_CLASSES

ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def process(
    *arguments: object, code: str = "from attribution.cli import main; main()", **extra: Any
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *(str(a) for a in arguments)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **extra.pop("env", {})}
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, **extra)


# --- first contact --------------------------------------------------------------------------------


def test_without_arguments_the_commands_teach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = run()
    for command in ("whowrote demo", "whowrote blame FILE", "whowrote why FILE:LINE"):
        assert command in shown.stdout
    assert "collect run --list FILE" in run(program=collect).stdout


@pytest.mark.parametrize("program", [attribute, collect])
def test_help_names_every_exit_code(program: click.Group) -> None:
    shown = run("--help", program=program).stdout
    codes = {value for name, value in vars(errors).items() if name.startswith("EXIT_")} | {
        console.EXIT_BUG
    }
    assert codes == {int(code) for code in re.findall(r"^ +(\d+)  ", shown, re.M)}


def commands_of(group: click.Group, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command, those of nested groups included, with its full name."""
    for command in group.commands.values():
        full = f"{name} {command.name}".strip()
        yield full, command
        if isinstance(command, click.Group):
            yield from commands_of(command, full)


@pytest.mark.parametrize("program", [attribute, collect])
def test_every_command_and_option_has_a_help_text(program: click.Group) -> None:
    for name, command in commands_of(program):
        assert command.help, name
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.help, f"{name} {option.name}"
                assert option.help[0].isupper() or ":" in option.help, f"{name} {option.name}"
                assert option.help.split("  [default")[0].endswith("."), f"{name} {option.name}"


@pytest.mark.parametrize("program", [attribute, collect])
def test_every_command_is_in_a_section_of_the_help(program: Program) -> None:
    sections = program.sections()
    assert sorted(
        str(command.name) for commands in sections.values() for command in commands
    ) == sorted(program.commands)
    shown = run("--help", program=program).stdout
    assert "Commands:" not in shown
    for title, commands in sections.items():
        assert f"\n{title}:\n" in shown and commands


@pytest.mark.parametrize("program", [attribute, collect])
def test_no_summary_is_cut_off_at_80_columns(program: click.Group) -> None:
    for name in (
        "",
        *(name for name, command in commands_of(program) if isinstance(command, click.Group)),
    ):
        assert "..." not in run(*name.split(), "--help", program=program).stdout.replace(
            "ARGS]...", ""
        ), name


@pytest.mark.parametrize("module", ["attribution.cli", "collector.cli"])
def test_starting_loads_nothing_heavy(module: str) -> None:
    heavy = "{'rich', 'pygit2', 'sqlite_utils', 'sqlite3'}"
    shown = process(code=f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))")
    assert shown.stdout.strip() == "[]"


# --- whowrote repo --------------------------------------------------------------------------------


def test_an_unchanged_second_run_says_so_and_is_quick(example: Analysed) -> None:
    repo, db = example
    began = time.monotonic()
    shown = run("repo", repo, db=db)
    assert time.monotonic() - began < 1
    assert "nothing changed since the last run" in shown.stdout


def test_repo_numbers_as_data(example: Analysed) -> None:
    repo, db = example
    (found,) = run_json("repo", repo, db=db)
    assert found["commits"] == 11
    assert tuple(found["lines"]) == LINE_CLASSES
    assert sum(found["lines"].values()) == sum(share["nonblank"] for share in found["shares"])
    (row,) = run_rows("repo", repo, db=db)
    assert row["agent_lines"] == str(found["lines"]["agent"])
    assert row["headline_agent_lines"] == str(found["headline"]["agent"])
    assert row["edits_applied"] == str(found["edits"]["applied"])


def test_coverage_is_of_commits_with_a_sign_of_an_agent_by_age_and_reason(
    example: Analysed,
) -> None:
    repo, db = example
    (found,) = run_json("repo", repo, db=db)
    whole, *ages = found["coverage"]
    (lines, attributed), *_ = sqlite3.connect(db).execute(
        "SELECT SUM(nonblank), SUM(CASE WHEN class IN ('agent', 'human', 'likely_human', 'tool')"
        " THEN nonblank ELSE 0 END) FROM line_spans s WHERE kind IN ('source', 'test') AND"
        " commit_id IN (SELECT commit_id FROM commit_sessions)"
    )
    assert pick(whole, "days", "lines", "attributed") == (None, lines, attributed)
    assert whole["lines"] - whole["attributed"] == sum(whole["missing"].values())
    assert [of["days"] for of in ages] == [30, 90, 365]
    assert 0 < ages[0]["lines"] < ages[-1]["lines"] == lines


def test_the_suggested_command_works(example: Analysed) -> None:
    repo, db = example
    (found,) = run_json("repo", repo, db=db)
    line = run_json("why", repo, found["example"], db=db)
    assert line["class"] == "agent"
    assert line["text"].strip()


def test_since_leaves_earlier_commits_out(example: Analysed, db: Path) -> None:
    (found,) = run_json("repo", example.clone, "--since", "2026-02-01", db=db)
    assert 0 < found["commits"] < 11
    shown = run("blame", example.clone, "README.md", db=db)
    assert "outside the attributed history" in shown.stdout


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_failing_repository_does_not_stop_the_others(
    tmp_path: Path, db: Path, jobs: int
) -> None:
    good = [clone("squash", tmp_path), clone("crlf", tmp_path)]
    shown = run(
        "repo",
        good[0],
        tmp_path / "absent",
        good[1],
        "--jobs",
        jobs,
        "--json",
        code=errors.EXIT_PARTIAL,
        db=db,
    )
    assert [r["name"] for r in json.loads(shown.stdout)] == ["squash", "crlf"]
    assert "absent does not exist" in " ".join(shown.stderr.split())  # a long path breaks the line
    assert "1 of 3 repositories failed" in shown.stderr
    (kind,) = run_json("data", "problems", db=db)
    assert pick(kind, "stage", "code", "count") == ("repository", "failed", 1)
    clone("crlf", tmp_path / "later").rename(tmp_path / "absent")
    analyse(tmp_path / "absent", db)
    assert run_json("data", "problems", db=db) == []
    check(db)


def test_the_clone_is_not_touched(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path, bare=False)
    before = {p: p.stat().st_mtime_ns for p in repo.rglob("*")}
    analyse(repo, db)
    run("blame", repo, "README.md", db=db)
    assert {p: p.stat().st_mtime_ns for p in repo.rglob("*")} == before


# --- blame, explain, show -------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases())
def test_every_line_of_every_file_is_followed_back_to_a_span(
    case: str, tmp_path: Path, db: Path
) -> None:
    repo = clone(case, tmp_path)
    checked = 0
    with analysed_store(repo, db) as store:
        where = attributed_clone(store, GitRepo(repo), print)
        for path in where.repo.paths(where.head):
            data = where.repo.blob(where.repo.file_at(where.head, path) or "") or b""
            if b"\0" in data:
                continue
            blamed = blame(where, path)
            count = data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))
            assert [line.line for line in blamed.lines] == list(range(1, count + 1))
            assert all(line.attribution.author for line in blamed.lines)
            introduced = [(line.introduced.sha, line.introduced.line) for line in blamed.lines]
            assert introduced == list(_git_blame(repo, where.head, path))
            checked += len(blamed.lines)
    assert checked


def _git_blame(repo: Path, sha: str, path: str) -> Iterator[tuple[str, int]]:
    out = git(repo, "blame", "--porcelain", sha, "--", path).decode("utf-8", "replace")
    for match in re.finditer(r"^([0-9a-f]{40}) (\d+) \d+", out, re.M):
        yield match[1], int(match[2])


def test_two_lines_that_come_from_one_are_both_kept(tmp_path: Path, db: Path) -> None:
    """A merge may hold the same old line twice, once from each side."""

    def commit(branch: str, number: int, text: str, parents: str = "") -> str:
        head = (
            f"commit refs/heads/{branch}\nmark :{number}\ncommitter A <a@b> {number} +0000\ndata"
            f" 1\nx\n{parents}"
        )
        return f"{head}M 644 inline f\ndata {len(text)}\n{text}\n"

    data = (
        commit("main", 1, "a\nb\n")
        + commit("side", 2, "b\nx\ny\n", "from :1\n")
        + commit("main", 3, "a\nb\nz\n", "from :1\n")
    )
    data += commit("main", 4, "a\nb\nz\nb\nx\ny\n", "from :3\nmerge :2\n")
    repo = import_stream(data.encode(), tmp_path / "r")
    analyse(repo, db)
    assert len(run_json("blame", repo, "f", db=db)) == 6


def test_blame_as_data(example: Analysed) -> None:
    as_json = run_json("blame", example.clone, "birdlog/store.py", db=example.db)
    as_csv = run_rows("blame", example.clone, "birdlog/store.py", db=example.db)
    assert [r["class"] for r in as_json] == [r["class"] for r in as_csv]
    assert as_json[13]["class"] == "likely_human"
    assert as_json[2]["session"] == "03631055-2723-4ca5-a450-ed932d8efdaa"


def test_blame_at_an_older_commit(example: Analysed) -> None:
    found = run_json(
        "blame", example.clone, "birdlog/store.py", "--commit", "7092095d", db=example.db
    )
    assert {r["commit"][:8] for r in found} == {"7092095d"}


def test_explain_an_agents_line(example: Analysed) -> None:
    shown = run("why", example.clone, "birdlog/store.py:20", db=example.db).stdout
    assert "Claude Code (claude-opus-4-6) wrote this line" in shown
    assert "Please add load()" in shown  # the prompt
    assert re.search(r"▶\+ +except ValueError as error:", shown)  # its text, the line marked
    assert "No other session touched it" in shown


def test_equal_lines_of_a_call_are_told_apart_by_their_neighbours(
    example: Analysed,
) -> None:
    for number, after in (
        (7, ""),
        (8, "def by_species(sightings: Iterable[Sighting]) -> list[tuple[str, int]]:"),
    ):
        found = run_json("why", example.clone, f"birdlog/counts.py:{number}", db=example.db)
        lines = found["tool_call"]["lines"]
        hit = next(i for i, line in enumerate(lines) if line["hit"])
        assert found["text"] == lines[hit]["text"] == ""
        assert lines[hit + 1]["text"] == after


def test_explain_a_line_that_a_person_changed(example: Analysed) -> None:
    shown = run("why", example.clone, "birdlog/counts.py:9", db=example.db).stdout
    assert "a person changed it" in shown
    assert "the marked line is the most similar one" in shown


def test_explain_a_human_line(example: Analysed) -> None:
    found = run_json("why", example.clone, "birdlog/store.py:14", db=example.db)
    assert found["class"] == "likely_human"
    assert len(found["actions"]) == 2
    assert found["tool_call"] is None
    assert (
        "Edits and commands between 7092095d1 and this commit" in found["why_not_someone_else"][0]
    )


def test_explain_shows_the_witness_and_never_denies_what_it_lists(
    example: Analysed,
) -> None:
    shown = " ".join(run("why", example.clone, "birdlog/store.py:14", db=example.db).stdout.split())
    assert "Probably a person wrote this line. in commit" in shown
    assert "without the line at 2026-01-12 10:26" in shown
    line = BlameLine(
        1,
        "x = 1",
        Introduction("0" * 40, "a.py", 1),
        None,
        LineAttribution("human", witness="recorded"),
        None,
    )
    assert "nothing that can write ran in between" in reasons(line).evidence[0]
    busy = reasons(line, busy=True).evidence[0]
    assert (
        "nothing that can write" not in busy
        and "what agents ran in between (below) did not write it" in busy
    )


def test_explain_names_the_tool_and_who_ran_it(example: Analysed) -> None:
    shown = run("why", example.clone, "requirements-dev.txt:1", db=example.db).stdout
    assert "deps[bot] wrote this line, run by unknown." in shown


@pytest.mark.parametrize(
    ("command", "works"),
    {
        "prettier --write .": True,
        "prettier --write src": True,
        "prettier --write 'src/**/*.ts'": True,
        "prettier --write 'src/app/**/*.ts'": True,
        "prettier --write 'src/lib/**/*.ts'": False,
        "prettier --write /home/a/project/src": True,
        "rm -rf src/old": False,
        "prettier --write docs": False,
        "ls src": False,
        "sed -i s/a/b/ src/app/main.ts": True,
    }.items(),
)
def test_commands_that_work_on_the_directory_of_a_file(command: str, works: bool) -> None:
    assert works_on(command, "src/app/main.ts") is works


def test_what_an_edit_would_replace_is_no_text_of_the_agent() -> None:
    edit = json.dumps(
        {
            "file_path": "a.ts",
            "edits": [{"old_string": "const a = 'was'", "new_string": "const a = 'is'"}],
        }
    )
    assert "is" in produced(edit) and "was" not in produced(edit) and "a.ts" in produced(edit)
    assert produced('{"old_string": "cut o') == '{"old_string": "cut o'


def test_explain_a_line_of_a_subagent_names_the_call_that_started_it(
    example: Analysed,
) -> None:
    shown = run("why", example.clone, "birdlog/report.py:1", db=example.db).stdout
    assert "Claude Code (claude-opus-4-6) wrote this line" in shown
    assert "does not appear in this call of Agent" in shown  # which started it


def test_explain_shows_the_shell_command(example: Analysed) -> None:
    shown = run("why", example.clone, ".gitignore:1", db=example.db).stdout
    assert re.search(r"▶\$ __pycache__/", shown)


def test_explain_a_file(example: Analysed) -> None:
    shown = run("why", example.clone, "birdlog/store.py", db=example.db)
    assert re.search(r"14-16 +h", shown.stdout)
    found = run_rows("why", example.clone, "birdlog/store.py", db=example.db)
    assert [pick(r, "start_line", "end_line") for r in found][:2] == [("1", "2"), ("3", "4")]
    (line,) = run_rows("why", example.clone, "birdlog/store.py:3", db=example.db)
    assert line["class"] == "agent"


def test_explain_attributes_first_when_needed(tmp_path: Path, db: Path) -> None:
    repo = clone("squash", tmp_path)
    shown = run("why", repo, "README.md:1", db=db)
    assert "attributing it first" in shown.stderr
    assert "undeclared" not in shown.stderr


def test_paths_may_be_given_from_the_working_directory(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = clone("example", tmp_path, bare=False)
    monkeypatch.chdir(repo / "birdlog")
    run("blame", ".", "store.py", db=db)


def test_a_moved_branch_is_pointed_out(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)
    analyse(repo, db)
    git(repo, "update-ref", "refs/heads/main", "refs/heads/main~1")
    assert "was moved back" in run("blame", repo, "README.md", db=db).stdout


def test_show_a_commit(example: Analysed) -> None:
    by_id = run("log", "--show", "43b7400e", db=example.db)
    by_name = run("log", "--show", "HEAD~2", example.clone, db=example.db)
    assert by_id.stdout == by_name.stdout
    assert "Let a subagent write" in by_id.stdout
    assert "A1-15" in by_id.stdout
    data = run_json("log", "--show", "43b7400e", db=example.db)
    assert data["sessions"][0]["method"] == "trailer"
    spans = run_rows("log", "--show", "43b7400e", db=example.db)
    assert {r["how"] for r in spans if r["path"] == "birdlog/report.py"} == {"subagent"}
    kinds = {of["kind"]: of["lines"] for of in data["kinds"]}
    assert sum(data["lines"].values()) == sum(kinds.get(kind, 0) for kind in ("source", "test"))
    assert "right in 94 %" in by_id.stdout


# --- check, sessions, problems, collect -----------------------------------------------------------


def test_check_is_silent_about_nothing(example: Analysed) -> None:
    shown = run("data", "check", db=example.db)
    assert shown.stdout.count("OK ") == len(run_rows("data", "check", db=example.db)) >= 9


def test_check_shows_what_is_broken(example: Analysed, db: Path) -> None:
    analyse(example.clone, db)
    with sqlite3.connect(db) as connection:
        connection.execute(
            "UPDATE commit_files SET human_lines = human_lines + 1 WHERE path = 'README.md'"
        )
    shown = run("data", "check", code=errors.EXIT_CHECK_FAILED, db=db)
    assert "BROKEN" in shown.stdout
    assert "README.md" in shown.stdout
    checks = run("data", "check", "--json", code=errors.EXIT_CHECK_FAILED, db=db).stdout
    found = {c["name"]: c["broken"] for c in json.loads(checks)}
    assert found["classes_sum"] >= 1
    assert found["spans_sum"] == 0


def test_sessions_and_problems(example: Analysed) -> None:
    assert "3 sessions" in run("sessions", db=example.db).stdout
    assert len(run_rows("sessions", db=example.db)) == 3
    assert run("data", "problems", db=example.db).stdout.strip() == "none"


def test_problems_are_counted_by_code(tmp_path: Path, db: Path) -> None:
    repo = clone("transcript_missing", tmp_path)
    analyse(repo, db)
    found = run_json("data", "problems", db=db)
    assert found
    assert found[0]["code"] in run("data", "problems", db=db).stdout


def test_collect_formats_lists_the_registries() -> None:
    from collector.agents import readers
    from collector.checkpoints import layouts

    found = run_rows("formats", program=collect)
    assert [r["name"] for r in found] == [
        *(r.NAME for r in readers()),
        *(one.NAME for one in layouts()),
        *(each.name for plugin in plugins() for each in plugin.formats()),
    ]
    assert all(r["label"] for r in found)


# --- bad input ------------------------------------------------------------------------------------


def bad_databases(directory: Path) -> dict[str, Path]:
    foreign = directory / "foreign.db"
    newer = directory / "newer.db"
    damaged = directory / "damaged.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE dogs (name)")
    Store(newer).close()
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    damaged.write_bytes(b"no database at all, only some words" * 100)
    return {
        "foreign": foreign,
        "newer": newer,
        "damaged": damaged,
        "nowhere": directory / "no" / "such" / "x.db",
    }


@pytest.mark.parametrize(
    ("which", "words"),
    {
        "foreign": "database of another program",
        "newer": "another version of whowrote, whose tables differ (schema 99",
        "damaged": "not a readable SQLite database",
        "nowhere": "there is no directory",
    }.items(),
)
def test_unusable_databases(example: Analysed, tmp_path: Path, which: str, words: str) -> None:
    db = bad_databases(tmp_path)[which]
    before = db.read_bytes() if db.is_file() else None
    for command in (["repo", example.clone], ["why", example.clone, "README.md:1"]):
        shown = run(*command, code=errors.EXIT_DATABASE, db=db)
        assert words in shown.stderr
        assert shown.stderr.count("\n") >= 2  # a hint follows
        assert shown.stdout == ""
    assert (db.read_bytes() if db.is_file() else None) == before


def test_lists_need_a_database(db: Path) -> None:
    for command in (("data", "check"), ("sessions",), ("data", "problems")):
        shown = run(*command, code=errors.EXIT_DATABASE, db=db)
        assert "whowrote repo PATH" in shown.stderr
    assert not (db).exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_write_permission(example: Analysed, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    shown = run("repo", example.clone, code=errors.EXIT_DATABASE, db=closed / "x.db")
    assert "permissions" in shown.stderr


def test_a_full_disk_is_no_bug(
    example: Analysed, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(store: Store, *_: object) -> None:
        with store.transaction():
            raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("attribution.stages.lines.attribute_repo", full)
    shown = run("repo", example.clone, code=errors.EXIT_DATABASE, db=db)
    assert "no space left" in shown.stderr


def test_paths_that_are_no_repository(tmp_path: Path, db: Path) -> None:
    for path, words in (
        (tmp_path, "is not inside a git repository"),
        (tmp_path / "absent", "does not exist"),
    ):
        for command in (["repo", path], ["blame", path, "x"], ["why", path, "x:1"]):
            shown = run(*command, code=errors.EXIT_USAGE, db=db)
            assert words in shown.stderr


def test_an_empty_repository(tmp_path: Path, db: Path) -> None:
    git(tmp_path, "init", "-q", "empty")
    shown = run("repo", tmp_path / "empty", code=errors.EXIT_USAGE, db=db)
    assert "HEAD points to no commit" in shown.stderr


def _plain(directory: Path, message: str) -> Path:
    """A clone in which nobody ever kept a record of an agent."""
    directory.mkdir()
    git(directory, "init", "-q")
    (directory / "a.py").write_text("first = 1\n")
    git(directory, "add", "-A")
    commit_by_ada(directory, message)
    return directory


def test_every_question_has_an_answer_in_a_clone_without_records(tmp_path: Path) -> None:
    repo = _plain(tmp_path / "plain", "One")
    commands: list[list[str | Path]] = [
        ["repo", repo],
        [repo],
        ["repo", repo, "--allow-no-checkpoints"],
        ["blame", repo, "a.py"],
        ["why", repo, "a.py:1"],
        ["log", "HEAD", repo],
        ["report", repo],
    ]
    for number, command in enumerate(commands):
        shown = run(*command, db=tmp_path / f"{number}.db")
        assert (shown.exit_code, "entire" in shown.output) == (0, False), shown.output
        assert ("no sign of an agent in 1 commit" in shown.stdout) == (number < 3)
    assert "--allow-no-checkpoints" not in run("repo", "--help").output


def test_a_clone_whose_commits_name_an_agent_is_told_to_fetch_nothing_it_never_had(
    tmp_path: Path,
    db: Path,
) -> None:
    repo = _plain(tmp_path / "named", "One\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    git(repo, "remote", "add", "origin", "https://example.org/a/b")
    shown = run("repo", repo, db=db)
    assert (shown.exit_code, "no sign" in shown.stdout, "fetch" in shown.stdout) == (
        0,
        False,
        False,
    )
    git(repo, "update-ref", "refs/remotes/origin/entire/checkpoints/v1", "HEAD")
    (line,) = [
        line
        for line in run("repo", repo, db=tmp_path / "y.db").stdout.splitlines()
        if "would help" in line
    ]
    assert line.endswith(f"whowrote repo {repo} --fetch")


def test_a_commit_of_another_branch(example: Analysed) -> None:
    other = object_id(example.clone, "entire/checkpoints/v1")
    shown = run("log", "--show", other, example.clone, db=example.db)
    assert other[:9] in shown.stdout


def test_binary_files_have_no_lines(tmp_path: Path, db: Path) -> None:
    repo = clone("odd_files", tmp_path)
    shown = run("blame", repo, "logo.bin", code=errors.EXIT_USAGE, db=db)
    assert "binary" in shown.stderr
    run("blame", repo, "caf\udce9.txt", db=db)


# --- hostile content ------------------------------------------------------------------------------

ATTACK = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202egpj"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    """A repository that would like to talk to the terminal, in every text it has."""
    world = World("hostile")
    world.human_write("README.md", "[bold]not markup[/bold] :smile:\n=cmd()\n")
    world.commit(f"[red]Start {ATTACK}")
    session = world.session(prompt=f"Write it {ATTACK} [blink]please[/blink]")
    session.write(f"evil{ATTACK}.py", f"x = 1\n# {ATTACK}\n=HYPERLINK(1)\n\t+tab\n")
    session.bash(f"echo '{ATTACK}' README.md")
    session.end_turn()
    world.commit(f"Add {ATTACK}", [session])
    directory = tmp_path_factory.mktemp("hostile")
    repo = world.build(directory / "evil\x1b[31mrepo")
    analyse(repo, directory / "x.db")
    return Analysed(repo, directory / "x.db")


def screens(repo: Path, db: Path) -> Iterator[Result]:
    name = f"evil{ATTACK}.py"
    for command in (
        ["repo", repo],
        ["blame", repo, name],
        ["why", repo, name],
        ["why", repo, f"{name}:2"],
        ["log", "--show", "HEAD", repo],
        ["blame", repo, "README.md"],
        ["blame", repo, f"no{ATTACK}"],
        ["sessions"],
        ["problems"],
        ["check"],
        ["repo", repo, "--branch", ATTACK],
    ):
        for form in ([], ["--json"], ["--csv"]):
            yield run(*command, *form, code=None, db=db)


def test_nothing_from_a_repository_acts_on_the_terminal(hostile: Analysed) -> None:
    for shown in screens(*hostile):
        assert shown.exit_code in (0, errors.EXIT_USAGE)
        assert not ESCAPE.search(shown.stdout), shown.stdout
        assert not ESCAPE.search(shown.stderr), shown.stderr


def test_escapes_are_made_visible_and_markup_is_left_alone(hostile: Analysed) -> None:
    repo, db = hostile
    assert "[bold]not markup[/bold] :smile:" in run("blame", repo, "README.md", db=db).stdout
    assert r"\x1b[2J" in run("blame", repo, f"evil{ATTACK}.py", db=db).stdout


def test_data_keeps_the_text_and_spreadsheets_get_no_formula(hostile: Analysed) -> None:
    repo, db = hostile
    name = f"evil{ATTACK}.py"
    texts = [r["text"] for r in run_json("blame", repo, name, db=db)]
    assert texts == ["x = 1", f"# {ATTACK}", "=HYPERLINK(1)", "\t+tab"]
    cells = [r["text"] for r in run_rows("blame", repo, name, db=db)]
    assert cells[2:] == ["'=HYPERLINK(1)", "'\t+tab"]


# --- colour, pipes, the end of a run --------------------------------------------------------------


def test_colour_only_where_wanted(example: Analysed) -> None:
    arguments = ("blame", example.clone, "birdlog/store.py", "--db", example.db)
    assert "\x1b[" not in process(*arguments).stdout
    coloured = process(*arguments, env={"FORCE_COLOR": "1", "NO_COLOR": "", "TERM": "xterm"}).stdout
    assert "\x1b[" in coloured
    plain = process(*arguments, env={"NO_COLOR": "1", "FORCE_COLOR": "1", "TERM": "xterm"}).stdout
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", plain)


def test_a_closed_pipe_is_no_error(example: Analysed) -> None:
    command = (
        f"{sys.executable} -c 'from attribution.cli import main; main()' blame {example.clone}"
        f" birdlog/store.py --db {example.db}"
    )
    shown = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -1"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert shown.returncode == 0
    assert shown.stderr == ""


def test_a_bug_leaves_a_log(
    example: Analysed, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("surprise \x1b[31m")

    monkeypatch.setattr("attribution.stages.lines.attribute_repo", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    shown = run("repo", example.clone, code=console.EXIT_BUG, db=db)
    assert "ZeroDivisionError" in shown.stderr
    assert "Traceback" not in shown.stderr
    assert not ESCAPE.search(shown.stderr)
    (log,) = tmp_path.glob("whowrote-*.log")
    assert str(log) in shown.stderr.replace("\n", "")
    text = log.read_text()
    assert "Traceback" in text
    assert f"whowrote {version()}" in text
    assert "pygit2" in text
    assert ISSUES in shown.stderr


@pytest.mark.parametrize("program", [attribute, collect], ids=["attribute", "collect"])
def test_both_programs_print_the_version(program: click.Group) -> None:
    shown = run("--version", program=program)
    assert shown.output.split()[-1] == version() != "unknown"


def test_ctrl_c_says_how_to_go_on(example: Analysed, tmp_path: Path, db: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, time\n"
        "def slow(*a):\n    print('started', flush=True)\n    time.sleep(60)\n"
        "if 'whowrote' in sys.orig_argv:\n"  # whose process that attributes has it as well
        "    import attribution.stages.lines as r\n    r.attribute_repo = slow\n"
    )
    command = [
        sys.executable,
        "-m",
        "whowrote",
        "repo",
        str(example.clone),
        "--db",
        str(db),
    ]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "started\n"
        child.send_signal(signal.SIGINT)
        _, stderr = child.communicate(timeout=20)
    assert child.returncode == errors.EXIT_INTERRUPTED
    assert "run the same command again to resume" in stderr
    assert "Traceback" not in stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("program", ["whowrote", "collect"])
def test_a_signal_while_modules_are_imported_ends_with_one_line(
    number: signal.Signals, program: str, tmp_path: Path
) -> None:
    (tmp_path / "click.py").write_text(
        f"import os, time\nos.kill(os.getpid(), {int(number)})\ntime.sleep(9)\n"
    )
    code = f"import sys; sys.argv[0] = '{program}'; from attribution.start import main; main()"
    done = process("--help", code=code, env={"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"})
    assert (done.returncode, done.stderr) == (
        errors.EXIT_INTERRUPTED,
        "interrupted: nothing was begun\n",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe that nobody reads")
@pytest.mark.parametrize("arguments", [["--help"], ["repo", "--help"], ["data", "--help"]])
def test_output_that_nobody_reads_from_the_start_is_no_error(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-c", "from attribution.start import main; main()", *arguments]
    done = subprocess.run(
        command,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_ends_the_worker_processes_which_remove_their_temporary_files(
    tmp_path: Path,
) -> None:
    code = (
        "import sys, time, tempfile\nfrom collector.console.terminal import run_guarded\n"
        "from collector.runtime.workers import Task, TaskLimits, run\n"
        "def work(seconds):\n    with tempfile.TemporaryDirectory():\n        time.sleep(seconds)\n"
        "if __name__ == '__main__':\n    print('started', flush=True)\n"
        "    tasks = [Task(str(number), (60,)) for number in range(3)]\n"
        "    sys.exit(run_guarded(lambda: list(run(work, tasks, 2, TaskLimits()))))\n"
    )
    script = tmp_path / "work.py"
    scratch = tmp_path / "scratch"
    script.write_text(code)
    scratch.mkdir()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(scratch)}
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        while len(list(scratch.iterdir())) < 2:
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        # ends only when no worker holds the pipe any more
        _, stderr = child.communicate(timeout=20)
    assert child.returncode == errors.EXIT_INTERRUPTED
    assert "Traceback" not in stderr
    assert list(scratch.iterdir()) == []


@pytest.mark.workers
@pytest.mark.parametrize("paths", [1, 2])
def test_a_clone_whose_process_crashes_has_a_problem_and_an_exit_code(
    paths: int, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nif 'spawn_main' in ' '.join(sys.orig_argv):\n    os.abort()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "clones").mkdir()
    clones = [clone(case, tmp_path / "clones") for case in ("example", "squash")[:paths]]
    code = errors.EXIT_KILLED if paths == 1 else errors.EXIT_PARTIAL
    done = run("repo", *clones, code=code, db=db)
    assert "its process was killed by SIGABRT" in " ".join(done.stderr.split())
    with Store(db) as store:
        problems = store.rows(
            "SELECT subject, code, detail FROM problems WHERE stage = 'repository' ORDER BY subject"
        )
        assert [pick(row, "subject", "code") for row in problems] == [
            ("example", "failed"),
            ("squash", "failed"),
        ][:paths]
        assert all("its process was killed" in row["detail"] for row in problems)
    monkeypatch.delenv("PYTHONPATH")
    run("repo", *clones, db=db)
    with Store(db) as store:
        assert not store.rows("SELECT * FROM problems WHERE stage = 'repository'")


@pytest.mark.workers
@pytest.mark.skipif(sys.platform != "linux", reason="private memory is limited on Linux alone")
def test_memory_beyond_the_limit_is_a_problem_and_an_exit_code(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("collector.runtime.bounds.memory_share", lambda jobs: 30 << 20)
    done = run("repo", clone("example", tmp_path), code=errors.EXIT_PARTIAL, db=db)
    assert "memory" in done.stderr


def test_progress_is_one_line_without_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "_LATE", 0.0)
    with console.Reporter("somewhere\x1b[31m") as tell:
        for number in range(5):
            tell("reading", number, 5)
    with console.Reporter("somewhere", quiet=True) as tell:
        tell("reading", 1, 5)
    assert capsys.readouterr().err == "somewhere\\x1b[31m: reading … 0 of 5\n"


def test_progress_goes_on_without_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "_LATE", 0.0)
    monkeypatch.setattr(console, "_AGAIN", 0.0)
    with console.Reporter("somewhere") as tell:
        tell("reading", 1_000, 5_000)
        tell("writing", 0, 0)
    assert capsys.readouterr().err == "somewhere: reading … 1,000 of 5,000\nsomewhere: writing …\n"


def test_quiet_runs_report_no_progress_of_any_stage(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "_LATE", 0.0)
    done = run("repo", clone("example", tmp_path), "--history", "-q", db=db)
    assert (done.exit_code, done.output) == (0, "")


@pytest.mark.parametrize(
    "more", [(), ("--redact", "emails"), ("--history",)], ids=["plain", "redact", "history"]
)
def test_a_clone_is_opened_once_in_a_run(
    more: tuple[str, ...], tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    init = GitRepo.__init__

    def counted(repo: GitRepo, path: str | Path) -> None:
        opened.append(str(path))
        init(repo, path)

    monkeypatch.setattr(GitRepo, "__init__", counted)
    path = clone("example", tmp_path)
    for _ in ("first", "again"):
        opened.clear()
        run("repo", path, "--db", db, "-q", *more)
        # The history is followed in another process than the one that attributes.
        assert opened == [str(path)] * (2 if "--history" in more else 1)
    opened.clear()
    run("blame", path, "README.md", db=db)
    assert opened == [str(path)]
