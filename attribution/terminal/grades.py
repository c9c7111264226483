"""Grades on a terminal: means by group, differences, the trend, harm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.scores.grades import REPOSITORIES, SESSIONS, GradeCell, GradeDifference, GradeGap, Harm, HarmRate, Trend
from attribution.scores.quality import AGREEMENT
from attribution.terminal.sessions import model_table
from attribution.terminal.style import grid, notes, number, percent, plain, show, words
from collector.console.terminal import one_line

if TYPE_CHECKING:
    from attribution.queries.grades import GradeReport
    from attribution.stats.intervals import Interval

_MOST = 20  # groups of a kind
_OVER = {REPOSITORIES: "repositories", SESSIONS: "sessions *", "": ""}


def grade_tables(console: Console, r: GradeReport, whole: bool = True) -> None:
    """`whole`: with differences, trend and harm."""
    for some in r.cells.values():
        if some:
            _cells(console, some)
    if whole:
        for gaps in r.gaps.values():
            if gaps:
                _gaps(console, gaps)
        _trend(console, r.trend)
        _harm(console, r.harm)
        if r.models:
            model_table(console, r.models)
            console.print()
    parts = [f"{number(r.graded)} sessions with a score, {number(r.ungraded)} without; 95 % intervals over repositories"]
    parts.append("* fewer than 5 repositories: assumes independent sessions, and does not generalise to other repositories")
    parts.append(AGREEMENT.sentence())
    parts.append(f"groups with fewer than {r.least} sessions have no mean")
    console.print(Text("\n".join(parts), "dim"))
    notes(console, r.notes)


def _cells(console: Console, some: Sequence[GradeCell]) -> None:
    head = (some[0].grouping, "sessions", "repositories", "effective", "mean Q", "median", "std error", "95 % interval", "over")
    table = grid("<~", *">" * 7, "<", head=head)
    for c in some[-_MOST:] if some[0].grouping == "week" else some[:_MOST]:
        table.add_row(
            plain(c.name), number(c.sessions), number(c.repositories), f"{c.effective:.1f}", _value(c.mean), _value(c.median),
            _value(c.error, 3), _interval(c.interval), Text(_OVER[c.over], "dim"),
        )  # fmt: skip
    show(console, table, 0)
    if len(some) > _MOST:
        console.print(Text(f"{len(some) - _MOST} more: --json or --csv", "dim"))
    console.print()


def _gaps(console: Console, gaps: Sequence[GradeGap]) -> None:
    console.print(Text.assemble((f"difference in mean Q from {one_line(gaps[0].reference)}", "bold")))
    head = (gaps[0].grouping, "sessions", "shared", "raw", "adjusted for task", "and repository", "weight", "tasks")
    table = grid("<~", *">" * 6, "<~", head=head)
    for g in gaps:
        compared = ", ".join(g.categories) or "no task type in common"
        if g.categories and g.standardised.value is None:
            compared = f"too few: {compared}"
        table.add_row(
            plain(g.name), number(g.sessions), number(g.shared_repositories), *map(_gap, (g.raw, g.standardised, g.within)),
            percent(round(1000 * g.weight), 1000), plain(compared),
        )  # fmt: skip
    show(console, table, 0)
    console.print()


def _gap(d: GradeDifference) -> Text:
    """The difference, its interval below."""
    mark = "*" if d.over == SESSIONS else ""
    return Text.assemble(_signed(d.value), ("\n" + _interval(d.interval, signed=True) + mark if d.interval else "", "dim"))


def _trend(console: Console, t: Trend) -> None:
    table = grid("<", ">", ">", "<", head=("trend of Q per week", "slope", "95 % interval", "over"))
    for name, d in (("all sessions", t.slope), ("within repositories", t.within)):
        table.add_row(name, _signed(d.value, 4), _interval(d.interval, 4, signed=True), Text(_OVER[d.over], "dim"))
    show(console, table, 0)
    console.print(Text(f"{number(t.sessions)} sessions of {t.repositories} repositories in {t.weeks} weeks", "dim"))
    console.print()


def _harm(console: Console, harms: Sequence[Harm]) -> None:
    head = (
        "harm",
        "sessions",
        "commits",
        "reverted",
        "sessions reverted",
        "95 %",
        "undid own changes",
        "95 %",
        "high findings",
        "sessions with one",
    )
    table = grid("<~", *">" * 9, head=head)
    for h in harms:
        undone, found = _rate(h.changes_reverted), "unknown" if h.findings is None else number(h.findings)
        table.add_row(
            plain(words(h.name)), number(h.sessions), number(h.commits), number(h.reverted_commits),
            *_rate(h.with_reverted_commits), *undone, found, _rate(h.with_findings)[0],
        )  # fmt: skip
    show(console, table, 0)
    console.print()


def _rate(r: HarmRate | None) -> tuple[str, str]:
    if r is None:
        return "unknown", ""
    low, high = (f"{100 * x:.1f}" for x in r.interval) if r.interval else ("", "")
    return f"{number(r.hits)} of {number(r.of)}", f"{low}–{high} %"


def _value(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _signed(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:+.{digits}f}"


def _interval(interval: Interval | None, digits: int = 2, signed: bool = False) -> str:
    sign = "+" if signed else ""
    return "" if interval is None else f"{interval.low:{sign}.{digits}f} to {interval.high:{sign}.{digits}f}"
