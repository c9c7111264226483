"""Which commits are older than coding agents, by all that git says of their time. Pure.

A date is a claim of a clock, which may be wrong or set on purpose. So the latest of a commit's
times counts, and a commit that contradicts its ancestors or its descendants is believed only where
the others must be wrong (docs/decisions/0020-dates.md).
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from collector.model import Commit
from collector.vocabulary.lines import Witness
from collector.vocabulary.releases import steps

_DAY = 86_400.0
# 2 January 1980: clocks that nobody set begin in 1970 or on the day before, seconds since 1970
UNSET = 315_619_200.0
# of a history: more commits than this that contradict an ancestor are not all wrong
_TOLERATED = 0.001
_OUTNUMBERED = 10  # times as many commits as contradict them: then it is the few that are wrong


class DatedNode(NamedTuple):
    id: str
    parents: tuple[str, ...]
    at: float | None  # seconds since 1970; None: nothing to go by


class Contradictions(NamedTuple):
    """Ids whose date is more than a day on the wrong side of a relative's."""

    older: set[str]  # than an ancestor
    younger: set[str]  # than a descendant

    def disbelieved(self, size: int) -> set[str]:
        """Those whose date is not believed, in a history of `size`: both sides in doubt, else
        the few.
        """
        few_are_wrong = len(self.older) > max(size * _TOLERATED, _OUTNUMBERED * len(self.younger))
        if few_are_wrong:
            return self.younger
        return self.older | self.younger if len(self.younger) <= len(self.older) else self.older


def dated_commits(commits: Sequence[Commit]) -> dict[str, Witness]:
    """Commit -> the step that it is older than, for those whose date is believed; `commits` parents
    first.

    Contradictions are looked for twice. Between old commits and those younger than the last step,
    where all old ones of a history that was rewritten later stand after a few young ones; and then
    among the old ones.
    """
    latest = {
        # None: a clock was not set
        c.sha: max(c.author_time, c.commit_time) if c.commit_time >= UNSET else None
        for c in commits
    }
    last = steps()[-1].before
    nodes = [DatedNode(commit.sha, commit.parents, latest[commit.sha]) for commit in commits]
    sides = [
        node._replace(at=None if node.at is None else last * (node.at >= last)) for node in nodes
    ]
    old = [
        node if node.at is not None and node.at < last else node._replace(at=None) for node in nodes
    ]
    disbelieved = {
        id for each in (sides, old) for id in contradictions(each).disbelieved(len(commits))
    }
    believed = (
        (sha, at) for sha, at in latest.items() if at is not None and sha not in disbelieved
    )
    return {
        sha: step.witness
        for sha, at in believed
        if (step := next((step for step in steps() if at < step.before), None))
    }


def contradictions(nodes: Sequence[DatedNode]) -> Contradictions:
    """`nodes`: parents first."""
    youngest: dict[str, float] = {}  # of a node and its ancestors
    older = set()
    for node in nodes:
        before = max(
            (youngest.get(parent, -math.inf) for parent in node.parents), default=-math.inf
        )
        if node.at is not None and node.at < before - _DAY:
            older.add(node.id)
        youngest[node.id] = max(before, -math.inf if node.at is None else node.at)
    return Contradictions(older, set(_younger(nodes)))


def _younger(nodes: Sequence[DatedNode]) -> Iterable[str]:
    """Ids of nodes that are younger than a descendant."""
    oldest: dict[str, float] = {}  # of the descendants of a node
    for node in reversed(nodes):
        after = oldest.get(node.id, math.inf)
        if node.at is not None and node.at > after + _DAY:
            yield node.id
        after = min(after, math.inf if node.at is None else node.at)
        for parent in node.parents:
            oldest[parent] = min(after, oldest.get(parent, math.inf))
