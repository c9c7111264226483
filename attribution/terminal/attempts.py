"""Evaluation runs on a terminal: a row for each treatment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.scores.attempts import LABELS, PassRate, Treatment
from attribution.terminal.style import grid, notes, number, percent, plain, show, words

if TYPE_CHECKING:
    from attribution.queries.attempts import Treatments

_MOST = 40
_NAMED = ("agent_type", "model_id", "dataset")


def treatment_table(console: Console, result: Treatments) -> None:
    head = (
        "model",
        "agent",
        "set",
        "tasks",
        "attempts",
        "solved",
        "pass@1",
        "95 %",
        "pass@k",
        "retries",
        "not solved",
        "right file",
    )
    table = grid("<~", "<~", "<~", *">" * 5, "<~", ">", "<~", ">", head=head)
    for t in result.treatments[:_MOST]:
        further = ", ".join(f"{r.k}: {_share(r)}" for r in t.rates[1:])
        others = ", ".join(f"{t.labels[x]} {words(x)}" for x in LABELS[1:] if x in t.labels)
        table.add_row(
            plain(t.model), plain(t.agent), plain(_settings(t)), number(t.tasks), number(t.attempts), number(t.solved),
            _share(t.rates[0]), _interval(t.rates[0]), further, _share(t.later) if t.later else "", others,
            percent(*t.localized) if t.localized else "",
        )  # fmt: skip
    show(console, table, 0)
    if len(result.treatments) > _MOST:
        console.print(Text(f"{len(result.treatments) - _MOST} more: --json or --csv", "dim"))
    explanation = "pass@1: mean over tasks with 95 % interval; attempts that the harness could not judge count as not solved"
    console.print(Text(explanation, "dim"))
    notes(console, result.notes)


def _settings(t: Treatment) -> str:
    """The data set, and what else was set."""
    others = {name: value for name, value in json.loads(t.treatment).items() if name not in _NAMED}
    return ", ".join([*([t.dataset] if t.dataset else []), *(f"{name}={value}" for name, value in others.items())]) or ", ".join(
        t.runs
    )


def _share(r: PassRate) -> str:
    return f"{100 * r.value:.1f} %"


def _interval(r: PassRate) -> str:
    return f"{100 * r.interval.low:.1f}–{100 * r.interval.high:.1f}" if r.interval else ""
