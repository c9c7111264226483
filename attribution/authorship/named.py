"""How the text of a command says that a file is one of those it writes, where its effects do not tell. Pure."""

from __future__ import annotations

import re

from attribution.shell import Effect, mentions

_UNNAMED = ("modify", "generate", "write", "append")

# Commands are hostile input: what repeats within a repeated beginning has a bound, so that no text makes a search quadratic.
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_FLAGS = r"(?<!\S)-(?:o|w|i|-?out\w*|-write|-in-place|-file|-?dest\w*)[ =]"
_INTO = rf"(?:{_FLAGS}|[^-=<]>{{1,2}}|\btee(?: -a)?)\s{{0,9}}['\"]?[^\s'\";|&<>]{{0,300}}"
SCRIPT_WRITES = re.compile(
    r"\.write|write_?(?:text|file|all|bytes|lines)|open\s?\([^)]{0,300}, ?(?:mode ?= ?)?['\"](?:[wax]|r\+)|\bdump\("
    r"|Set-Content|Add-Content|Out-File|\.save\(|\.to_\w+\(|\bpatch\b|git\s+apply",
    re.I,
)


def says_it_writes(effects: tuple[Effect, ...], command: str, path: str) -> str:
    """How a command that writes to files its effects do not name says in its text that this is one of them: `program`, `script`
    (inline, so that its text tells the lines too), or "" for not.

    Most programs that nothing is known of only run, parse or show the files they name.
    """
    unnamed = {effect.kind for effect in effects if not effect.paths}
    if "generate" in unnamed and mentions(command, path):
        return "program"
    if unnamed.intersection(_UNNAMED) and mentions(_QUOTED.sub(" ", command), path):  # not in what sed is to replace
        return "program"
    if "opaque" not in unnamed or not mentions(command, path):
        return ""
    name = path.rpartition("/")[2]
    if re.search(_INTO + re.escape(name), command, re.I):
        return "program"
    return "script" if SCRIPT_WRITES.search(command.replace(name, "")) else ""
