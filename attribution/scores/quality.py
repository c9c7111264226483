"""The quality score Q of a session: four parts, weights by type of task, special cases, tiers, return on cost. Pure.

Q = w1 Completion + w2 Execution + w3 Efficiency + w4 Outcome, each 0 to 1. A signal that is missing is left out and its weight goes
to the others of its part; a part without any signal is left out and its weight goes to the other parts (that of Outcome goes to
Completion when nothing outside the conversation was touched). The share of weights whose signal was there is kept with the score.
Q says how a session went, not whether the code is right or beautiful.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from attribution.lineage import minimum
from attribution.scores.baselines import Baseline, baseline
from attribution.scores.tasks import Row, kind_of_work, task_type

VERSION = 6
PARTS = ("completion", "execution", "efficiency", "outcome")
PartWeights = tuple[float, float, float, float]
"""Weights of the four parts, in the order of PARTS."""
WEIGHTS: Mapping[str, PartWeights] = {
    "coding": (0.15, 0.20, 0.15, 0.50),
    "operations": (0.20, 0.30, 0.30, 0.20),
    "research": (0.25, 0.15, 0.20, 0.40),
    "chat": (0.40, 0.20, 0.25, 0.15),
    "discovery": (0.30, 0.15, 0.20, 0.35),
    "heartbeat": (0.30, 0.25, 0.35, 0.10),
}
# Fitted to the ratings of benchmarks/data/session-ratings.csv (`quality --weights rated`).
RATED_WEIGHTS: PartWeights = (0.4, 0.5, 0.0, 0.1)


class Agreement(NamedTuple):
    """Pearson's correlation of Q with people's ratings."""

    sessions: int
    repositories: int
    published: float
    low: float  # 95 %, as `high`
    high: float
    rated: float  # of RATED_WEIGHTS, each repository with weights fitted on the others

    def sentence(self) -> str:
        found = f"r = {self.published:.2f} ({self.low:.2f} to {self.high:.2f}; {self.sessions} sessions)"
        return f"Q agrees weakly with people's ratings: {found}; with --weights rated, r = {self.rated:.2f}"


# docs/metrics.md says how it was measured.
AGREEMENT = Agreement(70, 15, 0.40, 0.23, 0.58, 0.66)
TIERS = ((0.90, "Excellent"), (0.75, "Good"), (0.60, "Acceptable"), (0.40, "Poor"), (0.0, "Failed"))

_SUBSTANCE = 50  # words of an answer that count as substantive


@dataclass(frozen=True, slots=True)
class Signal:
    """One input of a part. `score` None: missing, left out."""

    part: str
    name: str
    weight: float  # within its part
    score: float | None
    value: Any = None


@dataclass(slots=True)
class Score:
    task_type: str
    work: str | None = None  # kind of work
    signals: list[Signal] = field(default_factory=list)
    parts: dict[str, float | None] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)  # as used: after redistribution
    covered: float = 0.0
    q: float | None = None
    special: str = ""
    cost_usd: float | None = None

    @property
    def tier(self) -> str | None:
        return tier_of(self.q)

    @property
    def rank(self) -> float | None:
        """Share of the sessions of the same type in `baselines` that scored lower; None without a score of its parts."""
        return None if self.q is None or self.special else baseline(self.task_type).rank(self.q)

    @property
    def roi(self) -> float | None:
        """Q per dollar; None without a cost."""
        return self.q / self.cost_usd if self.q is not None and self.cost_usd else None


def tier_of(q: float | None) -> str | None:
    """Grade of a score; None without one."""
    return None if q is None else next(name for least, name in TIERS if q >= least)


class Deeds(NamedTuple):
    """What became of a session's lines, over all its turns: columns of `turn_outcomes`."""

    produced: int = 0
    discarded: int = 0  # removed by a later session before any commit had them
    places: int = 0  # that a turn edited and another turn followed
    places_undone: int = 0  # where the next turn put back what had been there
    old: int | None = None  # committed lines that were followed for 30 days; None before `whowrote survival`
    alive: int | None = None  # of those, still there


def score(row: Row, deeds: Deeds | None = None) -> Score:
    """Q of one session with everything it is made of; `deeds` None: nothing is known of what became of its lines."""
    result = Score(task_type(row), kind_of_work(row), cost_usd=row["cost_usd"])
    outcome = _outcome(row, deeds or Deeds())
    result.signals = [*_completion(row), *_execution(row), *_efficiency(row, baseline(result.task_type)), *outcome]
    for part in PARTS:
        result.parts[part] = _mean([s for s in result.signals if s.part == part])
    found = mixed(result.parts, WEIGHTS[result.task_type])
    result.weights, result.q = found.weights, found.q
    result.covered = sum(found.asked[part] * _known([s for s in result.signals if s.part == part]) for part in PARTS)
    _special(row, result)
    result.covered = round(result.covered, 6)
    return result


class Mixed(NamedTuple):
    """The parts of a score put together."""

    q: float | None  # None: no part is known
    weights: dict[str, float]  # as used: after redistribution
    asked: dict[str, float]  # as they would be used if every part were known


def mixed(parts: Mapping[str, float | None], weights: PartWeights) -> Mixed:
    """Q of these parts. The weight of an unknown outcome goes to completion, that of other unknown parts to all others."""
    asked = dict(zip(PARTS, weights, strict=True))
    if parts["outcome"] is None:
        asked["completion"] += asked["outcome"]
        asked["outcome"] = 0.0
    usable = sum(asked[part] for part in PARTS if parts[part] is not None)
    used = {part: asked[part] / usable if usable and parts[part] is not None else 0.0 for part in PARTS}
    return Mixed(sum(used[part] * (parts[part] or 0.0) for part in PARTS) if usable else None, used, asked)


def _mean(signals: list[Signal]) -> float | None:
    """Of the signals that are known, by their weights."""
    known = [s for s in signals if s.score is not None]
    there = sum(s.weight for s in known)
    return sum(s.weight * (s.score or 0.0) for s in known) / there if there else None


def _known(signals: list[Signal]) -> float:
    """Share of the weights of signals that are known."""
    whole = sum(s.weight for s in signals)
    return sum(s.weight for s in signals if s.score is not None) / whole if whole else 0.0


# --- the parts --------------------------------------------------------------------------------------------------------


def _completion(row: Row) -> list[Signal]:
    # The classifier of messages finds five times as many corrections as the word lists, which stand in where it does not speak.
    ended, corrections = row["ended_normally"], row["correction_turns"] if row["pushback_turns"] is None else row["pushback_turns"]
    corrected = None if corrections is None else 1.0 if corrections == 0 else 0.5 if corrections == 1 else 0.2
    return [
        Signal("completion", "ended_normally", 1.0, None if ended is None else float(ended), ended),
        Signal("completion", "substantive_output", 1.0, _substance(row), row["agent_words"]),
        Signal("completion", "no_corrections", 1.0, corrected, corrections),
    ]


def _substance(row: Row) -> float | None:
    if row["agent_words"] is None:
        return None
    return 1.0 if (row["tool_call_count"] or 0) > 0 else min(1.0, row["agent_words"] / _SUBSTANCE)


def _execution(row: Row) -> list[Signal]:
    calls, rate, again = row["tool_call_count"] or 0, row["tool_error_rate"], row["first_attempt_failures"]
    started, succeeded = row["subagent_count"] or 0, row["subagents_succeeded"]
    errors, run = row["tool_errors"], row["longest_error_run"]
    recovery = None if errors is None else 1.0 if errors == 0 else 0.2 if run is not None and run >= 3 else 0.5
    delegated = None if not calls else 1.0 if not started else (succeeded or 0) / started
    return [
        Signal("execution", "tool_success", 0.5, None if rate is None else 1.0 - rate, rate),
        Signal("execution", "first_attempt", 0.25, None if not calls or again is None else max(0.0, 1 - again / calls), again),
        Signal("execution", "error_recovery", 0.15, recovery, run),
        Signal("execution", "subagents", 0.1, delegated, started),
    ]


def _efficiency(row: Row, usual: Baseline) -> list[Signal]:
    read = sum(row[name] or 0 for name in ("input_tokens", "cache_read_tokens", "cache_write_tokens"))
    ratio = (row["output_tokens"] or 0) / read if read else None
    turns = row["turn_count"]
    few = None if not turns else max(0.0, min(1.0, 1 - (turns - usual.responses) / (usual.most_responses - usual.responses)))
    compactions = row["compaction_events"]
    kept = None if compactions is None else (1.0, 0.8, 0.5)[min(len(compactions), 2)]
    price = row["cost_usd"] / turns if turns and row["cost_usd"] is not None else None
    return [
        Signal("efficiency", "tokens", 1.0, None if ratio is None else min(1.0, ratio / usual.tokens), ratio),
        Signal("efficiency", "responses", 1.0, few, turns),
        Signal("efficiency", "compactions", 1.0, kept, None if compactions is None else len(compactions)),
        Signal("efficiency", "model_appropriateness", 1.0, _appropriate(price, usual), price),
    ]


def _appropriate(price: float | None, usual: Baseline) -> float | None:
    """By the cost of a response within the type of task: 0.7 above three of four sessions, 0.5 above nine of ten."""
    if price is None:
        return None
    return 0.5 if price > usual.high_cost else 0.7 if price > usual.cost else 1.0


class Acceptance(NamedTuple):
    """What is known of how the work was received, each 0 to 1; None: nothing is known."""

    words: float | None  # the last message welcomes or refuses, or the user began again
    deeds: float | None  # share of the work that neither the next turn put back nor a later session threw away
    kept: float | None  # share of committed lines still there after 30 days

    @property
    def value(self) -> float | None:
        """Mean of what is known."""
        known = [part for part in self if part is not None]
        return sum(known) / len(known) if known else None


_WORDS = {"restarted_same_task": 0.4, "explicitly_rejected": 0.0}


def acceptance(row: Row, deeds: Deeds) -> Acceptance:
    """A session is also `accepted` because its lines landed, which `landed` counts already: here only a person's word does."""
    said = 1.0 if row["last_message_accepts"] else _WORDS.get(row["session_outcome"] or "")
    undone = deeds.places_undone / deeds.places if deeds.places else 0.0
    stood = (1 - deeds.discarded / deeds.produced) * (1 - undone) if deeds.produced else None
    kept = deeds.alive / deeds.old if deeds.old and deeds.alive is not None and deeds.old >= minimum.PART.lines else None
    return Acceptance(said, stood, kept)


def _outcome(row: Row, deeds: Deeds) -> list[Signal]:
    """Without any file, commit or issue touched there is no outcome to speak of: a conversation."""
    made = bool(row["touched_files"]) or (row["commits_made"] or 0) > 0 or bool((row["tool_counts"] or {}).get("mcp"))
    touched = made or row["output_applied"] is not None or (row["edit_calls"] or 0) > 0
    if not touched:
        return [Signal("outcome", name, weight, None) for name, weight in _OUTCOME_WEIGHTS.items()]
    applied = row["output_applied_fraction"]
    landed = row["output_applied"] if applied is None else applied
    received = acceptance(row, deeds)
    return [
        Signal("outcome", "artifact", 0.3, float(made), made),
        Signal("outcome", "landed", 0.4, None if landed is None else float(landed), landed),
        Signal("outcome", "acceptance", 0.3, received.value, received._asdict()),
    ]


_OUTCOME_WEIGHTS = {"artifact": 0.3, "landed": 0.4, "acceptance": 0.3}


# --- special cases ----------------------------------------------------------------------------------------------------


def _special(row: Row, result: Score) -> None:
    """Sessions that had nothing to do or produced nothing are scored apart; without prompt, task or outcome they are not."""
    last_message = (row.get("last_said") or "").strip()
    idle = not row["touched_files"] and not row["commits_made"]
    if not row["agent_words"] and not row["tool_call_count"]:
        result.special, result.q = "empty", 0.0
    elif not row["user_turn_count"]:  # no person's task (0), or a subagent (None): nobody whose judgement there could be
        result.special, result.q = "no_prompt", None
    elif not _asks(row):
        result.special, result.q = "no_task", None
    elif result.parts["outcome"] is not None and not _has_outcome(result):
        result.special, result.q = "no_outcome", None
    elif last_message == "NO_REPLY" and idle:
        result.special, result.q = "no_reply", 0.75
    elif last_message == "HEARTBEAT_OK" and idle and (row["tool_call_count"] or 0) <= 1:
        result.special, result.q = "heartbeat_ok", 0.80
    elif (
        idle
        and (last_message == "HEARTBEAT_OK" or _is_cron(row))
        and "nothing" in last_message.lower() + "nothing" * (last_message == "HEARTBEAT_OK")
    ):
        result.special, result.q = "quiet_cron", 0.80 * (result.parts["efficiency"] or 0.0)


def _asks(row: Row) -> bool:
    """Whether a person typed more than commands of the agent's own program, such as /exit. None: the texts are not stored."""
    return row.get("asked_turns") is None or row["asked_turns"] > 0


def _has_outcome(result: Score) -> bool:
    """Whether it is known that the work landed, or how it was received: that a file was changed is no outcome."""
    return any(s.score is not None for s in result.signals if s.name in ("landed", "acceptance"))


def _is_cron(row: Row) -> bool:
    return (row.get("first_prompt") or "").lstrip().lower().startswith("[cron")


# --- over many sessions -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelPoint:
    """One model on the plane of cost and quality. `frontier`: no other model is both cheaper and better."""

    model: str
    task_type: str  # "" for all types together
    sessions: int
    mean_q: float
    mean_cost: float
    roi: float | None
    frontier: bool


class ScoredSession(NamedTuple):
    """What one session adds to the means of its model."""

    model: str
    task_type: str
    q: float
    cost_usd: float


def frontiers(scored: Sequence[ScoredSession]) -> list[ModelPoint]:
    """The frontier of all sessions, then of each type of task in which at least two models have `minimum.SESSIONS` sessions."""
    found = frontier(scored)
    for task in WEIGHTS:
        counts = Counter(one.model for one in scored if one.task_type == task)
        enough = {model for model, sessions in counts.items() if sessions >= minimum.SESSIONS}
        if len(enough) > 1:
            found += frontier([one for one in scored if one.task_type == task and one.model in enough], task)
    return found


def frontier(scored: Iterable[ScoredSession], task: str = "") -> list[ModelPoint]:
    """Means of each model, cheapest first, and which models are on the Pareto frontier."""
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for model, _, q, cost in scored:
        groups[model].append((q, cost))
    means = sorted((sum(c for _, c in g) / len(g), sum(q for q, _ in g) / len(g), model) for model, g in groups.items())
    points = []
    for cost, q, model in means:
        beaten = any(c <= cost and b >= q and (c, b) != (cost, q) for c, b, _ in means)
        points.append(ModelPoint(model, task, len(groups[model]), q, cost, q / cost if cost else None, not beaten))
    return points
