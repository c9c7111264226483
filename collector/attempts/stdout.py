"""What a trial printed: lines of the harness (`[subq-eval] Turns: 12`) and events of plannotator, one JSON object on a line. Pure.

Both are known by their description alone; no real file was at hand.
"""

from __future__ import annotations

import json
import re
from typing import Any

from collector.attempts.values import kept

NAMES = ("stdout.txt", "agent/stdout.txt")  # beside the result
_LINE = re.compile(r"\[subq-eval\][ \t]*([A-Za-z][A-Za-z -]{0,40}?):[ \t]*(\S.*)")
_FILE = re.compile(r"(.*\S) \((\d{1,9}) diff lines?\)")
_COUNTS = {"turns": "turn_count", "tool calls": "tool_call_count", "edit calls": "edit_calls"}
_FILES = "touched files"
_LONGEST = 20_000  # characters of a line that is looked at
_MOST = 10_000  # files, events


def told(text: str) -> dict[str, Any]:
    """Columns of an attempt; of a line that stands there several times the last."""
    found: dict[str, Any] = {}
    events: list[Any] = []
    for line in text.splitlines():
        if len(line) <= _LONGEST and (said := _LINE.search(line)) is not None:
            found |= _columns(said[1].strip().lower(), said[2])
        elif len(line) <= _LONGEST and len(events) < _MOST and (event := _event(line)) is not None:
            events.append(event)
    return {**found, "plannotator_phases": events} if events else found


def _columns(name: str, value: str) -> dict[str, Any]:
    if name in _COUNTS and (number := re.match(r"\d{1,9}\b", value)):
        return {_COUNTS[name]: int(number[0])}
    files = [file for part in value.split(", ")[:_MOST] if (file := _FILE.fullmatch(part.strip()))] if name == _FILES else []
    return {"touched_files": [kept(file[1]) for file in files], "diff_lines": sum(int(file[2]) for file in files)} if files else {}


def _event(line: str) -> Any:
    if "plannotator" not in line or "{" not in line:
        return None
    try:
        event = json.loads(line[line.index("{") :])
    except (ValueError, RecursionError):
        return None
    is_one = isinstance(event, dict) and str(event.get("event", "")).startswith("plannotator")
    return kept(event) if is_one else None
