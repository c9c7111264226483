"""What git will call added.

The model knows which lines are new. Git knows only texts: where a new line equals an old one
nearby, git may report either.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise

from support.builder.lines import File

NEW = "new"
MAYBE = "maybe"
POSSIBLE = "possible"


def compare(old: File, new: File) -> list[str]:
    """For each line of `new`: `new`, `maybe` (new, but git may take an equal old line for it),
    `possible` (old, but git may report it in the place of an equal new one), or empty."""
    old_keys = old.keys()
    new_keys = new.keys()
    pairs = _kept(old, new, old_keys, new_keys)
    old_count = Counter(old_keys)
    new_count = Counter(new_keys)
    certain = _always_kept(old_keys, new_keys)
    anchors = [
        (a, b)
        for a, b in pairs
        if b in certain and old_count[old_keys[a]] == new_count[new_keys[b]] == 1
    ]
    kept = {b for _, b in pairs}
    marks = ["" if b in kept else NEW for b in range(len(new_keys))]
    edges = [(-1, -1), *anchors, (len(old_keys), len(new_keys))]
    for (a0, b0), (a1, b1) in pairwise(edges):
        _mark_gap(marks, old_keys[a0 + 1 : a1], new_keys, range(b0 + 1, b1))
    return marks


def _always_kept(old: list[str], new: list[str]) -> set[int]:
    """Lines of `new` that every shortest diff leaves alone."""
    top = next(
        (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    short = min(len(old), len(new)) - top
    tail = next((i for i in range(short) if old[-1 - i] != new[-1 - i]), short)
    a = old[top : len(old) - tail]
    b = new[top : len(new) - tail]
    kept = {*range(top), *range(len(new) - tail, len(new))}
    before = _common_lengths(a, b)
    after = _common_lengths(a[::-1], b[::-1])
    best = before[-1][-1]
    for j in range(len(b)):
        without = max(before[i][j] + after[len(a) - i][len(b) - j - 1] for i in range(len(a) + 1))
        if without < best:
            kept.add(top + j)
    return kept


def _common_lengths(a: list[str], b: list[str]) -> list[list[int]]:
    """Length of the longest common subsequence of every pair of beginnings."""
    table = [[0] * (len(b) + 1)]
    for x in a:
        above = table[-1]
        row = [0]
        for j, y in enumerate(b):
            row.append(above[j] + 1 if x == y else max(above[j + 1], row[j]))
        table.append(row)
    return table


def _mark_gap(marks: list[str], old_keys: list[str], new_keys: list[str], gap: range) -> None:
    """Between two lines that git cannot mistake."""
    kept = sum(1 for b in gap if not marks[b])
    if kept == len(gap) == len(old_keys):
        return
    texts = set(old_keys)
    for b in gap:
        if marks[b] and new_keys[b] in texts:
            marks[b] = MAYBE
        elif not marks[b]:
            marks[b] = POSSIBLE


def _kept(old: File, new: File, old_keys: list[str], new_keys: list[str]) -> list[tuple[int, int]]:
    """The longest run of lines that are in both files, unchanged and in the same order: (old,
    new) indices.
    """
    place = {id(line): i for i, line in enumerate(old.lines)}
    pairs = [(place[id(line)], b) for b, line in enumerate(new.lines) if id(line) in place]
    pairs = [(a, b) for a, b in pairs if old_keys[a] == new_keys[b]]
    tails: list[int] = []
    # best length ending here -> (index of pair, index of previous)
    chain: list[tuple[int, int]] = []
    ends: list[int] = []
    for n, (a, _) in enumerate(pairs):
        at = bisect_left(tails, a)
        tails[at : at + 1] = [a]
        ends[at : at + 1] = [n]
        chain.append((n, ends[at - 1] if at else -1))
    out = list[tuple[int, int]]()
    n = ends[-1] if ends else -1
    while n >= 0:
        out.append(pairs[n])
        n = chain[n][1]
    return out[::-1]


def merged(states: tuple[str, ...]) -> str:
    """Against several parents a line is new only if it is in none of them."""
    if "" in states:
        return ""
    return next((mark for mark in (POSSIBLE, MAYBE) if mark in states), NEW)
