"""How often 95 % intervals of a mean hold the truth when sessions come in repositories: the table
of docs/grades.md.

python benchmarks/coverage.py [DATA SETS]
"""

from __future__ import annotations

import math
import sys

import numpy as np

from attribution.stats.intervals import jackknife, t_quantile

SIZES = {
    "20 of 15": [15] * 20,
    "5 of 20": [20] * 5,
    "15, from 2 to 459": [2, 13, 20, 60, 40, 9, 30, 25, 8, 17, 459, 50, 120, 14, 6],
    "8, from 2 to 300": [2, 13, 20, 60, 40, 300, 17, 6],
    "5, from 4 to 120": [4, 13, 20, 120, 9],
}
BETWEEN = (0.0, 0.1, 0.3)  # share of variance between repositories
DRAWS = 300


def coverage(
    sizes: list[int], between: float, sets: int, seed: int = 2
) -> tuple[float, float, float, float]:
    """Share of data sets whose interval holds 0: percentiles, bootstrap error and t, jackknife
    and t, sessions as independent.
    """
    generator = np.random.default_rng(seed)
    n = np.array(sizes, dtype=float)
    hits = np.zeros(4)
    t = t_quantile(len(sizes) - 1)
    for _ in range(sets):
        level = generator.normal(0, math.sqrt(between), len(n))
        noise = generator.normal(0, math.sqrt(1 - between), len(n)) * np.sqrt(n)
        sums = n * level + noise
        mean = sums.sum() / n.sum()
        drawn = generator.integers(0, len(n), (DRAWS, len(n)))
        means = sums[drawn].sum(1) / n[drawn].sum(1)
        low, high = np.quantile(means, (0.025, 0.975))
        error = (
            jackknife(
                [(float(a), float(b)) for a, b in zip(n, sums, strict=True)], lambda m: m[1] / m[0]
            )
            or 0.0
        )
        widths = (t * means.std(ddof=1), t * error, 1.96 / math.sqrt(n.sum()))
        hits += (low <= 0 <= high, *(abs(mean) <= width for width in widths))
    a, b, c, d = hits / sets
    return float(a), float(b), float(c), float(d)


def main() -> None:
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 1_500
    for name, sizes in SIZES.items():
        found = [coverage(sizes, between, sets) for between in BETWEEN]
        columns = [
            " / ".join(f"{one[k]:.2f}"[1:] if one[k] < 1 else "1.0" for one in found)
            for k in range(4)
        ]
        print(f"| {name} | {' | '.join(columns)} |")


if __name__ == "__main__":
    main()
