"""What all views share: colours and letters of the classes, formats of numbers and times, and tables that fit the terminal.

All texts are escaped first, so nothing from a repository can control the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise, takewhile

from rich.console import Console, ConsoleOptions, Group
from rich.segment import Segment
from rich.text import Text

from attribution.stats.accuracy import audited_note
from collector.console import formats
from collector.console.formats import LETTER as LETTER
from collector.console.formats import MEANING as MEANING
from collector.console.formats import STYLE as STYLE
from collector.console.formats import number as number
from collector.console.formats import percent as percent
from collector.console.formats import words as words
from collector.console.grid import cut as cut
from collector.console.grid import grid as grid
from collector.console.grid import plain as plain
from collector.console.grid import show as show
from collector.console.terminal import one_line

_BAR = 12


def bar(kind: str, part: int, whole: int) -> Text:
    """A bar for the share of a line class, in its colour."""
    return Text("█" * round(_BAR * part / whole) if whole else "", STYLE[kind])


def minute(moment: str) -> str:
    return f"{formats.minute(moment)} UTC" if moment else "time not recorded"


def prefixes(keys: Iterable[str], least: int = 8) -> dict[str, str]:
    """Key -> its shortest beginning of at least `least` characters that no other of the keys has."""
    ordered = sorted(set(keys))
    shared = [sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(a, b, strict=False))) for a, b in pairwise(ordered)]
    return {
        key: key[: max(least, before + 1, after + 1)]
        for key, before, after in zip(ordered, [0, *shared], [*shared, 0], strict=False)
    }


def opening(text: str) -> str:
    """The first line of a prompt."""
    return text.strip().split("\n", 1)[0][:120]


def source(text: str) -> str:
    """A line of a file, safe on one line of a terminal."""
    return formats.source(text).replace("\n", "\\n")


def title(console: Console, text: str, note: str = "") -> None:
    console.print(Text.assemble((one_line(text), "bold"), ("  " + one_line(note) if note else "", "dim")))


def audited(console: Console, *classes: str) -> None:
    """How often these classes are right, below numbers that rest on them."""
    note = audited_note(*classes)
    if note:
        console.print(Text(f"  {note}", "dim"))


def print_whole(console: Console, lines: Iterable[Text]) -> None:
    """Lines for a file or pipe, none wrapped or truncated."""
    console.print(Group(*map(_WholeLine, lines)), soft_wrap=True)


class _WholeLine:
    """A line as it is: rich goes through every character of a text to wrap it."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def __rich_console__(self, console: Console, _: ConsoleOptions) -> Iterator[Segment]:
        if console.color_system is None:
            yield Segment(self._text.plain + "\n")
        else:
            yield from self._text.render(console, end="\n")


def notes(console: Console, notes: Iterable[str]) -> None:
    for note in notes:
        console.print(Text.assemble(("note: ", "yellow"), one_line(note)))
