"""Coding modes over time, in fortnights."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from attribution.queries.study import sessions_by_fortnight
from attribution.study.model import MODES, StudyRow, StudyTable
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
    return [StudyTable("modes_over_time", "Coding modes over time, share of the sessions started in each two weeks", rows)]


def _row(since: str, sessions: list[_Modes]) -> StudyRow:
    row: StudyRow = {"fortnight from": since}
    for name in _Modes._fields:
        modes = [mode for session in sessions if (mode := getattr(session, name))]
        row |= {f"{name}_{mode}": modes.count(mode) / len(modes) if modes else None for mode in MODES}
        row[f"{name}_n"] = len(modes)
    return row
