"""Coding modes and the share of agents' lines: from our lines, and from the producer's numbers as the paper took them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from attribution.evaluation.study import paper
from attribution.evaluation.study.numbers import FEW_NOTE, MODES, StudyUnit, audited_notes, enough, mean, median, pooled
from attribution.evaluation.study.sessions import Row
from attribution.evaluation.words import coding_mode
from attribution.lineage import minimum
from collector.storage.store import Store
from collector.storage.views import Table, table_of

NAME = "modes"
ORDER = 20
_NOTES = [
    "Ours: all commits of a session, line by line; sessions without agent or human lines have no mode.",
    "Widest: counts every unknown line of those commits as a person's. The truth lies between the two.",
    "Vendor: the percentage its tool stored in the session's canonical record, which is what the paper counts.",
]


def tables(store: Store, sessions: list[Row]) -> list[Table]:
    vendor = canonical(store)
    return [_modes(sessions, vendor), _share(sessions, vendor), _change(sessions, vendor), _modes_over_time(sessions, vendor)]


def canonical(store: Store) -> dict[int, float]:
    """Session -> percentage of its canonical record, as the paper chose it: the record with the most output tokens."""
    tokens = "json_extract(CASE WHEN json_valid(metadata) THEN metadata END, '$.token_usage.output_tokens')"
    rows = store.rows(
        "SELECT session_id, vendor_percentage FROM checkpoint_sessions WHERE vendor_percentage IS NOT NULL ORDER BY session_id, "
        f"CASE WHEN typeof({tokens}) = 'integer' THEN {tokens} ELSE 0 END, COALESCE(created_at, ''), vendor_percentage"
    )
    return {row["session_id"]: float(row["vendor_percentage"]) for row in rows}  # of several the last


def _modes(sessions: Sequence[Row], vendor: Mapping[int, float]) -> Table:
    sides: dict[str, list[tuple[int, str | None]]] = {  # (repository, mode) of each session
        "ours": [(s["repo_id"], s["coding_mode"]) for s in sessions if s["coding_mode"]],
        "widest": [(s["repo_id"], mode) for s in sessions if (mode := _widest(s))],
        "vendor": [(s["repo_id"], coding_mode(vendor[s["id"]])) for s in sessions if s["id"] in vendor],
    }
    rows = []
    for mode in MODES:
        row: Row = {"mode": mode}
        for side, modes in sides.items():
            ratio = enough(pooled([StudyUnit(repo, name == mode) for repo, name in modes]))
            row |= {f"{side} {name}": getattr(ratio, name) for name in ("value", "low", "high", "n")}
        v1, v2 = paper.MODES[mode]
        rows.append(row | {"paper_v1": v1, "paper_v2": v2})
    notes = [*_NOTES, FEW_NOTE, *audited_notes()]
    return table_of(rows, notes=notes, name="coding_modes", title="Coding modes, share of sessions")


def _widest(session: Row) -> str | None:
    """The mode if every unknown line were a person's."""
    agent = session["agent_lines"] or 0
    every = agent + (session["human_lines"] or 0) + (session["unknown_lines"] or 0)
    return coding_mode(100 * agent / every) if every else None


def _share(sessions: Sequence[Row], vendor: Mapping[int, float]) -> Table:
    narrow, wide = [], []
    for s in sessions:
        if s["coding_mode"]:
            agent, human, unknown = s["agent_lines"] or 0, s["human_lines"] or 0, s["unknown_lines"] or 0
            narrow.append(StudyUnit(s["repo_id"], agent, agent + human))
            wide.append(StudyUnit(s["repo_id"], agent, agent + human + unknown))
    percentages = [StudyUnit(s["repo_id"], vendor[s["id"]] / 100) for s in sessions if s["id"] in vendor]
    shares = [unit.top / unit.bottom for unit in narrow if unit.bottom]
    rows: list[Row] = [
        {"how": "ours, pooled over lines, without unknown", **enough(pooled(narrow))._asdict()},
        {"how": "ours, mean over sessions, without unknown", **enough(mean(narrow))._asdict(), "median": _median(shares)},
        {"how": "ours, pooled over lines, unknown in the denominator", **enough(pooled(wide))._asdict()},
        {
            "how": "vendor, mean over canonical records",
            **enough(mean(percentages))._asdict(),
            "median": _median([unit.top for unit in percentages]),
        },
        {"how": "paper v1, mean over sessions", "value": paper.AGENT_SHARE_MEAN, "median": paper.AGENT_SHARE_MEDIAN},
    ]
    title = "Share of agents' lines in the commits of sessions"
    return table_of(rows, notes=[FEW_NOTE, *audited_notes()], name="agent_share", title=title)


def _median(values: Sequence[float]) -> float | None:
    return median(values) if len(values) >= minimum.SESSIONS else None


def _change(sessions: Sequence[Row], vendor: Mapping[int, float]) -> Table:
    pairs = Counter((coding_mode(vendor[s["id"]]), s["coding_mode"]) for s in sessions if s["id"] in vendor and s["coding_mode"])
    rows = [{"vendor_mode": mode, **{f"ours_{other}": pairs.get((mode, other), 0) for other in MODES}} for mode in MODES]
    return table_of(rows, name="modes_compared", title="Sessions by the vendor's mode and by ours")


def _modes_over_time(sessions: Sequence[Row], vendor: Mapping[int, float]) -> Table:
    periods: dict[str, list[Row]] = defaultdict(list)
    for session in sessions:
        if session["fortnight"]:
            periods[session["fortnight"]].append(session)
    rows = []
    for since, members in sorted(periods.items()):
        row: Row = {"fortnight from": since}
        by_side = {"ours": [s["coding_mode"] for s in members], "vendor": [coding_mode(vendor.get(s["id"])) for s in members]}
        for side, every in by_side.items():
            modes = [mode for mode in every if mode]
            row |= {f"{side}_{mode}": modes.count(mode) / len(modes) if modes else None for mode in MODES}
            row[f"{side}_n"] = len(modes)
        rows.append(row)
    notes = [
        "The paper's share of vibe coding, by the recorder's percentages over rolling fortnights: from 20 to more than 40 % in its "
        "first version, from 18.3 % in February to 52.6 % on 4 September 2026 in the second."
    ]
    title = "Coding modes over time, share of the sessions started in each two weeks"
    return table_of(rows, notes=notes, name="modes_over_time", title=title)
