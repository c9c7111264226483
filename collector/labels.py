"""A short name of a session: the start of what its first prompt says, past the words that editors
and agents put before it.

And the slash commands that users type, as agents record them. Pure.
"""

import re
from collections.abc import Sequence

REQUEST = "## My request for Codex:"  # before it an editor describes its open files
_LENGTH = 80
_TAG = re.compile(r"^<[a-z][\w-]*(?:\s[^>]*)?>")
_PHRASES = (
    "implement the following plan:",
    "a previous agent produced the plan below to accomplish the user's task.",
    "implement the plan in a fresh context.",
    "[[ ## user_query ## ]]",
    "user request:",
    "task:",
    "plan:",
)
_ANSWER = re.compile(
    r"(?:[a-z]|\d{1,3}|yes|yep|yeah|no|nope|ok|okay|sure|go|go ahead|go"
    r" on|continue|proceed|next|done"
    r"|hi|hello|hey|test|thanks|thank you)"
    r"(?:[\s,.!]+(?:please|there|thanks))?[\s.!?)]*"
)
_MARKS = re.compile(r"^[\s\"'#>*=-]+")


def request_of(text: str) -> str:
    """The request without the context that an editor put before it."""
    start = text.rfind(REQUEST)
    if start >= 0:
        return text[start + len(REQUEST) :]
    return text


def session_label(prompts: Sequence[str], commands: Sequence[str] = ()) -> str:
    """At most 80 characters: the first line that says something of its own, else the first slash
    command that begins work.

    Where there are only answers such as "y", the first of them; "" when there is nothing.
    `commands`: as recorded.
    """
    every = (
        line for prompt in prompts for line in map(_own, request_of(prompt[:50_000]).split("\n"))
    )
    lines = [line for line in every if any(map(str.isalnum, line))]
    telling = next((line for line in lines if not _ANSWER.fullmatch(line.lower())), "")
    if not telling:
        telling = next(filter(None, map(command_words, commands)), "")
    label = telling or next(iter(lines), "")
    if len(label) <= _LENGTH:
        return label
    return label[: _LENGTH - 1].rstrip() + "…"


def _own(line: str) -> str:
    """The line without marks of a heading, tags and stock phrases at its start."""
    before = None
    while line != before:
        before = line
        line = _TAG.sub("", _MARKS.sub("", line)).strip()
        low = line.lower()
        line = next((line[len(phrase) :] for phrase in _PHRASES if low.startswith(phrase)), line)
    return line


_COMMAND = re.compile(r"<command-name>/?([\w:-]+)</command-name>|\A\s*/([\w:-]+)")
_ARGUMENTS = re.compile(r"<command-args>([^<]{1,200})</command-args>|\A\s*/[\w:-]+\s([^\n]{1,200})")
_HOUSEKEEPING = frozenset(
    {
        "add-dir",
        "agents",
        "bug",
        "clear",
        "compact",
        "config",
        "context",
        "cost",
        "doctor",
        "exit",
        "export",
        "fast",
        "help",
        "hooks",
        "ide",
        "login",
        "logout",
        "mcp",
        "memory",
        "model",
        "output-style",
        "permissions",
        "plugin",
        "privacy-settings",
        "quit",
        "rename",
        "resume",
        "rewind",
        "status",
        "statusline",
        "terminal-setup",
        "theme",
        "usage",
        "vim",
    }
)


_TAGS = re.compile(
    r"<command-message>[^<]*</command-message>\s*|<command-name>/?(?P<name>[\w:-]+)</command-name>\s*"
    r"|<command-args>(?P<arguments>.*?)</command-args>\s*",
    re.DOTALL,
)


def as_typed(prompt: str) -> str:
    """A prompt as its user typed it: without the tags in which agents record slash commands; any
    other text as it is.
    """
    if "<command-name>" not in prompt[:2_000]:
        return prompt
    return _TAGS.sub(
        lambda match: f"/{match['name']} " if match["name"] else match["arguments"] or "", prompt
    ).strip()


def is_housekeeping(command: str) -> bool:
    """Whether a slash command, as recorded, asks for no work."""
    match = _COMMAND.search(command)
    return match is not None and (match[1] or match[2]).lower() in _HOUSEKEEPING


def command_words(command: str) -> str:
    """A slash command as it was typed, on one line; "" when its name is not on record."""
    name = _COMMAND.search(command)
    arguments = _ARGUMENTS.search(command)
    if name is None:
        return ""
    return " ".join(
        [
            f"/{name[1] or name[2]}",
            *((arguments[1] or arguments[2]).split() if arguments is not None else ()),
        ]
    )
