"""Tool calls while they are being read: what the call and its result have in common in all formats."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from collector.json_values import as_json
from collector.model import Command, Edit, FileObservation, Spawn, Status, ToolCall
from collector.text import normal_path

ERROR_CHARS = 300
OUTPUT_CHARS = 2000
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

    def finished(
        self,
        result: Result | None,
        outcome: Outcome,
        *,
        edits: Iterable[Edit] = (),
        command: Command | None = None,
        seen: FileObservation | None = None,
        spawn: Spawn | None = None,
        commits: tuple[str, ...] = (),
    ) -> ToolCall:
        """The call with its result and what it did."""
        return ToolCall(
            call_id=self.id,
            name=self.name,
            turn=0,
            at=self.at,
            done_at=result.at if result else None,
            status=outcome[0],
            error=outcome[1],
            agent_id=self.agent_id,
            model=self.model,
            message_id=self.message_id,
            input=as_json(self.arguments),
            edits=tuple(edits),
            command=command,
            seen=seen,
            spawn=spawn,
            commits=commits,
            result_size=len(result.text) if result and result.complete else None,
        )


@dataclass(frozen=True, slots=True)
class Result:
    """What came back from a call."""

    at: float | None
    text: str  # as the model got it
    failed: bool = False
    details: object = None  # what the agent recorded for itself beside the text
    complete: bool = True  # False: the call is still running


def outcome_of(result: Result | None, rejections: Iterable[str] = ()) -> Outcome:
    """Unknown without a result, else whether it failed; see `failure`."""
    if result is None:
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


def commits_in(command: Command | None, output: str) -> tuple[str, ...]:
    """Abbreviated ids that git printed for the commits a command made: `[main 1a2b3c4] Subject`."""
    return tuple(dict.fromkeys(_COMMIT_LINE.findall(output))) if command and "git" in command.text else ()
