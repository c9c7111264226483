"""The agent's own transcript of a trial, which harnesses keep beside its result: `agent/sessions/…/UUID.jsonl` and the like.

Where it lies differs between agents and versions, so every file below the folders of the agent's logs is looked at, and its content
decides. A trajectory that the harness wrote itself (ATIF) is used only where the agent's own record is missing.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from collector.local.files import content, listed
from collector.model import Session, TranscriptReader
from collector.transcripts import atif, reader_for, readers

FOLDERS = ("agent", "agent-logs", "agent_logs", "sessions")  # of a trial
_ENDINGS = (".jsonl", ".json")
_DEPTH = 8
_MOST_FILES = 200
_MOST_BYTES = 64_000_000  # of one file
_SUBAGENT = "agent-"  # Claude Code's files of subagents, beside their session
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def told(trial: Path) -> dict[str, Any]:
    """Columns of an attempt from the one transcript of its trial; empty where there is none, or several sessions."""
    groups: dict[str, list[tuple[Path, bytes]]] = defaultdict(list)
    by_name: dict[str, TranscriptReader] = {}
    known = readers()
    for path, data in _files(trial):
        reader = reader_for(data, known)
        if reader is not None:
            groups[reader.NAME].append((path, data))
            by_name[reader.NAME] = reader
    for name in sorted(groups, key=lambda name: name == atif.NAME):
        mains = [path for path, _ in groups[name] if not path.name.startswith(_SUBAGENT)]
        if len(mains) != 1:
            return {}
        session = by_name[name].read(_id(mains[0]), [data for _, data in groups[name]])
        if session.calls or session.turns:
            return _columns(session, mains[0].relative_to(trial).as_posix())
    return {}


def _files(trial: Path) -> Iterator[tuple[Path, bytes]]:
    """Files of bounded size and number; what cannot be read is left out, as it may belong to anything."""
    number = 0
    for folder in FOLDERS:
        if (trial / folder).is_symlink():
            continue
        for path in listed(trial / folder, _ENDINGS, _DEPTH):
            number += 1
            if number > _MOST_FILES:
                return
            try:
                if os.lstat(path).st_size <= _MOST_BYTES:
                    yield path, content(path)
            except OSError:
                continue


def _id(path: Path) -> str:
    """Agents name the file after the session; Codex puts the time before it."""
    found: Sequence[str] = _UUID.findall(path.stem)
    return found[-1] if found else path.stem


def _columns(session: Session, path: str) -> dict[str, Any]:
    responses = {one.message_id for one in session.usage if one.message_id and not one.agent_id}
    edits = [call for call in session.calls if any(not edit.by_shell for edit in call.edits)]
    return {
        "session_key": session.id,
        "transcript": path,
        "turn_count": len(responses) or None,
        "tool_call_count": len(session.calls),
        "edit_calls": len(edits),
    }
