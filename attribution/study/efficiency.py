"""Coding efficiency and survival to the commit, with what became of the rest: equations 2 and 3 of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attribution.queries.study import ProducingSession, producing_sessions
from attribution.study import paper
from attribution.study.model import FEW_NOTE, StudyRow, StudyTable, StudyUnit, audited_notes, enough, mean, pooled
from collector.storage.store import Store

NAME = "efficiency"
ORDER = 30

_PARTS = ("survived", "self_overwritten", "human_overwritten", "human_deleted", "not_committed", "unexplained")
_NOTES = [
    "The paper averages (over sessions or commits, it does not say) and replays edits from the parent commit, where an edit whose "
    "text is absent cannot be applied; ours takes the recorded text before each edit. On the same records of entireio/cli the two "
    "ways give 53 % and 73 %.",
    f"The abstract of v2 says that {paper.V2_SURVIVES:.0%} of agent code survives, without a definition: it is left out.",
    "In a commit: found there by position in the replayed file, not by equal text.",
]


_SHOWN = ("all", "collaborative", "vibe", "clean mapping")
_FATE_NOTES = [
    "human deleted: a person removed the line, and the session saw the file without it. not committed: the commit does not have "
    "the line, although nothing recorded removed it.",
    "Overwritten or deleted by a person: nobody has checked such lines, so this has no measured error rate.",
    "The paper has one row for both, human deletion, which it explains as not committed; it stands beside not committed.",
]


Groups = Mapping[str, Sequence[ProducingSession]]
"""Name -> sessions."""


def tables(store: Store) -> list[StudyTable]:
    sessions = producing_sessions(store)
    groups = {
        "all": [s for s in sessions if s.commits],
        "collaborative": [s for s in sessions if s.commits and s.coding_mode == "collaborative"],
        "vibe": [s for s in sessions if s.commits and s.coding_mode == "vibe"],
        "clean mapping": [s for s in sessions if s.clean],
        "without a commit too": sessions,
    }
    return [
        _ratios("coding_efficiency", "Coding efficiency: lines in a commit / lines produced", groups, "produced", paper.EFFICIENCY),
        _ratios("survival_to_commit", "Survival: lines in a commit / lines of the final state", groups, "final", paper.SURVIVAL),
        _breakdown(groups),
    ]


def _ratios(name: str, title: str, groups: Groups, below: str, published: paper.TwoVersions) -> StudyTable:
    rows = []
    for group, sessions in groups.items():
        units = [StudyUnit(s.repo_id, s.survived, getattr(s, below)) for s in sessions]
        both = {"pooled": enough(pooled(units)), "mean": enough(mean(units))}
        v1, v2 = published.get(group, (None, None))
        values = {f"{kind}_{end}": getattr(both[kind], end) for kind in both for end in ("value", "low", "high")}
        head = {"sessions": group, "n": len(units), "repositories": both["pooled"].repositories}
        rows.append(head | values | {"paper_v1": v1, "paper_v2": v2})
    return StudyTable(name, title, rows, [*_NOTES, FEW_NOTE, *audited_notes()])


def _breakdown(groups: Groups) -> StudyTable:
    published = {
        "survived": paper.EFFICIENCY["all"][0], "self_overwritten": paper.SELF_OVERWRITE["all"],
        "not_committed": paper.HUMAN_DELETION["all"],
    }  # fmt: skip
    rows = []
    for part in _PARTS:
        row: StudyRow = {"what became of produced lines": part.replace("_", " ")}
        for group in _SHOWN:
            row[group] = enough(pooled([StudyUnit(s.repo_id, getattr(s, part), s.produced) for s in groups[group]])).value
        rows.append(row | {"paper_v1": published.get(part)})
    counts: StudyRow = {group: len(groups[group]) for group in _SHOWN}
    rows.append({"what became of produced lines": "n (sessions)"} | counts)
    return StudyTable(
        "produced_lines", "What became of the lines that sessions produced, pooled over lines", rows, [*_FATE_NOTES, FEW_NOTE]
    )
