"""Tool calls while they are being read: what the call and its result have in common in all formats."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from collector.model import Command, Status
from collector.text import normal_path

ERROR_CHARS = 300
OUTPUT_CHARS = 100_000
Outcome = tuple[Status, str]  # how the call ended, and the beginning of its error message


@dataclass(slots=True)
class Call:
    """The record of a call. Its result may stand in a later record, or in another copy of the transcript."""

    id: str
    name: str
    arguments: object
    at: float | None
    order: int
    agent_id: str = ""
    model: str = ""
    message_id: str = ""
    cwd: str = ""
    not_before: float | None = None  # see `ToolCall`


@dataclass(frozen=True, slots=True)
class Result:
    """What came back from a call."""

    at: float | None
    text: str  # as the model got it
    failed: bool = False
    details: object = None  # what the agent recorded for itself beside the text
    recorded: bool = True  # False: nothing came back, or not yet


NO_RESULT = Result(None, "", recorded=False)


def outcome_of(result: Result, rejections: Iterable[str] = ()) -> Outcome:
    """Unknown without a result, else whether it failed; see `failure`."""
    if not result.recorded:
        return Status.UNKNOWN, ""
    return failure(result.text, rejections) if result.failed else (Status.OK, "")


def failure(error: str, rejections: Iterable[str] = ()) -> Outcome:
    """An error, or a rejection by the user when the message contains one of these texts (in lower case)."""
    rejected = any(text in error.lower() for text in rejections)
    return (Status.REJECTED if rejected else Status.ERROR), error[:ERROR_CHARS]


def shell_command(text: str, cwd: str, output: str = "", background: bool = False) -> Command:
    """A command with the beginning of its output."""
    return Command(text, normal_path(cwd), background, output[:OUTPUT_CHARS])


_COMMIT_LINE = re.compile(r"^\[[^\]\n]{1,200}? ([0-9a-f]{7,40})\]", re.M)


def commits_in(command: Command, output: str) -> tuple[str, ...]:
    """Abbreviated ids that git printed for the commits a command made: `[main 1a2b3c4] Subject`."""
    return tuple(dict.fromkeys(_COMMIT_LINE.findall(output))) if "git" in command.text else ()
