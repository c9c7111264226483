"""How well a classifier agrees with people: confusion, Cohen's kappa, and rates corrected for the classifier's errors. Pure.

Rogan and Gladen (1978): with sensitivity Se and specificity Sp, a class that the classifier gives to a share p of all is really
there in (p + Sp - 1) / (Se + Sp - 1). Interval: Lang and Reiczigel (2014), which counts the uncertainty of all three shares and
adds a little to each; it needs samples that are independent of each other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Z = 1.959964  # 95 %
FEWEST = 5  # positives and negatives below which nothing is corrected


@dataclass(frozen=True, slots=True)
class Confusion:
    """One class against all others."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def sensitivity(self) -> float | None:
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else None

    @property
    def specificity(self) -> float | None:
        return self.tn / (self.tn + self.fp) if self.tn + self.fp else None


@dataclass(frozen=True, slots=True)
class Corrected:
    """A rate without the classifier's errors; None, with the reason, when it cannot be computed."""

    rate: float | None
    low: float | None
    high: float | None
    note: str = ""


Pairs = Sequence[tuple[str, str]]
"""(class that a person gave, class that the classifier gave)."""


def confusion(pairs: Pairs, name: str) -> Confusion:
    counts = Counter((person == name, model == name) for person, model in pairs)
    return Confusion(counts[True, True], counts[False, True], counts[True, False], counts[False, False])


def kappa(pairs: Pairs) -> float | None:
    """Cohen's kappa over all classes; None without pairs, or when agreement by chance alone would be complete."""
    if not pairs:
        return None
    people, model = Counter(p for p, _ in pairs), Counter(m for _, m in pairs)
    n = len(pairs)
    chance = sum(people[name] * model[name] for name in people) / n**2
    return None if chance == 1 else (sum(1 for p, m in pairs if p == m) / n - chance) / (1 - chance)


def correct_share(count: int, of: int, validated: Confusion) -> Corrected:
    """The share of a class that the classifier gave `count` times out of `of`, corrected; clipped to 0…1."""
    positives, negatives = validated.tp + validated.fn, validated.tn + validated.fp
    if not of:
        return Corrected(None, None, None, "no labels by this model")
    if positives < FEWEST or negatives < FEWEST:
        which = "with" if positives < FEWEST else "without"
        return Corrected(None, None, None, f"only {min(positives, negatives)} validated {which} the class; {FEWEST} are the fewest")
    sensitivity, specificity = validated.tp / positives, validated.tn / negatives
    if sensitivity + specificity <= 1:
        return Corrected(None, None, None, "the model is no better than chance (sensitivity + specificity is 1 or less)")
    raw = (count / of + specificity - 1) / (sensitivity + specificity - 1)
    low, high = _interval(count, of, validated)
    note = "" if 0 <= raw <= 1 else "clipped: the model's errors alone would give more" if raw < 0 else "clipped"
    return Corrected(_clip(raw), _clip(low), _clip(high), note)


def _interval(count: int, of: int, validated: Confusion) -> tuple[float, float]:
    """Lang and Reiczigel's 95 % interval, not clipped; (0, 1) when it cannot be computed."""
    positives, negatives = validated.tp + validated.fn + 2, validated.tn + validated.fp + 2
    se, sp = (validated.tp + 1) / positives, (validated.tn + 1) / negatives
    n = of + Z * Z
    p = (count + Z * Z / 2) / n
    gain = se + sp - 1
    if gain <= 0:
        return 0.0, 1.0
    rate = (p + sp - 1) / gain
    of_se, of_sp = se * (1 - se) / positives, sp * (1 - sp) / negatives
    shift = 2 * Z * Z * (rate * of_se - (1 - rate) * of_sp)
    spread = Z * math.sqrt(p * (1 - p) / n + rate * rate * of_se + (1 - rate) ** 2 * of_sp) / gain
    return rate + shift - spread, rate + shift + spread


def _clip(value: float) -> float:
    return max(0.0, min(1.0, value))
