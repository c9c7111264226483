"""Tables on a narrow terminal: what tells rows apart stays, and what is left out is said."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console

from attribution.terminal.style import grid, plain, show

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
