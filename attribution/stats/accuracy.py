"""The error rates that `make accuracy` measured and this version ships.

A tier is an author with how, evidence and reason, as `origins` has it. `confidence_of` gives its
measured rate in all audits and in the newest one; where too few of its lines were read, that of the
next coarser group (`RateOf`).
"""

import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from attribution.lineage import minimum
from attribution.lineage.minimum import Sample
from attribution.lineage.survival import UNANSWERED
from attribution.stats.intervals import Interval, wilson
from collector.json_values import Row, Texts
from collector.vocabulary.lines import LINE_CLASSES, Evidence, RateOf, line_class


class MeasuredTier(NamedTuple):
    """Lines with the same values in these columns of `origins`."""

    author: str
    how: str
    evidence: str
    reason: str

    @property
    def line_class(self) -> str:
        return line_class(self.author, self.evidence, self.reason)


class Rate(NamedTuple):
    """`correct` of `checked` lines, with Wilson's 95 % interval; no rate where fewer than
    `minimum.READ` were checked.
    """

    checked: int
    correct: int

    @property
    def share(self) -> float | None:
        return self.correct / self.checked if self.interval else None

    @property
    def interval(self) -> Interval | None:
        return None if too_few_read(self.checked) else wilson(self.correct, self.checked)

    def data(self) -> Row:
        """Plain values."""
        low, high = self.interval or (None, None)
        return {
            "checked": self.checked,
            "correct": self.correct,
            "rate": self.share,
            "low": low,
            "high": high,
        }

    def words(self) -> str:
        """47 of 48 (89 to 100 %); without an interval where too few were checked."""
        band = self.interval
        interval = (
            f"{100 * band.low:.0f} to {100 * band.high:.0f} %"
            if band
            else f"fewer than {minimum.READ.lines}: no rate"
        )
        return f"{self.correct:,} of {self.checked:,} ({interval})"


class TierConfidence(NamedTuple):
    """How often a tier is right where blind readers checked."""

    tier: MeasuredTier
    measured_on: RateOf
    rate: Rate  # in all audits
    newest_audit: str  # that read `_OF_ONE_AUDIT` such lines; "" where none did
    newest: Rate


@cache
def measurements() -> Row:
    """The numbers of docs/accuracy.md, as they were published with this version; {} where the
    file is missing.
    """
    inside = resources.files("attribution").joinpath("accuracy.json")
    path = Path(__file__).parent.parent.parent / "benchmarks" / "data" / "accuracy.json"
    text = (
        inside.read_text("utf-8")
        if inside.is_file()
        else path.read_text("utf-8")
        if path.is_file()
        else "{}"
    )
    numbers: Row = json.loads(text)
    return numbers


def too_few_read(checked: int) -> str:
    """Why a share of so many lines that were read is no rate, in words; "" when it is one."""
    return minimum.READ.refusal({"what was read": Sample(checked, minimum.READ.commits)})


def class_rate(name: str) -> Rate:
    """How often a class is right, whatever its evidence."""
    return _rate({"class": name})


def confidence_of(tier: MeasuredTier) -> TierConfidence:
    """Confidence of the first group with enough lines read, from the tier itself up to its class.

    What readers found of people who were seen says nothing of those who are known by a date.
    """
    values = {"class": tier.line_class, **tier._asdict()}
    alike = [of for of in _GROUPS if of is not RateOf.CLASS or tier.evidence != Evidence.DATED]
    rates = {of: _rate({column: values[column] for column in _GROUPS[of]}) for of in alike}
    measured_on = next(
        (of for of, rate in rates.items() if not too_few_read(rate.checked)), alike[-1]
    )
    group = {name: values[name] for name in _GROUPS[measured_on]}
    return TierConfidence(tier, measured_on, rates[measured_on], *newest_rate(group))


def newest_rate(values: Texts) -> tuple[str, Rate]:
    """The newest audit that read enough lines with these values, and how often it found them
    right.
    """
    audits = ((audit, _rate(values, audit)) for audit in measurements().get("audits", []))
    return next((found for found in audits if found[1].checked >= _OF_ONE_AUDIT), ("", Rate(0, 0)))


# lines: an audit of fewer did not look at these, but at others of the same commits
_OF_ONE_AUDIT = 10

_GROUPS = {
    RateOf.TIER: ("class", "how", "evidence", "reason"),
    RateOf.REASON: ("class", "evidence", "reason"),
    RateOf.EVIDENCE: ("class", "evidence"),
    RateOf.CLASS: ("class",),
}
"""What the lines of a group have in common, the finest group first."""


def _read() -> list[Row]:
    """Lines by tier that readers decided; `how` is "" where it was not noted."""
    rows: list[Row] = measurements().get("confidence", [])
    return rows


def _rate(values: Texts, audit: str = "") -> Rate:
    """Of the lines with these values, those of one audit or of all."""
    rows = [row for row in _read() if all(row[column] == value for column, value in values.items())]
    counts = [
        row["audits"].get(audit, (0, 0)) if audit else (row["checked"], row["correct"])
        for row in rows
    ]
    return Rate(sum(checked for checked, _ in counts), sum(correct for _, correct in counts))


def class_rates() -> dict[str, Row]:
    """Class -> lines read, right ones, rate and its interval (None where too few were read), for
    JSON and SARIF.
    """
    return {name: rate.data() for name in LINE_CLASSES if (rate := class_rate(name)).checked}


def right_in(name: str) -> str:
    """How often a class is right, in words; "" where too few of its lines were read, or it names
    nobody.
    """
    # these name no author who could be the wrong one
    share = None if name in UNANSWERED else class_rate(name).share
    return "" if share is None else f"right in {100 * share:.0f} %"


def audited_note(*classes: str) -> str:
    """How often these classes are right in all audits; "" where too few of such lines were read.

    To stand beside numbers that rest on them.
    """
    rates = [(name.replace("_", " "), right_in(name).removeprefix("right in")) for name in classes]
    parts = ", ".join(name + rate for name, rate in rates if rate)
    return f"right where readers checked: {parts}; see docs/accuracy.md" if parts else ""


def counted_on() -> str:
    """The day on which the rates were counted."""
    return str(measurements().get("date", "undated"))
