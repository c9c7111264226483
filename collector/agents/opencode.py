"""OpenCode: one JSON document `{info, messages: [{info, parts}]}` per copy; a large one is split
into several documents. Its `/export` writes Markdown.
"""

from collections.abc import Iterable

from collector.agents.common.reader import FACETS
from collector.agents.formats.opencode import (
    files_beside,
    find,
    load,
    load_files,
    read_exported,
    session_of_markdown,
    whose_file,
)
from collector.agents.machine.model import Committed, Store
from collector.json_values import get_list, has
from collector.model import Session
from collector.text import decode
from collector.vocabulary.agents import Agent

NAME = "opencode"
AGENT = Agent(
    NAME,
    "OpenCode",
    accounts=r"noreply@opencode\.ai|opencode-agent\[bot\]|opencode@",
    tools={
        "read": "read",
        "grep": "grep",
        "glob": "glob list",
        "write": "write",
        "edit": "edit multiedit patch apply_patch",
        "web": "webfetch websearch",
        "agent": "task",
        "todo": "todowrite todoread",
        "ask": "question",
        "plan": "plan_exit",
        "skill": "skill",
    },
)
GIVES = frozenset(FACETS) - {"commits", "subagents"}
ORDER = 20


COMMITTED = (
    Committed(
        ("**/session-ses_*.md",),
        lambda path, data: [*filter(None, [session_of_markdown(decode(data[:2_000]))])],
        found_by=("Session ID Assistant Build extension:md",),
    ),
)


def sniff(head: object) -> bool:
    if isinstance(head, str):
        return session_of_markdown(head) != ""
    return has(head, info=dict, messages=list) and all(
        has(message, info=dict) and "parts" in message for message in get_list(head, "messages")
    )


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return read_exported(NAME, session_id, blobs)


STORES = (
    Store(
        NAME,
        at=("${OPENCODE_DB:-}", "${XDG_DATA_HOME:-~/.local/share}/opencode/${OPENCODE_DB:-*.db}"),
        find=find,
        load=load,
    ),
    # after the database, into which 1.2 copied them without deleting them
    Store(
        NAME,
        at=("${XDG_DATA_HOME:-~/.local/share}/opencode/storage",),
        patterns=("session/*/*.json",),
        whose=whose_file,
        beside=files_beside,
        load=load_files,
        proven=False,
        form="opencode-files",
    ),
)
