"""People's ratings of sessions: a sheet to fill in, how well Q agrees with the ratings, and the
weights that would agree best.

All weights of a grid (steps of 0.05 that sum to 1) are tried. Those whose Q correlates best
(Pearson) with the ratings win; of equal ones the closest to the published weights. The correlation
of a fit with what it was fitted on flatters it, so each repository is scored once with weights
fitted on the others: these scores together give the correlation to believe.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from attribution.evaluation.people import matching_key, read_people
from attribution.evaluation.scores.quality import PARTS, WEIGHTS, PartWeights, mix
from attribution.evaluation.words import TaskType
from attribution.lineage import minimum
from attribution.stats.agreement import bootstrap, pearson, spearman
from collector.errors import WhoWroteError
from collector.json_values import Row
from collector.storage.store import Store
from collector.storage.views import Table, read_view, table_of
from collector.text import command_line

STEPS = 20  # weights are multiples of 1 / STEPS
LEAST = minimum.RATED
LEAST_REPOSITORIES = 3  # with fewer there is nothing to judge a fit by
_HINT = (
    "It needs a header with the columns session and rating (a number; the session's key or its"
    " first six characters or more)"
)

Score = Row
"""A row of `session_scores`."""


class RatedSession(NamedTuple):
    """A scored session and the rating that a person gave it."""

    score: Score
    rating: float


class Fit(NamedTuple):
    """Fitted weights, and Pearson's correlation of the ratings with Q by them."""

    weights: PartWeights
    fitted: float | None  # on the sessions of the fit, which flatters it
    unseen: float | None  # each repository with weights fitted on the others


def read_ratings(store: Store, path: Path) -> tuple[list[RatedSession], list[str]]:
    """Rated sessions that have a score, and what names no session or several.

    Raises WhoWroteError when the CSV cannot be read.
    """
    scores = {
        row["key"]: row
        for row in read_view(store, "session_scores", order="session_id")
        if row["q"] is not None
    }
    rated = []
    unmatched = []
    for row in read_people(path, ("session", "rating"), _HINT):
        if not row["rating"]:
            continue
        try:
            rating = float(row["rating"])
        except ValueError as error:
            raise WhoWroteError(
                f"{path} has a rating that is not a number: {error}", _HINT
            ) from error
        key = matching_key(row["session"], scores)
        if key is None:
            unmatched.append(row["session"])
        else:
            rated.append(RatedSession(scores[key], rating))
    return rated, unmatched


def agreement(rated: Sequence[RatedSession], fit: Fit | None) -> Table:
    """How Q agrees with ratings: over all sessions and by type of task, and with fitted weights.

    A correlation is None with fewer than three sessions or when one side is constant.
    """
    rows = []
    for name, column in (("all", "q"), ("all, --weights rated", "q_rated")):
        pairs = [
            (float(q), session.rating)
            for session in rated
            if (q := session.score[column]) is not None
        ]
        for correlation, statistic in (("Pearson", pearson), ("Spearman", spearman)):
            low, high = bootstrap(pairs, statistic) or (None, None)
            about = {"correlation": correlation, "sessions of": name, "sessions": len(pairs)}
            rows.append({**about, "r": statistic(pairs), "low": low, "high": high})
    for task in TaskType:
        of_task = [(float(s.score["q"]), s.rating) for s in rated if s.score["task_type"] == task]
        if of_task:
            rows.append(
                {
                    "correlation": "Pearson",
                    "sessions of": task,
                    "sessions": len(of_task),
                    "r": pearson(of_task),
                }
            )
    notes = ["95 % intervals: bootstrap over sessions, 2,000 samples."]
    if fit is not None:
        about = {"correlation": "Pearson", "sessions": len(_made_of_parts(rated))}
        rows.append({**about, "sessions of": "the fit, fitted weights", "r": fit.fitted})
        rows.append({**about, "sessions of": "repositories not fitted on", "r": fit.unseen})
        weights = ", ".join(
            f"{part} {weight:.2f}" for part, weight in zip(PARTS, fit.weights, strict=True)
        )
        notes.append(
            f"Fitted weights: {weights}. The last row is what to expect of sessions that nobody"
            " rated."
        )
    else:
        notes.append(
            f"No weights are fitted to fewer than {LEAST} ratings, of {LEAST_REPOSITORIES}"
            " repositories, that differ."
        )
    return table_of(rows, {}, notes, "agreement", "Q against people's ratings")


def fit_weights(rated: Sequence[RatedSession]) -> Fit | None:
    """None with fewer than LEAST sessions, of fewer than LEAST_REPOSITORIES repositories, or
    when all ratings are equal.
    """
    sessions = _made_of_parts(rated)
    repositories = sorted({session.score["repo"] for session in sessions})
    too_few = len(sessions) < LEAST or len(repositories) < LEAST_REPOSITORIES
    if too_few or len({session.rating for session in sessions}) == 1:
        return None
    best = _best(sessions)
    unseen = []
    for name in repositories:
        others = _best([session for session in sessions if session.score["repo"] != name])
        unseen += _pairs([session for session in sessions if session.score["repo"] == name], others)
    return Fit(best, pearson(_pairs(sessions, best)), pearson(unseen))


def _made_of_parts(rated: Sequence[RatedSession]) -> list[RatedSession]:
    """Those whose score is made of its parts."""
    return [session for session in rated if not session.score["special"]]


def _best(rated: Sequence[RatedSession]) -> PartWeights:
    usual = WEIGHTS[TaskType.CODING]

    def merit(weights: PartWeights) -> tuple[float, float]:
        correlation = pearson(_pairs(rated, weights))
        distance = sum(abs(a - b) for a, b in zip(weights, usual, strict=True))
        return -1.0 if correlation is None else round(correlation, 6), -distance

    return max(weight_grid(), key=merit)


def _pairs(rated: Sequence[RatedSession], weights: PartWeights) -> list[tuple[float, float]]:
    """(Q, rating) of the sessions that have a score."""
    scores = ((mix(session.score, weights).q, session.rating) for session in rated)
    return [(q, rating) for q, rating in scores if q is not None]


def weight_grid(steps: int = STEPS) -> Iterator[PartWeights]:
    """All weights of the four parts that are multiples of 1 / steps and sum to 1."""
    for a, b, c in product(range(steps + 1), repeat=3):
        if a + b + c <= steps:
            yield a / steps, b / steps, c / steps, (steps - a - b - c) / steps


def rating_sheet(store: Store, sessions: int, seed: int = 1) -> Table:
    """Sessions for people to rate, without scores, agents or models: as many of each type of task
    and tier as there are.

    Their order tells nothing; equal seeds give equal sheets. Raises WhoWroteError when nothing has
    a score.
    """
    strata = defaultdict(list)
    for row in read_view(store, "session_scores", order="session_id"):
        if row["q"] is not None and not row["special"]:
            lot = hashlib.sha256(f"{seed} {row['repo']} {row['key']}".encode()).hexdigest()
            strata[row["task_type"], row["tier"] or ""].append((lot, row))
    if not strata:
        raise WhoWroteError(
            f"{store.path} has no scores to compare",
            "Compute them with: " + command_line("whowrote", "repo", "PATH", "--db", store.path),
        )
    piles = [sorted(stratum, key=lambda pair: pair[0]) for _, stratum in sorted(strata.items())]
    rounds = [
        pair
        for number in range(max(map(len, piles)))
        for pile in piles
        for pair in pile[number : number + 1]
    ]
    chosen = sorted(rounds[:sessions], key=lambda pair: pair[0])
    return table_of(
        [
            {
                "session": row["key"],
                "repository": row["repo"],
                "started_at": row["started_at"],
                "first_prompt": row["label"],
                "rating": "",
                "remarks": "",
            }
            for _, row in chosen
        ]
    )
