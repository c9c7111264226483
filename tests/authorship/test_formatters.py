"""Lines of which an agent's formatter changed nothing but the layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.builder import World
from support.builder.lines import Line, new_file
from support.line_answers import answers

from attribution.authorship.case import AttributionWindow
from attribution.authorship.formatters import give_to_formatters, tools_of
from attribution.authorship.session_edits import WorktreeAction
from attribution.authorship.timeline import Timeline
from attribution.authorship.verdicts import CallRef, Span, Verdict
from attribution.authorship.windows import AttributionWindows
from attribution.shell import effects
from collector.vocabulary.lines import Author, Evidence, How, Reason, RunBy

CALL = CallRef(1, "c1", 1, 50.0)
LOST = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.FORMATTER, CALL)
BEFORE = """\
export function load(path, options) { return read(path, options.limit) }
export const sizes = [1, 2, 3]
"""
AFTER = """\
export function load(
  path,
  options
) {
  return read(path, options.limit);
}
export const sizes = [1, 2, 3];
"""


def _said(
    after: str,
    before: str = BEFORE,
    lost: Verdict = LOST,
    tool: str = "prettier",
    until: float = 60.0,
    fixes: int = 0,
) -> list[str]:
    lines = after.split("\n")[:-1]
    spans = [Span(1, len(lines), len(lines), lost)]
    found = give_to_formatters(spans, lines, before, lambda call: (tool, fixes), until)
    return [
        f"{span.verdict.tool} {span.verdict.author}".strip()
        for span in found
        for _ in range(span.start, span.end + 1)
    ]


def test_lines_that_were_laid_out_anew_are_the_tools() -> None:
    assert _said(AFTER) == ["prettier tool"] * 7


@pytest.mark.parametrize(
    ("old", "new", "fixes", "author"),
    [
        ("X: Optional[int] = None", "X: int | None = None", 1, "ruff tool"),
        ("X: Optional[int] = None", "X: int | None = None", 0, "unknown"),  # it said of none
        ("WIDTH: Optional[int] = 400", "WIDTH: int | None = 450", 1, "unknown"),  # another number
        ("X: Optional[int] = None", "limit = gather(rows)", 1, "unknown"),  # another line
    ],
)
def test_a_linter_that_says_how_many_problems_it_mended(
    old: str, new: str, fixes: int, author: str
) -> None:
    assert _said(f"{new}\n", f"{old}\n", tool="ruff", fixes=fixes) == [author]


@pytest.mark.parametrize(
    ("after", "line"),
    [
        (AFTER.replace("  options\n", "  options,\n  depth\n"), 4),  # a new word
        (AFTER.replace("  return", "  check(path);\n  return"), 5),
        (AFTER + "export const sizes = [1, 2, 3];\n", 8),  # once more
        # moved
        (
            "export const sizes = [1, 2, 3];\n"
            + AFTER.replace("export const sizes = [1, 2, 3];\n", ""),
            1,
        ),
    ],
)
def test_a_line_that_is_more_than_another_layout_stays_open(after: str, line: int) -> None:
    assert _said(after)[line - 1] == "unknown"


@pytest.mark.parametrize(
    ("days", "tool"),
    {1: "prettier tool", 2.9: "prettier tool", 3.1: "unknown", 30: "unknown"}.items(),
)
def test_long_after_a_formatter_ran_the_layout_need_not_be_its_own(days: float, tool: str) -> None:
    assert _said(AFTER, until=CALL.at + days * 86_400) == [tool] * 7
    command = "prettier --write ."
    ran = WorktreeAction(50.0, 50.0, CALL, command, "/w", effects(command, "/w"))
    windows = AttributionWindows("/w", [ran], tracked=lambda path, moment: True)
    cause = windows.cause(AttributionWindow("a.js", 40.0, 50.0 + days * 86_400, True))
    assert f"{cause.tool} {cause.author}".strip() == tool


def test_what_is_laid_out_beside_new_words_that_were_not_seen_written_is_not_the_formatters() -> (
    None
):
    """Whoever wrote those, or the script that did, may have laid out the lines beside them."""
    after = [
        "export function load(path, options, depth) {",
        "  return read(path, options.limit)",
        "}",
        "",
        "export const sizes = [1, 2, 3];",
    ]
    ran = Verdict(
        Author.TOOL, How.NONE, Evidence.INFERRED, call=CALL, tool="biome", run_by=RunBy.AGENT
    )
    other = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.UNCAPTURED)
    script = Verdict(Author.AGENT, How.SHELL, Evidence.INFERRED, call=CALL)
    seen = Verdict(Author.AGENT, How.EXACT, Evidence.REPLAYED, call=CALL)
    for first, expected in (
        (other, ["unknown", "unknown", "unknown", "tool"]),
        (script, ["agent", "unknown", "unknown", "tool"]),
        (seen, ["agent", "tool", "tool", "tool"]),
        (replace(ran, tool="npm"), ["tool"] * 4),
    ):
        spans = [Span(1, 1, 1, first), Span(2, 3, 2, ran), Span(5, 5, 1, ran)]
        found = give_to_formatters(spans, after, BEFORE, lambda call: ("", 0), 60.0)
        assert [
            span.verdict.author for span in found for _ in range(span.start, span.end + 1)
        ] == expected


def test_without_a_formatter_of_an_agent_nothing_is_said() -> None:
    assert set(_said(AFTER, tool="")) == {"unknown"}
    assert set(
        _said(AFTER, lost=Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.FORMATTER))
    ) == {"unknown"}
    assert set(
        _said(
            AFTER,
            lost=Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.OPAQUE_SHELL, CALL),
        )
    ) == {"unknown"}
    assert set(_said(AFTER, before="")) == {"unknown"}


@pytest.mark.parametrize(
    ("command", "tool"),
    {
        "prettier --write .": "prettier",
        "pnpm fix": "pnpm",
        "make fmt": "make",
        "uv run ledger -w book import": "",  # a program of the project: `-w` says nothing
        "cat src/load.js": "",
    }.items(),
)
def test_formatters_that_a_call_ran(command: str, tool: str) -> None:
    action = WorktreeAction(50.0, 51.0, CALL, command, "/w", effects(command, "/w"))
    timeline = Timeline("/w", windows=AttributionWindows("/w", [action]))
    assert tools_of([timeline])(CALL) == (tool, 0)


def test_a_file_that_nobody_edited_and_the_agent_formatted(tmp_path: Path) -> None:
    """Through the whole program: the file was only formatted, and another one was edited."""
    world = World("formatted")
    world.human_write("src/load.js", BEFORE)
    world.commit("Start by hand")
    session = world.session(prompt="Format the code")
    session.write("src/other.js", "export const x = 1;\n")
    put = new_file(AFTER, lambda line: Line(line, "shell"))
    session.bash("npx prettier --write .", lambda _: world.put("src/load.js", put))
    session.end_turn()
    found = answers(world, world.commit("Format", [session]), tmp_path)["src/load.js"]
    assert {one.source for one in found} <= {
        "tool prettier agent",
        "unknown formatter",
        "unknown common_line",
    }
    assert {one.source for one in found if "read(" in one.text} == {"tool prettier agent"}


@pytest.mark.parametrize(
    ("command", "printed", "tools"),
    [
        ("ruff check --fix app", "All checks passed!\n", set()),
        ("ruff format app", "1 file left unchanged\n", set()),
        ("ruff format app", "1 file reformatted, 3 files left unchanged\n", {"ruff"}),
        # the words may be those of the other program
        ("black -q app && ruff check app", "All checks passed!\n", {"black"}),
        ("ruff format -q app && ruff check app", "All checks passed!\n", {"ruff"}),
    ],
)
def test_a_formatter_that_says_it_changed_nothing_wrote_nothing(
    command: str, printed: str, tools: set[str], tmp_path: Path
) -> None:
    world = World("unchanged")
    before = "def save(a, b):\n    return call(a_long_name_of_a, another_long_name)\n"
    world.human_write("app/a.py", before)
    world.commit("Start by hand")
    session = world.session(prompt="Check the code")
    session.write("other.py", "LIMIT_OF_ORDERS = 1\n")
    session.bash(command, stdout=printed)
    session.end_turn()
    world.human_write("app/a.py", before.replace("(a_long", "(\n        a_long"))
    found = answers(world, world.commit("Work", [session]), tmp_path)["app/a.py"]
    assert {one.tool for one in found if one.tool} == tools
