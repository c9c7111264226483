"""Commits measured by pydriller: small histories with known values, clones that lack something,
hostile repositories.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import slow_measure
from support.answers import select
from support.commands import analyse, clone, run, run_rows
from support.histories import Build, Files, drop, text

pytest.importorskip("pydriller")

from attribution.authorship.options import AttributeOptions
from attribution.evaluation.maintainability import measure
from attribution.evaluation.maintainability import stage as commit_quality
from attribution.evaluation.maintainability.measure import Request
from attribution.stages.lines import attribute_repo
from collector import errors
from collector.git.repository import GitRepo
from collector.json_values import Row, RowValues, Texts
from collector.runtime.stages import RunContext
from collector.storage.store import Store

CLAUDE = "do it\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
DMM = ("dmm_unit_size", "dmm_unit_complexity", "dmm_unit_interfacing")


def short(name: str) -> list[str]:
    """Three lines of low risk."""
    return [f"def {name}(a):", "    b = a", "    return b", ""]


def long(name: str) -> list[str]:
    """Twenty lines: too long, but simple."""
    return [f"def {name}(a):", *(f"    a = a + {n}" for n in range(18)), "    return a", ""]


def risky(name: str) -> list[str]:
    """Twenty lines: too long, too many branches, too many parameters."""
    return [
        f"def {name}(a, b, c):",
        *(f"    if a == {n}: b = c" for n in range(18)),
        "    return a",
        "",
    ]


class Shop:
    """A repository of a test and its database."""

    def __init__(self, build: Build, db: Path) -> None:
        self.build = build
        self.db = db
        self._last = ""

    def commit(self, name: str, files: Files, message: str = "") -> None:
        """On top of the one before."""
        self.build.commit(name, files, message=message)
        self._last = name

    def done(self) -> None:
        self.build.done()
        for command in (
            ["update-ref", "refs/heads/tip", self.build.sha[self._last]],
            ["symbolic-ref", "HEAD", "refs/heads/tip"],
        ):
            subprocess.run(["git", "-C", str(self.build.where), *command], check=True)

    def measure(self, tip: str = "") -> int | None:
        """Attributes and measures up to a commit."""
        repo = GitRepo(self.build.where)
        head = self.build.sha[tip or self._last]
        with Store(self.db) as store:
            done = attribute_repo(store, repo, AttributeOptions(branch=head))
            return commit_quality.measure_commits(
                RunContext(store, repo, done.repo_id), head, jobs=1
            )

    def query(self, sql: str) -> list[Row]:
        with Store(self.db, create=False) as store:
            return store.rows(sql)

    def row(self, name: str) -> Row:
        return self.query(
            f"SELECT * FROM commit_quality WHERE commit_sha = '{self.build.sha[name]}'"
        )[0]

    def dmm(self, name: str) -> tuple[float | None, ...]:
        return tuple(self.row(name)[column] for column in DMM)

    def reasons(self) -> Texts:
        """Name of a commit -> why it has no value."""
        return {
            self.build.name[r["commit_sha"]]: r["reason"]
            for r in self.query("SELECT * FROM commit_quality")
            if r["reason"]
        }

    def problems(self) -> list[RowValues]:
        """(code, name of the commit, detail)."""
        found = select(
            self.db,
            "SELECT subject, code, detail FROM problems WHERE stage = 'commit_quality' ORDER BY"
            " code",
        )
        return [(code, self.build.name.get(sha, sha), detail) for sha, code, detail in found]


@pytest.fixture
def shop(tmp_path: Path, db: Path) -> Shop:
    return Shop(Build(tmp_path / "shop.git"), db)


# --- values ---------------------------------------------------------------------------------------


def test_values_of_commits(shop: Shop) -> None:
    shop.commit("short", {"a.py": [*short("one")]})
    shop.commit("long", {"a.py": [*short("one"), *long("two")]})
    shop.commit(
        "mixed", {"a.py": [*short("one"), *long("two")], "b.py": [*short("x"), *risky("y")]}
    )
    shop.commit("gone", {"a.py": [*short("one"), "z = 1"], "b.py": [*short("x"), *risky("y")]})
    shop.commit("better", {"a.py": [*short("one"), "z = 1"], "b.py": [*short("x"), *short("y")]})
    shop.done()
    assert shop.measure() == 5
    assert shop.dmm("short") == (1, 1, 1)
    assert shop.dmm("long") == (0, 1, 1)
    assert shop.dmm("mixed") == pytest.approx((3 / 23,) * 3)
    # the function that went was long, but simple, with one parameter
    assert shop.dmm("gone") == (1, 0, 0)
    assert shop.dmm("better") == (1, 1, 1)
    assert shop.problems() == []


def test_commits_without_a_value_say_why(shop: Shop) -> None:
    build = shop.build
    code = text(*short("one"))
    shop.commit("code", {"a.py": code})
    shop.commit("docs", {"a.py": code, "README.md": ["words"]})
    shop.commit("vendored", {"a.py": code, "README.md": ["words"], "vendor/b.py": code})
    shop.commit(
        "renamed",
        {"a.py": ["def one(a):", "    c = a", "    return c"], "README.md": ["words"]},
    )
    build.commit("side", {"a.py": code, "c.py": code}, "code")
    build.commit("merge", {"a.py": [*short("one")], "c.py": code}, "renamed side")
    shop._last = "merge"
    shop.done()
    shop.measure()
    assert shop.reasons() == {
        "docs": "no_code",
        "vendored": "no_code",
        "renamed": "volume_unchanged",
        "merge": "merge",
    }
    assert shop.dmm("renamed") == (None, None, None)
    assert shop.problems() == [
        ("merge", "commits", "commits: 1"),
        ("no_code", "commits", "commits: 2"),
        ("volume_unchanged", "commits", "commits: 1"),
    ]


def test_generated_and_large_files_do_not_count(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_quality, "SCANNED_BYTES", 2000)
    made = ["# Code generated by a tool. DO NOT EDIT.", *risky("made")]
    shop.commit(
        "all",
        {"a.py": [*short("one")], "b.py": [*made], "c.py": [*(100 * risky("big"))]},
    )
    shop.done()
    shop.measure()
    assert shop.dmm("all") == (1, 1, 1)
    assert (shop.row("all")["files"], shop.row("all")["left_out"]) == (1, 2)


def test_whose_the_lines_are_follows_the_verdicts(shop: Shop) -> None:
    shop.commit("person", {"a.py": [*short("one")]})
    shop.commit(
        "agent", {"a.py": [*short("one"), *short("two")], "notes.txt": ["not code"]}, CLAUDE
    )
    shop.done()
    shop.measure()
    assert (shop.row("person")["undeclared"], shop.row("person")["declared"]) == (3, 0)
    assert (shop.row("agent")["undeclared"], shop.row("agent")["declared"]) == (0, 3)
    with Store(shop.db) as store, store.transaction() as connection:
        connection.execute("UPDATE commit_quality SET declared = 99")
        connection.execute("UPDATE stage_runs SET input_key = 'other' WHERE stage = 'lines'")
    assert shop.measure() == 0  # nothing is measured twice
    assert (shop.row("person")["declared"], shop.row("agent")["declared"]) == (0, 3)


# --- again and again ------------------------------------------------------------------------------


def _five(shop: Shop) -> None:
    lines: list[str] = []
    for name in ("one", "two", "three", "four", "five"):
        lines += short(name)
        shop.commit(name, {"a.py": [*lines]})
    shop.done()


def test_only_new_commits_are_measured(shop: Shop) -> None:
    _five(shop)
    assert shop.measure("three") == 3
    first = shop.query("SELECT * FROM commit_quality ORDER BY commit_sha")
    assert shop.measure("three") is None
    assert shop.measure() == 2
    kept = {r["commit_sha"] for r in first}
    assert [
        r
        for r in shop.query("SELECT * FROM commit_quality ORDER BY commit_sha")
        if r["commit_sha"] in kept
    ] == first


def test_another_version_measures_everything_again(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    _five(shop)
    shop.measure()
    monkeypatch.setattr(measure, "tool", lambda: "pydriller 99")
    assert shop.measure() == 5
    assert {r["measured_by"] for r in shop.query("SELECT measured_by FROM commit_quality")} == {
        "pydriller 99, version 1"
    }


def test_commits_that_are_gone_leave_the_table(shop: Shop) -> None:
    _five(shop)
    shop.measure()
    shop.measure("two")
    assert {
        shop.build.name[r["commit_sha"]]
        for r in shop.query("SELECT commit_sha FROM commit_quality")
    } == {"one", "two"}


def test_a_run_that_was_stopped_goes_on(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    _five(shop)
    monkeypatch.setattr(commit_quality, "_TOGETHER", 2)
    asked = commit_quality._run

    def stopped(*args: Any) -> Iterator[Any]:
        yield next(iter(asked(*args)))
        raise KeyboardInterrupt

    monkeypatch.setattr(commit_quality, "_run", stopped)
    with pytest.raises(KeyboardInterrupt):
        shop.measure()
    assert shop.query("SELECT COUNT(*) AS n FROM commit_quality")[0]["n"] == 2
    assert shop.query("SELECT * FROM stage_runs WHERE stage = 'commit_quality'") == []
    monkeypatch.setattr(commit_quality, "_run", asked)
    assert shop.measure() == 3


# --- what a clone lacks, what takes too long ------------------------------------------------------


def test_a_missing_text_is_said_and_tried_again(shop: Shop) -> None:
    _five(shop)
    lost = GitRepo(shop.build.where).file_at(shop.build.sha["two"], "a.py") or ""
    kept = GitRepo(shop.build.where).blob(lost) or b""
    drop(shop.build.where, lost)
    shop.measure()
    assert shop.reasons() == {"two": "unreadable", "three": "unreadable"}
    assert [(code, name) for code, name, _ in shop.problems()] == [
        ("unreadable", "two"),
        ("unreadable", "three"),
    ]
    command = ["git", "-C", str(shop.build.where), "hash-object", "-w", "--stdin"]
    subprocess.run(command, input=kept, check=True, capture_output=True)
    with Store(shop.db) as store, store.transaction() as connection:
        connection.execute("DELETE FROM stage_runs WHERE stage = 'commit_quality'")
    assert shop.measure() == 2
    assert shop.reasons() == {} and shop.problems() == []


def test_a_missing_picture_stops_git_but_not_the_run(shop: Shop) -> None:
    """git compares all files of a commit, also those whose functions are not read."""
    shop.commit("one", {"a.py": [*short("one")], "p.png": b"\0" * 40})
    shop.commit("two", {"a.py": [*short("one"), *short("two")], "p.png": b"\0" * 50})
    shop.done()
    drop(shop.build.where, GitRepo(shop.build.where).file_at(shop.build.sha["two"], "p.png") or "")
    shop.measure()
    assert shop.reasons() == {"two": "unreadable"}
    assert shop.problems() == [("unreadable", "two", "p.png is missing")]


def test_a_shallow_clone_measures_what_it_has(shop: Shop) -> None:
    _five(shop)
    source = shop.build.where.as_uri()
    shallow = shop.build.where.parent / "shallow.git"
    subprocess.run(["git", "clone", "-q", "--bare", "--depth=2", source, str(shallow)], check=True)
    shop.build.where = shallow
    shop.measure()
    assert shop.reasons() == {"four": "no_code"}  # what it added cannot be known
    assert shop.dmm("five") == (1, 1, 1)


def test_too_much_text_is_not_read(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    _five(shop)
    size = len(
        GitRepo(shop.build.where).blob(
            GitRepo(shop.build.where).file_at(shop.build.sha["five"], "a.py") or ""
        )
        or b""
    )
    monkeypatch.setattr(commit_quality, "_MOST_TEXT", 2 * size - 40)
    shop.measure()
    assert shop.reasons() == {"five": "too_large"}


def test_a_commit_that_never_ends_is_given_up_alone(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    _five(shop)
    monkeypatch.setattr(measure, "measure", slow_measure.measure)
    monkeypatch.setattr(commit_quality, "_SECONDS", 2)
    monkeypatch.setattr(commit_quality, "_TOGETHER", 2)
    plan = commit_quality._Update._plan

    def stuck(run: Any, commit: Any) -> Any:
        found = plan(run, commit)
        if commit.sha == shop.build.sha["three"]:
            return Request(commit.sha, slow_measure.STUCK)
        return found

    monkeypatch.setattr(commit_quality._Update, "_plan", stuck)
    shop.measure()
    assert shop.reasons() == {"three": "failed"}
    assert [(code, name) for code, name, _ in shop.problems()] == [("failed", "three")]
    assert "longer than 2 s" in shop.problems()[0][2]


# --- hostile repositories -------------------------------------------------------------------------


def _everything(folder: Path) -> dict[str, tuple[str, int]]:
    """Path -> (hash of the content, time of the last change) of every file and directory."""
    found = {}
    for path in sorted(folder.rglob("*")):
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path)] = (digest, path.lstat().st_mtime_ns)
    return found


def test_the_clone_is_neither_written_nor_obeyed(
    tmp_path: Path, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drivers, filters and hooks of the repository and of its user, and variables of git, name a
    program: it never runs.
    """
    proof = tmp_path / "proof"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {proof}\ncat\n")
    program.chmod(0o755)
    attributes = text("*.py diff=evil filter=evil", "* diff=evil filter=evil merge=evil")
    shop.commit("one", {"a.py": [*short("one")], ".gitattributes": attributes})
    shop.commit("two", {"a.py": [*short("one"), *short("two")], ".gitattributes": attributes})
    shop.done()
    where = shop.build.where
    settings = (
        f'[diff "evil"]\n\tcommand = {program}\n\ttextconv = {program}\n[diff]\n\texternal ='
        f' {program}\n[filter "evil"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess ='
        f" {program}\n\trequired = true\n[core]\n\tfsmonitor = {program}\n\tpager ="
        f" {program}\n\tsshCommand = {program}\n\thooksPath = {tmp_path}\n[alias]\n\tdiff-tree ="
        f" !{program}\n\tcat-file = !{program}\n[gc]\n\tauto = 1\n"
    )
    with (where / "config").open("a") as config:
        config.write(settings)
    (where / "info").mkdir(exist_ok=True)
    (where / "info" / "attributes").write_bytes(attributes)
    for hook in ("post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change"):
        (where / "hooks" / hook).write_text(program.read_text())
        (where / "hooks" / hook).chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(settings)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    for variable in (
        "GIT_EXTERNAL_DIFF",
        "GIT_PAGER",
        "GIT_SSH_COMMAND",
        "GIT_PYTHON_GIT_EXECUTABLE",
    ):
        monkeypatch.setenv(variable, str(program))
    monkeypatch.setenv("GIT_TRACE", str(proof))
    before = _everything(where)
    user_before = _everything(home)
    assert shop.measure() == 2
    assert shop.dmm("two") == (1, 1, 1)
    assert _everything(where) == before and _everything(home) == user_before
    assert not proof.exists()


def test_no_scratch_directory_is_left(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    _five(shop)
    shop.measure()
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["späße/ä b.py", 'quo"te.py', "-rf.py", "$HOME.py", "diff --git a b.py"]
)
def test_odd_names(shop: Shop, name: str) -> None:
    shop.commit("one", {name: [*short("one")]})
    shop.done()
    shop.measure()
    assert shop.dmm("one") == (1, 1, 1)
    assert shop.row("one")["undeclared"] == 3


def test_a_name_of_two_lines_is_in_no_language(shop: Shop) -> None:
    """lizard tells languages by the end of a name, and reads it up to the first line break."""
    shop.commit("one", {"new\nline.py": [*short("one")], "a.py": [*short("a")]})
    shop.commit("two", {"new\nline.py": [*short("two")]})
    shop.done()
    shop.measure()
    assert shop.dmm("one") == (1, 1, 1) and shop.row("one")["files"] == 1
    assert shop.reasons() == {"two": "no_code"}


def test_text_that_looks_like_a_patch(shop: Shop) -> None:
    """Lines that would be headers, in a file of their own and in one that is measured."""
    patch = [
        "diff --git a/x.py b/x.py",
        "--- a/x.py",
        "+++ b/x.py",
        "@@ -1 +1,2 @@",
        "+def x(a, b, c, d):",
        "-y",
    ]
    shop.commit("one", {"a.py": [*short("one"), "TEXT = '''", *patch, "'''"], "p.txt": [*patch]})
    shop.commit(
        "two",
        {
            "a.py": [*short("one"), "TEXT = '''", *patch[2:], "'''", *short("two")],
            "p.txt": [*patch],
        },
    )
    shop.done()
    shop.measure()
    assert shop.dmm("one") == shop.dmm("two") == (1, 1, 1)


# --- the command ----------------------------------------------------------------------------------


def test_the_command_measures_and_reports(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)
    analyse(repo, db)
    shown = run("report", "maintainability", repo, "--min-n", 2, db=db)
    assert "unit size" in shown.stdout and "pydriller" in shown.stdout
    done = run("report", "maintainability", "--json", "--min-n", 2, db=db).stdout
    data = {table["name"]: table for table in json.loads(done)}
    assert any(
        f"commits: {len(_commits(db))}, " in note for note in data["maintainability"]["notes"]
    )
    means = data["maintainability"]["rows"]
    by_class = {
        m["name"]: m for m in means if m["by"] == "class" and m["metric"] == "dmm_unit_size"
    }
    assert by_class["agent"]["commits"] >= 1
    table = [row for row in run_rows("report", "maintainability", "--min-n", 2, db=db) if row["by"]]
    assert {
        "by",
        "name",
        "metric",
        "commits",
        "whole",
        "mean",
        "mean_low",
        "mean_high",
        "mean_over",
    } <= set(table[0])
    assert len(table) == len(means)


def _commits(db: Path) -> list[Row]:
    with Store(db) as store:
        return store.rows("SELECT id FROM commits")


def test_without_measurements_the_command_says_how_to_get_them(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)
    analyse(repo, db)
    shown = run("report", "maintainability", code=errors.EXIT_USAGE, db=db)
    assert "whowrote report maintainability PATH" in shown.stderr


def test_without_pydriller_the_command_says_what_to_install(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import metadata

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    repo = clone("example", tmp_path)
    monkeypatch.setattr(metadata, "version", missing)
    shown = run("report", "maintainability", repo, code=2, db=db)
    assert "[quality]'" in "".join(shown.stderr.split())
