"""The sessions that a study is about, each as one row: its lines, its features, how its turns went."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

from attribution.queries.features import features_ready
from collector.storage.store import Store
from collector.vocabulary import sql_list
from collector.vocabulary.sessions import TYPED

Row = dict[str, Any]
_FIRST_DAY = date(2025, 1, 6)  # a Monday
_FEATURES = (
    "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost_usd", "session_runtime_s", "agent_runtime_s",
    "tool_counts", "per_turn_agent_latency_s", "interruption_events", "turn_languages",
)  # fmt: skip
_LISTS = ("per_turn_agent_latency_s", "interruption_events", "turn_languages")


def study_sessions(store: Store) -> list[Row]:
    """Every session with its columns of `sessions`, `session_stats` and `session_features`, JSON as values.

    Further: `first`, 1 for one copy of a session that several repositories hold; `copies`, how many hold it; `clean`, whether it
    maps to its commits without doubt (one session, one checkpoint, no squash); `typed`, characters of the user's prompts; `asked`,
    turns in which the agent asked the user; `fortnight`, its first day, "" before 2025 or without a time.
    """
    ready = features_ready(store)
    features = ", ".join(f"f.{name}" if ready else f"NULL AS {name}" for name in _FEATURES)
    joined = "LEFT JOIN session_features f ON f.session_id = s.id" if ready else ""
    rows = store.rows(
        f"""
        SELECT s.id, s.repo_id, s.agent, s.started_at, s.turns, s.interruptions, t.*, {features},
          {"f.session_id IS NOT NULL" if ready else "0"} AS has_features,
          k.session_id IS NOT NULL AS first, k.repositories AS copies,
          EXISTS (SELECT 1 FROM commit_sessions c WHERE c.session_id = s.id) AND NOT EXISTS
            (SELECT 1 FROM commit_sessions c WHERE c.session_id = s.id AND c.clean = 0) AS clean,
          (SELECT SUM(length(u.prompt)) FROM turns u WHERE u.session_id = s.id AND u.origin IN ({sql_list(TYPED)})) AS typed,
          (SELECT COUNT(DISTINCT c.turn_index) FROM tool_calls c WHERE c.session_id = s.id AND c.name = 'AskUserQuestion') AS asked
        FROM sessions s LEFT JOIN session_stats t ON t.session_id = s.id {joined}
        LEFT JOIN corpus_sessions k ON k.session_id = s.id ORDER BY s.id""",
    )
    for row in rows:
        row["fortnight"] = fortnight(row["started_at"])
        row["tool_counts"] = json.loads(row["tool_counts"] or "{}")
        for name in _LISTS:
            row[name] = json.loads(row[name] or "[]")
    return rows


def counted_once(sessions: Iterable[Row]) -> list[Row]:
    """Sessions whose transcript was read; one that several repositories hold counts once."""
    return [session for session in sessions if session["first"] and session["has_features"]]


def fortnight(started: str | None) -> str:
    """The first day of the fortnight of a time, both in ISO 8601; "" before 2025 and when it is not known."""
    try:
        days = (date.fromisoformat((started or "")[:10]) - _FIRST_DAY).days
    except ValueError:
        return ""
    return (_FIRST_DAY + timedelta(days - days % 14)).isoformat() if days >= 0 else ""


def evidence_totals(store: Store, kinds: Iterable[str]) -> list[Row]:
    """Added lines with text by author, how, evidence and reason, in files of these kinds (FileKind), most lines first."""
    return store.rows(
        "SELECT o.author, o.how, o.evidence, o.reason, SUM(s.nonblank) AS lines "
        "FROM spans s JOIN commit_files f ON f.id = s.file_id "
        f"JOIN origins o ON o.id = s.origin_id WHERE f.kind IN ({sql_list(kinds)}) GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 1, 2, 3, 4"
    )
