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
from corpus.release import RELEASE, make_release
from jsonschema import Draft202012Validator
from scorer.histories import about, histories, open_corpus, run_in

from collector.json_values import JsonObject

CHOSEN = ("00007", "00017")  # one of them has lines of a tool


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two histories of the sample."""
    directory = tmp_path_factory.mktemp("corpus")
    for name in CHOSEN:
        shutil.copytree(SAMPLE / name, directory / name)
    return directory


@pytest.fixture(scope="module")
def place(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the tar of a release, and what it holds."""
    directory = tmp_path_factory.mktemp("release")
    with tarfile.open(make_release(corpus, directory)) as archive:
        archive.extractall(directory, filter="data")
    return directory


def scorer(place: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scorer", *map(str, arguments)],
        cwd=place / f"whowrote-corpus-{RELEASE}",
        capture_output=True,
        text=True,
        check=False,
    )


def rows_of(path: Path) -> list[JsonObject]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_stranger_scores_git_blame_with_the_tar_alone(place: Path) -> None:
    tar, answers = place / f"whowrote-corpus-{RELEASE}.tar", place / "blame.jsonl"
    example = place / f"whowrote-corpus-{RELEASE}" / "scorer" / "examples" / "blame.py"
    done = scorer(place, "run", tar, answers, "--", sys.executable, example)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    result = json.loads(scorer(place, "score", tar, answers, "--json").stdout)
    assert result["histories"] == len(CHOSEN)
    assert result["without_answers"] == 0
    assert result["cpu_seconds"]["most"] > 0
    # a person is said to have written every line, and the truth has others
    assert result["all"]["person_found"]["rate"] == 1
    assert result["all"]["agent_called_person"]["rate"] > 0.95
    assert result["all"]["person_precision"]["rate"] < 0.6
    shown = scorer(place, "score", tar, answers).stdout
    assert "agent's line called a person's" in shown
    assert "other wrong answer" in shown
    compared = scorer(place, "compare", tar, answers, answers).stdout
    assert "people" in compared


def test_every_row_of_answers_fits_the_schema(place: Path, corpus: Path) -> None:
    root = place / f"whowrote-corpus-{RELEASE}" / "scorer"
    schema = Draft202012Validator(json.loads((root / "answers.schema.json").read_text("utf-8")))
    answers = place / "rows.jsonl"
    done = scorer(place, "run", corpus, answers, "--", sys.executable, root / "examples/blame.py")
    assert done.returncode == 0, done.stderr
    rows = rows_of(answers)
    assert {row["history"] for row in rows} == set(CHOSEN)
    assert all(schema.is_valid(row) for row in rows)
    line = next(row for row in rows if "line" in row)
    for wrong in ({"class": "human"}, {"line": 0}, {"commit": "HEAD"}, {"edited_by": "someone"}):
        assert not schema.is_valid(line | wrong), wrong
    assert not schema.is_valid({"commit": line["commit"], "path": "a", "class": "agent"})


def test_the_same_histories_make_the_same_tar(corpus: Path, place: Path, tmp_path: Path) -> None:
    again = make_release(corpus, tmp_path)
    assert again.read_bytes() == (place / again.name).read_bytes()
    done = subprocess.run(["sha256sum", "-c", f"{again.name}.sha256"], cwd=tmp_path, check=False)
    assert done.returncode == 0


def test_the_card_says_what_the_release_holds(corpus: Path, place: Path) -> None:
    root = place / f"whowrote-corpus-{RELEASE}"
    text = (root / "CARD.md").read_text("utf-8")
    assert "{" not in text
    lines = sum(sum(about(history)["lines"].values()) for history in histories(corpus))
    assert f"{len(CHOSEN)} histories" in text
    assert f"{lines:,} lines" in text
    assert {path.name for path in root.iterdir()} == {"CARD.md", "LICENSE", "histories", "scorer"}


def test_a_program_sees_one_history_and_no_answers(place: Path, corpus: Path) -> None:
    """What it leaves in its home, data or cache is not there for the next history."""
    program = """if True:
        import json, os, pathlib, subprocess, sys
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
    answers = place / "none.jsonl"
    done = scorer(place, "run", corpus, answers, "--", sys.executable, "-c", program)
    assert done.returncode == 0, done.stderr
    assert [set(row) for row in rows_of(answers)] == [{"history", "cpu_seconds"}] * len(CHOSEN)


def test_a_program_that_fails_or_takes_too_long_has_no_answers(place: Path, corpus: Path) -> None:
    answers = place / "failed.jsonl"
    done = scorer(place, "run", corpus, answers, "--", sys.executable, "-c", "raise SystemExit(7)")
    assert done.returncode == 1
    assert "00007: ended with 7" in done.stderr
    assert rows_of(answers) == []
    with pytest.raises(RuntimeError, match="not done after 0 s"):
        run_in(place, [sys.executable, "-c", "import time; time.sleep(60)"], 0.1)


def test_what_holds_no_histories_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no histories"), open_corpus(tmp_path):
        pass
