"""Parts of files that commands printed, and lines of them that tracebacks quote. Pure.

Only commands that print files as they are count. What a pipeline made of a text, and output that
the recorder shortened, show nothing but what stands in them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from attribution.shell.calls import is_path
from attribution.shell.model import SimpleCommand, Unparsable, join
from attribution.shell.syntax import commands

_WHOLE = ("cat", "nl", "bat", "less")  # programs that print a file
_PLAIN = frozenset(
    (
        "-p",
        "-pp",
        "-P",
        "--plain",
        "--style=plain",
        "--paging=never",
        "--color=never",
        "-F",
        "-R",
        "-X",
        "-FRX",
    )
)
_MAX_OUTPUT = 100_000  # characters of an output that are looked at
_MAX_COMMAND = 4_000  # of a command
_SHOWS = re.compile(
    r"(?:^|[\s;&|(])(?:cat|bat|less|nl|head|tail|sed\s+-n|rg|grep|git\b[^\n;&|]{0,40}\b(?:diff|show))(?=\s|$)"
)
_GETS = re.compile(  # what PowerShell has for `cat`, and below for `head`
    r"(?<![\w-])Get-Content(?:\s+-(?:Raw|Path|LiteralPath|Encoding\s+\w+))*\s+(['\"]?)([^-'\"\s;|][^'\"\s;|]*)\1"
    r"(?:\s+-(?:Raw|Encoding\s+\w+))*(?=\s*(?:$|[;\n|]))"
)
_FIRST = re.compile(r"\bSelect-Object\s+-First\s+(\d+)(?=\s*(?:$|[;\n|]))")
_FOUND = re.compile(r"^([^\s:][^:\n]{0,300}):(\d{1,9}):(.*)$")
_AROUND = re.compile(r"^([^\s:][^:\n]{0,300}?)-(\d{1,9})-(.*)$")
_IN_ONE = re.compile(r"^()(\d{1,9})[:-](.*)$")
_NUMBERED = re.compile(r"^\s{0,9}(\d{1,9})(?:\t|:|-|→)", re.M)
_RANGE = re.compile(r"(\d{1,9})(?:,(\d{1,9}|\$))?p")
_HUNK = re.compile(r"@@+ (?:-\d+(?:,\d+)? )+\+(\d+)")
# A place in the code of a project, as Python, pytest and others print it: path, line, and the
# line's text below.
_TRACED = re.compile(
    r'^ {0,8}File "([^"\n]{1,300})", line (\d{1,9})(?:, in [^\n]{1,200})?\n\s{1,20}([^\n]{4,500})$',
    re.M,
)
# as pytest prints it
_FAILED = re.compile(r"^> {2,40}([^\n]{4,500})\n(?:E [^\n]*\n)+\n?([^\s:]{1,300}):\d{1,9}: ", re.M)
# their other output is no line of a file that matters
_QUIET = frozenset(("cd", "echo", "printf", "pwd", "true", ":"))
# What recorders put in the place of a part of an output.
_CUT_LINE = re.compile(
    r"^[^\n]{0,80}(?:…|\.{3}|\[|<|\()[^\n]{0,80}(?:truncated|omitted|too"
    r" l(?:arge|ong))[^\n]{0,200}$|^Total output lines:",
    re.M | re.I,
)
_FULL = 29_000  # characters: recorders cut longer outputs, not all say so


@dataclass(frozen=True, slots=True)
class FilePart:
    """Consecutive lines of a file that a command printed."""

    path: str
    text: str
    start: int = 0  # number of the first line; 0: not known, or other lines may stand in between
    whole: bool = False  # the file has no others


def parts_shown(command: str, cwd: str, output: str) -> list[FilePart]:
    """Parts of files that a command printed: `cat`, `nl`, `head`, `tail`, `sed -n`, `rg -n`,
    `git diff`, `git show`, `Get-Content`.

    A text that may belong to several files is ignored, and so is output that went through another
    program. Line numbers may be taken from a pipe: `nl -ba a.py | sed -n '1,40p'`.
    """
    command = _FIRST.sub(
        r"head -n \1",
        _GETS.sub(lambda match: "cat '{}'".format(match[2].replace("\\", "/")), command),
    )
    parsed = _parse(command, cwd, output) if _SHOWS.search(command) else []
    loud = [item for item in parsed if item.words and item.words[0].text not in _QUIET]
    if not loud or any(
        item.redirects or item.stdin or not all(word.exact for word in item.words) for item in loud
    ):
        return []
    source = loud[0]
    piped = len(loud) == 2 and loud[1].fed is source and source.words[0].text in _WHOLE
    if source.fed or not (piped or len(loud) == 1):
        return []
    result = list(_shown_by(source, [word.text for word in source.words], output))
    if piped:
        result = _limit_lines(result, [word.text for word in loud[1].words])
    return [part for shown in result for part in _uncut(shown)]


def lines_traced(output: str) -> list[FilePart]:
    """Lines of files that a traceback quotes, or a failed test."""
    traced = (
        [match.group(1, 3) for match in _TRACED.finditer(output[:_MAX_OUTPUT])]
        if 'File "' in output
        else []
    )
    traced += (
        [match.group(2, 1) for match in _FAILED.finditer(output[:_MAX_OUTPUT])]
        if "\n>  " in output
        else []
    )
    return [FilePart(path, text) for path, text in traced if not path.startswith("<")]


def _uncut(part: FilePart) -> Iterator[FilePart]:
    """The part, or the pieces that are left where the recorder cut it."""
    if not _CUT_LINE.search(part.text):
        yield replace(part, whole=part.whole and len(part.text) < _FULL)
        return
    for number, piece in enumerate(_CUT_LINE.split(part.text)):
        if piece.strip():
            yield FilePart(part.path, piece.strip("\n"), 0 if number else part.start)


def _parse(command: str, cwd: str, output: str) -> list[SimpleCommand]:
    """The simple commands; none where there is no output, too much to look at, or text in
    another encoding than was read.
    """
    if (
        not output.strip()
        or len(output) > _MAX_OUTPUT
        or len(command) > _MAX_COMMAND
        or "\ufffd" in output
    ):
        return []
    try:
        return commands(command, cwd, 1).commands
    except Unparsable:
        return []


def _shown_by(command: SimpleCommand, words: Sequence[str], output: str) -> Iterator[FilePart]:
    name = words[0]
    files = [word for word in words[1:] if is_path(word) and not word.startswith("-")]
    if name == "git":
        yield from _shown_by_git(command.cwd, words, output)
    elif name in ("rg", "grep"):
        operand = (
            words[-1]
            if "-n" in words and "." in words[-1] and len(files) > 0 and files[-1] == words[-1]
            else ""
        )
        yield from _found_lines(command.cwd, operand, output)
    elif name == "sed" and len(words) == 4 and words[1] == "-n" and _RANGE.fullmatch(words[2]):
        yield _in_range(FilePart(join(command.cwd, words[3]), output, 1), words[2])
    elif name in (*_WHOLE, "head", "tail") and files and files[-1] == words[-1]:
        options = words[1:-1]
        numbers = {word for word in options if not word.startswith("-")}
        if name in ("bat", "less") and not _PLAIN.issuperset(options):
            return  # lines with numbers or marks, or some of the lines
        # values of options
        if all(word.isdecimal() or (name == "nl" and word == "a") for word in numbers):
            numbered = name == "nl" or ("-n" in options and name == "cat")
            path = join(command.cwd, words[-1])
            part = _numbered_part(path, output) if numbered else FilePart(path, output, 1)
            yield _limit(part, name, options)


def _limit(part: FilePart, name: str, options: Sequence[str]) -> FilePart:
    """What `cat`, `nl`, `head` and `tail` show of a text that begins where `part` does."""
    if name in _WHOLE:
        return replace(part, whole=part.start == 1 and "-s" not in options)
    count = next((int(number) for word in options if (number := word.lstrip("-n")).isdecimal()), 10)
    few = _is_all(part.text, count)
    return replace(
        part,
        start=part.start if name == "head" or few else 0,
        whole=few and part.start == 1 and "-c" not in options,
    )


def _is_all(text: str, count: int) -> bool:
    """Whether a command that was to print that many lines came to the end of the file; recorders
    drop blank lines at the end.
    """
    return text.rstrip("\n").count("\n") + 3 < count


def _in_range(part: FilePart, lines: str) -> FilePart:
    """What `sed -n` shows of a text that begins where `part` does."""
    match = _RANGE.fullmatch(lines)
    assert match is not None
    first = int(match[1])
    last = match[2] or match[1]
    whole = first == 1 and (last == "$" or _is_all(part.text, int(last)))
    return replace(part, start=first, whole=whole)


def _limit_lines(parts: Sequence[FilePart], words: Sequence[str]) -> list[FilePart]:
    """What is left of the numbered lines of a file after `sed -n`, `head` or `tail`; nothing
    after another program.
    """
    if len(parts) != 1:
        return []
    if words[:2] == ["sed", "-n"] and len(words) == 3 and _RANGE.fullmatch(words[2]):
        shown = _in_range(parts[0], words[2])
    elif words[0] in ("head", "tail") and all(
        word.startswith("-") or word.isdecimal() for word in words[1:]
    ):
        shown = _limit(replace(parts[0], start=1), words[0], words[1:])
    else:
        return []
    return [replace(shown, start=parts[0].start or shown.start)]


def _numbered_part(path: str, output: str) -> FilePart:
    first = _NUMBERED.match(output)
    return FilePart(path, _NUMBERED.sub("", output), int(first[1]) if first else 0)


def _found_lines(cwd: str, operand: str, output: str) -> Iterator[FilePart]:
    """The runs of consecutive lines that `grep -n` and `rg -n` print of files, context included;
    of one file without its name.
    """
    lines = output.split("\n")
    paths = {match[1] for line in lines if (match := _FOUND.match(line)) and is_path(match[1])}
    forms = (_FOUND, _AROUND) if paths else (_IN_ONE,)
    matches = [
        next(
            (
                match
                for form in forms
                if (match := form.match(line)) and (match[1] in paths or not paths)
            ),
            None,
        )
        for line in lines
    ]
    path = ""
    start = 0
    run = list[str]()
    for match in [*matches, None]:
        found, number = (match[1] or operand, int(match[2])) if match else ("", 0)
        if found != path or number != start + len(run):
            if run and is_path(path):
                yield FilePart(join(cwd, path), "\n".join(run), start)
            path = found
            start = number
            run = []
        run += [match[3]] if match else []


def _shown_by_git(cwd: str, words: Sequence[str], output: str) -> Iterator[FilePart]:
    """The new side of a diff is the worktree's; what a diff of revisions, or of what is staged,
    lacks may be in the worktree.
    """
    operands = [word for word in words[2:] if word not in ("--", "HEAD")]
    if words[1:2] == ["diff"] and all(
        "." in word and not word.startswith("-") and ".." not in word for word in operands
    ):
        yield from _new_sides(cwd, output)
    elif words[1:2] in (["show"], ["diff"]) and not any(":" in word for word in operands):
        yield from (replace(part, start=0) for part in _new_sides(cwd, output))


def _new_sides(cwd: str, output: str) -> Iterator[FilePart]:
    """The new side of each hunk of a patch. Its paths are seen from the top of the worktree."""
    path = ""
    start = 0
    lines = list[str]()
    for line in [*output.split("\n"), "+++ "]:
        if (hunk := _HUNK.match(line)) or line.startswith(("+++ ", "diff --git ")):
            if path and lines:
                yield FilePart(join(cwd, path), "\n".join(lines).rstrip("\n"), start)
            start = int(hunk[1]) if hunk else 0
            lines = []
            if line.startswith("+++ "):
                path = line[6:] if line.startswith("+++ b/") else ""
        elif line[:1] in ("+", " ") or not line:  # recorders strip a blank line of the context
            lines.append(line[1:])
