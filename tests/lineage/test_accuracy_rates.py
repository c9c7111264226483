"""Error rates that the program ships, and what they make of counts."""

from __future__ import annotations

import pytest

from attribution.stats.accuracy import confidences, corrected

MATRIX = {"agent": {"agent": 98, "unknown": 2}, "human": {"human": 45, "agent": 5}, "unknown": {"unknown": 50, "agent": 50}}


def test_a_class_that_is_always_right_stays_as_counted() -> None:
    (share,) = corrected({"agent": 70}, {"agent": {"agent": 1000}})
    assert share.counted == 1.0 and share.corrected == pytest.approx(1.0, abs=0.01)


def test_unknown_lines_go_to_whom_readers_gave_them() -> None:
    shares = {s.author: s for s in corrected({"agent": 50, "unknown": 50}, MATRIX)}
    assert shares["agent"].counted == 0.5
    assert shares["agent"].corrected == pytest.approx(0.74, abs=0.02)
    assert shares["agent"].interval.low < 0.74 < shares["agent"].interval.high
    assert sum(s.corrected for s in shares.values()) == pytest.approx(1.0)


def test_likely_people_count_as_people() -> None:
    matrix = MATRIX | {"likely_human": {"human": 10}}
    shares = {s.author: s.counted for s in corrected({"human": 10, "likely_human": 30, "agent": 60}, matrix)}
    assert shares["human"] == pytest.approx(0.4)


def test_the_interval_is_narrower_with_more_lines_read() -> None:
    few, many = (
        {s.author: s.interval.high - s.interval.low for s in corrected({"human": 10}, {"human": {"human": 9 * n, "agent": n}})}
        for n in (1, 100)
    )
    assert many["agent"] < few["agent"]


def test_a_class_that_nobody_read_cannot_be_corrected() -> None:
    assert corrected({"tool": 3, "agent": 2}, MATRIX) == []
    assert corrected({}, MATRIX) == []


def test_the_same_counts_give_the_same_shares() -> None:
    assert corrected({"agent": 5, "human": 5}, MATRIX) == corrected({"agent": 5, "human": 5}, MATRIX)


def test_shipped_rates_are_shares_with_their_intervals() -> None:
    for one in confidences():
        assert 0 <= one.low <= one.rate == one.correct / one.checked <= one.high <= 1
