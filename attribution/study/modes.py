"""Coding modes and the share of agents' lines: from our lines, and from the producer's numbers as the paper took them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from attribution.lineage import minimum
from attribution.queries.study import SessionLines, session_lines, vendor_records
from attribution.study import paper
from attribution.study.model import (
    FEW_NOTE,
    MODES,
    StudyRow,
    StudyTable,
    StudyUnit,
    audited_notes,
    enough,
    mean,
    median,
    pooled,
)  # fmt: skip
from collector.storage.store import Store

NAME = "modes"
ORDER = 20
_NOTES = [
    "Ours: all commits of a session, line by line; sessions without agent or human lines have no mode.",
    "Widest: counts every unknown line of those commits as a person's. The truth lies between the two.",
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
    for record in vendor_records(store):
        key = (_output_tokens(record.metadata), record.created_at, float(record.percentage))
        best[record.session_id] = max(best.get(record.session_id, (-1, "", 0.0)), key)
    return {session: percentage for session, (_, _, percentage) in best.items()}


def _output_tokens(metadata: str | None) -> int:
    try:
        usage = (json.loads(metadata or "{}") or {}).get("token_usage")
    except ValueError:
        return 0
    tokens = usage.get("output_tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) else 0


def tables(store: Store) -> list[StudyTable]:
    sessions, theirs = session_lines(store), canonical(store)
    return [_modes(sessions, theirs), _share(sessions, theirs), _change(sessions, theirs)]


def _modes(sessions: Sequence[SessionLines], theirs: Mapping[int, float]) -> StudyTable:
    sides: dict[str, list[tuple[int, str | None]]] = {  # (repository, mode) of each session
        "ours": [(s.repo_id, s.coding_mode) for s in sessions if s.coding_mode],
        "widest": [(s.repo_id, mode) for s in sessions if (mode := _widest(s))],
        "vendor": [(s.repo_id, mode_of(theirs[s.id])) for s in sessions if s.id in theirs],
    }
    rows = []
    for mode in MODES:
        row: StudyRow = {"mode": mode}
        for side, modes in sides.items():
            estimate = enough(pooled([StudyUnit(repo, name == mode) for repo, name in modes]))
            row |= {f"{side} {name}": getattr(estimate, name) for name in ("value", "low", "high", "n")}
        v1, v2 = paper.MODES[mode]
        rows.append(row | {"paper_v1": v1, "paper_v2": v2})
    return StudyTable("coding_modes", "Coding modes, share of sessions", rows, [*_NOTES, FEW_NOTE, *audited_notes()])


def _widest(session: SessionLines) -> str | None:
    """The mode if every unknown line were a person's."""
    agent = session.agent_lines or 0
    every = agent + (session.human_lines or 0) + (session.unknown_lines or 0)
    return mode_of(100 * agent / every) if every else None


def _share(sessions: Sequence[SessionLines], theirs: Mapping[int, float]) -> StudyTable:
    narrow, wide = [], []
    for s in sessions:
        if s.coding_mode:
            agent, human, unknown = s.agent_lines or 0, s.human_lines or 0, s.unknown_lines or 0
            narrow.append(StudyUnit(s.repo_id, agent, agent + human))
            wide.append(StudyUnit(s.repo_id, agent, agent + human + unknown))
    percentages = [StudyUnit(s.repo_id, theirs[s.id] / 100) for s in sessions if s.id in theirs]
    rows: list[StudyRow] = [
        {"how": "ours, pooled over lines, without unknown", **enough(pooled(narrow))._asdict(), "median": None},
        {
            "how": "ours, mean over sessions, without unknown",
            **enough(mean(narrow))._asdict(),
            "median": _median([unit.top / unit.bottom for unit in narrow if unit.bottom]),
        },
        {"how": "ours, pooled over lines, unknown in the denominator", **enough(pooled(wide))._asdict(), "median": None},
        {
            "how": "vendor, mean over canonical records",
            **enough(mean(percentages))._asdict(),
            "median": _median([unit.top for unit in percentages]),
        },
        {"how": "paper v1, mean over sessions", "value": paper.AGENT_SHARE_MEAN, "median": paper.AGENT_SHARE_MEDIAN},
    ]
    return StudyTable("agent_share", "Share of agents' lines in the commits of sessions", rows, [FEW_NOTE, *audited_notes()])


def _median(values: Sequence[float]) -> float | None:
    return median(values) if len(values) >= minimum.SESSIONS else None


def _change(sessions: Sequence[SessionLines], theirs: Mapping[int, float]) -> StudyTable:
    pairs = Counter((mode_of(theirs.get(s.id)), s.coding_mode) for s in sessions if s.id in theirs and s.coding_mode)
    rows = [{"vendor_mode": mode, **{f"ours_{other}": pairs.get((mode, other), 0) for other in MODES}} for mode in MODES]
    return StudyTable("modes_compared", "Sessions by the vendor's mode and by ours", rows)
