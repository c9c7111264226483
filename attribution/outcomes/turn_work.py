"""Counts for each turn, from the replay of the worktrees, the lines it wrote and those that others removed at once. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from attribution.authorship.worktrees import WorktreeRun
from attribution.outcomes.dictated import UserTexts

TurnKey = tuple[int, int]
"""Number of the session, number of the turn."""


@dataclass(slots=True)
class TurnWork:
    """Non-blank lines of one turn."""

    produced: int = 0
    dictated: int = 0
    changed_next: int = 0
    discarded: Counter[int] = field(default_factory=Counter)  # by the session that removed them before any commit had them


def turn_work(runs: Iterable[WorktreeRun], user_texts: Mapping[int, UserTexts]) -> dict[TurnKey, TurnWork]:
    """Turn -> its work, over all worktrees. `user_texts`: session -> what its user said."""
    work: dict[TurnKey, TurnWork] = defaultdict(TurnWork)
    for run in runs:
        _add(work, run, user_texts)
    return dict(work)


def _add(work: dict[TurnKey, TurnWork], run: WorktreeRun, user_texts: Mapping[int, UserTexts]) -> None:
    fates = {fate.line: fate.fate for fate in run.fates}
    writer: dict[int, TurnKey] = {}
    for change in run.changes:
        call = change.call
        if call is None:
            continue
        turn = call.session_id, call.turn
        for line in change.gone:
            _take(work, writer, line, turn, fates.get(line, ""))
        texts = user_texts.get(call.session_id)
        for line, text in zip(change.fresh, change.new, strict=True):
            if line in fates:
                writer[line] = turn
                work[turn].produced += 1
                work[turn].dictated += texts is not None and texts.hold(text, call.turn)


def _take(work: dict[TurnKey, TurnWork], writer: Mapping[int, TurnKey], line: int, by: TurnKey, fate: str) -> None:
    """A call took away a line that a call had written."""
    source = writer.get(line)
    if source is None:
        return
    if source[0] == by[0]:
        work[source].changed_next += by[1] == source[1] + 1
    elif fate != "survived":
        work[source].discarded[by[0]] += 1
