"""What the core asks of this plug-in (`collector/plugins.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from collector.runtime.stages import RunContext

if TYPE_CHECKING:
    from collector.storage.store import Store


def after_lines(context: RunContext) -> None:
    """Labels of judges in the rows of turns."""
    from attribution.evaluation.judge.stage import fill_turn_labels

    fill_turn_labels(context.store, context.repo_id)


def judge_labels(store: Store) -> dict[tuple[str, int, str], str | float]:
    """(session, turn, label) -> what the judge that answered last said."""
    from attribution.evaluation.judge.queries import judges, stored_labels

    labels = (item for judge in judges(store)[:1] for item in stored_labels(store, judge).items())
    return {(label.session, label.turn, label.label): value for label, value in labels}
