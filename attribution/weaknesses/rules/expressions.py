"""What a text must hold for a regular expression to be found in it. Pure. What is not understood asks for nothing."""

from __future__ import annotations

import re

from attribution.weaknesses.rules.needs import NOTHING, Every, Need, NeededWord, Part, Some, Start, simple

_FLAGS = re.compile(r"\(\?([imsux]+)\)")
_START = re.compile(r"""\(\?[is]*i[is]*\)\^(?:\\\(\?|\[(?:\\s|["'`(bru])+\]\*)*\(([a-z]{3,}(?:\|[a-z]{3,})*)\)\\s""")


class _Unknown(Exception):
    """A notation that is not understood."""


def of_content(pattern: str) -> Need:
    """Of an expression for the content of a string: the words of which it has to begin with one."""
    found = _START.match(pattern)
    return Start(tuple(found[1].split("|"))) if found and not _outer_choice(pattern) else NOTHING


def _outer_choice(pattern: str) -> bool:
    """Whether the expression is several, separated by | outside all groups; or too odd to tell."""
    depth = 0
    for at, char in enumerate(re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "x", pattern)):
        depth += (char == "(") - (char == ")")
        if depth < 0 or (char == "|" and depth == 0 and at):
            return True
    return depth != 0


def of_regex(pattern: str, folded: bool = False) -> Need:
    """What a text holds in which the expression is found."""
    flags = _FLAGS.match(pattern)
    if flags:
        pattern = pattern[flags.end() :]
        folded = folded or "i" in flags[1]
        if "x" in flags[1]:
            return NOTHING
    if pattern.startswith("^") and pattern.endswith("$") and not folded and not _outer_choice(pattern):
        texts = _expanded(pattern[1:-1])
        if texts is not None:  # one of these, from end to end
            return simple(Some(tuple(Every(tuple(map(NeededWord, _NAMES.findall(text)))) for text in texts)))
    try:
        reader = _Regex(pattern, folded)
        need = reader.choice()
        return NOTHING if reader.rest() else simple(need)
    except (_Unknown, IndexError):
        return NOTHING


_NAMES = re.compile(r"[A-Za-z0-9_]+")
_MOST = 300  # texts of one expression
_FINITE = re.compile(r"\\([^A-Za-z0-9])|(\((?:\?:)?)|([)|?])|([A-Za-z0-9_\s'\"`@/:;,<>=!&%#~-])")


def _expanded(pattern: str) -> set[str] | None:
    """The texts an expression stands for, when they are few and it has nothing but letters, groups, `|` and `?`."""
    stack: list[list[set[str]]] = [[{""}]]  # of open groups the alternatives read so far, the last one unfinished
    last: set[str] | None = None  # what a `?` would make optional
    before: set[str] = set()
    at = 0
    while at < len(pattern):
        token = _FINITE.match(pattern, at)
        if token is None:
            return None
        at = token.end()
        letter = token[1] or token[4]
        if token[2]:
            stack.append([{""}])
            last = None
            continue
        if token[3] == "|":
            stack[-1].append({""})
            last = None
            continue
        if token[3] == "?":
            if last is None:
                return None
            stack[-1][-1] |= before
            last = None
            continue
        if token[3] == ")":
            if len(stack) == 1:
                return None
            last = set().union(*stack.pop())
        else:
            last = {letter}
        before = stack[-1][-1]
        stack[-1][-1] = {one + other for one in before for other in last}
        if len(stack[-1][-1]) > _MOST:
            return None
    return set().union(*stack[0]) if len(stack) == 1 else None


class _Regex:
    """Reads an expression from left to right."""

    def __init__(self, pattern: str, folded: bool) -> None:
        self._pattern, self._folded, self._at = pattern, folded, 0

    def rest(self) -> str:
        return self._pattern[self._at :]

    def choice(self) -> Need:
        terms = [self._sequence()]
        while self.rest().startswith("|"):
            self._at += 1
            terms.append(self._sequence())
        return Some(tuple(terms)) if len(terms) > 1 else terms[0]

    def _sequence(self) -> Need:
        terms: list[Need] = []
        letters = ""
        while (rest := self.rest()) and rest[0] not in "|)":
            item, letter = self._item()
            least = self._least()
            if letter is not None and least != "0":
                letters += letter
                if least == "1":
                    continue
            if letters:
                terms.append(self._part(letters))
                letters = ""
            if letter is None and least != "0":
                terms.append(item)
        if letters:
            terms.append(self._part(letters))
        return Every(tuple(terms))

    def _part(self, letters: str) -> Need:
        return Part(letters.lower() if self._folded else letters, self._folded)

    def _least(self) -> str:
        """How often the last item has to be there: 0, 1 (no more), + (or more)."""
        found = re.match(r"([*?+]|\{(\d+)(?:,\d*)?\})[?+]?", self.rest())
        if not found:
            return "1"
        self._at += found.end()
        return "0" if found[1] in ("*", "?") or (found[2] is not None and int(found[2]) == 0) else "+"

    def _item(self) -> tuple[Need, str | None]:
        """What one item asks for, or the letter that it is."""
        char = self._pattern[self._at]
        self._at += 1
        if char == "\\":
            return self._escape()
        if char == "[":
            self._class()
            return NOTHING, None
        if char == "(":
            return self._group(), None
        if char in ".^$":
            return NOTHING, None
        if char in "*+?{":
            raise _Unknown
        return NOTHING, char

    def _escape(self) -> tuple[Need, str | None]:
        char = self._pattern[self._at]
        self._at += 1
        if not char.isalnum():
            return NOTHING, char
        if char not in "sSdDwWbBntrAzZ":
            raise _Unknown
        return NOTHING, None

    def _class(self) -> None:
        if self.rest().startswith("^"):
            self._at += 1
        if self.rest().startswith("]"):
            self._at += 1
        while self._pattern[self._at] != "]":
            if self.rest().startswith("[:"):
                raise _Unknown
            self._at += 2 if self._pattern[self._at] == "\\" else 1
        self._at += 1

    def _group(self) -> Need:
        asks = True
        kind = re.match(r"\?(:|=|!|<=|<!)?", self.rest())
        if kind:
            if kind[1] is None:
                raise _Unknown
            asks = kind[1] == ":"
            self._at += kind.end()
        need = self.choice()
        if self._pattern[self._at] != ")":
            raise _Unknown
        self._at += 1
        return need if asks else NOTHING
