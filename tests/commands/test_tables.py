"""Tables on a narrow terminal: what tells rows apart stays, and what is left out is said."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from rich.console import Console
from rich.text import Text
from support.answers import pick

from attribution.queries.pushback import By, Message, share_row
from attribution.queries.session_page import mode_words
from attribution.terminal.repo import failures
from collector.console.grid import grid, plain, show
from collector.json_values import Row
from collector.text import count_of

MODELS = (
    "claude-opus-4-20250514",
    "claude-opus-4-1-20250805",
    "claude-opus-4-5-20251101",
    "claude-opus-4-6",
)


def _shown(
    width: int, head: tuple[str, ...], columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]
) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    table = grid(*columns, head=head)
    for row in rows:
        table.add_row(*(plain(cell) for cell in row))
    show(console, table, 0)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def test_a_count_has_the_form_of_its_noun() -> None:
    words = [
        count_of(number, noun)
        for noun in ("finding", "repository", "fix")
        for number in (0, 1, 2000)
    ]
    assert words == [
        "0 findings",
        "1 finding",
        "2,000 findings",
        "0 repositories",
        "1 repository",
        "2,000 repositories",
        "0 fixes",
        "1 fix",
        "2,000 fixes",
    ]
    lines = {
        "coding_mode": "vibe",
        "agent_lines": 900,
        "human_lines": 0,
        "agent_percentage": 100.0,
        "commits": 1,
    }
    assert mode_words(lines).endswith("in its 1 commit") and mode_words(
        lines | {"commits": 2}
    ).endswith("in its 2 commits")


def test_models_of_one_family_stay_different() -> None:
    rows = [(model, "12,345", "a prompt that says what to do at some length") for model in MODELS]
    shown = _shown(36, ("model", "lines", "prompt"), ("<~", ">", "<~"), rows)
    cut = [line.split()[0] for line in shown.splitlines()[2:]]
    assert len(set(cut)) == len(MODELS) and all("…" in name for name in cut[:3]), shown
    assert max(map(len, shown.splitlines())) <= 36


def test_prompts_that_begin_alike_keep_their_beginning() -> None:
    rows = [(f"Read the plan of the branch and {what}", "1") for what in ("write it", "review it")]
    shown = _shown(24, ("prompt", "lines"), ("<~", ">"), rows)
    assert shown.count("Read the plan of") == 2, shown


def test_headers_are_wrapped_before_anything_is_cut() -> None:
    shown = _shown(
        30,
        ("kind of file", "lines added", "still there"),
        ("<", ">", ">"),
        [("source", "12,345", "9,876")],
    )
    assert (
        all(word in shown for word in ("source", "12,345", "9,876", "there"))
        and "left out" not in shown
    )
    assert max(map(len, shown.splitlines())) <= 30


def test_columns_without_room_are_left_out_whole_and_named() -> None:
    head = ("session", "turns", "calls", "errors", "outcome")
    shown = _shown(
        28,
        head,
        ("<", ">", ">", ">", "<"),
        [("6d98c823", "123,456", "234,567", "345,678", "accepted")],
    )
    assert "6d98c823" in shown and "123,456" in shown and "345" not in shown
    said = " ".join(shown.split())
    assert "left out in 28 columns: errors, outcome" in said


def test_a_share_of_a_few_messages_is_not_given() -> None:
    def row(classified: int) -> Row:
        said = [
            Message("claude-code", "en", "person", number % 4 == 0, None, number == 0)
            for number in range(classified)
        ]
        return share_row("claude-code", said, By.AGENT, 1)

    few = row(19)
    enough = row(20)
    assert few["note"] == "too few messages" and pick(few, "share", "low", "deeds_kappa") == (
        None,
        None,
        None,
    )
    assert enough["low"] < enough["share"] < enough["high"] and enough["deeds_kappa"] is not None


def test_a_command_in_a_hint_stays_on_one_line() -> None:
    console = Console(file=io.StringIO(), width=40)
    command = (
        "git -C /a/long/path/of/somebody fetch origin"
        " '+refs/heads/entire/*:refs/remotes/origin/entire/*'"
    )
    failures(
        console, [("/a/long/path/of/somebody", "no agent checkpoints", f"Fetch them:\n  {command}")]
    )
    assert command in console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("colours", [None, "truecolor"])
def test_cells_are_aligned_whatever_letters_they_have(colours: str | None) -> None:
    console = Console(
        file=io.StringIO(),
        width=40,
        color_system=colours,  # type: ignore[arg-type]
        force_terminal=True,
        record=True,
    )
    table = grid("<~", ">", "<", head=("name", "lines", "how"))
    table.add_row(plain(" spaces around "), "1", Text.assemble(("bold", "bold"), ("!", "dim")))
    table.add_row(plain("日本語のファイル"), "12,345", Text("styled", "cyan"))
    table.add_row(plain("a name that is too long for a narrow terminal"), "2\nbelow", "")
    show(console, table, 2)
    assert [line.rstrip() for line in console.export_text().splitlines()] == [
        "  name                     lines  how",
        "  " + "─" * 38,
        "   spaces around               1  bold!",
        "  日本語のファイル        12,345  styled",
        "  a name that is too lo…       2",
        "                           below",
    ]
