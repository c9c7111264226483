"""Line lifetimes in constructed histories, where the truth is known by construction, and
`git blame` as the second witness.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.histories import Build, Files, drop, random_history, text, words

from attribution.lineage.git_blame import blame
from attribution.lineage.lifetimes import LineLifetime, LineLifetimes
from attribution.lineage.match_policy import LineHunk, find_kept
from attribution.lineage.model import (
    BEFORE,
    BINARY,
    COPY,
    CommitStep,
    LineHistory,
    Origins,
    State,
    numbers,
    runs,
    trim_common_lines,
    vector,
)
from attribution.lineage.state import continues, dump, load
from attribution.lineage.walk import HistoryWalk, WalkOptions
from collector.git.diff_tree import unquote
from collector.git.program import GitFailed, ScratchGit
from collector.git.repository import GitRepo, line_changes
from collector.json_values import Numbers
from collector.text import split_lines


class Ledger:
    """Counts the lines at each commit from births and deaths alone."""

    def __init__(self) -> None:
        self.lines: Numbers = {}
        self.steps: dict[str, CommitStep] = {}

    def step(self, step: CommitStep) -> None:
        left, came = step.flow()
        before = self.lines.get(step.parents[0], 0) if step.parents else 0
        born = sum(b.lines for b in step.born)
        self.lines[step.sha] = before + born + sum(came.values()) - sum(left.values())
        self.steps[step.sha] = step


class Walk:
    """A full pass with everything recorded."""

    def __init__(self, build: Build, tip: str, keep: bool = False, max_file: int = 1 << 20) -> None:
        self.repo = build.done() if not build.sha else GitRepo(build.where)
        self.build = build
        self.ledger = Ledger()
        self.observer = LineLifetimes()
        self.states: dict[str, State] = {}
        options = WalkOptions(max_file=max_file, keep=keep)
        with self.repo.open_scratch() as git:
            self.history = HistoryWalk(self.repo, git, options).run(
                build.sha[tip],
                observers=[
                    self.ledger.step,
                    self.observer.step,
                    lambda step: self.states.update({step.sha: step.state.copy()}),
                ],
            )
        self.lifetimes = list(self.observer.spans(self.history))

    def origins(self, commit: str, path: str) -> list[tuple[str, str, int]]:
        """(commit name, path, line) of each line."""
        found = [
            self.history.line(o) for o in numbers(self.states[self.build.sha[commit]][path].vector)
        ]
        return [(self.build.name.get(sha, ""), name, line) for sha, name, line in found]

    def deaths(self) -> set[tuple[str, str, int, str, str]]:
        """(born in, path, line, ended by, cause) of every dead line."""
        name = [self.build.name[sha] for sha in self.history.shas]
        return {
            (name[life.birth], life.path, life.line + shift, name[life.death], life.cause)
            for life in self.lifetimes
            if life.death >= 0
            for shift in range(life.lines)
        }

    def check(self, blamed: bool = True) -> None:
        """Conservation at every commit, vectors as long as the files, and agreement with git
        blame everywhere.
        """
        with self.repo.open_scratch() as git:
            for sha, state in self.states.items():
                assert self.ledger.lines[sha] == sum(len(f.vector) // 4 for f in state.values()), (
                    self.build.name[sha]
                )
                for path, file in state.items():
                    data = self.repo.blob(file.oid)
                    assert data is not None and len(split_lines(data)) * 4 == len(file.vector), (
                        path,
                        file,
                    )
                    if blamed and data:
                        theirs = [tuple(line) for line in blame(git, sha, path)]
                        assert [self.history.line(o) for o in numbers(file.vector)] == theirs, (
                            self.build.name[sha],
                            path,
                        )
        assert sum(life.lines for life in self.lifetimes) == self.history.origins.next - 1


def checked_walk(build: Build, tip: str, **options: Any) -> Walk:
    walk = Walk(build, tip, **options)
    walk.check()
    return walk


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return Build(tmp_path / "repo.git")


# --- ordinary commits -----------------------------------------------------------------------------


def test_edit_and_delete(build: Build) -> None:
    build.commit("one", {"f": ["a", "b", "c", "d"]})
    build.commit("two", {"f": ["a", "B", "c"]})
    walk = checked_walk(build, "two")
    assert walk.origins("two", "f") == [("one", "f", 1), ("two", "f", 2), ("one", "f", 3)]
    assert walk.deaths() == {("one", "f", 2, "two", "modified"), ("one", "f", 4, "two", "deleted")}


def test_no_newline_at_the_end(build: Build) -> None:
    build.commit("one", {"f": b"a\nb"})
    build.commit("two", {"f": b"a\nb\nc"})
    build.commit("three", {"f": b"a\nb\nc\n", "g": b""})
    walk = checked_walk(build, "three")
    assert walk.origins("three", "f") == [("one", "f", 1), ("two", "f", 2), ("three", "f", 3)]


def test_rename_with_an_edit(build: Build) -> None:
    lines = words(10)
    build.commit("one", {"old": [*lines]})
    build.commit("two", {"new": [*lines[:9], "other"]})
    walk = checked_walk(build, "two")
    assert walk.origins("two", "new") == [("one", "old", n) for n in range(1, 10)] + [
        ("two", "new", 10)
    ]
    assert walk.deaths() == {("one", "old", 10, "two", "modified")}


def test_two_files_swap_their_names(build: Build) -> None:
    a = text(*words(8, "a"))
    b = text(*words(8, "b"))
    build.commit("one", {"dir/a": a, "dir/b": b})
    build.commit("two", {"dir/a": b, "dir/b": a})
    walk = Walk(build, "two")
    walk.check()  # git sees two modified files, as no path was added
    assert {origin[0] for origin in walk.origins("two", "dir/a")} == {"two"}


def test_a_ring_of_renames_through_new_names(build: Build) -> None:
    a = text(*words(8, "a"))
    b = text(*words(8, "b"))
    build.commit("one", {"a": a, "b": b})
    build.commit("two", {"c": b, "d": a})
    walk = checked_walk(build, "two")
    assert walk.origins("two", "c")[0] == ("one", "b", 1)
    assert not walk.deaths()


def test_one_source_goes_on_in_two_files(build: Build) -> None:
    lines = words(12)
    build.commit("one", {"f": [*lines]})
    build.commit("two", {"g": [*lines[:10]], "h": [*lines[2:]]})
    build.commit("three", {"g": [*lines[:10]]})
    walk = checked_walk(build, "three")
    assert walk.deaths() == {
        ("one", "f", 11, "three", "file_deleted"),
        ("one", "f", 12, "three", "file_deleted"),
    }


def test_delete_and_restore(build: Build) -> None:
    body = text(*words(5))
    build.commit("one", {"f": body, "g": ["x"]})
    build.commit("two", {"g": ["x"]})
    build.commit("three", {"f": body, "g": ["x"]})
    walk = checked_walk(build, "three")
    assert walk.origins("three", "f")[0] == ("three", "f", 1)
    assert {(d[3], d[4]) for d in walk.deaths()} == {("two", "file_deleted")}


def test_mode_change_keeps_every_line(build: Build) -> None:
    build.commit("one", {"f": ["a", "b"]})
    build.commit("two", {"f": ("100755", text("a", "b"))})
    build.commit("three", {"f": ("100644", text("a", "c"))})
    walk = checked_walk(build, "three")
    assert walk.origins("three", "f") == [("one", "f", 1), ("three", "f", 2)]


def test_type_change_ends_every_line(build: Build) -> None:
    build.commit("one", {"f": ["target"], "g": ["keep"]})
    build.commit("two", {"f": ("120000", b"target"), "g": ["keep"]})
    build.commit("three", {"f": ["target"], "g": ["keep"]})
    walk = checked_walk(build, "three")
    assert walk.origins("three", "f") == [("three", "f", 1)]


def test_submodules_have_no_lines(build: Build) -> None:
    link = ("160000", b"1" * 40)
    build.commit("one", {"f": ["a"], "lib": link})
    build.commit("two", {"f": ["a", "b"], "lib": ("160000", b"2" * 40)})
    build.commit("three", {"f": ["a", "b"], "lib": ["now", "a file"]})
    build.commit("four", {"f": ["a", "b"], "lib": link})
    walk = checked_walk(build, "four")
    assert set(walk.states[build.sha["four"]]) == {"f"}


def test_file_becomes_directory_and_back(build: Build) -> None:
    body = text(*words(6))
    build.commit("one", {"f": body})
    build.commit("two", {"f/inside": body})
    build.commit("three", {"f": body})
    walk = checked_walk(build, "three")
    assert walk.origins("three", "f")[0] == ("one", "f", 1)


def test_text_binary_text(build: Build) -> None:
    lines = words(6)
    build.commit("one", {"f": [*lines], "i": b"\x89PNG\0\n\n\0"})
    build.commit("two", {"f": [*lines[:3], "\0", *lines[3:]], "i": b"\x89PNG\0\n\n\0x"})
    build.commit("three", {"f": [*lines]})
    walk = checked_walk(build, "three")
    assert {origin[0] for origin in walk.origins("three", "f")} == {"one"}
    flags = {life.path: life.flags for life in walk.lifetimes if life.birth == 0}
    assert flags["i"] & BINARY and not flags["f"] & BINARY


def test_names_that_need_quotes(build: Build) -> None:
    paths = [
        'with "quotes"',
        "back\\slash",
        "new\nline",
        "tab\there",
        "ünï",
        "caf\udce9",
        "a b/ b",
        "-x",
        ":(glob)*",
    ]
    first: Files = {path: text(*words(3, str(n))) for n, path in enumerate(paths)}
    second: Files = {path: text(*words(3, str(n)), "more") for n, path in enumerate(paths)}
    build.commit("one", first)
    build.commit("two", second)
    walk = checked_walk(build, "two")
    assert set(walk.states[build.sha["two"]]) == set(paths)


def test_text_that_looks_like_a_patch(build: Build) -> None:
    sly = [
        "diff --git a/x b/x",
        "@@ -1 +1 @@",
        "--- a/x",
        "+++ b/x",
        "\\ No newline at end of file",
        "0" * 40,
    ]
    build.commit("one", {"f": ["a", *sly]})
    build.commit("two", {"f": ["a", *sly[::-1], "b"]})
    build.commit("three", {"f": "\n".join(["- x", "+ y", *sly]).encode()})
    Walk(build, "three").check()
    Walk(build, "three", True).check(blamed=False)


# --- merges ---------------------------------------------------------------------------------------


def test_merge_keeps_the_origins_of_both_sides(build: Build) -> None:
    base = words(20)
    left = [*base]
    right = [*base]
    left[2] = "left"
    right[17] = "right"
    both = [*base]
    both[2], both[17] = "left", "right"
    build.commit("base", {"f": [*base]})
    build.commit("left", {"f": [*left]})
    build.commit("right", {"f": [*right], "new": ["n"]}, "base")
    build.commit("merge", {"f": [*both], "new": ["n"]}, "left right")
    walk = checked_walk(build, "merge")
    assert walk.origins("merge", "f")[17] == ("right", "f", 18)
    assert walk.origins("merge", "new") == [("right", "new", 1)]
    assert walk.deaths() == {
        ("base", "f", 3, "left", "modified"),
        ("base", "f", 18, "right", "modified"),
    }


def test_a_merge_that_ignores_a_branch(build: Build) -> None:
    build.commit("base", {"f": ["a"]})
    build.commit("left", {"f": ["a", "left"]})
    build.commit("right", {"f": ["a", "right"], "g": ["gone"]}, "base")
    build.commit("merge", {"f": ["a", "left"]}, "left right")
    walk = checked_walk(build, "merge")
    assert not _same(walk)
    assert walk.deaths() == {
        ("right", "f", 2, "merge", "merge"),
        ("right", "g", 1, "merge", "merge"),
    }


def test_octopus(build: Build) -> None:
    base = words(30)
    build.commit("base", {"f": [*base]})
    result = [*base]
    for number in range(4):
        mine = [*base]
        mine[number * 8] = result[number * 8] = f"arm {number}"
        build.commit(f"arm{number}", {"f": [*mine], f"own{number}": ["own"]}, "base")
    files: Files = {f"own{number}": ["own"] for number in range(4)}
    build.commit("octopus", {"f": [*result, "extra"], **files}, "arm0 arm1 arm2 arm3")
    walk = checked_walk(build, "octopus")
    assert [walk.origins("octopus", "f")[n * 8][0] for n in range(4)] == [
        "arm0",
        "arm1",
        "arm2",
        "arm3",
    ]
    assert walk.origins("octopus", "f")[-1] == ("octopus", "f", 31)


def test_criss_cross(build: Build) -> None:
    base = words(20)

    def variant(*changes: tuple[int, str]) -> bytes:
        lines = [*base]
        for at, line in changes:
            lines[at] = line
        return text(*lines)

    build.commit("base", {"f": variant()})
    build.commit("l1", {"f": variant((1, "l1"))})
    build.commit("r1", {"f": variant((10, "r1"))}, "base")
    build.commit("l2", {"f": variant((1, "l1"), (10, "r1"))}, "l1 r1")
    build.commit("r2", {"f": variant((1, "l1"), (10, "r1"))}, "r1 l1")
    build.commit("l3", {"f": variant((1, "l3"), (10, "r1"))}, "l2")
    build.commit("r3", {"f": variant((1, "l1"), (10, "r3"))}, "r2")
    build.commit("top", {"f": variant((1, "l3"), (10, "r3"))}, "l3 r3")
    walk = checked_walk(build, "top")
    assert walk.origins("top", "f")[1][0] == "l3"
    assert walk.origins("top", "f")[10][0] == "r3"
    assert ("r1", "f", 11, "r3", "modified") in walk.deaths()


def test_rename_on_one_side_and_edit_on_the_other(build: Build) -> None:
    base = words(12)
    build.commit("base", {"old": [*base]})
    build.commit("left", {"new": [*base]})
    build.commit("right", {"old": [*base[:11], "right"]}, "base")
    build.commit("merge", {"new": [*base[:11], "right"]}, "left right")
    walk = checked_walk(build, "merge")
    assert walk.origins("merge", "new")[11] == ("right", "old", 12)
    assert walk.origins("merge", "new")[0] == ("base", "old", 1)


def test_a_line_removed_on_a_branch_that_comes_back(build: Build) -> None:
    build.commit("base", {"f": ["a", "b", "c"], "g": ["g"]})
    build.commit("left", {"f": ["a", "c"], "g": ["g"]})
    build.commit("right", {"f": ["a", "b", "c"], "g": ["g", "h"]}, "base")
    build.commit("merge", {"f": ["a", "b", "c"], "g": ["g", "h"]}, "left right")
    build.commit("end", {"f": ["a", "c"], "g": ["g", "h"]})
    walk = checked_walk(build, "end")
    assert walk.deaths() == {("base", "f", 2, "end", "deleted")}


def test_a_branch_that_is_merged_twice(build: Build) -> None:
    build.commit("base", {"f": ["a", "b"], "g": ["g"]})
    build.commit("right", {"f": ["a"], "g": ["g"]})
    build.commit("left", {"f": ["a", "b"], "g": ["g", "h"]}, "base")
    build.commit("ignored", {"f": ["a", "b"], "g": ["g", "h"]}, "left right")
    build.commit("right2", {"f": ["a"], "g": ["x", "g"]}, "right")
    build.commit("taken", {"f": ["a"], "g": ["x", "g", "h"]}, "ignored right2")
    walk = checked_walk(build, "taken")
    assert walk.deaths() == {("base", "f", 2, "right", "deleted")}
    left = [walk.history.shas[life.left] for life in walk.lifetimes if life.death >= 0]
    assert left == [build.sha["taken"]]


def test_unrelated_roots(build: Build) -> None:
    build.commit("one", {"f": ["a"]})
    build.commit("two", {"g": ["b"], "f": ["z"]}, "")
    build.commit("merge", {"f": ["a", "z"], "g": ["b"]}, "one two")
    walk = checked_walk(build, "merge")
    assert walk.origins("merge", "f") == [("one", "f", 1), ("two", "f", 1)]


@pytest.mark.parametrize("seed", range(6))
def test_random_histories_agree_with_blame(build: Build, seed: int) -> None:
    tip = random_history(build, random.Random(seed), 30)
    build.done()
    reached = Walk(build, tip)
    reached.check()
    Walk(build, tip, True).check(blamed=False)


# --- what a clone cannot show ---------------------------------------------------------------------


@pytest.mark.parametrize("at", ["merge", "right"])
def test_a_missing_tree_is_reported(build: Build, at: str) -> None:
    build.commit("one", {"d/f": ["a"]})
    build.commit("left", {"d/f": ["a", "left"]})
    build.commit("right", {"d/f": ["right", "a"]}, "one")
    build.commit("merge", {"d/f": ["right", "a", "left"]}, "left right")
    build.commit("end", {"d/f": ["right", "a", "left", "end"]})
    repo = build.done()
    drop(build.where, repo.entries(build.sha[at])["d"][0])
    walk = Walk(build, "end")
    assert "missing_tree" in {p.code for p in walk.history.problems}
    state = walk.states[build.sha["end"]]
    assert (
        walk.ledger.lines[build.sha["end"]] == sum(len(f.vector) // 4 for f in state.values()) == 4
    )


def test_a_missing_commit_ends_the_history(build: Build) -> None:
    build.commit("one", {"f": ["a"]})
    build.commit("two", {"f": ["a", "b"]})
    build.commit("three", {"f": ["a", "b", "c"]})
    build.done()
    drop(build.where, build.sha["one"])
    walk = Walk(build, "three")
    assert walk.origins("three", "f") == [("two", "f", 1), ("two", "f", 2), ("three", "f", 3)]
    assert walk.history.boundary == {build.sha["two"]}
    assert "incomplete_history" in {p.code for p in walk.history.problems}


def test_a_shallow_clone_names_its_boundary(build: Build) -> None:
    for number in range(5):
        build.commit(f"c{number}", {"f": words(number + 1)})
    build.done()
    subprocess.run(
        ["git", "-C", str(build.where), "update-ref", "refs/heads/tip", build.sha["c4"]], check=True
    )
    clone = build.where.parent / "shallow.git"
    source = build.where.as_uri()
    command = [
        "git",
        "clone",
        "-q",
        "--bare",
        "--depth=2",
        "--single-branch",
        "--branch=tip",
        source,
        str(clone),
    ]
    subprocess.run(command, check=True)
    repo = GitRepo(clone)
    with repo.open_scratch() as git:
        history = HistoryWalk(repo, git).run(build.sha["c4"])
    assert history.boundary == {build.sha["c3"]}
    assert len(history.state["f"].vector) == 5 * 4


# --- the same text on both sides of a merge -------------------------------------------------------


def _same(walk: Walk) -> set[tuple[str, str, int, str, int]]:
    """(born in, path, line, goes on as a line of, its number)."""
    found = set()
    for x in walk.lifetimes:
        if x.same_as > BEFORE:
            for shift in range(x.lines):
                sha, _, line = walk.history.line(x.same_as + shift)
                found.add(
                    (
                        walk.build.name[walk.history.shas[x.birth]],
                        x.path,
                        x.line + shift,
                        walk.build.name[sha],
                        line,
                    )
                )
    return found


def test_lines_that_both_sides_of_a_merge_wrote_go_on_as_those_it_kept(build: Build) -> None:
    both = ["one more function", "with two lines"]
    build.commit("base", {"f": ["a", "b", "c"]})
    build.commit("side", {"f": ["a", *both, "b", "c"], "g": ["new", "file"]})
    build.commit("main", {"f": ["a", *both, "b", "c", "d"], "g": ["new", "file"]}, "base")
    build.commit("merge", {"f": ["a", *both, "b", "c", "d"], "g": ["new", "file"]}, "main side")
    build.commit("later", {"f": ["a", both[0], "b", "c", "d"], "g": ["new", "file"]})
    walk = Walk(build, "later")
    assert _same(walk) == {
        ("side", "f", 2, "main", 2),
        ("side", "f", 3, "main", 3),
        ("side", "g", 1, "main", 1),
        ("side", "g", 2, "main", 2),
    }
    assert walk.deaths() == {
        ("side", "f", 3, "later", "deleted"),
        ("main", "f", 3, "later", "deleted"),
    }


def test_lines_of_the_main_line_go_on_as_those_of_a_branch_that_a_merge_takes_whole(
    build: Build,
) -> None:
    build.commit("base", {"f": ["a"]})
    build.commit("main", {"f": ["a", "same"]})
    build.commit("side", {"f": ["a", "same", "more"]}, "base")
    build.commit("merge", {"f": ["a", "same", "more"]}, "main side")
    walk = Walk(build, "merge")
    assert _same(walk) == {("main", "f", 2, "side", 2)}
    assert not walk.deaths()


def test_a_line_goes_on_through_several_merges(build: Build) -> None:
    build.commit("base", {"f": ["a"]})
    build.commit("one", {"f": ["a", "same"]})
    build.commit("two", {"f": ["a", "same"]}, "base")
    build.commit("sides", {"f": ["a", "same"]}, "two one")
    build.commit("main", {"f": ["a", "same"]}, "base")
    build.commit("merge", {"f": ["a", "same"]}, "main sides")
    walk = Walk(build, "merge")
    assert _same(walk) == {("one", "f", 2, "main", 2), ("two", "f", 2, "main", 2)}
    assert not walk.deaths()


@pytest.mark.parametrize(
    "kept", [".claude/file-history/5e/a1@v2", "dist/app.js", ".specstory/history/a.md"]
)
def test_what_a_program_keeps_of_a_file_is_not_its_original(build: Build, kept: str) -> None:
    """Claude Code's versions of the files that it edits come first by name; the lines are those
    of the file all the same.
    """
    build.commit(
        "base",
        {kept: ["x", "y"], "src/app.js": ["x", "y"], "src/twin.js": ["x", "y"]},
    )
    build.commit(
        "later",
        {
            kept: ["x", "y"],
            "src/app.js": ["x", "y"],
            "src/twin.js": ["x", "y"],
            "z.js": ["x", "y"],
        },
    )
    flags = {life.path: life.flags & COPY for life in Walk(build, "later").lifetimes}
    assert not flags["src/app.js"] and flags["src/twin.js"] and flags["z.js"]


def test_a_file_with_the_content_of_another_one_is_a_copy(build: Build) -> None:
    build.commit("base", {"a": ["x", "y"], "b": ["x", "y"], "c": ["z"]})
    build.commit(
        "copy",
        {
            "a": ["x", "y"],
            "b": ["x", "y"],
            "c": ["z"],
            "d/c": ["z"],
            "e": ["e"],
        },
    )
    walk = Walk(build, "copy")
    assert {x.path for x in walk.lifetimes if x.flags & COPY} == {"b", "d/c"}
    assert not walk.deaths()


# --- window, saved state, self-check --------------------------------------------------------------


def fates(
    history: LineHistory, lifetimes: Sequence[LineLifetime]
) -> set[tuple[str, str, int, str, str, str]]:
    """(born in, path, line, ended by, cause, left the main line in) of each line."""

    def name(commit: int) -> str:
        return history.shas[commit] if commit >= 0 else ""

    return {
        (name(x.birth), x.path, x.line + shift, name(x.death), x.cause, name(x.left))
        for x in lifetimes
        for shift in range(x.lines)
    }


@pytest.mark.parametrize("seed", range(4))
def test_a_window_tells_the_same_about_its_lines(build: Build, seed: int) -> None:
    tip = random_history(build, random.Random(100 + seed), 30)
    whole = Walk(build, tip)
    full = fates(whole.history, whole.lifetimes)
    with whole.repo.open_scratch() as git:
        observer = LineLifetimes()
        chain = git.output(["rev-list", "--first-parent", build.sha[tip]]).decode().split()
        window = HistoryWalk(whole.repo, git).run(
            build.sha[tip], chain[len(chain) // 2], observers=[observer.step]
        )
        inside = set(window.shas)
        spans = list(observer.spans(window))
        # What became of older lines is not known in a window, nor of lines that go on as such.
        older = {fate[:3] for fate in fates(window, [x for x in spans if x.same_as == BEFORE])}
        found = {fate for fate in fates(window, spans) if fate[:3] not in older}
        assert found == {fate for fate in full if fate[0] in inside and fate[:3] not in older}
        for path, file in window.state.items():
            theirs = [whole.history.line(o) for o in numbers(whole.history.state[path].vector)]
            ours = [window.line(o) for o in numbers(file.vector)]
            assert [o if o[0] else None for o in ours] == [
                t if t[0] in inside else None for t in theirs
            ]


def test_a_rewritten_branch_does_not_go_on(build: Build) -> None:
    build.commit("one", {"f": ["a"]})
    build.commit("two", {"f": ["a", "b"]})
    build.commit("other", {"f": ["a", "c"]}, "one")
    build.commit("merge", {"f": ["a", "b", "c"]}, "other two")
    repo = build.done()
    with repo.open_scratch() as git:
        assert continues(git, build.sha["one"], build.sha["two"])
        assert continues(git, build.sha["two"], build.sha["two"])
        assert not continues(git, build.sha["two"], build.sha["other"])
        assert not continues(git, build.sha["two"], build.sha["merge"])  # two is now a side branch
        assert continues(git, build.sha["other"], build.sha["merge"])


def test_damaged_saves_are_refused(build: Build) -> None:
    build.commit("one", {"f": ["a"]})
    walk = Walk(build, "one")
    data = dump(walk.history, walk.observer)
    assert load(data) is not None
    assert load(b"") is None
    assert load(data[:-5]) is None
    assert load(data[:30] + b"x" + data[31:]) is None


# --- lines that stay what they were ---------------------------------------------------------------


def kept(old: list[str], new: list[str]) -> dict[int, tuple[int, str]]:
    hunk = LineHunk("f", 0, [x.encode() for x in old], "f", 0, [x.encode() for x in new])
    find_kept([hunk], line_changes)
    return {line: (removed, how) for line, (_, removed, how) in hunk.successors.items()}


def test_white_space_only() -> None:
    assert kept(["if x:", "  y"], ["if  x:", "", "\ty"]) == {
        0: (0, "whitespace"),
        2: (1, "whitespace"),
    }
    assert kept(["a b"], ["c"]) == {}


def test_reformatted_statement() -> None:
    old = ["call(first, 'second', third)"]
    new = ["call(", "    first,", '    "second",', "    third,", ")"]
    assert kept(old, new) == dict.fromkeys(range(5), (0, "reformatted"))
    assert kept(new, old) == {0: (0, "reformatted")}
    assert kept(old, [*new[:-1], "other)"]) == {}


@pytest.mark.parametrize(
    ("line", "laid"),
    [
        ("return f(v, 41)", "return (|f(v, 41)|)"),
        ("return f(v, 41)", "return f(|v,|41,|)"),
        ("x = (a + b) * c", "x = (|(a + b)|* c|)"),
        ("return a, b", "return (|a,|b,|)"),
        ("from x import a", "from x import (|a,|)"),
        ("if a and b:", "if (|a|and b|):"),
        ("assert a == b, said", "assert (|a == b|), said"),
        ("k: a or b,", "k: (|a|or b|),"),
        ("const f = x => <div>{x}</div>;", "const f = x => (|<div>{x}</div>|);"),
        ("x = f(|a,|b|)", "x = (|f(|a,|b|)|)"),
        ("if (a) return b;|else c();", "if (a) {|return b;|} else {|c();|}"),
    ],
)
def test_brackets_around_a_whole_are_layout(line: str, laid: str) -> None:
    old = line.split("|")
    new = laid.split("|")
    assert kept(old, new).keys() == set(range(len(new)))
    assert kept(new, old).keys() == set(range(len(old)))


@pytest.mark.parametrize(
    ("line", "changed"),
    {
        "x = a": "x = (|a,|)",
        "x = a + b * c": "x = (|a + b|) * c",
        "x == a or b": "x == (|a or b|)",
        "return not a or b": "return not (|a or b|)",
        "if x in a or b:": "if x in (|a or b|):",
        "assert a, b": "assert (a, b)",
        "return f": "return f()",
        "f(a, b)": "f(|(a, b)|)",
        "x => {a: 1}": "x => ({a: 1})",
        "if (a) b(); c();": "if (a) { b(); c(); }",
        "if (a) if (b) c(); else d();": "if (a) { if (b) c(); } else d();",
    }.items(),
)
def test_brackets_that_change_what_is_said_are_no_layout(line: str, changed: str) -> None:
    old = line.split("|")
    new = changed.split("|")
    assert kept(old, new) == kept(new, old) == {}


def test_reformatting_counts_copies_and_losses(build: Build) -> None:
    build.commit("one", {"f": ["call(first, second)", "x = [", "    1,", "]"]})
    build.commit("two", {"f": ["call(", "    first, second", ")", "x = [1]"]})
    walk = Walk(build, "two", True)
    walk.check(blamed=False)
    assert [o[2] for o in walk.origins("two", "f")] == [1, 1, 1, 2]
    assert walk.deaths() == {
        ("one", "f", 3, "two", "reformatted"),
        ("one", "f", 4, "two", "reformatted"),
    }


def test_short_lines_are_no_moves() -> None:
    one = LineHunk("a", 0, [b"import os", b"return x"], "a", 0, [])
    two = LineHunk("b", 0, [], "b", 0, [b"import os", b"return x"])
    find_kept([one, two], line_changes)
    assert not two.successors and not one.spared


# --- small parts ----------------------------------------------------------------------------------


def test_origins_tell_commit_path_and_line() -> None:
    origins = Origins()
    first = origins.add(0, "a", 1, 3)
    second = origins.add(5, "b", 10, 2)
    assert tuple(origins.birth_of(first + 2))[:3] == (0, "a", 3)
    assert tuple(origins.birth_of(second + 1))[:3] == (5, "b", 11)
    assert origins.birth_of(0).commit == -1
    assert [(first, count) for _, first, count in origins.hunks()] == [(1, 3), (4, 2)]


def test_runs_and_trimmed() -> None:
    assert list(runs(vector([3, 4, 5, 9, 0, 0, 1]))) == [(3, 3), (9, 1), (0, 2), (1, 1)]
    assert list(runs(b"")) == []
    assert trim_common_lines(vector([1, 2, 3]), vector([1, 9, 3])) == (vector([2]), vector([9]))
    assert trim_common_lines(vector([1, 1]), vector([1, 1, 1])) == (b"", vector([1]))


def test_quoted_names() -> None:
    assert unquote(b'"a\\"b\\\\c\\303\\274\\t"') == b'a"b\\c\xc3\xbc\t'


def snapshot(folder: Path) -> Iterator[tuple[str, int, int]]:
    for path in sorted(folder.rglob("*")):
        info = path.stat()
        yield str(path), info.st_mtime_ns, info.st_size


def test_the_repository_is_neither_written_nor_obeyed(build: Build, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    build.commit("one", {"f": ["a"], ".gitattributes": ["f diff=evil"]})
    build.commit("two", {"f": ["a", "b"], ".gitattributes": ["f diff=evil"]})
    repo = build.done()
    with (build.where / "config").open("a") as config:
        config.write(f'[diff "evil"]\n\tcommand = touch {proof}\n\ttextconv = touch {proof}\n')
        config.write(f"[core]\n\tfsmonitor = touch {proof}\n[diff]\n\texternal = touch {proof}\n")
    (build.where / "info" / "attributes").write_text("f diff=evil\n")
    before = list(snapshot(build.where))
    with repo.open_scratch() as git:
        history = HistoryWalk(repo, git).run(build.sha["two"])
        assert len(blame(git, build.sha["two"], "f")) == 2
    assert len(history.state["f"].vector) == 8
    assert not proof.exists()
    assert list(snapshot(build.where)) == before


def test_git_that_fails_says_why(build: Build) -> None:
    build.commit("one", {"f": ["a"]})
    repo = build.done()
    with repo.open_scratch() as git, pytest.raises(GitFailed, match="rev-list"):
        git.output(["rev-list", "0" * 40])
    with repo.open_scratch() as git, pytest.raises(ValueError, match="not a commit id"):
        HistoryWalk(repo, git).run("--output=x")


@pytest.mark.parametrize(
    "name", ["plain", "with space", 'quo"te', "new\nline", "#hash", "col:on", "bäck\\slash"]
)
def test_object_directories_with_odd_names(tmp_path: Path, name: str) -> None:
    build = Build(tmp_path / name / "r.git")
    build.where.parent.mkdir()
    build.commit("one", {"f": ["a"]})
    repo = build.done()
    with ScratchGit(build.where / "objects") as git:
        assert git.output(["cat-file", "-t", build.sha["one"]]) == b"commit\n"
    assert repo.has(build.sha["one"])
