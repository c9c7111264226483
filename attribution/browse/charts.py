"""Small charts as inline SVG: stacked bars, columns over time, curves.

Pure: numbers in, markup out, no script, nothing loaded.

Colours come from CSS classes (`k-agent` and so on), so that pages can be dark or light; every mark
has a <title>.
"""

import math
import re
from collections.abc import Mapping, Sequence
from html import escape

from collector.console.formats import words
from collector.json_values import Numbers, Row
from collector.text import count_of
from collector.vocabulary.lines import LINE_CLASSES

_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_MONTHS = 240  # that a chart has room for
_WIDEST = 80.0  # of a column: few of them are no wall
# room for a label on the axis of time: a date, a number of days
_DATE = 76
_DAYS = 38
NAMES = {name: words(name) for name in LINE_CLASSES} | {"older": "older than the followed history"}


def stacked_bar(parts: Mapping[str, float], width: int = 600, height: int = 22) -> str:
    """One bar of shares by class; "" when everything is 0."""
    total = sum(parts.values())
    if total <= 0:
        return ""
    x = 0.0
    marks = []
    for kind, value in parts.items():
        if value > 0:
            wide = width * value / total
            title = (
                f"{NAMES.get(kind, kind)}: {count_of(round(value), 'line')},"
                f" {100 * value / total:.1f} %"
            )
            marks.append(rect(kind, x, 0, wide, height, title))
            x += wide
    label = "; ".join(
        f"{NAMES.get(k, k)} {100 * v / total:.1f} %" for k, v in parts.items() if v > 0
    )
    return svg(width, height, marks, label, stretch=True)


def columns(
    weeks: Mapping[str, Mapping[str, float]],
    dots: Numbers | None = None,
    period: str = "week",
) -> str:
    """Lines by class over time, one column each `period`; `dots` are numbers (of sessions) above
    the columns.
    """
    dots = dots or {}
    names = sorted(set(weeks) | set(dots))
    if not names:
        return ""
    names = _every_month(names) if period == "month" else names
    top = max((sum(v.values()) for v in weeks.values()), default=0) or 1
    width = 900
    height = 220
    left = 56.0
    low = height - 26.0
    high = 22.0
    step = min((width - left - 8) / len(names), _WIDEST)
    marks = [
        _grid(left, width - 8, low - (low - high) * part, f"{top * part:,.0f}")
        for part in (0, 0.5, 1)
    ]
    for number, name in enumerate(names):
        x = left + number * step
        y = low
        for kind in LINE_CLASSES:
            tall = (low - high) * weeks.get(name, {}).get(kind, 0) / top
            y -= tall
            title = (
                f"{period} of {name}: {NAMES[kind]},"
                f" {count_of(round(weeks.get(name, {}).get(kind, 0)), 'line')}"
            )
            marks += [rect(kind, x, y, max(step - 1.5, 0.8), tall, title)] if tall else []
        if dots.get(name):
            size = 2 + 4 * (dots[name] / max(dots.values())) ** 0.5
            marks.append(
                circle(
                    "dot",
                    x + step / 2,
                    10,
                    size,
                    f"{count_of(dots[name], 'session')} started in the week of {name}",
                )
            )
    every = math.ceil(_DATE / step)  # weeks between two labels, so that they do not touch
    labels = [(left + n * step, name) for n, name in enumerate(names) if n % every == 0]
    marks += [text(x, height - 8, name) for x, name in labels if x + _DATE <= width]
    return svg(
        width,
        height,
        marks,
        f"lines added per {period} by class{'; dots: sessions started' if dots else ''}",
    )


def _every_month(names: Sequence[str]) -> list[str]:
    """Months without lines, too, so that equal steps are equal times; as they are where one is
    no month or they are too many.
    """
    if not all(_MONTH.fullmatch(name) for name in names):
        return list(names)
    first, last = (int(name[:4]) * 12 + int(name[5:]) - 1 for name in (names[0], names[-1]))
    if last - first > _MONTHS:
        return list(names)
    return [f"{month // 12:04}-{month % 12 + 1:02}" for month in range(first, last + 1)]


def curves(lines: Mapping[str, Sequence[Row]]) -> str:
    """Share of lines that survive over days (log scale) by class, from rows of the table
    survival.
    """
    points_of = {
        k: [
            (p["horizon"], p["share"], p["at_risk"])
            for p in lines.get(k, ())
            if p["share"] is not None
        ]
        for k in LINE_CLASSES
    }
    points_of = {k: v for k, v in points_of.items() if v}
    if not points_of:
        return ""
    width = 600
    height = 240
    left = 46.0
    right = width - 12.0
    low = height - 28.0
    high = 10.0
    last = max(d for v in points_of.values() for d, _, _ in v)
    scale = (right - left) / math.log1p(last)

    def point(days: float, share: float) -> tuple[float, float]:
        return left + scale * math.log1p(days), low - (low - high) * share

    marks = [
        _grid(left, right, point(0, share)[1], f"{share:.0%}") for share in (0, 0.25, 0.5, 0.75, 1)
    ]
    marks += [
        text(min(point(d, 0)[0] - 8, width - _DAYS), height - 8, f"{d} d")
        for d in (1, 7, 30, 90, 180, 365)
        if d <= last
    ]
    for kind, points in points_of.items():
        path = " ".join(
            f"{x:.1f},{y:.1f}" for x, y in [point(0, 1.0), *(point(d, s) for d, s, _ in points)]
        )
        marks.append(f'<polyline class="s-{kind}" points="{path}"/>')
        for days, share, risk in points:
            title = (
                f"{NAMES[kind]}: {share:.1%} survive {days} days; {count_of(risk, 'line')} at risk"
                " then"
            )
            marks.append(circle(f"k-{kind}", *point(days, share), 3.5, title))
    return svg(width, height, marks, "share of lines that survive, by age in days and class")


def rect(kind: str, x: float, y: float, wide: float, tall: float, title: str) -> str:
    box = f'x="{x:.2f}" y="{y:.2f}" width="{wide:.2f}" height="{tall:.2f}"'
    return f'<rect class="k-{escape(kind)}" {box}><title>{escape(title)}</title></rect>'


def circle(style: str, x: float, y: float, size: float, title: str) -> str:
    return (
        f'<circle class="{escape(style)}" cx="{x:.1f}" cy="{y:.1f}"'
        f' r="{size:.1f}"><title>{escape(title)}</title></circle>'
    )


def text(x: float, y: float, label: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}">{escape(label)}</text>'


def _grid(left: float, right: float, y: float, label: str) -> str:
    return (
        f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}"'
        f' y2="{y:.1f}"/>{text(2, y + 4, label)}'
    )


def svg(width: int, height: int, marks: Sequence[str], label: str, stretch: bool = False) -> str:
    ratio = ' preserveAspectRatio="none"' if stretch else ""
    head = (
        f'<svg class="chart" viewBox="0 0 {width} {height}"{ratio} role="img"'
        f' aria-label="{escape(label)}">'
    )
    return f"{head}{''.join(marks)}</svg>"
