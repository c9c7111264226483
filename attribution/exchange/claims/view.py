"""Claims on a terminal: how reliable they are, by producer, status and month; how they compare with the attribution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from attribution.exchange.claims.report import ClaimsReport, Row, sum_groups
from attribution.exchange.words import Agreement, Disagreement
from attribution.terminal.style import grid, notes, number, percent, plain, show, title, words

_MOST = 40  # rows of a table
_VERDICT = {Agreement.AGREE: "green", Agreement.DISAGREE: "red", Agreement.NOT_CLAIMED: "yellow"}


class _Layout(NamedTuple):
    """How a table of the report is printed: columns as `grid` takes them, a row's cells, and the line below."""

    columns: tuple[str, ...]
    heads: tuple[str, ...]
    cells: Callable[[Row], Sequence[Text | str]]
    note: Callable[[list[Row]], str]
    optional: bool = True  # not printed without rows


def claims_view(console: Console, report: ClaimsReport, tables: Sequence[str]) -> None:
    has_claims = bool(report.tables["producer"])
    title(console, ", ".join(report.repositories) or "no repository", "" if has_claims else "no claims found")
    for name in tables if has_claims else ():
        _print(console, _LAYOUTS[name], _rows(report, name))
    problems = [f"{p['count']:,} × {words(p['code'])}, for example {p['example']}" for p in report.problems]
    notes(console, [*problems, *report.notes])


def _rows(report: ClaimsReport, name: str) -> list[Row]:
    rows = report.tables[name]
    if name == "agreement":
        return sum_groups(rows)
    return [row for row in rows if row["attesting"]] if name in ("month", "version") else rows


def _print(console: Console, layout: _Layout, rows: list[Row]) -> None:
    if layout.optional and not rows:
        return
    table = grid(*layout.columns, head=layout.heads)
    for row in rows[:_MOST] if layout.optional else rows:
        table.add_row(*layout.cells(row))
    console.print()
    show(console, table, 0)
    if note := layout.note(rows):
        console.print(Text(note, "dim"))


def _worth(row: Row) -> tuple[str, ...]:
    if not row["attesting"]:
        return ("", "", "", "", "")
    share = percent(row["consistent"], row["attesting"])
    return number(row["attesting"]), number(row["consistent"]), share, number(row["lines"]), percent(row["added"], row["lines"])


def _counts(row: Row) -> tuple[str, ...]:
    return tuple(number(row[name]) for name in ("records", "on_branch", "carried", "on_other_refs", "commit_missing", "unread"))


def _worth_note(rows: list[Row]) -> str:
    carried = "; carried: from a commit beside the branch to the squash made of it" if any(row["carried"] for row in rows) else ""
    return "consistent: every line the record names was added by its commit; trailers name no lines" + carried


def _agreement_cells(row: Row) -> tuple[Text | str, ...]:
    cause = Text.assemble(words(row["cause"]), (f"  {Disagreement(row['cause']).meaning if row['cause'] else ''}", "dim"))
    verdict = Text(words(row["verdict"]), _VERDICT.get(row["verdict"], "bright_black"))
    return plain(row["producer"]), words(row["claimed"]), words(row["ours"]), verdict, number(row["lines"]), cause


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


def _more(rows: list[Row]) -> str:
    return f" (the first {_MOST} of {len(rows)}; all with --json)" if len(rows) > _MOST else ""


_WORTH = ("naming lines", "consistent", "", "lines", "added")
_ADDED = "verified lines in commits without a session: declared, counted separately from the attribution"
_LAYOUTS = {
    "producer": _Layout(
        ("<", *">" * 11),
        ("producer", "records", "on branch", "carried", "other refs", "commit missing", "unread", *_WORTH),
        lambda row: (plain(row["producer"] or "unknown format"), *_counts(row), *_worth(row)),
        _worth_note,
        optional=False,
    ),
    "status": _Layout(
        ("<", "<", ">", ">"),
        ("producer", "status", "records", "lines"),
        lambda row: (plain(row["producer"]), words(row["status"]), number(row["records"]), number(row["lines"])),
        lambda rows: "status of a record: where its commit is, otherwise its worst line",
        optional=False,
    ),
    **{
        name: _Layout(
            ("<", "<~", *">" * 5),
            ("producer", name, *_WORTH),
            lambda row: (plain(row["producer"]), plain(row["group"]), *_worth(row)),
            _more,
        )
        for name in ("month", "version")
    },
    "agreement": _Layout(
        ("<", "<", "<", "<", ">", "<~"), ("producer", "claimed", "ours", "", "lines", "cause"), _agreement_cells, _agreement_note
    ),
    "added": _Layout(
        ("<", "<", "<~", "<~", ">", ">"),
        ("producer", "author", "tool", "model", "commits", "lines"),
        lambda row: (
            *(plain(row[name]) for name in ("producer", "author", "tool", "model")),
            number(row["commits"]),
            number(row["lines"]),
        ),
        lambda rows: _ADDED + _more(rows),
    ),
}
