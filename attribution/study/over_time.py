"""Coding modes, and how long the agent works alone, over time in fortnights."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import NamedTuple

from attribution.lineage import minimum
from attribution.queries.study import session_turns, sessions_by_fortnight
from attribution.study.model import FEW_NOTE, MODES, StudyRow, StudyTable, quantile
from attribution.study.modes import canonical, mode_of
from collector.storage.store import Store

NAME = "over_time"
ORDER = 60


class _Modes(NamedTuple):
    """The mode of one session."""

    ours: str | None
    vendor: str | None


def tables(store: Store) -> list[StudyTable]:
    theirs = canonical(store)
    periods: dict[str, list[_Modes]] = defaultdict(list)
    for session in sessions_by_fortnight(store):
        periods[session.since].append(_Modes(session.coding_mode, mode_of(theirs.get(session.id))))
    rows = [_row(since, sessions) for since, sessions in sorted(periods.items())]
    notes = [
        "The paper's share of vibe coding, by the recorder's percentages over rolling fortnights: from 20 to more than 40 % in its "
        "first version, from 18.3 % in February to 52.6 % on 4 September 2026 in the second."
    ]
    title = "Coding modes over time, share of the sessions started in each two weeks"
    return [StudyTable("modes_over_time", title, rows, notes), _autonomy(store)]


def _autonomy(store: Store) -> StudyTable:
    """How long Claude Code works on one prompt, by fortnight."""
    periods: dict[str, list[float]] = defaultdict(list)
    sessions: Counter[str] = Counter()
    for session in session_turns(store):
        seconds = [x for x in json.loads(session.latency) if isinstance(x, int | float)]
        if session.agent == "claude-code" and session.since and seconds:
            periods[session.since] += seconds
            sessions[session.since] += 1
    rows: list[StudyRow] = []
    for since, seconds in sorted(periods.items()):
        minutes = {f"p{share:g} minutes": _minutes(seconds, share / 100) for share in (50, 90, 99, 99.9)}
        few = sessions[since] < minimum.SESSIONS
        counted: StudyRow = {"fortnight from": since, "sessions": sessions[since], "turns": len(seconds)}
        rows.append(counted | (dict.fromkeys(minutes) if few else minutes))
    notes = [
        FEW_NOTE,
        "No quantile above which less than one turn lies.",
        "The paper draws the same quantiles over rolling weeks, without numbers.",
    ]
    return StudyTable("autonomy_over_time", "How long Claude Code works on one prompt, by fortnight", rows, notes)


def _minutes(seconds: list[float], share: float) -> float | None:
    """None where less than one turn lies above the quantile."""
    found = quantile(seconds, share)
    return None if found is None or len(seconds) * (1 - share) < 1 else found / 60


def _row(since: str, sessions: list[_Modes]) -> StudyRow:
    row: StudyRow = {"fortnight from": since}
    for name in _Modes._fields:
        modes = [mode for session in sessions if (mode := getattr(session, name))]
        row |= {f"{name}_{mode}": modes.count(mode) / len(modes) if modes else None for mode in MODES}
        row[f"{name}_n"] = len(modes)
    return row
