"""Commands for cmd.exe: what `echo`, `type`, `copy` and groups write into files; everything else is
judged as a program.

It has quotes of one kind, which stay, `^` before a character that means nothing, and lists in
brackets.
"""

import re
import shlex
from collections.abc import Iterator

from attribution.shell.calls import Evaluation, ProgramCall
from attribution.shell.files import transfer_effect
from attribution.shell.model import Effect, ShellWord, SimpleCommand, join

# `>` and the like with the number before it and the file behind it; what joins commands
_TOKEN = re.compile(
    r"(?P<redirect>(?:(?<=\s)|^)[0-9]?>>?|>>?|<)(?P<and>&[0-9])?\s*"
    r"|(?P<join>&&|\|\||&|\||\r?\n|[()])|\^(?P<escaped>\r?\n|.)|(?P<quoted>\"[^\"\n]*\"?)|(?P<plain>.)",
    re.S,
)
_TARGET = re.compile(r"\s*(?:\"([^\"\n]+)\"|([^\s&|()<>\"]+))(?:[ \t]*(?=[&|)\n]|$))?")
_ECHO = re.compile(r"@?echo(?:[.:;,/\\(\[+=]|\s|$)", re.I)
_VARIABLE = re.compile(r"%\w[^%\n]*%|![^!\n]+!|%%?~?\w")
_NOTHING = ("on", "off")


class _Command:
    """One command, or the end of a group, with its redirections."""

    def __init__(self) -> None:
        self.text = ""
        self.outputs: list[tuple[str, str]] = []  # (sign, file)

    @property
    def said(self) -> str | None:
        """What it prints; None where that is not known."""
        match = _ECHO.match(self.text.lstrip())
        if match is None:
            return None
        said = self.text.lstrip()[match.end() :]
        state = said.strip().lower() in ("", *_NOTHING) and match[0].lower().endswith(("echo", " "))
        return None if state or _VARIABLE.search(said) else f"{said}\n"


def cmd(text: str, cwd: str, run: Evaluation) -> list[Effect]:
    """The effects of all commands, in order."""
    result: list[Effect] = []
    if len(text) > 1 and text[0] == text[-1] == '"':  # cmd.exe takes the outer quotes off
        text = text[1:-1]
    for commands in _groups(text):
        result += _effects(commands, cwd, run)
        cwd = _directory_after(_words(commands[0].text), cwd)
    return result


def _groups(text: str) -> Iterator[list[_Command]]:
    """Each group of commands in brackets with its end as the last one; other commands alone."""
    depth = 0
    group = [_Command()]
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        assert match is not None  # any character is plain
        position = match.end()
        current = group[-1]
        opens = match["join"] == "(" and not current.text.strip()
        closes = match["join"] == ")" and depth > 0
        if match["redirect"]:
            target = None if match["and"] else _TARGET.match(text, position)
            if target:
                position = target.end()
                name = target[1] or target[2]
                current.outputs.append((match["redirect"], name.replace("\\", "/")))
        elif opens or closes:
            depth += 1 if opens else -1
            group.append(_Command())
        elif match["join"] and match["join"] not in "()":
            if depth:
                group.append(_Command())
            else:
                yield group
                group = [_Command()]
        else:
            current.text += match["escaped"] or match[0]
    yield group


def _effects(commands: list[_Command], cwd: str, run: Evaluation) -> Iterator[Effect]:
    texts = [command.said for command in commands[:-1] if command.text.strip()]
    of_group = "".join(text or "" for text in texts) if texts and None not in texts else None
    for command in commands:
        is_end = command is commands[-1] and len(commands) > 1
        call = ProgramCall("", (), cwd, SimpleCommand(cwd), run)
        words = [] if command.said is not None else _words(command.text)
        yield from _own(call, words, command)
        for sign, name in command.outputs:
            if sign[0] in "<2" or name.lower() == "nul":
                continue
            target = ShellWord(name, "%" not in name)
            if words[:1] == ["type"] and len(words) == 2 and sign.lstrip("1") == ">":
                yield transfer_effect(call, "copy", words[1], name)
            else:
                kind = "append" if ">>" in sign else "write"
                yield from call.make(kind, [target], of_group if is_end else command.said)


def _own(call: ProgramCall, words: list[str], command: _Command) -> Iterator[Effect]:
    """What the program does that a command names."""
    if not words or words[0].lower() in ("type", "rem", "echo", "@echo", "cd", "chdir", "setlocal"):
        return
    name = words[0].lower()
    operands = [word for word in words[1:] if not word.startswith("/")]
    if name in ("copy", "move", "ren", "rename") and len(operands) == 2:
        source, target = operands
        if name.startswith("ren"):
            target = source[: source.rfind("/") + 1] + target
        kind = "copy" if name == "copy" else "move"
        if "+" not in source and source.lower() != "con":
            yield transfer_effect(call, kind, source, target)
        else:
            yield from call.make("write", [ShellWord(target, True)])
    else:
        yield from call.program([ShellWord(word, "%" not in word) for word in words])


def _words(text: str) -> list[str]:
    try:
        words = shlex.split(text.replace("\\", "/").replace("'", "\\'"))
    except ValueError:
        words = text.split()
    return [words[0].lstrip("@"), *words[1:]] if words else []


def _directory_after(words: list[str], cwd: str) -> str:
    """Where the next command works."""
    places = [word for word in words[1:] if word.lower() != "/d"]
    moves = bool(words) and words[0].lower() in ("cd", "chdir", "pushd") and len(places) == 1
    return join(cwd, places[0]) if moves else cwd
