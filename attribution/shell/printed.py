"""Parts of files that commands printed. Pure.

Only commands that print files as they are count. What a pipeline made of a text shows nothing but what stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from attribution.shell.calls import is_path
from attribution.shell.model import SimpleCommand, Unparsable, join
from attribution.shell.syntax import commands

_MAX_OUTPUT = 100_000  # characters of an output that are looked at
_MAX_COMMAND = 4_000  # of a command
_SHOWS = re.compile(r"(?:^|[\s;&|(])(?:cat|nl|head|tail|sed\s+-n|rg|grep|git\b[^\n;&|]{0,40}\bdiff)(?=\s|$)")
_FOUND = re.compile(r"^([^\s:][^:\n]{0,300}):\d{1,9}[:-](.*)$", re.M)
_NUMBERED = re.compile(r"^\s{0,9}\d{1,9}(?:\t|:|-)", re.M)
_QUIET = frozenset(("cd", "echo", "printf", "pwd", "true", ":"))  # their other output is no line of a file that matters


@dataclass(frozen=True, slots=True)
class FilePart:
    """Lines of a file that a command printed."""

    path: str
    text: str


def parts_shown(command: str, cwd: str, output: str) -> list[FilePart]:
    """Parts of files in the worktree that a command printed: `cat`, `nl`, `head`, `tail`, `sed -n`, `rg -n`, `git diff`.

    A text that may belong to several files is ignored, and so is output that went through another program.
    """
    parsed = _parse(command, cwd, output) if _SHOWS.search(command) else []
    loud = [item for item in parsed if item.words and item.words[0].text not in _QUIET]
    if len(loud) != 1 or loud[0].fed or loud[0].redirects or loud[0].stdin or not all(word.exact for word in loud[0].words):
        return []
    return list(_shown_by(loud[0], [word.text for word in loud[0].words], output))


def _parse(command: str, cwd: str, output: str) -> list[SimpleCommand]:
    """The simple commands; none where there is no output, or too much to look at."""
    if not output.strip() or len(output) > _MAX_OUTPUT or len(command) > _MAX_COMMAND:
        return []
    try:
        return commands(command, cwd, 0).commands
    except Unparsable:
        return []


def _shown_by(command: SimpleCommand, words: Sequence[str], output: str) -> Iterator[FilePart]:
    name, files = words[0], [word for word in words[1:] if is_path(word) and not word.startswith("-")]
    if name == "git":
        operands = [word for word in words[2:] if word != "--"]
        if words[1:2] == ["diff"] and all("." in word and not word.startswith("-") for word in operands):  # paths, no revisions
            yield from _new_sides(command.cwd, output)
    elif name in ("rg", "grep"):
        yield from (FilePart(join(command.cwd, path), text) for path, text in _split_by_file(output) if is_path(path))
    elif name == "sed" and len(words) == 4 and words[1] == "-n" and re.fullmatch(r"\d{1,9}(?:,\d{1,9})?p", words[2]):
        yield FilePart(join(command.cwd, words[3]), output)
    elif name in ("cat", "nl", "head", "tail") and files and files[-1] == words[-1]:
        numbers = {word for word in words[1:-1] if not word.startswith("-")}
        if all(word.isdecimal() or (name == "nl" and word == "a") for word in numbers):  # values of options
            numbered = name == "nl" or ("-n" in words[1:] and name == "cat")
            yield FilePart(join(command.cwd, words[-1]), _NUMBERED.sub("", output) if numbered else output)


def _split_by_file(output: str) -> Iterator[tuple[str, str]]:
    result: dict[str, list[str]] = {}
    for match in _FOUND.finditer(output):
        result.setdefault(match[1], []).append(match[2])
    yield from ((path, "\n".join(lines)) for path, lines in result.items())


def _new_sides(cwd: str, output: str) -> Iterator[FilePart]:
    """The new side of `git diff` without a revision, which is the worktree's. Its paths are seen from the top of the worktree."""
    path, lines = "", list[str]()
    for line in [*output.split("\n"), "+++ "]:
        if line.startswith("+++ "):
            if path and lines:
                yield FilePart(join(cwd, path), "\n".join(lines))
            path, lines = line[6:] if line.startswith("+++ b/") else "", []
        elif line[:1] in ("+", " "):
            lines.append(line[1:])
