"""What a judge said of sessions and messages, with its measured errors taken out, beside what the paper's judges said."""

from __future__ import annotations

from attribution.queries.judge_labels import ClassShare, class_shares, judges
from attribution.study import paper
from attribution.study.model import StudyRow, StudyTable
from collector.storage.store import Store

NAME = "labels"
ORDER = 55
_TITLE = "Labels of the judge: what messages ask for, how often they push back, how sessions went"


def tables(store: Store) -> list[StudyTable]:
    """Of the judge that answered last; its shares are over what it could tell."""
    known = judges(store)
    if not known:
        return [StudyTable("judge_labels", _TITLE, [], ["No label is stored; `attribute judge run` asks a model (docs/judge.md)."])]
    judge = known[0]
    rows = [_row(share) for share in class_shares(store, judge, None)]
    notes = [
        f"Judge: {judge.model}, prompts of version {judge.prompt_version}. Corrected shares take out the errors that were measured "
        "against people's labels (Rogan and Gladen); without a validation they are missing, and the counted share may be far off.",
        "The paper's judges were other models with other prompts, on Claude Code's sessions for pushback. It gives pushback by "
        "coding mode; here stands the mean of the three.",
    ]
    return [StudyTable("judge_labels", _TITLE, rows, notes)]


def _row(share: ClassShare) -> StudyRow:
    better = share.corrected
    return {
        "label": share.label, "class": share.class_ or "mean", "n": share.n, "of": share.of,
        "share": share.share if share.class_ else share.mean, "corrected": better.rate, "low": better.low, "high": better.high,
        "paper_v1": paper.LABELS.get((share.label, share.class_)), "note": better.note,
    }  # fmt: skip
