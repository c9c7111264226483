"""`whowrote`, `git whowrote` and `python -m whowrote`: the commands of both programs under one
name.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support import ROOT
from support.commands import clone, run

from attribution.cli import cli
from attribution.demo import FILE
from collector.cli import collect


def test_there_is_one_table_of_commands() -> None:
    assert cli.commands["collect"] is collect
    shown = run("--help", program=cli)
    assert all(f"\n  {name} " in shown.output for name in cli.commands)
    assert "Usage: cli collect formats" in run("collect", "formats", "--help", program=cli).output


def test_it_answers_as_attribute_does(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)
    run("repo", repo, "-q", program=cli, db=db)
    assert (
        run("blame", repo, FILE, program=cli, db=db).stdout
        == run("blame", repo, FILE, db=db).stdout
        != ""
    )


def test_scripts_may_use_short_names(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)
    run("repo", repo, "-q", "--local", program=cli, db=db)
    features = run("features", "--json", program=cli, db=db)
    assert "tool_call_count" in features.stdout
    assert (
        features.stdout
        == run("sessions", "--columns", "features", "--json", program=cli, db=db).stdout
    )
    assert (
        run("check", program=cli, db=db).stdout
        == run("data", "check", program=cli, db=db).stdout
        != ""
    )
    unknown = run("nonsense", program=cli, code=2)
    assert "No such command 'nonsense'" in unknown.stderr


def test_git_finds_it(tmp_path: Path) -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert scripts["git-whowrote"] == scripts["whowrote"] == "attribution.start:main"
    program = tmp_path / "bin" / "git-whowrote"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom whowrote.cli import main\nmain()\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    top = clone("example", tmp_path, bare=False)
    env = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    env["XDG_DATA_HOME"] = str(tmp_path / "data")
    here = top / Path(FILE).parent
    done = subprocess.run(
        ["git", "whowrote", "blame", Path(FILE).name],
        cwd=here,
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "Claude Code" in done.stdout, done.stderr
    wrong = subprocess.run(
        ["git", "whowrote", "blame"], cwd=here, env=env, capture_output=True, text=True
    )
    assert wrong.returncode == 2 and "git whowrote blame" in wrong.stderr


def test_python_runs_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "whowrote", "--help"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.startswith("Usage: python -m whowrote")


def test_the_shell_completes_commands_and_options() -> None:
    code = "from whowrote.cli import main; main('whowrote')"
    env = {
        **os.environ,
        "_WHOWROTE_COMPLETE": "bash_complete",
        "COMP_CWORD": "1",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**env, "COMP_WORDS": "whowrote s"},
        capture_output=True,
        text=True,
    )
    assert {"plain,sessions", "plain,survival"} <= set(done.stdout.split())


def test_a_clone_without_records_gets_a_summary_from_either_command(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "-q", str(tmp_path / "r")], check=True)
    subprocess.run(
        [*git, "-C", str(tmp_path / "r"), "commit", "-q", "--allow-empty", "-m", "one"], check=True
    )
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    for code in (
        "from whowrote.cli import main; main('whowrote')",
        "from attribution.cli import main; main()",
    ):
        command = [sys.executable, "-c", code, "repo", str(tmp_path / "r")]
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        assert (done.returncode, "no sign of an agent in 1 commit" in done.stdout) == (0, True)


def test_a_summary_proposes_what_to_ask_next(tmp_path: Path, db: Path) -> None:
    summary = run("repo", clone("example", tmp_path), db=db).stdout
    assert "whowrote why " in summary.splitlines()[-1]


def test_alone_it_brings_the_clone_around_it_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    assert "whowrote demo" in run().stdout
    monkeypatch.chdir(clone("example", tmp_path, bare=False))
    assert (
        "lines of source" in run().stdout and "nothing changed since the last run" in run().stdout
    )
