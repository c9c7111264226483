"""What lies beside the result of a trial: the agent's own transcript
(`agent/sessions/…/UUID.jsonl`), and what it printed.

Where transcripts lie differs between agents and versions, so every file below the folders of the
agent's logs is looked at, and its content decides.

Printed are lines of the harness (`[subq-eval] Turns: 12`) and events of plannotator, one JSON
object on a line. Both are known by their description alone; no real file was at hand.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from attribution.evaluation.attempts import fields
from attribution.features.tools import category
from attribution.features.view import is_edit
from collector.agents import reader_for, readers
from collector.agents.machine.files import content, match_files
from collector.json_values import JsonObject, get_str, parse_json
from collector.limits import RESULT_BYTES
from collector.model import Session

FOLDERS = ("agent", "agent-logs", "agent_logs", "sessions")  # of a trial
_PATTERNS = tuple(
    f"{above}*{ending}"
    for above in ("*/" * depth for depth in range(8))
    for ending in (".jsonl", ".json")
)
_MOST_FILES = 200
_SUBAGENT = "agent-"  # Claude Code's files of subagents, beside their session
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def transcript_columns(trial: Path) -> JsonObject:
    """Columns of an attempt from the one transcript of its trial; empty where there is none, or
    several sessions.
    """
    groups = defaultdict(list)
    by_name = {reader.NAME: reader for reader in readers()}
    for path, data in _files(trial):
        reader = reader_for(data, list(by_name.values()))
        if reader is not None:
            groups[reader.NAME].append((path, data))
    for name in sorted(groups):
        mains = [path for path, _ in groups[name] if not path.name.startswith(_SUBAGENT)]
        if len(mains) != 1:
            return {}
        # agents name the file after the session; Codex puts the time before it
        ids = _UUID.findall(mains[0].stem)
        session = by_name[name].read(
            ids[-1] if ids else mains[0].stem, [data for _, data in groups[name]]
        )
        if session.calls or session.turns:
            return _columns(session) | {"transcript": mains[0].relative_to(trial).as_posix()}
    return {}


def _files(trial: Path) -> Iterator[tuple[Path, bytes]]:
    """Files of bounded size and number; what cannot be read is left out, as it may belong to
    anything.
    """
    folders = [trial / folder for folder in FOLDERS if not (trial / folder).is_symlink()]
    for path in islice(
        (
            path
            for folder in folders
            for pattern in _PATTERNS
            for path in match_files(folder, pattern)
        ),
        _MOST_FILES,
    ):
        try:
            if os.lstat(path).st_size <= RESULT_BYTES:
                yield path, content(path)
        except OSError:
            continue


def _columns(session: Session) -> JsonObject:
    responses = {
        usage.message_id for usage in session.usage if usage.message_id and not usage.agent_id
    }
    edits = [call for call in session.calls if any(not edit.by_shell for edit in call.edits)]
    changed = (edit.path for call in session.calls if is_edit(call) for edit in call.edits)
    touched = list(dict.fromkeys(changed))
    return {
        "session_key": session.id,
        "turn_count": len(responses) or None,
        "tool_call_count": len(session.calls),
        "edit_calls": len(edits),
        "tool_sequence": [category(call) for call in session.calls],
        "touched_files": [fields.storable(path) for path in touched],
        "first_touched_file": next(iter(touched), None),
        "cache_write_tokens": (
            sum(usage.cache_write for usage in session.usage) if session.counts_tokens else None
        ),
    }


PRINTED = ("stdout.txt", "agent/stdout.txt")  # beside the result
_LINE = re.compile(r"\[subq-eval\][ \t]*([A-Za-z][A-Za-z -]{0,40}?):[ \t]*(\S.*)")
_FILE = re.compile(r"(.*\S) \((\d{1,9}) diff lines?\)")
_COUNTS = {"turns": "turn_count", "tool calls": "tool_call_count", "edit calls": "edit_calls"}
_LONGEST = 20_000  # characters of a line that is looked at
_MOST_EVENTS = 10_000  # files, events


def printed_columns(text: str) -> JsonObject:
    """Columns of an attempt; of a line that was printed several times the last."""
    values: JsonObject = {}
    events: list[Any] = []
    for line in (line for line in text.splitlines() if len(line) <= _LONGEST):
        if match := _LINE.search(line):
            values |= _printed_values(match[1].strip().lower(), match[2])
        elif len(events) < _MOST_EVENTS and (event := _event(line)) is not None:
            events.append(event)
    return {**values, "plannotator_phases": events} if events else values


def _printed_values(name: str, value: str) -> JsonObject:
    if name in _COUNTS:
        count = re.match(r"\d{1,9}\b", value)
        return {_COUNTS[name]: int(count[0])} if count else {}
    parts = value.split(", ")[:_MOST_EVENTS] if name == "touched files" else []
    files = [file for part in parts if (file := _FILE.fullmatch(part.strip()))]
    if not files:
        return {}
    touched = [fields.storable(file[1]) for file in files]
    return {
        "touched_files": touched,
        "first_touched_file": touched[0],
        "diff_lines": sum(int(file[2]) for file in files),
    }


def _event(line: str) -> Any:
    event = parse_json(line[line.index("{") :]) if "plannotator" in line and "{" in line else None
    return fields.storable(event) if get_str(event, "event").startswith("plannotator") else None
