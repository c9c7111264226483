"""From the text of a shell command to the simple commands in it.

`commands` reads bash the way agents write it (lists, pipes, groups, loops, heredocs, substitutions,
quotes) in one pass over the text. It keeps what decides the effect on files: words after expansion
of what is known, redirections, what is fed to standard input, and the directory in force.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from attribution.shell.expansion import ASSIGN, WordReader
from attribution.shell.model import (
    MAX_VALUE,
    Heredoc,
    Redirect,
    ShellWord,
    SimpleCommand,
    Unparsable,
    join,
)

_REDIRECT = re.compile(
    r"(\d{1,3}|\{\w{1,40}\})?(<<<|<<-|<<|<>|<&|<(?!\()|>>|>\||>&|>(?!\())|(&>>|&>)"
)
_OPERATOR = re.compile(r"&&|\|\||\|&|;;&|;&|;;|[;|&\n()]")
_SKIPPED = re.compile(r"(?:if|then|else|elif|while|until|do|\{|!|coproc)(?=[\s;&|()<>]|$)")
_ENDED = re.compile(r"(?:fi|done|esac|\})(?=[\s;&|()<>]|$)")
_IN = re.compile(r"in(?=\s)")
_CLOSED = re.compile(r"\s*\)")
_EMPTY = re.compile(r"\s*\(\s*\)")  # after the name of a function
_OPENED = re.compile(r"(for|select|case|function|\[\[)(?=\s)")


class ParsedText(NamedTuple):
    """A shell command line."""

    commands: list[SimpleCommand]  # in order, those of a substitution before the command around it
    functions: frozenset[str]  # names it defines


# what a command did and what it showed are asked one after the other, and many commands are run
# again
@lru_cache(maxsize=1000)
def commands(text: str, cwd: str = "", depth: int = 0) -> ParsedText:
    """The simple commands of a text that is run in `cwd`, and the functions it defines. Nobody
    changes them.
    """
    reader = _Reader(text, cwd, depth)
    reader.run(nested=False)
    return ParsedText(reader.commands, frozenset(reader.functions))


class _Reader(WordReader):
    """The lists, groups, loops and redirections around the words."""

    def __init__(self, text: str, cwd: str, depth: int) -> None:
        super().__init__(text, cwd, depth)
        self.current = SimpleCommand(cwd)
        self.before: list[str] = []  # directories to return to
        self.functions: set[str] = set()
        self.pending: list[Heredoc] = []

    def run(self, nested: bool) -> None:
        """Commands up to the closing parenthesis, which is consumed, or to the end."""
        while self._skip():
            match = _OPERATOR.match(self.text, self.pos)
            if match and not self.text.startswith("&>", self.pos):
                self.pos = match.end()
                if match[0] == ")" and nested:
                    return self._end()
                self._operator(match[0])
            elif not (self._keyword() or self._redirect()):
                moment = self.pos
                self.current.words += self._word()
                if self.pos == moment:
                    raise Unparsable
        if nested:
            raise Unparsable
        self._end()

    def _operator(self, op: str) -> None:
        if op == "(":
            self._parenthesis()
        elif op == ")":
            raise Unparsable
        else:
            self._end(op)
            if op == "\n":
                for document in self.pending:
                    self.pos = document.read(self.text, self.pos)
                self.pending.clear()
            elif op.startswith(";") and len(op) > 1:
                self._pattern()

    def _parenthesis(self) -> None:
        if len(self.current.words) == 1 and (match := _CLOSED.match(self.text, self.pos)):
            self.functions.add(self.current.words.pop().text)
            self.pos = match.end()
        elif self.current.words:
            raise Unparsable
        elif self.text.startswith("(", self.pos):
            self.pos = self._closing_bracket(self.pos - 1, "(", ")")
            self.current.group = True
        else:
            self._expand_subshell()
            self.current.group = True

    def _expand_subshell(self) -> None:
        """A subshell: its commands count, its directory does not outlive it."""
        self._deeper()
        saved = self.current, self.cwd
        self.current = SimpleCommand(self.cwd)
        self.run(nested=True)
        self.depth -= 1
        self.current, self.cwd = saved

    def _end(self, op: str = "") -> None:
        command = self.current
        if command.words or command.redirects:
            self._settle(command)
            self.commands.append(command)
        self.current = SimpleCommand(self.cwd, command if op in ("|", "|&") else None)

    def _redirect(self) -> bool:
        match = _REDIRECT.match(self.text, self.pos)
        if not match:
            return False
        self.pos = match.end()
        self._skip()
        fd = match[1] or ""
        op = match[2] or match[3]
        moment = self.pos
        words = self._word()
        if not words:
            raise Unparsable
        if op in ("<<", "<<-"):
            quoted = any(mark in self.text[moment : self.pos] for mark in "'\"\\")
            self.current.stdin = Heredoc(words[0].text, quoted, op == "<<-")
            self.pending.append(self.current.stdin)
        elif op == "<<<":
            self.current.stdin = Heredoc("", words[0].exact, False, words[0].text + "\n")
        else:
            self.current.redirects.append(Redirect(fd, op, words[0]))
        return True

    def _keyword(self) -> bool:
        if self.current.words:
            return False
        if match := _SKIPPED.match(self.text, self.pos):
            self.pos = match.end()
            return True
        if match := _ENDED.match(self.text, self.pos):
            self.pos = match.end()
            self.current.group = True
            return True
        if match := _OPENED.match(self.text, self.pos):
            self.pos = match.end()
            {"case": self._case, "function": self._function, "[[": self._test}.get(
                match[1], self._for
            )()
            return True
        return False

    def _for(self) -> None:
        self._skip()
        if self.text.startswith("((", self.pos):
            self.pos = self._closing_bracket(self.pos, "(", ")")
            return
        name = "".join(word.text for word in self._word())
        self._skip()
        values: list[ShellWord] = []
        if _IN.match(self.text, self.pos):
            self.pos += 2
            while self._skip() and (more := self._word()):
                values += more
        self._assign(name, values)

    def _case(self) -> None:
        while self._skip() and not _IN.match(self.text, self.pos):
            if not self._word():
                raise Unparsable
        self.pos += 2
        self._pattern()

    def _pattern(self) -> None:
        """Past the `a | b)` of a branch; `esac` is left for the keywords."""
        while self._skip() and self.text[self.pos] in "\n(":
            self.pos += 1
        while self._skip() and not _ENDED.match(self.text, self.pos):
            if self.text[self.pos] == ")":
                self.pos += 1
                return
            if not self._word():
                self.pos += 1

    def _function(self) -> None:
        self._skip()
        self.functions.update(word.text for word in self._word())
        if match := _EMPTY.match(self.text, self.pos):
            self.pos = match.end()

    def _test(self) -> None:
        """Past `[[ … ]]`, where `<` and `(` mean something else."""
        while self._skip():
            words = self._word()
            if not words:
                self.pos += 1
            elif words[0].text == "]]":
                return
        raise Unparsable

    # --- what commands do to the reader -----------------------------------------------------------

    def _settle(self, command: SimpleCommand) -> None:
        """What a command does to the reader: variables set or forgotten, the directory changed."""
        count = 0
        while count < len(command.words) and ASSIGN.match(command.words[count].text):
            count += 1
        command.env = [word.text[:MAX_VALUE] for word in command.words[:count]]
        words = command.words = command.words[count:]
        if command.env and not words:
            self._assign_all([ShellWord(text, "$" not in text) for text in command.env])
        elif words and words[0].text in ("export", "declare", "local", "readonly", "typeset"):
            self._assign_all(words[1:])
        elif words and words[0].text in ("read", "unset", "mapfile"):
            for word in words[1:]:
                self.vars.pop(word.text, None)
        elif words and words[0].text in ("cd", "pushd", "popd", "Set-Location"):
            self._cd(
                words[0].text,
                [word.text for word in words[1:] if word.text == "-" or word.text[:1] != "-"],
            )

    def _cd(self, name: str, operands: list[str]) -> None:
        if name == "popd" or operands[:1] == ["-"]:
            target = self.before.pop() if self.before else self.start
        else:
            target = join(self.cwd, operands[0] if operands else "~")
            self.before.append(self.cwd)
        if len(target) <= MAX_VALUE:
            self.cwd = target
            self.vars["PWD"] = (target,) if target else ()

    def _assign_all(self, words: list[ShellWord]) -> None:
        for word in words:
            if match := ASSIGN.match(word.text):
                appended = word.text[match.end() - 2] == "+"
                self._assign(
                    match[1], [] if appended else [ShellWord(word.text[match.end() :], word.exact)]
                )
