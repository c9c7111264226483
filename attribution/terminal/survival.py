"""Survival on a terminal: tables by group, the curves, who removes lines, agents compared with
people.
"""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from attribution.lineage import minimum
from attribution.queries.survival import SurvivalReport
from attribution.stats.comparison import MEANING
from attribution.terminal.style import STYLE, count_of, dim, grid, notes, number, show, title, words
from collector.console.tables import show_table
from collector.console.terminal import one_line
from collector.json_values import Numbers, Row
from collector.storage.views import table_of

_ROWS, _MARGIN, _WIDTH = 12, 8, 72
_MOST = 15  # groups of a kind
_UNITS = {"days": "{} d", "commits": "{} c", "head": "HEAD"}
_LEFT_OUT = {
    "binary": "lines of binary files",
    "uncertain": "lines that may be older than they seem: the clone lacks a file or a parent",
    "copy": "lines of new files that are copies of others",
    "same_text": "lines that both sides of a merge had; they are counted as the ones it kept",
    "not_attributed": "lines of symbolic links and other files without an author",
}
_DOTS = "·-+x*"
_SHARES = (
    "share surviving D days (d) or commits (c), Kaplan-Meier; below, 95 % interval by commit and"
    f" lines at risk; no share with fewer than {minimum.SHARE.lines} lines of"
    f" {minimum.SHARE.commits} commits that are old enough (of one session:"
    f" {minimum.SHARE_OF_SESSION.lines} lines)"
)
_RATIO = (
    "hazard ratio above 1: agents' lines are removed sooner; Cox model stratified by file, errors"
    " clustered by commit"
)
_REWORK = (
    "excess rework: points of the share removed within 30 days, agents minus baseline; interval by"
    " commit (lines)"
)
_UNCHECKED = "who removed a line has no measured error rate: nobody has checked it"


def survival_view(console: Console, r: SurvivalReport) -> None:
    for history in r.repositories:
        title(console, history["name"], _history_text(history))
    console.print()
    for grouping in dict.fromkeys(row["grouping"] for row in r.groups):
        _groups(console, grouping, [row for row in r.groups if row["grouping"] == grouping])
        console.print()
    if r.curves:
        _plot(console, r.curves)
        _medians(console, r.curves)
    causes = [
        {"removed lines": name or "not attributed", **of} for name, of in r.causes.items() if of
    ]
    if causes:
        show_table(console, table_of(causes, {"removed lines": "class"}))
        console.print()
    _enders(console, r.agent_lines_ended_by)
    _comparisons(console, r.comparisons, {row["baseline"]: row for row in r.hazards})
    left = [
        f"not counted: {number(lines)} {_LEFT_OUT.get(kind, words(kind) + ' lines')}"
        for kind, lines in r.left_out.items()
    ]
    notes(console, [*r.notes, *left])


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
    groups: dict[tuple[str, str, int], dict[tuple[str, int], Text]] = {}
    for row in rows:
        groups.setdefault((row["name"], row["author"], row["lines"]), {})[
            row["unit"], row["horizon"]
        ] = _share_cell(row)
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
        table.add_row(*names, number(lines), *(cells.get(key[1:], Text()) for key in horizons))
    show(console, table, 0)
    if len(groups) > _MOST:
        dim(console, f"and {len(groups) - _MOST} more; for all of them: --csv or --json")
    dim(console, _SHARES)


def _share_cell(row: Row) -> Text:
    share = "–" if row["share"] is None else f"{100 * row['share']:.1f} %"
    band = "" if row["low"] is None else f"{100 * row['low']:.0f} to {100 * row['high']:.0f}"
    return Text.assemble(share, (f"\n{band}\n{number(row['at_risk'])}", "dim"))


def _medians(console: Console, curves: Mapping[str, Row]) -> None:
    table = grid("<", ">", "<~")
    for name, curve in curves.items():
        last = curve["steps"][-1]
        middle, tail = "more than half survive", f"{last['alive']:.0%} at {last['days']:.0f} days"
        tail += f" (95 % {last['low']:.0%} to {last['high']:.0%})"
        if curve["median"] is not None:
            low, high = curve["median_low"], curve["median_high"]
            middle = f"{curve['median']:.1f} days"
            tail = (
                f"95 % {'?' if low is None else f'{low:.1f}'} to"
                f" {'not reached' if high is None else f'{high:.1f}'}"
            )
        tail += f"; {count_of(curve['lines'], 'line')} of {count_of(curve['commits'], 'commit')}"
        table.add_row(Text(name, STYLE.get(name, "")), middle, Text(tail, "dim"))
    title(console, "median lifetime", "Kaplan-Meier; intervals by commit")
    show(console, table)
    console.print()


def _enders(console: Console, ended: Numbers) -> None:
    whole = sum(ended.values())
    if not whole:
        return
    rows = [
        {"by": name, "lines": lines, "share": minimum.part_of(lines, whole)}
        for name, lines in ended.items()
    ]
    few = (
        [f"no shares of fewer than {minimum.PART.lines} lines"]
        if whole < minimum.PART.lines
        else []
    )
    title(console, "who removed the agents' lines")
    show_table(console, table_of(rows, {"share": "share"}, [*few, _UNCHECKED]))
    console.print()


def _comparisons(console: Console, comparisons: Sequence[Row], ratios: Mapping[str, Row]) -> None:
    title(console, "agents compared with", "within the same files")
    rows = []
    for c in comparisons:
        ratio = ratios.get(c["baseline"])
        note = "too few" if c["refused"] else ""
        rows.append(
            {
                "baseline": c["baseline"],
                "files": c["files"],
                "agent lines": c["agent_lines"],
                "baseline lines": c["baseline_lines"],
                "excess rework": _excess_text(c),
                "hazard ratio": f"{ratio['ratio']:.2f}" if ratio else "",
                "": (
                    "95 % {low:.2f} to {high:.2f}, p = {p_value:.2g}".format(**ratio)
                    if ratio
                    else note
                ),
            }
        )
    meanings = [f"{c['baseline']}: {MEANING[c['baseline']]}" for c in comparisons]
    show_table(console, table_of(rows, notes=[_RATIO, _REWORK, *meanings]))
    excess = [100 * c["excess_rework"] for c in comparisons if c["excess_rework"] is not None]
    if len(excess) > 1:
        console.print(
            f"excess rework is {min(excess):+.1f} to {max(excess):+.1f} points, depending on the"
            " baseline"
        )
    for c in comparisons:
        for what, refused in (
            ("hazard ratio", c["refused"]),
            ("excess rework", c["refused_rework"]),
        ):
            if refused:
                console.print(Text(f"no {what} against {c['baseline']}: {refused}", "yellow"))


def _excess_text(c: Row) -> str:
    if c["excess_rework"] is None:
        return ""
    band = (
        ""
        if c["excess_low"] is None
        else f" [{100 * c['excess_low']:+.1f}, {100 * c['excess_high']:+.1f}]"
    )
    lines = f"{number(c['rework_agent']['lines'])}, {number(c['rework_baseline']['lines'])}"
    return f"{100 * c['excess_rework']:+.1f}{band} ({lines})"


def _plot(console: Console, curves: Mapping[str, Row]) -> None:
    """Step curves in characters; classes with few lines are drawn first, below the others."""
    width = min(_WIDTH, console.width - _MARGIN - 2)
    longest = max(curve["steps"][-1]["days"] for curve in curves.values()) or 1.0
    canvas = [[(" ", "")] * width for _ in range(_ROWS)]
    keys = []
    for number_of_class, (name, curve) in enumerate(
        sorted(curves.items(), key=lambda item: item[1]["lines"])
    ):
        dot, style = _DOTS[number_of_class % len(_DOTS)], STYLE.get(name, "")
        keys.append((f"{dot} {name}   ", style))
        for column in range(width):
            age = longest * column / (width - 1)
            if age > curve["steps"][-1]["days"] and column:
                break
            alive = next((s["alive"] for s in reversed(curve["steps"]) if s["days"] <= age), 1.0)
            canvas[min(_ROWS - 1, round((1 - alive) * (_ROWS - 1)))][column] = (dot, style)
    for row, cells in enumerate(canvas):
        console.print(
            Text.assemble((f"{1 - row / (_ROWS - 1):>5.0%} │", "dim"), *cells), no_wrap=True
        )
    dim(console, " " * 6 + "└" + "─" * width)
    dim(console, " " * 7 + "0" + f"{longest:.0f} days".rjust(width - 1))
    console.print(Text.assemble(" " * 7, *reversed(keys)))
    console.print()
