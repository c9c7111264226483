"""OpenCode: one JSON document `{info, messages: [{info, parts}]}` per copy; a large one is split into several documents."""

from __future__ import annotations

from collections.abc import Iterable

from collector.agents import FACETS
from collector.agents.formats.exported_sessions import read_exported
from collector.json_values import get
from collector.model import Session

NAME = "opencode"
GIVES = frozenset(FACETS) - {"commits", "subagents"}
ORDER = 20


def sniff(head: object) -> bool:
    if not isinstance(head, dict) or not isinstance(head.get("info"), dict) or not isinstance(head.get("messages"), list):
        return False
    return all(isinstance(get(message, "info"), dict) and "parts" in message for message in head["messages"])


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return read_exported(NAME, session_id, blobs)
