"""Whether an agent's line stood in what the user gave it: a prompt, an approved plan, pasted text. Pure.

Such a line was typed by the agent and is counted as its own; who thought of it is another question, which this answers with care:
only text that tells is compared, and only what the user had said by then. Files that the user named but did not paste are not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_MOST = 200_000  # characters of one session's texts that are compared
_SHORTEST = 12  # characters without blanks from which a line tells
_NAMES = 3  # names of code in one line of the user's from which they tell
_BLANK = re.compile(r"\s+")
_WORD = re.compile(r"\w+")


class UserTexts:
    """What the user of one session said, turn by turn."""

    def __init__(self, messages: Iterable[tuple[int, str]]) -> None:
        """`messages`: turn and text, in order."""
        self._texts: list[tuple[int, str]] = []
        self._words: dict[str, int] = {}  # word -> the first turn in which it stands
        self._named: list[tuple[int, frozenset[str]]] = []  # names in one line of the user's
        left = _MOST
        for turn, text in messages:
            part = text[:left]
            left -= len(part)
            self._texts.append((turn, _BLANK.sub("", part)))
            for word in _WORD.findall(part):
                self._words.setdefault(word, turn)
            named = ((turn, _names(_WORD.findall(line))) for line in part.splitlines())
            self._named.extend(entry for entry in named if len(entry[1]) >= _NAMES)

    def hold(self, line: str, turn: int) -> bool:
        """Whether the line stood in what was said up to that turn, or all its names of code (three or more) in one line of it."""
        words = _WORD.findall(line)
        names = _names(words) if self._named else frozenset()
        if len(names) >= _NAMES and any(names <= line_names for earlier, line_names in self._named if earlier <= turn):
            return True
        if len(words) < 2 or any(self._words.get(word, turn + 1) > turn for word in words):
            return False
        bare = _BLANK.sub("", line)
        return len(bare) >= _SHORTEST and any(bare in text for earlier, text in self._texts if earlier <= turn)


def _names(words: Iterable[str]) -> frozenset[str]:
    """Words that only code has: with a capital, an underscore or a digit within."""
    return frozenset(word for word in words if len(word) >= 5 and _is_name(word))


@lru_cache(maxsize=20_000)
def _is_name(word: str) -> bool:
    inner = word[1:]
    return (not word[0].isdigit() and inner != inner.lower() and word != word.upper()) or "_" in word.strip("_")
