"""What the task of a subagent asks for: whether it is told to make a file, not only to read or change one. Pure."""

from __future__ import annotations

import re

from attribution.shell import mentions

_MAX_TASK = 60_000  # characters of a task that are read
_MAKES = re.compile(
    r"\b(?:creat(?:e|es|ing)|writ(?:e|es|ing)|make|produc(?:e|es|ing)|generat(?:e|es|ing)|sav(?:e|es|ing)|deliverables?"
    r"|add|new\s+files?|extract\b[^.\n]{0,60}\b(?:in)?to)\b",
    re.I,
)
_NOT_MADE = re.compile(
    r"\b(?:read|loads?|from|in|convert|review|existing|exists|already|modif\w+|updat\w+|edit\w*|see|refer\w*|example|pattern|like"
    r"|fix|test\s+file\s+at|look\s+at|run|import\w*|delete|remove|rename)\b",
    re.I,
)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s")
_SENTENCE = re.compile(r"[.;:!?]\s|^\s*(?:[-*+]|\d{1,3}[.)])\s+")


def asks_for(task: str, path: str) -> bool:
    """Whether some line of the task tells to make the file: `Create a/b.py`, or an item of a list under `Deliverables:`."""
    heading = ""
    name = path.rpartition("/")[2]
    if name not in task:
        return False
    for line in task[:_MAX_TASK].split("\n"):
        if name in line and mentions(line, path) and _is_made(line, name, heading):
            return True
        if line.strip() and not _ITEM.match(line):
            heading = line.strip() if line.rstrip(" *_").endswith(":") or line.startswith("#") else ""
    return False


def _is_made(line: str, name: str, heading: str) -> bool:
    """The words before the name in its sentence decide, else the heading of its list."""
    statement = _SENTENCE.split(line[: line.index(name)])[-1]
    statement = re.sub(r"[`'\"(]?[\w.\-/~]*$", "", statement)  # the directory of the path
    if _NOT_MADE.search(statement):
        return False
    bare = not statement.strip(" -*`\"'")
    listed = bare and bool(_ITEM.match(line) and _MAKES.search(heading)) and not _NOT_MADE.search(heading)
    return bool(_MAKES.search(statement)) or listed
