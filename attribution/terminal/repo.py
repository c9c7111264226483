"""The short table at the end of `whowrote repo`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import MEANING, STYLE, audited, bar, grid, kinds, notes, number, percent, plain, show, title, words
from collector.console.tables import show_table
from collector.console.terminal import one_line
from collector.storage.views import table_of
from collector.vocabulary.lines import LineClass

if TYPE_CHECKING:
    from attribution.queries.checks import Check
    from attribution.queries.coverage import Coverage
    from attribution.queries.repo_report import Advice, RepoReport
    from collector.storage.views import Table


_REASONS = 5  # why lines have no author: so many are shown


def repo_report(console: Console, r: RepoReport, database: str) -> None:
    """The short table at the end of `whowrote repo`."""
    when = f"{r.first_commit_at[:10]} to {r.last_commit_at[:10]}" if r.first_commit_at else "no commits"
    title(console, r.name, f"{r.branch} at {r.head[:9]}, {when}")
    _lines(console, r)
    _coverage(console, r.coverage)
    _commits(console, r)
    kinds(console, r.kinds)
    _evidence(console, r.shares)
    _edits(console, r)
    if len(r.sessions):
        console.print()
        columns = ("agent", "model", "transcript?", "sessions", "tool_calls", "lines")
        show_table(console, r.sessions, columns, most=8, indent=2)
    if len(r.problems):
        console.print()
        show_table(console, r.problems, ("code=problem", "stage", "count", "example=for example"), most=5, indent=2)
    notes(console, r.censored)
    _advice(console, r.advice)
    console.print()
    state = "nothing changed since the last run" if r.unchanged else f"done in {r.seconds:.1f} s"
    console.print(Text(one_line(f"{state}, results in {database}"), "dim"))


def hints(console: Console, path: str, example: str) -> None:
    """Suggestions for what to run next."""
    file = example.rpartition(":")[0]
    for question, command, asked in (("Why this author?", "why", example), ("A whole file:", "blame", file)):
        called = f"whowrote {command} "
        console.print(Text.assemble((question + "  ", "dim"), one_line(f"{called}{path} {asked}")), soft_wrap=True)


def _advice(console: Console, advices: Sequence[Advice]) -> None:
    """What would name the author of more lines; commands stand on lines of their own, to be copied."""
    if not advices:
        return
    console.print()
    console.print(Text.assemble("  ", ("what would help", "bold"), ("  lines in source and test files", "dim")))
    for item in advices:
        lines = f"{number(item.lines)} lines: " if item.lines else ""
        console.print(one_line(f"    {lines}{item.what}"), soft_wrap=True, highlight=False)
        if item.command:
            console.print(Text(one_line(f"      {item.command}"), "cyan"), soft_wrap=True)


def _commits(console: Console, r: RepoReport) -> None:
    console.print()
    table = grid("<", ">", "<")
    table.add_row(Text("commits", "bold"), number(r.commits), "")
    by = ", ".join(f"{number(n)} by {words(m)}" for m, n in r.linked_by.items())
    table.add_row("  linked to a session", number(r.linked), Text(by, "dim"))
    if r.declared:
        table.add_row("  name an agent only", number(r.declared), Text("in a trailer or as the author; no session", "dim"))
    if r.unresolved:
        table.add_row("  refer to missing checkpoints", number(r.unresolved), Text("not in this clone; fetch them", "dim"))
    table.add_row("  no agent mentioned", number(r.commits - r.linked - r.declared - r.unresolved), "")
    show(console, table)


def _lines(console: Console, r: RepoReport) -> None:
    console.print()
    whole = sum(r.headline.values())
    table = grid("<", ">", ">", "<", "<~")
    table.add_row(
        Text("lines added", "bold"), number(whole), "", "", Text("in source and test files, not counting blank lines", "dim")
    )
    for name, count in r.headline.items():
        meaning = Text(MEANING[name], "dim")
        share = percent(count, whole)
        table.add_row(Text("  " + name, STYLE[name]), number(count), share, bar(name, count, whole), meaning)
    for aside in r.asides:
        if aside.lines:
            table.add_row(Text(aside.name, "bold"), number(aside.lines), "", "", Text(aside.meaning, "dim"))
    show(console, table)
    audited(console, *(name for name, count in r.headline.items() if count))
    notes(console, r.undeclared_notes)


def _coverage(console: Console, coverages: Sequence[Coverage]) -> None:
    """How many lines have a named author, of commits that can have one."""
    if not coverages or not coverages[0].lines:
        return
    console.print()
    console.print(
        Text.assemble("  ", ("coverage", "bold"), ("  lines with a named author, of commits with any sign of an agent", "dim"))
    )
    table = grid("<", ">", "<", "<")
    for of in coverages:
        name = "source and test lines" if of.days is None else f"  {of.days} days to the last commit"
        counts = f"{number(of.attributed)} of {number(of.lines)}" if of.lines else "no such lines"
        table.add_row(name, percent(of.attributed, of.lines), Text(counts, "dim"), "")
    for reason, lines in list(coverages[0].missing.items())[:_REASONS]:
        name = "declared: no session" if reason == LineClass.DECLARED else f"unknown: {words(reason)}"
        table.add_row(Text(f"  {name}", "dim"), percent(lines, coverages[0].lines), Text(number(lines), "dim"), "")
    show(console, table)


def _evidence(console: Console, shares: Table, most: int = 6) -> None:
    whole = sum(row["nonblank"] for row in shares)
    rows = [row for row in shares if row["reason"] != "no_session" and row["evidence"] != "declared"]
    if not rows:
        return
    console.print()
    table = grid("<", ">", ">", "<")
    table.add_row(Text("evidence", "bold"), "", "", Text("in files of every kind", "dim"))
    for row in rows[:most]:
        what = row["evidence"] if row["how"] == "none" else f"{row['how']}, {row['evidence']}"
        what = f"dated, {words(row['witness'])}" if row["witness"] else what
        kind = row["class"]
        name = Text.assemble("  ", (words(kind), STYLE[kind]), f" {words(row['reason']) if row['author'] == 'unknown' else what}")
        table.add_row(name, number(row["nonblank"]), percent(row["nonblank"], whole), "")
    show(console, table)


def _edits(console: Console, r: RepoReport) -> None:
    if not r.edits and not r.shell_edits:
        return
    console.print()
    parts = [f"{number(n)} {words(o)}" for o, n in r.edits.items()]
    table = grid("<", "<")
    table.add_row(Text("agent edits", "bold"), ", ".join(parts) or "none")
    if r.shell_edits:
        table.add_row(Text("  by shell commands"), ", ".join(f"{number(n)} {words(o)}" for o, n in r.shell_edits.items()))
    show(console, table)


# --- lists ------------------------------------------------------------------------------------------------------------


def check_list(console: Console, checks: Sequence[Check]) -> None:
    table = grid("<", "<", "<~")
    for check in checks:
        state = Text("OK", "green") if not check.broken else Text(f"BROKEN in {number(check.broken)} rows", "bold red")
        table.add_row(state, plain(check.name), Text(one_line(check.promise), "dim"))
    show(console, table, 0)
    for check in checks:
        if check.broken:
            console.print()
            title(console, check.name, "first rows")
            show_table(console, table_of(check.rows), indent=2)


def failures(console: Console, failed: Iterable[tuple[str, str, str]]) -> None:
    """(path, message, hint) of repositories that could not be attributed."""
    for path, message, hint in failed:
        console.print(Text.assemble(("failed ", "bold red"), one_line(path), ": ", one_line(message)))
        for line in hint.split("\n") if hint else ():
            console.print(Text("       " + one_line(line), "dim"), soft_wrap=True)  # commands are there to be copied
