"""Tables on a narrow terminal: what tells rows apart stays, and what is left out is said."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from attribution.queries.pushback import Deeds, PushbackShare
from attribution.stats.agreement import Corrected
from attribution.terminal.lists import failures
from collector.console import grid as grids
from collector.console.grid import grid, plain, show

MODELS = ("claude-opus-4-20250514", "claude-opus-4-1-20250805", "claude-opus-4-5-20251101", "claude-opus-4-6")


def _shown(width: int, head: tuple[str, ...], columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    table = grid(*columns, head=head)
    for row in rows:
        table.add_row(*(plain(cell) for cell in row))
    show(console, table, 0)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def test_models_of_one_family_stay_different() -> None:
    rows = [(model, "12,345", "a prompt that says what to do at some length") for model in MODELS]
    shown = _shown(36, ("model", "lines", "prompt"), ("<~", ">", "<~"), rows)
    cut = [line.split()[0] for line in shown.splitlines()[2:]]
    assert len(set(cut)) == len(MODELS) and all("…" in name for name in cut[:3]), shown
    assert max(map(len, shown.splitlines())) <= 36


def test_headers_are_wrapped_before_anything_is_cut() -> None:
    shown = _shown(30, ("kind of file", "lines added", "still there"), ("<", ">", ">"), [("source", "12,345", "9,876")])
    assert all(word in shown for word in ("source", "12,345", "9,876", "there")) and "left out" not in shown
    assert max(map(len, shown.splitlines())) <= 30


def test_columns_without_room_are_left_out_whole_and_named() -> None:
    head = ("session", "turns", "calls", "errors", "outcome")
    shown = _shown(28, head, ("<", ">", ">", ">", "<"), [("6d98c823", "123,456", "234,567", "345,678", "accepted")])
    assert "6d98c823" in shown and "123,456" in shown and "345" not in shown
    said = " ".join(shown.split())
    assert "left out in 28 columns: errors, outcome" in said


def test_a_share_of_a_few_messages_is_not_given() -> None:
    def row(classified: int) -> dict[str, Any]:
        deeds = Deeds(classified, 1, 0, classified, 1, 0, 0, 0.5)
        return PushbackShare("claude-code", classified, classified, 1, 1, Corrected(0.25, 0.1, 0.4, ""), deeds).row()

    few, enough = row(19), row(20)
    assert few["note"] == "too few messages" and (few["share"], few["low"], few["deeds_kappa"]) == (None, None, None)
    assert (enough["share"], enough["low"], enough["high"], enough["deeds_kappa"]) == (0.25, 0.1, 0.4, 0.5)


def test_a_command_in_a_hint_stays_on_one_line() -> None:
    console = Console(file=io.StringIO(), width=40)
    command = "git -C /a/long/path/of/somebody fetch origin '+refs/heads/entire/*:refs/remotes/origin/entire/*'"
    failures(console, [("/a/long/path/of/somebody", "no agent checkpoints", f"Fetch them:\n  {command}")])
    assert command in console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [40, 120])
@pytest.mark.parametrize("colours", [None, "truecolor"])
@pytest.mark.parametrize("head", [("name", "lines", "how"), ()])
def test_a_long_table_is_what_rich_prints(
    monkeypatch: pytest.MonkeyPatch, width: int, colours: str | None, head: tuple[str, ...]
) -> None:
    names = [
        "",
        "short",
        " spaces around ",
        "日本語のファイル",
        "a name that is too long for a narrow terminal",
        "same family: one",
    ]
    cells = [(plain(name), f"{7**n:,}", Text.assemble((name, "bold"), ("!", "dim"))) for n, name in enumerate(names)]
    cells.append((Text("styled", "cyan"), "", Text("x")))

    def printed(rows_from: int) -> str:
        monkeypatch.setattr(grids, "_LONG", rows_from)
        console = Console(file=io.StringIO(), width=width, color_system=colours, force_terminal=True, record=True)  # type: ignore[arg-type]
        table = grid("<~", ">", "<~", head=head)
        for row in cells:
            table.add_row(*(cell.copy() if isinstance(cell, Text) else cell for cell in row))
        show(console, table, 2)
        return console.export_html(inline_styles=True) if colours else console.export_text()

    long, usual = printed(len(cells)), printed(len(cells) + 1)
    assert "short" in long and long == usual
