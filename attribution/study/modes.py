"""Coding modes and the share of agents' lines: from our lines, and from the producer's numbers as the paper took them."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from attribution.study import paper
from attribution.study.model import MODES, StudyTable, StudyUnit, mean, median, pooled
from collector.storage.store import Store

NAME = "modes"
ORDER = 20
_NOTES = [
    "Ours: all commits of a session, line by line; sessions without agent or human lines have no mode.",
    "Widest: as if every unknown line of those commits were a person's. The truth lies between the two.",
    "Vendor: the percentage its tool stored in the session's canonical record, which is what the paper counts.",
]


def mode_of(percentage: float | None) -> str | None:
    """The paper's thresholds: 0, below 99, 99 and more."""
    if percentage is None:
        return None
    return "human_only" if percentage == 0 else "vibe" if percentage >= 99 else "collaborative"


def canonical(store: Store) -> dict[int, float]:
    """Session -> percentage of its canonical record, as the paper chose it: the record with the most output tokens."""
    best: dict[int, tuple[int, str, float]] = {}
    for r in store.rows(
        "SELECT session_id, vendor_percentage, created_at, metadata FROM checkpoint_sessions WHERE vendor_percentage IS NOT NULL"
    ):
        key = (_output_tokens(r["metadata"]), r["created_at"] or "", float(r["vendor_percentage"]))
        best[r["session_id"]] = max(best.get(r["session_id"], (-1, "", 0.0)), key)
    return {session: percentage for session, (_, _, percentage) in best.items()}


def _output_tokens(metadata: str | None) -> int:
    try:
        usage = (json.loads(metadata or "{}") or {}).get("token_usage")
    except ValueError:
        return 0
    tokens = usage.get("output_tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) else 0


def tables(store: Store) -> list[StudyTable]:
    rows = store.rows(
        "SELECT s.id, s.repo_id, t.agent_percentage, t.coding_mode, t.agent_lines, t.human_lines, t.unknown_lines FROM sessions s "
        "LEFT JOIN session_stats t ON t.session_id = s.id"
    )
    theirs = canonical(store)
    return [_modes(rows, theirs), _share(rows, theirs), _change(rows, theirs)]


def _modes(rows: list[dict[str, Any]], theirs: dict[int, float]) -> StudyTable:
    sides = {
        "ours": [(r["repo_id"], r["coding_mode"]) for r in rows if r["coding_mode"]],
        "widest": [(r["repo_id"], _widest(r)) for r in rows if _widest(r)],
        "vendor": [(r["repo_id"], mode_of(theirs[r["id"]])) for r in rows if r["id"] in theirs],
    }
    found = []
    for mode in MODES:
        row: dict[str, Any] = {"mode": mode}
        for side, sessions in sides.items():
            one = pooled([StudyUnit(repo, name == mode) for repo, name in sessions])
            row |= {f"{side} {k}": one[k] for k in ("value", "low", "high", "n")}
        v1, v2 = paper.MODES[mode]
        found.append(row | {"paper_v1": v1, "paper_v2": v2})
    return StudyTable("coding_modes", "Coding modes, share of sessions", found, _NOTES)


def _widest(row: dict[str, Any]) -> str | None:
    """The mode if every unknown line were a person's."""
    every = (row["agent_lines"] or 0) + (row["human_lines"] or 0) + (row["unknown_lines"] or 0)
    return mode_of(100 * row["agent_lines"] / every) if every else None


def _share(rows: list[dict[str, Any]], theirs: dict[int, float]) -> StudyTable:
    some = [StudyUnit(r["repo_id"], r["agent_lines"], r["agent_lines"] + r["human_lines"]) for r in rows if r["coding_mode"]]
    wide = [
        StudyUnit(r["repo_id"], r["agent_lines"], r["agent_lines"] + r["human_lines"] + r["unknown_lines"])
        for r in rows if r["coding_mode"]
    ]  # fmt: skip
    percentages = [StudyUnit(r["repo_id"], theirs[r["id"]] / 100) for r in rows if r["id"] in theirs]
    found = [
        {"how": "ours, lines over lines, unknown left out", **pooled(some), "median": None},
        {
            "how": "ours, mean of sessions, unknown left out",
            **mean(some),
            "median": median([o.top / o.bottom for o in some if o.bottom]),
        },
        {"how": "ours, lines over lines, unknown below the line", **pooled(wide), "median": None},
        {"how": "vendor, mean of canonical records", **mean(percentages), "median": median([o.top for o in percentages])},
        {"how": "paper v1, mean of sessions", "value": paper.AGENT_SHARE_MEAN, "median": paper.AGENT_SHARE_MEDIAN},
    ]
    return StudyTable("agent_share", "Share of agents' lines in the commits of sessions", found)


def _change(rows: list[dict[str, Any]], theirs: dict[int, float]) -> StudyTable:
    pairs = Counter((mode_of(theirs.get(r["id"])), r["coding_mode"]) for r in rows if r["id"] in theirs and r["coding_mode"])
    found = [{"vendor_mode": mode, **{f"ours_{other}": pairs.get((mode, other), 0) for other in MODES}} for mode in MODES]
    return StudyTable("modes_compared", "Sessions by the vendor's mode and by ours", found)
