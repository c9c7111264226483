"""Survival on a terminal: how much of each group is still there, and who removed the rest."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from attribution.lineage import minimum
from attribution.queries.survival import SurvivalReport
from attribution.terminal.style import (
    STYLE,
    count_of,
    dim,
    everything,
    grid,
    notes,
    number,
    percent,
    show,
    title,
    words,
)
from collector.console.terminal import one_line
from collector.json_values import Row, jsonable

_MOST = 8  # groups of a kind
_UNITS = {"days": "{} d", "commits": "{} c", "head": "HEAD"}
_LEFT_OUT = {
    "binary": "lines of binary files",
    "uncertain": "lines that may be older than they seem: the clone lacks a file or a parent",
    "copy": "lines of new files that are copies of others",
    "same_text": "lines that both sides of a merge had; they are counted as the ones it kept",
    "not_attributed": "lines of symbolic links and other files without an author",
}
_SHARES = (
    "share of lines that are still there after D days (d) or commits (c), and now (HEAD), as"
    f" Kaplan-Meier estimates it; empty: fewer than {minimum.SHARE.lines} lines of"
    f" {minimum.SHARE.commits} commits are old enough"
)


def survival_view(console: Console, r: SurvivalReport, full: bool = False) -> None:
    """How much is still there, who removed the rest, agents beside the others; with `full` all of
    the numbers.
    """
    for history in r.repositories:
        title(console, history["name"], _history_text(history))
    for grouping in dict.fromkeys(row["grouping"] for row in r.groups):
        _groups(console, grouping, [row for row in r.groups if row["grouping"] == grouping])
    dim(console, _SHARES)
    whole = sum(r.agent_lines_ended_by.values())
    if whole >= minimum.PART.lines:
        shares = (
            f"{words(name)} {percent(lines, whole)}"
            for name, lines in r.agent_lines_ended_by.items()
            if lines
        )
        removed = f"{count_of(whole, 'line')} of agents removed, by: {', '.join(shares)}"
        console.print(Text(f"{removed} (nobody has checked by whom)"))
    for compared in r.comparisons:
        if compared["excess_rework"] is not None:
            console.print(_excess(compared))
    left = [
        f"not counted: {number(lines)} {_LEFT_OUT.get(kind, words(kind) + ' lines')}"
        for kind, lines in r.left_out.items()
    ]
    if full:
        everything(console, jsonable(r))
    notes(console, [*r.notes, *(left if full else ())])
    dim(console, "--by agent · --tables: intervals, medians, hazard ratios, who removed what")


def _excess(compared: Row) -> str:
    excess, low, high = (compared[name] for name in ("excess_rework", "excess_low", "excess_high"))
    around = "" if low is None or high is None else f" ({100 * low:+.1f} to {100 * high:+.1f})"
    return (
        f"removed within 30 days, {compared['agents']} beside {compared['baseline']}:"
        f" {100 * excess:+.1f} points{around}"
    )


def _history_text(history: Row) -> str:
    window = f"since {history['since'][:10]}" if history["after"] else "whole history"
    keep = history["keep"].replace(" ", ", ")
    rule = f"the same through: {keep}" if keep else "matched exactly as by git blame"
    return (
        f"at {history['tip'][:9]}, {window}, {count_of(history['commits'], 'commit')}; lines {rule}"
    )


def _groups(console: Console, grouping: str, rows: Sequence[Row]) -> None:
    """A line for each group and class, a column for each horizon."""
    horizons = sorted(
        {(list(_UNITS).index(row["unit"]), row["unit"], row["horizon"]) for row in rows}
    )
    groups: dict[tuple[str, str, int], dict[tuple[str, int], str]] = {}
    for row in rows:
        groups.setdefault((row["name"], row["author"], row["lines"]), {})[
            row["unit"], row["horizon"]
        ] = percent(row["share"], 1)
    classes = () if grouping == "class" else ("class",)
    head = (
        grouping,
        *classes,
        "lines",
        *(_UNITS[unit].format(horizon) for _, unit, horizon in horizons),
    )
    table = grid(*(("<~", "<") if classes else ("<",)), *">" * (1 + len(horizons)), head=head)
    for (name, author, lines), cells in list(groups.items())[:_MOST]:
        style = STYLE.get(author, "")
        names = [
            Text(one_line(name or "not attributed"), "" if classes else style),
            *([Text(author, style)] if classes else []),
        ]
        table.add_row(*names, number(lines), *(cells.get(key[1:], "") for key in horizons))
    show(console, table, 0)
    if len(groups) > _MOST:
        dim(console, f"and {len(groups) - _MOST} more; for all of them: --csv or --json")
