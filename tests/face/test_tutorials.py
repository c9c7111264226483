"""The tutorials: every command in them runs, in order, in an empty directory, and says
something.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from support import ROOT
from support.commands import run

from attribution.cli import cli

TUTORIALS = ROOT / "docs" / "tutorials"
_NEEDS = {"lead": ("datasette", "jinja2"), "researcher": ("lifelines", "pandas")}


@pytest.mark.parametrize("name", ["maintainer", "researcher", "lead", "developer"])
def test_every_command_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in _NEEDS.get(name, ()):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    text = (TUTORIALS / f"{name}.md").read_text("utf-8")
    commands = [
        line
        for block in re.findall(r"```console\n(.*?)```", text, re.S)
        for line in block.splitlines()
    ]
    assert len(commands) >= 5
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "whowrote"
        done = run(*arguments, program=cli)
        assert done.stdout or done.stderr, f"{command}: {done.stderr}"
    for code in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(compile(code, f"{name}.md", "exec"), {})


def test_there_is_one_for_each_door() -> None:
    assert {path.stem for path in TUTORIALS.glob("*.md")} == {
        "maintainer",
        "researcher",
        "lead",
        "developer",
    }
