"""Which lines a command wrote that changes files in place: `sed -i`, a Python or Node script in a heredoc. Pure.

Such a command writes what its text says and what stood in the file. That it names a file makes it no author of lines which are
in neither: a person may have added them afterwards. Where the script computes text (it formats, reads other files, asks a server)
no line is ruled out; but then nothing shows which lines are its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from attribution.authorship.agent_text import MIN_LENGTH, without_layout
from attribution.authorship.replay import CallRef

_WORD = re.compile(r"[^\W_]{3,}")
_COMPUTES = re.compile(
    r"(?<!\w)[rb]?f[rb]?(?:'|\")[^\n]{0,400}?\{|\.format\(|\$\{|%\s?\(|\bjson\.(?:dump|load)|JSON\.(?:stringify|parse)"
    r"|\b(?:csv|yaml|tomllib|toml|base64|uuid|random|datetime|secrets|string\.Template|textwrap)\.\w|\bDate\b|\bchr\(|fromCharCode"
    r"|\bsubprocess\b|child_process|\bexec(?:Sync|File)?\(|\burllib|\brequests\.|\bhttpx?\.|\bfetch\(|\bglob\b|\blistdir\(|\breaddir"
    r"|\.(?:upper|lower|title|capitalize|swapcase|toUpperCase|toLowerCase|padStart|zfill|repeat|splitlines|join)\("
    r"|\\[ULul]\b|\$\(|\bawk\b"
)


class InlineScript(NamedTuple):
    """A command whose text says what it writes, and the call that ran it."""

    text: str
    call: CallRef


def script_of(line: str, scripts: Sequence[InlineScript], existing: frozenset[str]) -> InlineScript | None:
    """The script that wrote a line; None when none of them can have.

    The latest whose text holds the line, layout aside. Else the latest of all, if the line has no word but theirs and those of
    the file without the line (`existing`), at least one of them theirs: what a search and replace leaves behind.
    """
    bare = without_layout(line)
    if len(bare) >= MIN_LENGTH:
        for script in scripts:
            if bare in _bare(script.text):
                return script
    words = words_of(line)
    statement = frozenset[str]().union(*(words_of(script.text) for script in scripts))
    changes = words <= statement | existing and (not words or not words.isdisjoint(statement))
    return scripts[0] if changes else None


def computes(scripts: Sequence[InlineScript]) -> bool:
    """Whether one of the scripts makes text that stands neither in itself nor in the file."""
    return any(_COMPUTES.search(script.text) for script in scripts)


@lru_cache(maxsize=256)
def words_of(text: str) -> frozenset[str]:
    """Words and numbers of three or more characters."""
    return frozenset(_WORD.findall(text))


@lru_cache(maxsize=64)
def _bare(text: str) -> str:
    return without_layout(text)
