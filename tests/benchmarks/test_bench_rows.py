"""Every row of `make bench` comes out: each program once, on a small fixture. How long things
take is not looked at.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from bench_attribute import DATABASE, arriving, one_session
from support import ROOT
from support.answers import column, value
from support.builder import git
from support.commands import clone, run


def bench(program: str, *words: object) -> str:
    command = [sys.executable, str(ROOT / "benchmarks" / program), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def rows(text: str) -> list[list[str]]:
    """Of its tables, without their heads."""
    found = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    return [
        row
        for row, after in zip(found, [*found[1:], [""]], strict=True)
        if set(row[0]) != {"-"} and set(after[0]) != {"-"}
    ]


def numbers(cells: list[str]) -> list[float]:
    return [float(cell.split()[0].replace(",", "")) for cell in cells]


def test_runs_of_attribution(tmp_path: Path) -> None:
    (row,) = rows(
        bench("bench_attribute.py", "--runs", 1, "--markdown", clone("example", tmp_path))
    )
    size, inflate, parse, log, floor, first, ratio, *later = numbers(row[1:])
    assert size == 0 and min(inflate, parse, log) >= 0 and floor < first and ratio > 1
    elapsed, nothing, another, commits, session, memory = later
    assert min(elapsed, nothing, another, commits, session, memory) > 0
    assert "more than nothing new" in row[12]


def test_stored_line_history(tmp_path: Path) -> None:
    text = bench(
        "bench_history.py", "--repeat", 1, "--window", 5, "--no-blame", clone("example", tmp_path)
    )
    assert "  origins, lives, kept lines, in a database " in text
    (ratio,) = [
        line
        for line in text.splitlines()
        if line.startswith("  stored history against git log -p -U0: ")
    ]
    assert float(ratio.partition(": ")[2].split()[0]) > 1


def test_beside_other_programs(tmp_path: Path) -> None:
    (row,) = rows(bench("bench_others.py", "--runs", 1, clone("example", tmp_path)))
    *others, ours = row[1:]
    assert len(others) in (3, 4)  # git-of-theseus may not be installed
    assert float(ours) > 0 and min(numbers(others)) >= 0 and all(" to " in cell for cell in others)


def test_commands_and_pages(tmp_path: Path, db: Path) -> None:
    pytest.importorskip("datasette")
    pytest.importorskip("lifelines")
    path = clone("example", tmp_path)
    run("survival", path, "--no-curves", "-q", db=db)
    text = bench("bench_commands.py", "--runs", 1, "--db", db, path)
    found = rows(text)
    commands = ["why", "blame", "git blame --porcelain", "the start of Python"]
    commands += ["sessions", "sessions --columns features", "survival --no-curves", "survival"]
    assert [row[0] for row in found[:8]] == commands and len(found) == 11
    assert all(row[0].startswith("/") for row in found[8:]) and all(
        min(numbers(row[1:])) >= 0 for row in found
    )
    tables = value(db, "SELECT COUNT(*) FROM sqlite_master WHERE type IN ('table', 'view')")
    pages = int(text.partition(" pages of Datasette")[0].split()[-1])
    assert 40 < pages <= tables + 1


@pytest.mark.parametrize("case", ["example", "per_checkpoint_refs"])
def test_one_session_arrives_after_the_clone_was_attributed(case: str, tmp_path: Path) -> None:
    path = clone(case, tmp_path)
    late = arriving(path, tmp_path)
    assert late is not None and late.size > 0
    assert git(late.copy, "for-each-ref") == git(path, "for-each-ref")
    measured = one_session(late)
    assert measured.new > 0 and measured.unchanged > 0 and measured.size == late.size
    sessions = []
    for folder in (late.before, late.folder):
        sessions.append(set(column(folder / DATABASE, "SELECT key FROM sessions")))
    assert sessions[0] < sessions[1] and len(sessions[1] - sessions[0]) == 1
    # what was read before was found there again
    with closing(sqlite3.connect(late.folder / "sessions.db")) as cache:
        assert cache.execute(
            "SELECT COUNT(DISTINCT session) FROM sessions_read WHERE session <> ''"
        ).fetchone()[0] == len(sessions[1])
