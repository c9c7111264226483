"""A study as a self-contained page with figures, and as Markdown.

A figure has a bar for each row of a table, with its interval and what the paper published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from attribution.browse import charts
from attribution.browse.comment import cell
from attribution.browse.standalone import page
from collector.console.tables import cell_text
from collector.storage.views import Table

NOT_COMPARED = (
    "The 59 % of the second version's abstract that survive: its text gives no definition, so nothing here can stand beside it.",
    "The second version's share of collaborative sessions: its abstract names the other two only.",
    "Tokens and cost: the paper names neither its prices nor which tokens it counts. Ours are list prices of recorded tokens.",
    "Weaknesses: the paper scanned whole trees with the rules of Semgrep's server on that day, which nobody can run "
    "again. Its rate of vibe-coded commits rests on at most 5.8 % of the added lines, as its own table implies.",
    "Sessions with a clean mapping: 48.6 % in the paper, whose rule is not given. Ours asks for one session, one "
    "commit and no squash.",
    "Human deletion: the paper counts lines that were not committed, whoever removed them. Ours names a person only "
    "with a witness.",
    "Pushback, intent, persona, success, domain and audience need a judge; without labels in the database their table is empty.",
    "Figures without printed numbers: ours stand alone where the data allow it (tools by position, languages of prompts, "
    "modes over time); reading values off the paper's pictures would invent precision.",
    "Semgrep rules by number of findings: the paper's are the server's rules of that day, ours are other rules "
    "(`whowrote findings`).",
)
"""What of the paper has no counterpart here, with the reason."""


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
    low: str = "low"  # unless the table has columns named after the value
    high: str = "high"
    paper: str = "paper_v1"
    share: bool = True  # between 0 and 1


FIGURES: Mapping[str, Figure] = {
    "agents": Figure(("agent",), "share", paper="paper_v1_share"),
    "coding_modes": Figure(("mode", "counted_by"), "pooled"),
    "coding_efficiency": Figure(("sessions",), "pooled"),
    "survival_to_commit": Figure(("sessions",), "pooled"),
    "produced_lines": Figure(("sessions", "fate"), "pooled"),
    "cost": Figure(("per_100_committed_lines", "mode"), "median", paper="paper_v1_median", share=False),
    "turn_outcomes": Figure(("turns", "mode"), "pooled"),
    "judge_labels": Figure(("label", "class"), "share"),
    "pushback_by_mode": Figure(("pushback", "mode"), "pooled"),
    "tools": Figure(("category",), "share"),
    "last_tools": Figure(("tool",), "share"),
    "weaknesses": Figure(("mode of the commit", "what", "rules"), "per 1,000 lines", share=False),
    "survival_after_commit": Figure(("author", "alive after"), "value"),
    "excess_rework": Figure(("against",), "excess", share=False),
    "error_rate": Figure(("class", "evidence"), "right", "95 % from", "95 % to"),
    "corrected_shares": Figure(("files", "author"), "corrected", "95 % from", "95 % to", "counted"),
}
"""Tables without an entry have no figure: what they say is in their rows."""
_APART = ("cost", "judge_labels", "produced_lines")  # tables with a figure for each of their first labels
_LABEL = 38  # characters of the label of a bar
_LEFT, _WIDTH, _TALL = 250.0, 760, 24.0


def html(tables: Sequence[Table]) -> str:
    """The page. Raises WhoWroteError when Jinja2 is missing."""
    population = next((table.rows for table in tables if table.name == "population"), [])
    figures = {table.name: [(name, chart(bars, FIGURES[table.name].share)) for name, bars in groups(table)] for table in tables}
    repositories = population[0].get("ours") if population else None
    return page(
        "whowrote_study_report.html",
        tables=tables,
        figures=figures,
        repositories=repositories,
        missing=NOT_COMPARED,
        cell=cell_text,
    )


def markdown(tables: Sequence[Table]) -> str:
    parts = []
    for table in tables:
        parts += [f"## {table.title}", ""]
        if table.rows:
            names = [column.name for column in table.columns]
            parts += [f"| {' | '.join(cell(name.replace('_', ' ')) for name in names)} |", "|" + "---|" * len(names)]
            cells = ([cell(cell_text(column, row[column.name])) for column in table.columns] for row in table)
            parts += [f"| {' | '.join(row)} |" for row in cells]
        else:
            parts.append("No data.")
        parts += ["", *(line for note in table.notes for line in (note, ""))]
    parts += ["## What is not compared, and why", "", *(f"- {sentence}" for sentence in NOT_COMPARED)]
    return "\n".join(parts) + "\n"


# --- figures ----------------------------------------------------------------------------------------------------------


def bars(table: Table) -> list[Bar]:
    """Rows that have a number or a published one; [] for a table without a figure."""
    figure = FIGURES.get(table.name)
    if figure is None:
        return []
    rows = [_bar(row, figure) for row in table]
    return [bar for bar in rows if bar.value is not None or bar.paper is not None]


def groups(table: Table) -> list[tuple[str, list[Bar]]]:
    """The figures of a table: one, or one for each of its first labels."""
    every = bars(table)
    if table.name not in _APART:
        return [("", every)] if every else []
    apart: dict[str, list[Bar]] = {}
    for bar in every:
        first, _, second = bar.label.partition(", ")
        apart.setdefault(first, []).append(bar._replace(label=second or first))
    return list(apart.items())


def _bar(row: Mapping[str, object], figure: Figure) -> Bar:
    label = ", ".join(str(row.get(name) or "") for name in figure.labels)
    low, high = (row.get(f"{figure.value}_{end}", row.get(getattr(figure, end))) for end in ("low", "high"))
    return Bar(label, *(_number(value) for value in (row.get(figure.value), low, high, row.get(figure.paper))))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def chart(rows: Sequence[Bar], share: bool = True) -> str:
    """A bar for each row as SVG, with its interval as a line and what somebody else published as a ring."""
    numbers = [number for row in rows for number in (row.value, row.low, row.high, row.paper) if number is not None]
    bottom, top = min(0.0, *numbers), max(0.0, *numbers) or 1.0
    right = _WIDTH - 60.0
    scale = (right - _LEFT) / (top - bottom)

    def x_of(value: float) -> float:
        return _LEFT + scale * (value - bottom)

    def words(value: float | None) -> str:
        return "–" if value is None else f"{value:.1%}" if share else f"{value:,.3g}"

    height = int(_TALL * len(rows) + 8)
    marks = [charts.line("grid", x_of(0), 0, x_of(0), height)]
    for number, row in enumerate(rows):
        y = 4 + _TALL * number
        title = f"{row.label}: {words(row.value)}, {words(row.low)} to {words(row.high)}; published {words(row.paper)}"
        marks.append(charts.text(0, y + 15, row.label if len(row.label) <= _LABEL else row.label[: _LABEL - 1] + "…"))
        if row.value is not None:
            left, wide = min(x_of(0), x_of(row.value)), max(abs(x_of(row.value) - x_of(0)), 0.8)
            marks.append(charts.rect("agent", left, y + 3, wide, 14, title))
            marks.append(charts.text(right + 6, y + 15, words(row.value)))
        if row.low is not None and row.high is not None:
            marks.append(charts.line("band", x_of(row.low), y + 10, x_of(row.high), y + 10))
        if row.paper is not None:
            marks.append(charts.circle("ring", x_of(row.paper), y + 10, 5, title))
    return charts.svg(_WIDTH, height, marks, "; ".join(f"{row.label} {words(row.value)}" for row in rows))
