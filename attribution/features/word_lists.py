"""Word lists: `data/words.toml`, read once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources


@cache
def source(name: str) -> str:
    """Text of a data file."""
    return resources.files("attribution.features").joinpath("data", name).read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Words:
    """A list of phrases; a phrase matches whole words, whatever the case. Curly apostrophes count as straight ones."""

    phrases: tuple[str, ...]
    pattern: re.Pattern[str]

    def count(self, lowered: str) -> int:
        """Occurrences in a lower-cased text; of phrases that overlap the first and longest counts."""
        positions = sorted(
            (start, -len(phrase)) for phrase in self.phrases if phrase in lowered for start in _places(phrase, lowered)
        )
        count = end = 0
        for start, length in positions:
            if start >= end:
                count, end = count + 1, start - length
        return count

    def occur_in(self, lowered: str) -> bool:
        return any(phrase in lowered for phrase in self.phrases) and self.pattern.search(lowered) is not None


def _places(phrase: str, text: str) -> Iterator[int]:
    """Where the phrase stands as whole words: ten times quicker than a pattern of alternatives."""
    start = text.find(phrase)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(phrase) : start + len(phrase) + 1]
        if not (_in_word(before) or _in_word(after)):
            yield start
        start = text.find(phrase, start + 1)


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


@cache
def words(name: str) -> Words:
    """A list of `data/words.toml`."""
    listed = tomllib.loads(source("words.toml"))[name]["phrases"]
    ordered = sorted((str(p).lower() for p in listed), key=len, reverse=True)
    pattern = "|".join(re.escape(p) for p in ordered)
    return Words(tuple(ordered), re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"))


def lower_case(text: str) -> str:
    """The form that word lists are matched against."""
    return text.lower().replace("’", "'")
