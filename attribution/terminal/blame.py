"""A file of a clone: every line with its verdict, or blocks of lines with the same origin."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import set_cell_size
from rich.console import Console
from rich.text import Text

from attribution.queries.verdicts import NOT_COMMITTED, NOT_YET
from attribution.terminal.style import (
    LETTER,
    MEANING,
    STYLE,
    cut,
    grid,
    notes,
    number,
    opening,
    percent,
    print_whole,
    show,
    source,
    title,
    words,
)
from collector.console.terminal import one_line
from collector.vocabulary.agents import label_of

if TYPE_CHECKING:
    from attribution.queries.blame import BlameLine, Block, FileBlame
    from attribution.queries.verdicts import LineAttribution

_BRIEF = {
    "no_session": "undeclared",
    "transcript_missing": "transcript?",
    "transcript_not_stored": "transcript?",
    "transcript_unreadable": "transcript?",
    "checkpoint_missing": "checkpoint?",
    "invisible_subagent": "subagent?",
    "opaque_shell": "shell?",
    "git_operation": "git?",
    "other_branch": "branch?",
    "restored": "restored?",
    "rewritten": "rewritten?",
    "unexplained": "?",
    NOT_COMMITTED: "uncommitted",
    NOT_YET: "newer",
}
_DATED = re.compile(r"-\d{8}$")
_HOW_WIDTH, _WHO_WIDTH = 11, 14


def blame_view(console: Console, blamed: FileBlame) -> None:
    """One row per line, truncated on a terminal, complete in a file or pipe."""
    title(console, blamed.path, f"at {blamed.branch or 'commit'} {blamed.sha[:9]}, {blamed.name}")
    digits = len(str(len(blamed.lines)))
    texts = [_blame_line(line, digits) for line in blamed.lines]
    if console.is_terminal:
        for text in texts:
            console.print(text, no_wrap=True, overflow="ellipsis")
    else:
        print_whole(console, texts)
    _legend(console, blamed.lines)
    notes(console, blamed.notes)


def _blame_line(line: BlameLine, digits: int) -> Text:
    style = STYLE.get(line.attribution.kind, "red")
    how, who = _fit(_brief(line.attribution), _HOW_WIDTH), _fit(_who(line), _WHO_WIDTH)
    return Text.assemble(
        (line.introduced.sha[:8], "dim"), ("~" if line.moved else " ", "dim"), (LETTER[line.attribution.kind], f"bold {style}"),
        f" {how} ", (who, style), (f" {line.line:>{digits}} ", "dim"),
        (source(line.text), "bright_black" if line.attribution.kind == "undeclared" else ""),
    )  # fmt: skip


@lru_cache(1_000)  # a file has thousands of lines and a few authors
def _fit(text: str, width: int) -> str:
    return set_cell_size(cut(text, width), width)


def _brief(attribution: LineAttribution) -> str:
    """How, in one word."""
    if attribution.author == "agent":
        return attribution.how
    if attribution.author == "human":
        return words(attribution.witness)
    if attribution.author == "tool":
        return attribution.tool
    return _BRIEF.get(attribution.reason, words(attribution.reason)) or "not read"


def _who(line: BlameLine) -> str:
    if line.attribution.author == "agent":
        model = _DATED.sub("", line.attribution.model).removeprefix("claude-").removeprefix("Claude ")
        return one_line(model or label_of(line.attribution.agent))
    return one_line(line.commit.author_name if line.commit else "")


def _legend(console: Console, lines: Sequence[BlameLine]) -> None:
    count = Counter(line.attribution.kind for line in lines if line.text.strip())
    whole = sum(count.values())
    console.print()
    table = grid("<", "<", ">", ">", "<~")
    for kind in (*STYLE, ""):
        if count[kind]:
            style = STYLE.get(kind, "red")
            meaning = MEANING.get(kind, "outside the attributed history, or not committed")
            table.add_row(
                Text(LETTER[kind], f"bold {style}"), Text(kind or "not read", style), number(count[kind]),
                percent(count[kind], whole), Text(meaning, "dim"),
            )  # fmt: skip
    show(console, table, 0)
    moved = sum(line.moved is not None for line in lines)
    if moved:
        text = f"~  {number(moved)} lines are older: that commit only moved or reformatted them (see whowrote why)"
        console.print(Text(text, "dim"))


def file_view(console: Console, blamed: FileBlame, blocks: Sequence[Block]) -> None:
    """A file in blocks of lines with the same origin."""
    title(console, blamed.path, f"at {blamed.branch or 'commit'} {blamed.sha[:9]}, {blamed.name}; {len(blamed.lines)} lines")
    console.print()
    table = grid(">", "<", "<", "<", "<", "<~", head=("lines", "", "how", "who", "commit", "prompt or commit subject"))
    for block in blocks:
        first = block.first
        style = STYLE.get(first.attribution.kind, "red")
        lines = str(block.start) if block.start == block.end else f"{block.start}-{block.end}"
        about = Text("“" + one_line(opening(block.prompt)) + "”") if block.prompt else Text(_subject(first), "dim")
        table.add_row(
            lines, Text(LETTER[first.attribution.kind], f"bold {style}"), _brief(first.attribution),
            Text(_fit(_who(first), _WHO_WIDTH), style), Text(first.introduced.sha[:8], "dim"), about,
        )  # fmt: skip
    show(console, table, 0)
    _legend(console, blamed.lines)
    notes(console, blamed.notes)


def _subject(line: BlameLine) -> str:
    return one_line(line.commit.subject if line.commit else "")
