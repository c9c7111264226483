"""Claims on a terminal: how reliable they are, by producer, status and month; how they compare with the attribution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from attribution.exchange.claims.report import ClaimsReport, Row, sum_groups
from attribution.exchange.words import Agreement, Disagreement
from attribution.terminal.style import grid, notes, number, percent, plain, show, title, words

_MOST = 40  # rows of a table
_WORTH = ("attesting", "consistent", "consistent_percent", "lines", "added_percent")
_COLUMNS = {
    "producer": ("producer", "records", "on_branch", "carried", "on_other_refs", "commit_missing", "unread", *_WORTH),
    "status": ("producer", "status", "records", "lines"),
    "month": ("producer", "group", *_WORTH),
    "version": ("producer", "group", *_WORTH),
    "agreement": ("producer", "claimed", "ours", "verdict", "lines", "cause"),
    "added": ("producer", "author", "tool", "model", "commits", "lines"),
}
_HEADINGS = {
    "on_other_refs": "other refs",
    "attesting": "naming lines",
    "consistent_percent": "",
    "added_percent": "added",
    "verdict": "",
}
_SHARES = {"consistent_percent": ("consistent", "attesting"), "added_percent": ("added", "lines")}
_TEXTS = ("producer", "status", "group", "claimed", "ours", "verdict", "cause", "author", "tool", "model")
_WORDS = ("status", "claimed", "ours", "author")
_WIDE = ("group", "cause", "tool", "model")  # cut where there is no room
_NOTES = {
    "producer": "consistent: every line the record names was added by its commit; trailers name no lines",
    "status": "status of a record: where its commit is, otherwise its worst line",
    "added": "verified lines in commits without a session: declared, counted separately from the attribution",
}
_VERDICT = {Agreement.AGREE: "green", Agreement.DISAGREE: "red", Agreement.NOT_CLAIMED: "yellow"}


def claims_view(console: Console, report: ClaimsReport, tables: Sequence[str]) -> None:
    has_claims = bool(report.tables["producer"])
    title(console, ", ".join(report.repositories) or "no repository", "" if has_claims else "no claims found")
    for name in tables if has_claims else ():
        rows = report.tables[name]
        if name == "agreement":
            rows = sum_groups(rows)
        elif name in ("month", "version"):
            rows = [row for row in rows if row["attesting"]]
        if rows:
            _print(console, name, rows)
    problems = [f"{p['count']:,} × {words(p['code'])}, for example {p['example']}" for p in report.problems]
    notes(console, [*problems, *report.notes])


def _print(console: Console, name: str, rows: list[Row]) -> None:
    columns = _COLUMNS[name]
    headings = [name if column == "group" else _HEADINGS.get(column, words(column)) for column in columns]
    table = grid(*("<~" if c in _WIDE else "<" if c in _TEXTS else ">" for c in columns), head=headings)
    for row in rows[:_MOST]:
        table.add_row(*(_cell(row, column) for column in columns))
    console.print()
    show(console, table, 0)
    below = _agreement_note(rows) if name == "agreement" else _NOTES.get(name, "")
    if name == "producer" and any(row["carried"] for row in rows):
        below += "; carried: from a commit beside the branch to the squash made of it"
    if len(rows) > _MOST:
        below += f" (the first {_MOST} of {len(rows)}; all with --json)"
    if below:
        console.print(Text(below, "dim"))


def _cell(row: Row, column: str) -> Text | str:
    if column in _WORTH and not row.get("attesting", True):
        return ""
    if column in _SHARES:
        part, whole = _SHARES[column]
        return percent(row[part], row[whole])
    value = row[column]
    if column == "cause":
        return Text.assemble(words(value), (f"  {Disagreement(value).meaning if value else ''}", "dim"))
    if column == "verdict":
        return Text(words(value), _VERDICT.get(value, "bright_black"))
    if column in _TEXTS:
        return words(value) if column in _WORDS else plain(value or "unknown format" if column == "producer" else value)
    return number(value)


def _agreement_note(rows: list[Row]) -> str:
    lines = Counter[tuple[str, str]]()
    for row in rows:
        lines[row["producer"], row["verdict"]] += row["lines"]
    parts = []
    for producer in dict.fromkeys(row["producer"] for row in rows):
        agreed, decided = lines[producer, Agreement.AGREE], lines[producer, Agreement.AGREE] + lines[producer, Agreement.DISAGREE]
        if decided:
            parts.append(f"{producer}: {percent(agreed, decided)} of {number(decided)}")
    return "agreement on lines that both sides decide, in commits with a session: " + (", ".join(parts) or "none")
