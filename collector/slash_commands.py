"""The slash commands that users type, as agents record them. Pure."""

from __future__ import annotations

import re

_COMMAND = re.compile(r"<command-name>/?([\w:-]+)</command-name>|\A\s*/([\w:-]+)")
_ARGUMENTS = re.compile(r"<command-args>([^<]{1,200})</command-args>|\A\s*/[\w:-]+\s([^\n]{1,200})")
_HOUSEKEEPING = frozenset({
    "add-dir", "agents", "bug", "clear", "compact", "config", "context", "cost", "doctor", "exit", "export", "fast", "help",
    "hooks", "ide", "login", "logout", "mcp", "memory", "model", "output-style", "permissions", "plugin", "privacy-settings",
    "quit", "rename", "resume", "rewind", "status", "statusline", "terminal-setup", "theme", "usage", "vim",
})  # fmt: skip


_TAGS = re.compile(
    r"<command-message>[^<]*</command-message>\s*|<command-name>/?(?P<name>[\w:-]+)</command-name>\s*"
    r"|<command-args>(?P<arguments>.*?)</command-args>\s*",
    re.DOTALL,
)


def as_typed(prompt: str) -> str:
    """A prompt as its user typed it: without the tags in which agents record slash commands; any other text as it is."""
    if "<command-name>" not in prompt[:2_000]:
        return prompt
    return _TAGS.sub(lambda match: f"/{match['name']} " if match["name"] else match["arguments"] or "", prompt).strip()


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
