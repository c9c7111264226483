"""What happens in histories beside their tasks, and how the lab tells whose doing it is."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from corpus.events import UNDONE, heredoc_script, python_script
from lab.actions import SERVED, Action, Style, Tool, call_for
from lab.mock import Turns
from lab.play import read, say
from support.commands import clone


def sh(command: str, directory: Path) -> None:
    subprocess.run(command, shell=True, cwd=directory, check=True)


FILE = {"properties": {"path": {}, "content": {}}}


@pytest.mark.parametrize("commands", UNDONE)
def test_git_takes_an_edit_back(commands: tuple[str, ...], tmp_path: Path) -> None:
    path = clone("example", tmp_path, bare=False)
    edited = next(path.rglob("*.py"))
    before = edited.read_text()
    edited.write_text(before + "more\n")
    for command in commands:
        sh(command.format(edited), path)
    assert edited.read_text() == before


@pytest.mark.parametrize("script", [python_script, heredoc_script])
def test_a_script_changes_the_text(script: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b'it\'s "one"\r\n\\n\r\n')
    command = script("a.py", 'it\'s "one"\r\n\\n', "\\'two'\r\n")
    sh(command, tmp_path)
    assert (tmp_path / "a.py").read_bytes() == b"\\'two'\r\n\r\n"


@pytest.mark.parametrize(
    "name", ["mcp__shelf__write_file", "mcp_shelf_write_file", "shelf-write_file"]
)
def test_a_server_writes_where_it_is_asked_to(name: str) -> None:
    tools = [Tool("write_file", FILE), Tool(name, FILE)]
    call = call_for(Action("write", "a.py", "one\n", how=SERVED), tools, "/shop", Style())
    assert call == (tools[1], {"path": "/shop/a.py", "content": "one\n"})


def test_a_hidden_tool_is_called_by_another() -> None:
    tools = [Tool("write_file", FILE), Tool("tool_call", {})]
    call = call_for(Action("edit", "a.py", "two", "one", how=SERVED), tools, "/shop", Style())
    edit = {"path": "/shop/a.py", "edits": [{"oldText": "one", "newText": "two"}]}
    assert call == (tools[1], {"name": "mcp__shelf__edit_file", "arguments": edit})


def test_conversations_act_by_turns_and_whoever_reads_goes_on() -> None:
    turns, acted = Turns(2), list[str]()

    def talk(step: str) -> None:
        for response in (read("a.py"), read("b.py"), say("Done.")):
            turns.take(step)
            acted.append(step)
            turns.act(response)
            time.sleep(0.02)

    threads = [threading.Thread(target=talk, args=[step]) for step in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert acted in (["one"] * 3 + ["two"] * 3, ["two"] * 3 + ["one"] * 3)
