"""Which rules can have a match in a text, so that only those are run on it; a text without any is not given to semgrep. Pure.

A rule is left out when a text has none of the literals it names (`metadata.literals`; every text with a match has at least one of
them, letter by letter) or lacks what its patterns need (`derive.py`). Both let too much through rather than too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from attribution.weaknesses.rules.needs import Every, Need, NeededWord, Part, Some, Start

_WORDS = re.compile(rb"[A-Za-z0-9_]+")
_OPENING = frozenset(b"\"'`}=")  # before the content of a string: its quote, an inserted value, an assignment
_BETWEEN = frozenset(b" \t\r\n\f\v(bruBRU\\/*") | _OPENING


class Prefilter:
    """What the rules of a set need, by language."""

    def __init__(self, rules: Iterable[tuple[str, frozenset[str], Sequence[str], Need]]) -> None:
        """`rules`: id, languages ("*" is any), literals (none when it names none), needs."""
        self._rules: dict[str, list[tuple[str, tuple[bytes, ...], Need]]] = {}
        for name, languages, literals, need in rules:
            words = tuple(literal.encode("utf-8") for literal in literals)
            for language in languages:
                self._rules.setdefault(language, []).append((name, words if all(words) else (), need))

    def rules(self, language: str, data: bytes) -> tuple[str, ...]:
        """Ids of the rules that may match in the text."""
        text = _Text(data)
        found = dict.fromkeys(
            name
            for key in (language, "*")
            for name, literals, need in self._rules.get(key, ())
            if (not literals or any(one in data for one in literals)) and text.has(need)
        )
        return tuple(found)


class _Text:
    """What a text holds; each question is answered once."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._lower: bytes | None = None
        self._words: frozenset[bytes] | None = None
        self._answers: dict[Need, bool] = {}

    def has(self, need: Need) -> bool:
        if isinstance(need, Every):
            return all(map(self.has, need.terms))
        if isinstance(need, Some):
            return any(map(self.has, need.terms))
        if need not in self._answers:
            self._answers[need] = self._find(need)
        return self._answers[need]

    def _find(self, need: NeededWord | Part | Start) -> bool:
        if isinstance(need, NeededWord):
            if self._words is None:
                self._words = frozenset(_WORDS.findall(self._data))
            return need.text.encode("ascii") in self._words
        if isinstance(need, Start):
            return _begins(self._data, need.words)
        if not need.folded:
            return need.text.encode("ascii") in self._data
        if self._lower is None:
            self._lower = self._data.lower()
        return need.text.encode("ascii") in self._lower


@lru_cache(maxsize=64)
def _beginning(words: tuple[str, ...]) -> re.Pattern[bytes]:
    """A word with white space behind it; or what comes before the end of a string can be the first part of one."""
    first = sorted({word[:end] for word in words for end in range(1, len(word) + 1)}, key=len, reverse=True)
    whole = sorted(words, key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(whole)})(?=\s)|(?:{'|'.join(first)})(?=[\"'`]|\$?\{{)".encode("ascii"), re.IGNORECASE)


def _begins(data: bytes, words: tuple[str, ...]) -> bool:
    for found in _beginning(words).finditer(data):
        at = found.start()
        while at and data[at - 1] in _BETWEEN:
            at -= 1
            if data[at] in _OPENING:
                return True
    return False
