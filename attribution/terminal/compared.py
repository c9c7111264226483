"""Agents' lines beside others on a terminal: the rates, then the ratio in a sentence, with what
could refute it.
"""

from collections.abc import Sequence

from rich.console import Console

from attribution.terminal.style import dim
from collector.console.tables import show_table
from collector.console.terminal import one_line
from collector.json_values import Row
from collector.storage.views import Table
from collector.text import count_of

_COLUMNS = ("lines of", "events", "lines", "commits", "per_1000", "low", "high", "at_once?")


def compared_view(console: Console, tables: Sequence[Table]) -> None:
    """The tables of `queries.compared.compare_tables`; its commits are for --json."""
    sides, ratios = tables[:2]
    console.print(one_line(sides.title), style="bold")
    show_table(console, sides, _COLUMNS)
    console.print()
    for row in ratios.rows[:2]:  # of all agents; --json has recorded and declared lines apart
        for sentence in _sentences(row):
            console.print(sentence)
    dim(console, f"What this does not show: {'; '.join(ratios.notes)}")
    dim(
        console,
        "--json: agents with and without a record apart, and the commits behind these numbers",
    )


def _sentences(row: Row) -> list[str]:
    against = f"agents' lines beside {row['against']}"
    if row["refused"]:
        return [f"{against}: no ratio: {row['refused']}"]
    ratio, low, high = (f"{row[column]:.2f}" for column in ("ratio", "low", "high"))
    compared = f"{count_of(row['commits'], 'commit')} and {row['commits_of_others']}"
    chance = (f"{row[column]:.2f}" for column in ("by_chance", "by_chance_low", "by_chance_high"))
    return [
        f"{against}: {ratio} times as many ({low} to {high}), {compared} that are alike",
        "  controls: with authors drawn again the interval holds 1 in"
        f" {row['shuffles_that_hold_1']} of {row['shuffles']}; an outcome of chance"
        f" {_range(*chance)}",
    ]


def _range(value: str, low: str, high: str) -> str:
    return f"{value} ({low} to {high})"
