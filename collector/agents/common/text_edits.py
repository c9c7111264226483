"""Edits of a text as editors write them: ranges of lines and columns, counted from one, and the text in their place. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from collector.json_values import get_int, get_str

_UNIT = "utf-16-le"  # columns count units of UTF-16


def applied(text: str, edits: Iterable[object]) -> str | None:
    """The text after edits that were all written for the text before; None where a range lies outside of it."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    changes = []
    for edit in edits:
        start = _offset(lines, starts, get_int(edit, "range", "startLineNumber"), get_int(edit, "range", "startColumn"))
        end = _offset(lines, starts, get_int(edit, "range", "endLineNumber"), get_int(edit, "range", "endColumn"))
        if start is None or end is None or end < start:
            return None
        changes.append((start, end, get_str(edit, "text")))
    for start, end, new in sorted(changes, key=lambda change: change[:2], reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _offset(lines: list[str], starts: list[int], line: int, column: int) -> int | None:
    if not 1 <= line <= len(lines) or column < 1:
        return None
    units = lines[line - 1].encode(_UNIT, "surrogatepass")
    before = units[: 2 * (column - 1)].decode(_UNIT, "surrogatepass")
    return starts[line - 1] + len(before)
