"""How the text of a command, or the task of a subagent, says that a file is one of those it writes.

Pure.

Of a command only what its effects do not tell; of a task whether it is told to make the file, not
only to read or change one.
"""

import re

from attribution.shell import Effect, mentions
from collector.text import file_name

UNNAMED = ("modify", "generate", "write", "append")

# Commands are hostile input: what repeats within a repeated beginning has a bound, so that no text
# makes a search quadratic.
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_FLAGS = r"(?<!\S)-(?:o|w|i|-?out\w*|-write|-in-place|-file|-?dest\w*)[ =]"
_INTO = rf"(?:{_FLAGS}|[^-=<]>{{1,2}}|\btee(?: -a)?)\s{{0,9}}['\"]?[^\s'\";|&<>]{{0,300}}"
SCRIPT_WRITES = re.compile(
    r"\.write|write_?(?:text|file|all|bytes|lines)|open\s?\([^)]{0,300}, ?(?:mode ?="
    r" ?)?['\"](?:[wax]|r\+)|\bdump\("
    r"|Set-Content|Add-Content|Out-File|\.save\(|\.to_\w+\(|\bpatch\b|git\s+apply",
    re.I,
)


def says_it_writes(effects: tuple[Effect, ...], command: str, path: str) -> str:
    """How a command that writes to files its effects do not name says in its text that this is one
    of them: `program`, `script` (inline, so that its text tells the lines too), or "" for not.

    Most programs that nothing is known of only run, parse or show the files they name.
    """
    unnamed = {effect.kind for effect in effects if not effect.paths}
    if "generate" in unnamed and mentions(command, path):
        return "program"
    # not in what sed is to replace
    if unnamed.intersection(UNNAMED) and mentions(_QUOTED.sub(" ", command), path):
        return "program"
    if "opaque" not in unnamed or not mentions(command, path):
        return ""
    name = file_name(path)
    if re.search(_INTO + re.escape(name), command, re.I):
        return "program"
    return "script" if SCRIPT_WRITES.search(command.replace(name, "")) else ""


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
    """Whether some line of the task tells to make the file: `Create a/b.py`, or an item of a
    list under `Deliverables:`.
    """
    heading = ""
    name = file_name(path)
    if name not in task:
        return False
    for line in task[:_MAX_TASK].split("\n"):
        if name in line and mentions(line, path) and _is_made(line, name, heading):
            return True
        if line.strip() and not _ITEM.match(line):
            heading = (
                line.strip() if line.rstrip(" *_").endswith(":") or line.startswith("#") else ""
            )
    return False


def _is_made(line: str, name: str, heading: str) -> bool:
    """The words before the name in its sentence decide, else the heading of its list."""
    statement = _SENTENCE.split(line[: line.index(name)])[-1]
    statement = re.sub(r"[`'\"(]?[\w.\-/~]*$", "", statement)  # the directory of the path
    if _NOT_MADE.search(statement):
        return False
    bare = not statement.strip(" -*`\"'")
    listed = (
        bare
        and bool(_ITEM.match(line) and _MAKES.search(heading))
        and not _NOT_MADE.search(heading)
    )
    return bool(_MAKES.search(statement)) or listed
