"""What is known of a worktree beside the texts of its files. Pure.

What agents did there other than edits, what users said, which files exist, which git knows, what tasks of the project run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attribution.authorship.verdicts import CallRef
from attribution.shell import Effect
from collector.vocabulary.lines import Reason


@dataclass(frozen=True, slots=True)
class WorktreeAction:
    """Something an agent did in a worktree that is not an edit call."""

    at: float
    until: float
    call: CallRef
    command: str = ""
    cwd: str = ""
    effects: tuple[Effect, ...] | None = ()  # None: not looked at yet
    subagent: str = ""  # session or agent id of the subagent that it started, where recorded
    unseen: Reason = Reason.NONE  # the reason why what was done is not known: a part of the transcript, or a subagent's, is missing
    told: str = ""  # invisible_subagent: what it was asked to do
    files: frozenset[str] | None = None  # invisible_subagent: paths it can have left changed when it was done; None: any


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a user said, which starts a turn."""

    at: float
    text: str


TasksAt = Callable[[float, str, str, str, str], str | None]
"""(moment, worktree root, directory, program, task) -> the commands of a task of the project at that time, when they are known."""

TrackedAt = Callable[[str, float], bool]
"""(path, moment) -> whether a commit before that moment holds the path."""
