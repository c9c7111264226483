"""Annotated code: a comment `VULN: names` says what is wrong with the next line, `SAFE: names` what
is not. Pure.

In the rules' own test files the names are those of rules without `whowrote.<language>.`, in the
planted programs they are CWEs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_MARK = re.compile(r"\b(VULN|SAFE): ((?:[A-Za-z0-9-]+ ?)+?)\s*(?:\*/\}?|-->)?\s*$")

# CWEs that describe the same mistake at different depth, or from both sides: a rule of one finds
# the other.
FAMILIES = (
    {"CWE-77", "CWE-78", "CWE-88"},
    {"CWE-79", "CWE-80", "CWE-116"},
    {"CWE-94", "CWE-95", "CWE-96", "CWE-98", "CWE-470"},
    {"CWE-22", "CWE-23", "CWE-73"},
    {"CWE-259", "CWE-321", "CWE-798"},
    {"CWE-326", "CWE-327", "CWE-328", "CWE-329", "CWE-757", "CWE-916"},
    {"CWE-330", "CWE-338"},
    {"CWE-346", "CWE-942"},
    {"CWE-614", "CWE-1004"},
    {"CWE-200", "CWE-209", "CWE-532"},
    {"CWE-494", "CWE-829"},
)


class Annotation(NamedTuple):
    line: int  # the line it speaks of, from 1
    vulnerable: bool
    names: tuple[str, ...]


class AnnotatedFinding(NamedTuple):
    """A finding in an annotated file."""

    path: str
    start: int
    end: int
    rule: str


def marks(text: str) -> Iterator[Annotation]:
    for number, line in enumerate(text.splitlines(), 1):
        found = _MARK.search(line)
        if found:
            yield Annotation(number + 1, found[1] == "VULN", tuple(found[2].split()))


def related(one: str, other: str) -> bool:
    """Whether two CWEs are the same, or of one family."""
    return one == other or any(one in family and other in family for family in FAMILIES)


class RuleDifference(NamedTuple):
    """A place where rules and annotations disagree."""

    path: str
    line: int
    rule: str
    wrong: str  # missed | safe line matched | not annotated


def differences(
    texts: Iterable[tuple[str, str, str]], found: Iterable[AnnotatedFinding]
) -> list[RuleDifference]:
    """What must be empty for the test files. `texts`: (path, prefix of the rules' ids, content);
    findings count at their start.
    """
    wanted: set[tuple[str, int, str]] = set()
    safe: set[tuple[str, int, str]] = set()
    for path, prefix, text in texts:
        for mark in marks(text):
            (wanted if mark.vulnerable else safe).update(
                (path, mark.line, prefix + name) for name in mark.names
            )
    got = {(one.path, one.start, one.rule) for one in found}
    wrong = [RuleDifference(*place, "missed") for place in wanted - got]
    wrong += [
        RuleDifference(*place, "safe line matched" if place in safe else "not annotated")
        for place in got - wanted
    ]
    return sorted(wrong)
