"""Entire's own compact transcript (`transcript.jsonl`): one shape for every agent, the fallback when the agent's own is missing.

It keeps prompts, texts, calls with their arguments and the end of their results; patches, whole texts and subagents are dropped.
A file holds the session so far or only what is new; calls are known by their id, everything else by its line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from collector.model import Command, Edit, FileObservation, Session, Spawn, Status, ToolCall, Usage
from collector.transcripts.apply_patch import (
    argument,
    commands_in_script,
    deletion,
    edit_from_arguments,
    edits_from_patch_arguments,
    parse_patch,
    patches_in,
    patches_in_script,
    path_argument,
)
from collector.transcripts.jsonl import (
    Events,
    as_json,
    commits_in,
    copies,
    get,
    get_dict,
    get_int,
    get_str,
    records,
    resolve,
    time_of,
)
from collector.transcripts.prompts import CODEX_INJECTED, PromptKind, classify, without_reminders

NAME = "entire-compact"
LABEL = "Entire compact transcript"
GIVES = frozenset(["times", "results", "text", "reads", "commands", "commits", "tokens", "directory"])
ORDER = 10

_SHELLS = frozenset({"bash", "powershell", "shell", "execute", "exec_command", "shell_command", "run_shell_command", "run_command"})
_WRITERS = frozenset(
    {"edit", "write", "multiedit", "create", "strreplace", "str_replace", "replace", "write_file", "edit_file", "save_file"}
    | {"write_to_file", "replace_file_content", "multi_replace_file_content", "mcp__acp__edit", "mcp__acp__write"}
)
_PATCHES = frozenset({"apply_patch", "applypatch", "patch"})
_DELETES = frozenset({"delete", "delete_file"})
_AGENTS = frozenset({"task", "agent", "spawn_agent"})
_ERROR_CHARS = 300


def sniff(head: object) -> bool:
    return isinstance(head, dict) and isinstance(head.get("v"), int) and isinstance(head.get("agent"), str) and "content" in head


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(Events(NAME, session_id))
    for record in records(copies(blobs), reader.events.problems, session_id):
        reader.take(record)
    return reader.events.session()


class _Reader:
    def __init__(self, events: Events) -> None:
        self.events = events

    def take(self, record: dict[str, Any]) -> None:
        at = time_of(record.get("ts"))
        self.events.next(at)
        self.events.seen_in(self.events.versions, f"{get_str(record, 'agent')} via entire {get_str(record, 'cli_version')}".strip())
        content = record.get("content")
        blocks = content if isinstance(content, list) else [{"text": content}]
        if record.get("type") == "user":
            for index, block in enumerate(blocks):
                self._user(get_str(block, "text"), get_str(block, "id") or f"{at}/{index}/{get_str(block, 'text')}", at)
        elif record.get("type") == "assistant":
            self._assistant(record, blocks, at)
        else:
            self.events.stranger(record.get("type"))

    def _user(self, text: str, key: str, at: float | None) -> None:
        clean = without_reminders(text)
        kind = classify(clean)
        if kind is PromptKind.INTERRUPT:
            self.events.mark("interrupt", at)
        elif kind is PromptKind.INJECTED or clean.lstrip().startswith(CODEX_INJECTED):
            self.events.mark("injected", at, clean.strip()[:80])
        elif kind is PromptKind.USER_SHELL:
            self.events.mark("user_shell", at, clean)
        else:
            self.events.turn(key, at, clean, kind.value)

    def _assistant(self, record: dict[str, Any], blocks: list[Any], at: float | None) -> None:
        message_id = get_str(record, "id") or f"{at}"
        tokens = get_int(record, "input_tokens"), get_int(record, "output_tokens")
        if any(tokens):
            self.events.use(Usage(message_id, at, 0, "", tokens[0], tokens[1]))
        for index, block in enumerate(blocks):
            if get(block, "type") == "text":
                self.events.say((message_id, at, get_str(block, "text")), at, "text", get_str(block, "text"))
            elif get(block, "type") == "tool_use":
                self._call(block, message_id, f"{message_id}/{at}/{index}", at)

    def _call(self, block: dict[str, Any], message_id: str, key: str, at: float | None) -> None:
        name, arguments, result = get_str(block, "name"), block.get("input"), get_dict(block, "result")
        output = get_str(result, "output")
        status, error = _outcome(result)
        command = _command(name.lower(), arguments, output)
        if command:
            self.events.seen_in(self.events.cwds, command.cwd)
        call = ToolCall(
            call_id=get_str(block, "id") or key,
            name=name,
            turn=0,
            at=at,
            status=status,
            error=error,
            message_id=message_id,
            input=as_json(arguments),
            edits=tuple(_edits(name.lower(), arguments)),
            command=command,
            seen=_seen(arguments, output, at) if name == "Read" and status is Status.OK else None,
            spawn=Spawn(kind=_agent_kind(arguments), visible=False) if name.lower() in _AGENTS else None,
            commits=commits_in(command.text, output) if command else (),
            result_size=len(output) if result else None,
        )
        self.events.call(call)


def _agent_kind(arguments: object) -> str:
    return argument(arguments, ("subagent_type", "agent_type")) or ""


def _outcome(result: dict[str, Any]) -> tuple[Status, str]:
    status, output = get_str(result, "status"), get_str(result, "output")
    if not result or status not in ("success", "error"):
        return Status.UNKNOWN, ""
    if "doesn't want to proceed" in output[:_ERROR_CHARS] or "User rejected" in output[:_ERROR_CHARS]:
        return Status.REJECTED, output[:_ERROR_CHARS]
    failed = status == "error" or output.startswith("apply_patch verification failed")
    return (Status.ERROR, output[:_ERROR_CHARS]) if failed else (Status.OK, "")


def _command(name: str, arguments: object, output: str) -> Command | None:
    cwd = resolve("", argument(arguments, ("workdir", "cwd", "Cwd", "working_directory")) or "")
    if name in _SHELLS:
        return Command(argument(arguments, ("command", "cmd", "CommandLine")) or "", cwd, output=output[:2000])
    commands = commands_in_script(get_str(arguments, "input")) if name == "exec" else []
    if not commands:
        return None
    return Command("\n".join(text for text, _ in commands), resolve("", commands[0][1]), output=output[:2000])


def _edits(name: str, arguments: object) -> list[Edit]:
    if name in _PATCHES:
        return edits_from_patch_arguments(arguments)
    if name in _DELETES:
        return deletion(arguments)
    if name == "exec":
        return [edit for patch in patches_in_script(get_str(arguments, "input")) for edit in parse_patch(patch)]
    if name in _SHELLS:
        text = argument(arguments, ("command", "cmd")) or ""
        cwd = argument(arguments, ("workdir", "cwd")) or ""
        return [edit for patch in patches_in(text) for edit in parse_patch(patch, cwd, by_shell=True)]
    edit = edit_from_arguments(arguments) if name in _WRITERS and isinstance(arguments, dict) else None
    return [edit] if edit else []


def _seen(arguments: object, output: str, at: float | None) -> FileObservation | None:
    """A listing with line numbers, `12<tab>text`."""
    lines = output.split("\n")
    heads = [line.partition("\t") for line in lines]
    path = resolve("", path_argument(arguments))
    if not path or not lines or not all(head.strip().isdecimal() and tab and len(head) < 10 for head, tab, _ in heads):
        return None
    part = get(arguments, "offset") is not None or get(arguments, "limit") is not None
    return FileObservation(path, at, int(heads[0][0]), "\n".join(text for _, _, text in heads), whole=not part)
