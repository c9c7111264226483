"""Weaknesses introduced and fixed per 1,000 added lines by the coding mode of the commit, as the paper has them."""

from __future__ import annotations

from attribution.lineage import minimum
from attribution.queries.study import scanned_commits
from attribution.queries.weaknesses import CommitLines, commit_lines, rated
from attribution.study import paper
from attribution.study.model import MODES, StudyTable, audited_notes
from attribution.study.modes import mode_of
from attribution.weaknesses.rates import RateCell, poisson_interval
from collector.storage.store import Store

NAME = "weaknesses"
ORDER = 65

_TITLE = "Weaknesses introduced and fixed per 1,000 added lines"
_NOTES = [
    "The mode of a commit is the share of agents' recorded lines among these and people's with a witness; commits without "
    "either are 'neither'. Lines that only a trailer declares count for neither side.",
    "The paper scans whole trees before and after with rules that Semgrep's server chose on that day; ours scans what commits "
    "change with pinned rules, follows findings across versions, and counts those on added lines only. Rules of low confidence "
    "(use of an API alone) are apart. `whowrote report weaknesses` compares agents with people.",
]


def tables(store: Store) -> list[StudyTable]:
    scanned = scanned_commits(store)
    if not scanned:
        return [StudyTable("weaknesses", _TITLE, [], ["Nothing has been scanned; run: whowrote scan PATH"])]
    modes = {commit.commit_id: _mode(commit) for commit in commit_lines(store)}
    rows = []
    for mode in (*MODES, "neither", "all"):
        commits = [commit for commit in scanned if mode in ("all", modes.get(commit.commit_id))]
        lines = sum(commit.lines for commit in commits)
        for what, name, count, published in (
            ("introduced", "all rules", sum(commit.introduced for commit in commits), paper.INTRODUCED.get(mode)),
            ("introduced", "without low confidence", sum(commit.sure for commit in commits), None),
            ("fixed", "all rules", sum(commit.fixed for commit in commits), paper.FIXED.get(mode)),
            ("fixed", "without low confidence", sum(commit.fixed_sure for commit in commits), None),
        ):
            interval = poisson_interval(count)
            per = None if rated(RateCell(count, lines)).rate is None else 1000 / lines
            rows.append(
                {
                    "mode of the commit": mode, "what": what, "rules": name, "findings": count, "lines": lines,
                    "per 1,000 lines": count * per if per else None, "low": interval.low * per if per else None,
                    "high": interval.high * per if per else None, "paper_v1": published,
                }
            )  # fmt: skip
    few = f"No rate with fewer than {minimum.RATE.lines:,} lines."
    return [StudyTable("weaknesses", _TITLE, rows, [*_NOTES, few, *audited_notes()])]


def _mode(commit: CommitLines) -> str | None:
    known = commit.agent_lines + commit.human_lines
    return mode_of(100 * commit.agent_lines / known) if known else "neither"
