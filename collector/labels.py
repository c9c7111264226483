"""A short name of a session: the start of what its first prompt says, past the words that editors and agents put before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

REQUEST = "## My request for Codex:"  # before it an editor describes its open files
_LENGTH = 80
_TAG = re.compile(r"^<[a-z][\w-]*(?:\s[^>]*)?>")
_PHRASES = (
    "implement the following plan:",
    "a previous agent produced the plan below to accomplish the user's task.",
    "implement the plan in a fresh context.",
    "[[ ## user_query ## ]]",
    "user request:",
    "task:",
    "plan:",
)
_MARKS = re.compile(r"^[\s\"'#>*=-]+")


def request_of(text: str) -> str:
    """Without what an editor put before it."""
    at = text.rfind(REQUEST)
    return text[at + len(REQUEST) :] if at >= 0 else text


def session_label(prompts: Sequence[str]) -> str:
    """At most 80 characters of the first line that says something of its own; "" when there is none."""
    found = (_own(line) for prompt in prompts for line in request_of(prompt[:50_000]).split("\n"))
    return next((line[:_LENGTH] for line in found if any(c.isalnum() for c in line)), "")


def _own(line: str) -> str:
    """The line without marks of a heading, tags and stock phrases at its start."""
    before = None
    while line != before:
        before = line
        line = _TAG.sub("", _MARKS.sub("", line)).strip()
        low = line.lower()
        line = next((line[len(phrase) :] for phrase in _PHRASES if low.startswith(phrase)), line)
    return line
