"""Which expressions of a JavaScript or TypeScript file are constant. Pure: nothing is parsed, what is in doubt is not constant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORD = r"[A-Za-z_$][\w$]*"
_HEAD = re.compile(rf"(?:\bfunction\s*\*?\s*({_WORD})|\b(?:const|let|var)\s+({_WORD})\s*=\s*(?:async\s*)?(?:function\s*)?)\s*\(")
_BODY = re.compile(r"\s*(?::\s*[\w$.<>\[\]|&\s]+?)?\s*(?:=>\s*)?\{")
_PIECE = re.compile(rf"\s+|['\"`]|[+(){{}}]|\$\{{|\d[\w.]*|({_WORD})")
_BEFORE_REGEX = re.compile(r"(?:^|[(,=:\[!&|?{};+\n]|\breturn)\s*$")
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
        self.without_texts = without_texts(text)
        self.helpers = list(self._helpers())

    def decide(self, first: int, last: int) -> bool:
        span = self.without_texts[first:last]
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
            piece = _PIECE.match(self.without_texts, index, last)
            if piece is None:
                return False
            if piece[1]:
                after = self.without_texts[piece.end() : last].lstrip()[:1]
                if (after and after in ".([?") or not self._name(piece[1], piece.start(), helpers, depth):
                    return False
            has_content = has_content or not piece[0].isspace()
            index = piece.end()
        return has_content

    def _either(self, first: int, last: int) -> list[tuple[int, int]]:
        """The two values of `condition ? one : other`; none when it is no such expression."""
        depth, question = 0, -1
        for index in range(first, last):
            char = self.without_texts[index]
            depth += (char in "([{") - (char in ")]}")
            if depth == 0 and char == "?" and question < 0:
                question = index
            elif depth == 0 and char == ":" and question >= 0:
                return [(question + 1, index), (index + 1, last)]
        return []

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
        value = self._value(name, 0, len(self.without_texts))
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
        return any(re.search(other, self.without_texts[start:index]) for other in others)

    def _value(self, name: str, first: int, last: int) -> tuple[int, int] | None:
        """Where the only value of a `const` is, if that is how the name is made between two places."""
        word = re.escape(name)
        assignments = list(re.finditer(rf"\bconst\s+{word}\s*(?::[^=;]*)?=(?![=>])", self.without_texts[first:last]))
        if len(assignments) != 1 or re.search(rf"\b(?:let|var)\s+{word}(?![\w$])", self.without_texts[first:last]):
            return None
        start = first + assignments[0].end()
        depth = 0
        for index in range(start, last):
            char = self.without_texts[index]
            depth += (char in "([{") - (char in ")]}")
            if depth < 0 or (depth == 0 and (char == ";" or (char == "\n" and self._ends(start, index)))):
                return start, index
        return None

    def _ends(self, start: int, index: int) -> bool:
        """Whether a line's end is that of an expression."""
        return bool(self.without_texts[start:index].strip()) and self.without_texts[index : index + 200].lstrip()[:1] not in "?:+."

    # --- one helper -----------------------------------------------------------------------------------------------

    def _helpers(self) -> Iterator[_Helper]:
        for head in _HEAD.finditer(self.without_texts):
            parts = self._parts(head.end() - 1)
            if parts is None:
                continue
            close = self._close(head.end() - 1)
            body = _BODY.match(self.without_texts, close + 1)
            if body is None:
                continue
            group = 1 if head[1] else 2
            names = (re.match(rf"\s*({_WORD})\s*(?:[?:=]|$)", self.without_texts[a:b].rstrip()) for a, b in parts)
            end = self._close(body.end() - 1)
            yield _Helper(head[group], head.start(group), head.start(), tuple(n[1] if n else "" for n in names), body.end(), end)

    def _calls(self, helper: _Helper, number: int, helpers: int, depth: int) -> bool:
        """Whether every call of a function that nothing outside the file calls passes a constant."""
        if re.search(r"\bexport\s+(?:default\s+)?(?:async\s+)?$", self.without_texts[: helper.head]):
            return False
        calls = 0
        for use in re.finditer(rf"(?<![\w$]){re.escape(helper.name)}(?![\w$])", self.without_texts):
            if use.start() == helper.index:
                continue
            open_ = re.compile(r"\s*\(").match(self.without_texts, use.end())
            if open_ is None or self.without_texts[: use.start()].rstrip().endswith("."):
                return False
            parts = self._parts(open_.end() - 1)
            if parts is None or number >= len(parts) or not self._constant(*parts[number], helpers, depth):
                return False
            calls += 1
        return calls > 0

    def _parts(self, index: int) -> list[tuple[int, int]] | None:
        """Places of what stands between the commas of the brackets that open at a place."""
        close = self._close(index)
        if close >= len(self.without_texts):
            return None
        parts, depth, start = [], 0, index + 1
        for here in range(index + 1, close + 1):
            char = self.without_texts[here]
            if (char == "," and depth == 0) or here == close:
                parts.append((start, here))
                start = here + 1
            depth += (char in "([{") - (char in ")]}")
        return [(a, b) for a, b in parts if self.without_texts[a:b].strip()]

    def _close(self, index: int) -> int:
        """The place of the bracket that closes the one at a place; the end of the text without one."""
        depth = 0
        for here in range(index, len(self.without_texts)):
            char = self.without_texts[here]
            depth += (char in "([{") - (char in ")]}")
            if depth == 0:
                return here
        return len(self.without_texts)


def without_texts(text: str) -> str:
    """The text, as long as before, with blanks for what stands in strings, templates, comments and regular expressions.

    Quotes stay, and what a template has in `${}`.
    """
    out = list(text)
    templates: list[int] = []  # of open `${`, how many braces are open in them
    index, inside = 0, False  # inside: the text of a template
    while index < len(text):
        if inside:
            index, inside = _template(text, out, index, templates)
            continue
        char, two = text[index], text[index : index + 2]
        if two in ("//", "/*"):
            end = text.find("\n" if two == "//" else "*/", index)
            end = len(text) if end < 0 else end + (2 if two == "/*" else 0)
            _blank(out, index, end)
            index = end
        elif char in "'\"" or (char == "/" and _BEFORE_REGEX.search("".join(out[max(0, index - 40) : index]))):
            end = _end_of_text(text, index, char)
            _blank(out, index + 1, end)
            if char == "/":
                out[index] = "/"
            index = end + 1
        elif char == "`":
            index, inside = index + 1, True
        else:
            if templates:
                templates[-1] += (char == "{") - (char == "}")
                if templates[-1] < 0:
                    templates.pop()
                    inside = True
            index += 1
    return "".join(out)


def _template(text: str, out: list[str], index: int, templates: list[int]) -> tuple[int, bool]:
    """Goes on in the text of a template: where it ends, or a `${` opens."""
    while index < len(text):
        if text[index] == "`":
            return index + 1, False
        if text.startswith("${", index):
            templates.append(0)
            return index + 2, False
        step = 2 if text[index] == "\\" else 1
        _blank(out, index, min(index + step, len(text)))
        index += step
    return index, False


def _end_of_text(text: str, index: int, quote: str) -> int:
    """Where a string or regular expression ends that begins at a place: at its quote, or with the line."""
    here = index + 1
    while here < len(text) and text[here] not in (quote, "\n"):
        here += 2 if text[here] == "\\" else 1
    return min(here, len(text) - 1)


def _blank(out: list[str], start: int, end: int) -> None:
    out[start:end] = [char if char == "\n" else " " for char in out[start:end]]
