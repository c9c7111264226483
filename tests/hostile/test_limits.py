"""Sizes, where other tests try shapes: what exceeds a limit is left out by name, and costs
neither the rest nor the time.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, numbered_text
from support.answers import column, pick, value
from support.builder import import_stream
from support.commands import analyse, check, clone, run
from support.served import add_file, git

from attribution.authorship.agent_text import ProducedText, first_times
from attribution.features.tools import paths_read
from collector import json_values, limits
from collector.agents.common.jsonl import first_value, records
from collector.checkpoints import read_all
from collector.errors import EXIT_PARTIAL, InputTooLarge
from collector.files.git_patterns import AttributePattern
from collector.files.stated import attributes_at
from collector.git import base, diff_tree, repository
from collector.git.repository import GitRepo
from collector.json_values import load_json, parse_json
from collector.model import Problem, ToolCall
from collector.storage.store import Store

DEEP = [
    "[" * 100_000,
    '{"a":' * 50_000,
    "[" * 2_000 + "]" * 2_000,
    '[{"text": "' + "[" * 5_000 + '"},' + "[" * 1_500,
]


def test_every_limit_is_used_and_says_what_becomes_of_more() -> None:
    text = (ROOT / "collector" / "limits.py").read_text("utf-8")
    limits = re.compile(r"((?:^# [^-].*\n)*)^([A-Z_]+) = [\d_. <]+?(?:  # (.+))?$", re.MULTILINE)
    names = []
    for above, name, beside in limits.findall(text):
        assert re.search(r".+: .+", beside or " ".join(above.split("\n"))), name
        names.append(name)
    assert len(names) == len(re.findall("^[A-Z_]+ =", text, re.MULTILINE))
    sources = "\n".join(
        path.read_text("utf-8")
        for part in ("collector", "attribution", "whowrote")
        for path in (ROOT / part).rglob("*.py")
    )
    # and its import
    assert [name for name in names if len(re.findall(rf"\b{name}\b", sources)) < 3] == []


# --- JSON -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", DEEP)
def test_values_too_deep_are_unreadable_for_every_reader(text: str) -> None:
    with pytest.raises(ValueError):
        load_json(text)
    with pytest.raises(ValueError):
        load_json(text.encode())
    problems: list[Problem] = []
    assert parse_json(text) is None and first_value(text.encode()) is None
    assert list(records([text.encode()], problems, "s")) == [] and [p.code for p in problems] == [
        "unreadable_lines"
    ]
    assert paths_read(ToolCall("c", "Read", 0, 0.0, input=text), "read") == ()


def test_brackets_in_texts_and_side_by_side_are_not_deep() -> None:
    text = (
        '["'
        + "[{" * 5_000
        + '\\"'
        + "[" * 5_000
        + '", '
        + "[{}], " * 5_000
        + "[" * 900
        + "]" * 900
        + "]"
    )
    assert isinstance(load_json(text), list) and parse_json(text) == load_json(text)


SMALL_STACK = """
import json, sys, threading
from attribution.authorship.agent_text import ProducedText, first_times
from collector.agents.common.jsonl import records
from collector.json_values import parse_json
def work():
    line = "x" * 540_000
    assert first_times([line], [ProducedText(1.0, line)]) == {line: 1.0}
    for text in ("[" * 100_000, "[" * 999 + "]" * 999, '{"a":' * 50_000):
        parse_json(text), list(records([text.encode()], [], "s"))
    print("alive")
threading.stack_size(512 * 1024)
thread = threading.Thread(target=work)
thread.start(), thread.join()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no ulimit")
@pytest.mark.parametrize("stack", ["512", "8192"])
def test_small_stacks_are_enough(stack: str) -> None:
    """Threads have them everywhere, and so have all processes where the C library is musl."""
    command = ["sh", "-c", f'ulimit -s {stack} && exec "$0" -c "$1"', sys.executable, SMALL_STACK]
    done = subprocess.run(
        command, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)}, check=False
    )
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


@pytest.mark.workers
def test_a_linked_commit_with_a_line_of_half_a_million_characters(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)
    message = next(
        text for text in git(repo, "log", "--format=%B%x00").split("\0") if "Checkpoint:" in text
    ).strip()
    stream = (
        "commit refs/heads/main\ncommitter A <a@example.org> 1790000000 +0000\ndata"
        f" {len(message)}\n{message}\n"
    )
    stream += f"from refs/heads/main^0\nM 100644 inline long.txt\ndata 540000\n{'x' * 540_000}\n"
    git(repo, "fast-import", "--quiet", data=stream.encode())
    analyse(repo, db)
    assert value(db, "SELECT COUNT(*) FROM problems") == 0
    assert (
        value(
            db,
            "SELECT COUNT(*) FROM line_spans s JOIN commits c ON c.id = s.commit_id WHERE"
            " s.path = 'long.txt'",
        )
        == 1
    )


# --- trees, files, names --------------------------------------------------------------------------


def tree_of(repo: Path, entries: list[tuple[str, str, str]]) -> str:
    """A tree of (mode and kind, id, name)."""
    listing = "".join(f"{kind} {oid}\t{name}\n" for kind, oid, name in entries)
    return git(repo, "mktree", data=listing.encode()).strip()


def bomb(repo: Path, levels: int, ref: str) -> None:
    """Ten directories that are the same one, in each of which are ten directories that are the
    same one, and so on.
    """
    oid = tree_of(
        repo, [("100644 blob", git(repo, "hash-object", "-w", "--stdin", data=b"x\n").strip(), "f")]
    )
    for _ in range(levels):
        oid = tree_of(repo, [("040000 tree", oid, f"d{number}") for number in range(10)])
    person = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git(
        repo,
        "update-ref",
        ref,
        git(repo, *person, "commit-tree", "-m", "x", "-p", "main", oid).strip(),
    )


@pytest.mark.parametrize(
    "ref", ["refs/heads/main", "refs/heads/entire/checkpoints/v1", "refs/tags/t"]
)
@pytest.mark.parametrize("levels", [9, 40])
def test_a_tree_bomb_ends_at_once_with_a_row(
    ref: str, levels: int, tmp_path: Path, db: Path
) -> None:
    repo = clone("example", tmp_path)
    bomb(repo, levels, ref)
    done = run("repo", repo, code=EXIT_PARTIAL, db=db)
    assert "more than 3,000,000 files" in " ".join(done.stderr.split())
    assert "InputTooLarge" in value(db, "SELECT detail FROM problems WHERE stage = 'repository'")
    run("blame", repo, "birdlog/cli.py", code=EXIT_PARTIAL, db=tmp_path / "b.db")


def test_entries_are_counted_with_those_of_repeated_directories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = clone("example", tmp_path)
    bomb(repo, 3, "refs/heads/main")
    opened = GitRepo(str(repo))
    head = opened.resolve("main").sha
    monkeypatch.setattr(base, "TREE_ENTRIES", 2_500)
    opened.check_trees(head)
    monkeypatch.setattr(base, "TREE_ENTRIES", 2_000)
    with pytest.raises(InputTooLarge):
        opened.check_trees(head)


@pytest.mark.parametrize(
    "data", [b"\n" * 3_000, b"x\n" * 3_000, b"".join(b"%d\n" % n for n in range(3_000))]
)
def test_a_file_of_too_many_lines_is_listed_and_has_no_author(
    data: bytes, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (base, diff_tree):
        monkeypatch.setattr(module, "TEXT_LINES", 1_000)
    repo = clone("example", tmp_path)
    add_file(repo, "refs/heads/main", "many.py", data)
    add_file(repo, "refs/heads/main", "few.py", data[:300])
    run("survival", repo, db=db)
    check(db)
    with Store(db) as store:
        problems = store.rows("SELECT code, detail FROM problems WHERE stage = 'commits'")
        assert [pick(row, "code", "detail") for row in problems] == [("file_too_large", "many.py")]
        assert set(column(store, "SELECT path FROM line_spans")) >= {"few.py"}


@pytest.mark.parametrize("glob", ["*" * 200 + "a", "*a" * 30, "**/" * 60 + "x", "[a-" * 5_000])
def test_patterns_that_could_take_for_ever_match_nothing_or_at_once(glob: str) -> None:
    assert not AttributePattern("", glob).matches("a" * 3_000 + "/" + "a" * 120 + ".py")


def test_patterns_that_are_in_use_still_match() -> None:
    for glob, path in (
        ("*.min.*", "a/b.min.js"),
        ("**/gen/**/*.py", "x/gen/y/z.py"),
        ("***.pb.go", "a.pb.go"),
    ):
        assert AttributePattern("", glob).matches(path), glob


def test_only_the_first_patterns_of_a_commit_count(tmp_path: Path) -> None:
    repo = clone("example", tmp_path)
    text = numbered_text(30_000, "*{n}.py linguist-generated\n")
    sha = add_file(repo, "refs/heads/main", ".gitattributes", text.encode())
    assert len(attributes_at(GitRepo(str(repo)), sha)) == limits.ATTRIBUTE_PATTERNS


@pytest.mark.parametrize("name", ["n" * 60_000, "z/" * 20_000 + "z", ""])
def test_refs_of_any_name_cost_no_repository(name: str, tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)
    git(repo, "pack-refs", "--all")
    head = git(repo, "rev-parse", "HEAD").strip()
    with (repo / "packed-refs").open("a") as file:
        file.write(f"{head} refs/heads/z{name}\n")
    analyse(repo, db)


def test_a_flood_of_branches_is_read_in_part_and_hides_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = GitRepo(clone("example", tmp_path))
    before = read_all(repo)
    lines = (f"{n:040x} refs/heads/b/{n:03}\n" for n in range(1, 401))
    (repo.path / "packed-refs").write_text("".join(lines))
    monkeypatch.setattr(repository, "REFS", 100)
    problems: list[Problem] = []
    assert read_all(repo, problems) == before and problems[0].code == "too_many_refs"
    assert len(repo.refs()) < 150


def test_long_messages_names_and_times_of_commits(tmp_path: Path, db: Path) -> None:
    text = b"x" * 2_000_000
    commits = (
        (text, b"1790000000 +0000", b"m"),
        (b"A", b"4102444800 +1400", text),
        (b"A", b"0 -0000", b""),
    )
    form = (
        b"commit refs/heads/main\nauthor %s <a@x> %s\ncommitter A <a@x> 1790000000 +0000\ndata"
        b" %d\n%s\n"
    )
    stream = b"".join(form % (who, when, len(said), said) for who, when, said in commits)
    repo = import_stream(stream, tmp_path / "r")
    analyse(repo, db)
    check(db)


def test_the_reader_of_nesting_is_not_asked_where_there_is_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_values, "_BRACKETS", None)
    assert load_json('[{"a": [1, 2]}]') == [{"a": [1, 2]}]


def test_long_lines_are_found_whole() -> None:
    line = "ab" * limits.LINE_HEAD
    assert first_times([line + "c"], [ProducedText(1.0, line + "d")]) == {}
