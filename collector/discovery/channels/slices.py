"""Pure: ways to cut a search that has more results than GitHub gives, in two without gap or overlap.

Each takes the slice and the results on its first page, and gives no part when it cannot cut. A range of sizes is halved; by a word
or an owner one part has it and the other has not. GitHub's documentation of search allows 256 characters of words beside the
qualifiers, and five operators AND, OR and NOT; an excluded qualifier (`-user:`) is no operator.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from collector.json_values import get_str

Item = dict[str, Any]
Split = Callable[[str, Sequence[Item]], list[str]]

MOST_OPERATORS = 5
LONGEST = 4000  # characters of a slice: servers refuse addresses of about 8,000, and quoting makes them longer
OWNERS = 50  # that one cut takes away
_SIZE = re.compile(r" size:(\d+)\.\.(\d+)")
_NAMED, _EXCLUDED = re.compile(r" user:(\S+)"), re.compile(r" -user:(\S+)")
_OWNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}")


def halve_sizes(largest: int) -> Split:
    """Halves of a slice's sizes in bytes, small ones first finer; none when it is one size."""

    def split(slice: str, items: Sequence[Item] = ()) -> list[str]:
        match = _SIZE.search(slice)
        low, high = (int(match[1]), int(match[2])) if match else (0, largest)
        if low >= high:
            return []
        # Settings have some hundred bytes: the middle of a wide range is taken on a scale of powers.
        middle = (low + high) // 2 if high < 4 * max(low, 64) else max(low, 16) * 4
        middle = min(max(middle, low), high - 1)
        base = _SIZE.sub("", slice)
        return [f"{base} size:{low}..{middle}", f"{base} size:{middle + 1}..{high}"]

    return split


def split_words(words: Sequence[str]) -> Split:
    """The results with the next of `words`, and those without it."""

    def split(slice: str, items: Sequence[Item] = ()) -> list[str]:
        word = next((word for word in words if word not in slice.split()), None)
        if word is None or slice.count(" NOT ") >= MOST_OPERATORS:
            return []
        return [f"{slice} {word}", f"{slice} NOT {word}"]

    return split


def split_owners(slice: str, items: Sequence[Item]) -> list[str]:
    """Repositories of the owners on the first page, and of all others; of several owners that are named, halves."""
    named, excluded = _NAMED.findall(slice), {name.lower() for name in _EXCLUDED.findall(slice)}
    if named:
        middle, base = len(named) // 2, _NAMED.sub("", slice)
        return [base + _qualify(" user:", part) for part in (named[:middle], named[middle:])] if middle else []
    counts = Counter(owner for item in items if (owner := _owner(item)) and owner.lower() not in excluded)
    owners = [owner for owner, _ in counts.most_common(OWNERS)]
    others = slice + _qualify(" -user:", owners)
    return [_EXCLUDED.sub("", slice) + _qualify(" user:", owners), others] if owners and len(others) <= LONGEST else []


def split_merges(slice: str, items: Sequence[Item]) -> list[str]:
    """Merge commits, and the others."""
    return [] if " merge:" in slice else [f"{slice} merge:true", f"{slice} merge:false"]


def _qualify(qualifier: str, values: Sequence[str]) -> str:
    return "".join(qualifier + value for value in values)


def _owner(item: Item) -> str:
    """Of the repository of a file or a commit; "" for what is no name."""
    owner = get_str(item, "repository", "full_name").partition("/")[0]
    return owner if _OWNER.fullmatch(owner) else ""
