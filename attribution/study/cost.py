"""Cost of 100 committed lines in sessions that can be assigned unambiguously to their commits: tokens, dollars, typing, time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from attribution.queries.study import CostedSession, clean_sessions, sessions_with_commits
from attribution.study import paper
from attribution.study.model import MODES, StudyRow, StudyTable, StudyUnit, mean, median
from collector.storage.store import Store

NAME = "cost"
ORDER = 40

Value = Callable[[CostedSession], float | None]
_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_NOTES = [
    "US dollars at public list prices of a stated day; null where a price is unknown. Some versions of Claude Code record too "
    "few output tokens, so dollars are lower bounds there.",
    "The paper publishes neither its prices nor which tokens its median of 204,000 counts; so both ways of counting are here.",
]


def _sum(*names: str) -> Value:
    return lambda session: None if session.output_tokens is None else sum(getattr(session, name) or 0 for name in names)


def _minutes(name: str) -> Value:
    def minutes(session: CostedSession) -> float | None:
        seconds = getattr(session, name)
        return None if seconds is None else seconds / 60

    return minutes


class Measure(NamedTuple):
    """What is counted, and what the paper has of it by mode."""

    value: Value
    medians: Mapping[str, float] = {}
    means: Mapping[str, float] = {}


_MEASURES: dict[str, Measure] = {
    "tokens": Measure(_sum(*_TOKENS), paper.TOKENS_MEDIAN),
    "tokens without cache reads": Measure(_sum("input_tokens", "output_tokens", "cache_write_tokens")),
    "usd": Measure(lambda session: session.cost_usd, paper.USD_MEDIAN, paper.USD_MEAN),
    "prompt characters": Measure(lambda session: session.typed, means=paper.TYPED_MEAN),
    "session minutes": Measure(_minutes("session_runtime_s"), paper.MINUTES_MEDIAN),
    "agent minutes": Measure(_minutes("agent_runtime_s"), means=paper.AGENT_MINUTES_MEAN),
}


def tables(store: Store) -> list[StudyTable]:
    sessions = [session for session in clean_sessions(store) if session.lines]
    rows = [_row(what, mode, sessions) for what in _MEASURES for mode in (*MODES, "all")]
    share = f"{len(sessions)} of {sessions_with_commits(store)} sessions with commits can be assigned unambiguously"
    note = f"{share}: one session, one checkpoint, no squash; in the paper {paper.CLEAN:.1%} of all."
    rule = (
        "The paper does not give its rule. Ours is narrow: a commit with several checkpoints, as after hours of work, is left out."
    )
    return [StudyTable("cost", "Cost of 100 committed lines", rows, [note, rule, *_NOTES])]


def _row(what: str, mode: str, sessions: Sequence[CostedSession]) -> StudyRow:
    value, medians, means = _MEASURES[what]
    units = [
        StudyUnit(session.repo_id, 100 * amount / session.lines)
        for session in sessions
        if mode in ("all", session.coding_mode) and (amount := value(session)) is not None
    ]
    average = mean(units)
    return {
        "per 100 committed lines": what, "mode": mode, "median": median([unit.top for unit in units]), "mean": average.value,
        "low": average.low, "high": average.high, "n": len(units), "paper_v1_median": medians.get(mode),
        "paper_v1_mean": means.get(mode),
    }  # fmt: skip
