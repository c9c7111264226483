"""Coding modes over time, in fortnights."""

from __future__ import annotations

from attribution.study.model import MODES, StudyTable
from attribution.study.modes import canonical, mode_of
from collector.storage.store import Store

NAME = "over_time"
ORDER = 60
# Fortnights from a Monday on.
_ROWS = """
SELECT s.id, t.coding_mode,
  date('2025-01-06', (14 * CAST((julianday(s.started_at) - julianday('2025-01-06')) / 14 AS INTEGER)) || ' days') AS since
FROM sessions s LEFT JOIN session_stats t ON t.session_id = s.id WHERE s.started_at >= '2025-01-06'
"""


def tables(store: Store) -> list[StudyTable]:
    theirs = canonical(store)
    periods: dict[str, list[tuple[str | None, str | None]]] = {}
    for r in store.rows(_ROWS):
        periods.setdefault(r["since"], []).append((r["coding_mode"], mode_of(theirs.get(r["id"]))))
    found = []
    for since, pairs in sorted(periods.items()):
        row: dict[str, object] = {"fortnight from": since}
        for at, name in ((0, "ours"), (1, "vendor")):
            some = [pair[at] for pair in pairs if pair[at]]
            row |= {f"{name}_{mode}": some.count(mode) / len(some) if some else None for mode in MODES} | {f"{name}_n": len(some)}
        found.append(row)
    return [StudyTable("modes_over_time", "Coding modes over time, share of sessions begun in the fortnight", found)]
