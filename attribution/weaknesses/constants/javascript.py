"""Which expressions of a JavaScript or TypeScript file are constant. Pure: nothing is parsed, what is in doubt is not constant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORD = r"[A-Za-z_$][\w$]*"
_HEAD = re.compile(rf"(?:\bfunction\s*\*?\s*({_WORD})|\b(?:const|let|var)\s+({_WORD})\s*=\s*(?:async\s*)?(?:function\s*)?)\s*\(")
_BODY = re.compile(r"\s*(?::\s*[\w$.<>\[\]|&\s]+?)?\s*(?:=>\s*)?\{")
_PIECE = re.compile(rf"\s+|['\"`]|[+(){{}}]|\$\{{|\d[\w.]*|({_WORD})")
_MOST = 20  # names on the way to a constant


def is_constant(data: bytes, start: int, end: int) -> bool:
    """Whether the expression at these bytes, or the first argument of the call there, has only constants of the file."""
    try:
        text = data.decode("utf-8")
        first, last = len(data[:start].decode("utf-8")), len(data[:end].decode("utf-8"))
    except UnicodeDecodeError:
        return False
    return _File(text).decide(first, last)


@dataclass(frozen=True, slots=True)
class _Helper:
    """A function with a name: places in the text."""

    name: str
    index: int  # of its name
    head: int  # where its declaration begins
    parameters: tuple[str, ...]
    start: int  # of its body
    end: int


class _File:
    def __init__(self, text: str) -> None:
        self._code = without_texts(text)
        self.helpers = list(self._helpers())

    def decide(self, first: int, last: int) -> bool:
        span = self._code[first:last]
        call = re.match(rf"\s*(?:await\s+|return\s+|const\s+{_WORD}\s*=\s*)*(?:{_WORD}\s*\.\s*)*{_WORD}\s*\(", span)
        if call:
            parts = self._parts(first + call.end() - 1)
            if not parts:
                return False
            first, last = parts[0]
        return self._constant(first, last, helpers=1, depth=0)

    def _constant(self, first: int, last: int, helpers: int, depth: int) -> bool:
        """Texts, numbers and names that are constant, put together with `+`, in a template or by a condition."""
        either = self._either(first, last)
        if either:
            return all(self._constant(a, b, helpers, depth) for a, b in either)
        index, has_content = first, False
        while index < last:
            piece = _PIECE.match(self._code, index, last)
            if piece is None:
                return False
            if piece[1]:
                after = self._code[piece.end() : last].lstrip()[:1]
                if (after and after in ".([?") or not self._name(piece[1], piece.start(), helpers, depth):
                    return False
            has_content = has_content or not piece[0].isspace()
            index = piece.end()
        return has_content

    def _either(self, first: int, last: int) -> list[tuple[int, int]]:
        """The two values of `condition ? one : other`; none when it is no such expression."""
        marks = [(index, char) for index, char, depth in self._depths(first, last) if depth == 0 and char in "?:"]
        question = next((index for index, char in marks if char == "?"), last)
        colon = next((index for index, char in marks if char == ":" and index > question), None)
        return [(question + 1, colon), (colon + 1, last)] if colon is not None else []

    def _name(self, name: str, index: int, helpers: int, depth: int) -> bool:
        if depth > _MOST:
            return False
        for helper in sorted((h for h in self.helpers if h.start <= index < h.end), key=lambda h: -h.start):
            if self._bound_between(name, helper.start, index):
                return False
            value = self._value(name, helper.start, helper.end)
            if value is not None:
                return self._constant(*value, helpers, depth + 1)
            if name in helper.parameters:
                return bool(helpers) and self._calls(helper, helper.parameters.index(name), helpers - 1, depth + 1)
        value = self._value(name, 0, len(self._code))
        return value is not None and self._constant(*value, helpers, depth + 1)

    def _bound_between(self, name: str, start: int, index: int) -> bool:
        """Whether another function, a loop or an assignment in between may give the name another meaning."""
        word = rf"(?<![\w$.]){re.escape(name)}(?![\w$])"
        others = (
            rf"{word}\s*=>",
            rf"\([^()]*{word}[^()]*\)\s*(?::[^={{;]*)?=>",
            rf"\bfunction\s*\*?\s*(?:{_WORD})?\s*\([^()]*{word}",
            rf"\bfor\s*\([^)]*{word}[^)]*\b(?:of|in)\b",
            rf"\bcatch\s*\(\s*{word}",
            rf"\b(?:const|let|var)\s*[{{\[][^=;]*{word}",
            rf"\b(?:let|var)\s+{word}",
            rf"(?<!const )(?<!=){word}\s*[-+*/|&?]*=(?![=>])",
        )
        return any(re.search(other, self._code[start:index]) for other in others)

    def _value(self, name: str, first: int, last: int) -> tuple[int, int] | None:
        """Where the only value of a `const` is, if that is how the name is made between two places."""
        word = re.escape(name)
        assignments = list(re.finditer(rf"\bconst\s+{word}\s*(?::[^=;]*)?=(?![=>])", self._code[first:last]))
        if len(assignments) != 1 or re.search(rf"\b(?:let|var)\s+{word}(?![\w$])", self._code[first:last]):
            return None
        start = first + assignments[0].end()
        ends = (
            index
            for index, char, depth in self._depths(start, last)
            if depth < 0 or (depth == 0 and (char == ";" or (char == "\n" and self._ends(start, index))))
        )
        end = next(ends, None)
        return (start, end) if end is not None else None

    def _ends(self, start: int, index: int) -> bool:
        """Whether a line's end is that of an expression."""
        return bool(self._code[start:index].strip()) and self._code[index : index + 200].lstrip()[:1] not in "?:+."

    # --- one helper -----------------------------------------------------------------------------------------------

    def _helpers(self) -> Iterator[_Helper]:
        for head in _HEAD.finditer(self._code):
            parts = self._parts(head.end() - 1)
            if parts is None:
                continue
            close = self._close(head.end() - 1)
            body = _BODY.match(self._code, close + 1)
            if body is None:
                continue
            group = 1 if head[1] else 2
            names = (re.match(rf"\s*({_WORD})\s*(?:[?:=]|$)", self._code[a:b].rstrip()) for a, b in parts)
            end = self._close(body.end() - 1)
            yield _Helper(head[group], head.start(group), head.start(), tuple(n[1] if n else "" for n in names), body.end(), end)

    def _calls(self, helper: _Helper, number: int, helpers: int, depth: int) -> bool:
        """Whether every call of a function that nothing outside the file calls passes a constant."""
        if re.search(r"\bexport\s+(?:default\s+)?(?:async\s+)?$", self._code[: helper.head]):
            return False
        calls = 0
        for use in re.finditer(rf"(?<![\w$]){re.escape(helper.name)}(?![\w$])", self._code):
            if use.start() == helper.index:
                continue
            open_ = re.compile(r"\s*\(").match(self._code, use.end())
            if open_ is None or self._code[: use.start()].rstrip().endswith("."):
                return False
            parts = self._parts(open_.end() - 1)
            if parts is None or number >= len(parts) or not self._constant(*parts[number], helpers, depth):
                return False
            calls += 1
        return calls > 0

    def _parts(self, index: int) -> list[tuple[int, int]] | None:
        """Places of what stands between the commas of the brackets that open at a place."""
        close = self._close(index)
        if close >= len(self._code):
            return None
        commas = [place for place, char, depth in self._depths(index + 1, close) if char == "," and depth == 0]
        parts = zip((index + 1, *(comma + 1 for comma in commas)), (*commas, close), strict=True)
        return [(a, b) for a, b in parts if self._code[a:b].strip()]

    def _close(self, index: int) -> int:
        """The place of the bracket that closes the one at a place; the end of the text without one."""
        end = len(self._code)
        return next((place for place, _, depth in self._depths(index, end) if depth == 0), end)

    def _depths(self, first: int, last: int) -> Iterator[tuple[int, str, int]]:
        """Place, character, and how many brackets are open after it."""
        depth = 0
        for index in range(first, last):
            char = self._code[index]
            depth += (char in "([{") - (char in ")]}")
            yield index, char, depth


# What the masked text keeps, blanks and keeps of each piece.
_COMMENT = re.compile(r"()(//[^\n]*|/\*.*?(?:\*/|\Z))()", re.DOTALL)
_STRING = re.compile(r"(['\"])((?:\\.|(?!\1)[^\\\n])*)(\1?)", re.DOTALL)
_REGEX = re.compile(r"(/)((?:\\.|[^/\\\n])*)(/?)", re.DOTALL)
_TEMPLATE = re.compile(r"()((?:\\.?|\$(?!\{)|[^`\\$])*)(`|\$\{|\Z)", re.DOTALL)
_CODE = re.compile(r"([^'\"`{}/]+|.)()()", re.DOTALL)
_BEFORE_REGEX = re.compile(r"(?:^|[(,=:\[!&|?{};+\n]|\breturn)\s*$")


def without_texts(text: str) -> str:
    """The text, as long as before, with blanks for what stands in strings, templates, comments and regular expressions.

    Quotes stay, and what a template has in `${}`.
    """
    parts: list[str] = []
    braces: list[int] = []  # how many are open in each open `${`
    index, is_template = 0, False
    while index < len(text):
        is_regex = text[index] == "/" and _BEFORE_REGEX.search(text, max(0, index - 40), index)
        kinds = (_TEMPLATE,) if is_template else (_COMMENT, _STRING, _REGEX if is_regex else _CODE)
        match = next(match for kind in (*kinds, _CODE) if (match := kind.match(text, index)))
        parts.append(match[1] + re.sub(r"[^\n]", " ", match[2]) + match[3])
        index = match.end()
        if is_template:
            is_template = False
            if match[3] == "${":
                braces.append(0)
        elif match[0] == "`":
            is_template = True
        elif braces and match[0] in "{}":
            braces[-1] += 1 if match[0] == "{" else -1
            if braces[-1] < 0:
                braces.pop()
                is_template = True
    return "".join(parts)
