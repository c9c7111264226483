"""How much there must be before a ratio is printed, and on both sides before a comparison with
people is. Pure.

The lines of one commit are written, reviewed and removed together, so a hundred lines of one commit
are one observation: a comparison needs lines and commits. Chosen per statistic; docs/metrics.md has
this list.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from collector.text import count_of


class Sample(NamedTuple):
    """The lines and commits behind a number of one side."""

    lines: int
    commits: int


class Minimum(NamedTuple):
    """The minimum that each side of a comparison must have."""

    lines: int
    commits: int

    def refusal(self, sides: Mapping[str, Sample]) -> str:
        """Why the comparison is not made, in words; "" when every side has enough.

        `sides`: name -> what it has.
        """
        short = [
            f"{name} has {count_of(side.lines, 'line')} of {count_of(side.commits, 'commit')}"
            for name, side in sides.items()
            if side.lines < self.lines or side.commits < self.commits
        ]
        return (
            f"too few: {', '.join(short)}; needed {self.lines:,} of {self.commits:,}"
            if short
            else ""
        )


SURVIVAL = Minimum(100, 10)
"""Excess rework and the hazard ratio."""
SHARE = Minimum(20, 3)
"""A share of lines that survive, of those old enough."""
SHARE_OF_SESSION = Minimum(20, 1)
"""The same for the lines of one session, which often has one commit: a description, no estimate."""
CURVE = Minimum(20, 5)
"""A survival curve with its median: with fewer lines or commits nothing could be told of its
band.
"""
PART = Minimum(20, 1)
"""A share of lines by what became of them: removed by a person, committed, overwritten. A
description, no estimate.
"""
RATE = Minimum(1000, 1)
"""Weaknesses per 1,000 lines of one group: with fewer lines that would be more than was seen."""
FINDINGS = 20
"""Findings, before the share of those that are still present is printed, or a comparison goes
without a warning.
"""
SESSIONS = 5
"""Sessions: a mean or a share of fewer is not printed (grades, coding modes, coding efficiency)."""
RATED = 20
"""Rated sessions, before weights are fitted to them."""
COMMITS = 10
"""Whole commits, before the maintainability of a group has a mean."""
MESSAGES = 20
"""Messages that were classified, before the share of those that push back is printed."""
REPOSITORIES = 3
"""Repositories, before an estimate over several has an interval."""
READ = Minimum(30, 1)
"""Lines that were read, before the share of right ones is given as a rate or corrects a count."""
NOTHING = Minimum(0, 0)
"""Compares whatever there is."""


def part_of(lines: int | None, whole: int | None) -> float | None:
    """A share of lines by their fate; None when the whole is too small or nothing is known."""
    if lines is None or not whole or whole < PART.lines:
        return None
    return lines / whole


def share_of(grouping: str) -> Minimum:
    """The minimum for a share of the lines of a group, by grouping."""
    return SHARE_OF_SESSION if grouping == "session" else SHARE


def sample(pairs: Iterable[tuple[int, object]]) -> Sample:
    """(lines, commit) of one side."""
    lines = 0
    commits = set()
    for count, commit in pairs:
        lines += count
        commits.add(commit)
    return Sample(lines, len(commits))
