"""Sets of line numbers as sorted tuples of (first, last), both included. Pure.

`1-5,8` is how producers write them; theirs may be unsorted, overlapping or absurd, ours never are.
"""

import re
from collections.abc import Iterable

LineRange = tuple[int, int]
"""First and last line, both included, counted from 1."""
Ranges = tuple[LineRange, ...]

HIGHEST = 1_000_000_000  # no file has such a line: a number above is damage, not a claim
_ITEM = re.compile(r"^\s*(\d{1,10})(?:\s*-\s*(\d{1,10}))?\s*$")


def unite(items: Iterable[LineRange]) -> Ranges:
    """Sorted, merged where they overlap or touch; items whose end lies before their start are
    left out.
    """
    ranges: list[LineRange] = []
    for first, last in sorted((a, b) for a, b in items if a <= b):
        if ranges and first <= ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], last))
        else:
            ranges.append((first, last))
    return tuple(ranges)


def intersect(a: Ranges, b: Ranges) -> Ranges:
    """Lines of both."""
    ranges = []
    i = 0
    j = 0
    while i < len(a) and j < len(b):
        first = max(a[i][0], b[j][0])
        last = min(a[i][1], b[j][1])
        if first <= last:
            ranges.append((first, last))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return tuple(ranges)


def subtract(a: Ranges, b: Ranges) -> Ranges:
    """Lines of `a` that are not in `b`."""
    ranges = []
    j = 0
    for first, last in a:
        start = first
        while j < len(b) and b[j][1] < start:
            j += 1
        k = j
        while k < len(b) and b[k][0] <= last:
            if b[k][0] > start:
                ranges.append((start, b[k][0] - 1))
            start = max(start, b[k][1] + 1)
            k += 1
        if start <= last:
            ranges.append((start, last))
    return tuple(ranges)


def count(a: Ranges) -> int:
    """Lines."""
    return sum(last - first + 1 for first, last in a)


def text(a: Ranges) -> str:
    """`1-5,8`"""
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in a)


def parse(written: str) -> tuple[Ranges, bool]:
    """What could be read of a text, in the order written, and whether that is all of it."""
    ranges = []
    whole = True
    for item in written.split(","):
        match = _ITEM.match(item)
        first = int(match[1]) if match else 0
        last = int(match[2]) if match and match[2] else first
        if 1 <= first <= last <= HIGHEST:
            ranges.append((first, last))
        else:
            whole = False
    return tuple(ranges), whole
