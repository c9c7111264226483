"""Cost of 100 committed lines in sessions that map cleanly to their commits: tokens, dollars, typing, time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attribution.queries.features import features_ready
from attribution.study import paper
from attribution.study.model import MODES, StudyTable, StudyUnit, mean, median
from collector.storage.store import Store

NAME = "cost"
ORDER = 40

Value = Callable[[dict[str, Any]], float | None]
_ROWS = """
SELECT s.id, s.repo_id, t.coding_mode, t.agent_lines + t.human_lines + t.unknown_lines AS lines,
  (SELECT SUM(length(u.prompt)) FROM turns u WHERE u.session_id = s.id AND u.origin IN ('prompt', 'queued')) AS typed, f.*
FROM session_stats t JOIN sessions s ON s.id = t.session_id JOIN session_features f ON f.session_id = s.id
WHERE t.commits > 0 AND NOT EXISTS (SELECT 1 FROM commit_sessions c WHERE c.session_id = s.id AND c.clean = 0)
"""
_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_NOTES = [
    "Dollars at public list prices of a stated day; null for models without a known price. Some versions of Claude Code record too "
    "few output tokens, so dollars are lower bounds there.",
    "The paper publishes neither its prices nor which tokens its median of 204,000 counts; so both ways of counting are here.",
]


def _sum(*names: str) -> Value:
    return lambda r: None if r["output_tokens"] is None else sum(r[name] or 0 for name in names)


def _minutes(name: str) -> Value:
    return lambda r: None if r[name] is None else r[name] / 60


_MEASURES: dict[str, tuple[Value, dict[str, float]]] = {
    "tokens": (_sum(*_TOKENS), dict(paper.TOKENS_MEDIAN)),
    "tokens without cache reads": (_sum("input_tokens", "output_tokens", "cache_write_tokens"), {}),
    "usd": (lambda r: r["cost_usd"], paper.USD_MEDIAN),
    "prompt characters": (lambda r: r["typed"], {}),
    "session minutes": (_minutes("session_runtime_s"), paper.MINUTES_MEDIAN),
    "agent minutes": (_minutes("agent_runtime_s"), {}),
}


def tables(store: Store) -> list[StudyTable]:
    rows = [r for r in store.rows(_ROWS) if r["lines"]] if features_ready(store) else []
    every = store.value("SELECT COUNT(*) FROM session_stats WHERE commits > 0") or 0
    found = [_row(what, mode, rows) for what in _MEASURES for mode in (*MODES, "all")]
    share = f"{len(rows)} of {every} sessions with commits map cleanly: one session, one checkpoint, no squash"
    return [StudyTable("cost", "Cost of 100 committed lines", found, [f"{share}; in the paper {paper.CLEAN:.1%} of all.", *_NOTES])]


def _row(what: str, mode: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    value, published = _MEASURES[what]
    some = [
        StudyUnit(r["repo_id"], 100 * amount / r["lines"])
        for r in rows
        if mode in ("all", r["coding_mode"]) and (amount := value(r)) is not None
    ]
    average = mean(some)
    return {
        "per 100 committed lines": what, "mode": mode, "median": median([o.top for o in some]), "mean": average["value"],
        "low": average["low"], "high": average["high"], "n": len(some), "paper_v1_median": published.get(mode),
    }  # fmt: skip
