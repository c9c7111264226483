"""Cuts the transcripts of runs down to samples that tests read: fixtures/lab/AGENT-SCENARIO.

    python -m lab.samples AGENT-SCENARIO...

A sample has the transcripts below `home/` as the agent wrote them, at the same places, and
`served.json`: what the model served. What the agent's maker wrote (system prompts, descriptions of
tools) is cut out, and so is what names the machine. A database becomes the SQL that builds it
again, with the tables that hold the talk.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import socket
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab.agents import BY_NAME
from lab.compare import Facts, served_facts
from lab.install import CACHE

SAMPLES = Path(__file__).parent.parent.parent / "fixtures" / "lab"
LONG = 400  # characters; a longer text that has nothing of the script is the maker's
LARGE = 50_000  # bytes of a sample
TABLES = ("session", "message", "part", "project")
TEXT_SUFFIXES = (".jsonl", ".json", ".md", ".toml", "")
_OFFERS = frozenset(
    {
        "tools",
        "tool_definitions",
        "toolDefinitions",
        "functionDeclarations",
        "dynamic_tools",
        "available_tools",
    }
)
_INSTRUCTIONS = frozenset(
    {
        "base_instructions",
        "instructions",
        "system",
        "system_prompt",
        "systemPrompt",
        "developer_instructions",
        "preamble",
        "addedLines",
    }
)
_DESCRIPTIONS = _OFFERS | {"description"}
# Calls and their results: dictionaries of these types and roles, and whatever stands at these keys.
_TALK_TYPES = frozenset(
    {
        "tool_use",
        "tool_result",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "tool",
        "toolCall",
        "tool-call",
        "tool.execution_start",
        "tool.execution_complete",
    }
)
_TALK_ROLES = frozenset({"tool", "toolResult"})
_TALK = frozenset(
    {
        "toolUseResult",
        "toolCalls",
        "tool_calls",
        "toolRequests",
        "functionCall",
        "functionResponse",
        "item",
    }
)
_COPIES = re.compile(
    r'"type": ?"(?:api-request|api-request-blob|api-request-shape|prompt_snapshot)"'
)  # records that hold what was sent to the model
# what the maker, or that of a server of tools, puts into results
_REMINDER = re.compile(r"(<(system-reminder|functions)>).*?(</\2>)", re.DOTALL)
_TAG = re.compile(r"\s*<[^<>]+>")  # around what an agent puts before or behind a prompt


class Cutter:
    """Takes out what is not the conversation; `script` are the texts that the scenario has,
    `long` as in LONG.
    """

    def __init__(self, script: list[str], long: int = LONG) -> None:
        self.long = long
        self.script = [part for text in script for part in _pieces(text)]

    def value(self, value: Any, key: str = "", *, talk: bool = False) -> Any:
        """The value, cut. `talk`: it is within a call or its result, where nothing but reminders
        is the maker's.
        """
        if isinstance(value, dict):
            talk = talk or value.get("type") in _TALK_TYPES or value.get("role") in _TALK_ROLES
            return {
                name: self.value(item, name, talk=talk or name in _TALK)
                for name, item in value.items()
            }
        if isinstance(value, list):
            return (
                []
                if key in _OFFERS and not talk
                else [self.value(item, key, talk=talk) for item in value]
            )
        return self._string(value, key, talk=talk) if isinstance(value, str) else value

    def _string(self, text: str, key: str, *, talk: bool) -> str:
        if text[:1] in "{[":  # JSON within JSON, as arguments are
            try:
                return (
                    json.dumps(self.value(json.loads(text), talk=talk))
                    if len(text) > self.long
                    else text
                )
            except ValueError:
                pass
        if talk:
            return _REMINDER.sub(r"\1\3", text)
        described = key in _DESCRIPTIONS and len(text) > 60
        unknown = len(text) > self.long and not any(piece in text for piece in self.script)
        if key in _INSTRUCTIONS or described or unknown:
            opening = _TAG.match(text)
            closing = (
                text.rstrip().rpartition("</")[2] if opening and text.rstrip().endswith(">") else ""
            )
            before, behind = (opening[0], f"</{closing}") if opening and closing else ("", "")
            return f"{before}[{len(text)} characters of the agent's maker were cut]{behind}"
        return text

    def file(self, path: Path) -> str:
        """The text of a file, cut. JSON keeps its form: a document for a document, a line for a
        line.
        """
        text = path.read_text("utf-8")
        if path.suffix == ".json":
            return json.dumps(self.value(json.loads(text)), indent=1, ensure_ascii=False) + "\n"
        if path.suffix == ".jsonl":
            return "".join(
                json.dumps(self.value(json.loads(line)), ensure_ascii=False) + "\n"
                for line in text.splitlines()
                if line and not _COPIES.search(line[:400])
            )
        return text


def _pieces(text: str) -> Iterator[str]:
    """Parts of a text that would not stand in somebody else's, as they are and as JSON has them."""
    for line in text.splitlines():
        if len(line) >= 20:
            yield line
            yield json.dumps(line)[1:-1]


def _script_texts(run: Path) -> list[str]:
    texts = []
    for plan in sorted((run / "mock").glob("*/plan.json")):
        for step in json.loads(plan.read_text("utf-8"))["script"].values():
            texts += [
                action[name]
                for response in step
                for action in response
                for name in ("text", "old", "command")
            ]
    return texts


def database_dump(path: Path, cutter: Cutter) -> str:
    """The tables of the talk as SQL; texts in them are cut."""
    source = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    target = sqlite3.connect(":memory:")
    source.backup(target)
    source.close()
    names = [
        name
        for (name,) in target.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    ]
    target.execute("PRAGMA foreign_keys = OFF")
    for name in names:
        if name not in TABLES:
            target.execute(f'DROP TABLE "{name}"')
            continue
        columns = [row[1] for row in target.execute(f'PRAGMA table_info("{name}")')]
        for rowid, *values in target.execute(f'SELECT rowid, * FROM "{name}"').fetchall():
            for column, value in zip(columns, values, strict=True):
                if isinstance(value, str) and cutter.value(value) != value:
                    target.execute(
                        f'UPDATE "{name}" SET "{column}" = ? WHERE rowid = ?',
                        (cutter.value(value), rowid),
                    )
    return "\n".join(target.iterdump()) + "\n"


def neutral(text: str) -> str:
    """Without what names the machine that the run was made on."""
    replacements: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
        (re.escape(str(CACHE / "agents")), "/opt/agents"),
        (re.escape(str(CACHE)), "/opt/lab"),
        (re.escape(platform.release()), "6.8.0"),
        (rf"\b{re.escape(socket.gethostname())}\b", "devbox"),
    ]
    for pattern, replacement in replacements:
        text = re.sub(pattern, replacement, text)
    return text


def make_sample(run: Path) -> Path:
    about = json.loads((run / "run.json").read_text("utf-8"))
    agent, target = BY_NAME[about["agent"]], SAMPLES / run.name
    shutil.rmtree(target, ignore_errors=True)
    cutter = Cutter([*_script_texts(run), *about["prompts"]])
    for pattern in agent.transcripts:
        for path in sorted(path for path in (run / "home").glob(pattern) if path.is_file()):
            kept = target / "home" / path.relative_to(run / "home")
            if path.suffix in TEXT_SUFFIXES:
                content = cutter.file(path)
            elif path.suffix == ".db":
                kept, content = kept.with_name(path.name + ".sql"), database_dump(path, cutter)
            else:
                continue
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(neutral(content), "utf-8")
    served, side = served_facts(run)
    row = {
        "agent": agent.name,
        "version": about["version"],
        "scenario": about["scenario"],
        "served": asdict(served),
        "side": side,
    }
    (target / "served.json").write_text(json.dumps(row, indent=1) + "\n", "utf-8")
    return target


def sample_facts(sample: Path) -> tuple[Facts, dict[str, int]]:
    """What the model served in the run of a sample, and the tokens of its side requests."""
    row = json.loads((sample / "served.json").read_text("utf-8"))
    return Facts(**row["served"]), row["side"]


def main() -> None:
    for name in sys.argv[1:]:
        target = make_sample(CACHE / "runs" / name)
        size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
        print(f"{target}: {size} bytes{', too large' if size > LARGE else ''}")


if __name__ == "__main__":
    main()
