"""Error rates that the program ships, and what they make of counts."""

from __future__ import annotations

import math
import random
from itertools import product
from pathlib import Path

import pytest
from support.answers import value
from support.commands import analyse, clone

from attribution.lineage import minimum
from attribution.stats import accuracy
from attribution.stats.accuracy import (
    MeasuredTier,
    audited_note,
    class_rate,
    confidence_of,
    confidences,
    corrected_shares,
    correction_refusal,
)
from attribution.stats.intervals import wilson
from collector.vocabulary.lines import Author, Evidence, How, Reason

SHIPPED = {
    "date": "2026-11-25",
    "audits": ["of-people", "newest", "first"],
    "confidence": [
        {
            "class": "agent",
            "how": "exact",
            "evidence": "replayed",
            "reason": "",
            "checked": 40,
            "correct": 38,
            "wrong": 1,
            "audits": {"first": [30, 29], "newest": [8, 8], "of-people": [2, 1]},
        },
        {
            "class": "agent",
            "how": "moved",
            "evidence": "replayed",
            "reason": "",
            "checked": 9,
            "correct": 9,
            "wrong": 0,
            "audits": {"first": [6, 6], "newest": [3, 3]},
        },
        {
            "class": "agent",
            "how": "shell",
            "evidence": "inferred",
            "reason": "",
            "checked": 3,
            "correct": 1,
            "wrong": 2,
            "audits": {"newest": [3, 1]},
        },
        {
            "class": "human",
            "how": "none",
            "evidence": "observed",
            "reason": "",
            "checked": 29,
            "correct": 29,
            "wrong": 0,
            "audits": {"of-people": [29, 29]},
        },
    ],
}
MATRIX = {
    "agent": {"agent": 98, "unknown": 2},
    "human": {"human": 45, "agent": 5},
    "unknown": {"unknown": 50, "agent": 50},
}


def test_a_class_that_is_always_right_stays_as_counted() -> None:
    (share,) = corrected_shares({"agent": 70}, {"agent": {"agent": 1000}})
    assert share.counted == 1.0 and share.corrected == pytest.approx(1.0, abs=0.01)


def test_unknown_lines_go_to_whom_readers_gave_them() -> None:
    shares = {s.author: s for s in corrected_shares({"agent": 50, "unknown": 50}, MATRIX)}
    assert shares["agent"].counted == 0.5
    assert shares["agent"].corrected == pytest.approx(0.74, abs=0.02)
    assert shares["agent"].interval.low < 0.74 < shares["agent"].interval.high
    assert sum(s.corrected for s in shares.values()) == pytest.approx(1.0)


def test_likely_people_count_as_people() -> None:
    matrix = MATRIX | {"likely_human": {"human": 40}}
    shares = {
        s.author: s.counted
        for s in corrected_shares({"human": 10, "likely_human": 30, "agent": 60}, matrix)
    }
    assert shares["human"] == pytest.approx(0.4)


def test_the_interval_is_narrower_with_more_lines_read() -> None:
    few, many = (
        {
            s.author: s.interval.high - s.interval.low
            for s in corrected_shares({"human": 10}, {"human": {"human": 9 * n, "agent": n}})
        }
        for n in (3, 300)
    )
    assert many["agent"] < few["agent"]


def test_a_class_that_nobody_read_cannot_be_corrected() -> None:
    assert corrected_shares({"tool": 3, "agent": 2}, MATRIX) == []
    assert corrected_shares({}, MATRIX) == []


def test_the_same_counts_give_the_same_shares() -> None:
    assert corrected_shares({"agent": 5, "human": 5}, MATRIX) == corrected_shares(
        {"agent": 5, "human": 5}, MATRIX
    )


def test_a_class_of_which_few_lines_were_read_corrects_nothing() -> None:
    thin = MATRIX | {"human": {"human": 28, "agent": 1}}
    assert corrected_shares({"human": 1, "agent": 99}, thin) == []
    assert (
        correction_refusal({"human": 1, "agent": 99}, thin)
        == "of these fewer than 30 lines were read: human (29)"
    )
    assert correction_refusal({"human": 0, "agent": 99}, thin) == ""
    assert len(corrected_shares({"agent": 99}, thin)) == 3


def test_corrected_shares_are_those_of_the_formula_of_a_stratified_sample() -> None:
    """Independent of the simulation: mean and variance of a Dirichlet posterior in closed form,
    summed over the classes.
    """
    counts = {"agent": 700, "human": 50, "unknown": 250}
    authors, prior, whole = ("agent", "human", "unknown"), 0.5, sum(counts.values())
    shares = {s.author: s for s in corrected_shares(counts, MATRIX)}
    for author in authors:
        mean = variance = 0.0
        for name, n in counts.items():
            read = sum(MATRIX[name].values()) + prior
            p = (MATRIX[name].get(author, 0) + prior / len(authors)) / read
            mean += n / whole * p
            variance += (n / whole) ** 2 * p * (1 - p) / (read + 1)
        error = math.sqrt(variance)
        assert shares[author].corrected == pytest.approx(mean, abs=0.1 * error)
        # few of the lines read are people's in classes that are not theirs
        skew = 0.9 if author == Author.HUMAN else 0.35
        assert shares[author].interval.low == pytest.approx(mean - 1.96 * error, abs=skew * error)
        assert shares[author].interval.high == pytest.approx(mean + 1.96 * error, abs=skew * error)


def test_the_interval_holds_the_true_share_as_often_as_it_says() -> None:
    """Readers draw lines of each class from a known truth, 300 times; 95 % intervals hold the
    true shares in 95 % of them.
    """
    truth = {
        "agent": {"agent": 0.96, "human": 0.04},
        "unknown": {"agent": 0.5, "human": 0.3, "tool": 0.2},
    }
    counts = {"agent": 600, "unknown": 400}
    share = sum(n * truth[name].get("agent", 0.0) for name, n in counts.items()) / 1000
    rng, held = random.Random(7), 0
    for seed in range(300):
        read = {
            name: rng.choices(list(row), list(row.values()), k=80) for name, row in truth.items()
        }
        matrix = {
            name: {author: found.count(author) for author in truth[name]}
            for name, found in read.items()
        }
        (agent,) = (s for s in corrected_shares(counts, matrix, seed) if s.author == "agent")
        held += agent.interval.low <= share <= agent.interval.high
    assert 0.92 <= held / 300 <= 0.99


def test_shares_stay_within_what_is_possible() -> None:
    for one in corrected_shares(
        {"human": 1, "agent": 10**6}, {"human": {"human": 40}, "agent": {"agent": 31}}
    ):
        assert 0 <= one.interval.low <= one.corrected <= one.interval.high <= 1


def test_shipped_rates_are_shares_with_their_intervals() -> None:
    assert confidences()
    for rate in confidences().values():
        assert rate.checked > 0 and rate.correct <= rate.checked
        assert (
            (rate.share is None) == (rate.checked < minimum.READ.lines) == (rate.interval is None)
        )
        if rate.interval is not None and rate.share is not None:
            assert (
                rate.interval == wilson(rate.correct, rate.checked)
                and rate.interval.low <= rate.share <= rate.interval.high
            )


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(accuracy, "measurements", lambda: SHIPPED)
    yield


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(
    ("tier", "of", "checked", "correct"),
    [
        (MeasuredTier("agent", "exact", "replayed", ""), "tier", 40, 38),
        # nine lines are too few
        (MeasuredTier("agent", "moved", "replayed", ""), "reason", 49, 47),
        (MeasuredTier("agent", "shell", "inferred", ""), "class", 52, 48),
        (MeasuredTier("human", "none", "observed", ""), "class", 29, 29),
        (MeasuredTier("unknown", "none", "inferred", "no_session"), "class", 0, 0),
    ],
)
def test_a_tier_has_the_rate_of_the_first_group_that_was_read_enough(
    tier: MeasuredTier, of: str, checked: int, correct: int
) -> None:
    found = confidence_of(tier)
    assert (found.measured_on, found.rate.checked, found.rate.correct) == (of, checked, correct)
    assert (found.rate.share is None) == (checked < 30)


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(
    ("tier", "audit", "checked", "correct"),
    [
        # the newest read eight of this tier
        (MeasuredTier("agent", "exact", "replayed", ""), "first", 30, 29),
        # as all of these without regard to how
        (MeasuredTier("agent", "moved", "replayed", ""), "newest", 11, 11),
        (MeasuredTier("agent", "shell", "inferred", ""), "newest", 14, 12),
        (MeasuredTier("human", "none", "observed", ""), "of-people", 29, 29),
        (MeasuredTier("unknown", "none", "inferred", "no_session"), "", 0, 0),
    ],
)
def test_a_tier_has_the_rate_of_the_newest_audit_that_read_ten_such_lines(
    tier: MeasuredTier, audit: str, checked: int, correct: int
) -> None:
    found = confidence_of(tier)
    assert (found.newest_audit, found.newest.checked, found.newest.correct) == (
        audit,
        checked,
        correct,
    )
    assert found.newest.checked <= found.rate.checked


def test_the_shipped_audits_are_those_of_the_rates() -> None:
    shipped = accuracy.measurements()
    assert {name for row in shipped["confidence"] for name in row["audits"]} == set(
        shipped["audits"]
    )
    for row in shipped["confidence"]:
        assert [sum(column) for column in zip(*row["audits"].values(), strict=True)] == [
            row["checked"],
            row["correct"],
        ]


@pytest.mark.usefixtures("shipped")
def test_a_date_has_not_the_rate_of_people_who_were_seen() -> None:
    found = confidence_of(MeasuredTier("human", "none", "dated", ""))
    assert (found.measured_on, found.rate.checked) == ("evidence", 0)


@pytest.mark.usefixtures("shipped")
def test_a_note_gives_no_rate_of_few_lines() -> None:
    note = audited_note("agent", "human", "tool")
    assert note == "right where readers checked: agent 92 %; see docs/accuracy.md"


def test_every_tier_that_can_be_has_a_rate_or_says_that_too_few_lines_were_read() -> None:
    for tier in map(MeasuredTier._make, product(Author, How, Evidence, Reason)):
        found = confidence_of(tier)
        enough = found.rate.checked >= minimum.READ.lines
        assert (found.rate.share is not None) == enough
        assert enough or tier.evidence == "dated" or found.rate == class_rate(tier.line_class)


def test_every_line_of_a_database_joins_its_rate(tmp_path: Path, db: Path) -> None:
    for name in ("example", "human_between_edits"):
        analyse(clone(name, tmp_path), db)
    every = value(db, "SELECT SUM(lines) FROM line_spans")
    joined = "FROM line_spans l JOIN confidence c USING (author, how, evidence, reason)"
    assert value(db, f"SELECT SUM(l.lines) {joined}") == every > 0
    assert value(db, f"SELECT COUNT(*) {joined} WHERE l.class <> c.class") == 0
    assert (
        value(
            db,
            f"SELECT COUNT(*) {joined} WHERE c.rate > 0.9 AND c.checked >= 30 AND c.low < c.rate",
        )
        > 0
    )
    assert value(db, "SELECT COUNT(*) FROM confidence WHERE (rate IS NULL) <> (checked < 30)") == 0
    assert (
        value(
            db,
            "SELECT COUNT(*) FROM confidence WHERE newest_checked BETWEEN 10 AND checked AND"
            " newest_audit > ''",
        )
        > 0
    )
    assert (
        value(
            db,
            "SELECT COUNT(*) FROM confidence WHERE (newest_audit IS NULL) <> (newest_checked < 10)",
        )
        == 0
    )
