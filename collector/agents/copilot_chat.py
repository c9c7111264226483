"""Copilot Chat in VS Code: JSONL of events, as Copilot's command line writes them.

The editor's own documents of a talk (`chatSessions`) and its timeline of the files
(`chatEditingSessions`) are not read, as no real one was ever found.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from collector.agents.formats.copilot_events import read_events
from collector.agents.machine import files
from collector.agents.machine.editors import USERS, folders
from collector.agents.machine.model import LocalSession, Roots, Store
from collector.json_values import json_bytes
from collector.model import Session
from collector.vocabulary.agents import Agent

NAME = "copilot-chat"
AGENT = Agent(
    NAME,
    "Copilot Chat",
    tools={
        "read": "read_file",
        "write": "create_file",
        "edit": (
            "textedit replace_string_in_file multi_replace_string_in_file insert_edit_into_file"
            " edit_notebook_file"
        ),
    },
)
GIVES = frozenset({"text", "commands", "directory"})
ORDER = 22
UNPROVEN = True


def sniff(head: object) -> bool:
    """Its events look like those of the command line, so the place of the file decides."""
    return False


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return read_events(NAME, session_id, list(blobs))


# --- sessions on this machine ---------------------------------------------------------------------

_TRANSCRIPTS = "GitHub.copilot-chat/transcripts/*.jsonl"


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    for workspace in files.directories(location):  # `workspace.json` names the folder
        if folder := next((item for item in folders(workspace) if roots.of(item)), ""):
            for path in sorted(files.match_files(workspace, _TRANSCRIPTS)):
                yield LocalSession(path.stem, (path,), f"VS Code opened {folder}", cwd=folder)


def _load(session: LocalSession) -> Iterator[bytes]:
    head = {"type": "session.context_changed", "id": "folder", "data": {"cwd": session.cwd}}
    yield json_bytes(head) + b"\n" + files.lines(session.files[0])


STORES = (
    Store(
        NAME,
        proven=False,
        at=(
            f"{USERS}/{{Code,Code - Insiders,VSCodium}}/User/workspaceStorage",
            "~/{.vscode-server,.vscode-server-insiders}/data/User/workspaceStorage",
        ),
        patterns=(f"*/{_TRANSCRIPTS}",),
        find=_find,
        load=_load,
    ),
)
