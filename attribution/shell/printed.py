"""Reads from the output of a command which files exist, which do not, and parts of their texts. Pure.

Only commands that print files or lists of them as they are count. What a pipeline made of a text, a list that was cut, and output
that the recorder shortened show nothing but what stands in them: never that a file is absent.
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
_LISTS = re.compile(r"(?:^|[\s;&|(])(?:ls(?=\s|$)|git\b[^\n;&|]{0,60}\bstatus\b)")
_NO_FILE = "No such file or directory"
_ABSENT = re.compile(
    r"^(?:\w{1,12}: )?(?:cannot (?:access|open|stat) |can't (?:open|read) )?['\"‘]?([^'\"’\n:]{1,300}?)['\"’]?"
    r"(?: for reading)?: No such file or directory",
    re.M,
)
_SHORT = re.compile(r"^([ MADRCUT?]{2}) (?:[^\n]{1,300} -> )?\"?([^\n\"]{1,300})\"?$", re.M)
_LONG = re.compile(r"^\t(?:(new file|modified|deleted|renamed|both \w{1,10}):\s{1,12}(?:[^\n]{1,300} -> )?)?([^\n]{1,300})$", re.M)
_SHOWS = re.compile(r"(?:^|[\s;&|(])(?:cat|nl|head|tail|sed\s+-n|rg|grep|git\b[^\n;&|]{0,40}\bdiff)(?=\s|$)")
_FOUND = re.compile(r"^([^\s:][^:\n]{0,300}):\d{1,9}[:-](.*)$", re.M)
_NUMBERED = re.compile(r"^\s{0,9}\d{1,9}(?:\t|:|-)", re.M)
_QUIET = frozenset(("cd", "echo", "printf", "pwd", "true", ":"))  # their other output is no line of a file that matters
_CUT = re.compile(r"truncated|omitted|\[\.\.\.|…", re.I)


@dataclass(frozen=True, slots=True)
class FileListed:
    """A file that a command showed to be there, or not to be there."""

    path: str  # seen from where the command was started
    exists: bool


@dataclass(frozen=True, slots=True)
class DirectoryListed:
    """All names in a directory at that moment; hidden ones may be left out."""

    path: str
    names: frozenset[str]


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


def listed_entries(command: str, cwd: str, output: str) -> list[FileListed | DirectoryListed]:
    """Files that the output of a command shows to exist or to be absent, and directories that it lists as a whole."""
    telling = _NO_FILE in output or _LISTS.search(command)
    parsed = _parse(command, cwd, output) if telling else []
    if not parsed:
        return []
    result: dict[FileListed | DirectoryListed, None] = {}
    lines = output.split("\n")
    missing = set(_ABSENT.findall(output)) if _NO_FILE in output else set()
    for item in parsed:
        result.update(dict.fromkeys(_files_of_command(item, lines, missing)))
    if directory := _whole_directory(parsed, output):
        result[directory] = None
    return list(result)


def _files_of_command(command: SimpleCommand, lines: Sequence[str], missing: set[str]) -> Iterator[FileListed]:
    words = [word.text for word in command.words]
    name = words[0] if words else ""
    if name in ("ls", "cat", "nl", "head", "tail", "wc", "stat", "sed", "find"):
        yield from (FileListed(join(command.cwd, text), False) for text in words[1:] if text in missing)
    if name == "ls":
        listing = {line.rsplit(" ", 1)[-1].rstrip("*") if line[:1] in "-l" and " " in line else line for line in lines}
        for word in command.words[1:]:
            if word.text in listing and is_path(word.text) and "/" not in word.text[-1:]:
                yield FileListed(join(command.cwd, word.text), True)
    elif name == "git" and "status" in words[1:4]:
        yield from _status(command, words, lines)


def _status(command: SimpleCommand, words: Sequence[str], lines: Sequence[str]) -> Iterator[FileListed]:
    """`git status`, short or long; a directory that is untracked as a whole says nothing of its files."""
    text = "\n".join(lines)
    if {"-s", "--short", "--porcelain", "-sb", "--porcelain=v1"}.intersection(words):
        states = ((match[1], match[2]) for match in _SHORT.finditer(text))
    else:
        states = (("D" if match[1] == "deleted" else "", match[2]) for match in _LONG.finditer(text))
    for state, path in states:
        if not path.endswith("/"):
            yield FileListed(join(command.cwd, path.strip()), "D" not in state)


def _whole_directory(parsed: Sequence[SimpleCommand], output: str) -> DirectoryListed | None:
    """What a lone `ls` of one directory shows; None when it was asked for anything else, or cut."""
    if len(parsed) != 1 or parsed[0].redirects or parsed[0].fed or _CUT.search(output):
        return None
    words = [word.text for word in parsed[0].words]
    options = "".join(word[1:] for word in words[1:] if word.startswith("-"))
    operands = [word for word in words[1:] if not word.startswith("-")]
    plain = words[:1] == ["ls"] and len(operands) < 2 and all(word.exact for word in parsed[0].words)
    if not plain or set(options) - set("1aAlhtrF"):
        return None
    names = _names([line for line in output.split("\n") if line.strip()], "l" in options)
    if not names or names == operands:  # the operand is a file
        return None
    return DirectoryListed(join(parsed[0].cwd, operands[0] if operands else "."), frozenset(name.rstrip("*/@") for name in names))


def _names(lines: Sequence[str], long: bool) -> list[str]:
    """The names that `ls` printed; [] when there is anything else among its lines."""
    if any("No such file" in line or line.endswith(":") for line in lines):
        return []
    if not long:
        return list(lines)
    columns = [line.split(None, 8) for line in lines[1:]]
    return [each[8] for each in columns] if lines[0].startswith("total ") and all(len(each) == 9 for each in columns) else []
