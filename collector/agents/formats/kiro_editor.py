"""Chats of Kiro's editor: `{kiroEditor: {cwd, chat, executions}}`, put together by `_load`.

A chat has the prompts and names executions; the log of one has its actions, an edit with the whole text before and after.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.edits import deletions
from collector.agents.common.messages import text_of
from collector.agents.common.reader import Call, RecordReader, Result
from collector.agents.machine import files
from collector.agents.machine.editors import in_editors
from collector.agents.machine.model import Known, LocalSession, Store
from collector.agents.machine.roots import Roots
from collector.json_values import first_of, get, get_dict, get_int, get_list, get_str, objects, time_of
from collector.model import Edit, Session, Status
from collector.text import resolve

_SAY = "say"
_EDITS = frozenset({"replace", "create", "edit", "append"})
_STATUS = {"error": Status.ERROR, "failed": Status.ERROR, "rejected": Status.REJECTED}


def is_chat(head: object) -> bool:
    return isinstance(get(head, "kiroEditor", "chat"), dict)


def read_chat(agent: str, session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(agent, session_id).read_documents(blobs)


class _Reader(RecordReader):
    shells = frozenset({"runCommand", "executeBash", "execute_bash"})

    def take(self, record: dict[str, Any]) -> None:
        about = get_dict(record, "kiroEditor")
        self.add_cwd(about.get("cwd"))
        executions = {get_str(item, "executionId"): item for item in objects(about.get("executions"))}
        for number, entry in enumerate(objects(get(about, "chat", "history"))):
            execution = executions.get(get_str(entry, "executionId"), {})
            time = time_of(execution.get("startTime"))
            message = get_dict(entry, "message")
            key = get_str(message, "id") or f"message {number}"
            self.begin(time)
            text = text_of(message.get("content"))
            if message.get("role") == "user":
                self.add_prompt(key, time, text)
            elif message.get("role") == "assistant":
                if text:
                    self.add_message(key, time_of(execution.get("endTime")) or time, "text", text)
                self._actions(execution, key, time)

    def _actions(self, execution: dict[str, Any], key: str, began: float | None) -> None:
        """What an execution did, in order; an action without a time happened no earlier than the one before."""
        time = began
        for number, action in enumerate(objects(execution.get("actions"))):
            time = time_of(first_of(action, "emittedAt", "timestamp", "startTime")) or time
            kind, call_id = get_str(action, "actionType"), get_str(action, "actionId") or f"{key}/{number}"
            self.begin(time)
            if kind == _SAY:
                self.add_message(call_id, time, "text", get_str(action, "output", "message"))
                continue
            output, state = get_dict(action, "output"), get_str(action, "actionState").lower()
            display = get_str(output, "output") or get_str(output, "message")
            status, code = _STATUS.get(state, Status.OK), get_int(output, "exitCode")
            result = Result(time, display, status, exit_code=code, recorded=bool(output) or bool(state))
            self.call_tool(call_id, kind, get_dict(action, "input"), time, result, message_id=key)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        path = resolve(call.cwd, get_str(call.arguments, "file"))
        before, after = get(call.arguments, "originalContent"), get(call.arguments, "modifiedContent")
        if call.name == "delete":
            return deletions(call.arguments, call.cwd)
        if call.name not in _EDITS or not path:
            return []
        if not isinstance(after, str):
            return [Edit(path, "edit")]
        if call.name == "create":
            return [Edit(path, "write", content=after, after=after)]
        is_text = isinstance(before, str)
        return [Edit(path, "edit", before=before if isinstance(before, str) else None, before_known=is_text, after=after)]


# --- on this machine -------------------------------------------------------------------------------------------------

_LIST = "sessions.json"
_LOGS = "414d1636299d2b9e4ce7e17fb11f63e9"  # the directory of logs, in each workspace's own


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    for workspace in files.directories(location):
        for item in objects(files.document(workspace / _LIST)):
            cwd, number = get_str(item, "workspaceDirectory"), get_str(item, "sessionId")
            path = next((path for path in files.listed(workspace, (".json",)) if number and path.stem == number), None)
            if path is not None and roots.of(cwd):
                name = hashlib.sha256(cwd.encode("utf-8", "surrogateescape")).hexdigest()[:32]
                logs = files.listed(location.parent / name / _LOGS, ("",))
                yield LocalSession(number, (path, *logs), f"kept for {cwd}", cwd=cwd)


def _load(session: LocalSession) -> Iterator[bytes]:
    """The chat with the logs that it names. Raises ValueError for a chat that is no JSON: it is being written."""
    path, *logs = session.files
    chat: dict[str, Any] = json.loads(files.content(path))
    needed = {get_str(entry, "executionId") for entry in get_list(chat, "history")} - {""}
    value = (files.document(log) for log in logs)
    executions = [log for log in value if get_str(log, "executionId") in needed]
    yield json.dumps({"kiroEditor": {"cwd": session.cwd, "chat": chat, "executions": executions}}).encode()


CHATS = Store(
    "kiro",
    "`globalStorage/kiro.kiroagent/workspace-sessions/` of Kiro's editor: chats; logs beside that directory say what they did.",
    Known.DOCUMENTATION,
    at=in_editors(("Kiro",), "globalStorage/kiro.kiroagent/workspace-sessions"),
    patterns=("*/*.json",),
    find=_find,
    load=_load,
    evidence="its plug-in for Entire, and what other projects read",
    form="kiro-editor",
)
