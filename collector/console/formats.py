"""Numbers, times and texts as a terminal and a page show them; the colour, letter and meaning of
every class of lines. Pure.
"""

from collector.text import printable
from collector.vocabulary.lines import LineClass

STYLE = {str(kind): kind.colour for kind in LineClass}
MEANING = {str(kind): kind.meaning for kind in LineClass}
LETTER = {"": " ", **{str(kind): kind.letter for kind in LineClass}}


def words(name: str) -> str:
    """A value from the database as people write it."""
    return name.replace("_", " ")


def number(value: float | None) -> str:
    """A number with separators; a fraction with two decimals; "" for None."""
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) >= 0.01 or not value:
        return f"{value:,.2f}"
    return f"{value:.1e}"


def percent(part: float | None, whole: float | None) -> str:
    """The share of a part in per cent; "" where there is nothing that it could be a part of."""
    if not whole or part is None:
        return ""
    share = 100 * part / whole
    if 0 < share < 0.05:
        return "<0.1 %"
    if 99.95 <= share < 100:
        return ">99.9 %"
    return f"{share:.1f} %"


def minute(moment: str) -> str:
    """A time of the database (ISO, UTC) to the minute."""
    return moment[:16].replace("T", " ")


def source(text: str) -> str:
    """A line of a file without control characters: tabs as spaces, and no carriage return of a
    Windows line ending.
    """
    return printable(text.removesuffix("\r").expandtabs(4))


def cut(value: object, most: int = 120) -> str:
    """Any value as text on one line without control characters, of at most so many characters;
    "" for None.
    """
    text = " ".join(printable(str(value)).split()) if value is not None else ""
    if len(text) <= most:
        return text
    return text[: most - 1] + "…"
