"""One bad byte or number costs at most what it stands in: the example with damage in every
record, through the whole program.
"""

from __future__ import annotations

import importlib
import os
import re
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.builder import import_stream
from support.commands import check, run
from support.hostile import rewritten
from support.truth import REPOS

STREAM = (REPOS / "example" / "history.fi").read_bytes()
SHORT = rb'": ?"([^"\\]{0,40})"'
DAMAGE: dict[str, tuple[bytes, bytes]] = {
    "half a pair in the version": (rb'"version": ?"[^"]*"', rb'"version":"1.\\ud800"'),
    "a byte in the version": (rb'"version": ?"[^"]*"', b'"version":"1.\xe9"'),
    "half a pair in the model": (rb'"model": ?"[^"]*"', rb'"model":"m\\udc80"'),
    "a byte in the model": (rb'"model": ?"[^"]*"', b'"model":"m\xff"'),
    "half a pair in the agent": (rb'"cwd": ?', rb'"agentId":"a\\udfff","cwd":'),
    "half a pair in ids": (rb'"(uuid|parentUuid|id|tool_use_id|sessionId)": ?"', rb'"\1":"\\udfff'),
    "half a pair in paths": (rb'"(file_path|filePath|cwd)": ?"', rb'"\1":"/\\udfff'),
    "tokens that add up to more than 63 bits": (
        rb'"(\w+_tokens)": ?\d+',
        rb'"\1":9007199254740991',
    ),
    "huge numbers": (rb'": ?\d+([,}])', b'": 1' + b"0" * 30 + rb"\1"),
    "large numbers": (rb'": ?\d+([,}])', rb'": 9007199254740991\1'),
    "half a pair in all short texts": (SHORT, rb'": "\1\\ud800"'),
    "a NUL in all short texts": (SHORT, rb'": "\1\\u0000"'),
    "no short texts": (SHORT, rb'": null'),
    "lists for short texts": (SHORT, rb'": [[{}]]'),
}


def attributed(clone: Path, db: Path) -> None:
    run("survival", clone, "--no-curves", db=db)
    check(db)
    with sqlite3.connect(db) as connection:
        assert connection.execute("SELECT COUNT(*) FROM commits").fetchone()[0] > 5
        for (text,) in connection.execute(
            "SELECT agent_version || model FROM sessions WHERE model IS NOT NULL"
        ):
            assert text is None or text.encode()
    connection.close()


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_transcripts_cost_no_repository(tmp_path: Path, db: Path, name: str) -> None:
    pattern, replacement = DAMAGE[name]
    clone = import_stream(
        rewritten(STREAM, lambda data: re.sub(pattern, replacement, data)), tmp_path / "r"
    )
    attributed(clone, db)


def test_names_that_are_no_utf_8(tmp_path: Path, db: Path) -> None:
    clone = import_stream(STREAM, tmp_path / os.fsdecode(b"r\xe9"))
    git = [b"git", b"-C", bytes(clone)]
    head = subprocess.run(
        [*git, b"rev-parse", b"HEAD"], capture_output=True, check=True
    ).stdout.strip()
    subprocess.run([*git, b"update-ref", b"refs/heads/b\xe9", head], check=True)
    subprocess.run([*git, b"symbolic-ref", b"HEAD", b"refs/heads/b\xe9"], check=True)
    attributed(clone, tmp_path / "a.db")
    with (clone / "config").open("ab") as config:
        config.write(b'[remote "origin"]\n url = https://git.example/o\xe9/r\xe9.git\n')
    attributed(clone, db)
    with sqlite3.connect(db) as connection:
        assert connection.execute("SELECT name, branch FROM repos").fetchall() == [
            ("o\\xe9/r\\xe9", "b\\xe9")
        ]
    connection.close()


BROKEN = {
    "reader": ("collector.agents.claude_code", "read"),
    "edits": ("attribution.stages.sessions", "session_edits"),
    "rows": ("collector.load", "_call_rows"),
    "features": ("attribution.features", "of_session"),
}


@pytest.mark.parametrize("part", BROKEN)
def test_one_session_that_fails_costs_only_itself(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    clone = import_stream(STREAM, tmp_path / "r")
    home, name = BROKEN[part]
    module = importlib.import_module(home)
    whole = getattr(module, name)
    calls = []

    def broken(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 1:
            raise KeyError("\ud800 what nobody thought of")
        return whole(*arguments)

    monkeypatch.setattr(module, name, broken)
    attributed(clone, db)
    with sqlite3.connect(db) as connection:
        problems = connection.execute(
            "SELECT code, detail FROM problems WHERE code LIKE '%_failed'"
        ).fetchall()
        states = [state for (state,) in connection.execute("SELECT transcript FROM sessions")]
        people = connection.execute(
            "SELECT COUNT(*) FROM line_spans WHERE author = 'human'"
        ).fetchone()[0]
    connection.close()
    monkeypatch.setattr(module, name, whole)
    attributed(clone, tmp_path / "whole.db")
    with sqlite3.connect(tmp_path / "whole.db") as connection:
        assert (
            people
            <= connection.execute(
                "SELECT COUNT(*) FROM line_spans WHERE author = 'human'"
            ).fetchone()[0]
        )
    connection.close()
    assert len(problems) == 1 and "KeyError" in problems[0][1]
    assert problems[0][0] == ("features_failed" if part == "features" else "reading_failed")
    assert states.count("unreadable") == (part != "features") and len(states) > 1
