"""The agent's own transcript of a trial, which harnesses keep beside its result: `agent/sessions/…/UUID.jsonl` and the like.

Where it lies differs between agents and versions, so every file below the folders of the agent's logs is looked at, and its content
decides. A trajectory that the harness wrote itself (ATIF) is used only where the agent's own record is missing.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from collector.agents import atif, reader_for, readers
from collector.agents.machine.files import content, listed
from collector.model import Session

FOLDERS = ("agent", "agent-logs", "agent_logs", "sessions")  # of a trial
_ENDINGS = (".jsonl", ".json")
_DEPTH = 8
_MOST_FILES = 200
_MOST_BYTES = 64_000_000  # of one file
_SUBAGENT = "agent-"  # Claude Code's files of subagents, beside their session
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def transcript_columns(trial: Path) -> dict[str, Any]:
    """Columns of an attempt from the one transcript of its trial; empty where there is none, or several sessions."""
    groups: dict[str, list[tuple[Path, bytes]]] = defaultdict(list)
    by_name = {reader.NAME: reader for reader in readers()}
    for path, data in _files(trial):
        reader = reader_for(data, list(by_name.values()))
        if reader is not None:
            groups[reader.NAME].append((path, data))
    for name in sorted(groups, key=lambda name: name == atif.NAME):
        mains = [path for path, _ in groups[name] if not path.name.startswith(_SUBAGENT)]
        if len(mains) != 1:
            return {}
        session = by_name[name].read(_session_id(mains[0]), [data for _, data in groups[name]])
        if session.calls or session.turns:
            return _columns(session) | {"transcript": mains[0].relative_to(trial).as_posix()}
    return {}


def _files(trial: Path) -> Iterator[tuple[Path, bytes]]:
    """Files of bounded size and number; what cannot be read is left out, as it may belong to anything."""
    folders = [trial / folder for folder in FOLDERS if not (trial / folder).is_symlink()]
    for path in islice((path for folder in folders for path in listed(folder, _ENDINGS, _DEPTH)), _MOST_FILES):
        try:
            if os.lstat(path).st_size <= _MOST_BYTES:
                yield path, content(path)
        except OSError:
            continue


def _session_id(path: Path) -> str:
    """Agents name the file after the session; Codex puts the time before it."""
    ids: Sequence[str] = _UUID.findall(path.stem)
    return ids[-1] if ids else path.stem


def _columns(session: Session) -> dict[str, Any]:
    responses = {usage.message_id for usage in session.usage if usage.message_id and not usage.agent_id}
    edits = [call for call in session.calls if any(not edit.by_shell for edit in call.edits)]
    return {
        "session_key": session.id,
        "turn_count": len(responses) or None,
        "tool_call_count": len(session.calls),
        "edit_calls": len(edits),
    }
