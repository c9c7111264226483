"""Weaknesses introduced and fixed per 1,000 added lines by the coding mode of the commit, as the paper has them."""

from __future__ import annotations

from collections.abc import Mapping

from attribution.evaluation.study import paper
from attribution.evaluation.study.numbers import MODES, audited_notes
from attribution.evaluation.study.sessions import Row
from attribution.evaluation.words import coding_mode
from attribution.lineage import minimum
from attribution.stats.rates import RateCell, poisson_interval, rate_if_enough
from collector.storage.store import Store
from collector.storage.views import Table, table_of

NAME = "weaknesses"
ORDER = 65

_TITLE = "Weaknesses introduced and fixed per 1,000 added lines"
_NEITHER = "neither"
_NOTES = [
    "The mode of a commit is the share of agents' recorded lines among these and people's with a witness; commits without "
    "either are 'neither'. Lines that only a trailer declares count for neither side.",
    "The paper scans whole trees before and after with rules that Semgrep's server chose on that day; ours scans what commits "
    "change with pinned rules, follows findings across versions, and counts those on added lines only. Rules of low confidence "
    "(use of an API alone) are apart. `whowrote report weaknesses` compares agents with people.",
]
_COUNTED: tuple[tuple[str, str, str, Mapping[str, float]], ...] = (
    ("introduced", "all rules", "introduced", paper.INTRODUCED),
    ("introduced", "without low confidence", "sure", {}),
    ("fixed", "all rules", "fixed", paper.FIXED),
    ("fixed", "without low confidence", "fixed_sure", {}),
)


def tables(store: Store, sessions: list[Row]) -> list[Table]:
    scanned = scanned_commits(store)
    if not scanned:
        return [table_of([], notes=["Nothing has been scanned; run: whowrote findings scan PATH"], name=NAME, title=_TITLE)]
    lines_of = store.rows("SELECT commit_id, agent_lines, human_lines FROM commit_lines")
    modes = {row["commit_id"]: _mode(row["agent_lines"], row["human_lines"]) for row in lines_of}
    rows = []
    for mode in (*MODES, _NEITHER, "all"):
        commits = [commit for commit in scanned if mode in ("all", modes.get(commit["commit_id"]))]
        lines = sum(commit["lines"] for commit in commits)
        for what, rules, column, published in _COUNTED:
            count = sum(commit[column] for commit in commits)
            interval = poisson_interval(count)
            per = None if rate_if_enough(RateCell(count, lines)).rate is None else 1000 / lines
            rows.append(
                {
                    "mode of the commit": mode, "what": what, "rules": rules, "findings": count, "lines": lines,
                    "per 1,000 lines": count * per if per else None, "low": interval.low * per if per else None,
                    "high": interval.high * per if per else None, "paper_v1": published.get(mode),
                }
            )  # fmt: skip
    few = f"No rate with fewer than {minimum.RATE.lines:,} lines."
    return [table_of(rows, notes=[*_NOTES, few, *audited_notes()], name=NAME, title=_TITLE)]


def scanned_commits(store: Store) -> list[Row]:
    """Commits with scanned lines in source files: `lines`, findings `introduced` and `fixed`, and without low confidence."""
    return store.rows(
        "SELECT l.commit_id, l.lines, COALESCE(f.introduced, 0) AS introduced, COALESCE(f.sure, 0) AS sure, "
        "COALESCE(g.fixed, 0) AS fixed, COALESCE(g.sure, 0) AS fixed_sure FROM "
        "(SELECT commit_id, SUM(lines) AS lines FROM scanned_lines WHERE scanned = 1 AND place = 'source' GROUP BY 1) l LEFT JOIN "
        "(SELECT commit_id, SUM(status = 'introduced') AS introduced, "
        "SUM(status = 'introduced' AND confidence <> 'LOW') AS sure FROM findings WHERE place = 'source' GROUP BY 1) f "
        "ON f.commit_id = l.commit_id LEFT JOIN (SELECT fixed_by, COUNT(*) AS fixed, SUM(confidence <> 'LOW') AS sure "
        "FROM findings WHERE place = 'source' AND fixed_by IS NOT NULL GROUP BY 1) g ON g.fixed_by = l.commit_id "
        "ORDER BY l.commit_id"
    )


def _mode(agent: int, human: int) -> str | None:
    return coding_mode(100 * agent / (agent + human)) if agent + human else _NEITHER
