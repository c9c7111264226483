"""Coding efficiency and survival to the commit, with what became of the rest: equations 2 and 3 of the paper."""

from __future__ import annotations

from typing import Any

from attribution.study import paper
from attribution.study.model import StudyTable, StudyUnit, mean, pooled
from collector.storage.store import Store

NAME = "efficiency"
ORDER = 30

_PARTS = ("survived", "self_overwritten", "human_overwritten", "human_deleted", "unexplained")
_ROWS = """
SELECT s.repo_id, t.*, EXISTS (SELECT 1 FROM commit_sessions c WHERE c.session_id = t.session_id) AND NOT EXISTS
  (SELECT 1 FROM commit_sessions c WHERE c.session_id = t.session_id AND c.clean = 0) AS clean
FROM session_stats t JOIN sessions s ON s.id = t.session_id WHERE t.produced > 0
"""
_NOTES = [
    "The paper averages (over sessions or commits, it does not say) and replays edits from the parent commit, where an edit whose "
    "text is absent cannot be applied; ours takes the recorded text before each edit. On the same records of entireio/cli the two "
    "ways give 53 % and 73 %.",
    "In a commit: found there by position in the replayed file, not by equal text.",
]


def tables(store: Store) -> list[StudyTable]:
    rows = store.rows(_ROWS)
    groups = {
        "all": [r for r in rows if r["commits"]],
        "collaborative": [r for r in rows if r["commits"] and r["coding_mode"] == "collaborative"],
        "vibe": [r for r in rows if r["commits"] and r["coding_mode"] == "vibe"],
        "clean mapping": [r for r in rows if r["clean"]],
        "without a commit too": rows,
    }
    return [
        _ratios("coding_efficiency", "Coding efficiency: lines in a commit / lines produced", groups, "produced", paper.EFFICIENCY),
        _ratios("survival_to_commit", "Survival: lines in a commit / lines of the final state", groups, "final", paper.SURVIVAL),
        _breakdown(groups),
    ]


def _ratios(name: str, title: str, groups: dict[str, list[dict[str, Any]]], below: str, published: Any) -> StudyTable:
    found = []
    for group, rows in groups.items():
        some = [StudyUnit(r["repo_id"], r["survived"], r[below]) for r in rows]
        both = {"pooled": pooled(some), "mean": mean(some)}
        v1, v2 = published.get(group, (None, None))
        values = {f"{kind}_{k}": v for kind, one in both.items() for k, v in one.items() if k in ("value", "low", "high")}
        found.append(
            {
                "sessions": group,
                "n": len(some),
                "repositories": both["pooled"]["repositories"],
                **values,
                "paper_v1": v1,
                "paper_v2": v2,
            }
        )
    return StudyTable(
        name,
        title,
        found,
        _NOTES,
    )


def _breakdown(groups: dict[str, list[dict[str, Any]]]) -> StudyTable:
    found = []
    for part in _PARTS:
        row: dict[str, Any] = {"what became of produced lines": part.replace("_", " ")}
        for group in ("all", "collaborative", "vibe", "clean mapping"):
            row[group] = pooled([StudyUnit(r["repo_id"], r[part], r["produced"]) for r in groups[group]])["value"]
        row["paper_v1"] = {
            "survived": paper.EFFICIENCY["all"][0], "self_overwritten": paper.SELF_OVERWRITE["all"],
            "human_deleted": paper.HUMAN_DELETION["all"],
        }.get(part)  # fmt: skip
        found.append(row)
    return StudyTable("produced_lines", "What became of the lines that sessions produced, lines over lines", found)
