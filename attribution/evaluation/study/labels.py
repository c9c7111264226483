"""What a judge said of sessions and messages, with its measured errors taken out, beside what the paper's judges said."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.evaluation.judge.queries import class_shares, judges
from attribution.evaluation.study import paper
from attribution.evaluation.study.numbers import CLAUDE_CODE, EVERY_MODE, FEW_NOTE, StudyUnit, enough, pooled
from attribution.evaluation.study.sessions import Row
from collector.storage.store import Store
from collector.storage.views import Table, table_of

NAME = "labels"
ORDER = 55
_TITLE = "Labels of the judge: what messages ask for, how often they push back, how sessions went"
_CLASSES = ("correction", "rejection", "failure_report")  # of pushback, that the paper counts
_ANY = "any"


def tables(store: Store, sessions: list[Row]) -> list[Table]:
    """Of the judge that answered last; its shares are over what it could tell."""
    latest = next(iter(judges(store)), None)
    if latest is None:
        note = "No label is stored; `whowrote data judge run` asks a model (docs/judge.md)."
        return [table_of([], notes=[note], name="judge_labels", title=_TITLE)]
    rows = [_row(share) for share in class_shares(store, latest, None)]
    notes = [
        f"Judge: {latest.model}, prompts of version {latest.prompt_version}. Corrected shares take out the errors measured "
        "against people's labels (Rogan and Gladen); without a validation they are missing, and the counted share may be far off.",
        "The paper's judges were other models with other prompts, on Claude Code's sessions for pushback. It gives pushback by "
        "coding mode; here stands the mean of the three (`pushback_by_mode` has each).",
    ]
    pushback = pushback_counts(store, latest.model, latest.prompt_version)
    return [table_of(rows, notes=notes, name="judge_labels", title=_TITLE), _pushback(pushback)]


def pushback_counts(store: Store, model: str, prompt_version: str) -> list[Row]:
    """For each session of Claude Code: messages that the judge could tell, and of those the ones of each class."""
    counts = ", ".join(f"SUM(l.value = '{name}') AS {name}" for name in _CLASSES)
    listed = ", ".join(f"'{name}'" for name in _CLASSES)
    return store.rows(
        f"SELECT s.repo_id, t.coding_mode, COUNT(*) AS messages, {counts}, SUM(l.value IN ({listed})) AS {_ANY} "
        "FROM judge_labels l JOIN sessions s ON s.id = l.session_id JOIN corpus_sessions k ON k.session_id = s.id "
        "LEFT JOIN session_stats t ON t.session_id = s.id WHERE l.label = 'pushback' AND l.value IS NOT NULL AND l.model = ? "
        "AND l.prompt_version = ? AND s.agent = ? GROUP BY s.id ORDER BY s.id",
        (model, prompt_version, CLAUDE_CODE),
    )


def _pushback(sessions: Sequence[Row]) -> Table:
    """Share of Claude Code's labelled messages that push back, by coding mode."""
    rows: list[Row] = []
    for name, published in paper.PUSHBACK.items():
        for mode in EVERY_MODE:
            members = [session for session in sessions if mode in ("all", session["coding_mode"])]
            ratio = enough(pooled([StudyUnit(session["repo_id"], session[name], session["messages"]) for session in members]))
            head = {"pushback": name, "mode": mode, "messages": sum(session["messages"] for session in members)}
            rows.append(head | ratio._asdict() | {"paper_v1": published.get(mode)})
    notes = [
        "As counted, not corrected for the judge's errors (`judge_labels` has the corrected shares over all sessions). The paper's "
        "shares are of all turns, ours of the messages that the judge could tell; any: the three classes together.",
        FEW_NOTE,
    ]
    title = "Messages to Claude Code that push back, by coding mode"
    return table_of(rows, notes=notes, name="pushback_by_mode", title=title)


def _row(share: Row) -> Row:
    return {
        **{name: share.get(name) for name in ("label", "class", "n", "of", "share", "corrected", "low", "high")},
        **({} if share["class"] else {"class": "mean", "share": share["mean"]}),
        "paper_v1": paper.LABELS.get((share["label"], share["class"])), "note": share.get("note", ""),
    }  # fmt: skip
