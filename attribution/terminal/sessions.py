"""Sessions on a terminal: features, rounds of edits."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from attribution.features import groups
from attribution.terminal.style import (
    count_of,
    dim,
    grid,
    minute,
    number,
    plain,
    show,
    source,
    title,
)
from collector.console.terminal import one_line
from collector.json_values import Texts
from collector.storage.views import Table
from collector.vocabulary.agents import label_of

_MOST_LINES = 12
_TREND = {"converging": "green", "expanding": "yellow", "oscillating": "red"}


def feature_list(console: Console, table: Table, why: Texts) -> None:
    """Every feature of one session, with its unit; `why` says why a feature has no value."""
    (row,) = table
    title(console, row["label"], f"{label_of(row['agent'] or '') or 'unknown agent'}, {row['key']}")
    for group in groups():
        console.print()
        lines = grid("<", "<~", "<~")
        lines.add_row(Text(group.TITLE, "bold"), "", "")
        for feature in group.FEATURES:
            value = row[feature.name]
            missing = Text(f"none: {why.get(feature.name, '')}", "dim")
            lines.add_row(
                "  " + feature.name,
                missing if value is None else plain(_short(value)),
                Text(feature.unit, "dim"),
            )
        show(console, lines)


def _short(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) and abs(value) < 1e6 else str(value)
    return text if len(text) <= 90 else text[:89] + "…"


def region_list(console: Console, table: Table, counts: Mapping[str | None, int]) -> None:
    """Re-edited regions with their rounds.

    `counts`: convergence -> number of all regions, shown or not.
    """
    for row in table:
        path = f"{row['path']}:{row['start_line']}" if row["start_line"] else row["path"]
        trend = row["convergence"] or ""
        symbol = next((edit["symbol"] for edit in row["edits"] if edit["symbol"]), "")
        round_ = row["returned_to"]
        back = {None: "", 0: "  back to the text before the session"}.get(
            round_, f"  back to round {round_}"
        )
        console.print(Text.assemble((one_line(path), "bold"), "  ", (trend, _TREND[trend]), back))
        dim(console, one_line(f"  {row['label']}  ({row['session'][:8]})"))
        if symbol:
            dim(console, one_line(f"  in {symbol}"))
        last = 0
        for edit in row["edits"]:
            if edit["round"] != last:
                last = edit["round"]
                dim(
                    console,
                    f"  {last}. {edit['tool']} in turn {edit['turn_index']},"
                    f" {minute(edit['at'] or '')}",
                )
            _lines(console, edit["removed"], "-", "red")
            _lines(console, edit["added"], "+", "green")
        console.print()
    parts = ", ".join(f"{number(counts[name])} {name}" for name in _TREND if counts.get(name))
    every = sum(counts.values())
    dim(
        console,
        f"{count_of(every, 'region')} edited by two or more calls{': ' + parts if parts else ''}",
    )
    if every > len(table):
        dim(
            console,
            f"{number(len(table))} are shown; for more: --limit N, for one session: --session KEY",
        )


def _lines(console: Console, text: str | None, mark: str, style: str) -> None:
    lines = (text or "").split("\n") if text else []
    for line in lines[:_MOST_LINES]:
        console.print(Text(f"     {mark} {source(line)}", style), soft_wrap=True)
    if len(lines) > _MOST_LINES:
        dim(console, f"     {mark} … {count_of(len(lines) - _MOST_LINES, 'more line')}")
