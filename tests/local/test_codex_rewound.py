"""A Codex thread whose user went back to an earlier prompt goes on in a second file of the same
thread.
"""

from __future__ import annotations

import json
from pathlib import Path

from collector.agents import codex
from collector.agents.machine.model import Roots

THREAD = "01a21cbc-9a32-7e72-b456-2ee5272f4935"
SEGMENT = "01a21cbc-d825-7db2-b90f-d9cc9cb1dd56"
OTHER = "01a21cbd-0000-7000-8000-000000000000"


def _rollout(folder: Path, name: str, thread: str, prompt: str) -> Path:
    at = f"2026-11-27T{name[:8].replace('-', ':')}.000Z"
    meta = {
        "timestamp": at,
        "type": "session_meta",
        "payload": {"id": thread, "cwd": "/home/dev/shop"},
    }
    said = {
        "timestamp": at,
        "type": "event_msg",
        "payload": {"type": "user_message", "message": prompt},
    }
    path = folder / "sessions" / "2026" / "11" / "27" / f"rollout-2026-11-27T{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(record)}\n" for record in (meta, said)), "utf-8")
    return path


def _sessions(folder: Path) -> dict[str, list[str]]:
    """Thread -> its prompts, as they are read."""
    (store,) = codex.STORES
    assert store.find is not None
    result = {}
    for local in store.find(folder / "sessions", Roots.of_paths(["/home/dev/shop"])):
        result[local.id] = [turn.text for turn in codex.read(local.id, store.load(local)).turns]
    return result


def test_both_files_of_a_rewound_thread_are_read(tmp_path: Path) -> None:
    _rollout(tmp_path, f"11-20-52-{THREAD}", THREAD, "Write the orders")
    _rollout(tmp_path, f"11-21-07-{THREAD}_{SEGMENT}", THREAD, "Round the result")
    assert _sessions(tmp_path) == {THREAD: ["Write the orders", "Round the result"]}


def test_threads_of_their_own_stay_sessions_of_their_own(tmp_path: Path) -> None:
    _rollout(tmp_path, f"11-20-52-{THREAD}", THREAD, "Write the orders")
    _rollout(tmp_path, f"11-21-07-{OTHER}", OTHER, "Round the result")
    assert _sessions(tmp_path) == {THREAD: ["Write the orders"], OTHER: ["Round the result"]}


def test_a_committed_file_of_a_rewound_thread_is_known_as_its(tmp_path: Path) -> None:
    named = codex.COMMITTED[0].sessions
    path = _rollout(tmp_path, f"11-21-07-{THREAD}_{SEGMENT}", THREAD, "Round the result")
    assert named(f"home/.codex/sessions/2026/11/27/{path.name}", path.read_bytes()) == [THREAD]
