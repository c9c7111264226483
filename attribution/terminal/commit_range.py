"""Commits of a range, one below the other or added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.kinds import kinds
from attribution.terminal.style import LETTER, STYLE, audited, bar, grid, number, percent, plain, show, title, words
from collector.console.terminal import one_line
from collector.vocabulary.agents import label_of

if TYPE_CHECKING:
    from attribution.queries.commit_range import LogRow, RangeStats

_MOST = 3  # classes of one commit
_ABSENT = "{} commits are not attributed and not counted: attribute their branch first"


def log_view(console: Console, rows: Sequence[LogRow]) -> None:
    """A line for each commit: what it added to source and test files, by class, and its subject."""
    table = grid("<", "<", ">", "<", "<~", "<~", head=("commit", "date", "lines", "written by", "git author", "subject"))
    for row in rows:
        table.add_row(
            Text(row.commit.sha[:8], "dim"), row.commit.author_at[:10], number(sum(row.lines.values())) if row.known else "",
            _shares(row), plain(row.commit.author_name), plain(row.commit.subject),
        )  # fmt: skip
    show(console, table, 0)
    if not rows:
        console.print(Text("no commits", "dim"))
        return
    legend = Text.assemble("lines: non-blank lines added to source and test files; ", style="dim")
    shown = [name for name in STYLE if any(row.lines.get(name) for row in rows)]
    console.print(legend.append(", ".join(f"{LETTER[name]} {words(name)}" for name in shown), "dim"))
    absent = sum(not row.known for row in rows)
    if absent:
        console.print(
            Text.assemble(("note: ", "yellow"), f"{number(absent)} commits are not attributed: attribute their branch first")
        )


def _shares(row: LogRow) -> Text:
    if not row.known:
        return Text("not attributed", "red")
    whole = sum(row.lines.values())
    if not whole:
        return Text("merge" if row.commit.parents > 1 else f"{number(row.other_lines)} other" if row.other_lines else "–", "dim")
    text = Text()
    most = sorted(row.lines, key=lambda name: -row.lines[name])
    for name in most[:_MOST]:
        text.append(f"{LETTER[name]} {_short(row.lines[name], whole):<5}", STYLE[name])
    return text.append("…" if len(most) > _MOST else "")


def _short(part: int, whole: int) -> str:
    share = 100 * part / whole
    return "<1%" if share < 1 else ">99%" if 99 < share < 100 else f"{share:.0f}%"


def stats_view(console: Console, found: RangeStats) -> None:
    title(console, found.repo, found.range)
    merges = f", {number(found.merges)} of them merges" if found.merges else ""
    console.print(
        Text(f"{number(found.commits)} commits{merges}; {number(found.with_sessions)} with lines of recorded sessions", "dim")
    )
    if found.not_in_database:
        console.print(Text.assemble(("note: ", "yellow"), _ABSENT.format(number(found.not_in_database))))
    console.print()
    if not found.total:
        console.print(Text("no lines were added to source and test files", "dim"))
    else:
        _classes(console, found)
    kinds(console, found.kinds)
    if found.models:
        console.print()
        table = grid("<", "<~", ">", ">", head=("agent", "model", "sessions", "lines"))
        for row in found.models:
            table.add_row(one_line(label_of(row.agent)), plain(row.model), number(row.sessions), number(row.lines))
        show(console, table)


def _classes(console: Console, found: RangeStats) -> None:
    console.print(Text.assemble((f"{number(found.total)} lines", "bold"), " added to source and test files"))
    table = grid("<", ">", ">", "<")
    for name in STYLE:
        lines = found.lines[name]
        if lines:
            table.add_row(Text(words(name), STYLE[name]), number(lines), percent(lines, found.total), bar(name, lines, found.total))
    show(console, table)
    because = ", ".join(f"{words(reason)} {number(lines)}" for reason, lines in list(found.unknown_because.items())[:3] if lines)
    if because:
        console.print(Text(f"  unknown because: {because}", "dim"))
    audited(console, *(name for name, lines in found.lines.items() if lines))
