"""Copilot CLI: JSONL events `{type, data, id, timestamp, parentId, agentId?}`, subagents among
them.

The result of an edit holds a git diff with exact text. Before 1.0 responses tell their output
tokens only; totals by model are in `session.shutdown`.
"""

from collections.abc import Iterable
from pathlib import Path

from collector.agents.common.reader import FACETS
from collector.agents.formats.copilot_events import read_events
from collector.agents.machine import files
from collector.agents.machine.model import Store
from collector.json_values import get_str, has
from collector.model import Session
from collector.vocabulary.agents import Agent

NAME = "copilot-cli"
AGENT = Agent(
    NAME,
    "Copilot CLI",
    accounts=r"223556219\+Copilot",
    aliases=("github-copilot-cli",),
    exported={"git-ai": "github-copilot"},
    tools={
        "read": "view",
        "grep": "grep rg",
        "glob": "glob",
        "write": "create",
        "edit": "edit str_replace_editor apply_patch",
        "web": "web_fetch web_search",
        "agent": "task",
        "ask": "ask_user",
        "plan": "exit_plan_mode",
        "skill": "skill",
    },
)
GIVES = frozenset(FACETS)
ORDER = 50

_FAMILIES = (
    "session",
    "user",
    "assistant",
    "tool",
    "subagent",
    "hook",
    "system",
    "skill",
    "abort",
    "permission",
    "model",
)


def sniff(head: object) -> bool:
    family, dot, _ = get_str(head, "type").partition(".")
    return bool(dot) and family in _FAMILIES and has(head, data=dict, id=str, timestamp=str)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return read_events(NAME, session_id, blobs)


# --- sessions on this machine ---------------------------------------------------------------------

_EVENTS = "events.jsonl"


def _whose(path: Path) -> tuple[str, str]:
    first = files.first_line(path)
    usual = path.parent.name if path.name == _EVENTS else path.stem
    return get_str(first, "data", "sessionId") or usual, get_str(first, "data", "context", "cwd")


STORES = (
    Store(
        NAME,
        at=("${COPILOT_HOME:-~/.copilot}/{session-state,history-session-state}",),
        patterns=("*.jsonl", f"*/{_EVENTS}"),
        whose=_whose,
    ),
)
