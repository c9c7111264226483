"""What all views share: colours and letters of the classes, formats of numbers and times, and
tables that fit the terminal.

All texts are escaped first, so nothing from a repository can control the terminal.
"""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from attribution.stats.accuracy import right_in
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
from collector.json_values import Numbers, Row
from collector.storage.views import table_of
from collector.text import count_of as count_of

_BAR = 30


def bar(lines: Numbers, room: int) -> Text:
    """The share of each class, drawn with its letter, in at most `room` cells."""
    whole = sum(lines.values())
    cells = min(_BAR, room)
    counts = {name: round(cells * lines.get(name, 0) / whole) for name in STYLE}
    return Text.assemble(*((LETTER[name] * counts[name], STYLE[name]) for name in STYLE))


def class_rows(console: Console, lines: Numbers) -> None:
    """The classes that have lines, each with its share and how often it is right."""
    table = grid("<", "<", ">", ">", "<~", "<")
    whole = sum(lines.values())
    for name in STYLE:
        if count := lines.get(name):
            table.add_row(
                Text(LETTER[name], f"bold {STYLE[name]}"),
                Text(words(name), STYLE[name]),
                number(count),
                percent(count, whole),
                Text(MEANING[name].partition(":")[0], "dim"),
                right_in(name),
            )
    show(console, table)
    if any(right_in(name) for name in STYLE if lines.get(name)):
        dim(console, "  right in: of the lines that readers checked, see docs/accuracy.md")


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


def dim(console: Console, text: str) -> None:
    """Words of our own beside the numbers."""
    console.print(Text(text, "dim"))


def notes(console: Console, notes: Iterable[str]) -> None:
    for note in notes:
        console.print(Text.assemble(("note: ", "yellow"), one_line(note)))


def everything(console: Console, values: Row) -> None:
    """The values of --json as plain tables, without those that say nothing."""
    single = {name: value for name, value in values.items() if not isinstance(value, dict | list)}
    parts = {name: value for name, value in values.items() if isinstance(value, dict | list)}
    for name, value in {"": single, **parts}.items():
        if not value:
            continue
        title(console, words(name))
        if isinstance(value, dict) or isinstance(value[0], dict):
            show_table(console, table_of(_rows_of(value)))
        else:
            for text in value:
                console.print(Text(one_line(str(text))))
        console.print()


def _rows_of(value: Row | list[Row]) -> list[Row]:
    if isinstance(value, list):
        return value
    items = [(name, of if isinstance(of, dict) else {"value": of}) for name, of in value.items()]
    return [{"name": words(name), **of} for name, of in items if any(of.values())]
