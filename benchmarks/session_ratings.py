"""How well the scores of sessions agree with the ratings of benchmarks/data/session-ratings.csv.

    python benchmarks/session_ratings.py DATABASE …

Pearson's and Spearman's correlation with 95 % intervals (bootstrap over repositories): on the
repositories that rules were made on (rated before 2026-11-27, and half A of the others), on half B,
which nothing was fitted to or chosen on, and over all of them with weights of the parts fitted on
all repositories but the one that is scored. The halves are by the SHA-256 of a repository's name.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT)]

from attribution.evaluation.scores.quality import PARTS, PartWeights, mix  # noqa: E402
from attribution.evaluation.scores.ratings import weight_grid  # noqa: E402
from attribution.stats.agreement import bootstrap, pearson, spearman  # noqa: E402
from collector.storage.store import Store  # noqa: E402
from collector.storage.views import read_view  # noqa: E402

Pairs = Sequence[tuple[float, float]]
RATINGS = ROOT / "benchmarks" / "data" / "session-ratings.csv"
NEW = "2026-11-27"  # rated on that day: repositories that no rule was made on before


class Rated(NamedTuple):
    repository: str
    rated_on: str
    rating: float
    score: dict[str, Any]  # a row of session_scores, with the parts of q_rated as `rated`

    @property
    def half(self) -> str:
        return (
            "AB"[hashlib.sha256(self.repository.encode()).digest()[0] % 2]
            if self.rated_on == NEW
            else "old"
        )


def rated_sessions(databases: Sequence[str]) -> Iterator[Rated]:
    with RATINGS.open(encoding="utf-8") as file:
        ratings = {(row["repository"], row["session"]): row for row in csv.DictReader(file)}
    for database in databases:
        repository = Path(database).stem.replace("+", "/")
        with Store(database, create=False) as store:
            for score in read_view(store, "session_scores"):
                row = ratings.get((repository, score["key"]))
                if row is not None:
                    stored = store.value(
                        "SELECT parts FROM scores WHERE session_id = ?", (score["session_id"],)
                    )
                    score = {**score, "rated": json.loads(stored)["rated"]}
                    yield Rated(repository, row["rated_on"], float(row["rating"]), score)


def show(name: str, rated: Sequence[Rated], q: Callable[[Rated], float | None]) -> None:
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for each in rated:
        if (value := q(each)) is not None:
            groups[each.repository].append((value, each.rating))
    pairs = [pair for group in groups.values() for pair in group]
    texts = [correlation(list(groups.values()), statistic) for statistic in (pearson, spearman)]
    print(f"{name:36} {len(pairs):4} of {len(groups):2} | {' | '.join(texts)}")


def correlation(groups: Sequence[Pairs], statistic: Callable[[Pairs], float | None]) -> str:
    def of(chosen: Sequence[Pairs]) -> float | None:
        return statistic([pair for group in chosen for pair in group])

    low, high = bootstrap(groups, of) or (math.nan, math.nan)
    return f"{of(groups):.2f} ({low:.2f} to {high:.2f})"


def left_out(rated: Sequence[Rated]) -> dict[str, PartWeights]:
    """Repository -> the weights of the parts of q_rated that agree best on all others."""

    def agreement(weights: PartWeights, sessions: Sequence[Rated]) -> float:
        pairs = [
            (q, each.rating)
            for each in sessions
            if (q := mix(each.score["rated"], weights).q) is not None
        ]
        return (pearson(pairs) or -1.0) if len(pairs) == len(sessions) else -1.0

    grid = [weights for weights in weight_grid(10) if weights[PARTS.index("efficiency")] == 0]
    weights_of: dict[str, PartWeights] = {}
    for name in sorted({each.repository for each in rated}):
        others = [each for each in rated if each.repository != name]
        weights_of[name] = max(grid, key=lambda weights, others=others: agreement(weights, others))  # type: ignore[misc]
    return weights_of


def main() -> None:
    rated = list(rated_sessions(sys.argv[1:]))
    for name in ("old", "A", "B", "A and B", "all"):
        of_name = [
            each
            for each in rated
            if name in ("all", each.half) or (name == "A and B" and each.half != "old")
        ]
        if len(of_name) > 2:
            show(f"{name}: published weights", of_name, lambda each: each.score["q"])
            show(f"{name}: rated weights", of_name, lambda each: each.score["q_rated"])
    weights = left_out(rated)
    show(
        "all: fitted without the repository",
        rated,
        lambda each: mix(each.score["rated"], weights[each.repository]).q,
    )
    new = [each for each in rated if each.half != "old"]
    for part in PARTS:
        show(f"A and B: {part}, published", new, partial(_part, part, ""))
        if any(each.score["rated"][part] is not None for each in new):
            show(f"A and B: {part}, rated", new, partial(_part, part, "rated"))


def _part(part: str, inside: str, each: Rated) -> float | None:
    value: float | None = (each.score[inside] if inside else each.score)[part]
    return value


if __name__ == "__main__":
    main()
