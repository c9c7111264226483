"""Survival on a terminal: tables by group, the curves, who removes lines, agents compared with people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.lineage import minimum
from attribution.lineage.survival import COMMITS, DAYS
from attribution.stats.comparison import MEANING, Comparison, spread
from attribution.stats.kaplan_meier import Point
from attribution.terminal.style import STYLE, grid, notes, number, percent, plain, show, title, words
from collector.console.terminal import one_line

if TYPE_CHECKING:
    from attribution.queries.survival import FollowedHistory, SurvivalGroup, SurvivalReport
    from attribution.stats.estimates import Hazard
    from attribution.stats.kaplan_meier import Curve

_ROWS, _MARGIN, _WIDTH = 12, 8, 72
_MOST = 15  # groups of a kind
_LEFT_OUT = {
    "binary": "lines of binary files",
    "uncertain": "lines that may be older than they seem: the clone lacks a file or a parent",
    "copy": "lines of new files that are copies of others",
    "same_text": "lines that both sides of a merge had; they are counted as the ones it kept",
    "not_attributed": "lines of symbolic links and other files without an author",
}
_DOTS = "·-+x*"


def survival_view(console: Console, r: SurvivalReport) -> None:
    for history in r.repos:
        title(console, history.name, _history_text(history))
    console.print()
    for grouping in dict.fromkeys(g.grouping for g in r.groups):
        _groups(console, grouping, [g for g in r.groups if g.grouping == grouping])
        console.print()
    if r.curves:
        _plot(console, r.curves)
        _medians(console, r.curves)
    _causes(console, r.causes)
    _enders(console, r.ended_by)
    _comparisons(console, r.comparisons, r.hazards)
    left = [f"not counted: {number(lines)} {_LEFT_OUT.get(kind, words(kind) + ' lines')}" for kind, lines in r.left_out.items()]
    notes(console, [*r.notes, *left])


def _history_text(history: FollowedHistory) -> str:
    window = f"since {history.since[:10]}" if history.after else "whole history"
    rule = f"the same through: {history.keep.replace(' ', ', ')}" if history.keep else "matched exactly as by git blame"
    return f"at {history.tip[:9]}, {window}, {number(history.commits)} commits; lines {rule}"


# --- tables -----------------------------------------------------------------------------------------------------------


def _groups(console: Console, grouping: str, groups: Sequence[SurvivalGroup]) -> None:
    keys = [("days", d) for d in DAYS] + [("commits", c) for c in COMMITS] + [("head", 0)]
    there = [key for key in keys if any((p.unit, p.horizon) == key for g in groups for p in g.points)]
    head = (grouping, *(("class",) if grouping != "class" else ()), "lines", *(_heading(*key) for key in there))
    names = ("<",) if grouping == "class" else ("<~", "<")
    table = grid(*names, *">" * (1 + len(there)), head=head)
    for g in groups[:_MOST]:
        style = STYLE.get(g.author, "")
        points = {(p.unit, p.horizon): p for p in g.points}
        cells = []
        for key in there:
            point = points.get(key)
            cells.append(_cell(point) if point else Text())
        name = Text(one_line(g.name or "not attributed"), style if grouping == "class" else "")
        table.add_row(name, *((Text(g.author, style),) if grouping != "class" else ()), number(g.lines), *cells)
    show(console, table, 0)
    if len(groups) > _MOST:
        console.print(Text(f"and {len(groups) - _MOST} more; for all of them: --csv or --json", "dim"))
    console.print(
        Text(
            "share surviving D days (d) or commits (c), Kaplan-Meier; below, 95 % interval by commit and lines at risk; no share "
            f"with fewer than {minimum.SHARE.lines} lines of {minimum.SHARE.commits} commits that are old enough "
            f"(of one session: {minimum.SHARE_OF_SESSION.lines} lines)",
            "dim",
        )
    )


def _cell(point: Point) -> Text:
    share = "–" if point.share is None else f"{100 * point.share:.1f} %"
    band = f"\n{100 * point.low:.0f} to {100 * point.high:.0f}" if point.low is not None and point.high is not None else "\n"
    return Text.assemble(share, (f"{band}\n{number(point.at_risk)}", "dim"))


def _heading(unit: str, horizon: int) -> str:
    return "HEAD" if unit == "head" else f"{horizon} d" if unit == "days" else f"{horizon} c"


def _medians(console: Console, curves: Mapping[str, Curve]) -> None:
    table = grid("<", ">", "<~")
    for name, curve in curves.items():
        last = curve.steps[-1]
        middle = f"{curve.median:.1f} days" if curve.median is not None else "more than half survive"
        low = f"{curve.median_low:.1f}" if curve.median_low is not None else "?"
        high = f"{curve.median_high:.1f}" if curve.median_high is not None else "not reached"
        interval = f"95 % {low} to {high}" if curve.median is not None else ""
        tail = interval or f"{last.alive:.0%} at {last.days:.0f} days (95 % {last.low:.0%} to {last.high:.0%})"
        tail += f"; {number(curve.lines)} lines of {number(curve.commits)} commits"
        table.add_row(Text(name, STYLE.get(name, "")), middle, Text(tail, "dim"))
    console.print(Text.assemble(("median lifetime", "bold"), ("  Kaplan-Meier; intervals by commit", "dim")))
    show(console, table)
    console.print()


def _causes(console: Console, causes: Mapping[str, Mapping[str, int]]) -> None:
    names = list(dict.fromkeys(cause for of in causes.values() for cause in of))
    if not names:
        return
    table = grid("<", *">" * len(names), head=("removed lines", *(words(n) for n in names)))
    for name, of in ((name, of) for name, of in causes.items() if of):
        table.add_row(Text(name or "not attributed", STYLE.get(name, "")), *(number(of.get(n)) for n in names))
    show(console, table, 0)
    console.print()


def _enders(console: Console, ended: Mapping[str, int]) -> None:
    whole = sum(ended.values())
    if not whole:
        return
    console.print(Text.assemble(("who removed the agents' lines", "bold")))
    table = grid("<", ">", ">")
    for name, lines in ended.items():
        share = minimum.part_of(lines, whole)
        table.add_row(name, number(lines), "" if share is None else percent(lines, whole))
    show(console, table)
    if whole < minimum.PART.lines:
        console.print(Text(f"no shares of fewer than {minimum.PART.lines} lines", "dim"))
    console.print(Text("who removed a line has no measured error rate: nobody has checked it", "dim"))
    console.print()


def _comparisons(console: Console, comparisons: Sequence[Comparison], hazards: Sequence[Hazard]) -> None:
    ratios = {h.baseline: h for h in hazards}
    console.print(Text.assemble(("agents compared with", "bold"), ("  within the same files", "dim")))
    head = ("baseline", "files", "agent lines", "baseline lines", "excess rework", "hazard ratio", "")
    table = grid("<", ">", ">", ">", ">", ">", "<~", head=head)
    for c in comparisons:
        rework = _excess(c)
        h = ratios.get(c.baseline)
        ratio = f"{h.ratio:.2f}" if h else ""
        note = f"95 % {h.low:.2f} to {h.high:.2f}, p = {h.p_value:.2g}" if h else "too few" if c.refused else ""
        table.add_row(
            c.baseline, number(c.files), number(c.agent_lines), number(c.baseline_lines), rework, ratio, Text(note, "dim")
        )  # fmt: skip
    show(console, table)
    console.print(
        Text(
            "hazard ratio above 1: agents' lines are removed sooner; Cox model stratified by file, errors clustered by commit",
            "dim",
        )
    )
    console.print(
        Text("excess rework: points of the share removed within 30 days, agents minus baseline; interval by commit (lines)", "dim")
    )
    for c in comparisons:
        console.print(Text(f"{c.baseline}: {MEANING[c.baseline]}", "dim"))
    between = spread(comparisons)
    if between is not None:
        console.print(f"excess rework is {100 * between[0]:+.1f} to {100 * between[1]:+.1f} points, depending on the baseline")
    for c in comparisons:
        if c.refused:
            console.print(Text(f"no hazard ratio against {c.baseline}: {c.refused}", "yellow"))
        if c.refused_rework:
            console.print(Text(f"no excess rework against {c.baseline}: {c.refused_rework}", "yellow"))
        if c.chi_square is not None and c.p_value is not None:
            test = f"chi² {c.chi_square:.1f}, p = {c.p_value:.2g}, assumes independent lines, so p is too small"
            text = f"log-rank by file, {c.baseline}: {test}"
            console.print(Text(text, "dim"))


def _excess(c: Comparison) -> str:
    if c.excess_rework is None:
        return ""
    band = (
        f" [{100 * c.excess_low:+.1f}, {100 * c.excess_high:+.1f}]"
        if c.excess_low is not None and c.excess_high is not None
        else ""
    )
    return f"{100 * c.excess_rework:+.1f}{band} ({number(c.rework_agent.lines)}, {number(c.rework_baseline.lines)})"


# --- the plot ---------------------------------------------------------------------------------------------------------


def _plot(console: Console, curves: Mapping[str, Curve]) -> None:
    """Step curves in characters; classes with few lines are drawn first, below the others."""
    width = min(_WIDTH, console.width - _MARGIN - 2)
    longest = max(curve.steps[-1].days for curve in curves.values()) or 1.0
    canvas: list[list[tuple[str, str]]] = [[(" ", "")] * width for _ in range(_ROWS)]
    for location, (name, curve) in enumerate(sorted(curves.items(), key=lambda item: item[1].lines)):
        for column in range(width):
            age = longest * column / (width - 1)
            if age > curve.steps[-1].days and column:
                break
            alive = next((s.alive for s in reversed(curve.steps) if s.days <= age), 1.0)
            canvas[min(_ROWS - 1, round((1 - alive) * (_ROWS - 1)))][column] = (_DOTS[location % len(_DOTS)], STYLE.get(name, ""))
    for row, cells in enumerate(canvas):
        share = f"{1 - row / (_ROWS - 1):>5.0%} │"
        console.print(Text.assemble((share, "dim"), *cells), no_wrap=True)
    console.print(Text(" " * 6 + "└" + "─" * width, "dim"))
    end = f"{longest:.0f} days"
    console.print(Text(" " * 7 + "0" + end.rjust(width - 1), "dim"))
    order = sorted(curves.items(), key=lambda item: item[1].lines)
    keys = [Text.assemble((_DOTS[n % len(_DOTS)] + " " + name + "   ", STYLE.get(name, ""))) for n, (name, _) in enumerate(order)]
    console.print(Text.assemble(" " * 7, *reversed(keys)))
    console.print()


def picture_note(console: Console, path: object) -> None:
    console.print(Text.assemble("plot written to ", plain(path)))
