"""Conversations of Cursor's editor: a line about the conversation, then `{composer, bubble, before, after}` for each message.

`_load` writes these lines from Cursor's database. A message (bubble) has its time, and a tool call with
its result; of an edit the database keeps the whole text of the file before and after, since 2026-04 always.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from collector.agents.common.edits import edits_from_arguments, path_argument, replacements
from collector.agents.common.reader import Call, RecordReader, Result, is_part
from collector.agents.machine import files
from collector.agents.machine.databases import CopiedDatabase, DatabaseUnreadable, copied
from collector.agents.machine.editors import USERS, folders, path_of
from collector.agents.machine.model import LocalSession, Roots, Store
from collector.json_values import get, get_dict, get_int, get_list, get_str, objects, parse_json, time_of
from collector.model import Edit, FileObservation, Hunk, Session, Spawn, Status
from collector.text import normal_path, resolve

_USER, _ASSISTANT = 1, 2
_YEAR_2000 = 946_684_800_000  # milliseconds; what is less counts from the start of the program
_ENDS = ("clientRpcSendTime", "clientSettleTime", "clientEndTime")


def is_conversation(head: object) -> bool:
    about, bubble = get_dict(head, "composerData"), get_dict(head, "bubble")
    return bool(about) or (bool(bubble) and isinstance(get(head, "composer"), str))


def read_conversation(agent: str, session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(agent, session_id).read_lines(blobs)


class _Reader(RecordReader):
    shells = frozenset({"run_terminal_cmd", "run_terminal_command", "run_terminal_command_v2"})
    writers = frozenset({"edit_file", "edit_file_v2", "search_replace", "write", "MultiEdit", "reapply"})
    reads = frozenset({"read_file", "read_file_v2"})
    spawns = frozenset({"task", "task_v2"})
    main = ""  # the conversation that a person began; others are those of its subagents
    last: float | None = None  # the latest time so far

    def __init__(self, agent: str, session_id: str) -> None:
        super().__init__(agent, session_id)
        self.created: set[str] = set()  # files that were not there before, and have not been written yet

    def take(self, record: dict[str, Any]) -> None:
        about, bubble = get_dict(record, "composerData"), get_dict(record, "bubble")
        if about:
            self._conversation(about, record)
        elif bubble:
            self._bubble(record, bubble)
        else:
            self.unknown_record_type("no bubble")

    def _conversation(self, about: dict[str, Any], record: dict[str, Any]) -> None:
        time = time_of(about.get("createdAt"))
        self.begin(time)
        self.last = time if time is not None else self.last
        self.main = self.main or get_str(about, "composerId")
        self.add_cwd(record.get("folder"))
        self.add_branch(about.get("createdOnBranch"))
        self.model = get_str(about, "modelConfig", "modelName") or self.model
        self.created |= {normal_path(path_of(get(entry, "uri"))) for entry in get_list(about, "newlyCreatedFiles")}

    def _bubble(self, record: dict[str, Any], bubble: dict[str, Any]) -> None:
        composer, key = get_str(record, "composer"), get_str(bubble, "bubbleId")
        if not self.is_new(f"{composer}:{key}" if key else ""):
            return
        agent = "" if composer in ("", self.main) else composer
        time = _time(bubble)
        self.last = time if time is not None else self.last
        self.begin(time)
        key = key or str(self.order)
        text = get_str(bubble, "text")
        if bubble.get("type") == _USER:
            if not agent:
                self.add_prompt(key, time, text)
        elif bubble.get("type") == _ASSISTANT:
            self._answer(record, bubble, key, time, agent)
        else:
            self.unknown_record_type(bubble.get("type"))

    def _answer(self, record: dict[str, Any], bubble: dict[str, Any], key: str, time: float | None, agent: str) -> None:
        self.model = self.switched("model_change", self.model, get_str(bubble, "modelInfo", "modelName"), time)
        thought, text = get_str(bubble, "thinking", "text"), get_str(bubble, "text")
        if thought:
            self.add_message((key, "thinking"), time, "reasoning", thought, agent)
        if text:
            self.add_message(key, time, "text", text, agent)
        tokens = get_dict(bubble, "tokenCount")
        self.use_tokens(key, time, get_int(tokens, "inputTokens"), get_int(tokens, "outputTokens"), agent_id=agent)
        tool = get_dict(bubble, "toolFormerData")
        if get_str(tool, "name"):
            self._tool(tool, record, key, time, agent)

    def _tool(self, tool: dict[str, Any], record: dict[str, Any], key: str, time: float | None, agent: str) -> None:
        """What the model wrote (`rawArgs`) and how Cursor read it (`params`) are one set of arguments."""
        arguments = {**_object(tool.get("rawArgs")), **_object(tool.get("params"))}
        answer, status = _object(tool.get("result")), get_str(tool, "status")
        texts = {name: record[name] for name in ("before", "after") if isinstance(record.get(name), str)}
        refused = get_str(tool, "userDecision") == "rejected" or answer.get("rejected") is True
        if refused or get_str(tool, "additionalData", "reviewData", "selectedOption") == "reject":
            ended, error = Status.REJECTED, ""
        elif status == "error" or (get(answer, "diff") is None and answer.get("applyFailed") is True):
            ended, error = Status.ERROR, _error(tool)
        else:
            ended, error = Status.OK if status == "completed" else Status.UNKNOWN, ""
        code = get_int(answer, "exitCodeV2") or get_int(answer, "exitCode")
        result = Result(
            None, get_str(answer, "output"), ended, error, {"result": answer, **texts}, exit_code=code,
            recorded=status in ("completed", "error", "cancelled") or ended in (Status.REJECTED, Status.ERROR),
        )  # fmt: skip
        call_id = get_str(tool, "toolCallId") or key
        more = {"agent_id": agent, "message_id": key, "not_before": None if time is not None else self.last}
        self.call_tool(call_id if call_id not in self.calls else key, get_str(tool, "name"), arguments, time, result, **more)

    def spawn(self, call: Call, result: Result) -> Spawn:
        agent = get_str(result.details, "result", "agentId")
        kind = get_str(call.arguments, "subagentType") or get_str(call.arguments, "subagent_type")
        return Spawn(agent, kind, visible=bool(agent))

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        path = _path(call)
        named = replace(call, arguments={**get_dict(call.arguments), "file_path": path})
        if call.name not in self.writers or not path:
            return super().edits(named, result)
        after, before = get(result.details, "after"), get(result.details, "before")
        if isinstance(after, str):
            return [self._whole(path, before, after, call)]
        hunks = _hunks(get_list(result.details, "result", "diff", "chunks"))
        if replacements(named.arguments) or (call.name == "write" and not hunks):
            return edits_from_arguments(named.arguments, call.cwd)
        return [Edit(path, "edit", hunks=hunks)]

    def _whole(self, path: str, before: object, after: str, call: Call) -> Edit:
        """An edit of which the texts are known. Of an edit with the text after it alone it is not known what it changed."""
        new = path in self.created
        self.created.discard(path)
        if isinstance(before, str) or new:
            there = before if isinstance(before, str) and before else None  # an empty text is that of a file that was not there
            return Edit(path, "write", content=after, before=there, before_known=True, after=after)
        self.add_observation(FileObservation(path, call.at, 1, after, whole=True))
        return Edit(path, "edit")

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        answer = get_dict(result.details, "result")
        text, lines = get_str(answer, "contents"), get_int(answer, "totalLinesInFile")
        if is_part(call.arguments) or (lines and lines != text.removesuffix("\n").count("\n") + 1):
            return None
        return self.display(replace(call, arguments={"path": _path(call)}), result, text)


def _path(call: Call) -> str:
    """The file that a call is about, absolute where the folder is known."""
    named = get_str(call.arguments, "relativeWorkspacePath") or get_str(call.arguments, "targetFile")
    named = named or path_argument(call.arguments)
    return normal_path(path_of(named)) if named.startswith("file:") else resolve(call.cwd, named)


def _hunks(chunks: list[Any]) -> tuple[Hunk, ...]:
    """Parts of a diff whose lines begin with a mark and a blank."""
    results = []
    for chunk in chunks:
        lines = get_str(chunk, "diffString").removesuffix("\n").split("\n")
        if all(line[:2] in ("- ", "+ ", "  ", "-", "+", " ", "") for line in lines):
            start, count = get_int(chunk, "oldStart"), get_int(chunk, "oldLines")
            new_start, new_count = get_int(chunk, "newStart"), get_int(chunk, "newLines")
            marked = tuple((line[:1] or " ") + line[2:] for line in lines)
            results.append(Hunk(max(start, 0), max(count, 0), max(new_start, 0), max(new_count, 0), marked, exact_text=True))
    return tuple(results)


def _object(text: object) -> dict[str, Any]:
    """An object, or the one that a text holds."""
    value = parse_json(text) if isinstance(text, str) else text
    return value if isinstance(value, dict) else {}


def _error(tool: dict[str, Any]) -> str:
    about = _object(tool.get("error"))
    notice = get_str(about, "modelVisibleErrorMessage") or get_str(about, "clientVisibleErrorMessage")
    return notice or get_str(tool, "error")


def _time(bubble: dict[str, Any]) -> float | None:
    """When a message was begun; old versions count from the start of the program, and tell when it ended."""
    time = time_of(bubble.get("createdAt"))
    timing = get_dict(bubble, "timingInfo")
    started = get_int(timing, "clientStartTime")
    ended = next((value for name in _ENDS if (value := get_int(timing, name)) >= _YEAR_2000), 0)
    if time is not None or started <= 0:
        return time
    return time_of(started) if started >= _YEAR_2000 else time_of(ended - started)


# --- on this machine -------------------------------------------------------------------------------------------------

# A conversation (composer) names its workspace since Cursor 3; before that, the database of the workspace lists its conversations.
# Of both databases only the rows of conversations are read: others hold keys. Conversations of subagents are read with
# their parent's.
_STATE = "state.vscdb"
_WORKSPACES = "workspaceStorage"
_COMPOSER, _BUBBLE, _TEXT = "composerData:", "bubbleId:", "composer.content."
_LISTED = "composer.composerData"
_PANE, _VIEW = "workbench.panel.composerChatViewPane", "workbench.panel.aichat.view."
_ABOUT = ("composerId", "createdAt", "lastUpdatedAt", "createdOnBranch", "modelConfig", "newlyCreatedFiles")  # others hold keys
_FIELDS = {
    "workspace": "$.workspaceIdentifier.id",
    "folder": "$.workspaceIdentifier.uri.fsPath",
    "parent": "$.subagentInfo.parentComposerId",
    "updated": "$.lastUpdatedAt",
    "created": "$.createdAt",
}
_LARGEST_TEXT = 20_000_000  # characters of one version of a file


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    workspaces = files.directories(location.parents[1] / _WORKSPACES)
    opened = {workspace: folder for workspace in workspaces for folder in folders(workspace)[:1] if roots.of(folder)}
    if not opened and not roots.anywhere:
        return
    listed = {number: folder for workspace, folder in opened.items() for number in _list_sessions(workspace / _STATE)}
    by_name = {workspace.name: folder for workspace, folder in opened.items()}
    with copied(location) as database:
        rows = [row for row in _composers(database) if row["id"]]
    existing = {row["id"] for row in rows}
    for row in rows:
        folder = listed.get(row["id"]) or by_name.get(row["workspace"]) or (row["folder"] if roots.of(row["folder"]) else "")
        if folder and row["parent"] not in existing:
            updated = time_of(row["updated"]) or time_of(row["created"])
            stamp = f"{row['id']} {updated}"
            yield LocalSession(row["id"], (location,), f"Cursor opened {folder}", row["id"], folder, stamp, updated or 0.0)


def _load(session: LocalSession) -> Iterator[bytes]:
    with copied(session.files[0]) as database:
        lines = [json.dumps(record) for record in _records(database, session.key, session.cwd)]
    yield "\n".join(lines).encode()


def _composers(database: CopiedDatabase) -> Iterator[dict[str, Any]]:
    """Of every conversation no more than where it took place, and when; `""` for what is not recorded."""
    if "key" not in database.columns("cursorDiskKV"):
        return
    text = "CAST(value AS TEXT)"
    columns = ", ".join(f"coalesce(json_extract({text}, '{path}'), '') AS {name}" for name, path in _FIELDS.items())
    sql = f"SELECT substr(key, {len(_COMPOSER) + 1}) AS id, {columns} FROM cursorDiskKV"
    for row in database.rows(f"{sql} WHERE key >= ? AND key < ? AND json_valid({text})", _range(_COMPOSER)):
        yield row | {name: str(row[name]) for name in ("id", "workspace", "folder", "parent")}


def _list_sessions(path: Path) -> list[str]:
    """The conversations that the database of a workspace names."""
    if not path.is_file():
        return []
    try:
        with copied(path) as database:
            sql = "SELECT key, CAST(value AS TEXT) AS value FROM ItemTable WHERE key = ? OR key = ? OR (key >= ? AND key < ?)"
            rows = database.rows(sql, (_LISTED, _PANE, *_range(f"{_PANE}.")))
    except DatabaseUnreadable:
        return []  # the conversations may still name the workspace
    results: list[str] = []
    for row in rows:
        value = parse_json(row["value"])
        if row["key"] == _LISTED:
            results += [get_str(entry, "composerId") for entry in get_list(value, "allComposers")]
            results += [entry for entry in get_list(value, "selectedComposerIds") if isinstance(entry, str)]
        elif isinstance(value, dict):
            results += [key.removeprefix(_VIEW) for key in value if key.startswith(_VIEW)]
    return [number for number in results if number]


def _range(prefix: str) -> tuple[str, str]:
    """The keys that begin like this, from and to."""
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)


# --- one conversation ---------------------------------------------------------------------------------------------------


def _records(database: CopiedDatabase, composer: str, folder: str) -> Iterator[dict[str, Any]]:
    """A conversation and those of its subagents, as the reader takes them."""
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
    """The messages in the order in which the conversation lists them."""
    sql = "SELECT key, CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE key >= ? AND key < ?"
    prefix = f"{_BUBBLE}{composer}:"
    bubbles = {str(row["key"]).removeprefix(prefix): _object(row["value"]) for row in database.rows(sql, _range(prefix))}
    for header in objects(about.get("fullConversationHeadersOnly")):
        yield header | bubbles.pop(get_str(header, "bubbleId"), {})
    for number, bubble in bubbles.items():  # that no list has: of a point the user went back behind
        if bubble:
            yield {"bubbleId": number} | bubble


def _texts(database: CopiedDatabase, bubble: dict[str, Any]) -> dict[str, str]:
    """The file before and after an edit, where a result names them."""
    result = _object(get_dict(bubble, "toolFormerData").get("result"))
    results = {}
    for name, key in (("before", "beforeContentId"), ("after", "afterContentId")):
        number = get_str(result, key)
        if number.startswith(_TEXT):
            sql = "SELECT CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE key = ? AND length(value) <= ?"
            for row in database.rows(sql, (number, _LARGEST_TEXT)):
                results[name] = row["value"]
    return results


def _value(database: CopiedDatabase, key: str) -> dict[str, Any]:
    rows: Iterable[dict[str, Any]] = database.rows("SELECT CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE key = ?", (key,))
    return next((_object(row["value"]) for row in rows), {})


CONVERSATIONS = Store(
    "cursor",
    proven=False,
    at=(f"{USERS}/Cursor/User/globalStorage/{_STATE}",),
    find=_find,
    load=_load,
    form="cursor-editor",
)
