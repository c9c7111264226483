"""The scorer as a stranger has it: from the tar alone, run as a module, with programs of others."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from corpus.floors import SAMPLE
from corpus.release import make_release
from jsonschema import Draft202012Validator
from scorer.histories import apart_from, histories, run_in
from support.answers import pick

from collector.json_values import JsonObject

MOST = 2  # histories


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a release of two histories with databases holds; the tar stands beside it."""
    directory = tmp_path_factory.mktemp("release")
    first = sorted(histories(SAMPLE), key=lambda history: not any(history.rglob("*.db.sql")))
    for history in first[:MOST]:
        shutil.copytree(history, directory / "corpus" / history.name)
    with tarfile.open(make_release(directory / "corpus", directory)) as archive:
        archive.extractall(directory, filter="data")
    return next(directory.glob("*.tar.xz")).with_suffix("").with_suffix("")


def score(root: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs the scorer of the release, with nothing but Python's own library."""
    command = [sys.executable, "-S", "-m", "scorer", *map(str, arguments)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def ask(root: Path, *program: str) -> tuple[subprocess.CompletedProcess[str], list[JsonObject]]:
    """A run of a program of Python about the tar, and its answers."""
    answers = root.with_name("answers.jsonl")
    done = score(root, "run", f"{root}.tar.xz", answers, "--", sys.executable, *program)
    return done, [json.loads(line) for line in answers.read_text("utf-8").splitlines()]


def test_a_stranger_scores_git_blame_with_the_tar_alone(root: Path) -> None:
    scorer, answers = root / "scorer", root.with_name("answers.jsonl")
    done, rows = ask(root, str(scorer / "examples" / "blame.py"))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    schema = Draft202012Validator(json.loads((scorer / "answers.schema.json").read_text("utf-8")))
    assert all(map(schema.is_valid, rows))
    for wrong in ({"class": "human"}, {"line": 0}, {"commit": "HEAD"}, {"edited_by": "someone"}):
        assert not schema.is_valid(rows[0] | wrong), wrong
    # a person is said to have written every line, and the truth has others
    result = json.loads(score(root, "score", root, answers, "--json").stdout)
    assert pick(result, "histories", "without_answers") == (MOST, [])
    assert f"{result['lines']:,} lines are asked about" in (root / "CARD.md").read_text("utf-8")
    assert result["all"]["person_found"]["rate"] == 1
    assert result["all"]["agent_called_person"]["rate"] > 0.95
    assert result["all"]["person_precision"]["rate"] < 0.6
    shown = score(root, "score", f"{root}.tar.xz", answers).stdout
    assert "agent's line called a person's" in shown
    assert "people's lines called" in score(root, "compare", root, answers, answers).stdout


def test_the_same_histories_make_the_same_tar_with_its_digest_and_card(
    root: Path, tmp_path: Path
) -> None:
    again = make_release(root / "histories", tmp_path)
    assert again.read_bytes() == root.with_name(again.name).read_bytes()
    assert not subprocess.run(["sha256sum", "-c", f"{again}.sha256"], cwd=tmp_path).returncode
    assert {path.name for path in root.iterdir()} == {"CARD.md", "LICENSE", "histories", "scorer"}
    card = (root / "CARD.md").read_text("utf-8")
    assert f"{MOST} histories" in card
    assert "{" not in card


def test_a_program_sees_one_history_and_no_truth(root: Path) -> None:
    """What it leaves in its home, data or cache is not there for the next history."""
    program = """if True:
        import os, pathlib, subprocess
        home = pathlib.Path.home()
        left = [pathlib.Path(os.environ[f"XDG_{name}_HOME"]) / "left" for name in
                ("CONFIG", "DATA", "STATE", "CACHE")]
        assert pathlib.Path.cwd().parent == home
        assert all(path.is_relative_to(home) and not path.exists() for path in left)
        for path in left:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        assert not list(home.parent.rglob("truth.jsonl")) and not list(home.rglob("*.db.sql"))
        url = subprocess.run(["git", "remote", "get-url", "origin"], capture_output=True, text=True)
        assert not pathlib.Path(url.stdout.strip()).exists()
    """
    done, rows = ask(root, "-c", program)
    assert done.returncode == 0, done.stderr
    assert [set(row) for row in rows] == [{"history", "cpu_seconds"}] * MOST


def test_the_truth_cannot_be_read_where_it_lies(root: Path) -> None:
    if not apart_from(root):
        pytest.skip("this machine cannot hide a directory from a program")
    program = f"import pathlib; assert not [*pathlib.Path({str(root)!r}).rglob('truth.jsonl')]"
    done = score(
        root, "run", root, root.with_name("none.jsonl"), "--", sys.executable, "-c", program
    )
    assert done.returncode == 0, done.stderr


def test_a_program_that_fails_or_takes_too_long_has_no_answers(root: Path) -> None:
    done, rows = ask(root, "-c", "raise SystemExit(7)")
    assert (done.returncode, rows) == (1, [])
    assert "ended with 7" in done.stderr
    with pytest.raises(RuntimeError, match="not done after 0 s"):
        run_in(root, [sys.executable, "-c", "import time; time.sleep(60)"], 0.1)


def test_what_cannot_be_scored_is_said_in_a_line(root: Path) -> None:
    done = score(root, "score", root / "scorer", "answers.jsonl")
    assert done.returncode == 2
    assert done.stderr == f"whowrote-score: {root / 'scorer'} holds no histories\n"
    answers = root.with_name("wrong.jsonl")
    for text in ("nothing", "[]", '{"class": "agent"}'):
        answers.write_text(text)
        assert score(root, "score", root, answers).returncode == 2
    assert score(root, "score", answers, answers).returncode == 2  # no tar
