"""The builder itself: git accepts what it makes, the same input gives the same bytes, and its
truth fits git's own diffs.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import make_fixtures
import pytest
from support import random_history
from support.builder import File, Line, World, compare, git, import_stream, new_file, replaced
from support.claude_writer import structured_patch

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
        assert author in ("agent", "declared", "human", "unknown"), where
        assert hows and (session is None) == (author != "agent") and (call is None or session), (
            where,
            number,
        )
        assert all(flag in ENTRY_FLAGS or "=" in flag for flag in flags), (where, flags)


def check_added(directory: Path, commit: dict[str, Any]) -> None:
    """Git reports every line the truth calls new, and nothing that it does not at least call
    possible.
    """
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
    options = (
        "--root",
        "-m",
        "-r",
        "-p",
        "-U0",
        "-M",
        "--no-commit-id",
        "--no-color",
        "--no-ext-diff",
    )
    added: dict[str, set[int]] = {}
    path = ""
    text = True
    for line in git(directory, "-c", "core.quotepath=false", "diff-tree", *options, sha).split(
        b"\n"
    ):
        if line.startswith(b"diff --git "):
            text = True
        if re.match(rb"(new file|new) mode 1[26]0000|index .* 1[26]0000$", line):
            text = False
        if line.startswith(b"+++ "):
            path = line[6:].rstrip(b"\t").decode("utf-8", "surrogateescape")
        hunk = re.match(rb"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if hunk and text:
            start = int(hunk[1])
            count = int(hunk[2] or 1)
            if count:
                added.setdefault(path, set()).update(range(start, start + count))
    return added


def check_transcripts(directory: Path) -> None:
    """Stored transcripts hold JSON values, several of them on a line at most; only the last may
    be cut short.
    """
    for ref in git(directory, "for-each-ref", "--format=%(refname)").decode().split():
        folders: dict[bytes, list[str]] = {}
        for row in git(directory, "ls-tree", "-r", "-z", ref).split(b"\0"):
            if re.search(rb"/(full\.jsonl(\.\d+)?|raw_transcript|transcript\.jsonl)$", row):
                text = git(directory, "cat-file", "blob", row.split()[2].decode()).decode()
                folders.setdefault(row.rpartition(b"/")[0].split()[3], []).append(text)
        for parts in folders.values():
            assert all(isinstance(value, dict) for value in values("\n".join(parts)))


def values(text: str) -> list[Any]:
    decoder = json.JSONDecoder()
    found = list[Any]()
    text = text.strip()
    while text:
        try:
            value, end = decoder.raw_decode(text)
        except ValueError:
            assert "\n" not in text
            return found
        found.append(value)
        text = text[end:].lstrip()
    return found


@pytest.mark.parametrize("seed", range(12))
def test_random_history_agrees_with_git(seed: int, tmp_path: Path) -> None:
    stream, expected = random_history.generate(seed, 15)
    check_repository(stream, expected, tmp_path)


def test_random_histories_hold_every_kind_of_line() -> None:
    kinds = {
        kind
        for seed in range(12)
        for kind in random_history.kinds(random_history.history(seed, 15))
    }
    assert kinds == {"human", "agent", "shell", "hidden", "tweak", "format", "move", "restore"}


def test_lines_that_an_edit_repeats_stay_who_they_were() -> None:
    w = World("repeat")
    w.human_write("a.py", "first = 1\nsecond = 2\nthird = 3\n")
    first, _, third = w.files["a.py"].lines
    call = w.session().edit("a.py", "first = 1\nsecond = 2\nthird", "zeroth = 0\nfirst = 1\nthird")
    assert [line.text for line in w.files["a.py"].lines] == ["zeroth = 0", "first = 1", "third = 3"]
    assert w.files["a.py"].lines[1:] == (first, third)
    assert (w.files["a.py"].lines[0].kind, w.files["a.py"].lines[0].call) == ("agent", call)


def test_part_of_a_line_makes_the_line_the_editors() -> None:
    w = World("part")
    w.human_write("a.py", "total = sum(amounts)\nprint(total)\n")
    w.session().edit("a.py", "sum(amounts)", "sum(amounts, start)")
    assert [line.kind for line in w.files["a.py"].lines] == ["agent", "human"]


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ("a\nb", "b", "b\nc", "a\nb\nc"),
        ("a\nb\n", "b\n", "", "a\n"),
        ("a\nb\n", "b\n", "b\n\n", "a\nb\n\n"),
        ("a\nb", "\nb", "\n", "a\n"),
        ("a\n", "a\n", "", ""),
        ("", "", "", ""),
    ],
)
def test_edits_at_the_end_of_a_file(before: str, old: str, new: str, after: str) -> None:
    make = lambda text: Line(text, "human")  # noqa: E731 - one expression, used twice
    file = new_file(before, make)
    assert (replaced(file, old, new, make) if old else file).text() == after


def test_patches_draw_tabs_as_two_spaces_and_mark_missing_newlines() -> None:
    (hunk,) = structured_patch("\tone\ntwo", "\tone\n\t\tand\ntwo\n")
    assert hunk == {
        "oldStart": 1,
        "oldLines": 2,
        "newStart": 1,
        "newLines": 3,
        "lines": ["   one", "-two", "\\ No newline at end of file", "+    and", "+two"],
    }


def test_blocks_of_one_message_share_its_id_and_usage() -> None:
    s = World("blocks").session()
    s.prompt("Write it.")
    s.write("a.py", "x = 1\n", say="Here it comes.")
    said, called = (record.data for record in s.log.records if record.data["type"] == "assistant")
    assert (
        said["message"]["id"] == called["message"]["id"]
        and said["message"]["usage"] == called["message"]["usage"]
    )
    assert called["parentUuid"] == said["uuid"] and said["timestamp"] < called["timestamp"]


def test_refused_edits_change_nothing() -> None:
    w = World("refused")
    w.human_write("a.py", "x = 1\n")
    s = w.session()
    s.edit_error("a.py", "x = 2", "x = 3")
    s.edit_rejected("a.py", "x = 1", "x = 4", saying="leave it")
    s.edit_cut_off("a.py", "x = 1", "x = 5")
    assert w.files["a.py"].text() == "x = 1\n" and not s.changes


def test_an_equal_line_nearby_may_be_taken_for_a_new_one() -> None:
    a = Line("alpha", "human")
    b = Line("beta", "human")
    blank = Line("", "human")
    between = [Line("new", "agent"), Line("", "agent")]
    old = File((a, blank, b))
    new = File((a, blank, *between, b))
    assert compare(old, new) == ["", "possible", "new", "maybe", ""]


def test_a_small_block_that_moved_is_what_git_reports() -> None:
    lines = [Line(f"line {i}", "human") for i in range(8)]
    moved = Line("line 1", "move", origin=lines[1])
    assert compare(File(tuple(lines)), File((lines[0], *lines[2:], moved))) == [*[""] * 7, "new"]


def test_a_worktree_can_be_checked_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    make_fixtures.CASES["write_and_edit"]().build(tmp_path / "repo", bare=False)
    assert (tmp_path / "repo" / "monthly.py").read_text() == make_fixtures.MONTHLY
    assert git(tmp_path / "repo", "status", "--porcelain") == b""


def test_a_human_replacement_must_not_resemble_what_it_replaces() -> None:
    w = World("resemble")
    w.session().write("a.py", "remaining = limit - spent\n")
    with pytest.raises(ValueError, match="tweak"):
        w.human_replace("a.py", "spent", "used")
    with pytest.raises(ValueError, match="little in common"):
        w.human_tweak("a.py", "remaining = limit - spent", "return nothing(at, all)")
