"""The history of one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import cut, grid, minute, show, source
from collector.console.terminal import one_line

if TYPE_CHECKING:
    from attribution.queries.history import LineHistoryReport

_COLOUR = {"introduced": "green", "removed": "red", "present": "green"}


def line_history_view(console: Console, report: LineHistoryReport) -> None:
    table = grid("<", "<", "<", "<~")
    for event in report.events:
        targets = one_line(event.path) + (f":{event.line}" if event.line else "") if event.path else ""
        what = one_line(f"{event.subject} ({event.who})")
        location = ", ".join(part for part in (targets, one_line(event.detail)) if part)
        when = minute(event.at)
        table.add_row(Text(event.what, f"bold {_COLOUR.get(event.what, 'yellow')}"), Text(when, "dim"), event.sha[:9], Text(what))
        if location:
            table.add_row("", "", "", Text(location, "dim"))
    show(console, table)
    if report.cause:
        who = {"agent": "an agent", "human": "a person"}.get(report.actor, "an unknown author")
        session = f" (session: {one_line(report.actor_session)})" if report.actor_session else ""
        console.print(Text.assemble("  removed by ", (who, "bold"), session, (f" after {report.days or 0:.1f} days", "dim")))
        for line in report.replaced_by:
            console.print(Text(cut("  + " + source(line), console.width), "dim"))
    elif report.days is not None:
        console.print(Text(f"  still present after {report.days:.1f} days", "dim"))
