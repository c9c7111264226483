"""Error rates that the program ships, and what they make of counts."""

from __future__ import annotations

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
)
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


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(accuracy, "measurements", lambda: SHIPPED)
    yield


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(
    ("tier", "of", "rate", "audit", "newest"),
    [
        # the newest audit read eight of this tier
        ("agent exact replayed", "tier", (40, 38), "first", (30, 29)),
        # nine lines are too few; the newest as all of these without regard to how
        ("agent moved replayed", "reason", (49, 47), "newest", (11, 11)),
        ("agent shell inferred", "class", (52, 48), "newest", (14, 12)),
        ("human none observed", "class", (29, 29), "of-people", (29, 29)),
        ("unknown none inferred no_session", "class", (0, 0), "", (0, 0)),
    ],
)
def test_a_tier_has_the_rates_of_the_first_group_that_was_read_enough_and_of_the_newest_audit(
    tier: str, of: str, rate: tuple[int, int], audit: str, newest: tuple[int, int]
) -> None:
    author, how, evidence, *reason = tier.split()
    found = confidence_of(MeasuredTier(author, how, evidence, "".join(reason)))
    assert (found.measured_on, found.newest_audit) == (of, audit)
    assert (found.rate.checked, found.rate.correct) == rate
    assert (found.newest.checked, found.newest.correct) == newest
    assert (found.rate.share is None) == (found.rate.checked < 30)


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
