"""Sessions in the databases and documents of further agents, as `local_layouts` has them for
those that write lines.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from collector.json_values import JsonObject
from support.local_clone import Action, AgentSession
from support.local_layouts import LEFT_OPEN, call_of, put_lines, put_text


def in_use(path: Path, tables: Iterable[str]) -> sqlite3.Connection:
    """A database of a running program: its last rows are still in its write-ahead log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    LEFT_OPEN.append(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    for table in tables:
        connection.execute(f"CREATE TABLE IF NOT EXISTS {table}")
    return connection


# --- Cline ----------------------------------------------------------------------------------------


def cline(home: Path, session: AgentSession) -> Path:
    """`tasks/<id>/` of the extension: what the model was sent and answered, and what was shown
    with its times.
    """
    place = home / ".config" / "Code" / "User" / "globalStorage" / "saoudrizwan.claude-dev"
    item = {
        "id": session.id,
        "ts": int(session.ended * 1000),
        "task": "Tally",
        "cwdOnTaskInitialization": session.cwd,
    }
    path = place / "state" / "taskHistory.json"
    known = json.loads(path.read_text("utf-8")) if path.exists() else []
    put_text(path, json.dumps([*known, item]), session.ended)
    return _task(place / "tasks" / session.id, session)


def _task(task: Path, session: AgentSession) -> Path:
    api: list[JsonObject] = []
    shown: list[JsonObject] = []

    def message(role: str, *blocks: JsonObject) -> None:
        api.append({"role": role, "content": list(blocks)})

    def show(at: float, kind: str, text: str, last: int) -> None:
        shown.append(
            {
                "ts": int(at * 1000),
                "type": "say",
                "say": kind,
                "text": text,
                "conversationHistoryIndex": last,
            }
        )

    for number, action in enumerate(session.actions):
        if action.kind == "prompt":
            tag = "feedback" if api else "task"
            show(action.at, "user_feedback" if api else "text", action.text, len(api) - 1)
            message("user", {"type": "text", "text": f"<{tag}>\n{action.text}\n</{tag}>"})
            continue
        began = action.at - 0.3
        call = f"toolu_{session.id}_{number}"
        show(
            began,
            "api_req_started",
            json.dumps({"tokensIn": 9, "tokensOut": 3, "cost": 0.001}),
            len(api) - 2,
        )
        if action.kind == "say":
            message("assistant", {"type": "text", "text": action.text})
            continue
        name, arguments = _task_call(action)
        show(action.at - 0.1, "command" if action.kind == "shell" else "tool", "{}", len(api) - 1)
        message("assistant", {"type": "tool_use", "id": call, "name": name, "input": arguments})
        message(
            "user",
            {
                "type": "text",
                "text": f"[{name} for '{action.path}'] Result:\n{_task_result(action)}",
            },
        )
    put_text(task / "ui_messages.json", json.dumps(shown), session.ended)
    return put_text(task / "api_conversation_history.json", json.dumps(api), session.ended)


def _task_call(action: Action) -> tuple[str, JsonObject]:
    if action.kind == "shell":
        return "execute_command", {"command": action.text, "requires_approval": False}
    if action.kind == "write":
        return "write_to_file", {"absolutePath": action.path, "content": action.text}
    old = action.old.rstrip("\n")
    new = action.text.rstrip("\n")
    return "replace_in_file", {
        "absolutePath": action.path,
        "diff": f"------- SEARCH\n{old}\n=======\n{new}\n+++++++ REPLACE\n",
    }


def _task_result(action: Action) -> str:
    if action.kind == "shell":
        return f"Command executed.\nOutput:\n{action.output}"
    final = f'<final_file_content path="{action.path}">\n{action.after}\n</final_file_content>'
    return (
        f"The content was successfully saved to {action.path}.\n\nHere is the full"
        f" content:\n\n{final}\n\n"
    )


# --- Crush ----------------------------------------------------------------------------------------


_CRUSH_TABLES = (
    (
        "sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, message_count INTEGER,"
        " prompt_tokens INTEGER, completion_tokens INTEGER, cost REAL, updated_at INTEGER,"
        " created_at INTEGER)"
    ),
    (
        "files (id TEXT PRIMARY KEY, session_id TEXT, path TEXT, content TEXT, version INTEGER,"
        " created_at INTEGER, updated_at INTEGER)"
    ),
    (
        "messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT,"
        " created_at INTEGER, updated_at INTEGER, finished_at INTEGER, provider TEXT,"
        " is_summary_message INTEGER DEFAULT 0)"
    ),
)


def crush(home: Path, session: AgentSession) -> Path:
    """`.crush/crush.db` in the worktree: whole seconds, and every version of the files."""
    path = session.clone.path / ".crush" / "crush.db"
    database = in_use(path, _CRUSH_TABLES)
    first = int(session.actions[0].at)
    last = int(session.ended)
    values = (session.id, None, "Tally", len(session.actions), 900, 30, 0.02, last, first)
    database.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
    versions: dict[str, list[str]] = {}
    for number, action in enumerate(session.actions):
        at = int(action.at)
        key = f"{session.id}-{number}"
        if action.kind in ("prompt", "say"):
            role = "user" if action.kind == "prompt" else "assistant"
            _crush_message(
                database, session, key, role, at, {"type": "text", "data": {"text": action.text}}
            )
            continue
        call = f"call_{key}"
        name, arguments = call_of(action, ("bash", "write", "edit"))
        data = {"id": call, "name": name, "input": json.dumps(arguments), "finished": True}
        _crush_message(database, session, key, "assistant", at, {"type": "tool_call", "data": data})
        metadata: JsonObject = {"working_directory": session.cwd, "output": action.output}
        if action.kind != "shell":
            kept = versions.setdefault(action.path, [action.before or ""])
            kept += [
                *([action.before] if action.before and kept[-1] != action.before else []),
                action.after,
            ]
            edited = {"old_content": action.before or "", "new_content": action.after}
            metadata = edited if action.kind == "edit" else {"diff": ""}
        data = {
            "tool_call_id": call,
            "name": "",
            "content": action.output or "Done.",
            "metadata": json.dumps(metadata),
        }
        _crush_message(
            database,
            session,
            f"{key}-r",
            "tool",
            at,
            {"type": "tool_result", "data": data | {"is_error": False}},
        )
    for changed, texts in versions.items():
        for number, text in enumerate(texts):
            row = (f"{session.id}{changed}{number}", session.id, changed, text, number, first, last)
            database.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return path


def _crush_message(
    database: sqlite3.Connection,
    session: AgentSession,
    key: str,
    role: str,
    at: int,
    part: JsonObject,
) -> None:
    parts = json.dumps([part, {"type": "finish", "data": {"reason": "stop", "time": at}}])
    values = (
        key,
        session.id,
        role,
        parts,
        "claude-sonnet-4" if role == "assistant" else "",
        at,
        at,
        at,
        "anthropic",
        0,
    )
    database.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)


# --- Kimi CLI -------------------------------------------------------------------------------------


def kimi_cli(home: Path, session: AgentSession) -> Path:
    """`~/.kimi/sessions/<MD5 of the directory>/<id>/wire.jsonl`, arguments in two parts."""
    digest = hashlib.md5(session.cwd.encode(), usedforsecurity=False).hexdigest()
    lines: list[JsonObject] = [{"type": "metadata", "protocol_version": "1.2"}]

    def event(at: float, kind: str, payload: JsonObject) -> None:
        lines.append({"timestamp": at, "message": {"type": kind, "payload": payload}})

    for number, action in enumerate(session.actions):
        call = f"call_{session.id}_{number}"
        if action.kind == "prompt":
            event(action.at, "TurnBegin", {"user_input": action.text})
        elif action.kind == "say":
            event(action.at, "ContentPart", {"type": "text", "text": action.text})
        else:
            name, arguments = _kimi_call(action)
            text = json.dumps(arguments)
            body = {
                "type": "function",
                "id": call,
                "function": {"name": name, "arguments": text[:9]},
            }
            event(action.at - 0.3, "ToolCall", body)
            event(action.at - 0.2, "ToolCallPart", {"arguments_part": text[9:]})
            value = {"is_error": False, "output": action.output, "message": "Done.", "display": []}
            event(action.at, "ToolResult", {"tool_call_id": call, "return_value": value})
    return put_lines(
        home / ".kimi" / "sessions" / digest / session.id / "wire.jsonl", lines, session.ended
    )


def _kimi_call(action: Action) -> tuple[str, JsonObject]:
    if action.kind == "shell":
        return "Shell", {"command": action.text}
    if action.kind == "write":
        return "WriteFile", {"path": action.path, "content": action.text}
    return "StrReplaceFile", {"path": action.path, "edit": {"old": action.old, "new": action.text}}


# --- Aider ----------------------------------------------------------------------------------------


def aider(home: Path, session: AgentSession) -> Path:
    """`.aider.chat.history.md` in the worktree: Markdown, ids of commits, and no time but that
    of the beginning.
    """
    path = session.clone.path / ".aider.chat.history.md"
    began = datetime.fromtimestamp(session.actions[0].at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    text = [
        f"\n# aider chat started at {began}\n",
        "> Aider v0.86.1  ",
        "> Main model: claude-sonnet-4 with diff edit format  ",
    ]
    for action in session.actions:
        if action.kind == "prompt":
            text += ["", *(f"#### {line}  " for line in action.text.split("\n")), ""]
        elif action.kind == "say":
            text += ["", action.text, ""]
        elif action.kind == "shell":
            number = action.output.partition(" ")[2][:7]
            text += [
                "",
                f"> Commit {number} feat: done  ",
                "> You can use /undo to undo and discard each aider commit.  ",
            ]
        else:
            name = Path(action.path).relative_to(session.clone.path).as_posix()
            block = f"<<<<<<< SEARCH\n{action.old}=======\n{action.text}>>>>>>> REPLACE"
            text += [
                "",
                name,
                f"```python\n{block}\n```",
                "",
                "> Tokens: 2.4k sent, 1.8k received. Cost: $0.02 message, $0.14 session.  ",
            ]
            text += [f"> Applied edit to {name}  "]
    known = path.read_text("utf-8") if path.exists() else ""
    return put_text(path, known + "\n".join(text) + "\n", session.ended)
