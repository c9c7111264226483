"""Values on a terminal (rich). Only `Text` made of escaped strings is printed, so nothing from a repository acts on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from attribution.report import Check, ProblemGroup, RepoReport, SessionGroup, Share
from collector.console import one_line

STYLE = {"agent": "cyan", "declared": "blue", "human": "green", "unknown": "yellow", "undeclared": "bright_black"}
MEANING = {
    "agent": "a recorded action explains it",
    "declared": "a trailer says so, no session",
    "human": "all actions known, none fits",
    "unknown": "perhaps an agent, perhaps not",
    "undeclared": "commit mentions no agent",
}
_BAR = 12
_NARROW = 8


def plain(value: object) -> Text:
    return Text(one_line("" if value is None else str(value)))


def number(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def percent(part: int, whole: int) -> str:
    if not whole:
        return ""
    share = 100 * part / whole
    return "<0.1 %" if 0 < share < 0.05 else f"{share:.1f} %"


def grid(*columns: str, head: Sequence[str] = ()) -> Table:
    """A table without lines; a column is "<" or ">" (aligned), with "~" it may be cut to fit."""
    table = Table(box=box.SIMPLE_HEAD if head else None, show_header=bool(head), show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for i, column in enumerate(columns):
        cut = "~" in column
        table.add_column(
            head[i] if head else "",
            justify="right" if ">" in column else "left",
            no_wrap=True,
            overflow="ellipsis" if cut else "fold",
            header_style="bold",
        )
    return table


def show(console: Console, table: Table, indent: int = 2) -> None:
    """Prints a grid; when it is too wide, the columns that may be cut are."""
    widths = [max(_width(cell) for cell in (column.header, *column.cells)) for column in table.columns]
    room = console.width - indent - 2 * len(widths) - 1
    while sum(widths) > room:
        cut = max((w, i) for i, w in enumerate(widths) if table.columns[i].overflow == "ellipsis" or all(c.overflow == "fold" for c in table.columns))
        if cut[0] <= _NARROW:
            break
        widths[cut[1]] -= 1
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    console.print(Padding(table, (0, 0, 0, indent), expand=False))


def _width(cell: object) -> int:
    return cell.cell_len if isinstance(cell, Text) else cell_len(str(cell))


def title(console: Console, text: str, note: str = "") -> None:
    console.print(Text.assemble((one_line(text), "bold"), ("  " + one_line(note) if note else "", "dim")))


# --- attribute repo ---------------------------------------------------------------------------------------------------


def repo_report(console: Console, r: RepoReport, database: str) -> None:
    """The short table at the end of `attribute repo`."""
    when = f"{r.first_commit_at[:10]} to {r.last_commit_at[:10]}" if r.first_commit_at else "no commits"
    title(console, r.name, f"{r.branch} at {r.head[:9]}, {when}")
    _commits(console, r)
    _lines(console, r)
    _evidence(console, r.shares, r.lines)
    _edits(console, r)
    _sessions(console, r.sessions)
    if r.problems:
        problems(console, r.problems, most=5)
    for note in (*r.censored, *([f"the rows of another clone of that name were replaced: {r.replaced}"] if r.replaced else [])):
        console.print(Text.assemble(("note: ", "yellow"), one_line(note)))
    console.print()
    state = "nothing changed since the last run" if r.unchanged else f"done in {r.seconds:.1f} s"
    console.print(Text(one_line(f"{state}, results in {database}"), "dim"))


def hints(console: Console, path: str, example: str) -> None:
    """What to do next."""
    for question, command in (("why one line?", f"explain {path} {example}"), ("a whole file?", f"blame {path} {example.rpartition(':')[0]}")):
        console.print(Text.assemble((question + "  ", "dim"), one_line("attribute " + command)), soft_wrap=True)


def _commits(console: Console, r: RepoReport) -> None:
    console.print()
    table = grid("<", ">", "<")
    table.add_row(Text("commits", "bold"), number(r.commits), "")
    by = ", ".join(f"{number(n)} by {m.replace('_', ' ')}" for m, n in r.linked_by.items())
    table.add_row("  linked to a session", number(r.linked), Text(by, "dim"))
    if r.declared:
        table.add_row("  only declare an agent", number(r.declared), Text("in a trailer or as author", "dim"))
    if r.unresolved:
        table.add_row("  name an absent checkpoint", number(r.unresolved), Text("this clone does not have it", "dim"))
    table.add_row("  say nothing of agents", number(r.commits - r.linked - r.declared - r.unresolved), "")
    show(console, table)


def _lines(console: Console, r: RepoReport) -> None:
    console.print()
    table = grid("<", ">", ">", "<", "<~")
    table.add_row(Text("lines added", "bold"), number(r.lines), "", "", Text("blank lines left out", "dim"))
    for name in ("agent", "declared", "human", "unknown", "undeclared"):
        count = getattr(r, f"{name}_lines")
        bar = Text("█" * round(_BAR * count / r.lines) if r.lines else "", STYLE[name])
        table.add_row(Text("  " + name, STYLE[name]), number(count), percent(count, r.lines), bar, Text(MEANING[name], "dim"))
    show(console, table)


def _evidence(console: Console, shares: Sequence[Share], whole: int, most: int = 6) -> None:
    known = [s for s in shares if s.reason != "no_session" and s.evidence != "declared"]
    if not known:
        return
    console.print()
    table = grid("<", ">", ">", "<")
    table.add_row(Text("evidence", "bold"), "", "", "")
    for s in known[:most]:
        what = f"{s.how}, {s.evidence}" if s.how != "none" else s.evidence
        style = STYLE[s.author]
        name = Text.assemble("  ", (s.author, style), f" {s.reason.replace('_', ' ') if s.author == 'unknown' else what}")
        table.add_row(name, number(s.nonblank), percent(s.nonblank, whole), "")
    show(console, table)


def _edits(console: Console, r: RepoReport) -> None:
    if not r.edits and not r.shell_edits:
        return
    console.print()
    parts = [f"{number(n)} {o.replace('_', ' ')}" for o, n in r.edits.items()]
    table = grid("<", "<")
    table.add_row(Text("edit calls", "bold"), ", ".join(parts) or "none")
    if r.shell_edits:
        table.add_row(Text("  by shell"), ", ".join(f"{number(n)} {o.replace('_', ' ')}" for o, n in r.shell_edits.items()))
    show(console, table)


def _sessions(console: Console, groups: Sequence[SessionGroup], most: int = 8) -> None:
    if not groups:
        return
    console.print()
    table = grid("<~", "<~", ">", ">", ">", "<", head=("agent", "model", "sessions", "tool calls", "lines", ""))
    for g in groups[:most]:
        state = "" if g.transcript == "present" else f"transcript {g.transcript.replace('_', ' ')}"
        table.add_row(
            plain(g.agent), plain(g.model or "not recorded"), number(g.sessions), number(g.tool_calls), number(g.nonblank_lines),
            Text(state, "yellow"),
        )  # fmt: skip
    if len(groups) > most:
        table.add_row(Text(f"and {len(groups) - most} more", "dim"), "", number(sum(g.sessions for g in groups[most:])), "", "", "")
    show(console, table)


# --- lists ------------------------------------------------------------------------------------------------------------


def problems(console: Console, groups: Sequence[ProblemGroup], most: int = 1000) -> None:
    console.print()
    table = grid("<", "<", ">", "<~", head=("problem", "stage", "count", "for example"))
    for g in groups[:most]:
        table.add_row(plain(g.code), plain(g.stage), number(g.count), Text(one_line(g.example), "dim"))
    if len(groups) > most:
        table.add_row(Text(f"and {len(groups) - most} more kinds", "dim"), "", "", "")
    show(console, table)


def check_list(console: Console, found: Sequence[Check]) -> None:
    table = grid("<", "<", "<~")
    for check in found:
        state = Text("OK", "green") if not check.broken else Text(f"BROKEN in {number(check.broken)} rows", "bold red")
        table.add_row(state, plain(check.name), Text(one_line(check.promise), "dim"))
    show(console, table, 0)
    for check in found:
        if check.broken:
            console.print()
            title(console, check.name, "first rows")
            records(console, check.rows)


def records(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    if not rows:
        return
    table = grid(*("<~" for _ in rows[0]), head=tuple(rows[0]))
    for row in rows:
        table.add_row(*(plain(v) for v in row.values()))
    show(console, table)


def failures(console: Console, failed: Iterable[tuple[str, str, str]]) -> None:
    """(path, message, hint) of repositories that could not be attributed."""
    for path, message, hint in failed:
        console.print(Text.assemble(("failed ", "bold red"), one_line(path), ": ", one_line(message)))
        for line in hint.split("\n") if hint else ():
            console.print(Text("       " + one_line(line), "dim"))
