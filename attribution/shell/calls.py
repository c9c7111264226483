"""A call of a program: its name, arguments, directory and standard input, and how to read its
options.

Handlers of programs take a `ProgramCall` and return effects. What they need of the rest (another
shell's text, a program that a program runs) they ask the `Evaluation` for, so no handler knows the
others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from attribution.shell import tables
from attribution.shell.model import MAX_VALUE, Effect, ShellWord, SimpleCommand, join
from attribution.shell.project import TaskTexts, no_tasks
from collector.text import file_name

_MAX_SCRIPTS = 200_000  # characters of scripts in other languages that are looked at


@dataclass(slots=True)
class Evaluation(ABC):
    """The evaluation of a text: the effects so far, what is known, and how much work is left."""

    budget: int  # characters that may still be read, so that nesting cannot multiply the work
    scripts: int = _MAX_SCRIPTS
    level: int = 0
    calls: int = 0
    found: list[Effect] = field(default_factory=list)
    # written earlier in the same command: scripts that are then run
    files: dict[str, str] = field(default_factory=dict)
    functions: frozenset[str] = frozenset()
    tasks: TaskTexts = no_tasks

    @abstractmethod
    def read(self, text: str, cwd: str) -> None:
        """Adds the effects of a text that a shell reads. Raises Unparsable, also when the budget
        is spent.
        """

    @abstractmethod
    def read_cmd(self, text: str, cwd: str) -> None:
        """The same of a text for cmd.exe."""

    @abstractmethod
    def program(self, call: ProgramCall) -> list[Effect]:
        """The effects of the program that the arguments start with, wrappers included."""


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """One program with its arguments, wrappers taken off."""

    name: str
    args: tuple[ShellWord, ...]
    cwd: str
    command: SimpleCommand
    run: Evaluation

    @property
    def texts(self) -> list[str]:
        return [word.text for word in self.args]

    def has(self, *flags: str) -> bool:
        return any(text in flags or text.partition("=")[0] in flags for text in self.texts)

    def stdin_text(self) -> str | None:
        """The text on standard input, when the command shows it."""
        if self.command.stdin:
            return self.command.stdin.text
        return output(self.command.fed) if self.command.fed else None

    def fed_text(self) -> str | None:
        """The same for a program that runs what it reads: a heredoc counts as it stands,
        expansions included.
        """
        return self.command.stdin.body if self.command.stdin else self.stdin_text()

    def make(
        self, kind: str, words: Sequence[ShellWord], content: str | None = None
    ) -> list[Effect]:
        """Makes an effect for the known paths, and an effect without paths if some are unknown."""
        existing = [join(self.cwd, word.text) for word in words if is_path(word.text)]
        result = [Effect(kind, tuple(existing), content)] if existing else []
        return result + ([Effect(kind)] if not words or len(existing) < len(words) else [])

    def program(self, words: Sequence[ShellWord]) -> list[Effect]:
        """The effects of a program that this one runs."""
        return self.run.program(replace(self, args=tuple(words)))

    def nested_effects(self, text: str | None) -> list[Effect]:
        """The effects of a text that another shell reads; None stands for a text that is not
        known.
        """
        if text is None:
            return [Effect("opaque")]
        before = len(self.run.found)
        read = self.run.read_cmd if self.name == "cmd" else self.run.read
        read(text, self.cwd)
        result = self.run.found[before:]
        del self.run.found[before:]
        return result


Handler = Callable[[ProgramCall], list[Effect]]


def is_path(text: str) -> bool:
    """Whether the word names something, as far as it is known."""
    last = file_name(text.rstrip("/"))
    return (
        last not in ("", ".", "..", "...", "-") and "$" not in last and len(text) <= 4 * MAX_VALUE
    )


def output(command: SimpleCommand) -> str | None:
    """The output of the command, when its text determines it."""
    texts = [word.text for word in command.words]
    if not texts:
        return None if command.group else ""
    exact = all(word.exact for word in command.words)
    if texts[0] == "cat" and all(text == "-" for text in texts[1:]):
        return command.stdin.text if command.stdin else None
    if texts[0] in (":", "true") and len(texts) == 1:
        return ""
    if texts[0] == "echo" and exact and "\\" not in "".join(texts):
        bare = texts[1:2] == ["-n"]
        return " ".join(texts[2 if bare else 1 :]) + ("" if bare else "\n")
    return _printf(texts[1:]) if texts[0] == "printf" and exact else None


def _printf(args: list[str]) -> str | None:
    if args and args[0] in ("%s", "%s\\n", "%s\n"):
        return "".join(arg + args[0][2:].replace("\\n", "\n") for arg in args[1:])
    plain = args[0].replace("\\n", "\n").replace("\\t", "\t") if len(args) == 1 else "%"
    return None if "%" in plain or "\\" in plain else plain


def feed_words(words: Sequence[ShellWord], mark: str) -> list[ShellWord]:
    """The words with `mark` standing for something that is only known when the command runs."""
    return [
        ShellWord("$_", False) if mark in word.text and " " not in word.text else word
        for word in words
    ]


def operands(words: Sequence[ShellWord], valued: frozenset[str] = frozenset()) -> list[ShellWord]:
    """The words that are neither options nor their values."""
    result: list[ShellWord] = []
    left = iter(words)
    for word in left:
        if word.text == "--":
            return [*result, *left]
        if not word.text.startswith("-") or word.text == "-":
            result.append(word)
        elif word.text in valued:
            next(left, None)
    return result


def past_options(words: list[ShellWord], valued: frozenset[str]) -> list[ShellWord]:
    """The words after the leading options."""
    moment = 0
    while (
        moment < len(words) and words[moment].text.startswith("-") and len(words[moment].text) > 1
    ):
        if words[moment].text == "--":
            return words[moment + 1 :]
        moment += 2 if words[moment].text in valued else 1
    while moment < len(words) and words[moment].text == "--":
        moment += 1
    return words[moment:]


def subcommand_at(words: Sequence[ShellWord], start: int = 1) -> int:
    """Index of the next word that is neither an option nor the value of an option; 0 if there is
    none.
    """
    index = start
    while index < len(words):
        text = words[index].text
        is_valued = text in tables.SELECTOR or text in tables.DIRECTORY
        if text and not is_valued and not text.startswith(("-", "+")):
            return index
        index += 2 if is_valued else 1
    return 0


def directory(options: Sequence[ShellWord], cwd: str) -> str:
    """The directory in which the program works, after `-C`, `--prefix` and the like."""
    for option, value in pairwise(options):
        if option.text in tables.DIRECTORY:
            cwd = join(cwd, value.text)
    return cwd
