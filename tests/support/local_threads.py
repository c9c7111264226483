"""Sessions of further agents, most of them documents of a whole thread; see `local_layouts` and
`local_stores`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from collector.json_values import JsonObject
from support.claude_writer import iso
from support.local_clone import Action, AgentSession
from support.local_layouts import opencode, put_lines, put_text

# --- Kimi Code ------------------------------------------------------------------------------------


def kimi_code(home: Path, session: AgentSession) -> Path:
    """`~/.kimi-code/sessions/wd_<name>_<digest>/<id>/`: a prompt is recorded twice, subagents
    have files of their own.
    """
    digest = hashlib.md5(session.cwd.encode(), usedforsecurity=False).hexdigest()[:12]
    place = home / ".kimi-code" / "sessions" / f"wd_{Path(session.cwd).name}_{digest}" / session.id
    put_text(
        place / "state.json", json.dumps({"title": "Tally", "workDir": session.cwd}), session.ended
    )
    agents = dict.fromkeys(["", *(action.agent for action in session.actions)])
    for agent in agents:
        lines = list(_kimi_lines(session, agent))
        path = put_lines(place / "agents" / (agent or "main") / "wire.jsonl", lines, session.ended)
    return path


def _kimi_lines(session: AgentSession, agent: str) -> Iterator[JsonObject]:
    yield {
        "type": "metadata",
        "protocol_version": "1.4",
        "created_at": int(session.actions[0].at * 1000),
        "app_version": "0.28.1",
    }
    for number, action in enumerate(session.actions):
        at = int(action.at * 1000)
        call = f"c{number}"
        if action.agent != agent:
            continue
        if action.kind == "prompt":
            content = [{"type": "text", "text": action.text}]
            yield {"type": "turn.prompt", "input": content, "origin": {"kind": "user"}, "time": at}
            yield {
                "type": "context.append_message",
                "message": {"role": "user", "content": content},
                "time": at + 1,
            }
            continue
        event: JsonObject = {
            "type": "content.part",
            "uuid": call,
            "part": {"type": "text", "text": action.text},
        }
        if action.kind != "say":
            name, arguments = _plain_call(action, ("Bash", "Write", "Edit"), "path")
            event = {
                "type": "tool.call",
                "uuid": call,
                "toolCallId": call,
                "name": name,
                "args": arguments,
            }
        yield {"type": "context.append_loop_event", "event": event, "time": at - 300}
        if action.kind != "say":
            event = {
                "type": "tool.result",
                "parentUuid": call,
                "toolCallId": call,
                "result": {"output": action.output or "Done."},
            }
            yield {"type": "context.append_loop_event", "event": event, "time": at}


def _plain_call(
    action: Action,
    names: tuple[str, str, str],
    path: str,
    old: str = "old_string",
    new: str = "new_string",
) -> tuple[str, JsonObject]:
    """(name of the tool, arguments) of a command, a write or a replacement."""
    if action.kind == "shell":
        return names[0], {"command": action.text}
    if action.kind == "write":
        return names[1], {path: action.path, "content": action.text}
    return names[2], {path: action.path, old: action.old, new: action.text}


# --- Continue -------------------------------------------------------------------------------------


def continue_dev(home: Path, session: AgentSession) -> Path:
    """`~/.continue/sessions/<id>.json`: no times, paths from the directory on."""
    history: list[JsonObject] = []
    for number, action in enumerate(session.actions):
        if action.kind in ("prompt", "say"):
            role = "user" if action.kind == "prompt" else "assistant"
            history.append({"message": {"role": role, "content": action.text}, "contextItems": []})
            continue
        name, arguments = _plain_call(
            action,
            ("run_terminal_command", "create_new_file", "single_find_and_replace"),
            "filepath",
        )
        if "filepath" in arguments:
            arguments["filepath"] = Path(action.path).relative_to(session.cwd).as_posix()
        if "content" in arguments:
            arguments["contents"] = arguments.pop("content")
        function = {"name": name, "arguments": json.dumps(arguments)}
        state = {
            "toolCallId": f"c{number}",
            "toolCall": {"function": function},
            "status": "done",
            "output": [{"content": action.output}],
        }
        history.append(
            {
                "message": {"role": "assistant", "content": ""},
                "contextItems": [],
                "toolCallStates": [state],
            }
        )
    about = {
        "sessionId": session.id,
        "title": "Tally",
        "workspaceDirectory": Path(session.cwd).as_uri(),
        "history": history,
    }
    return put_text(
        home / ".continue" / "sessions" / f"{session.id}.json", json.dumps(about), session.ended
    )


# --- Kilo Code since it grew out of OpenCode ------------------------------------------------------


def kilo_cli(home: Path, session: AgentSession) -> Path:
    """`~/.local/share/kilo/kilo.db`."""
    path = opencode(home / "other", session)
    place = home / ".local" / "share" / "kilo"
    place.mkdir(parents=True, exist_ok=True)
    for end in ("", "-wal"):
        path.with_name(path.name + end).replace(place / f"kilo.db{end}")
    return place / "kilo.db"


# --- Cline's command line -------------------------------------------------------------------------


def cline_cli(home: Path, session: AgentSession) -> Path:
    """`~/.cline/data/sessions/<id>/`: messages with their own time, commands in a list."""
    messages: list[JsonObject] = []

    def message(at: float, role: str, *blocks: JsonObject) -> None:
        messages.append(
            {"id": f"m{len(messages)}", "role": role, "content": list(blocks), "ts": int(at * 1000)}
        )

    for number, action in enumerate(session.actions):
        if action.kind in ("prompt", "say"):
            message(
                action.at,
                "user" if action.kind == "prompt" else "assistant",
                {"type": "text", "text": action.text},
            )
            continue
        name, arguments = _plain_call(
            action, ("run_commands", "editor", "editor"), "path", "old_text", "new_text"
        )
        if "content" in arguments:
            arguments["new_text"] = arguments.pop("content")
        if "command" in arguments:
            arguments = {"commands": json.dumps([arguments["command"]])}
        message(
            action.at - 0.3,
            "assistant",
            {"type": "tool_use", "id": f"call_{number}", "name": name, "input": arguments},
        )
        message(
            action.at,
            "user",
            {
                "type": "tool_result",
                "tool_use_id": f"call_{number}",
                "content": action.output or "Done.",
            },
        )
    place = home / ".cline" / "data" / "sessions" / session.id
    put_text(
        place / f"{session.id}.json",
        json.dumps({"session_id": session.id, "cwd": session.cwd}),
        session.ended,
    )
    document = {"version": 1, "agent": "lead", "sessionId": session.id, "messages": messages}
    return put_text(place / f"{session.id}.messages.json", json.dumps(document), session.ended)


# --- Grok Build -----------------------------------------------------------------------------------


def grok(home: Path, session: AgentSession) -> Path:
    """`chat_history.jsonl` without times and directory; `updates.jsonl` and `summary.json` have
    them.
    """
    lines: list[JsonObject] = [{"type": "system", "content": "You are Grok."}]
    updates: list[JsonObject] = []
    for number, action in enumerate(session.actions):
        key = f"call-{number}"
        if action.kind == "prompt":
            text = f"<user_query>\n{action.text}\n</user_query>"
            lines.append(
                {
                    "type": "user",
                    "prompt_index": number,
                    "content": [{"type": "text", "text": text}],
                }
            )
        elif action.kind == "say":
            lines.append({"type": "assistant", "model_id": "grok-4.6", "content": action.text})
        else:
            name, arguments = _plain_call(
                action, ("run_terminal_command", "write", "search_replace"), "file_path"
            )
            call = {"id": key, "name": name, "arguments": json.dumps(arguments)}
            lines.append(
                {"type": "assistant", "model_id": "grok-4.6", "content": "", "tool_calls": [call]}
            )
            lines.append(
                {"type": "tool_result", "tool_call_id": key, "content": action.output or "Done."}
            )
            for at, kind in ((action.at - 0.3, "tool_call"), (action.at, "tool_call_update")):
                updates.append(
                    {
                        "timestamp": at,
                        "params": {"update": {"sessionUpdate": kind, "toolCallId": key}},
                    }
                )
    place = home / ".grok" / "sessions" / quote(session.cwd, safe="") / session.id
    times = {"created_at": iso(session.actions[0].at), "updated_at": iso(session.ended)}
    put_text(
        place / "summary.json",
        json.dumps({"info": {"id": session.id, "cwd": session.cwd}, **times}),
        session.ended,
    )
    put_lines(place / "updates.jsonl", updates, session.ended)
    return put_lines(place / "chat_history.jsonl", lines, session.ended)
