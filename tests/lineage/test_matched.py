"""Agents' lines beside others: on simulated commits with a planted effect, and by hand."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from attribution.stats.matched import (
    Observed,
    matched_parts,
    matched_ratio,
    rate_of,
    shuffles_that_hold,
    with_chance_outcome,
)


def simulated(chance: random.Random, effect: float) -> list[Observed]:
    """A year in which agents write ever more commits and prefer new files, where everybody's lines
    go sooner.
    """
    observed = []
    for number in range(150):
        month = number // 12
        ours = chance.random() < 0.15 + 0.04 * month
        new_file = chance.random() < (0.6 if ours else 0.3)
        lines = chance.randint(5, 200)
        risk = 0.05 * (2 if new_file else 1) * (effect if ours else 1) * chance.uniform(0.4, 1.6)
        gone = sum(chance.random() < risk for _ in range(lines))
        events = lines if chance.random() < risk else gone  # some commits go as a whole
        observed.append(Observed(number, ours, (month, new_file), events, lines))
    return observed


@pytest.mark.parametrize("effect", [1.0, 1.5, 3.0])
def test_the_interval_holds_a_planted_effect_about_as_often_as_it_says(effect: float) -> None:
    chance = random.Random(7)
    ratios = [matched_ratio(simulated(chance, effect)) for _ in range(60)]
    ends = [(ratio.low or 0.0, ratio.high or 0.0) for ratio in ratios]
    assert sum(low <= effect <= high for low, high in ends) >= 55
    if effect > 2:  # and sees it
        assert sum(low > 1 for low, _ in ends) > 30


def test_chance_alone_shows_no_effect_whatever_the_authors_do() -> None:
    observed = simulated(random.Random(3), 3.0)
    held, drawn = shuffles_that_hold(observed)
    assert 88 <= held <= drawn <= 100
    chance = matched_ratio(with_chance_outcome(observed, lambda commit: hash(commit) % 2 == 0))
    assert chance.low is not None and chance.high is not None and chance.low < 1 < chance.high


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
