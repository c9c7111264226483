"""Word lists: `data/words.toml`, read once."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

UNSPACED = re.compile("[぀-鿿가-힣]")  # of scripts without blanks between words


@cache
def source(name: str) -> str:
    """Text of a data file."""
    return resources.files("attribution.features").joinpath("data", name).read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Words:
    """A list of phrases; a phrase matches whole words, a stem their beginning (in scripts
    without blanks any part), whatever the case. Curly apostrophes count as straight ones.
    """

    phrases: tuple[str, ...]
    pattern: re.Pattern[str]

    def count(self, lowered: str) -> int:
        """Occurrences in a lower-cased text; of phrases that overlap the first and longest
        counts.
        """
        return len(self.pattern.findall(lowered))

    def occur_in(self, lowered: str) -> bool:
        return (
            any(phrase in lowered for phrase in self.phrases)
            and self.pattern.search(lowered) is not None
        )


@cache
def words(name: str) -> Words:
    """A list of `data/words.toml`."""
    table: dict[str, list[str]] = tomllib.loads(source("words.toml"))[name]
    ordered = sorted(
        (p.lower() for p in table.get("phrases") or table["stems"]), key=len, reverse=True
    )
    spaced, unspaced = (
        "|".join(re.escape(p) for p in ordered if bool(UNSPACED.match(p)) is kind)
        for kind in (False, True)
    )
    pattern = rf"(?<!\w)(?:{spaced})" + (r"(?!\w)" if "phrases" in table else "")
    return Words(tuple(ordered), re.compile(f"{pattern}|{unspaced}" if unspaced else pattern))


def lower_case(text: str) -> str:
    """The form that word lists are matched against."""
    return text.lower().replace("’", "'")
