"""Words as bash makes them: quotes, variables, substitutions, braces, and the arrays and loop
variables that are followed.

What the text itself decides is expanded; the rest stays as `$name` or `$(_)`, and the word is then
not `exact`. The commands of a substitution are read too, through the reader in `syntax`, the other
half of this module.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from attribution.shell.model import MAX_VALUE, ShellWord, SimpleCommand, Unparsable

SOME_TEMPORARY = "/tmp/mktemp"  # what `$(mktemp)` names, another one each time

_MAX_DEPTH = 30  # nested substitutions, subshells and `sh -c`
_MAX_VALUES = 200  # most words of a `for` loop that are followed
_MAX_WORDS = 50_000  # a text with more is not read
_MAX_GROWTH = 1_000_000  # characters that expansions may add to one text
_BLANK = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_PLAIN = re.compile(r"[^ \t\r\n\\'\"$`|&;()<>]+")
_QUOTED = re.compile(r'[^"\\$`]+')
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}")
# unquoted, so its value is split into words
_LONE = re.compile(r"\$(?:\w{1,200}|\{\w{1,200}\})", re.A)
_ARRAY = re.compile(r"\$\{([A-Za-z_]\w{0,200})\[[@*]\]\}", re.A)
ASSIGN = re.compile(r"([A-Za-z_]\w{0,200})(?:\[[^\]\n]{0,100}\])?\+?=", re.A)
_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*+)'", re.S)
_BACKTICKS = re.compile(r"`((?:[^`\\]|\\.)*+)`", re.S)
_BRACES = re.compile(r"\{([^{}]*)\}")
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "0": "\0",
    "e": "\x1b",
}


class _Draft:
    """A word being put together."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        # where the loop variable stands, its values
        self.many: tuple[int, tuple[str, ...]] | None = None
        self.spread = False  # the values of an array: words of their own
        self.exact = True
        self.braces = False

    def plain(self, text: str) -> None:
        self.parts.append(text)
        if any(mark in text for mark in "*?["):
            self.exact = False
        self.braces = self.braces or "{" in text

    def unknown(self, text: str) -> None:
        self.parts.append(text)
        self.exact = False

    def words(self) -> list[ShellWord]:
        if self.many is None:
            text = "".join(self.parts)
            texts = _braces(text) if self.braces else [text]
            return [ShellWord(text, self.exact) for text in texts]
        moment, values = self.many
        before = "".join(self.parts[:moment])
        after = "".join(self.parts[moment + 1 :])
        variants = tuple(before + value + after for value in values)
        exact = self.exact and not any(set(value) & set("*?[") for value in values)
        return (
            [ShellWord(text, exact) for text in variants]
            if self.spread
            else [ShellWord(variants[0], exact, variants)]
        )


def _braces(text: str) -> list[str]:
    """`a{b,c}d` as two words; at most 64."""
    done: list[str] = []
    todo = [text] if len(text) <= MAX_VALUE else []
    while todo and len(done) + len(todo) < 64:
        current = todo.pop(0)
        match = next((m for m in _BRACES.finditer(current) if "," in m[1]), None)
        if match is None:
            done.append(current)
        else:
            todo[:0] = [
                current[: match.start()] + item + current[match.end() :]
                for item in match[1].split(",")[:64]
            ]
    return [*done, *todo] or [text]


class WordReader(ABC):
    """A text, the place in it, the variables known so far, and how to take the next word."""

    def __init__(self, text: str, cwd: str, depth: int) -> None:
        self.text = text
        self.start = cwd
        self.cwd = cwd
        self.depth = depth
        self.pos = 0
        self.commands: list[SimpleCommand] = []
        self.vars: dict[str, tuple[str, ...]] = {"PWD": (cwd,) if cwd else (), "TMPDIR": ("/tmp",)}
        self.growth = _MAX_GROWTH
        self.count = 0

    @abstractmethod
    def run(self, nested: bool) -> None:
        """Commands up to the closing parenthesis, which is consumed, or to the end."""

    @abstractmethod
    def _expand_subshell(self) -> None:
        """A subshell: its commands count, its directory does not outlive it."""

    def _skip(self) -> bool:
        """Past blanks and comments; False at the end."""
        if blank := _BLANK.match(self.text, self.pos):
            self.pos = blank.end()
        if self.text.startswith("#", self.pos):
            end = self.text.find("\n", self.pos)
            self.pos = len(self.text) if end < 0 else end
        return self.pos < len(self.text)

    def _word(self) -> list[ShellWord]:
        draft = _Draft()
        self.count += 1
        if self.count > _MAX_WORDS:
            raise Unparsable
        start = self.pos
        while self.pos < len(self.text) and self._piece(draft):
            pass
        if draft.many:
            self.growth -= sum(map(len, draft.parts)) * len(draft.many[1])
            if self.growth < 0:
                draft.parts[draft.many[0]] = "$_"
                draft.many = None
                draft.exact = False
        lone = (
            len(draft.parts) == 1 and not draft.many and _LONE.fullmatch(self.text, start, self.pos)
        )
        if lone and not draft.parts[0].startswith("$"):
            return [ShellWord(text, draft.exact) for text in draft.parts[0].split()]
        return draft.words() if draft.parts else []

    def _piece(self, draft: _Draft) -> bool:
        if match := _PLAIN.match(self.text, self.pos):
            self.pos = match.end()
            draft.plain(match[0])
            if (
                match[0].endswith("=")
                and self.text.startswith("(", self.pos)
                and ASSIGN.fullmatch(match[0])
            ):
                self._array(match[0].rstrip("+="))
                draft.parts.clear()
            return True
        char = self.text[self.pos]
        if char == "\\":
            follower = self.text[self.pos + 1 : self.pos + 2]
            self.pos += 2
            if follower != "\n":
                draft.parts.append(follower or "\\")
        elif char == "'":
            self.pos = self._single(draft, self.pos + 1)
        elif char == '"':
            self._double(draft)
        elif char == "$":
            self._dollar(draft, quoted=False)
        elif char == "`":
            self._backtick(draft)
        elif char in "<>" and self.text.startswith("(", self.pos + 1) and not draft.parts:
            self.pos += 2
            self._expand_subshell()
            draft.parts.append("/dev/fd/63")
        else:
            return False
        return True

    def _array(self, name: str) -> None:
        self._deeper()
        self.pos += 1
        values: list[ShellWord] = []
        while self._skip() and self.text[self.pos] != ")":
            if self.text[self.pos] == "\n":
                self.pos += 1
            elif more := self._word():
                values += more
            else:
                raise Unparsable
        self.pos += 1
        self.depth -= 1
        self._assign(name, values)

    def _single(self, draft: _Draft, start: int) -> int:
        end = self.text.find("'", start)
        if end < 0:
            raise Unparsable
        draft.parts.append(self.text[start:end])
        return end + 1

    def _ansi(self, draft: _Draft) -> None:
        """`$'…'`, where a backslash escapes."""
        match = _ANSI.match(self.text, self.pos)
        if not match:
            raise Unparsable
        draft.parts.append(
            re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[0]), match[1], flags=re.S)
        )
        self.pos = match.end()

    def _double(self, draft: _Draft) -> None:
        self.pos += 1
        draft.parts.append("")
        while self.pos < len(self.text):
            if match := _QUOTED.match(self.text, self.pos):
                draft.parts.append(match[0])
                self.pos = match.end()
                continue
            char = self.text[self.pos]
            if char == '"':
                self.pos += 1
                return
            if char == "$":
                self._dollar(draft, quoted=True)
            elif char == "`":
                self._backtick(draft)
            else:
                follower = self.text[self.pos + 1 : self.pos + 2]
                draft.parts.append(
                    "" if follower == "\n" else follower if follower in '"\\$`' else "\\" + follower
                )
                self.pos += 2
        raise Unparsable

    def _dollar(self, draft: _Draft, quoted: bool) -> None:
        follower = self.text[self.pos + 1 : self.pos + 2]
        if follower == "(":
            self._substitution(draft)
        elif follower == "{":
            self._brace(draft)
        elif follower == "'" and not quoted:
            self._ansi(draft)
        elif match := _NAME.match(self.text, self.pos + 1):
            self.pos = match.end()
            self._variable(draft, match[0])
        elif follower and follower in "@*#?-$!0123456789":
            self.pos += 2
            draft.unknown("$" + follower)
        else:
            self.pos += 1
            if follower != '"' or quoted:
                draft.parts.append("$")

    def _brace(self, draft: _Draft) -> None:
        array = _ARRAY.match(self.text, self.pos)
        end = array.end() if array else self._closing_bracket(self.pos + 1, "{", "}")
        name = array[1] if array else self.text[self.pos + 2 : min(end - 1, self.pos + 300)]
        self.pos = end
        if _NAME.fullmatch(name):
            self._variable(draft, name)
            draft.spread = draft.spread or bool(array)
        else:
            draft.unknown("${_}")

    def _variable(self, draft: _Draft, name: str) -> None:
        values = self.vars.get(name, ())
        cost = sum(map(len, values)) + 8 * len(values)
        if not values or cost > self.growth or (len(values) > 1 and draft.many):
            draft.unknown("$" + name)
            return
        self.growth -= cost
        if len(values) > 1:
            draft.many = len(draft.parts), values
            draft.parts.append("")
        else:
            draft.plain(values[0])

    def _assign(self, name: str, values: list[ShellWord]) -> None:
        """Remember values that are known (a glob is); forget the variable otherwise."""
        texts = tuple(text for word in values for text in word.each or (word.text,))
        if (
            not texts
            or len(texts) > _MAX_VALUES
            or any("$" in text or len(text) > MAX_VALUE for text in texts)
        ):
            self.vars.pop(name, None)
        else:
            self.vars[name] = texts

    def _substitution(self, draft: _Draft) -> None:
        start = self.pos + 2
        if self.text.startswith("(", start):
            self.pos = self._closing_bracket(start - 1, "(", ")")
            return draft.unknown("$((_))")
        self.pos = start
        self._expand_subshell()
        self._result(draft, self.text[start : min(self.pos - 1, start + 80)].strip())

    def _result(self, draft: _Draft, inner: str) -> None:
        """The text that a substitution puts into the word, for the few known programs."""
        if inner == "pwd" or inner.startswith("git rev-parse --show-toplevel"):
            draft.parts.append((self.cwd if inner == "pwd" else self.start) or ".")
        elif inner.startswith("mktemp"):
            draft.parts.append(SOME_TEMPORARY)
        else:
            draft.unknown("$(_)")

    def _backtick(self, draft: _Draft) -> None:
        match = _BACKTICKS.match(self.text, self.pos)
        if not match or self.depth >= _MAX_DEPTH:
            raise Unparsable
        self.pos = match.end()
        inner = type(self)(re.sub(r"\\([`\\$])", r"\1", match[1]), self.cwd, self.depth + 1)
        inner.run(nested=False)
        self.commands += inner.commands
        self._result(draft, match[1][:80].strip())

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise Unparsable

    def _closing_bracket(self, start: int, opener: str, closer: str) -> int:
        """The position after the bracket that closes the one at `start`."""
        level = 0
        for match in re.compile(rf"\\.|[{opener}{closer}]", re.S).finditer(self.text, start):
            level += {opener: 1, closer: -1}.get(match[0], 0)
            if level == 0:
                return match.end()
        raise Unparsable
