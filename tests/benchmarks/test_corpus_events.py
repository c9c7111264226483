"""What happens in histories beside their tasks, and how the lab tells whose doing it is."""

from __future__ import annotations

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from corpus.events import UNDONE
from lab.actions import SERVED, Action, Json, Style, Tool, call_for
from lab.mock import Turns
from lab.play import read, say
from support.commands import clone

WRITE = Action("write", "a.py", "one\n", how=SERVED)
FILE: Json = {"properties": {"path": {}, "content": {}}}


@pytest.mark.parametrize("commands", UNDONE)
def test_git_takes_an_edit_back(commands: tuple[str, ...], tmp_path: Path) -> None:
    path = clone("example", tmp_path, bare=False)
    edited = next(path.rglob("*.py"))
    before = edited.read_text()
    edited.write_text(before + "more\n")
    for command in commands:
        subprocess.run(command.format(edited), shell=True, cwd=path, check=True)
    assert edited.read_text() == before


@pytest.mark.parametrize("name", ["mcp__shelf__write_file", "shelf-write_file", "tool_call"])
def test_a_server_writes_even_where_its_tools_are_hidden(name: str) -> None:
    tools = [Tool("write_file", FILE), Tool(name, FILE)]
    tool, arguments = call_for(WRITE, tools, "/shop", Style()) or ("", "")
    assert tool == tools[1] and "/shop/a.py" in str(arguments)


def test_conversations_act_by_turns_and_whoever_reads_goes_on() -> None:
    turns = Turns(2)
    acted: list[str] = []

    def talk(step: str) -> None:
        for response in (read("a.py"), read("b.py"), say("Done.")):
            turns.take(step)
            acted.append(step)
            turns.act(response)
            time.sleep(0.02)

    with ThreadPoolExecutor() as pool:
        list(pool.map(talk, ("one", "two")))
    assert len({*acted[:3]}) == len({*acted[3:]}) == 1
