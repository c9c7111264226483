"""Pure: how many repositories no channel found, from how much two of them overlap (capture-recapture).

Chapman's estimator with Seber's variance. The interval is 95 %, log-normal on the part not seen (Chao 1987). It assumes that the
two find independently of each other: those that find the same kind of repository overlap more than that and make the estimate too
small, those that exclude each other make it too large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Estimate:
    """`total` with its interval; `seen` is how many were found."""

    seen: int
    total: float
    low: float
    high: float


def chapman(first: int, second: int, both: int) -> Estimate | None:
    """From two lists: how many repositories are on each, and how many on both. None when one list is empty."""
    if not first or not second:
        return None
    total = (first + 1) * (second + 1) / (both + 1) - 1
    variance = (first + 1) * (second + 1) * (first - both) * (second - both) / ((both + 1) ** 2 * (both + 2))
    return _interval(first + second - both, total, variance)


def _interval(seen: int, total: float, variance: float) -> Estimate:
    unseen = total - seen
    if unseen <= 0 or variance <= 0:
        return Estimate(seen, max(total, float(seen)), float(seen), max(total, float(seen)))
    spread = math.exp(_Z * math.sqrt(math.log(1 + variance / unseen**2)))
    return Estimate(seen, total, seen + unseen / spread, seen + unseen * spread)
