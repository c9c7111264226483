"""Sessions in the files and databases in which agents keep them on a developer's machine. The
texts are ours, the shapes theirs.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from collector.json_values import JsonObject
from support import claude_writer as claude
from support.answers import pick
from support.claude_writer import Ids, iso
from support.local_clone import Action, AgentSession, touch


def put_lines(path: Path, records: Iterable[JsonObject], at: float) -> Path:
    """JSON lines, last written then."""
    return put_text(
        path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), at
    )


def put_text(path: Path, text: str, at: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    touch(path, at)
    return path


def call_of(
    action: Action,
    tools: tuple[str, str, str],
    path: str = "file_path",
    content: str = "content",
    edited: str = "string",
) -> tuple[str, JsonObject]:
    """Tool and arguments. `tools`: the ones for commands, whole files and edits; the other names
    are those of arguments, `edited` without `old_` and `new_`.
    """
    command, write, edit = tools
    if action.kind == "shell":
        return command, {"command": action.text}
    if action.kind == "write":
        return write, {path: action.path, content: action.text}
    return edit, {path: action.path, f"old_{edited}": action.old, f"new_{edited}": action.text}


def slug(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path)


# --- Claude Code ----------------------------------------------------------------------------------


def claude_code(home: Path, session: AgentSession) -> Path:
    """`~/.claude/projects/<slug>/<id>.jsonl`, each subagent in a file of its own below
    `<id>/subagents/`.
    """
    ids = Ids(session.id)
    main = _claude_log(session, session.cwd, ids)
    helpers = dict[str, claude.Transcript]()
    for action in session.actions:
        log = main
        if action.agent:
            log = helpers.setdefault(action.agent, _claude_log(session, session.cwd, ids))
        _claude_action(log, action)
    project = home / ".claude" / "projects" / slug(session.cwd)
    for agent, log in helpers.items():
        records = [{**record.data, "isSidechain": True, "agentId": agent} for record in log.records]
        put_lines(
            project / session.id / "subagents" / f"agent-{agent}.jsonl", records, session.ended
        )
    return put_text(project / f"{session.id}.jsonl", claude.to_jsonl(main.records), session.ended)


def _claude_log(session: AgentSession, cwd: str, ids: Ids) -> claude.Transcript:
    return claude.Transcript(session.id, cwd, ids, version="2.1.100")


def _claude_action(log: claude.Transcript, action: Any) -> None:
    at = action.at
    if action.kind == "prompt":
        log.prompt(at, action.text)
    elif action.kind == "say":
        log.said(at, action.text)
    elif action.kind == "shell":
        call = log.call(at, "Bash", {"command": action.text})
        log.result(at + 0.1, call, action.output, claude.bash_result(action.output))
    elif action.kind == "write":
        call = log.call(at - 0.2, "Write", {"file_path": action.path, "content": action.text})
        result = claude.write_result(action.path, action.text, action.before)
        log.result(at, call, "The file has been updated.", result)
    else:
        call = log.call(
            at - 0.2,
            "Edit",
            {"file_path": action.path, "old_string": action.old, "new_string": action.text},
        )
        patch = claude.structured_patch(action.before, action.after)
        result = claude.edit_result(
            action.path, action.old, action.text, action.before, patch, False
        )
        log.result(at, call, "The file has been updated.", result)


# --- Codex ----------------------------------------------------------------------------------------


def codex(home: Path, session: AgentSession) -> Path:
    """`~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`."""
    started = iso(session.actions[0].at)
    place = home / ".codex" / "sessions" / started[:10].replace("-", "/")
    return put_lines(
        place / f"rollout-{started[:19].replace(':', '-')}-{session.id}.jsonl",
        list(codex_records(session)),
        session.ended,
    )


def codex_records(session: AgentSession, **more: Any) -> Iterator[JsonObject]:
    def record(at: float, kind: str, payload: JsonObject) -> JsonObject:
        return {"timestamp": iso(at), "type": kind, "payload": payload}

    first = session.actions[0].at
    meta = {
        "id": session.id,
        "timestamp": iso(first),
        "cwd": session.cwd,
        "originator": "codex_cli_rs",
        "cli_version": "0.128.0",
    }
    yield record(
        first,
        "session_meta",
        meta | {"source": "cli", "base_instructions": {"text": "x" * 20_000}} | more,
    )
    yield record(first, "turn_context", {"turn_id": "t", "cwd": session.cwd, "model": "gpt-5.4"})
    for number, action in enumerate(session.actions):
        at = action.at
        call = f"call_{session.id}_{number}"
        if action.kind == "prompt":
            yield record(
                at, "event_msg", {"type": "user_message", "message": action.text, "images": []}
            )
        elif action.kind == "say":
            text = [{"type": "output_text", "text": action.text}]
            yield record(
                at, "response_item", {"type": "message", "role": "assistant", "content": text}
            )
        elif action.kind == "shell":
            arguments = json.dumps({"cmd": action.text, "workdir": session.cwd})
            request = {
                "type": "function_call",
                "name": "exec_command",
                "arguments": arguments,
                "call_id": call,
            }
            yield record(at, "response_item", request)
            output = f"Process exited with code 0\nOutput:\n{action.output}"
            yield record(
                at + 0.1,
                "response_item",
                {"type": "function_call_output", "call_id": call, "output": output},
            )
        else:
            path = Path(action.path).relative_to(session.cwd).as_posix()
            request = {
                "type": "custom_tool_call",
                "name": "apply_patch",
                "call_id": call,
                "input": _codex_patch(path, action),
            }
            yield record(at - 0.2, "response_item", request)
            change: JsonObject = {"type": "add", "content": action.text}
            if action.before is not None:
                change = {"type": "update", "unified_diff": _unified(action), "move_path": None}
            end = {
                "type": "patch_apply_end",
                "call_id": call,
                "success": True,
                "stdout": "Success.",
                "stderr": "",
            }
            yield record(at, "event_msg", end | {"changes": {action.path: change}})


def _codex_patch(path: str, action: Action) -> str:
    if action.before is None:
        body = "".join(f"+{line}\n" for line in action.text.splitlines())
        return f"*** Begin Patch\n*** Add File: {path}\n{body}*** End Patch"
    hunks = "".join(_unified(action).splitlines(keepends=True))
    return f"*** Begin Patch\n*** Update File: {path}\n{hunks}*** End Patch"


def _unified(action: Action) -> str:
    old = (action.before or "").splitlines(keepends=True)
    new = action.after.splitlines(keepends=True)
    return "".join(list(difflib.unified_diff(old, new, n=3))[2:])


# --- Gemini CLI -----------------------------------------------------------------------------------


def gemini_cli(home: Path, session: AgentSession) -> Path:
    """`~/.gemini/tmp/<project>/chats/session-….jsonl`: each answer first without its calls, then
    again with them.
    """
    project = home / ".gemini" / "tmp" / Path(session.cwd).name
    project.mkdir(parents=True, exist_ok=True)
    (project / ".project_root").write_text(session.cwd, "utf-8")
    hashed = hashlib.sha256(session.cwd.encode()).hexdigest()
    lines: list[JsonObject] = [
        {
            "sessionId": session.id,
            "projectHash": hashed,
            "startTime": iso(session.actions[0].at),
            "kind": "main",
        }
    ]
    for number, action in enumerate(session.actions):
        key = f"{session.id}-{number}"
        if action.kind == "prompt":
            lines.append(
                {
                    "id": key,
                    "timestamp": iso(action.at),
                    "type": "user",
                    "content": [{"text": action.text}],
                }
            )
            continue
        answer = {
            "id": key,
            "timestamp": iso(action.at - 0.2),
            "type": "gemini",
            "content": "",
            "model": "gemini-3-pro",
        }
        if action.kind == "say":
            lines.append(answer | {"content": action.text})
            continue
        lines.append(answer)
        lines.append(
            answer
            | {
                "toolCalls": [_gemini_call(key, action)],
                "tokens": {"input": 90, "output": 30, "cached": 10},
            }
        )
        lines.append({"$set": {"lastUpdated": iso(action.at)}})
    return put_lines(
        project / "chats" / f"session-2026-03-02T09-00-{session.id}.jsonl", lines, session.ended
    )


def _gemini_call(key: str, action: Action) -> JsonObject:
    call: JsonObject = {"id": f"call-{key}", "status": "success", "timestamp": iso(action.at)}
    response = {
        "functionResponse": {"id": call["id"], "response": {"output": action.output or "Done."}}
    }
    call["result"] = [response]
    if action.kind == "shell":
        return call | {
            "name": "run_shell_command",
            "args": {"command": action.text},
            "resultDisplay": action.output,
        }
    shown: JsonObject = {
        "fileName": Path(action.path).name,
        "filePath": action.path,
        "originalContent": action.before or "",
    }
    shown |= {"newContent": action.after, "isNewFile": action.before is None, "fileDiff": ""}
    arguments = {"file_path": action.path, "content": action.text}
    if action.kind == "edit":
        arguments = {"file_path": action.path, "old_string": action.old, "new_string": action.text}
    return call | {
        "name": "write_file" if action.kind == "write" else "replace",
        "args": arguments,
        "resultDisplay": shown,
    }


# --- OpenCode -------------------------------------------------------------------------------------


def opencode(home: Path, session: AgentSession) -> Path:
    """`~/.local/share/opencode/opencode.db`, the last rows still in its write-ahead log."""
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    LEFT_OPEN.append(connection)  # as by a running program
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    for statement in _OPENCODE_TABLES:
        connection.execute(statement)
    info, messages = _opencode(session)
    times = pick(info["time"], "created", "updated")
    values = (session.id, "p", None, session.cwd, "1.4.0", "A session", *times)
    connection.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    for message, parts in messages:
        about = {name: value for name, value in message.items() if name != "id"}
        row = (message["id"], session.id, message["time"]["created"], json.dumps(about))
        connection.execute("INSERT INTO message VALUES (?, ?, ?, ?)", row)
        for part in parts:
            about = {name: value for name, value in part.items() if name != "id"}
            connection.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?)",
                (part["id"], message["id"], session.id, json.dumps(about)),
            )
    return path


def opencode_files(home: Path, session: AgentSession) -> Path:
    """`~/.local/share/opencode/storage`: `session/PROJECT/ID.json`, `message/SESSION/ID.json` and
    `part/MESSAGE/ID.json`, none of which says its own id.
    """
    info, messages = _opencode(session)
    storage = home / ".local" / "share" / "opencode" / "storage"
    path = storage / "session" / "p" / f"{session.id}.json"
    written: dict[Path, JsonObject] = {path: info | {"version": "1.1.65"}}
    for message, parts in messages:
        number = message.pop("id")
        written[storage / "message" / session.id / f"{number}.json"] = message
        for part in parts:
            written[storage / "part" / number / f"{part.pop('id')}.json"] = part
    for file, value in written.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value), "utf-8")
    return path


LEFT_OPEN: list[sqlite3.Connection] = []
_OPENCODE_TABLES = (
    (
        "CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT,"
        " directory TEXT, version TEXT, title TEXT, time_created INTEGER, time_updated INTEGER)"
    ),
    (
        "CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, session_id TEXT, time_created"
        " INTEGER, data TEXT)"
    ),
    (
        "CREATE TABLE IF NOT EXISTS part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT,"
        " data TEXT)"
    ),
)


def _opencode(
    session: AgentSession,
) -> tuple[JsonObject, list[tuple[JsonObject, list[JsonObject]]]]:
    """(session, its messages with their parts)."""
    messages: list[tuple[JsonObject, list[JsonObject]]] = []
    for number, action in enumerate(session.actions):
        at = int(action.at * 1000)
        key = f"msg_{session.id}_{number:04}"
        if action.kind == "prompt":
            parts: list[JsonObject] = [{"id": f"prt_{key}", "type": "text", "text": action.text}]
            messages.append(({"id": key, "role": "user", "time": {"created": at}}, parts))
            continue
        about: JsonObject = {
            "id": key,
            "role": "assistant",
            "time": {"created": at - 200, "completed": at + 300},
        }
        about |= {
            "modelID": "claude-opus-4-6",
            "path": {"cwd": session.cwd, "root": session.cwd},
            "tokens": {"input": 9, "output": 3},
        }
        part: JsonObject = {"id": f"prt_{key}", "type": "text", "text": action.text}
        if action.kind != "say":
            part = {
                "id": f"prt_{key}",
                "type": "tool",
                "callID": f"call_{key}",
                "tool": _OPENCODE_TOOLS[action.kind],
            }
            part["state"] = _opencode_state(action) | {
                "status": "completed",
                "time": {"start": at - 100, "end": at},
            }
        messages.append((about, [part]))
    times = {"created": int(session.actions[0].at * 1000), "updated": int(session.ended * 1000)}
    return {"directory": session.cwd, "version": "1.4.0", "time": times}, messages


_OPENCODE_TOOLS = {"shell": "bash", "write": "write", "edit": "edit"}


def _opencode_state(action: Action) -> JsonObject:
    if action.kind == "shell":
        return {
            "input": {"command": action.text},
            "output": action.output,
            "metadata": {"exit": 0, "output": action.output},
        }
    if action.kind == "write":
        metadata = {"exists": action.before is not None}
        return {
            "input": {"filePath": action.path, "content": action.text},
            "output": "Wrote file.",
            "metadata": metadata,
        }
    arguments = {"filePath": action.path, "oldString": action.old, "newString": action.text}
    return {
        "input": arguments,
        "output": "Edit applied.",
        "metadata": {"diff": "--- a\n+++ b\n" + _unified(action)},
    }


# --- Copilot CLI, Pi, Factory Droid, Antigravity --------------------------------------------------


def copilot_cli(home: Path, session: AgentSession) -> Path:
    """`~/.copilot/session-state/<id>/events.jsonl`."""
    first = session.actions[0].at
    context = {"cwd": session.cwd, "gitRoot": session.cwd, "branch": "main"}
    lines: list[JsonObject] = [
        _event("session.start", first, {"sessionId": session.id, "context": context}, 0)
    ]
    for number, action in enumerate(session.actions, 1):
        at = action.at
        call = f"toolu_{session.id}_{number}"
        if action.kind == "prompt":
            lines.append(_event("user.message", at, {"content": action.text}, number))
            continue
        if action.kind == "say":
            lines.append(
                _event(
                    "assistant.message",
                    at,
                    {"messageId": f"m{number}", "content": action.text},
                    number,
                )
            )
            continue
        name, arguments = call_of(
            action,
            ("bash", "create", "edit"),
            "path",
            "file_text",
            "str",
        )
        start = {
            "toolCallId": call,
            "toolName": name,
            "arguments": arguments,
            "model": "claude-opus-4-6",
        }
        lines.append(_event("tool.execution_start", at - 0.2, start, number))
        shown = (
            f"\ndiff --git a{action.path} b{action.path}\n--- a{action.path}\n+++ b{action.path}\n"
            + _unified(action)
        )
        result = {
            "content": action.output or "Done.",
            "detailedContent": action.output if action.kind == "shell" else shown,
        }
        lines.append(
            _event(
                "tool.execution_complete",
                at,
                {"toolCallId": call, "success": True, "result": result},
                number,
            )
        )
    return put_lines(
        home / ".copilot" / "session-state" / session.id / "events.jsonl", lines, session.ended
    )


def _event(kind: str, at: float, data: JsonObject, number: int) -> JsonObject:
    return {
        "type": kind,
        "data": data,
        "id": f"ev-{number}-{kind}",
        "timestamp": iso(at),
        "parentId": None,
    }


def pi(home: Path, session: AgentSession) -> Path:
    """`~/.pi/agent/sessions/--<directory>--/<time>_<id>.jsonl`."""
    first = session.actions[0].at
    lines: list[JsonObject] = [
        {
            "type": "session",
            "version": 3,
            "id": session.id,
            "timestamp": iso(first),
            "cwd": session.cwd,
        }
    ]

    def message(at: float, body: JsonObject) -> None:
        lines.append(
            {
                "type": "message",
                "id": f"e{session.id}{len(lines)}",
                "timestamp": iso(at),
                "message": body,
            }
        )

    for number, action in enumerate(session.actions):
        call = f"call_{session.id}_{number}"
        if action.kind == "prompt":
            message(action.at, {"role": "user", "content": [{"type": "text", "text": action.text}]})
        elif action.kind == "say":
            message(
                action.at,
                {
                    "role": "assistant",
                    "content": [{"type": "text", "text": action.text}],
                    "model": "gpt-5.5",
                },
            )
        else:
            name, arguments = _pi_call(action)
            block = {"type": "toolCall", "id": call, "name": name, "arguments": arguments}
            message(action.at - 0.2, {"role": "assistant", "content": [block], "model": "gpt-5.5"})
            text = [{"type": "text", "text": action.output or "Done."}]
            message(
                action.at,
                {
                    "role": "toolResult",
                    "content": text,
                    "toolCallId": call,
                    "toolName": name,
                    "isError": False,
                },
            )
    place = home / ".pi" / "agent" / "sessions" / f"--{session.cwd.strip('/').replace('/', '-')}--"
    return put_lines(place / f"2026-03-02T09-00-00-000Z_{session.id}.jsonl", lines, session.ended)


def _pi_call(action: Action) -> tuple[str, JsonObject]:
    if action.kind == "shell":
        return "bash", {"command": action.text}
    if action.kind == "write":
        return "write", {"path": action.path, "content": action.text}
    return "edit", {"path": action.path, "edits": [{"oldText": action.old, "newText": action.text}]}


def factory_droid(home: Path, session: AgentSession) -> Path:
    """`~/.factory/sessions/<directory>/<id>.jsonl`."""
    lines: list[JsonObject] = [
        {
            "type": "session_start",
            "id": session.id,
            "title": "Tally",
            "version": 2,
            "cwd": session.cwd,
        }
    ]

    def message(at: float, role: str, block: JsonObject) -> None:
        body = {"role": role, "content": [block], "modelId": "gpt-5.6"}
        lines.append(
            {
                "type": "message",
                "id": f"m{session.id}{len(lines)}",
                "timestamp": iso(at),
                "message": body,
            }
        )

    for number, action in enumerate(session.actions):
        call = f"call_{session.id}_{number}"
        if action.kind in ("prompt", "say"):
            message(
                action.at,
                "user" if action.kind == "prompt" else "assistant",
                {"type": "text", "text": action.text},
            )
            continue
        name, arguments = call_of(action, ("Execute", "Create", "Edit"), edited="str")
        message(
            action.at - 0.2,
            "assistant",
            {"type": "tool_use", "id": call, "name": name, "input": arguments},
        )
        result = {
            "type": "tool_result",
            "tool_use_id": call,
            "is_error": False,
            "content": action.output or "Done.",
        }
        message(action.at, "user", result)
    return put_lines(
        home / ".factory" / "sessions" / slug(session.cwd) / f"{session.id}.jsonl",
        lines,
        session.ended,
    )


def antigravity(home: Path, session: AgentSession) -> Path:
    """`~/.gemini/antigravity-cli/brain/<id>/.system_generated/logs/transcript_full.jsonl`;
    values of arguments are JSON text.
    """
    lines: list[JsonObject] = []

    def step(at: float, source: str, kind: str, **more: Any) -> None:
        about = {
            "step_index": len(lines),
            "source": source,
            "type": kind,
            "status": "DONE",
            "created_at": iso(at),
        }
        lines.append(about | more)

    for action in session.actions:
        if action.kind == "prompt":
            step(
                action.at,
                "USER_EXPLICIT",
                "USER_INPUT",
                content=f"<USER_REQUEST>\n{action.text}\n</USER_REQUEST>",
            )
        elif action.kind == "say":
            step(action.at, "MODEL", "PLANNER_RESPONSE", content=action.text)
        else:
            name, arguments = _antigravity_call(action, session.cwd)
            coded = {key: json.dumps(value) for key, value in arguments.items()}
            step(
                action.at - 0.2,
                "MODEL",
                "PLANNER_RESPONSE",
                tool_calls=[{"name": name, "args": coded}],
            )
            if action.kind == "shell":
                step(
                    action.at,
                    "MODEL",
                    "RUN_COMMAND",
                    content=(
                        f"The command completed successfully.\nStdout:\n{action.output}\nStderr:\n"
                    ),
                )
            else:
                step(
                    action.at,
                    "MODEL",
                    "CODE_ACTION",
                    content="Created file" if action.kind == "write" else _blocks(action),
                )
    brain = home / ".gemini" / "antigravity-cli" / "brain" / session.id
    return put_lines(
        brain / ".system_generated" / "logs" / "transcript_full.jsonl", lines, session.ended
    )


def _blocks(action: Action) -> str:
    return (
        "The following changes were made by the"
        f" tool:\n[diff_block_start]\n{_unified(action)}[diff_block_end]\n"
    )


def _antigravity_call(action: Action, cwd: str) -> tuple[str, JsonObject]:
    if action.kind == "shell":
        return "run_command", {"CommandLine": action.text, "Cwd": cwd}
    if action.kind == "write":
        return "write_to_file", {
            "TargetFile": action.path,
            "CodeContent": action.text,
            "Overwrite": True,
        }
    return "replace_file_content", {
        "TargetFile": action.path,
        "TargetContent": action.old,
        "ReplacementContent": action.text,
    }


# --- Cursor ---------------------------------------------------------------------------------------


def cursor(home: Path, session: AgentSession) -> Path:
    """`~/.cursor/projects/<directory>/agent-transcripts/<id>.jsonl`: no results, no times but
    those of prompts.
    """
    lines: list[JsonObject] = []
    for action in session.actions:
        if action.kind == "prompt":
            stamp = datetime.fromtimestamp(action.at, UTC).strftime("%A, %b %d, %Y, %I:%M %p (UTC)")
            text = f"<timestamp>{stamp}</timestamp>\n<user_query>\n{action.text}\n</user_query>"
            lines.append({"role": "user", "message": {"content": [{"type": "text", "text": text}]}})
            continue
        block: JsonObject = {"type": "text", "text": action.text}
        if action.kind != "say":
            name, arguments = call_of(action, ("Shell", "Write", "StrReplace"), "path", "contents")
            block = {"type": "tool_use", "name": name, "input": arguments}
        lines.append({"role": "assistant", "message": {"content": [block]}})
    place = (
        home / ".cursor" / "projects" / slug(session.cwd.removeprefix("/")) / "agent-transcripts"
    )
    return put_lines(place / f"{session.id}.jsonl", lines, session.ended)


def copilot_chat(home: Path, session: AgentSession) -> Path:
    """`workspaceStorage/<hash>/GitHub.copilot-chat/transcripts/<id>.jsonl` of VS Code: no
    results, arguments as JSON text.
    """
    workspace = home / ".config" / "Code" / "User" / "workspaceStorage" / "0f0e0d0c0b0a"
    put_text(
        workspace / "workspace.json",
        json.dumps({"folder": Path(session.cwd).as_uri()}),
        session.ended,
    )
    lines = [
        _event(
            "session.start",
            session.actions[0].at,
            {"sessionId": session.id, "producer": "copilot-agent"},
            0,
        )
    ]
    for number, action in enumerate(session.actions, 1):
        if action.kind in ("prompt", "say"):
            kind = "user.message" if action.kind == "prompt" else "assistant.message"
            lines.append(
                _event(kind, action.at, {"messageId": f"m{number}", "content": action.text}, number)
            )
            continue
        call = f"call_{session.id}_{number}"
        name = "create_file"
        arguments: JsonObject = {"filePath": action.path, "content": action.text}
        if action.kind == "shell":
            name = "run_in_terminal"
            arguments = {"command": action.text, "explanation": "", "isBackground": False}
        elif action.kind == "edit":
            part = {"filePath": action.path, "oldString": action.old, "newString": action.text}
            name = "multi_replace_string_in_file"
            arguments = {"explanation": "", "replacements": [part]}
        request = {
            "toolCallId": call,
            "name": name,
            "arguments": json.dumps(arguments),
            "type": "function",
        }
        lines.append(
            _event(
                "assistant.message",
                action.at - 0.2,
                {"messageId": f"m{number}", "toolRequests": [request]},
                number,
            )
        )
        started = {"toolCallId": call, "toolName": name, "arguments": arguments}
        lines.append(_event("tool.execution_start", action.at - 0.1, started, number))
        lines.append(
            _event(
                "tool.execution_complete", action.at, {"toolCallId": call, "success": True}, number
            )
        )
    return put_lines(
        workspace / "GitHub.copilot-chat" / "transcripts" / f"{session.id}.jsonl",
        lines,
        session.ended,
    )


# --- Qwen Code ------------------------------------------------------------------------------------


def qwen_code(home: Path, session: AgentSession) -> Path:
    """`~/.qwen/projects/<directory>/chats/<session>.jsonl`."""
    lines: list[JsonObject] = []

    def record(at: float, kind: str, role: str, part: JsonObject, **more: Any) -> None:
        about = {
            "uuid": f"{session.id}-{len(lines)}",
            "sessionId": session.id,
            "timestamp": iso(at),
            "type": kind,
        }
        lines.append(
            about
            | {"cwd": session.cwd, "version": "0.21.14", "message": {"role": role, "parts": [part]}}
            | more
        )

    for number, action in enumerate(session.actions):
        call = f"call_{session.id}_{number}"
        if action.kind == "prompt":
            record(action.at, "user", "user", {"text": action.text}, provenance="real_user")
        elif action.kind == "say":
            record(action.at, "assistant", "model", {"text": action.text}, model="qwen3-coder")
        else:
            request = _gemini_call(call, action)
            name = {"replace": "edit"}.get(request["name"], request["name"])
            part = {"functionCall": {"id": call, "name": name, "args": request["args"]}}
            record(action.at - 0.2, "assistant", "model", part, model="qwen3-coder")
            shown = request["resultDisplay"]
            if isinstance(shown, dict):
                shown = shown | {"originalContent": action.before}
            answer = {
                "functionResponse": {
                    "id": call,
                    "name": name,
                    "response": {"output": action.output or "Done."},
                }
            }
            result = {"callId": call, "status": "success", "resultDisplay": shown}
            record(action.at, "tool_result", "user", answer, toolCallResult=result)
    return put_lines(
        home / ".qwen" / "projects" / slug(session.cwd) / "chats" / f"{session.id}.jsonl",
        lines,
        session.ended,
    )
