"""The tool call that wrote a line, cut down to the part of its text around that line.

Agents give their texts in many shapes (whole contents, old and new strings, patches, commands); the
line is looked for in all of them, equal lines are told apart by their neighbours, and the most
similar one is shown when the very line is not there.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from collector.json_values import load_json
from collector.text import printable

if TYPE_CHECKING:
    from attribution.queries.blame import BlameLine
    from collector.storage.store import Store

_AROUND = 5
_COMPARED = 4_000_000  # pairs of lines
_PATCH_KEYS = ("patch", "diff", "input", "patchtext")


MarkedLine = tuple[str, str]
"""`+`, `-`, ` ` or `@`, and a line."""


@dataclass(frozen=True, slots=True)
class CallLine:
    mark: str  # "+", "-", " " or "$" (a command)
    text: str
    hit: bool  # the explained line


@dataclass(frozen=True, slots=True)
class CallExcerpt:
    """The tool call that wrote the line, and the part of its text around it."""

    name: str
    at: str
    call_id: str
    subagent: str
    outcome: str
    path: str  # the file that it edited, where that is not the line's; else ""
    lines: list[CallLine]
    match: str  # exact | similar | "" (the line is not in the text)
    cut: bool  # there is more text


Neighbours = tuple[str, str]
"""The lines before and after a line, without white space at their ends; they tell equal lines of
a call apart.
"""


CALLS = """(
SELECT s.repo_id, COALESCE(t.at, '') AS at, COALESCE(t.at, u.at, s.started_at, '') AS not_before,
  COALESCE(t.at, strftime('%Y-%m-%dT%H:%M:%SZ', s.ended_at, '+1 day'), '') AS not_after,
  s.label AS session, t.session_id, t.call_id, t.name, t.status, t.error, t.command, t.input
FROM tool_calls t JOIN sessions s ON s.id = t.session_id
LEFT JOIN turns u ON u.session_id = t.session_id AND u.turn_index = t.turn_index
)"""
"""All calls. One without a time was made after its prompt was sent, or the session began; the last
time on record of such a session is often its beginning, so that it may go on for a day.
"""
_CALL = """
SELECT t.name, COALESCE(t.at, '') AS at, t.call_id, COALESCE(t.agent_id, '') AS subagent,
  COALESCE(e.outcome, '') AS outcome, COALESCE(NULLIF(e.path, ?1), '') AS path,
  t.command, COALESCE(t.input, '') AS input FROM tool_calls t
LEFT JOIN edits e ON e.session_id = t.session_id AND e.call_id = t.call_id
WHERE t.session_id = ?2 AND t.call_id = ?3 AND t.call_id <> '' ORDER BY e.path = ?1 DESC LIMIT 1
"""


def call_of(store: Store, line: BlameLine, neighbours: Neighbours) -> CallExcerpt | None:
    of = line.attribution
    for call in store.rows(_CALL, (printable(line.introduced.path), of.session_id, of.call_id)):
        command = call.pop("command")
        written = call.pop("input")
        arguments = (
            [_Argument("$", "", command)] if command is not None else list(_arguments(written))
        )
        lines, match, cut = _excerpt(arguments, printable(line.text), neighbours)
        return CallExcerpt(**call, lines=lines, match=match, cut=cut)
    return None


def neighbours_of(texts: Sequence[str], number: int) -> Neighbours:
    """Of the line of that number, counted from 1."""
    before = texts[number - 2].strip() if 1 < number <= len(texts) + 1 else ""
    return before, texts[number].strip() if number < len(texts) else ""


class _Argument(NamedTuple):
    """An argument of a call that can hold lines."""

    mark: str  # as in CallLine; "" is a patch, whose lines bring their own
    replaced: str  # the text that the new one replaces
    text: str


def _arguments(input_: str) -> Iterator[_Argument]:
    if not input_:
        return
    try:
        value = load_json(input_)
    except ValueError:
        value = {
            "content": (
                input_.replace("\\n", "\n")
                .replace("\\t", "\t")
                .replace('\\"', '"')
                .replace("\\\\", "\\")
            )
        }
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            strings = {k: v for k, v in node.items() if isinstance(v, str)}
            old = next((v for k, v in strings.items() if "old" in k.lower()), "")
            for key, text in strings.items():
                if "old" not in key.lower() and not key.lower().endswith("path"):
                    yield _Argument("" if key.lower() in _PATCH_KEYS else "+", old, text)
            stack.extend(v for v in node.values() if not isinstance(v, str))
        elif isinstance(node, list):
            stack.extend(node)
        elif isinstance(node, str):
            yield _Argument("", "", node)


class _Best(NamedTuple):
    """The line of the arguments that is most like the explained one, among the lines around it."""

    score: float
    agreeing: int  # neighbours that are the same
    lines: list[MarkedLine]
    position: int  # among them


def _excerpt(
    arguments: Sequence[_Argument], requested: str, neighbours: Neighbours
) -> tuple[list[CallLine], str, bool]:
    """The lines around the wanted one, marked as a diff marks them; how it was found; whether
    there is more.
    """
    best = _Best(-1.0, 0, [], 0)
    for argument in arguments:
        lines = _mark_lines(argument)
        plain = [text if mark else text[1:] for mark, text in lines]
        for index, (mark, _) in enumerate(lines):
            score = _likeness(plain[index], requested) if mark != "-" else 0.0
            around = (
                plain[index - 1].strip() if index else "",
                plain[index + 1].strip() if index + 1 < len(plain) else "",
            )
            agreeing = sum(a == b for a, b in zip(around, neighbours, strict=True))
            if (score, agreeing) > (best.score, best.agreeing):
                best = _Best(score, agreeing, lines, index)
    match = "exact" if best.score == 1.0 else "similar" if best.score >= 0.6 else ""
    start = max(0, best.position - _AROUND) if match else 0
    end = min(len(best.lines), best.position + _AROUND + 1) if match else 2 * _AROUND
    listing = [
        CallLine(
            mark or text[:1], text if mark else text[1:], bool(match) and index == best.position
        )
        for index, (mark, text) in enumerate(best.lines)
    ]
    return listing[start:end], match, start > 0 or end < len(best.lines)


def _mark_lines(argument: _Argument) -> list[MarkedLine]:
    after = argument.text.split("\n")
    if not argument.replaced or argument.mark != "+":
        return [(argument.mark, line) for line in after]
    return marked_lines(argument.replaced.split("\n"), after)


def marked_lines(before: Sequence[str], after: Sequence[str]) -> list[MarkedLine]:
    """What became of lines; very long texts are not compared, but shown as removed and added."""
    removed = [("-", line) for line in before]
    added = [("+", line) for line in after]
    if not before or len(before) * len(after) > _COMPARED:
        return removed + added
    result = []
    for tag, a0, a1, b0, b1 in difflib.SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        result += (
            [(" ", line) for line in after[b0:b1]]
            if tag == "equal"
            else removed[a0:a1] + added[b0:b1]
        )
    return result


def _likeness(line: str, requested: str) -> float:
    a = line.strip()
    b = requested.strip()
    if a == b:
        return 1.0
    if not a or not b or not 0.4 < len(a) / len(b) < 2.5:
        return 0.0
    return min(0.99, difflib.SequenceMatcher(None, a[:300], b[:300]).ratio())
