"""Sessions of which a part is left: what it says is read, and for the rest nobody is named."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support import jsonl, truth
from support import local_layouts as layouts
from support.answers import column
from support.commands import run, run_json
from support.local_clone import Clone, authors
from support.local_writers import keep

from collector.git.repository import GitRepo
from collector.local import find_sessions
from collector.local.model import LocalChoice, LocalOptions

ONE, TWO = (f"0197f3a1-5d2c-7b4e-8f60-00000000000{number}" for number in (1, 2))
STEP = "def step(value):\n    return advance_by_one(value, 17)\n"
MEAN = "def mean(rows):\n    return divide_the_sum(rows, len(rows))\n"


@pytest.fixture
def worked(clone: Clone) -> Clone:
    """A session on record that wrote one file, and another file that no record explains."""
    session = clone.session(ONE, prompt="Add a mean")
    session.write("src/mean.py", MEAN)
    session.say("Done.")
    session.say("Ask me again.")
    clone.person("src/step.py", STEP)
    clone.commit("Add both")
    keep(session)
    return clone


def _authors(clone: Clone, db: Path) -> tuple[set[str], list[str]]:
    """Who wrote `src/step.py`, and the problems of sessions."""
    lines, _ = truth.run(clone.path, db)
    (sha,) = [sha for sha, of in lines.items() if "src/step.py" in of]
    problems = column(db, "SELECT code FROM problems WHERE code = 'transcript_gone'")
    return authors(lines[sha]["src/step.py"]), problems


def _project(home: Path) -> Path:
    (project,) = (home / ".claude" / "projects").iterdir()
    return project


def _directory(clone: Clone, home: Path) -> None:
    file = _project(home) / TWO / "tool-results" / "b1.txt"
    file.parent.mkdir(parents=True)
    file.write_text("x\n", "utf-8")
    os.utime(file, (clone.clock - 60, clone.clock - 60))


def _prompt(clone: Clone, home: Path) -> None:
    moment = int((clone.clock - 60) * 1000)
    prompt = {"display": "do it", "timestamp": moment, "project": str(clone.path)}
    line = json.dumps({**prompt, "sessionId": TWO})
    (home / ".claude" / "history.jsonl").write_text(f"{line}\n", "utf-8")


def _copies(clone: Clone, home: Path) -> None:
    file = home / ".claude" / "file-history" / TWO / "0123456789abcdef@v1"
    file.parent.mkdir(parents=True)
    file.write_text("x\n", "utf-8")
    os.utime(file, (clone.clock - 60, clone.clock - 60))


def _headless(clone: Clone, home: Path) -> None:
    session = clone.session(TWO, prompt="Go on")
    session.say("Done.")
    layouts.pi(home, session)
    (file,) = (home / ".pi" / "agent" / "sessions").glob("*/*.jsonl")
    file.write_bytes(file.read_bytes().partition(b"\n")[2])


def _cut(clone: Clone, home: Path) -> None:
    (file,) = _project(home).glob("*.jsonl")
    file.write_bytes(file.read_bytes() + b'{"type":"assistant","message":{"content":[{"ty')


def _unreadable(clone: Clone, home: Path) -> None:
    file = _project(home) / f"{TWO}.jsonl"
    file.write_bytes(b'{"type":"user","message":{"content":[{"ty')
    os.utime(file, (clone.clock - 60, clone.clock - 60))


def _cut_document(clone: Clone, home: Path) -> None:
    session = clone.session(TWO, prompt="Add a step")
    file = layouts.gemini_cli(home, session)
    first, second, *_ = file.read_bytes().splitlines()
    document = file.with_suffix(".json")
    document.write_bytes(first[:-1] + b', "messages": [' + second[:-9])
    os.utime(document, (clone.clock - 3600, clone.clock - 3600))
    file.unlink()


@pytest.mark.parametrize(
    "leave", [_directory, _prompt, _copies, _headless, _cut, _cut_document, _unreadable]
)
def test_where_a_session_has_left_only_traces_nobody_is_named(
    worked: Clone, home: Path, tmp_path: Path, db: Path, leave: Callable[[Clone, Path], None]
) -> None:
    assert _authors(worked, tmp_path / "before.db") == ({"human"}, [])
    leave(worked, home)
    assert _authors(worked, db) == ({"unknown"}, ["transcript_gone"])
    said = "1 session left traces and no whole transcript"
    (report,) = run_json("repo", worked.path, db=db)
    assert said in [item["what"] for item in report["advice"]]
    assert said in " ".join(run("doctor", worked.path).stdout.split())


def test_files_that_name_no_directory_are_counted(worked: Clone, home: Path) -> None:
    (_project(home) / f"{TWO}.jsonl").write_text('{"type":"summary"}\n', "utf-8")
    said = run_json("doctor", worked.path)
    assert [row["why"] for row in said if "name no directory: 1, first" in row["why"]]


def test_a_chat_whose_first_line_lost_its_beginning_is_read(clone: Clone, home: Path) -> None:
    session = clone.session(TWO, prompt="Add a step")
    session.write("src/step.py", STEP)
    file = layouts.qwen_code(home, session)
    file.write_bytes(b"4" + file.read_bytes()[20:])
    found = find_sessions(GitRepo(clone.path), LocalOptions(LocalChoice.ALWAYS))
    assert list(found.sessions) == [file.stem]


def test_what_was_done_while_unreadable_lines_were_written_is_not_known(
    worked: Clone, home: Path, db: Path
) -> None:
    (file,) = _project(home).glob("*.jsonl")
    *lines, torn, last = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines, torn[:90] + b"\n", last]))
    assert _authors(worked, db) == ({"unknown"}, [])


@pytest.mark.parametrize("kind", ["of another project", "recorded", "a command of the program"])
def test_other_prompts_are_no_trace_of_a_session(
    worked: Clone, home: Path, db: Path, kind: str
) -> None:
    prompt = {
        "display": "/exit" if kind == "a command of the program" else "do it",
        "timestamp": int((worked.clock - 60) * 1000),
        "project": "/elsewhere" if kind == "of another project" else str(worked.path),
        "sessionId": ONE if kind == "recorded" else TWO,
    }
    (home / ".claude" / "history.jsonl").write_text(json.dumps(prompt) + "\n", "utf-8")
    assert _authors(worked, db) == ({"human"}, [])


def test_subagents_whose_parent_is_gone_are_read(clone: Clone, home: Path, db: Path) -> None:
    session = clone.session(ONE, prompt="Add a mean")
    session.write("src/step.py", STEP)
    session.say("Done.")
    clone.commit("Add step")
    keep(session)
    (file,) = _project(home).glob("*.jsonl")
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    alone = [{**record, "isSidechain": True, "agentId": "a1"} for record in records]
    below = file.with_suffix("") / "subagents" / "agent-a1.jsonl"
    below.parent.mkdir(parents=True)
    below.write_bytes(jsonl(*alone))
    file.unlink()
    os.utime(below, (clone.clock, clone.clock))
    assert _authors(clone, db)[0] == {"agent"}
