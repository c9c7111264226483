"""A file of a clone: every line with its verdict, or blocks of lines that came the same way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rich.cells import set_cell_size
from rich.console import Console
from rich.text import Text

from attribution.queries.blame import BlameLine, Block, FileStory
from attribution.queries.verdicts import LineAttribution
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
    show,
    source,
    title,
    words,
)
from collector.console.terminal import one_line

_BRIEF = {
    "no_session": "undeclared",
    "transcript_missing": "transcript?",
    "checkpoint_missing": "checkpoint?",
    "invisible_subagent": "subagent?",
    "opaque_shell": "shell?",
    "git_operation": "git?",
    "other_branch": "branch?",
    "restored": "restored?",
    "rewritten": "rewritten?",
    "unexplained": "?",
}
_DATED = re.compile(r"-\d{8}$")
_HOW_WIDTH, _WHO_WIDTH = 11, 14
_HOW_WIDTH, _WHO_WIDTH = 11, 14


def blame_view(console: Console, story: FileStory) -> None:
    """One line per line, cut at the edge of a terminal, whole in a file or pipe."""
    title(console, story.path, f"at {story.branch or 'commit'} {story.sha[:9]}, {story.name}")
    digits = len(str(len(story.lines)))
    for line in story.lines:
        text = _blame_line(line, digits)
        if console.is_terminal:
            console.print(text, no_wrap=True, overflow="ellipsis")
        else:
            console.print(text, soft_wrap=True)
    _legend(console, story.lines)
    notes(console, story.notes)


def _blame_line(line: BlameLine, digits: int) -> Text:
    style = STYLE.get(line.said.kind, "red")
    how, who = _fitted(_brief(line.said), _HOW_WIDTH), _fitted(_who(line), _WHO_WIDTH)
    return Text.assemble(
        (line.birth.sha[:8], "dim"), ("~" if line.journey else " ", "dim"), (LETTER[line.said.kind], f"bold {style}"),
        f" {how} ", (who, style), (f" {line.line:>{digits}} ", "dim"),
        (source(line.text), "bright_black" if line.said.kind == "undeclared" else ""),
    )  # fmt: skip


def _fitted(text: str, width: int) -> str:
    return set_cell_size(cut(text, width), width)


def _brief(said: LineAttribution) -> str:
    """How, in one word."""
    if said.author == "agent":
        return said.how
    if said.author == "human":
        return "in between" if said.reason == "before_session" else said.evidence
    return _BRIEF.get(said.reason, words(said.reason)) or "not read"


def _who(line: BlameLine) -> str:
    if line.said.author == "agent":
        model = _DATED.sub("", line.said.model).removeprefix("claude-").removeprefix("Claude ")
        return one_line(model if line.said.model else line.said.agent)
    return one_line(line.commit.author_name if line.commit else "")


def _legend(console: Console, lines: Sequence[BlameLine]) -> None:
    count = Counter(line.said.kind for line in lines if line.text.strip())
    whole = sum(count.values())
    console.print()
    table = grid("<", "<", ">", ">", "<~")
    for kind in (*STYLE, ""):
        if count[kind]:
            style = STYLE.get(kind, "red")
            meaning = MEANING.get(kind, "outside the attributed history")
            table.add_row(
                Text(LETTER[kind], f"bold {style}"), Text(kind or "not read", style), number(count[kind]),
                percent(count[kind], whole), Text(meaning, "dim"),
            )  # fmt: skip
    show(console, table, 0)
    travelled = sum(line.journey is not None for line in lines)
    if travelled:
        console.print(
            Text(f"~  {number(travelled)} lines are older: moved or laid out anew in that commit (attribute explain)", "dim")
        )


def file_view(console: Console, story: FileStory, found: Sequence[Block]) -> None:
    """A file by blocks of lines that came the same way."""
    title(console, story.path, f"at {story.branch or 'commit'} {story.sha[:9]}, {story.name}; {len(story.lines)} lines")
    console.print()
    table = grid(">", "<", "<", "<", "<", "<~", head=("lines", "", "how", "who", "commit", "prompt, or subject of the commit"))
    for block in found:
        first = block.first
        style = STYLE.get(first.said.kind, "red")
        lines = str(block.start) if block.start == block.end else f"{block.start}-{block.end}"
        about = Text("“" + one_line(opening(block.prompt)) + "”") if block.prompt else Text(_subject(first), "dim")
        table.add_row(
            lines, Text(LETTER[first.said.kind], f"bold {style}"), _brief(first.said),
            Text(_fitted(_who(first), _WHO_WIDTH), style), Text(first.birth.sha[:8], "dim"), about,
        )  # fmt: skip
    show(console, table, 0)
    _legend(console, story.lines)
    notes(console, story.notes)


def _subject(line: BlameLine) -> str:
    return one_line(line.commit.subject if line.commit else "")
