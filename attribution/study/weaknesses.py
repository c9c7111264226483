"""Weaknesses introduced per 1,000 added lines by the coding mode of the commit, as the paper has them."""

from __future__ import annotations

from attribution.study import paper
from attribution.study.model import MODES, StudyTable
from attribution.study.modes import mode_of
from attribution.weaknesses.rates import poisson_interval
from collector.storage.store import Store

NAME = "weaknesses"
ORDER = 65

# Lines that were scanned, source files only, and the findings on them, by commit.
_LINES = """
SELECT commit_id, SUM(lines) AS lines FROM scanned_lines WHERE scanned = 1 AND place = 'source' GROUP BY 1
"""
_FINDINGS = """
SELECT commit_id, SUM(status = 'introduced') AS introduced, SUM(status = 'introduced' AND confidence <> 'LOW') AS sure
FROM findings WHERE place = 'source' GROUP BY 1
"""
_TITLE = "Weaknesses introduced per 1,000 added lines"
_NOTES = [
    "The mode of a commit is the share of agents' lines, those that only a trailer declares included, among its agents' and "
    "people's; commits without either are 'neither'.",
    "The paper scans whole trees before and after with rules that Semgrep's server chose on that day; ours scans what commits "
    "change with pinned rules, follows findings across versions, and counts those on added lines only. Rules of low confidence "
    "(use of an API alone) are apart. `attribute report weaknesses` compares agents with people.",
]


def tables(store: Store) -> list[StudyTable]:
    lines = {r["commit_id"]: r["lines"] for r in store.rows(_LINES)}
    if not lines:
        return [
            StudyTable(
                "weaknesses", "Weaknesses introduced per 1,000 added lines", [], ["Nothing was scanned: attribute scan PATH"]
            )
        ]
    found = {r["commit_id"]: r for r in store.rows(_FINDINGS)}
    modes = {
        r["commit_id"]: mode_of(100 * r["agent_lines"] / (r["agent_lines"] + r["human_lines"]))
        if r["agent_lines"] + r["human_lines"]
        else "neither"
        for r in store.rows("SELECT commit_id, agent_lines, human_lines FROM commit_lines")
    }
    rows = []
    for mode in (*MODES, "neither", "all"):
        commits = [c for c in lines if mode in ("all", modes.get(c))]
        total = sum(lines[c] for c in commits)
        for name, column in (("all rules", "introduced"), ("without low confidence", "sure")):
            count = sum(found[c][column] or 0 for c in commits if c in found)
            low, high = poisson_interval(count)
            per = 1000 / total if total else None
            rows.append(
                {
                    "mode of the commit": mode, "rules": name, "findings": count, "lines": total,
                    "per 1,000 lines": count * per if per else None, "low": low * per if per else None,
                    "high": high * per if per else None, "paper_v1": paper.INTRODUCED.get(mode) if name == "all rules" else None,
                }
            )  # fmt: skip
    return [StudyTable("weaknesses", _TITLE, rows, _NOTES)]
