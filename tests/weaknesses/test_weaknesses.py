"""Weaknesses from a clone to rows: semgrep's place is taken by a program of ours, except where
it is installed.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, fake_semgrep
from support.answers import pick, select
from support.builder import git
from support.commands import analyse, check, clone, rows, run, run_json, run_rows
from support.histories import Build, text
from support.invariants import broken_checks

from attribution.weaknesses.rules.rulesets import RuleSet, load
from attribution.weaknesses.scan import engine
from attribution.weaknesses.scan.engine import (
    Engine,
    EngineFailed,
    EngineMissing,
    ScanLimits,
    Scanned,
    Target,
    scan,
)
from attribution.weaknesses.scan.source import open_cache, plan
from attribution.weaknesses.stage import scan as scan_stage
from collector.errors import DatabaseUnusable
from collector.git.repository import GitRepo
from collector.json_values import JsonObject, Numbers, RowValues, Texts
from collector.storage.connection import cache_path
from collector.storage.store import Store

RULES = """
rules:
- id: t.eval
  languages: [python]
  severity: ERROR
  message: Text from elsewhere is run as a program.
  pattern-regex: eval\\([^)]*\\)
  metadata: {cwe: ["CWE-95: Eval Injection"], owasp: ["A03:2021"], tier: built}
- id: t.exec
  languages: [go]
  severity: WARNING
  message: A program is started.
  pattern-regex: exec\\.Command
  metadata: {cwe: CWE-78, tier: api}
"""
BODY = [f"line_{n} = {n}" for n in range(12)]


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return tmp_path / "rules.yaml"


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return tmp_path / "r.git"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The stand-in, the only semgrep there is; and a cache of its own."""
    monkeypatch.setenv("WHOWROTE_CACHE", str(tmp_path / "cache" / "scans.db"))
    path = fake_semgrep.install(tmp_path / "bin")
    monkeypatch.setenv(engine.ENVIRONMENT, str(path))
    (tmp_path / "rules.yaml").write_text(RULES)
    return path


Make = Callable[..., Path]


def history(where: Path, *commits: tuple[str, JsonObject]) -> Build:
    """Commits in a row; HEAD is the last."""
    build = Build(where)
    for name, files in commits:
        build.commit(name, files)
    build.done()
    git(build.where, "symbolic-ref", "HEAD", f"refs/heads/x{len(commits)}")
    return build


def scanned(
    build: Build, tmp_path: Path, *more: object, db: str = "w.db"
) -> tuple[Path, list[Texts]]:
    """The database, and what the command printed."""
    path = tmp_path / db
    analyse(build.where, path)
    done = run(
        "findings",
        "scan",
        build.where,
        "--db",
        path,
        "--rules",
        tmp_path / "rules.yaml",
        "--csv",
        *more,
    )
    with Store(path) as store:
        assert not broken_checks(store)
    return path, rows(done)


def query(db: Path, sql: str) -> list[RowValues]:
    return select(db, sql)


# --- from a clone to rows -------------------------------------------------------------------------


def test_introduced_moved_fixed(program: Path, tmp_path: Path, where: Path) -> None:
    build = history(
        where,
        ("one", {"a.py": [*BODY, "eval(x)"]}),
        ("renamed", {"b.py": [*BODY, "eval(x)"], "m.go": ["exec.Command(1)"]}),
        (
            "layout",
            {"b.py": [*BODY, "if y:", "    eval( x )"], "m.go": ["exec.Command(1)"]},
        ),
        (
            "second",
            {
                "b.py": ["eval(x)", *BODY, "if y:", "    eval( x )"],
                "m.go": ["exec.Command(1)"],
            },
        ),
        (
            "fixed",
            {
                "b.py": ["eval(x)", *BODY, "if y:", "    safe(x)"],
                "m.go": ["exec.Command(1)"],
            },
        ),
    )
    db, printed = scanned(build, tmp_path)
    found = query(
        db,
        "SELECT commit_sha, path, start_line, cwe, status, fixed_sha, alive_at_head, class FROM"
        " findings ORDER BY id",
    )
    assert [
        (build.name[sha], *rest[:4], build.name.get(rest[4]), *rest[5:]) for sha, *rest in found
    ] == [
        ("one", "a.py", 13, "CWE-95", "introduced", "fixed", 0, "undeclared"),
        ("renamed", "m.go", 1, "CWE-78", "introduced", None, 1, "undeclared"),
        ("second", "b.py", 1, "CWE-95", "introduced", None, 1, "undeclared"),
    ]
    assert printed[0]["findings"] == "3"


def test_a_second_run_and_a_second_database_scan_nothing(
    program: Path, tmp_path: Path, where: Path
) -> None:
    files: JsonObject = {"a.py": ["eval(x)"], "b.py": ["no words of interest"]}
    build = history(where, ("one", files))
    _, first = scanned(build, tmp_path)
    assert pick(first[0], "texts", "new", "given") == ("2", "2", "2")
    assert len(fake_semgrep.calls(program)) == 1
    db, again = scanned(build, tmp_path)
    assert again[0]["state"] == "unchanged"
    _, other = scanned(build, tmp_path, db="other.db")
    assert pick(other[0], "state", "new") == ("scanned", "0")
    fork = history(tmp_path / "fork.git", ("one", files), ("two", {**files, "c.py": ["eval(y)"]}))
    _, third = scanned(fork, tmp_path, db="fork.db")
    assert pick(third[0], "texts", "new", "given") == ("3", "1", "1")
    assert len(fake_semgrep.calls(program)) == 2
    assert not cache_path(db).exists()


def _long_history(tmp_path: Path) -> Build:
    return history(
        tmp_path / "r.git",
        ("one", {"a.py": [*BODY, "eval(x)"], "gone.py": ["eval(g)"]}),
        ("renamed", {"b.py": [*BODY, "eval(x)"], "c.py": ["c = 1"]}),
        ("changed", {"b.py": [*BODY, "eval(x)", "y = 2"], "c.py": ["c = 2"]}),
        ("last", {"b.py": [*BODY, "eval(x)", "y = 3"], "c.py": ["c = 2"]}),
    )


def test_when_the_time_is_over_head_is_scanned_and_the_next_run_continues(
    program: Path, tmp_path: Path
) -> None:
    """What was not scanned brings in nothing: a finding whose origin may lie there is uncertain,
    and nothing is called fixed.
    """
    build = _long_history(tmp_path)
    db, printed = scanned(build, tmp_path, "--minutes", 0)
    assert pick(printed[0], "state", "texts", "given", "later") == (
        "unfinished",
        "6",
        "2",
        "4",
    )
    states = "SELECT commit_sha, path, status, alive_at_head, fixed_sha FROM findings ORDER BY id"
    assert query(db, states) == [(build.sha["last"], "b.py", "uncertain", 1, None)]
    assert query(db, "SELECT code, detail FROM problems WHERE code = 'scan_later'") == [
        ("scan_later", "versions of files: 4")
    ]
    db, printed = scanned(build, tmp_path)
    assert pick(printed[0], "state", "given", "later") == ("scanned", "4", "0")
    assert scanned(build, tmp_path)[1][0]["state"] == "unchanged"
    whole, _ = scanned(build, tmp_path, "--cache", tmp_path / "other.db", db="whole.db")
    assert query(db, states) == query(whole, states)
    assert (build.sha["one"], "a.py", "introduced", 1, None) in query(db, states)
    assert (build.sha["one"], "gone.py", "introduced", 0, build.sha["renamed"]) in query(db, states)


def test_what_is_not_scanned_yet_is_said_of_its_own_repository(
    program: Path, tmp_path: Path
) -> None:
    build = _long_history(tmp_path)
    db, _ = scanned(build, tmp_path, "--minutes", 0)
    other = history(tmp_path / "other.git", ("one", {"a.py": ["eval(x)"]}))
    scanned(other, tmp_path)
    said = {
        name: run("findings", "--repo", name, db=db)
        for name in (build.where.stem, other.where.stem)
    }
    assert "not scanned yet in r: versions of files: 4" in " ".join(said["r"].output.split())
    assert said["other"].exit_code == 0 and "not scanned yet" not in said["other"].output


def test_time_enough_changes_nothing(program: Path, tmp_path: Path) -> None:
    build = _long_history(tmp_path)
    _, printed = scanned(build, tmp_path, "--minutes", 60)
    assert pick(printed[0], "state", "later") == ("scanned", "0")
    assert scanned(build, tmp_path)[1][0]["state"] == "unchanged"


def test_versions_of_files_with_findings_at_head_are_scanned_before_others(
    program: Path, tmp_path: Path
) -> None:
    """Under earlier names, too; a file that is gone and one without findings come after them."""
    build = _long_history(tmp_path)
    rules = load([("rules.yaml", RULES.encode())], "own")
    made = plan(GitRepo(build.where), build.sha["last"], rules, lambda *_: None)
    named = {
        text: side.path
        for step in made.steps
        for pair in step.sides[0]
        for side in pair
        if side
        for text in [side.text]
    }
    at_head = {text for text in made.texts if text[0] in made.present and named[text] == "b.py"}
    assert sorted(named[text] for text in made.histories_of(at_head)) == ["b.py", "b.py", "b.py"]
    assert made.histories_of(()) == set()


def test_histories_of_findings_are_done_before_others_begin(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two portions at once, the end of the time takes away the one that is not done."""
    portions: list[int] = []

    def recording(
        engine: Engine, rules: RuleSet, targets: Iterable[Target], *rest: Any
    ) -> Iterator[list[Scanned]]:
        given = list(targets)
        portions.append(len(given))
        return scan(engine, rules, given, *rest)

    monkeypatch.setattr(scan_stage, "scan", recording)
    scanned(_long_history(tmp_path), tmp_path)
    assert portions == [2, 2, 2]


def test_new_rules_scan_again(program: Path, tmp_path: Path, rules: Path, where: Path) -> None:
    build = history(where, ("one", {"a.py": ["eval(x)"]}))
    db, _ = scanned(build, tmp_path)
    (rules).write_text(RULES.replace("t.eval", "t.other"))
    _, done = scanned(build, tmp_path)
    assert done[0]["new"] == "1"
    assert query(db, "SELECT rule_id FROM findings") == [("t.other",)]
    assert query(db, "SELECT COUNT(*) FROM rule_sets") == [(1,)]


def test_attributing_again_scans_again_from_the_cache(
    program: Path, tmp_path: Path, where: Path
) -> None:
    build = history(where, ("one", {"a.py": ["eval(x)"]}))
    db, _ = scanned(build, tmp_path)
    with Store(db) as store:
        store.connection.execute("DELETE FROM stage_runs WHERE stage = 'lines'")
    _, done = scanned(build, tmp_path)
    assert pick(done[0], "state", "new") == ("scanned", "0")
    assert query(db, "SELECT COUNT(*) FROM findings") == [(1,)]


def test_what_is_not_scanned_is_counted(program: Path, tmp_path: Path, where: Path) -> None:
    files: JsonObject = {
        "src/a.py": ["eval(x)", "", "y"],
        "tests/test_a.py": ["eval(t)"],
        "vendor/v.py": ["eval(v)"],
        "gen.py": ["# Code generated by x. DO NOT EDIT.", "eval(g)"],
        "big.py": b"eval(b)\n" * 20_500,
        "marked.py": ["eval(m)"],
        "notes.txt": ["eval(n)"],
        "yarn.lock": ["eval(l)"],
        ".gitattributes": ["marked.py linguist-generated"],
        "link.py": ("120000", b"src/a.py"),
    }
    build = history(where, ("one", files))
    db, _ = scanned(build, tmp_path)
    found = query(
        db,
        "SELECT f.path, s.place, s.status, s.scanned FROM scan_files s JOIN commit_files f ON f.id"
        " = s.file_id ORDER BY 1",
    )
    assert found == [
        (".gitattributes", "source", "unsupported", 0),
        ("big.py", "source", "too_large", 0),
        ("gen.py", "generated", "left_out", 0),
        ("marked.py", "generated", "left_out", 0),
        ("notes.txt", "source", "unsupported", 0),
        ("src/a.py", "source", "ok", 1),
        ("tests/test_a.py", "test", "ok", 1),
        ("vendor/v.py", "vendored", "left_out", 0),
        ("yarn.lock", "lock", "left_out", 0),
    ]
    assert query(db, "SELECT path, place FROM findings ORDER BY 1") == [
        ("src/a.py", "source"),
        ("tests/test_a.py", "test"),
    ]
    assert query(
        db, "SELECT SUM(lines) FROM scanned_lines WHERE scanned = 1 AND place = 'source'"
    ) == [(2,)]
    assert ("scan_too_large",) in query(db, "SELECT code FROM problems WHERE stage = 'weaknesses'")


def test_what_comes_out_of_a_vendored_file_is_not_new(
    program: Path, tmp_path: Path, where: Path
) -> None:
    body = text(*BODY, "eval(x)")
    build = history(where, ("one", {"vendor/v.py": body}), ("two", {"src/v.py": body}))
    db, _ = scanned(build, tmp_path)
    assert query(db, "SELECT * FROM findings") == []


def test_wishes_of_the_analysed_code_do_not_silence_the_study(
    program: Path, tmp_path: Path, where: Path
) -> None:
    files: JsonObject = {
        "a.py": ["eval(x)  # nosemgrep"],
        "b.py": ["eval(y)"],
        ".semgrepignore": ["b.py"],
    }
    build = history(where, ("one", files))
    db, _ = scanned(build, tmp_path)
    assert query(db, "SELECT path, suppressed, ignored FROM findings ORDER BY 1") == [
        ("a.py", 1, 0),
        ("b.py", 0, 1),
    ]
    (call,) = fake_semgrep.calls(program)
    assert "--disable-nosem" in call["arguments"]


def test_no_name_of_theirs_reaches_the_command_and_nothing_the_network(
    program: Path, tmp_path: Path, where: Path
) -> None:
    name = "-rf $(touch x);\n--config=evil.py"
    build = history(where, ("one", {name: ["eval(x)"], "..%2f..%2fa.py": ["eval(y)"]}))
    db, _ = scanned(build, tmp_path)
    assert query(db, "SELECT COUNT(*) FROM findings") == [(2,)]
    (call,) = fake_semgrep.calls(program)
    assert all(
        re.fullmatch(r"targets/[0-9a-f]{2}/[0-9a-f]{40}\.py", file) for file in call["files"]
    )
    assert not [a for a in call["arguments"] if "evil" in a or "touch" in a]
    assert {"--metrics=off", "--disable-version-check", "--no-git-ignore"} <= set(call["arguments"])
    environment = call["environment"]
    assert pick(environment, "SEMGREP_SEND_METRICS", "SEMGREP_ENABLE_VERSION_CHECK") == (
        "off",
        "0",
    )
    assert environment["HOME"] != os.environ.get("HOME")


def test_who_wrote_the_findings_of_the_example(
    program: Path, tmp_path: Path, rules: Path, db: Path
) -> None:
    (rules).write_text(RULES.replace("eval\\([^)]*\\)", "return"))
    repo = clone("example", tmp_path)
    analyse(repo, db)
    run("findings", "scan", repo, "--rules", rules, db=db)
    by: Numbers = dict(
        query(db, "SELECT class, COUNT(*) FROM findings WHERE status = 'introduced' GROUP BY 1")
    )
    assert by["agent"] > 0
    assert query(
        db,
        "SELECT COUNT(*) FROM findings WHERE class = 'agent' AND (session_id IS NULL OR call_id IS"
        " NULL)",
    ) == [(0,)]
    expected = query(
        db,
        "SELECT COUNT(*) FROM findings n JOIN line_spans s ON s.commit_id = n.commit_id AND s.path"
        " = n.path AND n.start_line BETWEEN s.start_line AND s.end_line WHERE n.status ="
        " 'introduced' AND s.class = n.class",
    )
    assert expected == [(sum(by.values()),)]
    check(db)
    compared = run_json("report", "compare", "weaknesses", repo, db=db)[0]["rows"]
    (agents,) = (row for row in compared if row["lines of"] == "agent")
    assert (agents["events"], agents["lines"]) == query(
        db,
        "SELECT (SELECT COUNT(*) FROM findings WHERE status = 'introduced' AND place = 'source' AND"
        " confidence <> 'LOW' AND class IN ('agent', 'declared')), SUM(lines) FROM scanned_lines"
        " WHERE scanned = 1 AND place = 'source' AND class IN ('agent', 'declared')",
    )[0]
    report = run("report", "weaknesses", "--by", "language", "--by", "mode", db=db)
    for part in (
        "agent",
        "per 1,000 lines",
        "What became of them",
        "python",
        "unsupported",
    ):
        assert part in report.stdout
    tables = {t["name"]: t for t in run_json("report", "weaknesses", db=db)}
    agent = next(r for r in tables["class"]["rows"] if r["author"] == "agent")
    # a few dozen lines are no rate
    assert agent["rate"] is None and agent["low"] is None and agent["events"] == by["agent"]
    assert any("fewer than 1,000 scanned lines" in note for note in tables["class"]["notes"])
    lines = query(
        db,
        "SELECT SUM(lines) FROM scanned_lines WHERE scanned = 1 AND place = 'source' AND class ="
        " 'agent'",
    )
    assert lines == [(agent["lines"],)]
    table = run_rows("report", "weaknesses", db=db)
    assert {row["table"] for row in table} >= {
        "class",
        "mode",
        "agent",
        "model",
        "language",
        "cwe",
        "confidence",
        "repo",
    }


# --- what can go wrong ----------------------------------------------------------------------------


USUAL = ScanLimits()


def targets(*contents: str) -> list[Target]:
    return [
        Target(f"{number:040x}", "py", text.encode()) for number, text in enumerate(contents, 1)
    ]


def outcome(
    program: Path, some: Sequence[Target], limits: ScanLimits = USUAL, jobs: int = 2
) -> tuple[dict[str, Scanned], list[str]]:
    """Text -> what became of it; and what was said of failed runs."""
    rules = load(
        [("t.json", b'{"rules": [{"id": "t", "languages": ["python"], "pattern-regex": "eval"}]}')],
        "t",
    )
    said: list[str] = []
    done = [
        one
        for part in scan(Engine(str(program), "1"), rules, some, jobs, limits, said.append)
        for one in part
    ]
    assert sorted(one.target.blob for one in done) == sorted(one.blob for one in some)
    return {one.target.data.decode(): one for one in done}, said


def test_a_crash_loses_only_the_text_that_caused_it(program: Path) -> None:
    done, said = outcome(
        program, targets("eval 1", "CRASH", "eval 2", "eval 3", "x"), ScanLimits(targets=5)
    )
    assert {name: one.status for name, one in done.items()} == {
        "eval 1": "ok",
        "CRASH": "failed",
        "eval 2": "ok",
        "eval 3": "ok",
        "x": "ok",
    }
    assert [len(done[name].matches) for name in ("eval 1", "eval 2", "x")] == [1, 1, 0]
    assert any("Stack_overflow" in text for text in said)


def test_time_and_memory_are_limited(program: Path) -> None:
    done, said = outcome(program, targets("eval 1", "HANG"), ScanLimits(start=3.0))
    assert (done["HANG"].status, done["eval 1"].status) == ("timeout", "ok")
    assert any("time limit" in text for text in said)
    if sys.platform == "linux":
        done, said = outcome(
            program, targets("eval 1", "BLOAT"), ScanLimits(start=20.0, memory=200_000_000)
        )
        assert (done["BLOAT"].status, done["eval 1"].status) == ("failed", "ok")
        assert any("memory limit" in text for text in said)


def test_slow_rules_are_given_more_time_once(program: Path) -> None:
    done, _ = outcome(program, targets("eval SLOW", "eval NEVER", "eval BROKEN"))
    assert (done["eval SLOW"].status, len(done["eval SLOW"].matches)) == ("ok", 1)
    assert (done["eval NEVER"].status, done["eval NEVER"].failed_rules) == ("timeout", ["t"])
    assert (done["eval BROKEN"].status, len(done["eval BROKEN"].matches)) == ("partial", 1)


def test_portions_and_byte_order_marks(program: Path) -> None:
    some = [
        *targets(*(f"eval {n}" for n in range(7))),
        Target("f" * 40, "py", b"\xef\xbb\xbfeval mark"),
    ]
    done, _ = outcome(program, some, ScanLimits(targets=3))
    assert len(fake_semgrep.calls(program)) == 3
    match = done["\ufeffeval mark"].matches[0]
    assert (match.start, match.end) == (3, 7)


def test_a_scanner_that_always_fails_is_not_taken_for_bad_texts(tmp_path: Path) -> None:
    broken = tmp_path / "semgrep"
    broken.write_text("#!/bin/sh\nexit 2\n")
    broken.chmod(0o755)
    with pytest.raises(EngineFailed, match="every file"):
        outcome(broken, targets("a"))


def test_interrupted_work_is_kept(
    program: Path, tmp_path: Path, rules: Path, where: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = history(where, ("one", {f"{n}.py": text(f"eval({n})") for n in range(6)}))
    db = tmp_path / "w.db"
    analyse(build.where, db)
    from attribution.weaknesses.scan import source
    from attribution.weaknesses.stage import scan as stage
    from attribution.weaknesses.stage.scan import ScanRequest
    from collector.git.repository import GitRepo
    from collector.runtime.stages import RunContext

    kept: list[int] = []
    save = source.ScanCache.save

    def stop_after_one(self: source.ScanCache, portion: Any) -> None:
        if kept:
            raise KeyboardInterrupt
        portion = list(portion)
        kept.append(len(portion))
        save(self, portion)

    monkeypatch.setattr(source.ScanCache, "save", stop_after_one)
    wanted = ScanRequest((str(rules),), jobs=1, limits=ScanLimits(targets=2))
    with Store(db) as store:
        repo = GitRepo(build.where)
        with pytest.raises(KeyboardInterrupt):
            stage.scan_repository(RunContext(store, repo, 1), build.sha["one"], wanted)
        monkeypatch.setattr(source.ScanCache, "save", save)
        assert stage.scan_repository(RunContext(store, repo, 1), build.sha["one"], wanted).new == 4
    assert query(db, "SELECT COUNT(*) FROM findings") == [(6,)]


def test_missing_texts_are_tried_again(program: Path, tmp_path: Path, where: Path) -> None:
    from support.histories import drop

    build = history(where, ("one", {"a.py": ["eval(x)"], "b.py": ["eval(y)"]}))
    from collector.git.repository import GitRepo

    blob = GitRepo(build.where).file_at(build.sha["one"], "a.py")
    assert blob is not None
    drop(build.where, blob)
    db, _ = scanned(build, tmp_path)
    assert query(db, "SELECT path FROM findings") == [("b.py",)]
    assert query(db, "SELECT code FROM problems WHERE stage = 'weaknesses'") == [("scan_missing",)]


def test_words_when_there_is_no_semgrep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(engine.ENVIRONMENT, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(EngineMissing, match="not installed") as missing:
        engine.find_engine()
    assert "pip install" in missing.value.hint and "--semgrep" in missing.value.hint
    with pytest.raises(EngineMissing, match="--semgrep names"):
        engine.find_engine(str(tmp_path / "nothing"))


@pytest.mark.parametrize(
    ("rules", "words"),
    {
        "nowhere": "no rules found at",
        "empty": "no rule files",
        "bad.yaml": "not valid YAML",
        "odd.yaml": "no id",
    }.items(),
)
def test_words_about_rules(
    program: Path, tmp_path: Path, rules: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from attribution.weaknesses.rules.rulesets import RulesUnusable, named

    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.yaml").write_text("rules: [")
    (tmp_path / "odd.yaml").write_text("rules: [{message: x}]")
    with pytest.raises(RulesUnusable, match=words):
        named([rules])


# --- reviews and SARIF ----------------------------------------------------------------------------


@pytest.fixture
def two(program: Path, tmp_path: Path) -> Path:
    files: JsonObject = {
        "a b#1.py": ["x", "eval(x)"],
        "b.py": ["eval(y)  # nosemgrep"],
        "m.go": ["exec.Command"],
    }
    db, _ = scanned(history(tmp_path / "r.git", ("one", files)), tmp_path)
    return db


def test_a_review_is_kept_and_changes_the_rate(two: Path) -> None:
    from click.testing import CliRunner

    from attribution.cli import cli

    asked = CliRunner().invoke(
        cli,
        ["findings", "review", "--reviewer", "me", "--db", str(two)],
        input="t\nreal\nf\n\nu\n\n",
    )
    assert asked.exit_code == 0, asked.output
    assert "eval(x)" in asked.output and "nosemgrep comment" in asked.output
    assert sorted(query(two, "SELECT verdict, note, reviewer FROM finding_reviews")) == [
        ("false", "", "me"),
        ("true", "real", "me"),
        ("unsure", "", "me"),
    ]
    tables = run_json("report", "weaknesses", "--low", db=two)
    reviewed = next(
        row for t in tables if t["name"] == "reviews" for row in t["rows"] if row["author"] == "all"
    )
    assert pick(reviewed, "read", "true") == (2, 1)
    every = run_json("findings", "--low", db=two)
    usual = run_json("findings", db=two)
    assert usual == [one for one in every if one["confidence"] in ("HIGH", "MEDIUM")] != every
    assert (
        f"left out because of low confidence: {len(every) - len(usual)}"
        in run("findings", db=two).stdout
    )
    levels = Counter(row["confidence"] for row in every)
    for level in ("HIGH", "MEDIUM", "LOW"):
        chosen = run_json("findings", "--confidence", level.lower(), db=two)
        assert [row["confidence"] for row in chosen] == [level] * levels[level]
    again = CliRunner().invoke(cli, ["findings", "review", "--reviewer", "me", "--db", str(two)])
    assert again.exit_code == 0 and "a weakness?" not in again.output  # all are read


def test_samples_are_even_and_repeatable() -> None:
    from attribution.weaknesses.queries.findings import sample

    def finding(n: int) -> JsonObject:
        tier = "api" if n % 10 else "taint"
        return {
            "repo": f"r{n % 2}",
            "tier": tier,
            "class": "agent",
            "rule_id": f"x{n % 3}",
            "id": n,
        }

    some = [finding(n) for n in range(200)]
    drawn = sample(some, 30)
    assert drawn == sample(some, 30) and len({d["id"] for d in drawn}) == 30
    strata = Counter(pick(d, "repo", "tier") for d in drawn)
    assert max(strata.values()) - min(strata.values()) <= 1
    assert len(sample(some, 500)) == 200


def test_sarif_has_what_the_standard_requires(two: Path, tmp_path: Path) -> None:
    out = tmp_path / "w.sarif"
    run("findings", "sarif", out, "--low", db=two)
    log = json.loads(out.read_text("utf-8"))
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
    (one,) = log["runs"]
    driver = one["tool"]["driver"]
    assert driver["name"] == "whowrote"
    ids = [rule["id"] for rule in driver["rules"]]
    assert ids == ["t.eval", "t.exec"] and len(set(ids)) == len(ids)
    assert len(one["results"]) == 3
    # how often the authors that results name are right
    agent = one["properties"]["authorRates"]["agent"]
    assert agent["checked"] >= 30 and agent["low"] < agent["rate"] < agent["high"]
    for result in one["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"] and result["level"] in ("none", "note", "warning", "error")
        (place,) = result["locations"]
        region = place["physicalLocation"]["region"]
        assert 1 <= region["startLine"] <= region["endLine"]
        assert "prompt" not in result["properties"]
    uris = {
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in one["results"]
    }
    assert uris == {"a%20b%231.py", "b.py", "m.go"}
    assert [r["suppressions"] for r in one["results"] if "suppressions" in r] == [
        [{"kind": "inSource"}]
    ]


@pytest.fixture
def moved(program: Path, tmp_path: Path) -> Path:
    """A finding that moved down in another file since, one that is fixed, and a new one."""
    build = history(
        tmp_path / "m.git",
        ("one", {"a.py": [*BODY, "eval(x)"], "gone.py": ["eval(z)"]}),
        ("renamed", {"b.py": ["import y", *BODY, "eval(x)"]}),
        ("new", {"b.py": ["import y", *BODY, "eval(x)"], "m.go": ["exec.Command(1)"]}),
    )
    return scanned(build, tmp_path)[0]


def test_sarif_points_at_the_lines_of_head_and_at_nothing_that_is_gone(
    moved: Path, tmp_path: Path
) -> None:
    out = tmp_path / "m.sarif"
    done = run("findings", "sarif", out, "--low", db=moved)
    assert "2 findings written" in done.stderr and "no longer there: 1" in done.stderr
    (results,) = [each["results"] for each in json.loads(out.read_text("utf-8"))["runs"]]
    places = {r["ruleId"]: r["locations"][0]["physicalLocation"] for r in results}
    assert (
        places["t.eval"]["artifactLocation"]["uri"] == "b.py"
        and places["t.eval"]["region"]["startLine"] == 14
    )
    (first,) = query(moved, "SELECT commit_sha FROM findings WHERE path = 'a.py'")[0]
    assert first in {result["properties"]["commit"] for result in results}, (
        "who brought it in, not who moved it"
    )


def test_levels_follow_severity_and_confidence(moved: Path, tmp_path: Path) -> None:
    run("findings", "sarif", tmp_path / "m.sarif", "--low", db=moved)
    (log,) = json.loads((tmp_path / "m.sarif").read_text("utf-8"))["runs"]
    with Store(moved) as store:
        stated = {
            row["rule_id"]: pick(row, "severity", "confidence")
            for row in store.rows("SELECT * FROM scan_rules")
        }
    levels = {result["ruleId"]: result["level"] for result in log["results"]}
    steps = {
        "ERROR": ["warning", "error"],
        "WARNING": ["note", "warning"],
        "INFO": ["note", "note"],
    }
    assert levels == {
        rule: steps[severity][confidence != "LOW"]
        for rule, (severity, confidence) in stated.items()
    }


def test_what_is_new_since_a_commit_can_fail_a_build(moved: Path) -> None:
    new = run("findings", "--low", "--new-since", "x2", "--csv", db=moved)
    assert [row["path"] for row in rows(new)] == ["m.go"]
    run("findings", "--low", "--new-since", "x3", "--fail-on", "info", db=moved)
    failed = run("findings", "--low", "--new-since", "x2", "--fail-on", "warning", code=1, db=moved)
    assert "severity medium or worse: 1" in failed.stderr
    run("findings", "--low", "--new-since", "x2", "--fail-on", "medium", code=1, db=moved)
    run("findings", "--low", "--new-since", "x2", "--fail-on", "high", db=moved)
    run("findings", "--low", "--new-since", "x2", "--fail-on", "error", db=moved)
    assert (
        "no branch, tag or commit named"
        in run("findings", "--new-since", "nowhere", code=2, db=moved).stderr
    )


def test_low_confidence_fails_a_build_where_the_rule_was_measured_to_be_right(
    moved: Path,
) -> None:
    gate = ("findings", "--new-since", "x2", "--fail-on", "medium", "--db", moved)
    with Store(moved) as store, store.transaction() as connection:
        connection.execute("UPDATE findings SET confidence = 'LOW'")
    run(*gate)
    with contextlib.closing(sqlite3.connect(moved)) as raw, raw:
        for table in ("findings", "scan_rules"):
            renamed = f"UPDATE {table} SET rule_id = ? WHERE rule_id = 't.exec'"
            raw.execute(renamed, ("whowrote.go.tls-unverified",))
    failed = run(*gate, code=1)
    assert "m.go" in failed.stdout


def test_a_named_cache_of_another_schema_says_what_rebuilds_it(
    moved: Path, tmp_path: Path, db: Path
) -> None:
    old = db
    other = tmp_path / "other.db"
    with Store(old, is_cache=True) as cache:
        cache.connection.execute("PRAGMA user_version = 99")
    other.write_bytes(b"not a database at all, but text that is long enough" * 100)
    with Store(moved) as store:
        with pytest.raises(DatabaseUnusable) as outdated:
            open_cache(store, old, [])
        with pytest.raises(DatabaseUnusable) as foreign:
            open_cache(store, other, [])
    assert outdated.value.hint == f"Remove {old}: it is only a cache"
    assert foreign.value.hint == "Choose another file with --cache FILE", (
        "nobody is told to remove a file of his own"
    )


def test_a_finding_that_is_gone_fails_no_build(moved: Path) -> None:
    every = run_rows("findings", "--low", "--only", "rule=t.eval", db=moved)
    assert (
        sorted(row["alive_at_head"] for row in every) == ["0", "1"]
        and every[0]["alive_at_head"] == "1"
    ), "the worst first"
    run("findings", "--low", "--only", "rule=t.exec", "--fail-on", "error", db=moved)


@pytest.mark.parametrize("choice", ["colour=red", "agent", "=x", "agent="])
def test_a_choice_that_is_none_is_said(moved: Path, choice: str) -> None:
    done = run("findings", "--only", choice, code=2, db=moved)
    assert "NAME=VALUE" in done.stderr


@pytest.mark.parametrize("choice", ["severity=grave", "status=fixed", "place=sauce"])
def test_a_word_that_no_finding_can_have_is_no_empty_list(moved: Path, choice: str) -> None:
    done = run("findings", "--low", "--only", choice, "--fail-on", "low", code=2, db=moved)
    name, word = choice.split("=")
    assert f"no {name} is '{word}'" in " ".join(done.stderr.split())


def test_a_finding_that_every_reviewer_calls_false_fails_no_build(
    moved: Path, tmp_path: Path
) -> None:
    (new,) = run_rows("findings", "--low", "--new-since", "x2", db=moved)
    gate = ("findings", "--low", "--new-since", "x2", "--fail-on", "medium", "--db", moved)

    def review(reviewer: str, verdict: str) -> tuple[int, Any]:
        said = ("--reviewer", reviewer, "--verdict", verdict, "--why", "fixed name")
        run("findings", "review", new["fingerprint"], *said, db=moved)
        run("findings", "sarif", tmp_path / "m.sarif", "--low", db=moved)
        (log,) = json.loads((tmp_path / "m.sarif").read_text("utf-8"))["runs"]
        suppressed = {
            each["ruleId"]: each["suppressions"]
            for each in log["results"]
            if "suppressions" in each
        }
        return run(*gate, code=None).exit_code, suppressed

    refuted = {
        "t.exec": [{"kind": "external", "status": "accepted", "justification": "Ann: fixed name"}]
    }
    assert review("Ann", "unsure") == (1, {})
    assert review("Ann", "false") == (0, refuted)
    assert review("Ben", "true") == (1, {}), "reviewers disagree"


def test_findings_are_chosen_by_agent_model_and_severity(moved: Path) -> None:
    assert run_rows("findings", "--low", "--only", "agent=codex", db=moved) == []
    severe = run_rows("findings", "--low", "--only", "severity=warning", db=moved)
    assert [row["rule_id"] for row in severe] == ["t.exec"]
    assert severe == run_rows("findings", "--low", "--only", "severity=medium", db=moved)
    assert severe and {row["severity"] for row in severe} == {"medium"}, (
        "the word of pages and reports, not the rule's"
    )


def test_one_finding_in_context(two: Path) -> None:
    listed = run_rows("findings", "--cwe", "95", db=two)
    assert len(listed) == 2
    shown = run("findings", "show", listed[0]["fingerprint"][:8], db=two)
    assert "eval(x)" in shown.stdout and "still present at" in shown.stdout
    assert (
        "no finding has the id nothing" in run("findings", "show", "nothing", code=2, db=two).stderr
    )


def test_a_number_is_the_id_that_lists_print_and_a_word_of_no_agent_is_undeclared(
    two: Path,
) -> None:
    for row in run_rows("findings", "--only", "status=all", db=two):
        shown = run("findings", "show", row["id"], db=two)
        assert row["fingerprint"][:10] in shown.stdout, "not one whose fingerprint begins so"
        assert "1 undeclared" in shown.stdout and "unknown" not in shown.stdout


def test_a_verdict_with_its_reason_stands_with_the_finding(two: Path, db: Path) -> None:
    db.write_bytes(two.read_bytes())
    first, other = (row["fingerprint"] for row in run_rows("findings", "--cwe", "95", db=db))
    said = ("--reviewer", "Ann", "--verdict", "false", "--why", "a constant reaches it")
    run("findings", "review", first[:8], *said, db=db)
    shown = " ".join(run("findings", "show", first, db=db).stdout.split())
    assert "false (Ann): a constant reaches it" in shown
    assert "Ann" not in run("findings", "show", other, db=db).stdout
    later = (*said[:3], "true", *said[4:])
    run("findings", "review", first[:8], *later, db=db)
    (review,) = run_json("findings", "show", first, db=db)["reviews"]
    assert pick(review, "reviewer", "verdict") == ("Ann", "true")
    assert "needs a finding" in run("findings", "review", *said, code=2, db=db).stderr


# --- the real one ---------------------------------------------------------------------------------

REAL = shutil.which(str(Path(sys.executable).parent / "semgrep")) or shutil.which("semgrep")
PATTERNS = """
rules:
- {id: a, languages: [python], severity: ERROR, message: a, pattern: "eval($X)",
   metadata: {cwe: CWE-95}}
- {id: b, languages: [python], severity: ERROR, message: b,
   pattern: "subprocess.$F(..., shell=True, ...)", metadata: {cwe: CWE-78, tier: built}}
- {id: c, languages: [yaml], severity: ERROR, message: c, pattern: "runs-on: $X",
   paths: {include: ["**/.github/workflows/*"]}, metadata: {cwe: CWE-829}}
- {id: d, languages: [dockerfile], severity: ERROR, message: d, pattern: "USER root",
   metadata: {cwe: CWE-250}}
"""


@pytest.mark.skipif(REAL is None, reason="semgrep is not installed")
def test_semgrep_itself(
    tmp_path: Path, rules: Path, where: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real program takes our options and answers as we read it."""
    from attribution.weaknesses.stage import scan as stage
    from attribution.weaknesses.stage.scan import ScanRequest
    from collector.git.repository import GitRepo
    from collector.runtime.stages import RunContext

    (rules).write_text(PATTERNS)
    build = history(
        where,
        (
            "one",
            {
                "a.py": [
                    "import subprocess",
                    "x = 'é'; eval(x)",
                    "def f(:",
                    "y = eval(z) # nosemgrep",
                ],
                "b.py": ["import subprocess", "subprocess.run(c, shell=True)"],
                "c.py": ["print(1)"],
                "tool": ["#!/usr/bin/env python3", "EVAL = 1", "eval (q)"],
                ".github/workflows/ci.yml": ["on: push", "jobs:", "  x:", "    runs-on: ubuntu"],
                "Dockerfile": ["FROM x", "USER root"],
                ".semgrepignore": ["*"],
            },
        ),
    )
    db = tmp_path / "w.db"
    analyse(build.where, db)
    wanted = ScanRequest((str(rules),), str(REAL), 1, tmp_path / "cache.db")
    with Store(db) as store:
        done = stage.scan_repository(
            RunContext(store, GitRepo(build.where), 1), build.sha["one"], wanted
        )
    assert done.given == 6
    assert query(
        db, "SELECT path, rule_id, start_line, suppressed FROM findings ORDER BY 1, 3"
    ) == [
        (".github/workflows/ci.yml", "c", 4, 0),
        ("Dockerfile", "d", 2, 0),
        ("a.py", "a", 2, 0),
        ("a.py", "a", 4, 1),
        ("b.py", "b", 2, 0),
        ("tool", "a", 3, 0),
    ]


# --- ends -----------------------------------------------------------------------------------------


def hanging(
    program: Path, tmp_path: Path, *arguments: object
) -> tuple[subprocess.Popen[bytes], Path]:
    """A command of ours in a process, as soon as its scanner is at work and will not end by
    itself; where it has its directory.
    """
    build = history(tmp_path / "r.git", ("one", {"a.py": ["eval(x)  # HANG"]}))
    room = tmp_path / "rooms"
    room.mkdir()
    if arguments[0] != "repo":
        analyse(build.where, tmp_path / "w.db")
    words = [
        str(build.where) if a == "PATH" else str(a) for a in (*arguments, "--db", tmp_path / "w.db")
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", "from attribution.cli import main; main()", *words],
        env={**os.environ, "TMPDIR": str(room), "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    for _ in range(600):
        if fake_semgrep.calls(program) or process.poll() is not None:
            break
        time.sleep(0.1)
    assert process.poll() is None, process.stderr and process.stderr.read()
    return process, room


def at_work(room: Path) -> list[int]:
    """Processes whose directory is below."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (entry / "cwd").readlink().is_relative_to(room):
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_scan_that_is_asked_to_end_leaves_nothing_behind(
    program: Path, tmp_path: Path, rules: Path, number: signal.Signals
) -> None:
    process, room = hanging(program, tmp_path, "findings", "scan", "PATH", "--rules", rules)
    assert at_work(room)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and b"run the same command again" in said
    assert (at_work(room), list(room.iterdir())) == ([], [])


def test_words_when_there_is_no_room_for_the_texts(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(EngineFailed, match="cannot write files for the scanner") as failed:
        outcome(program, targets("eval"))
    assert "TMPDIR" in failed.value.hint
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(Path, "write_bytes", no_space)
    with pytest.raises(EngineFailed, match="No space left"):
        outcome(program, targets("eval"))
    assert not list(tmp_path.glob("whowrote-scan-*"))


def no_space(self: Path, data: bytes) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")
