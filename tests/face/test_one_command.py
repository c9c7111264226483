"""`whowrote`, `git whowrote` and `python -m whowrote`: the commands of both programs under one name."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.commands import clone, run

from attribution.cli import cli as attribute
from attribution.demo import FILE
from collector.cli import cli as collect
from whowrote.cli import cli

ROOT = Path(__file__).parent.parent.parent


def test_it_has_every_command_of_both() -> None:
    assert set(attribute.commands) <= set(cli.commands)
    assert dict(cli.commands)["collect"].commands.keys() == collect.commands.keys()  # type: ignore[attr-defined]
    shown = run("--help", program=cli)
    assert shown.exit_code == 0
    assert all(f"\n  {name} " in shown.output for name in cli.commands)
    assert "Usage: cli collect formats" in run("collect", "formats", "--help", program=cli).output
    assert "git whowrote blame" in run(program=cli).output


def test_it_answers_as_attribute_does(tmp_path: Path) -> None:
    repo, db = clone("example", tmp_path), tmp_path / "out.db"
    assert run("repo", repo, "--db", db, "-q", program=cli).exit_code == 0
    assert run("blame", repo, FILE, "--db", db, program=cli).stdout == run("blame", repo, FILE, "--db", db).stdout != ""


def test_git_finds_it(tmp_path: Path) -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert scripts["git-whowrote"] == scripts["whowrote"] == "whowrote.cli:main"
    program = tmp_path / "bin" / "git-whowrote"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom whowrote.cli import main\nmain()\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    top = clone("example", tmp_path, bare=False)
    env = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    env["XDG_DATA_HOME"] = str(tmp_path / "data")
    here = top / Path(FILE).parent
    done = subprocess.run(["git", "whowrote", "blame", Path(FILE).name], cwd=here, env=env, capture_output=True, text=True)
    assert done.returncode == 0 and "opus" in done.stdout, done.stderr
    wrong = subprocess.run(["git", "whowrote", "blame"], cwd=here, env=env, capture_output=True, text=True)
    assert wrong.returncode == 2 and "git whowrote blame" in wrong.stderr


def test_python_runs_it() -> None:
    done = subprocess.run([sys.executable, "-m", "whowrote", "--help"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("Usage: python -m whowrote")


def test_the_shell_completes_commands_and_options() -> None:
    code = "from whowrote.cli import main; main('whowrote')"
    env = {**os.environ, "_WHOWROTE_COMPLETE": "bash_complete", "COMP_CWORD": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env={**env, "COMP_WORDS": "whowrote st"}, capture_output=True, text=True)
    assert {"plain,stats", "plain,study"} <= set(done.stdout.split())


def test_every_command_has_a_manual_page(tmp_path: Path) -> None:
    assert run("man", tmp_path, program=cli).exit_code == 0
    found = {path.stem: path.read_text("utf-8") for path in (tmp_path / "man1").glob("*.1")}
    assert {f"whowrote-{name}" for name in cli.commands} | {"git-whowrote", "whowrote-collect-fetch"} <= set(found)
    assert ".SH NAME\nwhowrote\\-blame \\- Show each line" in found["whowrote-blame"]
    assert "\\-L" in found["whowrote-blame"] and "\b" not in "".join(found.values())
    for text in found.values():  # a line that begins with a dot is a request to man: all of them are ours
        assert all(re.match(r"\.(TH|SH|PP|TP|B|so)\b", line) for line in text.splitlines() if line.startswith((".", "'")))


def test_hints_name_the_program_that_was_called(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "-q", str(tmp_path / "r")], check=True)
    subprocess.run([*git, "-C", str(tmp_path / "r"), "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    said = {}
    for name, code in (
        ("whowrote", "from whowrote.cli import main; main('whowrote')"),
        ("attribute", "from attribution.cli import main; main()"),
    ):
        command = [sys.executable, "-c", code, "repo", str(tmp_path / "r")]
        said[name] = subprocess.run(command, env=env, capture_output=True, text=True).stderr
    assert "attribute doctor" in said["attribute"]
    assert "whowrote doctor" in said["whowrote"] and "attribute doctor" not in said["whowrote"]
    assert "To attribute it from commit trailers" in said["whowrote"]  # a word, no command


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("whowrote", "from whowrote.cli import main; main('whowrote')"),
        ("attribute", "from attribution.cli import main; main()"),
    ],
)
def test_what_a_summary_proposes_is_a_command_of_the_program_that_was_called(name: str, code: str, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    command = [sys.executable, "-c", code, "repo", str(clone("example", tmp_path))]
    shown = subprocess.run(command, env=env, capture_output=True, text=True).stdout
    assert f"Why this author?  {name} explain " in shown and f"A whole file:  {name} blame " in shown
