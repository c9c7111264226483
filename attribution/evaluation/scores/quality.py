"""The quality score Q of a session: four parts, weights by type of task, special cases, tiers,
return on cost. Pure.

Q = w1 Completion + w2 Execution + w3 Efficiency + w4 Outcome, each 0 to 1. A signal that is missing
is left out and its weight goes to the others of its part; a part without any signal is left out and
its weight goes to the other parts (that of Outcome goes to Completion when nothing outside the
conversation was touched). The share of weights whose signal was there is kept with the score. Q
says how a session went, not whether the code is right or beautiful.

`q_rated` is the same with RATED_WEIGHTS and with the signals that agree with readers' ratings,
equal within their part: some of the document's, and others (weight 0 in Q) that it does not have.
docs/metrics.md says how they were chosen and how well they agree.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from attribution.evaluation.scores.tasks import kind_of_work, task_type
from attribution.evaluation.words import SpecialScore, TaskType, Tier
from attribution.features.turn_classes import Language, language_of
from attribution.features.word_lists import lower_case, words
from attribution.lineage import minimum
from collector.json_values import Row
from collector.vocabulary.sessions import SessionOutcome

PARTS = ("completion", "execution", "efficiency", "outcome")
PartWeights = tuple[float, float, float, float]
"""Weights of the four parts, in the order of PARTS."""
WEIGHTS: Mapping[str, PartWeights] = {
    TaskType.CODING: (0.15, 0.20, 0.15, 0.50),
    TaskType.OPERATIONS: (0.20, 0.30, 0.30, 0.20),
    TaskType.RESEARCH: (0.25, 0.15, 0.20, 0.40),
    TaskType.CHAT: (0.40, 0.20, 0.25, 0.15),
    TaskType.DISCOVERY: (0.30, 0.15, 0.20, 0.35),
    TaskType.HEARTBEAT: (0.30, 0.25, 0.35, 0.10),
}
# Chosen by the ratings of benchmarks/data/session-ratings.csv (`report quality --weights rated`).
RATED_WEIGHTS: PartWeights = (0.475, 0.475, 0.0, 0.05)

# Pearson's correlation with 95 % interval, on what nothing was chosen by; docs/metrics.md says how
# it was measured
AGREEMENT = (
    "Q agrees weakly with readers' ratings: r = 0.31 (0.16 to 0.45; 141 sessions); with --weights"
    " rated, r = 0.60 (0.39 to 0.76)."
)
TIERS = (
    (0.90, Tier.EXCELLENT),
    (0.75, Tier.GOOD),
    (0.60, Tier.ACCEPTABLE),
    (0.40, Tier.POOR),
    (0.0, Tier.FAILED),
)
# Cuts of q_rated: as many of the rated sessions are in each tier as readers rated 5, 4, 3, 2 and 1.
FITTED_TIERS = (
    (0.95, Tier.EXCELLENT),
    (0.85, Tier.GOOD),
    (0.71, Tier.ACCEPTABLE),
    (0.57, Tier.POOR),
    (0.0, Tier.FAILED),
)

ALERT = 0.40  # a lower score is worth a look, says the document

_SUBSTANCE = 50  # words of an answer that count as substantive
# that some programs keep in the text
_THOUGHT = re.compile(r"<think.*?(?:</details>|</think\w*>|\Z)", re.S)


class Signal(NamedTuple):
    """One input of a part. `score` None: missing, left out."""

    part: str
    name: str
    weight: float  # within its part; 0: not in the document
    score: float | None
    value: Any = None
    rated: float = 0.0  # weight within its part of q_rated


@dataclass(slots=True)
class Score:
    task_type: str
    work: str | None = None  # kind of work
    signals: list[Signal] = field(default_factory=list)
    parts: dict[str, float | None] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)  # as used: after redistribution
    covered: float = 0.0
    q: float | None = None
    rated_parts: dict[str, float | None] = field(default_factory=dict)
    q_rated: float | None = None  # None: as q, but for one that only lacks an outcome
    special: str = ""
    cost_usd: float | None = None

    @property
    def tier(self) -> str | None:
        return tier_of(self.q)

    @property
    def tier_fitted(self) -> str | None:
        return tier_of(self.q_rated, FITTED_TIERS)

    @property
    def rank(self) -> float | None:
        """Share of the sessions of the same type in `baselines` that scored lower; None without
        a score of its parts.
        """
        return None if self.q is None or self.special else baseline(self.task_type).rank(self.q)

    @property
    def roi(self) -> float | None:
        """Q per dollar; None without a cost."""
        return self.q / self.cost_usd if self.q is not None and self.cost_usd else None


def tier_of(q: float | None, tiers: Sequence[tuple[float, str]] = TIERS) -> str | None:
    """Grade of a score; None without one."""
    return None if q is None else next(name for least, name in tiers if q >= least)


class Deeds(NamedTuple):
    """What became of a session's turns and lines: sums of columns of `turn_outcomes`."""

    turns: int = 0  # without what the harness inserted
    acting_turns: int = 0  # of those, the ones with a tool call
    produced: int = 0
    discarded: int = 0  # removed by a later session before any commit had them
    places: int = 0  # that a turn edited and another turn followed
    places_again: int = 0  # where the next turn edited again
    places_undone: int = 0  # where the next turn put back what had been there
    # committed lines that were followed for 30 days; None before `whowrote survival`
    old: int | None = None
    alive: int | None = None  # of those, still there


def score(row: Row, deeds: Deeds | None = None) -> Score:
    """Q of one session with everything it is made of; `deeds` None: nothing is known of what
    became of its lines.
    """
    result = Score(task_type(row), kind_of_work(row), cost_usd=row["cost_usd"])
    deeds = deeds or Deeds()
    usual = baseline(result.task_type)
    result.signals = [
        *_completion(row),
        *_execution(row, deeds),
        *_efficiency(row, usual),
        *_outcome(row, deeds),
    ]
    for part in PARTS:
        of_part = [s for s in result.signals if s.part == part]
        result.parts[part] = _mean((s.weight, s.score) for s in of_part)
        result.rated_parts[part] = _mean((s.rated, s.score) for s in of_part)
    mixture = mix(result.parts, WEIGHTS[result.task_type])
    result.weights = mixture.weights
    result.q = mixture.q
    result.q_rated = mix(result.rated_parts, RATED_WEIGHTS).q
    for part, weight in mixture.complete.items():
        known = ((s.weight, float(s.score is not None)) for s in result.signals if s.part == part)
        result.covered += weight * (_mean(known) or 0.0)
    result.special, result.q = _special(row, result)
    if result.special not in ("", SpecialScore.NO_OUTCOME):
        result.q_rated = result.q
    result.covered = round(result.covered, 6)
    return result


class WeightedScore(NamedTuple):
    """The parts of a score put together."""

    q: float | None  # None: no part is known
    weights: dict[str, float]  # as used: after redistribution
    complete: dict[str, float]  # as they would be used if every part were known


def mix(parts: Mapping[str, float | None], weights: PartWeights) -> WeightedScore:
    """Q of these parts.

    The weight of an unknown outcome goes to completion, that of other unknown parts to all others.
    """
    complete = dict(zip(PARTS, weights, strict=True))
    if parts["outcome"] is None:
        complete["completion"] += complete["outcome"]
        complete["outcome"] = 0.0
    usable = sum(complete[part] for part in PARTS if parts[part] is not None)
    used = {
        part: complete[part] / usable if usable and parts[part] is not None else 0.0
        for part in PARTS
    }
    return WeightedScore(
        sum(used[part] * (parts[part] or 0.0) for part in PARTS) if usable else None, used, complete
    )


def _mean(weighted: Iterable[tuple[float, float | None]]) -> float | None:
    """Mean of the scores that are there, by their weights."""
    present = [(weight, score) for weight, score in weighted if score is not None]
    whole = sum(weight for weight, _ in present)
    return sum(weight * score for weight, score in present) / whole if whole else None


def _completion(row: Row) -> list[Signal]:
    # The classifier of messages finds five times as many corrections as the word lists, which stand
    # in where it does not speak.
    ended = row["ended_normally"]
    corrections = (
        row["correction_turns"] if row["pushback_turns"] is None else row["pushback_turns"]
    )
    uncorrected = (
        None
        if corrections is None
        else 1.0
        if corrections == 0
        else 0.5
        if corrections == 1
        else 0.2
    )
    stops = (row["interruptions"] or 0) + (row["permission_denials"] or 0)
    asked = row["confirmation_requests"]
    troubled = _troubled_turns(row)
    return [
        Signal(
            "completion",
            "ended_normally",
            1.0,
            None if ended is None else float(ended),
            ended,
            rated=1.0,
        ),
        Signal("completion", "substantive_output", 1.0, _substance(row), row["agent_words"]),
        Signal("completion", "no_corrections", 1.0, uncorrected, corrections),
        Signal(
            "completion", "not_stopped", 0.0, _rest(stops, row["user_turn_count"]), stops, rated=1.0
        ),
        Signal(
            "completion",
            "no_trouble",
            0.0,
            _rest(troubled, len(row["typed_turn_numbers"] or ())),
            troubled,
            rated=1.0,
        ),
        Signal("completion", "reports_result", 0.0, closing(row["last_said"] or ""), rated=1.0),
        Signal(
            "completion", "not_asking", 0.0, _rest(asked, row["user_turn_count"]), asked, rated=1.0
        ),
    ]


def _rest(count: float | None, whole: float | None) -> float | None:
    """What `count` leaves of `whole`, as a share; 0 where it is more."""
    return max(0.0, 1 - count / whole) if whole and count is not None else None


def _troubled_turns(row: Row) -> int | None:
    """Messages after the first that push back, as the classifier reads them, or that show an error.

    None: texts are not stored.
    """
    numbers = row["typed_turn_numbers"] or ()
    shown = row.get("error_turns")
    pushes = row["turn_pushes_back"] or [None] * len(numbers)
    if shown is None:
        return None
    return sum(
        bool(push) or number in shown
        for number, push in list(zip(numbers, pushes, strict=True))[1:]
    )


def closing(said: str) -> float | None:
    """By the beginning of the last message: 1 it reports what was done, 0 it only announces
    something, 0.5 neither.

    None where nothing was said or not in English. Who announces and then says no more was cut off,
    or waits.
    """
    text = lower_case(_THOUGHT.sub("", said)).strip()
    if not text or language_of(text) not in (None, Language.ENGLISH):
        return None
    if words("result").occur_in(text):
        return 1.0
    if words("announcement").occur_in(text):
        return 0.0
    return 0.5


def _substance(row: Row) -> float | None:
    spoken = row["agent_words"]
    if spoken is None:
        return None
    if (row["tool_call_count"] or 0) > 0:
        return 1.0
    return min(1.0, float(spoken) / _SUBSTANCE)


def _execution(row: Row, deeds: Deeds) -> list[Signal]:
    calls = row["tool_call_count"] or 0
    rate = row["tool_error_rate"]
    again = row["first_attempt_failures"]
    started = row["subagent_count"] or 0
    succeeded = row["subagents_succeeded"]
    errors = row["tool_errors"]
    run = row["longest_error_run"]
    recovery = (
        None
        if errors is None
        else 1.0
        if errors == 0
        else 0.2
        if run is not None and run >= 3
        else 0.5
    )
    delegated = None if not calls else 1.0 if not started else (succeeded or 0) / started
    edits_again = row["region_re_edit_count"]
    sizes = row["tool_result_sizes"] or ()
    repeated = row["repetition_rate"]
    missing = sum(size is None for size in sizes)
    return [
        Signal("execution", "tool_success", 0.5, _rest(rate, 1), rate, rated=1.0),
        Signal(
            "execution",
            "first_attempt",
            0.25,
            None if not calls or again is None else max(0.0, 1 - again / calls),
            again,
        ),
        Signal("execution", "error_recovery", 0.15, recovery, run),
        Signal("execution", "subagents", 0.1, delegated, started),
        # none at all: not recorded
        Signal("execution", "results", 0.0, _rest(missing, len(sizes)) or None, missing, rated=1.0),
        Signal("execution", "new_calls", 0.0, _rest(repeated, 1), repeated, rated=1.0),
        Signal(
            "execution",
            "acting_turns",
            0.0,
            deeds.acting_turns / deeds.turns if calls and deeds.turns else None,
            rated=1.0,
        ),
        Signal(
            "execution",
            "places_settled",
            0.0,
            _rest(deeds.places_again, deeds.places),
            deeds.places_again,
            rated=1.0,
        ),
        Signal(
            "execution",
            "regions_settled",
            0.0,
            _rest(edits_again, row["region_count"]),
            edits_again,
            rated=1.0,
        ),
    ]


def _efficiency(row: Row, usual: Baseline) -> list[Signal]:
    read = sum(
        row[name] or 0 for name in ("input_tokens", "cache_read_tokens", "cache_write_tokens")
    )
    ratio = (row["output_tokens"] or 0) / read if read else None
    turns = row["turn_count"]
    few = (
        None
        if not turns
        else max(
            0.0, min(1.0, 1 - (turns - usual.responses) / (usual.most_responses - usual.responses))
        )
    )
    compactions = row["compaction_events"]
    compacted = None if compactions is None else (1.0, 0.8, 0.5)[min(len(compactions), 2)]
    price = row["cost_usd"] / turns if turns and row["cost_usd"] is not None else None
    # By the cost of a response within the type of task: 0.7 above three of four sessions, 0.5 above
    # nine of ten.
    appropriate = (
        None
        if price is None
        else 0.5
        if price > usual.high_cost
        else 0.7
        if price > usual.cost
        else 1.0
    )
    return [
        Signal(
            "efficiency",
            "tokens",
            1.0,
            None if ratio is None else min(1.0, ratio / usual.tokens),
            ratio,
        ),
        Signal("efficiency", "responses", 1.0, few, turns),
        Signal(
            "efficiency",
            "compactions",
            1.0,
            compacted,
            None if compactions is None else len(compactions),
        ),
        Signal("efficiency", "model_appropriateness", 1.0, appropriate, price),
    ]


class Acceptance(NamedTuple):
    """What is known of how the work was received, each 0 to 1; None: nothing is known."""

    words: float | None  # the last message welcomes or refuses, or the user began again
    # share of the work that neither the next turn put back nor a later session threw away
    deeds: float | None
    kept: float | None  # share of committed lines still there after 30 days

    @property
    def value(self) -> float | None:
        """Mean of what is known."""
        present = [part for part in self if part is not None]
        return sum(present) / len(present) if present else None


_WORDS: Mapping[str, float] = {SessionOutcome.RESTARTED: 0.4, SessionOutcome.REJECTED: 0.0}


def acceptance(row: Row, deeds: Deeds) -> Acceptance:
    """A session is also `accepted` because its lines landed, which `landed` counts already: here
    only a person's word does.
    """
    words = 1.0 if row["last_message_accepts"] else _WORDS.get(row["session_outcome"] or "")
    if words == 0.0 and not row["output_applied"]:  # what nobody took was not undone either
        return Acceptance(words, None, None)
    undone = deeds.places_undone / deeds.places if deeds.places else 0.0
    stood = (1 - deeds.discarded / deeds.produced) * (1 - undone) if deeds.produced else None
    alive = (
        deeds.alive / deeds.old
        if deeds.old and deeds.alive is not None and deeds.old >= minimum.PART.lines
        else None
    )
    return Acceptance(words, stood, alive)


def _outcome(row: Row, deeds: Deeds) -> list[Signal]:
    """Without any file, commit or issue touched there is no outcome to speak of: a conversation."""
    artifact = (
        bool(row["touched_files"])
        or (row["commits_made"] or 0) > 0
        or bool((row["tool_counts"] or {}).get("mcp"))
    )
    touched = artifact or row["output_applied"] is not None or (row["edit_calls"] or 0) > 0
    applied = row["output_applied_fraction"]
    landed = row["output_applied"] if applied is None else applied
    received = acceptance(row, deeds)
    share = row["landed_share"]
    signals = [
        Signal("outcome", "artifact", 0.3, float(artifact), artifact),
        Signal("outcome", "landed", 0.4, None if landed is None else float(landed), landed),
        Signal("outcome", "acceptance", 0.3, received.value, received._asdict()),
        Signal("outcome", "landed_share", 0.0, share, share, rated=1.0),
    ]
    if touched:
        return signals
    return [Signal("outcome", signal.name, signal.weight, None) for signal in signals]


def _special(row: Row, result: Score) -> tuple[str, float | None]:
    """The word and Q of a session that had nothing to do or produced nothing and is scored apart,
    or that has no prompt, task or outcome; "" and the Q that it has for others.
    """
    last_message = (row.get("last_said") or "").strip()
    idle = not row["touched_files"] and not row["commits_made"]
    is_cron = (row.get("first_prompt") or "").lstrip().lower().startswith("[cron")
    is_heartbeat = last_message == "HEARTBEAT_OK"
    # That the work landed, or how it was received: that a file was changed is no outcome.
    is_outcome_known = any(
        s.score is not None for s in result.signals if s.name in ("landed", "acceptance")
    )
    special: tuple[str, float | None] = "", result.q
    if not row["agent_words"] and not row["tool_call_count"]:
        special = SpecialScore.EMPTY, 0.0
    # no person's task (0), or a subagent (None): nobody whose judgement there could be
    elif not row["user_turn_count"]:
        special = SpecialScore.NO_PROMPT, None
    # nothing but commands of the agent's program, such as /exit; None: no texts are stored
    elif row.get("asked_turns") == 0:
        special = SpecialScore.NO_TASK, None
    elif result.parts["outcome"] is not None and not is_outcome_known:
        special = SpecialScore.NO_OUTCOME, None
    elif last_message == "NO_REPLY" and idle:
        special = SpecialScore.NO_REPLY, 0.75
    elif is_heartbeat and idle and (row["tool_call_count"] or 0) <= 1:
        special = SpecialScore.HEARTBEAT_OK, 0.80
    elif idle and (is_heartbeat or (is_cron and "nothing" in last_message.lower())):
        special = SpecialScore.QUIET_CRON, 0.80 * (result.parts["efficiency"] or 0.0)
    return special


LEAST = 20  # sessions of a type of task
ALL = "all"


class Baseline(NamedTuple):
    """Quantiles over the sessions of one type of task."""

    sessions: int
    repositories: int
    responses: float  # median number of responses of the model
    most_responses: float  # 95 % have fewer
    tokens: float  # median of output tokens per token read
    cost: float  # USD per response: three of four sessions cost less
    high_cost: float  # nine of ten cost less
    q: tuple[float, ...] = ()  # of the scores, from the lowest to the highest in equal steps

    def rank(self, q: float) -> float | None:
        """Share of these sessions with a lower score; None where no scores were measured."""
        if len(self.q) < 2:
            return None
        below = bisect_left(self.q, q)
        if below == 0 or below == len(self.q):
            return float(below > 0)
        low = self.q[below - 1]
        high = self.q[below]
        part = (q - low) / (high - low) if high > low else 0.0
        return (below - 1 + part) / (len(self.q) - 1)


def baseline(task: str) -> Baseline:
    """What is usual for a type of task, or for all types where there were too few sessions of
    it.
    """
    usual = baselines().get(task)
    return usual if usual is not None and usual.sessions >= LEAST else baselines()[ALL]


@cache
def baselines() -> dict[str, Baseline]:
    """Baselines by type of task, as they were measured; ALL is the one of all types together."""
    text = (
        resources.files("attribution.evaluation.scores")
        .joinpath("data/baselines.json")
        .read_text("utf-8")
    )
    return {
        task: Baseline(**values | {"q": tuple(values.get("q", ()))})
        for task, values in json.loads(text).items()
    }
