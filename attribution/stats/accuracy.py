"""The error rates that `make accuracy` measured and this version ships, and what they make of counts.

`corrected` turns counts by class into shares by author with the confusion matrix of the lines that blind readers decided: of the
lines called X, what share is really Y? The interval is the uncertainty of the matrix (a Dirichlet posterior with a flat prior of
weight 0.5 per class, simulated with a fixed seed); how well the lines that were read represent others is not in it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from attribution.stats.intervals import Interval, wilson

_DRAWS = 2_000
_PRIOR = 0.5


@dataclass(frozen=True, slots=True)
class ClassConfidence:
    """How often a class is right, as blind readers found: `correct` of `checked` lines, with Wilson's 95 % interval."""

    line_class: str
    evidence: str
    checked: int
    correct: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """The share of lines that are really an author's, and the share that was counted."""

    author: str
    counted: float
    corrected: float
    interval: Interval


@cache
def measured() -> dict[str, Any]:
    """The numbers of docs/accuracy.md, as they were published with this version; {} where the file is missing."""
    inside = resources.files("attribution").joinpath("accuracy.json")
    path = Path(__file__).parent.parent.parent / "benchmarks" / "data" / "accuracy.json"
    text = inside.read_text("utf-8") if inside.is_file() else path.read_text("utf-8") if path.is_file() else "{}"
    numbers: dict[str, Any] = json.loads(text)
    return numbers


def confidences() -> list[ClassConfidence]:
    """In order of class and evidence."""
    return [
        ClassConfidence(r["class"], r["evidence"], r["checked"], r["correct"], r["rate"], r["low"], r["high"])
        for r in measured().get("confidence", ())
    ]


def corrected(counts: Mapping[str, int], confusion: Mapping[str, Mapping[str, int]], seed: int = 1) -> list[CorrectedShare]:
    """Shares by true author from counts by class; [] when a counted class was never read, or nothing was counted.

    `confusion`: class -> what readers found -> lines.
    """
    counted = {name: n for name, n in counts.items() if n}
    whole = sum(counted.values())
    if not whole or not set(counted) <= set(confusion):
        return []
    authors = sorted({author for row in confusion.values() for author in row})
    rng = random.Random(seed)
    draws: dict[str, list[float]] = {author: [] for author in authors}
    for _ in range(_DRAWS):
        totals = dict.fromkeys(authors, 0.0)
        for name, n in counted.items():
            for author, share in zip(authors, _dirichlet(rng, confusion[name], authors), strict=True):
                totals[author] += n / whole * share
        for author, value in totals.items():
            draws[author].append(value)
    return [_share(author, counted, whole, sorted(draws[author])) for author in authors]


def _dirichlet(rng: random.Random, row: Mapping[str, int], authors: Sequence[str]) -> list[float]:
    weights = [rng.gammavariate(row.get(author, 0) + _PRIOR / len(authors), 1.0) for author in authors]
    whole = sum(weights)
    return [weight / whole for weight in weights]


def _share(author: str, counted: Mapping[str, int], whole: int, values: Sequence[float]) -> CorrectedShare:
    own = sum(n for name, n in counted.items() if name == author or (author, name) == ("human", "likely_human"))
    edges = Interval(values[int(0.025 * len(values))], values[int(0.975 * len(values))])
    return CorrectedShare(author, own / whole, sum(values) / len(values), edges)


def audited_note(*classes: str) -> str:
    """How often these classes are right, to stand beside numbers that rest on them; "" when nobody read such lines."""
    parts = []
    for name in classes:
        read = [c for c in confidences() if c.line_class == name]
        checked, correct = sum(c.checked for c in read), sum(c.correct for c in read)
        interval = wilson(correct, checked)
        if interval is not None:
            parts.append(f"{name.replace('_', ' ')} {correct} of {checked} ({interval.low:.0%} to {interval.high:.0%})")
    return f"right where blind readers checked: {', '.join(parts)}; see docs/accuracy.md" if parts else ""
