"""How well two judgements of the same things agree, and rates without the errors of the one that
made them.

Rogan and Gladen (1978): with sensitivity Se and specificity Sp, a class that the classifier gives
to a share p of all is really there in (p + Sp - 1) / (Se + Sp - 1). Interval: Lang and Reiczigel
(2014), which counts the uncertainty of all three shares and adds a little to each; it needs samples
that are independent of each other.
"""

import math
import random
import statistics
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, TypeVar

from attribution.stats.intervals import LEVEL, Interval, Z

FEWEST = 5  # positives and negatives below which nothing is corrected
_DRAWS = 2_000

ClassPairs = Sequence[tuple[Hashable, Hashable]]
"""(class that a person gave, class that the classifier gave)."""
NumberPairs = Sequence[tuple[float, float]]
Unit = TypeVar("Unit")


class Confusion(NamedTuple):
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


def confusion(pairs: ClassPairs, name: Hashable) -> Confusion:
    counts = Counter((person == name, model == name) for person, model in pairs)
    return Confusion(
        counts[True, True], counts[False, True], counts[True, False], counts[False, False]
    )


def kappa(pairs: ClassPairs) -> float | None:
    """Cohen's kappa over all classes; None without pairs, or when agreement by chance alone
    would be complete.
    """
    if not pairs:
        return None
    people = Counter(p for p, _ in pairs)
    model = Counter(m for _, m in pairs)
    n = len(pairs)
    chance = sum(people[name] * model[name] for name in people) / n**2
    return None if chance == 1 else (sum(1 for p, m in pairs if p == m) / n - chance) / (1 - chance)


class Corrected(NamedTuple):
    """A rate without the classifier's errors; None, with the reason, when it cannot be computed."""

    rate: float | None
    low: float | None
    high: float | None
    note: str = ""


def correct_share(count: int, of: int, validated: Confusion) -> Corrected:
    """The share of a class that the classifier gave `count` times out of `of`, corrected; None
    where that is not from 0 to 1.
    """
    positives = validated.tp + validated.fn
    negatives = validated.tn + validated.fp
    if not of:
        return Corrected(None, None, None, "no labels by this model")
    if positives < FEWEST or negatives < FEWEST:
        which = "with" if positives < FEWEST else "without"
        return Corrected(
            None,
            None,
            None,
            f"only {min(positives, negatives)} validated {which} the class; {FEWEST} are the"
            " fewest",
        )
    sensitivity = validated.tp / positives
    specificity = validated.tn / negatives
    if sensitivity + specificity <= 1:
        return Corrected(
            None,
            None,
            None,
            "the model is no better than chance (sensitivity + specificity is 1 or less)",
        )
    raw = (count / of + specificity - 1) / (sensitivity + specificity - 1)
    if not 0 <= raw <= 1:
        return Corrected(None, None, None, f"not estimable ({count:,} of {of:,})")
    return Corrected(raw, *_interval(count, of, validated))


def _interval(count: int, of: int, validated: Confusion) -> Interval:
    """Lang and Reiczigel's 95 % interval, cut to 0 and 1; the whole range when it cannot be
    computed.
    """
    positives = validated.tp + validated.fn + 2
    negatives = validated.tn + validated.fp + 2
    se = (validated.tp + 1) / positives
    sp = (validated.tn + 1) / negatives
    n = of + Z * Z
    p = (count + Z * Z / 2) / n
    gain = se + sp - 1
    if gain <= 0:
        return Interval(0.0, 1.0)
    rate = (p + sp - 1) / gain
    of_se = se * (1 - se) / positives
    of_sp = sp * (1 - sp) / negatives
    shift = 2 * Z * Z * (rate * of_se - (1 - rate) * of_sp)
    spread = Z * math.sqrt(p * (1 - p) / n + rate * rate * of_se + (1 - rate) ** 2 * of_sp) / gain
    return Interval(max(0.0, rate + shift - spread), min(1.0, rate + shift + spread))


def pearson(pairs: NumberPairs) -> float | None:
    """Pearson's correlation, -1 to 1; None with fewer than three pairs or when one series is
    constant.
    """
    x = [a for a, _ in pairs]
    y = [b for _, b in pairs]
    if len(pairs) < 3 or len(set(x)) == 1 or len(set(y)) == 1:
        return None
    try:
        return statistics.correlation(x, y)
    except statistics.StatisticsError:  # differences too small to be squared
        return None


def spearman(pairs: NumberPairs) -> float | None:
    """Spearman's rank correlation; None as for `pearson`.

    The standard library has it from Python 3.12 on.
    """
    return pearson(
        list(zip(ranks([a for a, _ in pairs]), ranks([b for _, b in pairs]), strict=True))
    )


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, equal values share their mean rank."""
    ordered = sorted(values)
    return [
        (bisect_left(ordered, value) + bisect_right(ordered, value) + 1) / 2 for value in values
    ]


def bootstrap(
    units: Sequence[Unit], statistic: Callable[[Sequence[Unit]], float | None]
) -> Interval | None:
    """Percentiles of a statistic of units drawn with replacement and a fixed seed; None when
    most have no value.
    """
    generator = random.Random(1)
    draws = (
        statistic(generator.choices(units, k=len(units))) for _ in range(_DRAWS if units else 0)
    )
    values = sorted(value for value in draws if value is not None)
    if len(values) < _DRAWS / 2:
        return None
    low, high = (
        values[round(share * (len(values) - 1))] for share in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    )
    return Interval(low, high)
