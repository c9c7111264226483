"""What a command that replaces text in place makes of a text: literal `sed`, `perl -p`, `str.replace` in a script. Pure.

Other than an edit tool such a command does not mind when a text it looks for is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from collector.model import LineRule, Replacement

_MAX_GROWTH = 4_000_000  # characters that replacements may add to a text


class NoFit(Exception):
    """An edit does not fit a text."""


class Substituted(NamedTuple):
    """A text after replacements."""

    text: str
    complete: bool  # every text that was looked for in the text as a whole was there; else it was not the text of the file


def substitute(text: str, replacements: Sequence[Replacement]) -> Substituted:
    """The text after all of them, in order. Raises NoFit when none of them finds what it looks for."""
    result, complete = False, True
    limit = len(text) + _MAX_GROWTH
    for replacement in replacements:
        rule = replacement.lines
        after = _in_whole(text, replacement) if rule is None else _replace_line(text, replacement, rule)
        if after is None:
            complete = complete and replacement.lines is not None  # sed is often run over lines that have none of it
            continue
        if len(after) > limit:
            raise NoFit("text_too_large")
        text, result = after, True
    if not result:
        raise NoFit("text_not_found")
    return Substituted(text, complete)


def rewritten(text: str, replacements: Sequence[Replacement]) -> set[str]:
    """Lines that a text does not have, and has after the replacements; of those by number of a line none."""
    everywhere = [replacement for replacement in replacements if replacement.lines is None or not replacement.lines.first]
    try:
        after = substitute(text, everywhere).text if everywhere else text
    except NoFit:
        return set()
    return set(after.split("\n")) - set(text.split("\n"))


def _in_whole(text: str, replacement: Replacement) -> str | None:
    """None when the old text is not there."""
    count = text.count(replacement.old) if replacement.old else 0
    if not count:
        return None
    if count * (len(replacement.new) - len(replacement.old)) > _MAX_GROWTH:
        raise NoFit("text_too_large")
    return text.replace(replacement.old, replacement.new, -1 if replacement.all else 1)


def _replace_line(text: str, replacement: Replacement, rule: LineRule) -> str | None:
    """None when there is no such line."""
    lines = text.split("\n")
    last = len(lines) - (not lines[-1])  # a final newline ends the last line
    first, until = (last if number < 0 else number for number in (rule.first, rule.last))
    found = False
    result: list[str] = []
    for number, line in enumerate(lines, 1):
        inside = number <= last and max(1, first) <= number <= (until or last) and rule.containing in line
        changed = _line(line, replacement, rule) if inside else None
        found = found or changed is not None
        result.extend([line] if changed is None else changed)
    return "\n".join(result) if found else None


def _line(line: str, replacement: Replacement, rule: LineRule) -> Iterable[str] | None:
    """What becomes of a line; None: nothing is done to it."""
    if rule.verb == "s":
        changed = _in_line(line, replacement, rule)
        return None if changed is None else [changed]
    new = replacement.new.split("\n")
    return {"d": [], "a": [line, *new], "i": [*new, line], "c": new}[rule.verb]


def _in_line(line: str, replacement: Replacement, rule: LineRule) -> str | None:
    old, new = replacement.old, replacement.new
    if rule.at_start and rule.at_end:
        return new if line == old else None
    if rule.at_start:
        return new + line[len(old) :] if line.startswith(old) else None
    if rule.at_end:
        return line[: len(line) - len(old)] + new if line.endswith(old) else None
    return line.replace(old, new, -1 if replacement.all else 1) if old in line else None
