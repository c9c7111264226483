"""What a person presses in each agent's interface to interrupt, allow, refuse, begin anew and
take back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.terminal import Conversation

Gesture = Callable[["Conversation"], None]


@dataclass(frozen=True)
class Gestures:
    interrupt: Gesture
    allow: Gesture
    refuse: Gesture
    clear: Gesture
    rewind: Gesture
    plan: Gesture
    build: Gesture  # after the plan is there: back to the mode that writes
    summarize: Gesture
    fork: Gesture


def _press(*keys: str, after: str = "") -> Gesture:
    """Waits for the pattern, presses the keys, and waits for a quiet screen."""

    def gesture(talk: Conversation) -> None:
        if after:
            talk.terminal.wait(after)
            talk.terminal.wait_quiet()
        talk.terminal.press(*keys)
        talk.terminal.wait_quiet()

    return gesture


def _claude_rewind(talk: Conversation) -> None:
    talk.command("/rewind")
    talk.terminal.press("up", "enter")
    talk.terminal.wait("Restore code and conversation")
    talk.terminal.press("1")
    talk.terminal.wait_quiet()
    talk.terminal.press("ctrl-u")  # the prompt that was taken back stands in the input


def _codex_backtrack(talk: Conversation) -> None:
    """It takes back the talk alone: files stay as they are."""
    talk.terminal.press("escape", "escape")
    talk.terminal.wait_quiet()
    talk.terminal.press("enter")
    talk.terminal.wait_quiet()
    talk.terminal.press("ctrl-u")


def _gemini_rewind(talk: Conversation) -> None:
    talk.command("/rewind")
    # behind a prompt the results of its calls are entries of their own
    talk.terminal.press("up", "up", "up", "up", "enter")
    talk.terminal.wait("Confirm Rewind")
    talk.terminal.press("enter")
    talk.terminal.wait_quiet()
    talk.terminal.press("ctrl-u")


def _opencode_undo(talk: Conversation) -> None:
    talk.command("/undo")
    talk.terminal.wait_quiet()
    talk.terminal.press("ctrl-u")


def _press_until(key: str, pattern: str) -> Gesture:
    """Presses a key that goes through modes."""

    def gesture(talk: Conversation) -> None:
        for _ in range(6):
            if re.search(pattern, talk.terminal.text()):
                return
            talk.terminal.press(key)
            talk.terminal.wait_quiet()
        raise RuntimeError(
            f"{key} does not lead to {pattern!r}; the screen:\n{talk.terminal.text()}"
        )

    return gesture


def _claude_build(talk: Conversation) -> None:
    talk.terminal.wait("Exit plan mode|Would you like to proceed")
    talk.terminal.press("enter")
    talk.wait_answered("one")
    _press_until("shift-tab", "accept edits on|bypass permissions on")(talk)


def _command(text: str) -> Gesture:
    return lambda talk: talk.command(text)


def _command_with_choice(text: str, question: str) -> Gesture:
    """A command that asks, where the first answer is taken: what is typed before it is lost."""

    def gesture(talk: Conversation) -> None:
        talk.command(text)
        talk.terminal.wait(question)
        talk.terminal.press("enter")
        talk.terminal.wait_quiet()

    return gesture


GESTURES: Mapping[str, Gestures] = {
    "claude-code": Gestures(
        interrupt=_press("escape"),
        allow=_press("enter", after="Do you want to"),
        refuse=_press("escape", after="Do you want to"),
        clear=_command("/clear"),
        rewind=_claude_rewind,
        plan=_press_until("shift-tab", "plan mode on"),
        build=_claude_build,
        summarize=_command("/compact"),
        fork=_command("/branch"),
    ),
    "codex": Gestures(
        interrupt=_press("escape"),
        allow=_press("y", after="Would you like to"),
        refuse=_press("escape", after="Would you like to"),
        clear=_command_with_choice("/new", "Use current Git worktree"),
        rewind=_codex_backtrack,
        plan=_command("/plan"),
        build=_press("shift-tab"),
        summarize=_command("/compact"),
        fork=_command_with_choice("/fork", "Use current Git worktree"),
    ),
    "gemini-cli": Gestures(
        interrupt=_press("escape"),
        allow=_press("enter", after="Allow once"),
        refuse=_press("escape", after="Allow once"),
        clear=_command("/clear"),
        rewind=_gemini_rewind,
        plan=_press_until("shift-tab", r"(?m)^ plan\b"),
        build=_press_until("shift-tab", "auto-accept edits"),
        summarize=_command("/compress"),
        fork=_command("/chat save forked"),
    ),
    "opencode": Gestures(
        interrupt=_press("escape", "escape"),
        allow=_press("enter", after="Permission required"),
        refuse=_press("right", "right", "enter", after="Permission required"),
        clear=_command("/new"),
        rewind=_opencode_undo,
        plan=_press("tab"),
        build=_press("tab"),
        summarize=_command("/compact"),
        fork=_command_with_choice("/fork", "Fork session"),
    ),
}
