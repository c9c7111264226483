"""What the core asks of this plug-in (`collector/plugins.py`)."""

from __future__ import annotations

from collector.runtime.stages import RunContext


def after_lines(context: RunContext) -> None:
    """Labels of judges in the rows of turns."""
    from attribution.evaluation.judge.stage import fill_turn_labels

    fill_turn_labels(context.store, context.repo_id)
