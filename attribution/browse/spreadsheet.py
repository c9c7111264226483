"""CSV that a spreadsheet opens: cells that it would run as a formula get an apostrophe in front, as chunks pass by. Pure."""

from __future__ import annotations

import re

from collector.text import FORMULA_SIGNS, inner_formulas_out

_FORMULA = tuple(FORMULA_SIGNS + "\t\r")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")


class Guard:
    """Feed it pieces of a CSV text; it gives back what is safe so far."""

    def __init__(self) -> None:
        self._held = ""  # an unfinished cell, quotes included
        self._quoted = False

    def add(self, text: str) -> str:
        cells: list[str] = []
        start = 0
        for position, sign in enumerate(text):
            if sign == '"':
                self._quoted = not self._quoted
            elif sign in ",\n" and not self._quoted:
                cells.append(_safe(self._held + text[start:position]) + sign)
                self._held, start = "", position + 1
        self._held += text[start:]
        return "".join(cells)

    def close(self) -> str:
        """The last cell."""
        held, self._held = self._held, ""
        return _safe(held)


def _safe(cell: str) -> str:
    cell = inner_formulas_out(cell)
    quoted = cell.startswith('"')
    inside = cell[1:] if quoted else cell
    if not inside.startswith(_FORMULA) or _NUMBER.match(inside.rstrip('"\r')) or inside in ("\r", ""):
        return cell
    return f"\"'{inside}" if quoted else f"'{inside}"
