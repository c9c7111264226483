"""Which commits come after which: against a search of small random histories, and in the memory
it takes.
"""

from __future__ import annotations

import random

import pytest

from collector.git.ancestry import Ancestry

History = list[tuple[str, tuple[str, ...]]]


def _reached(history: History, sha: str) -> set[str]:
    parents = dict(history)
    found: set[str] = set()
    stack = [*parents[sha]]
    while stack:
        one = stack.pop()
        if one in parents and one not in found:
            found.add(one)
            stack += parents[one]
    return found


def _random(seed: int) -> History:
    """Branches, merges of up to four parents, several roots, and parents that are not there."""
    rng = random.Random(seed)
    history: History = []
    for number in range(rng.randrange(1, 40)):
        near = history[-rng.choice((1, 2, 5, 40)) :]
        parents = (
            {rng.choice(near)[0] for _ in range(rng.choice((1, 1, 1, 2, 2, 4)))}
            if near and rng.random() < 0.93
            else set()
        )
        if rng.random() < 0.05:
            parents.add("absent")
        history.append((f"c{number}", tuple(sorted(parents))))
    return history


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_is_what_a_search_finds(start: int) -> None:
    for seed in range(start, start + 50):
        history = _random(seed)
        ancestry = Ancestry(history)
        for sha, _ in history:
            reached = _reached(history, sha)
            assert {other for other, _ in history if ancestry.is_ancestor(other, sha)} == reached


def test_an_unknown_commit_is_related_to_none() -> None:
    ancestry = Ancestry([("a", ()), ("b", ("a",))])
    assert not ancestry.is_ancestor("x", "b")
    assert not ancestry.is_ancestor("a", "x")


def test_commits_on_a_line_share_what_they_do_not_come_after() -> None:
    """Two lines of 20,000 commits side by side: a set of its own for each commit would take 40
    MB.
    """
    one = [(f"a{number}", (f"a{number - 1}",) if number else ()) for number in range(20_000)]
    other = [(f"b{number}", (f"b{number - 1}",) if number else ("a0",)) for number in range(20_000)]
    ancestry = Ancestry([*one, *other, ("merge", ("a19999", "b19999"))])
    assert len({id(unrelated) for unrelated in ancestry._unrelated}) <= 4
    assert ancestry.is_ancestor("a0", "b19999") and ancestry.is_ancestor("a19999", "merge")
    assert not ancestry.is_ancestor("a1", "b19999")
