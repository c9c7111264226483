"""Which findings of a new version were there before: kept, reworded, moved, new or gone. Pure.

A finding is known by its rule and the matched text without white space; equal ones are counted. Within a file, equal findings are
paired first, on unchanged lines before changed ones. What is left over in one file and missing in another of the same commit was
moved, so that renames, moves and new layout bring nothing in. What then remains of one rule in one hunk, old and new, is the same
weakness in other words: somebody who edits a vulnerable line does not introduce it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from collector.model import LineChange


class VersionFinding(NamedTuple):
    """A finding in one version of a file."""

    rule: str
    cwe: str
    text: str  # hash of the matched text without white space
    start: int  # first line, from 1
    end: int
    start_byte: int
    end_byte: int
    suppressed: bool

    @property
    def key(self) -> tuple[str, str]:
        return (self.rule, self.text)


@dataclass
class Changed:
    """A file that differs from a parent, with the findings of both versions. Paths are None where it does not exist."""

    old_path: str | None
    path: str | None
    before: Sequence[VersionFinding]
    after: Sequence[VersionFinding]
    lines: Callable[[], Sequence[LineChange]]
    blind_before: frozenset[str] | None = frozenset()  # rules that were not run on the old version; None: none was
    blind_after: frozenset[str] | None = frozenset()

    @cached_property
    def hunks(self) -> Sequence[LineChange]:
        """The lines that differ."""
        return self.lines()


@dataclass(slots=True)
class Paired:
    """Places of findings in `before` and `after` of one file."""

    matched: list[tuple[int, int]] = field(default_factory=list)
    reworded: list[tuple[int, int]] = field(default_factory=list)
    moved_in: list[tuple[int, int, int]] = field(default_factory=list)  # file it comes from, place there, place here
    new: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)


def compare(files: Sequence[Changed]) -> list[Paired]:
    """What became of the findings of the files of one commit."""
    pairings = [_within(file) for file in files]
    _across(files, pairings)
    for file, paired in zip(files, pairings, strict=True):
        _reword(file, paired)
    return pairings


def _within(file: Changed) -> Paired:
    """Equal findings of one file, the ones on unchanged lines first, in order."""
    before, after = _group_by_key(file.before), _group_by_key(file.after)
    paired = Paired()
    for key, positions in after.items():
        olds = sorted(before.get(key, ()), key=lambda i: touches(file.before[i], file.hunks, old=True))
        news = sorted(positions, key=lambda j: touches(file.after[j], file.hunks, old=False))
        count = min(len(olds), len(news))
        paired.matched += zip(sorted(olds[:count]), sorted(news[:count]), strict=True)
        paired.new += news[count:]
    matched = {i for i, _ in paired.matched}
    paired.gone = [i for i in range(len(file.before)) if i not in matched]
    paired.new.sort()
    return paired


def _across(files: Sequence[Changed], pairings: Sequence[Paired]) -> None:
    """What is gone here and new there was moved."""
    gone: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for number, (file, paired) in enumerate(zip(files, pairings, strict=True)):
        for i in paired.gone:
            gone[file.before[i].key].append((number, i))
    for file, paired in zip(files, pairings, strict=True):
        for j in list(paired.new):
            sources = gone.get(file.after[j].key)
            if sources:
                number, i = sources.pop(0)
                pairings[number].gone.remove(i)
                paired.new.remove(j)
                paired.moved_in.append((number, i, j))


def _reword(file: Changed, paired: Paired) -> None:
    """Findings of one rule that left and came in the same hunk."""
    for hunk in file.hunks:
        for j in list(paired.new):
            if not _overlaps(file.after[j], hunk.b0, hunk.b1):
                continue
            rule = file.after[j].rule
            same = (i for i in paired.gone if file.before[i].rule == rule and _overlaps(file.before[i], hunk.a0, hunk.a1))
            i = next(same, None)
            if i is not None:
                paired.gone.remove(i)
                paired.new.remove(j)
                paired.reworded.append((i, j))


def touches(hit: VersionFinding, hunks: Iterable[LineChange], *, old: bool) -> bool:
    """Whether the commit took away (`old`) or added a line of the match."""
    return any(_overlaps(hit, *((h.a0, h.a1) if old else (h.b0, h.b1))) for h in hunks)


def _overlaps(hit: VersionFinding, start: int, end: int) -> bool:
    """`start` and `end` are a half-open range of lines from 0."""
    return hit.start - 1 < end and start < hit.end


def _group_by_key(hits: Sequence[VersionFinding]) -> dict[tuple[str, str], list[int]]:
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, hit in enumerate(hits):
        groups[hit.key].append(place)
    return groups


def strongest(hits: Iterable[VersionFinding], strength: Callable[[str], tuple[int, ...]]) -> tuple[VersionFinding, ...]:
    """Of findings with one CWE whose matches overlap only the one of the strongest rule: a statement is counted once. In order."""
    kept_by_cwe: dict[str, list[VersionFinding]] = defaultdict(list)
    for hit in sorted(hits, key=lambda h: (*strength(h.rule), h.end_byte - h.start_byte, h.start_byte, h.rule)):
        others = kept_by_cwe[hit.cwe or hit.rule]
        if not any(hit.start_byte < o.end_byte and o.start_byte < hit.end_byte for o in others):
            others.append(hit)
    return tuple(sorted((h for group in kept_by_cwe.values() for h in group), key=lambda h: (h.start_byte, h.end_byte, h.rule)))


def occurrences(hits: Sequence[VersionFinding]) -> list[int]:
    """For each finding how many equal ones stand above it."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    numbers = []
    for hit in hits:
        numbers.append(counts[hit.key])
        counts[hit.key] += 1
    return numbers
