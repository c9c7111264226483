"""What a trial printed: lines of the harness (`[subq-eval] Turns: 12`) and events of plannotator, one JSON object on a line. Pure.

Both are known by their description alone; no real file was at hand.
"""

from __future__ import annotations

import json
import re
from typing import Any

from attribution.evaluation.attempts import fields

NAMES = ("stdout.txt", "agent/stdout.txt")  # beside the result
_LINE = re.compile(r"\[subq-eval\][ \t]*([A-Za-z][A-Za-z -]{0,40}?):[ \t]*(\S.*)")
_FILE = re.compile(r"(.*\S) \((\d{1,9}) diff lines?\)")
_COUNTS = {"turns": "turn_count", "tool calls": "tool_call_count", "edit calls": "edit_calls"}
_LONGEST = 20_000  # characters of a line that is looked at
_MOST = 10_000  # files, events


def printed_columns(text: str) -> dict[str, Any]:
    """Columns of an attempt; of a line that was printed several times the last."""
    values: dict[str, Any] = {}
    events: list[Any] = []
    for line in (line for line in text.splitlines() if len(line) <= _LONGEST):
        if match := _LINE.search(line):
            values |= _columns(match[1].strip().lower(), match[2])
        elif len(events) < _MOST and (event := _event(line)) is not None:
            events.append(event)
    return {**values, "plannotator_phases": events} if events else values


def _columns(name: str, value: str) -> dict[str, Any]:
    if name in _COUNTS:
        count = re.match(r"\d{1,9}\b", value)
        return {_COUNTS[name]: int(count[0])} if count else {}
    parts = value.split(", ")[:_MOST] if name == "touched files" else []
    files = [file for part in parts if (file := _FILE.fullmatch(part.strip()))]
    if not files:
        return {}
    return {"touched_files": [fields.storable(file[1]) for file in files], "diff_lines": sum(int(file[2]) for file in files)}


def _event(line: str) -> Any:
    if "plannotator" not in line or "{" not in line:
        return None
    try:
        event = json.loads(line[line.index("{") :])
    except (ValueError, RecursionError):
        return None
    return fields.storable(event) if isinstance(event, dict) and str(event.get("event", "")).startswith("plannotator") else None
