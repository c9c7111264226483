"""Which columns of a table make its figure: a bar for each row, with its interval and what the paper published. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from attribution.study.model import StudyRow, StudyTable


class Bar(NamedTuple):
    """One row of a figure. None: nothing is known."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    paper: float | None


class Figure(NamedTuple):
    """Columns of a table."""

    labels: tuple[str, ...]
    value: str
    low: str = "low"
    high: str = "high"
    paper: str = "paper_v1"
    share: bool = True  # between 0 and 1


FIGURES: Mapping[str, Figure] = {
    "agents": Figure(("agent",), "share", paper="paper_v1_share"),
    "coding_modes": Figure(("mode",), "ours value", "ours low", "ours high"),
    "coding_efficiency": Figure(("sessions",), "pooled_value", "pooled_low", "pooled_high"),
    "survival_to_commit": Figure(("sessions",), "pooled_value", "pooled_low", "pooled_high"),
    "produced_lines": Figure(("what became of produced lines",), "all"),
    "cost": Figure(("per 100 committed lines", "mode"), "median", "", "", "paper_v1_median", share=False),
    "turn_outcomes": Figure(("turns", "mode"), "value"),
    "judge_labels": Figure(("label", "class"), "share"),
    "pushback_by_mode": Figure(("pushback", "mode"), "value"),
    "tools": Figure(("category",), "share"),
    "last_tools": Figure(("tool",), "share"),
    "weaknesses": Figure(("mode of the commit", "what", "rules"), "per 1,000 lines", share=False),
    "survival_after_commit": Figure(("author", "alive after"), "value"),
    "excess_rework": Figure(("against",), "excess", share=False),
    "error_rate": Figure(("class", "evidence"), "right", "95 % from", "95 % to"),
    "corrected_shares": Figure(("files", "author"), "corrected", "95 % from", "95 % to", "counted"),
}
"""Tables without an entry have no figure: what they say is in their rows."""


def bars(table: StudyTable) -> list[Bar]:
    """Rows that have a number or a published one; [] for a table without a figure, and where units differ too much for one axis."""
    figure = FIGURES.get(table.name)
    if figure is None:
        return []
    found = [_bar(row, figure) for row in table.rows]
    return [bar for bar in found if bar.value is not None or bar.paper is not None]


def groups(table: StudyTable) -> list[tuple[str, list[Bar]]]:
    """The figures of a table: one, or one for each of its first labels where these have units of their own (`cost`)."""
    found = bars(table)
    if table.name not in ("cost", "judge_labels"):
        return [("", found)] if found else []
    apart: dict[str, list[Bar]] = {}
    for bar in found:
        first, _, rest = bar.label.partition(", ")
        apart.setdefault(first, []).append(bar._replace(label=rest or first))
    return list(apart.items())


def _bar(row: StudyRow, figure: Figure) -> Bar:
    label = ", ".join(str(row.get(name) or "") for name in figure.labels)
    return Bar(label, *(_number(row.get(name)) for name in (figure.value, figure.low, figure.high, figure.paper)))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
