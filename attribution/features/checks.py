"""Features that can be derived a second time, from another source: the two must agree. Queries that must find nothing. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attribution.features.nulls import TABLE, unexplained_sql
from attribution.features.registry import Feature

# A run that was stopped leaves some tables ahead of others; then there is nothing to compare yet.
_WHOLE = " AND f.touched_files IS NOT NULL"
_SAME_COPIES = """ AND EXISTS (SELECT 1 FROM sessions s JOIN stage_runs a ON a.repo_id = s.repo_id AND a.subject = s.key AND a.stage = 'session'
  JOIN stage_runs b ON b.repo_id = s.repo_id AND b.subject = s.key AND b.stage = 'features' AND b.input_key = a.input_key
  WHERE s.id = f.session_id)"""
_EDITED = "(SELECT COALESCE(SUM(r.lines_added + r.lines_removed), 0) FROM region_edits r WHERE r.session_id = f.session_id)"
_TWICE: Mapping[str, tuple[str, str, str, str]] = {
    # name -> promise, feature, the same from another table, further tables and conditions
    "feature_calls": (
        "Tool calls of the transcript are the calls that are stored.",
        "f.tool_call_count",
        "(SELECT COUNT(*) FROM tool_calls c WHERE c.session_id = f.session_id)",
        _SAME_COPIES,
    ),
    "feature_edit_calls": (
        "Calls of edit tools are the calls of the edits that were followed.",
        "f.edit_calls",
        "(SELECT COUNT(DISTINCT e.call_id) FROM edits e WHERE e.session_id = f.session_id AND e.by_shell = 0)",
        _WHOLE,
    ),
    "feature_diff_lines": (
        "The difference that a session made is at most what its edits added and removed.",
        f"MAX(COALESCE(f.diff_lines, 0), {_EDITED})",
        _EDITED,
        _WHOLE,
    ),
    "feature_regions": (
        "Regions of a session are the regions that are stored.",
        "COALESCE(f.region_count, 0)",
        "(SELECT COUNT(*) FROM regions g WHERE g.session_id = f.session_id)",
        _WHOLE,
    ),
    "feature_tokens": (
        "Tokens of a session by feature are the tokens summed when it was stored.",
        "f.output_tokens",
        "(SELECT s.output_tokens FROM sessions s WHERE s.id = f.session_id)",
        " AND f.output_tokens IS NOT NULL" + _SAME_COPIES,
    ),
}
_TOUCHED = f"""\
SELECT f.session_id, e.path FROM {TABLE} f JOIN edits e ON e.session_id = f.session_id
WHERE f.touched_files IS NOT NULL AND e.outcome = 'applied'
AND NOT EXISTS (SELECT 1 FROM json_each(f.touched_files) j WHERE j.value = e.path)
UNION
SELECT f.session_id, j.value FROM {TABLE} f, json_each(f.touched_files) j
WHERE NOT EXISTS (SELECT 1 FROM edits e WHERE e.session_id = f.session_id AND e.outcome = 'applied' AND j.value = e.path)"""

# Against git: a line of a commit that an edit tool wrote comes from an edit of a file that the session touched. The file may have
# another name in the commit.
_COMMITTED = f"""\
SELECT o.session_id, o.call_id FROM origins o JOIN {TABLE} f ON f.session_id = o.session_id
WHERE f.touched_files IS NOT NULL AND o.author = 'agent' AND o.evidence IN ('observed', 'replayed') AND o.how = 'exact'
AND NOT EXISTS (SELECT 1 FROM edits e, json_each(f.touched_files) j WHERE e.session_id = o.session_id AND e.call_id = o.call_id AND e.outcome = 'applied' AND j.value = e.path)"""


@dataclass(frozen=True, slots=True)
class Invariant:
    """A query that must find nothing."""

    name: str
    promise: str  # what its emptiness means
    sql: str


def invariants(features: Sequence[Feature]) -> tuple[Invariant, ...]:
    """Those about the table of features, which has these columns."""
    twice = (
        Invariant(
            name,
            promise,
            f"SELECT f.session_id, {feature} AS feature, {other} AS counted FROM {TABLE} f\nWHERE feature <> counted{more}",
        )
        for name, (promise, feature, other, more) in _TWICE.items()
    )
    return (
        Invariant("feature_nulls", "No feature is without a value for no reason.", unexplained_sql(features) + _SAME_COPIES),
        *twice,
        Invariant("feature_committed", "Lines of commits that edits wrote come from files that the session touched.", _COMMITTED),
        Invariant("feature_touched", "Files that a session touched are the files of its applied edits.", _TOUCHED),
    )
