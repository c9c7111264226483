"""What the scripted model asks for, in words of no agent, and how it becomes a call of a tool
that an agent offers.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

Json = dict[str, Any]


BACKGROUND = "background"  # how of a shell action: the agent goes on while the command runs
SERVED = "mcp"  # how of an action that a tool of the server SERVER does
SERVER = "shelf"


@dataclass(frozen=True)
class Action:
    """One thing that the model does. `kind` is write, edit, read, shell, cell, symbol, after, task,
    plan, find or say; the other fields are what it needs.
    """

    kind: str
    path: str = ""
    # of write the whole text, of edit, cell and symbol the new one, of after what comes after the
    # symbol, of say, task and plan what is said, of find the names of tools
    text: str = ""
    old: str = ""
    command: str = ""
    # of task, the step of the script that the subagent goes through; of cell, the cell's id; of
    # symbol and after, the function's name
    step: str = ""
    # what the truth calls it, where the kind says too little: a formatter that a command runs
    how: str = ""


@dataclass(frozen=True)
class Tool:
    """A tool as a request offers it; a free-form tool takes text instead of arguments."""

    name: str
    schema: Json
    description: str = ""
    freeform: bool = False
    namespace: str = ""  # a call without it is refused

    @property
    def properties(self) -> Json:
        return dict(self.schema.get("properties") or {})

    @property
    def required(self) -> list[str]:
        return list(self.schema.get("required") or [])


@dataclass(frozen=True)
class Style:
    """How an agent's model is used to write calls."""

    absolute: bool = True  # paths in arguments are absolute
    shell_patch: bool = False  # without a tool that edits, edits are `apply_patch` commands
    text: str = ""  # "aider", "gptme", "bash": edits and commands stand in the answer's text
    # commands ask to run outside the sandbox, where a tool has a parameter for that
    escalated: bool = False


# Tools by what they can do, the ones that an agent's own model prefers first.
TOOLS: Mapping[str, Sequence[str]] = {
    "write": (
        "Write",
        "write",
        "write_file",
        "write_to_file",
        "create_file",
        "Create",
        "create",
        "WriteFile",
        "write_file_to_disk",
        "save",
        "editor",
        "str_replace_editor",
        "file_editor",
        "file_write",
        "apply_patch",
    ),
    "edit": (
        "Edit",
        "edit",
        "replace",
        "edit_file",
        "str_replace",
        "search_replace",
        "replace_in_file",
        "StrReplaceFile",
        "str_replace_editor",
        "file_editor",
        "editor",
        "single_find_and_replace",
        "MultiEdit",
        "multi_edit",
        "multiedit",
        "patch",
        "apply_diff",
        "apply_patch",
    ),
    "read": (
        "Read",
        "read",
        "read_file",
        "view",
        "ReadFile",
        "view_file",
        "str_replace_editor",
        "file_editor",
        "editor",
        "read_files",
    ),
    "shell": (
        "Bash",
        "bash",
        "shell",
        "run_shell_command",
        "exec_command",
        "execute_command",
        "run_commands",
        "run_command",
        "Shell",
        "Execute",
        "terminal",
        "run_terminal_command",
        "execute_bash",
        "shell_command",
        "local_shell",
        "container.exec",
        "ipython",
    ),
    "task": (
        "Task",
        "task",
        "Agent",
        "agent",
        "spawn_agent",
        "subagent",
        "delegate_to_agent",
        "invoke_agent",
        "generalist",
        "new_task",
    ),
    # which finds the first, where that is offered when asked for
    "plan": ("ExitPlanMode", "ToolSearch"),
    "cell": ("NotebookEdit", "notebook_edit", "ipynb_replace_cell"),
    "symbol": ("replace_symbol_body",),
    "after": ("insert_after_symbol",),
    # what is not offered before it is asked for
    "find": ("ToolSearch", "tool_search"),
}
FINISH = ("attempt_completion", "finish", "submit", "submit_and_exit")

# Parameters by what they hold.
PATHS = (
    "file_path",
    "path",
    "filePath",
    "filepath",
    "absolute_path",
    "target_file",
    "file",
    "filename",
)
TEXTS = ("content", "file_text", "contents", "text", "file_content", "body")
OLD_TEXTS = ("old_string", "oldString", "old_str", "old_text", "oldText", "old", "search", "find")
NEW_TEXTS = (
    "new_string",
    "newString",
    "new_str",
    "new_text",
    "newText",
    "new",
    "replace",
    "replacement",
)
COMMANDS = ("command", "cmd", "commands", "script", "code")
PROMPTS = ("prompt", "task", "message", "description")


_PAIR: Json = {"type": "object", "properties": {"oldText": {}, "newText": {}}}


def _hidden(name: str, **parameters: Json) -> Tool:
    return Tool(f"mcp__{SERVER}__{name}", {"properties": parameters})


# The tools of servers as they are named where they are not offered, by the server's kind.
HIDDEN: Mapping[str, Sequence[Tool]] = {
    "files": (
        _hidden("write_file", path={}, content={}),
        _hidden("edit_file", path={}, edits={"items": _PAIR}),
    ),
    "commands": (_hidden("run_command", command={}),),
    "symbols": (
        _hidden("replace_symbol_body", name_path={}, relative_path={}, body={}),
        _hidden("insert_after_symbol", name_path={}, relative_path={}, body={}),
    ),
    "cells": (_hidden("ipynb_replace_cell", ipynb_filepath={}, cell_index={}, new_content={}),),
}


def first_of(names: Sequence[str], properties: Mapping[str, Any]) -> str | None:
    return next((name for name in names if name in properties), None)


def fill_required(schema: Json, arguments: Json) -> Json:
    """The arguments, and something harmless for whatever else is required."""
    filled = dict(arguments)
    properties = schema.get("properties") or {}
    for name in schema.get("required") or []:
        if name not in filled:
            filled[name] = _harmless(properties.get(name) or {})
    return filled


def _harmless(parameter: Json) -> Any:
    if parameter.get("enum"):
        return parameter["enum"][0]
    kind = parameter.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind in ("number", "integer"):
        return max(1, int(parameter.get("minimum") or 1))
    empty: dict[str | None, Any] = {"boolean": False, "array": [], "object": {}}
    return empty.get(kind, "lab")


def patch_envelope(action: Action, path: str) -> str:
    """The action as an `apply_patch` envelope, with the lines that old and new share as context."""
    if action.kind == "write":
        added = "".join(f"+{line}\n" for line in action.text.splitlines())
        return f"*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch\n"
    old, new = action.old.splitlines(), action.text.splitlines()
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    lines = [f" {line}" for line in old[:head]]
    lines += [f"-{line}" for line in old[head : len(old) - tail]]
    lines += [f"+{line}" for line in new[head : len(new) - tail]]
    lines += [f" {line}" for line in old[len(old) - tail :]]
    return (
        f"*** Begin Patch\n*** Update File: {path}\n@@\n" + "\n".join(lines) + "\n*** End Patch\n"
    )


def arguments_for(action: Action, tool: Tool, directory: str, style: Style) -> Json | None:
    """The arguments of a call of `tool` that does `action`; None if the tool cannot."""
    path = action.path
    if "absolute_path" in tool.properties or (style.absolute and path):
        path = posixpath.join(directory, path)
    if tool.name == "apply_patch":
        name = first_of(("input", "patchText", "patch"), tool.properties) or "input"
        return {name: patch_envelope(action, path)} if action.kind in ("write", "edit") else None
    if action.kind == "shell":
        arguments = _shell_arguments(action, tool)
        if arguments is not None and style.escalated and "sandbox_permissions" in tool.properties:
            arguments |= {
                "sandbox_permissions": "require_escalated",
                "justification": "The file is needed.",
            }
    elif action.kind == "task":
        arguments = _task_arguments(action, tool)
    elif action.kind == "find" or tool.name == "ToolSearch":
        names = action.text if action.kind == "find" else "ExitPlanMode"
        arguments = {"query": f"select:{names}"}
    elif action.kind == "plan":
        arguments = {"plan": action.text}
    elif action.kind in ("symbol", "after"):
        arguments = {
            "name_path": action.step,
            "relative_path": action.path,
            "body": action.text,
        }
    elif action.kind == "cell":
        arguments = _cell_arguments(action, tool, posixpath.join(directory, action.path))
    else:
        arguments = _file_arguments(action, tool, path)
    return None if arguments is None else fill_required(tool.schema, arguments)


def _cell_arguments(action: Action, tool: Tool, path: str) -> Json:
    if "ipynb_filepath" in tool.properties:
        number = int(action.step.rpartition("-")[2])
        return {"ipynb_filepath": path, "cell_index": number, "new_content": action.text}
    return {"notebook_path": path, "cell_id": action.step, "new_source": action.text}


def _file_arguments(action: Action, tool: Tool, path: str) -> Json | None:
    properties = tool.properties
    if action.kind == "read" and "files" in properties:
        return {"files": [{"path": path}]}
    name = first_of(PATHS, properties)
    if name is None:
        return None
    commands = {"read": "view", "write": "create", "edit": "str_replace"}
    arguments: Json = {name: path}
    if "enum" in (properties.get("command") or {}):
        arguments["command"] = commands[action.kind]
    if action.kind == "read":
        return arguments
    texts = _written(action, properties) if action.kind == "write" else _replaced(action, tool)
    return None if texts is None else arguments | texts


def _written(action: Action, properties: Json) -> Json | None:
    name = first_of(TEXTS, properties)
    if name is not None:
        return {name: action.text}
    new, old = first_of(NEW_TEXTS, properties), first_of(OLD_TEXTS, properties)
    if new is None:
        return None
    # an editor that makes a file when nothing is to be replaced
    return {new: action.text} | ({old: ""} if old is not None else {})


def _replaced(action: Action, tool: Tool) -> Json | None:
    properties = tool.properties
    several = first_of(("edits", "replacements"), properties)
    if several is not None:
        items = properties[several].get("items") or {}
        pair = _pair(action, items.get("properties") or {})
        return None if pair is None else {several: [fill_required(items, pair)]}
    if "anyOf" in (properties.get("edit") or {}):
        return {"edit": {"old": action.old, "new": action.text}}
    if "diff" in properties:
        return {"diff": f"------- SEARCH\n{action.old}=======\n{action.text}+++++++ REPLACE\n"}
    if "content" in properties and "SEARCH" in tool.description + json.dumps(tool.schema):
        return {"content": f"<<<<<<< SEARCH\n{action.old}=======\n{action.text}>>>>>>> REPLACE\n"}
    return _pair(action, properties)


def _pair(action: Action, properties: Json) -> Json | None:
    old, new = first_of(OLD_TEXTS, properties), first_of(NEW_TEXTS, properties)
    return None if old is None or new is None else {old: action.old, new: action.text}


def _shell_arguments(action: Action, tool: Tool) -> Json | None:
    name = first_of(COMMANDS, tool.properties)
    if name is None:
        return None
    parameter = tool.properties[name]
    arguments: Json = {name: action.command}
    if parameter.get("type") == "array":
        item = parameter.get("items") or {}
        if tool.name in ("shell", "container.exec"):
            arguments[name] = ["bash", "-lc", action.command]
        elif item.get("type", "string") == "string" or "anyOf" in item:
            arguments[name] = [action.command]
        else:
            arguments[name] = [{"command": action.command}]
    if action.how == BACKGROUND:
        settings = {
            "run_in_background": True,
            "is_background": True,
            "mode": "async",
            "yield_time_ms": 250,
        }
        arguments |= {name: value for name, value in settings.items() if name in tool.properties}
    if "timeout" in tool.required:
        arguments["timeout"] = 60_000
    return arguments


def _task_arguments(action: Action, tool: Tool) -> Json | None:
    properties = tool.properties
    name = first_of(PROMPTS, properties)
    if name is None:
        return None
    arguments: Json = {name: f"LAB:{action.step} {action.text}"}
    values = {
        "description": "lab subagent",
        "subagent_type": "general-purpose",
        "agent_type": "general-purpose",
        "agent_name": "generalist",
    }
    for key, value in {**values, "run_in_background": False, "mode": "sync"}.items():
        if key in properties:
            arguments.setdefault(key, value)
    kinds = (properties.get("subagent_type") or {}).get("enum")
    if kinds:
        arguments["subagent_type"] = next((kind for kind in kinds if "general" in kind), kinds[0])
    elif "subagent_type" in properties and "general-purpose" not in tool.description + json.dumps(
        tool.schema
    ):
        arguments["subagent_type"] = "general"
    return arguments


def _served_call(
    action: Action, tools: Sequence[Tool], directory: str
) -> tuple[Tool, Json | str] | None:
    """The call of a tool of the server, or of the one by which a hidden tool is called."""
    plain = replace(action, how="")
    served = [tool for tool in tools if SERVER in tool.namespace + tool.name]
    bridge = next((tool for tool in tools if tool.name == "tool_call"), None)
    if served or bridge is None:
        return call_for(plain, served, directory, Style()) if served else None
    hidden = [tool for kind in HIDDEN.values() for tool in kind]
    call = call_for(plain, hidden, directory, Style())
    return call and (bridge, {"name": call[0].name, "arguments": call[1]})


def named_alike(name: str, plain: str) -> bool:
    """Whether a tool has the plain name, maybe behind that of its server."""
    return (
        name == plain or re.fullmatch(rf"(?:.*__|(?:mcp_)?{SERVER}[-_]){plain}", name) is not None
    )


def call_for(
    action: Action, tools: Sequence[Tool], directory: str, style: Style
) -> tuple[Tool, Json | str] | None:
    """The tool that does the action and its arguments, or the text that a free-form tool takes;
    None if none can.
    """
    if action.how == SERVED:
        return _served_call(action, tools, directory)
    for name in TOOLS[action.kind]:
        tool = next(
            (tool for tool in tools if named_alike(tool.name, name)),
            None,
        )
        if tool is None:
            continue
        if tool.freeform:
            if name == "apply_patch":
                return tool, patch_envelope(action, action.path)
            continue
        arguments = arguments_for(action, tool, directory, style)
        if arguments is not None:
            return tool, arguments
    command = _as_command(action, style)
    return call_for(Action("shell", command=command), tools, directory, style) if command else None


def _as_command(action: Action, style: Style) -> str:
    """What models write where no tool handles files."""
    path = action.path
    if action.kind == "read":
        return f"cat {path}"
    if action.kind == "write":
        return f"mkdir -p $(dirname {path}) && cat > {path} <<'LABEOF'\n{action.text}LABEOF"
    if action.kind == "edit" and style.shell_patch:
        return f"apply_patch <<'LABEOF'\n{patch_envelope(action, path)}LABEOF"
    if action.kind == "edit":
        replace = f"p.write_text(p.read_text().replace({action.old!r}, {action.text!r}))"
        return (
            f"python3 - <<'LABEOF'\nfrom pathlib import Path\np = Path({path!r})\n{replace}\nLABEOF"
        )
    return ""


def action_in_text(action: Action, style: Style) -> str:
    """The action for an agent whose model writes edits and commands into its answer."""
    texts = {
        (
            "aider",
            "write",
        ): (
            f"Here is the change.\n\n{action.path}\n```python\n<<<<<<<"
            f" SEARCH\n=======\n{action.text}>>>>>>> REPLACE\n```\n"
        ),
        (
            "aider",
            "edit",
        ): (
            f"{action.path}\n```python\n<<<<<<< SEARCH\n{action.old}=======\n{action.text}>>>>>>>"
            " REPLACE\n```\n"
        ),
        ("gptme", "write"): f"```save {action.path}\n{action.text}```\n",
        (
            "gptme",
            "edit",
        ): (
            f"```patch {action.path}\n<<<<<<< ORIGINAL\n{action.old}=======\n{action.text}>>>>>>>"
            " UPDATED\n```\n"
        ),
        ("gptme", "shell"): f"```shell\n{action.command}\n```\n",
        ("gptme", "read"): f"```shell\ncat {action.path}\n```\n",
    }
    return texts.get((style.text, action.kind), action.text)
