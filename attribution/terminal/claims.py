"""Claims on a terminal: how reliable they are, by producer, status and month; how they compare with the attribution."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from attribution.claims.agreement import AGREE, CAUSES, DISAGREE, NOT_CLAIMED
from attribution.queries.claims import AdditionalLines, ClaimAgreement, ClaimsReport, ProducerAccuracy, decided, disputed, summed
from attribution.terminal.style import grid, notes, number, percent, plain, show, title, words
from collector.console.terminal import one_line

_MOST = 40  # rows of a table
_WORTH = ("naming lines", "consistent", "", "lines", "added")
_VERDICT = {AGREE: "green", DISAGREE: "red", NOT_CLAIMED: "yellow"}


def claims_view(console: Console, r: ClaimsReport, tables: Sequence[str]) -> None:
    title(console, ", ".join(r.repositories) or "no repository", "" if r.worth else "no claims found")
    if r.worth:
        for name in tables:
            _TABLES[name](console, r)
    notes(console, [*(f"{p.count:,} × {words(p.code)}, for example {p.example}" for p in r.problems), *r.notes])


def _producers(console: Console, r: ClaimsReport) -> None:
    head = ("producer", "records", "on branch", "carried", "other refs", "commit missing", "unread", *_WORTH)
    table = grid("<", *">" * (len(head) - 1), head=head)
    for w in r.worth:
        table.add_row(
            plain(w.producer or "unknown format"), number(w.records), number(w.on_branch), number(w.carried),
            number(w.on_other_refs), number(w.commit_missing), number(w.unread), *_worth_cells(w),
        )  # fmt: skip
    note = "consistent: every line the record names was added by its commit; trailers name no lines"
    carried = any(w.carried for w in r.worth)
    _print(console, table, note + ("; carried: from a commit beside the branch to the squash made of it" if carried else ""))


def _worth_cells(w: ProducerAccuracy) -> tuple[str, ...]:
    if not w.attesting:
        return ("", "", "", "", "")
    share = percent(w.consistent, w.attesting)
    return number(w.attesting), number(w.consistent), share, number(w.lines), percent(w.added, w.lines)


def _statuses(console: Console, r: ClaimsReport) -> None:
    table = grid("<", "<", ">", ">", head=("producer", "status", "records", "lines"))
    for row in r.statuses:
        table.add_row(plain(row.producer), words(row.status), number(row.records), number(row.lines))
    _print(console, table, "status of a record: where its commit is, otherwise its worst line")


def _months(console: Console, r: ClaimsReport) -> None:
    _dated(console, "month", r.months)


def _versions(console: Console, r: ClaimsReport) -> None:
    _dated(console, "version", r.versions)


def _dated(console: Console, name: str, accuracy: Sequence[ProducerAccuracy]) -> None:
    rows = [w for w in accuracy if w.attesting]
    if not rows:
        return
    table = grid("<", "<~", *">" * 5, head=("producer", name, *_WORTH))
    for w in rows[:_MOST]:
        table.add_row(plain(w.producer), plain(w.group), *_worth_cells(w))
    _print(console, table, _more(len(rows)))


def _agreement(console: Console, r: ClaimsReport) -> None:
    if not r.agreement:
        return
    table = grid("<", "<", "<", "<", ">", "<~", head=("producer", "claimed", "ours", "", "lines", "cause"))
    rows = summed(r.agreement)
    for row in rows[:_MOST]:
        cause = Text.assemble(words(row.cause), (f"  {CAUSES.get(row.cause, '')}", "dim"))
        verdict = Text(words(row.verdict), _VERDICT.get(row.verdict, "bright_black"))
        table.add_row(plain(row.producer), words(row.claimed), words(row.ours), verdict, number(row.lines), cause)
    _print(console, table, _agreed(r.agreement))


def _agreed(rows: list[ClaimAgreement]) -> str:
    parts = []
    for producer in dict.fromkeys(row.producer for row in rows):
        own = [row for row in rows if row.producer == producer]
        lines = decided(own)
        if lines:
            parts.append(f"{producer}: {percent(lines - disputed(own), lines)} of {number(lines)}")
    return "agreement on lines that both sides decide, in commits with a session: " + (", ".join(parts) or "none")


def _added(console: Console, r: ClaimsReport) -> None:
    if not r.added:
        return
    table = grid("<", "<", "<~", "<~", ">", ">", head=("producer", "author", "tool", "model", "commits", "lines"))
    for row in r.added[:_MOST]:
        table.add_row(*_added_cells(row))
    note = "verified lines in commits without a session: declared, counted separately from the attribution"
    _print(console, table, note + _more(len(r.added)))


def _added_cells(row: AdditionalLines) -> tuple[Text | str, ...]:
    return plain(row.producer), one_line(row.author), plain(row.tool), plain(row.model), number(row.commits), number(row.lines)


def _print(console: Console, table: Table, note: str) -> None:
    console.print()
    show(console, table, 0)
    if note:
        console.print(Text(note, "dim"))


def _more(rows: int) -> str:
    return f" (the first {_MOST} of {rows}; all with --json)" if rows > _MOST else ""


_TABLES = {
    "producer": _producers,
    "status": _statuses,
    "month": _months,
    "version": _versions,
    "agreement": _agreement,
    "added": _added,
}
