"""The history of one line, and the comparison with git blame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import cut, grid, minute, number, show, source
from collector.console.terminal import one_line

if TYPE_CHECKING:
    from attribution.queries.blame_agreement import CommitAgreement
    from attribution.queries.history import LineHistoryReport

_COLOUR = {"introduced": "green", "removed": "red", "present": "green"}


def line_history_view(console: Console, report: LineHistoryReport) -> None:
    table = grid("<", "<", "<", "<~")
    for event in report.events:
        where = one_line(event.path) + (f":{event.line}" if event.line else "") if event.path else ""
        what = one_line(f"{event.subject} ({event.who})")
        place = ", ".join(part for part in (where, one_line(event.detail)) if part)
        when = minute(event.at)
        table.add_row(Text(event.what, f"bold {_COLOUR.get(event.what, 'yellow')}"), Text(when, "dim"), event.sha[:9], Text(what))
        if place:
            table.add_row("", "", "", Text(place, "dim"))
    show(console, table)
    if report.cause:
        who = {"agent": "an agent", "human": "a person"}.get(report.actor, "an unknown author")
        session = f" (session: {one_line(report.actor_session)})" if report.actor_session else ""
        console.print(Text.assemble("  removed by ", (who, "bold"), session, (f" after {report.days or 0:.1f} days", "dim")))
        for line in report.replaced_by:
            console.print(Text(cut("  + " + source(line), console.width), "dim"))
    elif report.days is not None:
        console.print(Text(f"  still present after {report.days:.1f} days", "dim"))


def agreement_view(console: Console, rows: Sequence[CommitAgreement]) -> None:
    table = grid("<", ">", ">", ">", ">", head=("commit", "files", "lines", "same as git blame", "agreement"))
    for row in rows:
        result = row.agreement
        exact = result.same == result.lines
        share = "100 %" if exact else f"{100 * result.same / result.lines:.4f} %"
        table.add_row(
            row.commit[:9], number(result.files), number(result.lines), number(result.same),
            Text(share if result.lines else "no lines", "green" if exact else "bold red"),
        )  # fmt: skip
    show(console, table, 0)
    for row in rows:
        for file in row.agreement.differing[:10]:
            console.print(Text(f"  {number(file.lines)} lines differ in {file.commit[:9]}:{one_line(file.path)}", "red"))
        if row.agreement.skipped:
            console.print(Text(f"  {number(row.agreement.skipped)} files could not be processed by git blame", "yellow"))
