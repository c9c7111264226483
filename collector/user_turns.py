"""Finds the turns of a session that are its user's, and the names of their slash commands. Pure.

A slash command is a turn of the user when the model answered it, unless it only keeps house (`/exit`, `/clear`, `/model`): what the
agent's program itself answers to those is no work, and a summary that `/compact` asks for is none either.
"""

from __future__ import annotations

import re

from collector.model import Session, Turn
from collector.vocabulary.sessions import TYPED, TurnOrigin

_COMMAND = re.compile(r"<command-name>/?([\w:-]+)</command-name>|\A\s*/([\w:-]+)")
_ARGUMENTS = re.compile(r"<command-args>([^<]{1,200})</command-args>|\A\s*/[\w:-]+\s([^\n]{1,200})")
_HOUSEKEEPING = frozenset({
    "add-dir", "agents", "bug", "clear", "compact", "config", "context", "cost", "doctor", "exit", "export", "fast", "help",
    "hooks", "ide", "login", "logout", "mcp", "memory", "model", "output-style", "permissions", "plugin", "privacy-settings",
    "quit", "rename", "resume", "rewind", "status", "statusline", "terminal-setup", "theme", "usage", "vim",
})  # fmt: skip
_NOT_A_MODEL = "<synthetic>"  # texts that the agent's program writes in the model's name


def user_turns(session: Session) -> tuple[Turn, ...]:
    """Typed messages, approved plans, and slash commands that the model answered; injected text is none."""
    answered = {u.turn for u in session.usage if u.model != _NOT_A_MODEL} | {call.turn for call in session.calls}
    return tuple(turn for turn in session.turns if _is_users(turn, turn.index in answered))


def _is_users(turn: Turn, answered: bool) -> bool:
    if turn.origin == TurnOrigin.COMMAND:
        return answered and not is_housekeeping(turn.text)
    return turn.origin in (*TYPED, TurnOrigin.PLAN)


def is_housekeeping(command: str) -> bool:
    """Whether a slash command, as recorded, asks for no work."""
    match = _COMMAND.search(command)
    return match is not None and (match[1] or match[2]).lower() in _HOUSEKEEPING


def command_words(command: str) -> str:
    """A slash command as it was typed, on one line; "" when its name is not on record."""
    name, arguments = _COMMAND.search(command), _ARGUMENTS.search(command)
    if name is None:
        return ""
    return " ".join([f"/{name[1] or name[2]}", *((arguments[1] or arguments[2]).split() if arguments is not None else ())])
