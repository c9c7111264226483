"""`globalStorage/state.vscdb` of Cursor's editor, table `cursorDiskKV`; `workspaceStorage/<hash>/` beside it tells the folders.

A conversation (composer) names its workspace since Cursor 3; before that, the database of the workspace lists its conversations. Of
both databases only the rows of conversations are read: others hold keys. Conversations of subagents are read with their parent's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collector.agents.machine import files
from collector.agents.machine.databases import CopiedDatabase, DatabaseUnreadable, copied
from collector.agents.machine.model import Known, LocalSession, Machine
from collector.agents.machine.roots import Roots
from collector.agents.machine.workspaces import editor_users, folders
from collector.json_values import get_dict, get_list, get_str, objects, parsed, time_of

NAME = "cursor-editor"
AGENT = "cursor"
KNOWN = Known.DOCUMENTATION
EVIDENCE = "descriptions of real databases by other projects, exported calls"
KEPT_DAYS = None
ORDER = 40  # before the transcripts of the same conversations, which tell less

_STATE = "state.vscdb"
_WORKSPACES = "workspaceStorage"
_COMPOSER, _BUBBLE, _TEXT = "composerData:", "bubbleId:", "composer.content."
_LISTED = "composer.composerData"
_PANE, _VIEW = "workbench.panel.composerChatViewPane", "workbench.panel.aichat.view."
_ABOUT = ("composerId", "createdAt", "lastUpdatedAt", "createdOnBranch", "modelConfig", "newlyCreatedFiles")  # others hold keys
_TOOLS = 15  # the capability that old versions kept tool calls in
_LARGEST_TEXT = 20_000_000  # characters of one version of a file


def places(machine: Machine) -> list[Path]:
    return machine.existing(user / _WORKSPACES for user in editor_users(machine, ("Cursor",)))


def stored(place: Path) -> Iterator[Path]:
    database = place.parent / "globalStorage" / _STATE
    if database.is_file():
        yield database


def find(place: Path, roots: Roots) -> Iterator[LocalSession]:
    opened = {
        workspace.name: folder for workspace in files.directories(place) for folder in folders(workspace)[:1] if roots.of(folder)
    }
    for path in stored(place) if opened or roots.anywhere else ():
        listed = {number: folder for name, folder in opened.items() for number in _listed(place / name / _STATE)}
        with copied(path) as database:
            known = [one for row in _composers(database) if (one := _composer(row))]
        parents = {one.id: one.parent for one in known}
        for one in known:
            folder = listed.get(one.id) or opened.get(one.workspace) or (one.folder if roots.of(one.folder) else "")
            if folder and one.parent not in parents:
                stamp = f"{one.id} {one.updated}"
                why = f"Cursor opened {folder}"
                yield LocalSession(NAME, AGENT, one.id, (path,), why, one.id, folder, stamp, one.updated or 0.0)


def load(session: LocalSession) -> Iterator[bytes]:
    with copied(session.files[0]) as database:
        lines = [json.dumps(record) for record in _records(database, session.key, session.cwd)]
    yield "\n".join(lines).encode()


@dataclass(frozen=True, slots=True)
class _Composer:
    """What a conversation says about itself."""

    id: str
    workspace: str
    folder: str
    parent: str
    updated: float | None


def _composers(database: CopiedDatabase) -> Iterator[dict[str, Any]]:
    """Of every conversation no more than where it took place."""
    if "key" not in database.columns("cursorDiskKV"):
        return
    text = "CAST(value AS TEXT)"
    fields = {
        "workspace": "$.workspaceIdentifier.id",
        "folder": "$.workspaceIdentifier.uri.fsPath",
        "parent": "$.subagentInfo.parentComposerId",
        "updated": "$.lastUpdatedAt",
        "created": "$.createdAt",
    }
    columns = ", ".join(f"json_extract({text}, '{path}') AS {name}" for name, path in fields.items())
    sql = f"SELECT key, {columns} FROM cursorDiskKV WHERE key >= ? AND key < ? AND json_valid({text})"
    yield from database.rows(sql, _range(_COMPOSER))


def _composer(row: dict[str, Any]) -> _Composer | None:
    number = str(row["key"]).removeprefix(_COMPOSER)
    workspace, folder, parent = (str(row[name] or "") for name in ("workspace", "folder", "parent"))
    return _Composer(number, workspace, folder, parent, time_of(row["updated"]) or time_of(row["created"])) if number else None


def _listed(path: Path) -> list[str]:
    """The conversations that the database of a workspace names."""
    if not path.is_file():
        return []
    try:
        with copied(path) as database:
            sql = "SELECT key, CAST(value AS TEXT) AS value FROM ItemTable WHERE key = ? OR key = ? OR (key >= ? AND key < ?)"
            rows = database.rows(sql, (_LISTED, _PANE, *_range(f"{_PANE}.")))
    except DatabaseUnreadable:
        return []  # the conversations may still name the workspace
    found: list[str] = []
    for row in rows:
        value = parsed(row["value"])
        if row["key"] == _LISTED:
            found += [get_str(one, "composerId") for one in get_list(value, "allComposers")]
            found += [one for one in get_list(value, "selectedComposerIds") if isinstance(one, str)]
        elif isinstance(value, dict):
            found += [key.removeprefix(_VIEW) for key in value if key.startswith(_VIEW)]
    return [number for number in found if number]


def _range(prefix: str) -> tuple[str, str]:
    """The keys that begin like this, from and to."""
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)


# --- one conversation ---------------------------------------------------------------------------------------------------


def _records(database: CopiedDatabase, composer: str, folder: str) -> Iterator[dict[str, Any]]:
    """A conversation and those of its subagents, as `collector/agents/formats/cursor_database.py` takes them."""
    left, done = [composer], set[str]()
    while left:
        number = left.pop(0)
        about = _value(database, _COMPOSER + number)
        if number in done or not about:
            continue
        done.add(number)
        yield {"composerData": {name: about[name] for name in _ABOUT if name in about} | {"composerId": number}, "folder": folder}
        for bubble in _bubbles(database, number, about):
            yield {"composer": number, "bubble": bubble} | _texts(database, bubble)
            agent = get_str(_object(get_dict(bubble, "toolFormerData").get("result")), "agentId")
            left += [agent] if agent else []


def _bubbles(database: CopiedDatabase, composer: str, about: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The messages in the order in which the conversation lists them; old versions keep them in the conversation itself."""
    sql = "SELECT key, CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE key >= ? AND key < ?"
    prefix = f"{_BUBBLE}{composer}:"
    known = {str(row["key"]).removeprefix(prefix): _object(row["value"]) for row in database.rows(sql, _range(prefix))}
    tools = _old_tools(about)
    for header in objects(about.get("fullConversationHeadersOnly")) or objects(about.get("conversation")):
        number = get_str(header, "bubbleId")
        whole = header | known.pop(number, {})
        if number in tools:
            whole = {"toolFormerData": tools[number]} | whole
        yield whole
    for number, bubble in known.items():  # that no list has: of a point the user went back behind
        if bubble:
            yield {"bubbleId": number} | bubble


def _old_tools(about: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for capability in objects(about.get("capabilities")):
        if capability.get("type") == _TOOLS:
            found |= _object(get_dict(capability, "data").get("bubbleDataMap"))
    return found


def _texts(database: CopiedDatabase, bubble: dict[str, Any]) -> dict[str, str]:
    """The file before and after an edit, where a result names them."""
    result = _object(get_dict(bubble, "toolFormerData").get("result"))
    found = {}
    for name, key in (("before", "beforeContentId"), ("after", "afterContentId")):
        number = get_str(result, key)
        if number.startswith(_TEXT):
            sql = "SELECT CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE key = ? AND length(value) <= ?"
            for row in database.rows(sql, (number, _LARGEST_TEXT)):
                found[name] = row["value"]
    return found


def _value(database: CopiedDatabase, key: str) -> dict[str, Any]:
    rows: Iterable[dict[str, Any]] = database.rows("SELECT CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE key = ?", (key,))
    return next((_object(row["value"]) for row in rows), {})


def _object(text: object) -> dict[str, Any]:
    value = parsed(text) if isinstance(text, str) else text
    return value if isinstance(value, dict) else {}
