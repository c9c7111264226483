"""Agents' lines beside others, counted by hand; histories with a planted effect are in
tests/benchmarks/test_planted.py.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from attribution.stats.matched import (
    Observed,
    matched_parts,
    matched_ratio,
    rate_of,
)


def month(name: str, ours: Iterable[int], others: Iterable[int]) -> list[Observed]:
    """Events of commits with 100 lines each."""
    sides = [(True, events) for events in ours] + [(False, events) for events in others]
    return [
        Observed((name, number), side, name, events, 100)
        for number, (side, events) in enumerate(sides)
    ]


def test_lines_are_compared_with_their_like() -> None:
    """In each month the rates are equal; over both, agents wrote more where more happens."""
    observed = [
        *month("bad", [10] * 8, [10, 10]),
        *month("good", [1, 1], [1] * 8),
        *month("alone", [50] * 9, []),
    ]
    assert {part.stratum for part in matched_parts(observed)} == {"bad", "good"}
    assert matched_ratio(observed).ratio == pytest.approx(1.0)
    rates = [rate_of(part for part in observed if part.ours is side) for side in (True, False)]
    assert rates[0].per_1000 == pytest.approx(1000 * 532 / 1900)
    assert rates[1].per_1000 == pytest.approx(1000 * 28 / 1000)


def test_a_ratio_that_hangs_on_one_commit_has_no_interval() -> None:
    ratio = matched_ratio(month("one", [9, 0, 0, 0], [3, 2, 1, 0]))
    assert ratio.ratio is not None and (ratio.low, ratio.high) == (None, None)
    assert matched_ratio(month("one", [9, 3], [0, 0])).ratio is None


def test_few_events_have_the_interval_of_a_count() -> None:
    rate = rate_of(month("one", [], [0] * 20))
    assert (rate.per_1000, rate.low) == (0.0, 0.0)
    assert rate.high == pytest.approx(3.69 / 2, rel=0.01)  # of 2,000 lines
