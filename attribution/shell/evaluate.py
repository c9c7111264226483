"""From a text to its effects: each command in order, each round of a loop, each redirection.

The answer errs towards "may have changed something". Nested texts (`sh -c`, scripts written a
moment before) are read too, within a budget, so that no text makes the work explode.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

from attribution.shell import programs
from attribution.shell.calls import Evaluation, ProgramCall, output
from attribution.shell.cmd import cmd
from attribution.shell.files import transfer_effect
from attribution.shell.git import shown
from attribution.shell.model import Effect, ShellWord, SimpleCommand, Unparsable
from attribution.shell.powershell import is_powershell, powershell
from attribution.shell.project import TaskTexts, no_tasks
from attribution.shell.syntax import commands

MAX_EFFECTS = 2000
_MAX_LEVELS = 10  # `sh -c` within `sh -c`
_MAX_ROUNDS = 20_000  # words of a command times rounds of the loop around it
# A third of all commands, told without parsing: one program that only reads, nothing that a shell
# would interpret.
_PLAINLY_HARMLESS = re.compile(
    r"\s*(?:(?:cd \S+ && )?git (?:status|log|diff|show|add|push|fetch|rev-parse|blame)"
    r"|ls|cat|grep|rg|head|tail|wc|pwd|which|tree)"
    r"(?: [^;&|<>$`(){}\n\\*?~!#]*)?\Z"
)
# words as cmd.exe got them: no other shell reads this bracket
_FOR_CMD = re.compile(r"\s*(?:[\w:/\\.]*[/\\])?cmd(?:\.exe)?(?:\s+/[\w:]+)*\s+/[ck]\s+(?=\()", re.I)


def effects(command: str, cwd: str = "", tasks: TaskTexts = no_tasks) -> tuple[Effect, ...]:
    """Lists what the command may have done to files, in order. Text that cannot be read is one
    `opaque` effect.

    `tasks` tells what the tasks of the project run; without it their names decide.
    """
    if _PLAINLY_HARMLESS.match(command):
        return ()
    run = _Run(budget=4 * len(command) + 10_000, tasks=tasks)
    try:
        run.read(command, cwd)
    except Unparsable:
        return (Effect("opaque"),)
    if len(run.found) > MAX_EFFECTS:
        run.found[MAX_EFFECTS:] = [Effect("opaque")]
    others = (
        a for b, a in pairwise(run.found) if a != b or a.is_literal or a.directory != b.directory
    )
    return (*run.found[:1], *others)


class _Run(Evaluation):
    """Judges the commands of a text in order."""

    def read(self, text: str, cwd: str) -> None:
        with self._deeper(text):
            if bare := _FOR_CMD.match(text):
                self.found += cmd(text[bare.end() :], cwd, self)
            elif is_powershell(text):
                self.found += powershell(text, cwd, self)
            else:
                self._bash(text, cwd)

    def read_cmd(self, text: str, cwd: str) -> None:
        with self._deeper(text):
            self.found += cmd(text, cwd, self)

    @contextmanager
    def _deeper(self, text: str) -> Iterator[None]:
        self.budget -= len(text)
        if self.level > _MAX_LEVELS or self.budget < 0:
            raise Unparsable
        self.level += 1
        yield
        self.level -= 1

    def program(self, call: ProgramCall) -> list[Effect]:
        return programs.program(call)

    def _bash(self, text: str, cwd: str) -> None:
        parsed, functions = commands(text, cwd, self.level)
        self.functions |= functions
        for command in parsed:
            for each in _rounds(command):
                self._judge(each)
            if len(self.found) > MAX_EFFECTS:
                break

    def _judge(self, command: SimpleCommand) -> None:
        if command.words:
            self.found += self.program(
                ProgramCall("", tuple(command.words), command.cwd, command, self)
            )
        for effect in _redirects(command, self):
            self.found.append(effect)
            if effect.content is not None and len(effect.paths) == 1:
                self.files[effect.paths[0]] = effect.content


def _rounds(command: SimpleCommand) -> list[SimpleCommand]:
    """The command as it is in each round of the loop around it."""
    words = command.words + [redirect.word for redirect in command.redirects]
    count = max((len(word.each) for word in words), default=0)
    if count * len(words) > _MAX_ROUNDS:
        return [_round(command, -1)]
    return [_round(command, moment) for moment in range(count)] if count else [command]


def _round(command: SimpleCommand, moment: int) -> SimpleCommand:
    def pick(word: ShellWord) -> ShellWord:
        if word.each and moment < 0:
            return ShellWord("$_", False)
        return ShellWord(word.each[moment % len(word.each)], word.exact) if word.each else word

    redirects = [replace(redirect, word=pick(redirect.word)) for redirect in command.redirects]
    return replace(command, words=[pick(word) for word in command.words], redirects=redirects)


def _redirects(command: SimpleCommand, run: Evaluation) -> list[Effect]:
    """The effects of `>`, `>>` and similar redirections."""
    result: list[Effect] = []
    call = ProgramCall("", (), command.cwd, command, run)
    texts = [word.text for word in command.words]
    is_file = "cat-file" in texts or ("show" in texts and any(":" in text for text in texts))
    from_git = texts[:1] == ["git"] and is_file
    for redirect in command.redirects:
        target = redirect.word.text
        duplicate = redirect.op in (">&", "&>") and (target.isdigit() or target == "-")
        if redirect.op in ("<", "<&") or duplicate or target.startswith("/dev/"):
            continue
        if (
            texts[:1] == ["cat"]
            and len(texts) == 2
            and redirect.op == ">"
            and redirect.fd in ("", "1")
            and not command.stdin
        ):
            result.append(transfer_effect(call, "copy", texts[1], target))
            continue
        content = output(command) if redirect.fd in ("", "1") else None
        kind = "append" if redirect.op in (">>", "&>>") else "restore" if from_git else "write"
        made = call.make(kind, [redirect.word], content)
        result += shown(texts, made) if kind == "restore" else made
    return result
