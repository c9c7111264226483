"""The builder itself: git accepts what it makes, the same input gives the same bytes, and its truth fits git's own diffs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import make_fixtures
import pytest
import random_history
from builder import git, import_stream

ENTRY_FLAGS = {"ambiguous", "maybe", "possible", "common"}


@pytest.mark.parametrize("name", make_fixtures.CASES)
def test_fixture_is_what_the_script_writes(name: str) -> None:
    stream, expected = make_fixtures.render(name)
    folder = make_fixtures.HERE / name
    assert (folder / "history.fi").read_bytes() == stream
    assert (folder / "expected.json").read_text(encoding="utf-8") == expected
    assert len(stream) < 60_000


@pytest.mark.parametrize("name", make_fixtures.CASES)
def test_fixture_agrees_with_git(name: str, tmp_path: Path) -> None:
    stream, expected = make_fixtures.render(name)
    check_repository(stream, json.loads(expected), tmp_path)


def check_repository(stream: bytes, expected: dict[str, Any], directory: Path) -> None:
    import_stream(stream, directory)
    assert git(directory, "fsck", "--strict", "--no-dangling") == b""
    for commit in expected["commits"]:
        for path, entries in commit["files"].items():
            check_entries(entries, f"{commit['subject']}: {path}")
        check_added(directory, commit)
    check_transcripts(directory)


def check_entries(entries: list[list[Any]], where: str) -> None:
    numbers = [entry[0] for entry in entries]
    assert numbers == sorted(set(numbers)), where
    for number, author, hows, session, call, flags in entries:
        assert author in ("agent", "human", "unknown"), where
        assert hows and (session is None) == (author != "agent") and (call is None or session), (where, number)
        assert all(flag in ENTRY_FLAGS or "=" in flag for flag in flags), (where, flags)


def check_added(directory: Path, commit: dict[str, Any]) -> None:
    """Git reports every line the truth calls new, and nothing that it does not at least call possible."""
    if len(git(directory, "rev-list", "--parents", "-n1", commit["sha"]).split()) > 2:
        return
    reported = added_lines(directory, commit["sha"])
    for path in reported.keys() | commit["files"].keys():
        entries = commit["files"].get(path, [])
        certain = {entry[0] for entry in entries if not {"maybe", "possible"} & set(entry[5])}
        found = reported.get(path, set())
        assert certain <= found <= {entry[0] for entry in entries}, (commit["subject"], path)


def added_lines(directory: Path, sha: str) -> dict[str, set[int]]:
    """Line numbers per path, from git's own patch; links and submodules have no lines."""
    options = ("--root", "-m", "-r", "-p", "-U0", "-M", "--no-commit-id", "--no-color", "--no-ext-diff")
    added: dict[str, set[int]] = {}
    path, text = "", True
    for line in git(directory, "-c", "core.quotepath=false", "diff-tree", *options, sha).split(b"\n"):
        if line.startswith(b"diff --git "):
            text = True
        if re.match(rb"(new file|new) mode 1[26]0000|index .* 1[26]0000$", line):
            text = False
        if line.startswith(b"+++ "):
            path = line[6:].rstrip(b"\t").decode("utf-8", "surrogateescape")
        hunk = re.match(rb"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if hunk and text:
            start, count = int(hunk[1]), int(hunk[2] or 1)
            if count:
                added.setdefault(path, set()).update(range(start, start + count))
    return added


def check_transcripts(directory: Path) -> None:
    """Complete transcripts are one JSON value per line."""
    for ref in git(directory, "for-each-ref", "--format=%(refname)").decode().split():
        for row in git(directory, "ls-tree", "-r", "-z", ref).split(b"\0"):
            if row.endswith((b"/full.jsonl", b"/raw_transcript")):
                text = git(directory, "cat-file", "blob", row.split()[2].decode()).decode()
                values = [json.loads(line) for line in text.splitlines()[:1]]
                assert all(isinstance(value, dict) for value in values)


@pytest.mark.parametrize("seed", range(12))
def test_random_history_agrees_with_git(seed: int, tmp_path: Path) -> None:
    stream, expected = random_history.generate(seed, 15)
    check_repository(stream, expected, tmp_path)


def test_random_history_is_the_same_every_time() -> None:
    assert random_history.generate(3, 20) == random_history.generate(3, 20)
    assert random_history.generate(3, 20) != random_history.generate(4, 20)
