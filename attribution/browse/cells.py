"""Cells of tables on pages: links, bars, names of people. Pure; everything is escaped here."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from attribution.browse import charts, words
from collector.vocabulary.lines import LINE_CLASSES


def link(address: str, value: object, most: int = 90, **attributes: str) -> str:
    """A link with a text that is safe and short."""
    more = "".join(f' {name}="{escape(text)}"' for name, text in attributes.items())
    return f'<a href="{escape(address)}"{more}>{text(value, most)}</a>'


def text(value: object, most: int = 90) -> str:
    """Any value on one line, safe and short."""
    return escape(words.line(value, most))


def dim(value: object, most: int = 90) -> str:
    return f'<span class="dim">{text(value, most)}</span>'


def bar(row: Mapping[str, Any]) -> str:
    """The lines of a row by class as a small bar."""
    return small_bar({name: row[name] or 0 for name in LINE_CLASSES})


def tip_bar(row: Mapping[str, Any]) -> str:
    """The same for lines at HEAD, some of which may be older than the followed history."""
    return small_bar({name: row[name] or 0 for name in (*LINE_CLASSES, "older")})


def small_bar(lines: Mapping[str, int]) -> str:
    """Class -> lines as a small bar."""
    return f'<div class="mini">{charts.stacked_bar(lines, 160, 12)}</div>'
