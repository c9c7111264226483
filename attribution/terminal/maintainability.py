"""Maintainability on a terminal: means by class and mode, agents against others, what was not measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.maintainability.means import DMM, PROCESS, REPOSITORIES, Estimate, QualityGap, QualityMean
from attribution.terminal.style import STYLE, grid, notes, number, plain, show, title, words
from collector.console.terminal import one_line

if TYPE_CHECKING:
    from attribution.queries.maintainability import MaintainabilityReport

_DMM_HEAD = ("unit size", "complexity", "interfacing")
_PROCESS_HEAD = ("files", "lines changed", "hunks", "contributors", "experience %", "earlier commits")


def maintainability_view(console: Console, r: MaintainabilityReport) -> None:
    names = ", ".join(r.repos) if len(r.repos) <= 4 else f"{len(r.repos)} repositories"
    title(console, "Maintainability of commits", names)
    console.print(Text(one_line(f"{number(r.commits)} commits, {'; '.join(r.tools)}"), "dim"))
    for grouping in ("class", "mode"):
        some = [mean for mean in r.means if mean.grouping == grouping]
        if some:
            console.print()
            _means(console, grouping, some)
    console.print()
    _process(console, [mean for mean in r.means if mean.grouping == "class"])
    console.print()
    _gaps(console, r.gaps)
    console.print(Text(_FOOT.format(least=r.least), "dim"))
    left = [f"{number(count)} {words(reason)}" for reason, count in r.unmeasured.items()]
    notes(console, [*r.notes, *([f"commits without a value: {', '.join(left)}"] if left else [])])


_FOOT = """\
0 to 1, higher is better: the share of changed code that goes into low-risk functions or out of high-risk ones.
Each commit counts towards a class by its share of the lines; groups with fewer than {least} whole commits have no mean.
95 % intervals; * over the commits of these repositories only, because there are fewer than 5 repositories."""


def _means(console: Console, grouping: str, some: Sequence[QualityMean]) -> None:
    table = grid("<", ">", ">", ">", ">", ">", head=("author" if grouping == "class" else "mode", "commits", "whole", *_DMM_HEAD))
    for name in dict.fromkeys(mean.name for mean in some):
        by_metric = {mean.metric: mean for mean in some if mean.name == name}
        first = by_metric.get(DMM[0]) or next(iter(by_metric.values()))
        cells = [_shown(by_metric[metric].mean) if metric in by_metric else "" for metric in DMM]
        table.add_row(Text(words(name), STYLE.get(name, "")), number(first.commits), f"{first.weight:.1f}", *cells)
    show(console, table, 0)


def _process(console: Console, some: Sequence[QualityMean]) -> None:
    table = grid("<", *">" * len(PROCESS), head=("author", *_PROCESS_HEAD))
    values = {(mean.name, mean.metric): mean.mean.value for mean in some}
    for name in dict.fromkeys(mean.name for mean in some):
        found = [values.get((name, metric)) for metric in PROCESS]
        table.add_row(Text(name, STYLE.get(name, "")), *("" if value is None else f"{value:,.1f}" for value in found))
    show(console, table, 0)


def _gaps(console: Console, gaps: Sequence[QualityGap]) -> None:
    """The differences in the three properties where both sides have enough commits."""
    table = grid("<", "<", ">", ">", head=("agents minus", "property", "all commits", "same repository and similar size"))
    for one in gaps:
        if one.metric in DMM and one.raw.value is not None:
            property_name = _DMM_HEAD[DMM.index(one.metric)]
            table.add_row(plain(one.reference), property_name, _shown(one.raw, True), _shown(one.alike, True))
    if table.row_count:
        show(console, table, 0)
    else:
        console.print(Text("no comparison: too few commits by agents or by others", "yellow"))


def _shown(found: Estimate, signed: bool = False) -> str:
    if found.value is None:
        return "too few"
    value = f"{found.value:+.2f}" if signed else f"{found.value:.2f}"
    if found.interval is None:
        return value
    star = "" if found.over == REPOSITORIES else " *"
    return f"{value} ({found.interval.low:.2f} to {found.interval.high:.2f}){star}"
