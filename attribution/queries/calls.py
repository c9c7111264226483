"""The tool call that wrote a line, cut down to the part of its text around that line.

Agents give their texts in many shapes (whole contents, old and new strings, patches, commands); the line is looked for in all of
them, equal lines are told apart by their neighbours, and the most similar one is shown when the very line is not there.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from attribution.queries.blame import BlameLine
from collector.storage.store import Store
from collector.text import printable

_AROUND = 5
_PATCH_KEYS = ("patch", "diff", "input", "patchtext")


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
    lines: list[CallLine]
    match: str  # exact | similar | "" (the line is not in the text)
    cut: bool  # there is more text


def call_of(store: Store, line: BlameLine, neighbours: tuple[str, str]) -> CallExcerpt | None:
    said = line.said
    rows = store.rows(
        "SELECT t.*, e.outcome FROM tool_calls t "
        "LEFT JOIN edits e ON e.session_id = t.session_id AND e.call_id = t.call_id AND e.path = ? "
        "WHERE t.session_id = ? AND t.call_id = ? LIMIT 1",
        (printable(line.birth.path), said.session_id, said.call_id),
    )
    if not rows or not said.call_id:
        return None
    row = rows[0]
    texts = [("$", "", row["command"])] if row["command"] is not None else list(_texts(row["input"] or ""))
    lines, match, cut = _excerpt(texts, printable(line.text), neighbours)
    return CallExcerpt(row["name"], row["at"] or "", row["call_id"], row["agent_id"] or "", row["outcome"] or "", lines, match, cut)


def neighbours_of(texts: Sequence[str], number: int) -> tuple[str, str]:
    """The lines before and after; they tell equal lines of a call apart."""
    return texts[number - 2].strip() if number > 1 else "", texts[number].strip() if number < len(texts) else ""


def _texts(arguments: str) -> Iterator[tuple[str, str, str]]:
    """(mark, text that was replaced, text) of every argument that can hold lines; "" is the mark of a patch."""
    try:
        value = json.loads(arguments)
    except ValueError:
        value = {"content": arguments.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\\\", "\\")}
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            strings = {k: v for k, v in one.items() if isinstance(v, str)}
            old = next((v for k, v in strings.items() if "old" in k.lower()), "")
            for key, text in strings.items():
                if "old" not in key.lower() and not key.lower().endswith("path"):
                    yield ("" if key.lower() in _PATCH_KEYS else "+"), old, text
            stack.extend(v for v in one.values() if not isinstance(v, str))
        elif isinstance(one, list):
            stack.extend(one)
        elif isinstance(one, str):
            yield "", "", one


def _excerpt(texts: Sequence[tuple[str, str, str]], wanted: str, neighbours: tuple[str, str]) -> tuple[list[CallLine], str, bool]:
    """The lines around the wanted one, marked as a diff marks them; how it was found; whether there is more."""
    best: tuple[float, int, list[tuple[str, str]], int] = (-1.0, 0, [], 0)
    for mark, old, text in texts:
        lines = _marked(mark, old, text)
        plain = [line if sign else line[1:] for sign, line in lines]
        for at, (sign, _) in enumerate(lines):
            score = _likeness(plain[at], wanted) if sign != "-" else 0.0
            around = (plain[at - 1].strip() if at else "", plain[at + 1].strip() if at + 1 < len(plain) else "")
            agree = sum(a == b for a, b in zip(around, neighbours, strict=True))
            if (score, agree) > best[:2]:
                best = (score, agree, lines, at)
    score, _, lines, at = best
    match = "exact" if score == 1.0 else "similar" if score >= 0.6 else ""
    start = max(0, at - _AROUND) if match else 0
    end = min(len(lines), at + _AROUND + 1) if match else 2 * _AROUND
    shown = [
        CallLine(sign or line[:1], line if sign else line[1:], bool(match) and i == at) for i, (sign, line) in enumerate(lines)
    ]
    return shown[start:end], match, start > 0 or end < len(lines)


def _marked(mark: str, old: str, text: str) -> list[tuple[str, str]]:
    new = text.split("\n")
    if not old or mark != "+":
        return [(mark, line) for line in new]
    before = old.split("\n")
    result: list[tuple[str, str]] = []
    for tag, a0, a1, b0, b1 in difflib.SequenceMatcher(None, before, new, autojunk=False).get_opcodes():
        if tag == "equal":
            result += [(" ", line) for line in new[b0:b1]]
        else:
            result += [("-", line) for line in before[a0:a1]] + [("+", line) for line in new[b0:b1]]
    return result


def _likeness(line: str, wanted: str) -> float:
    a, b = line.strip(), wanted.strip()
    if a == b:
        return 1.0
    if not a or not b or not 0.4 < len(a) / len(b) < 2.5:
        return 0.0
    return min(0.99, difflib.SequenceMatcher(None, a[:300], b[:300]).ratio())
