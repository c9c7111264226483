"""What a literal `sed -i` makes of a text. Pure.

Other than an edit tool such a command does not mind when a text it looks for is not there.
"""

from __future__ import annotations

from collections.abc import Sequence

from collector.model import LineRule, Replacement

_MAX_GROWTH = 4_000_000  # characters that replacements may add to a text


class NoFit(Exception):
    """An edit does not fit a text."""


def substitute(text: str, replacements: Sequence[Replacement]) -> str:
    """The text after all of them, in order. Raises NoFit when none of them finds what it looks for."""
    changed = False
    limit = len(text) + _MAX_GROWTH
    for replacement in replacements:
        after = _replace_lines(text, replacement, replacement.lines or LineRule())
        if after is not None and len(after) > limit:
            raise NoFit("text_too_large")
        text, changed = (text, changed) if after is None else (after, True)
    if not changed:
        raise NoFit("text_not_found")
    return text


def rewritten(text: str, replacements: Sequence[Replacement]) -> set[str]:
    """Lines that a text does not have, and has after the replacements; of those by number of a line none."""
    everywhere = [replacement for replacement in replacements if replacement.lines is None or not replacement.lines.first]
    try:
        after = substitute(text, everywhere) if everywhere else text
    except NoFit:
        return set()
    return set(after.split("\n")) - set(text.split("\n"))


def _replace_lines(text: str, replacement: Replacement, rule: LineRule) -> str | None:
    """None when there is no such line."""
    lines = text.split("\n")
    last = len(lines) - (not lines[-1])  # a final newline ends the last line
    first, until = (last if number < 0 else number for number in (rule.first, rule.last))
    kept: list[str] = []
    for number, line in enumerate(lines, 1):
        inside = number <= last and max(1, first) <= number <= (until or last) and rule.containing in line
        if not (inside and rule.deletes):
            kept.append(line.replace(replacement.old, replacement.new, -1 if replacement.all else 1) if inside else line)
    return "\n".join(kept) if kept != lines else None
