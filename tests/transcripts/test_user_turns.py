"""What counts as a turn: what a person asked the model for, in the record of any agent."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, jsonl
from support.builder import World
from support.commands import run

import whowrote
from collector.agents import claude_code, codex, copilot_cli, opencode
from collector.agents.common.builder import SessionBuilder
from collector.agents.common.messages import PromptKind, classify
from collector.agents.formats.opencode import find, load
from collector.agents.machine.model import ANYWHERE
from collector.json_values import JsonObject, Texts
from collector.labels import as_typed, command_words, is_housekeeping
from collector.model import Session, Usage
from collector.vocabulary.sessions import Driver

LAB = ROOT / "fixtures" / "lab"
CLEAR = (
    "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n"
    "<command-args></command-args>"
)
REVIEW = (
    "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
    "<command-args>the diff</command-args>"
)


def _record(kind: str, second: int, content: object, **message: Any) -> JsonObject:
    message = {"role": kind, "content": content, **message}
    return {
        "type": kind,
        "uuid": f"u{second}",
        "timestamp": f"2026-03-04T09:00:{second:02d}.000Z",
        "message": message,
    }


def _answer(second: int, model: str = "claude-opus-4-6") -> JsonObject:
    call = {"type": "tool_use", "id": f"toolu_{second}", "name": "Bash", "input": {"command": "ls"}}
    usage = {"input_tokens": 3, "output_tokens": 9}
    blocks = [call] if model.startswith("claude") else [{"type": "text", "text": "bye"}]
    return _record("assistant", second, blocks, id=f"msg_{second}", model=model, usage=usage)


def _read(*records: JsonObject) -> Any:
    return claude_code.read("s", [jsonl(*records)])


def test_commands_of_the_program_are_events_and_what_follows_is_of_the_turn_before() -> None:
    session = _read(
        _record("user", 0, CLEAR),
        _record("user", 1, "mend it"),
        _answer(2),
        _record("user", 3, REVIEW),
        _answer(4),
        _record("user", 5, "<command-name>/mine</command-name>"),
        _answer(6, "<synthetic>"),
        _record("user", 7, "<command-name>/exit</command-name>"),
        _answer(8),
    )
    assert [(turn.index, turn.text, turn.origin) for turn in session.turns] == [
        (1, "mend it", "prompt"),
        (2, REVIEW, "command"),
    ]
    assert [call.turn for call in session.calls] == [1, 2, 2]
    assert [mark.detail for mark in session.marks if mark.kind == "command"] == [
        "/clear",
        "/mine",
        "/exit",
    ]
    assert session.user_turns == session.turns


def test_a_session_of_commands_alone_has_no_turn() -> None:
    session = _read(
        _record("user", 0, CLEAR), _record("user", 1, "<command-name>/exit</command-name>")
    )
    assert (session.turns, [mark.kind for mark in session.marks]) == ((), ["command", "command"])


@pytest.mark.parametrize(("parent", "turns"), [("", 2), ("s0", 0)])
def test_nobody_typed_in_a_session_that_another_one_spawned(parent: str, turns: int) -> None:
    builder = SessionBuilder("opencode", "s1")
    builder.parent_id = parent
    for number, origin in enumerate(("prompt", "queued", "injected")):
        builder.begin(float(number))
        builder.add_turn(number, float(number), "look for the bug", origin)
    session = builder.build([])
    assert (len(session.turns), len(session.user_turns)) == (3, turns)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_tokens_of_a_response_are_the_most_that_any_record_of_it_has(
    order: tuple[int, ...],
) -> None:
    records = [
        Usage("m", 5.0, 0, "opus", input=0, output=1),
        Usage("m", 6.0, 0, "opus", input=40, output=1, cache_read=7),
        Usage("m", 7.0, 0, "opus", input=0, output=90),
    ]
    builder = SessionBuilder("claude-code", "s")
    for number in order:
        builder.add_usage(records[number])
    (usage,) = builder.build([]).usage
    assert (usage.input, usage.output, usage.cache_read, usage.at) == (
        40,
        90,
        7,
        records[order[0]].at,
    )


@pytest.mark.parametrize(
    ("fields", "driver"),
    [
        ({"entrypoint": "cli", "promptSource": "typed"}, "person"),
        ({"promptSource": "queued"}, "person"),
        ({"entrypoint": "claude-desktop", "promptSource": "sdk"}, "person"),
        ({"entrypoint": "claude-vscode", "promptSource": "sdk"}, "ide"),
        ({"entrypoint": "sdk-py", "promptSource": "sdk"}, "program"),
        ({"entrypoint": "sdk-cli"}, "program"),
        ({"promptSource": "sdk"}, "program"),
        (
            {"entrypoint": "remote_mobile", "promptSource": "sdk", "origin": {"kind": "human"}},
            "person",
        ),
        ({"entrypoint": "sdk-ts", "promptSource": "sdk", "origin": {"kind": "human"}}, "person"),
        ({"entrypoint": "claude-code-github-action"}, "ci"),
        ({"entrypoint": "cli", "cwd": "/home/runner/work/app/app"}, "ci"),
        ({}, "unknown"),
    ],
)
def test_what_drives_a_session_of_claude_code(fields: JsonObject, driver: str) -> None:
    session = _read(_record("user", 1, "mend it") | fields, _answer(2))
    assert (session.driver, [turn.driver for turn in session.turns]) == (driver, [driver])


def test_each_turn_has_its_driver_and_the_session_that_of_most() -> None:
    prompts = [("sdk-py", "review it"), ("cli", "no, the other file"), ("cli", "thanks")]
    session = _read(
        *(
            _record("user", n, text) | {"entrypoint": entry}
            for n, (entry, text) in enumerate(prompts)
        )
    )
    assert ([turn.driver for turn in session.turns], session.driver) == (
        ["program", "person", "person"],
        "person",
    )


@pytest.mark.parametrize(
    ("meta", "driver"),
    [
        ({"originator": "codex-tui", "source": "cli"}, "person"),
        ({"originator": "Codex Desktop", "source": "vscode"}, "person"),
        ({"originator": "codex_vscode", "source": "vscode"}, "ide"),
        ({"originator": "codex_exec", "source": "exec"}, "program"),
        ({"originator": "codex_sdk_ts", "source": "exec"}, "program"),
        ({"source": {"subagent": "review"}}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_what_drives_a_thread_of_codex(meta: JsonObject, driver: str) -> None:
    said = {"type": "user_message", "message": "mend it"}
    records = [
        {"type": "session_meta", "payload": {"id": "s", **meta}},
        {"type": "event_msg", "payload": said},
    ]
    lines = [
        json.dumps({"timestamp": f"2026-03-04T09:00:0{n}Z", **record})
        for n, record in enumerate(records)
    ]
    session = codex.read("s", ["\n".join(lines).encode()])
    assert (session.driver, [turn.driver for turn in session.turns]) == (driver, [driver])


@pytest.mark.parametrize(
    ("rules", "driver"),
    [
        # of `opencode run`
        ([{"permission": "question", "pattern": "*", "action": "deny"}], "program"),
        ([{"permission": "task", "pattern": "*", "action": "deny"}], "unknown"),  # of a subagent
        ([{"permission": "question", "pattern": "*", "action": "ask"}], "unknown"),
        (None, "unknown"),
    ],
)
def test_what_drives_a_session_of_opencode(rules: object, driver: str) -> None:
    message = {
        "info": {"id": "m", "role": "user", "time": {"created": 1000}},
        "parts": [{"type": "text", "text": "mend it"}],
    }
    document = {
        "info": {"id": "ses_1", "directory": "/w", "permission": rules},
        "messages": [message],
    }
    session = opencode.read("s", [json.dumps(document).encode()])
    assert (session.driver, [turn.driver for turn in session.turns]) == (driver, [driver])


def test_a_database_of_opencode_tells_what_drove_it(tmp_path: Path) -> None:
    """The lab ran `opencode run`."""
    database = tmp_path / "opencode.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(
            (LAB / "opencode-basic/home/.local/share/opencode/opencode.db.sql").read_text("utf-8")
        )
    (stored,) = find(database, ANYWHERE)
    assert opencode.read("s", load(stored)).driver == "program"


@pytest.mark.parametrize(
    ("editor", "driver"), [({"vscodeVersion": "1.122.0"}, "ide"), ({}, "unknown")]
)
def test_what_drives_a_session_of_copilot(editor: Texts, driver: str) -> None:
    start = {"type": "session.start", "data": {"copilotVersion": "0.50", **editor}}
    said = {"type": "user.message", "data": {"content": "mend it"}}
    records = [
        {**record, "id": f"e{n}", "timestamp": f"2026-03-04T09:00:0{n}Z"}
        for n, record in enumerate((start, said))
    ]
    session = copilot_cli.read("s", [jsonl(*records)])
    assert (session.driver, [turn.driver for turn in session.turns]) == (driver, [driver])


@pytest.mark.parametrize(
    ("recorded", "words", "housekeeping"),
    [
        (
            "<command-name>/review</command-name>\n<command-args>the\n diff</command-args>",
            "/review the diff",
            False,
        ),
        ("/review the diff", "/review the diff", False),
        ("<command-name>/Clear</command-name>\n<command-args></command-args>", "/Clear", True),
        ("<command-message>without a name</command-message>", "", False),
    ],
)
def test_a_command_is_read_as_it_was_typed(recorded: str, words: str, housekeeping: bool) -> None:
    assert (command_words(recorded), is_housekeeping(recorded)) == (words, housekeeping)


@pytest.mark.parametrize(
    ("recorded", "typed"),
    {
        (
            "<command-message>pr:review</command-message>\n<command-name>/pr:review</command-name>"
        ): "/pr:review",
        (
            "<command-name>/fix</command-name>\n<command-args>the <b>first</b>\ntwo</command-args>"
        ): "/fix the <b>first</b>\ntwo",
        "<command-name>review</command-name> and then this": "/review and then this",
        "Why does <command-args> stand in my text?": "Why does <command-args> stand in my text?",
        "/review the diff": "/review the diff",
        "": "",
    }.items(),
)
def test_a_prompt_is_shown_as_it_was_typed(recorded: str, typed: str) -> None:
    assert as_typed(recorded) == typed


def test_no_surface_shows_the_tags_of_a_command(tmp_path: Path, db: Path) -> None:
    world = World("command")
    session = world.session(
        prompt="<command-message>make</command-message>\n<command-name>/make</command-name>\n<command-args>a"
        " file</command-args>"
    )
    session.write("a.py", "value = 1\n")
    session.end_turn()
    world.commit("One", [session])
    repo = world.build(tmp_path / "repo")
    with whowrote.open(repo, db) as opened:
        (key,) = [row["key"] for row in opened.sessions()]
        texts = [
            opened.explain("a.py", 1).prompt,
            opened.blocks("a.py")[0].prompt,
            opened.session(key).turns[-1].turn["prompt"],
        ]
        texts += [row["prompt"] for row in opened.turns()] + [
            row["excerpt"] for row in opened.search("file")
        ]
    assert texts == ["/make a file"] * len(texts) and len(texts) == 5
    for command in (
        ("log", "HEAD", repo, "--show"),
        ("sessions", repo, "--by", "turn"),
        ("why", repo, "a.py:1"),
    ):
        shown = run(*command, db=db)
        assert "<command-" not in shown.stdout and "/make" in shown.stdout, command


@pytest.mark.parametrize(
    "text",
    [
        "[SYSTEM NOTIFICATION - NOT USER INPUT]\nAn automated event.",
        '<teammate-message teammate_id="reviewer">\nNo.\n</teammate-message>',
        "Another Claude session sent a message:\n"
        '<teammate-message teammate_id="r">No.</teammate-message>',
        '<cross-session-message from="s2">\nNo.\n</cross-session-message>',
    ],
)
def test_what_other_agents_and_the_program_say_is_no_prompt(text: str) -> None:
    assert classify(text) is PromptKind.INJECTED


def _asked(**more: object) -> Session:
    record = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "s",
        "timestamp": "2026-03-04T09:00:00.000Z",
        "message": {"role": "user", "content": "Write it"},
        **more,
    }
    return claude_code.read("s", [json.dumps(record).encode()])


@pytest.mark.parametrize(
    ("kind", "count"), {"peer": 0, "coordinator": 0, "human": 1, "": 1}.items()
)
def test_a_prompt_of_another_agent_is_not_the_users(kind: str, count: int) -> None:
    assert len(_asked(origin={"kind": kind}).user_turns) == count


@pytest.mark.parametrize(
    ("more", "driver"),
    [
        ({"teamName": "x", "agentName": "worker"}, Driver.PROGRAM),
        ({"teamName": "x", "agentName": "team-lead", "entrypoint": "cli"}, Driver.PERSON),
        ({"entrypoint": "cli"}, Driver.PERSON),
    ],
)
def test_a_teammate_is_driven_by_an_agent(more: Texts, driver: Driver) -> None:
    assert _asked(**more).driver is driver
