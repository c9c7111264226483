"""What all views share: colours and letters of the classes, formats of numbers and times, and
tables that fit the terminal.

All texts are escaped first, so nothing from a repository can control the terminal.
"""

from collections.abc import Iterable

from rich.console import Console
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
from collector.console.grid import print_whole as print_whole
from collector.console.grid import show as show
from collector.console.tables import show_table
from collector.console.terminal import one_line
from collector.json_values import Numbers
from collector.storage.views import Table
from collector.text import count_of as count_of
from collector.vocabulary.lines import HEADLINE

_BAR = 12


def bar(kind: str, part: int, whole: int) -> Text:
    """A bar for the share of a line class, in its colour."""
    return Text("█" * round(_BAR * part / whole) if whole else "", STYLE[kind])


def class_bars(console: Console, lines: Numbers) -> None:
    """The classes that have lines, each with its share and a bar."""
    table, whole = grid("<", ">", ">", "<"), sum(lines.values())
    for name in STYLE:
        if count := lines.get(name):
            table.add_row(
                Text(words(name), STYLE[name]),
                number(count),
                percent(count, whole),
                bar(name, count, whole),
            )
    show(console, table)


def minute(moment: str) -> str:
    return f"{formats.minute(moment)} UTC" if moment else "time not recorded"


def opening(text: str) -> str:
    """The first line of a prompt."""
    return text.strip().split("\n", 1)[0][:120]


def source(text: str) -> str:
    """A line of a file, safe on one line of a terminal."""
    return formats.source(text).replace("\n", "\\n")


def title(console: Console, text: str, note: str = "") -> None:
    console.print(
        Text.assemble((one_line(text), "bold"), ("  " + one_line(note) if note else "", "dim"))
    )


def audited(console: Console, *classes: str) -> None:
    """How often these classes are right, below numbers that rest on them."""
    note = audited_note(*classes)
    if note:
        dim(console, f"  {note}")


def dim(console: Console, text: str) -> None:
    """Words of our own beside the numbers."""
    console.print(Text(text, "dim"))


def notes(console: Console, notes: Iterable[str]) -> None:
    for note in notes:
        console.print(Text.assemble(("note: ", "yellow"), one_line(note)))


def kinds(console: Console, table: Table) -> None:
    """Lines by kind of file, where there are kinds that the headline leaves out."""
    if all(row["kind"] in HEADLINE for row in table):
        return
    console.print()
    console.print(
        Text.assemble(
            "  ", ("by kind of file", "bold"), ("  only source and test are counted above", "dim")
        )
    )
    show_table(console, table, "kind, lines, classes=written by", indent=2)
