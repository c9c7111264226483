"""The life of one line, and the comparison with git blame."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from attribution.lineage.blame_check import BlameAgreement
from attribution.queries.history import LineHistoryReport
from attribution.terminal.style import STYLE, cut, grid, minute, notes, number, show, source, title, words
from collector.console.terminal import one_line

_COLOUR = {"born": "green", "ended": "red", "alive": "green"}


def life_view(console: Console, story: LineHistoryReport) -> None:
    title(console, f"{story.path}:{story.line}", f"at {story.sha[:9]}, {story.name}")
    console.print(Text(cut("  " + source(story.text), console.width)))
    said = story.said
    parts = dict.fromkeys((said.author or "not attributed", said.how, said.evidence, words(said.reason), one_line(said.label)))
    verdict = ", ".join(part for part in parts if part not in ("", "none"))
    console.print(Text.assemble("  written by: ", (verdict, f"bold {STYLE.get(said.kind, 'red')}")))
    console.print()
    table = grid("<", "<", "<", "<~")
    for event in story.events:
        where = one_line(event.path) + (f":{event.line}" if event.line else "") if event.path else ""
        what = one_line(f"{event.subject} ({event.who})")
        place = ", ".join(part for part in (where, one_line(event.detail)) if part)
        when = minute(event.at)
        table.add_row(Text(event.what, f"bold {_COLOUR.get(event.what, 'yellow')}"), Text(when, "dim"), event.sha[:9], Text(what))
        if place:
            table.add_row("", "", "", Text(place, "dim"))
    show(console, table)
    if story.cause:
        who = {"agent": "an agent", "human": "a person"}.get(story.actor, "nobody who is known")
        session = f", session: {one_line(story.actor_session)}" if story.actor_session else ""
        console.print(Text.assemble("  ended by ", (who, "bold"), session, (f" after {story.days or 0:.1f} days", "dim")))
        for line in story.replaced_by:
            console.print(Text(cut("  + " + source(line), console.width), "dim"))
    elif story.days is not None:
        console.print(Text(f"  alive after {story.days:.1f} days", "dim"))
    notes(console, story.notes)


def agreement_view(console: Console, found: Mapping[str, BlameAgreement]) -> None:
    table = grid("<", ">", ">", ">", ">", head=("commit", "files", "lines", "as git blame says", "agreement"))
    for sha, one in found.items():
        exact = one.same == one.lines
        share = "100 %" if exact else f"{100 * one.same / one.lines:.4f} %"
        table.add_row(
            sha[:9], number(one.files), number(one.lines), number(one.same),
            Text(share if one.lines else "no lines", "green" if exact else "bold red"),
        )  # fmt: skip
    show(console, table, 0)
    for one in found.values():
        for sha, path, lines in one.differing[:10]:
            console.print(Text(f"  {number(lines)} lines differ in {sha[:9]}:{one_line(path)}", "red"))
        if one.skipped:
            console.print(Text(f"  {number(one.skipped)} files could not be blamed by git", "yellow"))
