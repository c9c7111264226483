"""Scores of sessions, as the database has them, and how they agree with people's ratings."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from attribution.queries.sessions import find_session
from attribution.scores.fitting import LEAST, LEAST_REPOSITORIES, Fit, RatedSession, as_table, fit
from attribution.scores.quality import (
    PARTS,
    RATED_WEIGHTS,
    WEIGHTS,
    ModelPoint,
    PartWeights,
    ScoredSession,
    frontiers,
    mixed,
    tier_of,
)
from attribution.stats.correlation import bootstrap, pearson, spearman
from collector.errors import WhoWroteError

if TYPE_CHECKING:
    from attribution.stats.intervals import Interval
    from collector.storage.store import Store


@dataclass(frozen=True, slots=True)
class SessionScore:
    """A row of `scores`, which describes its columns, with what lists show of the session."""

    repo: str
    key: str
    label: str
    agent: str | None
    model: str | None
    started_at: str | None
    parent_key: str | None  # key of the session that spawned it, which has no score; None: a person's
    session_id: int
    task_type: str
    work: str | None
    q: float | None
    q_rank: float | None
    tier: str | None
    completion: float | None
    execution: float | None
    efficiency: float | None
    outcome: float | None
    weight_covered: float
    special: str | None
    cost_usd: float | None
    roi: float | None
    parts: str  # JSON: see `explained`
    version: int

    def data(self) -> dict[str, Any]:
        """Plain values, for --json and --csv; without what the score is made of."""
        values = asdict(self)
        del values["parts"]
        return values


def session_scores(store: Store, repo: int | None = None, session_id: int | None = None) -> list[SessionScore]:
    """Scores with their sessions, best first. Raises DatabaseUnusable."""
    return store.select(
        SessionScore,
        "SELECT r.name AS repo, s.key, s.label, s.agent, s.model, s.started_at, s.parent_key, q.session_id, "
        "q.task_type, q.work, q.q, q.q_rank, q.tier, "
        "q.completion, q.execution, q.efficiency, q.outcome, q.weight_covered, q.special, q.cost_usd, q.roi, q.parts, "
        "q.version FROM scores q JOIN sessions s ON s.id = q.session_id JOIN repos r ON r.id = s.repo_id "
        "WHERE (? IS NULL OR s.repo_id = ?) AND (? IS NULL OR s.id = ?) ORDER BY r.name, q.q DESC, s.id",
        (repo, repo, session_id, session_id),
    )


def model_points(scores: Iterable[SessionScore]) -> list[ModelPoint]:
    """Mean quality and cost of each model over the sessions that have both: of all, and of each type of task."""
    return frontiers(
        [
            ScoredSession(score.model, score.task_type, score.q, score.cost_usd)
            for score in scores
            if score.model and score.q is not None and score.cost_usd
        ]
    )


# --- one score taken apart --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScorePart:
    name: str
    score: float | None
    weight: float  # as used: parts without a value give theirs to the others


@dataclass(frozen=True, slots=True)
class StoredSignal:
    """One input of a part, as it was stored. `score` None: missing, left out."""

    part: str
    signal: str
    weight: float  # within its part
    score: float | None
    value: Any  # of the feature it is made of


@dataclass(frozen=True, slots=True)
class ExplainedScore:
    """A score taken apart."""

    score: SessionScore
    parts: list[ScorePart]
    signals: list[StoredSignal]

    def data(self) -> dict[str, Any]:
        """Plain values, for --json and --csv."""
        return {**asdict(self.score), "parts": [asdict(signal) for signal in self.signals]}


def scores_of_session(store: Store, key: str, repo: int | None = None) -> list[SessionScore]:
    """The score of the session that `key` names, alone in a list. Raises WhoWroteError."""
    scores = session_scores(store, repo, find_session(store, key, repo))
    if not scores:
        raise WhoWroteError(f"session {key} has no score: its transcript could not be read", "See: whowrote data problems")
    return scores[:1]


def taken_apart(score: SessionScore) -> ExplainedScore:
    stored = json.loads(score.parts)
    parts = [ScorePart(name, getattr(score, name), weight) for name, weight in stored["weights"].items()]
    return ExplainedScore(score, parts, [StoredSignal(**signal) for signal in stored["signals"]])


# --- other weights ----------------------------------------------------------------------------------------------------


_EVERY_TYPE = "all"
RATED = Path("rated")  # instead of a file: weights fitted to people's ratings


def read_weights(path: Path) -> dict[str, PartWeights]:
    """Weights of the parts for each type of task: RATED, or from a JSON file such as `whowrote quality fit` writes.

    {"all": {"completion": 2, "execution": 1, "efficiency": 1, "outcome": 4}}: of every type of task, or of the one named instead of
    `all`. Types that are not named keep the published weights, and only the ratios count. Raises WhoWroteError.
    """
    if path == RATED:
        return dict.fromkeys(WEIGHTS, RATED_WEIGHTS)
    hint = 'For example: {"all": {"completion": 2, "execution": 1, "efficiency": 1, "outcome": 4}}'
    try:
        given = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise WhoWroteError(f"{path} cannot be read: {error.strerror}", hint) from error
    except ValueError as error:
        raise WhoWroteError(f"{path} is not JSON: {error}", hint) from error
    if not isinstance(given, dict) or not given.keys() <= {_EVERY_TYPE, *WEIGHTS}:
        raise WhoWroteError(f"{path} should have weights for: {', '.join((_EVERY_TYPE, *WEIGHTS))}", hint)
    try:
        chosen = {task: _shares(weights) for task, weights in given.items()}
    except (TypeError, ValueError, KeyError) as error:
        raise WhoWroteError(f"{path} should have a number from 0 on for each of: {', '.join(PARTS)}", hint) from error
    every = chosen.pop(_EVERY_TYPE, None)
    return {task: chosen.get(task, every or usual) for task, usual in WEIGHTS.items()}


def _shares(weights: dict[str, float]) -> PartWeights:
    """Raises TypeError, ValueError and KeyError for anything but four numbers that can be weights."""
    if set(weights) != set(PARTS):
        raise ValueError(set(weights))
    completion, execution, efficiency, outcome = (float(weights[part]) for part in PARTS)
    total = completion + execution + efficiency + outcome
    if min(completion, execution, efficiency, outcome) < 0 or not 0 < total < inf:
        raise ValueError(total)
    return completion / total, execution / total, efficiency / total, outcome / total


def reweighted(scores: Iterable[SessionScore], weights: Mapping[str, PartWeights]) -> list[SessionScore]:
    """The scores with other weights; those that a rule of its own gives stay. The database keeps the published ones."""
    return [score if score.special else _reweighted(score, weights[score.task_type]) for score in scores]


def _reweighted(score: SessionScore, weights: PartWeights) -> SessionScore:
    found = mixed({part: getattr(score, part) for part in PARTS}, weights)
    roi = found.q / score.cost_usd if found.q is not None and score.cost_usd else None
    parts = json.dumps({**json.loads(score.parts), "weights": found.weights})
    return replace(score, q=found.q, q_rank=None, tier=tier_of(found.q), roi=roi, parts=parts)


# --- people's ratings -------------------------------------------------------------------------------------------------


class TaskCorrelation(NamedTuple):
    """Sessions of one type of task, and Pearson's correlation over them."""

    sessions: int
    pearson: float | None


@dataclass(frozen=True, slots=True)
class RatingAgreement:
    """Q against ratings of people. Correlations are None with fewer than three sessions or when one side is constant."""

    rated: int
    matched: int
    pearson: float | None
    spearman: float | None
    by_task: dict[str, TaskCorrelation]  # by type of task
    unmatched: list[str]
    pearson_interval: Interval | None = None  # 95 %, by drawing sessions again and again
    spearman_interval: Interval | None = None

    def data(self) -> dict[str, Any]:
        """Plain values, for --json and --csv."""
        return asdict(self) | {"by_task": {task: tuple(correlation) for task, correlation in self.by_task.items()}}


class _Rating(NamedTuple):
    session: str  # as it was written: a key, or the beginning of one
    rating: float


class _Pair(NamedTuple):
    task_type: str
    q: float
    rating: float


def validate(store: Store, path: Path) -> RatingAgreement:
    """Compares Q with a CSV of `session,rating`. Raises WhoWroteError when the file cannot be read as one."""
    ratings = _ratings(path)
    rated, unmatched = _rated(store, ratings)
    pairs = [_Pair(one.score.task_type, float(one.score.q or 0), one.rating) for one in rated]
    values = [(pair.q, pair.rating) for pair in pairs]
    tasks = {}
    for task in sorted({pair.task_type for pair in pairs}):
        of_task = [(pair.q, pair.rating) for pair in pairs if pair.task_type == task]
        tasks[task] = TaskCorrelation(len(of_task), pearson(of_task))
    intervals = [bootstrap(values, statistic) for statistic in (pearson, spearman)]
    return RatingAgreement(len(ratings), len(pairs), pearson(values), spearman(values), tasks, unmatched, *intervals)


class _Rated(NamedTuple):
    score: SessionScore
    rating: float


def _rated(store: Store, ratings: Iterable[_Rating]) -> tuple[list[_Rated], list[str]]:
    """Scored sessions with their ratings, and what names no session or several."""
    scores = {score.key: score for score in session_scores(store) if score.q is not None}
    rated, unmatched = list[_Rated](), []
    for name, rating in ratings:
        keys = [key for key in scores if key == name] or [key for key in scores if len(name) >= 6 and key.startswith(name)]
        if len(keys) == 1:
            rated.append(_Rated(scores[keys[0]], rating))
        else:
            unmatched.append(name)
    return rated, unmatched


def fitted_weights(store: Store, path: Path) -> Fit:
    """Weights that agree best with a CSV of `session,rating`. Raises WhoWroteError when it cannot be read, or is too little."""
    rated, _ = _rated(store, _ratings(path))
    sessions = [
        RatedSession(one.score.repo, one.score.task_type, {part: getattr(one.score, part) for part in PARTS}, one.rating)
        for one in rated
        if not one.score.special
    ]
    found = fit(sessions)
    if found is None:
        raise WhoWroteError(
            f"{len(sessions)} scored sessions of {path} are too few to fit weights to",
            f"At least {LEAST} are needed, of {LEAST_REPOSITORIES} repositories, with ratings that differ",
        )
    return found


def write_weights(path: Path, found: Fit) -> None:
    """As `read_weights` reads them. Raises WhoWroteError."""
    try:
        path.write_text(json.dumps({_EVERY_TYPE: as_table(found.weights)}, indent=2) + "\n", "utf-8")
    except OSError as error:
        raise WhoWroteError(f"{path} cannot be written: {error.strerror}") from error


def _ratings(path: Path) -> list[_Rating]:
    hint = "It needs a header with the columns session and rating (a number; the session's key or its first six characters or more)"
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            if not {"session", "rating"} <= set(reader.fieldnames or ()):
                raise WhoWroteError(f"{path} has no columns session and rating", hint)
            return [_Rating(str(r["session"]).strip(), float(r["rating"])) for r in reader if str(r["rating"] or "").strip()]
    except OSError as error:
        raise WhoWroteError(f"{path} cannot be read: {error.strerror}", hint) from error
    except (TypeError, ValueError, csv.Error) as error:
        raise WhoWroteError(f"{path} has a rating that is not a number: {error}", hint) from error


@dataclass(frozen=True, slots=True)
class RatingSheetRow:
    """A session for people to rate: no score, agent or model."""

    session: str
    repository: str
    started_at: str | None
    first_prompt: str
    rating: str = ""
    remarks: str = ""


def rating_sheet(store: Store, sessions: int, seed: int = 1) -> list[RatingSheetRow]:
    """Sessions for people to rate: as many of each type of task and tier as there are, in an order that tells nothing.

    Equal seeds give equal sheets. Raises WhoWroteError when nothing has a score.
    """
    strata: dict[tuple[str, str], list[tuple[str, SessionScore]]] = defaultdict(list)
    for score in session_scores(store):
        if score.q is not None and not score.special:
            lot = hashlib.sha256(f"{seed} {score.repo} {score.key}".encode()).hexdigest()
            strata[score.task_type, score.tier or ""].append((lot, score))
    if not strata:
        raise WhoWroteError(f"{store.path} has no scores to compare", f"Compute them with: whowrote repo PATH --db {store.path}")
    piles = [sorted(of_stratum, key=lambda pair: pair[0]) for _, of_stratum in sorted(strata.items())]
    rounds = [pair for number in range(max(map(len, piles))) for pile in piles for pair in pile[number : number + 1]]
    chosen = sorted(rounds[:sessions], key=lambda pair: pair[0])
    return [RatingSheetRow(score.key, score.repo, score.started_at, score.label) for _, score in chosen]
