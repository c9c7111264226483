"""Blocks of text to search and to put in its place, between marks on lines of their own, as several agents write them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from collector.model import Replacement

_SEARCH = re.compile(r"^(?:<{5,9}|-{5,9}) SEARCH>?\s*$")
_MIDDLE = re.compile(r"^={5,9}\s*$")
_REPLACE = re.compile(r"^(?:>{5,9}|\+{5,9}) REPLACE>?\s*$")
_PLACE = re.compile(r"^:(?:start|end)_line:\s*\d+\s*$")  # Roo Code tells where it looks first
_END_OF_PLACE = re.compile(r"^-{5,9}\s*$")


def search_replace_blocks(text: str) -> tuple[Replacement, ...]:
    """The blocks of a text in order; one that is not closed is left out. Their lines end in newlines."""
    return tuple(_blocks(text.split("\n")))


def _blocks(lines: list[str]) -> Iterator[Replacement]:
    old: list[str] | None = None
    new: list[str] | None = None
    for line in lines:
        if _SEARCH.match(line):
            old, new = [], None
        elif old is not None and new is None and _MIDDLE.match(line):
            new = []
        elif old is not None and new is not None and _REPLACE.match(line):
            yield Replacement(_join(_strip_place(old)), _join(new))
            old = new = None
        elif new is not None:
            new.append(line)
        elif old is not None:
            old.append(line)


def _join(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _strip_place(lines: list[str]) -> list[str]:
    start = 0
    while start < len(lines) and _PLACE.match(lines[start]):
        start += 1
    return lines[start + 1 :] if 0 < start < len(lines) and _END_OF_PLACE.match(lines[start]) else lines


def text_before(after: str, blocks: Sequence[Replacement]) -> str | None:
    """The text that the blocks, one after the other, turned into this one; None where their places cannot be told."""
    before = after
    for block in reversed(blocks):
        if not block.new or before.count(block.new) != 1:
            return None
        before = before.replace(block.new, block.old)
    return before
