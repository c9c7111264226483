"""Findings of other scanners: each with the author that blame names, hostile logs, wrong input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.answers import pick
from support.commands import Analysed, clone, run, run_rows

import whowrote
from attribution.demo import FILE
from collector.json_values import JsonObject


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    directory = tmp_path_factory.mktemp("sarif")
    return Analysed(clone("example", directory), directory / "out.db")


def _log(directory: Path, *results: Any, name: str = "CodeQL") -> Path:
    file = directory / "log.sarif"
    run_ = {"tool": {"driver": {"name": name}}, "results": list(results)}
    file.write_text(json.dumps({"version": "2.1.0", "runs": [run_]}), "utf-8")
    return file


def _result(path: str, start: Any, end: Any = None, rule: str = "py/sql") -> JsonObject:
    region = {"startLine": start} | ({"endLine": end} if end else {})
    place = {"physicalLocation": {"artifactLocation": {"uri": path}, "region": region}}
    return {"ruleId": rule, "level": "error", "message": {"text": "bad"}, "locations": [place]}


def test_each_finding_has_the_author_that_blame_names(example: Analysed, tmp_path: Path) -> None:
    repo, db = example
    with whowrote.open(repo, db) as opened:
        lines = [line for line in opened.blame(FILE) if line.text.strip()]
    log = _log(tmp_path, *(_result(FILE, line.line) for line in lines))
    found = run_rows("findings", "authors", log, repo, db=db)
    assert [row["line_class"] for row in found] == [line.attribution.kind for line in lines]
    assert {row["agent"] for row in found if row["line_class"] == "agent"} == {"claude-code"}
    assert {row["scanner"] for row in found} == {"CodeQL"} and {"agent", "likely_human"} <= {
        row["line_class"] for row in found
    }
    shown = run("findings", "authors", log, repo, db=db).stdout
    assert f"{len(lines)} findings:" in shown
    assert "right where readers checked" in " ".join(shown.split())


def test_most_lines_of_a_region_decide(example: Analysed, tmp_path: Path) -> None:
    repo, db = example
    (row,) = run_rows("findings", "authors", _log(tmp_path, _result(FILE, 13, 20)), repo, db=db)
    # line 18 is a person's
    assert pick(row, "line_class", "start_line", "end_line") == ("agent", "13", "20")


def test_what_cannot_be_looked_up_says_why(example: Analysed, tmp_path: Path) -> None:
    repo, db = example
    log = _log(
        tmp_path, _result("gone.py", 1), _result(FILE, 9_999), _result("birdlog%2Fcli.py", 13)
    )
    gone, beyond, encoded = run_rows("findings", "authors", log, repo, db=db)
    assert gone["line_class"] == "" and "gone.py" in gone["problem"]
    assert beyond["problem"] == "the file has no such line" and encoded["line_class"] == "agent"


def test_an_absolute_place_is_found_by_its_end(example: Analysed, tmp_path: Path) -> None:
    repo, db = example
    places = (f"/build/x/{FILE}", f"file:///home/runner/r/{FILE}")
    log = _log(tmp_path, *(_result(place, 13) for place in places))
    found = run_rows("findings", "authors", log, repo, db=db)
    assert [pick(row, "path", "line_class") for row in found] == [(FILE, "agent")] * 2


@pytest.mark.parametrize(
    "result",
    [
        _result("../../etc/passwd", 1),
        _result("/etc/passwd", 1),
        _result("file:///etc/passwd", 1),
        _result("https://evil/x", 1),
        _result(FILE, 0),
        _result(FILE, -1),
        _result(FILE, True),
        _result(FILE, "1"),
        _result("", 1),
        {},
        None,
        "text",
        {"locations": [None]},
    ],
)
def test_hostile_results_are_passed_over(example: Analysed, tmp_path: Path, result: Any) -> None:
    repo, db = example
    done = run("findings", "authors", _log(tmp_path, result), repo, db=db)
    assert "no finding with a place" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [("{", "is not JSON"), ("{}", "is not a SARIF log"), ("[" * 100_000, "is not JSON")],
)
def test_a_file_that_is_no_log(example: Analysed, tmp_path: Path, text: str, words: str) -> None:
    repo, db = example
    (tmp_path / "log").write_text(text)
    done = run("findings", "authors", tmp_path / "log", repo, code=2, db=db)
    assert words in done.stderr
