"""What a judge said of sessions and messages, with its measured errors taken out, beside what the paper's judges said."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.evaluation.judge.queries import ClassShare, class_shares, judges
from attribution.queries.study import SessionPushback, session_pushback
from attribution.study import paper
from attribution.study.model import FEW_NOTE, MODES, StudyRow, StudyTable, StudyUnit, enough, pooled
from collector.storage.store import Store

NAME = "labels"
ORDER = 55
_TITLE = "Labels of the judge: what messages ask for, how often they push back, how sessions went"


def tables(store: Store) -> list[StudyTable]:
    """Of the judge that answered last; its shares are over what it could tell."""
    known = judges(store)
    if not known:
        return [
            StudyTable("judge_labels", _TITLE, [], ["No label is stored; `whowrote data judge run` asks a model (docs/judge.md)."])
        ]
    judge = known[0]
    rows = [_row(share) for share in class_shares(store, judge, None)]
    notes = [
        f"Judge: {judge.model}, prompts of version {judge.prompt_version}. Corrected shares take out the errors that were measured "
        "against people's labels (Rogan and Gladen); without a validation they are missing, and the counted share may be far off.",
        "The paper's judges were other models with other prompts, on Claude Code's sessions for pushback. It gives pushback by "
        "coding mode; here stands the mean of the three (`pushback_by_mode` has each).",
    ]
    return [StudyTable("judge_labels", _TITLE, rows, notes), _pushback(session_pushback(store, judge.model, judge.prompt_version))]


def _pushback(sessions: Sequence[SessionPushback]) -> StudyTable:
    """Share of Claude Code's labelled messages that push back, by coding mode."""
    rows: list[StudyRow] = []
    for name, published in paper.PUSHBACK.items():
        for mode in (*MODES, "all"):
            own = [one for one in sessions if mode in ("all", one.coding_mode)]
            estimate = enough(pooled([StudyUnit(one.repo_id, _count(one, name), one.told) for one in own]))
            head = {"pushback": name, "mode": mode, "messages": sum(one.told for one in own)}
            rows.append(head | estimate._asdict() | {"paper_v1": published.get(mode)})
    notes = [
        "As counted, not corrected for the judge's errors (`judge_labels` has the corrected shares over all sessions). The paper's "
        "shares are of all turns, ours of the messages that the judge could tell; any: the three classes together.",
        FEW_NOTE,
    ]
    return StudyTable("pushback_by_mode", "Messages to Claude Code that push back, by coding mode", rows, notes)


def _count(of: SessionPushback, name: str) -> int:
    counts = {"correction": of.correction, "rejection": of.rejection, "failure_report": of.failure_report}
    return sum(counts.values()) if name == "any" else counts[name]


def _row(share: ClassShare) -> StudyRow:
    return {
        "label": share.label, "class": share.class_ or "mean", "n": share.n, "of": share.of,
        "share": share.share if share.class_ else share.mean, "corrected": share.corrected, "low": share.low, "high": share.high,
        "paper_v1": paper.LABELS.get((share.label, share.class_)), "note": share.note,
    }  # fmt: skip
