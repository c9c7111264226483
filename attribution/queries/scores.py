"""Scores of sessions, as the database has them, and how they agree with people's ratings."""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attribution.scores.quality import ModelPoint, frontier
from attribution.stats import estimates
from attribution.stats.correlation import pearson, spearman
from attribution.stats.intervals import Interval
from collector.errors import WhoWroteError
from collector.storage.store import Store


def session_scores(store: Store, repo: int | None = None) -> list[dict[str, Any]]:
    """Scores with their sessions, best first. Raises DatabaseUnusable."""
    return store.rows(
        "SELECT r.name AS repo, s.key, s.label, s.agent, s.model, s.started_at, q.* FROM scores q "
        "JOIN sessions s ON s.id = q.session_id JOIN repos r ON r.id = s.repo_id "
        "WHERE ? IS NULL OR s.repo_id = ? ORDER BY r.name, q.q DESC, s.id",
        (repo, repo),
    )


def model_points(found: Iterable[Mapping[str, Any]]) -> list[ModelPoint]:
    """Mean quality and cost of each model over the sessions that have both."""
    return frontier(
        (row["model"], row["q"], row["cost_usd"]) for row in found if row["model"] and row["q"] is not None and row["cost_usd"]
    )


@dataclass(frozen=True, slots=True)
class RatingAgreement:
    """Q against ratings of people. Correlations are None with fewer than three sessions or when one side is constant."""

    rated: int
    matched: int
    pearson: float | None
    spearman: float | None
    by_task: dict[str, tuple[int, float | None]]  # task type -> sessions, Pearson
    unmatched: list[str]
    pearson_interval: Interval | None = None  # 95 %, by drawing sessions again and again; None also without the extra `stats`
    spearman_interval: Interval | None = None


def validate(store: Store, path: Path) -> RatingAgreement:
    """Compares Q with a CSV of `session,rating`. Raises WhoWroteError when the file is none."""
    ratings = _ratings(path)
    known = {row["key"]: row for row in session_scores(store) if row["q"] is not None}
    pairs, unmatched = [], []
    for given, rating in ratings:
        keys = [key for key in known if key == given] or [key for key in known if len(given) >= 6 and key.startswith(given)]
        if len(keys) == 1:
            pairs.append((known[keys[0]]["task_type"], float(known[keys[0]]["q"]), rating))
        else:
            unmatched.append(given)
    values = [(q, rating) for _, q, rating in pairs]
    tasks = {}
    for task in sorted({task for task, _, _ in pairs}):
        of_task = [(q, r) for t, q, r in pairs if t == task]
        tasks[task] = (len(of_task), pearson(of_task))
    intervals = [estimates.resampled(values, one) if estimates.available() else None for one in (pearson, spearman)]
    return RatingAgreement(len(ratings), len(pairs), pearson(values), spearman(values), tasks, unmatched, *intervals)


def _ratings(path: Path) -> list[tuple[str, float]]:
    hint = "It needs a header with the columns session and rating (a number; the session's key or its first six characters or more)"
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            if not {"session", "rating"} <= set(reader.fieldnames or ()):
                raise WhoWroteError(f"{path} has no columns session and rating", hint)
            return [(str(row["session"]).strip(), float(row["rating"])) for row in reader if str(row["rating"] or "").strip()]
    except OSError as error:
        raise WhoWroteError(f"{path} cannot be read: {error.strerror}", hint) from error
    except (TypeError, ValueError, csv.Error) as error:
        raise WhoWroteError(f"{path} has a rating that is not a number: {error}", hint) from error


def sheet(store: Store, sessions: int, seed: int = 1) -> list[dict[str, Any]]:
    """Sessions for people to rate: as many of each type of task and tier as there are, in an order that tells nothing.

    No score, agent or model is in it. Equal seeds give equal sheets. Raises WhoWroteError when nothing has a score.
    """
    strata: dict[tuple[str, str], list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for row in session_scores(store):
        if row["q"] is not None and not row["special"]:
            lot = hashlib.sha256(f"{seed} {row['repo']} {row['key']}".encode()).hexdigest()
            strata[row["task_type"], row["tier"]].append((lot, row))
    if not strata:
        raise WhoWroteError(
            f"{store.path} has no scores to check", f"They are computed with: attribute repo PATH --db {store.path}"
        )
    piles = [sorted(some, key=lambda pair: pair[0]) for _, some in sorted(strata.items())]
    rounds = [pair for number in range(max(map(len, piles))) for pile in piles for pair in pile[number : number + 1]]
    chosen = sorted(rounds[:sessions], key=lambda pair: pair[0])
    return [
        {
            "session": row["key"], "repository": row["repo"], "started_at": row["started_at"], "first_prompt": row["label"],
            "rating": "", "remarks": "",
        }
        for _, row in chosen
    ]  # fmt: skip
