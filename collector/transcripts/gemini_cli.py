"""Gemini CLI: one JSON document `{sessionId, messages: [...]}` per copy; a large one is split into several documents.

A tool call holds its own result. Edit tools record the whole text of the file before and after in `resultDisplay`; paths of the
arguments are relative, that of the display is absolute. When the user changed the proposed text, the call says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from collector.git.patches import parse_unified
from collector.model import Command, Edit, FileObservation, Problem, Session, Status, ToolCall, Usage
from collector.transcripts.apply_patch import argument, edit_from_arguments, path_argument
from collector.transcripts.jsonl import (
    Events,
    as_json,
    commits_in,
    copies,
    get,
    get_dict,
    get_int,
    get_list,
    get_str,
    resolve,
    text_of,
    time_of,
    values,
)
from collector.transcripts.prompts import without_reminders

NAME = "gemini-cli"
LABEL = "Gemini CLI"
GIVES = frozenset(
    ["times", "results", "text", "before", "positions", "reads", "commands", "commits", "models", "tokens", "directory"]
)
ORDER = 21

_EDIT_TOOLS = frozenset({"write_file", "replace", "edit_file", "save_file", "edit"})
_STATUS = {"success": Status.OK, "error": Status.ERROR, "cancelled": Status.ERROR}
_ATTACHED = "\n--- Content from referenced files ---"
_GO_ON = "System: Please continue."  # what the program says itself when an answer broke off
_SLASH = re.compile(r"^/[a-z][\w:-]*(?:\s|$)")
_WHERE = re.compile(r"\[(?:current working directory|in) (/[^\]\n]+|[A-Za-z]:[^\]\n]+)\]")
_EXIT = re.compile(r"^Exit Code: (-?\d{1,9})$", re.M)
_ERROR_CHARS = 300


def sniff(head: object) -> bool:
    return isinstance(head, dict) and isinstance(head.get("messages"), list) and "info" not in head


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(Events(NAME, session_id))
    for blob in copies(blobs):
        reader.copy(blob)
    return reader.events.session()


class _Reader:
    def __init__(self, events: Events) -> None:
        self.events = events
        self.seen: set[str] = set()
        self.model = ""

    def copy(self, blob: bytes) -> None:
        """The documents of one copy; what follows an unreadable one is lost."""
        try:
            for document in values(blob):
                for number, message in enumerate(get_list(document, "messages")):
                    self._message(message, number)
        except (ValueError, RecursionError) as error:
            self.events.problems.append(
                Problem("transcripts", self.events.session_id, "unreadable_document", str(error)[:_ERROR_CHARS])
            )

    def _message(self, message: object, number: int) -> None:
        if not isinstance(message, dict):
            return
        key = get_str(message, "id") or f"{as_json(message.get('timestamp'), 40)}/{number}"
        if key in self.seen:
            return
        self.seen.add(key)
        at = time_of(message.get("timestamp"))
        self.events.next(at)
        kind = message.get("type")
        if kind == "user":
            self._user(message, key, at)
        elif kind == "gemini":
            self._answer(message, key, at)
        elif kind == "error":
            self.events.mark("api_error", at, text_of(message.get("content")))
        elif kind == "info" and text_of(message.get("content")).startswith("Request cancelled"):
            self.events.mark("interrupt", at)
        elif kind not in ("info", "warning"):
            self.events.stranger(kind)

    def _user(self, message: dict[str, Any], key: str, at: float | None) -> None:
        typed = text_of(message.get("displayContent")) or text_of(message.get("content"))
        text = without_reminders(typed.partition(_ATTACHED)[0])
        if text.strip() == _GO_ON:
            self.events.mark("injected", at, _GO_ON)
            return
        self.events.turn(key, at, text, "command" if _SLASH.match(text) else "prompt")

    def _answer(self, message: dict[str, Any], key: str, at: float | None) -> None:
        model = get_str(message, "model")
        if self.model and model and model != self.model:
            self.events.mark("model_change", at, model)
        self.model = model or self.model
        for number, thought in enumerate(get_list(message, "thoughts")):
            text = f"{get_str(thought, 'subject')}: {get_str(thought, 'description')}".strip(": ")
            self.events.say((key, number), time_of(get(thought, "timestamp")) or at, "reasoning", text)
        text = text_of(message.get("content"))
        if text:
            self.events.say(key, at, "text", text)
        self._usage(get_dict(message, "tokens"), key, at)
        for number, call in enumerate(get_list(message, "toolCalls")):
            if isinstance(call, dict):
                self._call(call, key, number, at)

    def _usage(self, tokens: dict[str, Any], key: str, at: float | None) -> None:
        cached = get_int(tokens, "cached")
        if tokens:
            fresh = max(0, get_int(tokens, "input") - cached)
            thoughts = get_int(tokens, "thoughts")
            self.events.use(Usage(key, at, 0, self.model, fresh, get_int(tokens, "output"), cached, reasoning=thoughts))

    def _call(self, call: dict[str, Any], key: str, number: int, at: float | None) -> None:
        name, arguments = get_str(call, "name"), get_dict(call, "args")
        done_at = time_of(call.get("timestamp"))
        self.events.next(done_at)
        output, error = _response(call)
        place = _WHERE.search(get_str(call, "description"))
        cwd = self.events.seen_in(self.events.cwds, place[1]) if place else next(iter(self.events.cwds), "")
        command = _command(arguments, cwd, output) if name == "run_shell_command" else None
        status, reason = _outcome(call, error, output if command else "")
        finished = ToolCall(
            call_id=get_str(call, "id") or f"{key}/{number}",
            name=name,
            turn=0,
            at=at,
            done_at=done_at,
            status=status,
            error=reason,
            model=self.model,
            message_id=key,
            input=as_json(arguments),
            edits=tuple(_edits(call, arguments, cwd)) if name in _EDIT_TOOLS else (),
            command=command,
            seen=_seen(arguments, output, done_at or at, cwd) if name == "read_file" and status is Status.OK else None,
            commits=commits_in(command.text, output) if command else (),
            result_size=len(output),
        )
        self.events.call(finished)


def _response(call: dict[str, Any]) -> tuple[str, str]:
    """(output, error) of the first function response; the tool puts a heading before what a command printed."""
    response = next((get_dict(part, "functionResponse", "response") for part in get_list(call, "result")), {})
    return get_str(response, "output").removeprefix("Output: "), get_str(response, "error")


def _outcome(call: dict[str, Any], error: str, shell_output: str) -> tuple[Status, str]:
    status = _STATUS.get(get_str(call, "status"), Status.UNKNOWN)
    if "User denied" in error or "user rejected" in error.lower():
        return Status.REJECTED, error[:_ERROR_CHARS]
    code = _EXIT.search(shell_output)
    if status is Status.OK and code and int(code[1]) != 0:
        return Status.ERROR, f"exit {code[1]}"
    return status, error[:_ERROR_CHARS]


def _command(arguments: dict[str, Any], cwd: str, output: str) -> Command:
    place = argument(arguments, ("dir_path", "directory")) or ""
    background = arguments.get("is_background") is True
    return Command(get_str(arguments, "command"), resolve(cwd, place) or resolve("", cwd), background, output[:2000])


def _edits(call: dict[str, Any], arguments: dict[str, Any], cwd: str) -> Iterable[Edit]:
    """What the agent proposed, and the texts before and after, which include what the user changed in the proposal."""
    shown = get_dict(call, "resultDisplay")
    before, after = shown.get("originalContent"), shown.get("newContent")
    new = shown.get("isNewFile") is True
    known: dict[str, Any] = {
        "before": before if isinstance(before, str) and not new else None,
        "before_known": isinstance(before, str) or new,
        "after": after if isinstance(after, str) else None,
        "hunks": parse_unified(get_str(shown, "fileDiff")),
    }
    proposed = arguments.get("ai_proposed_content")
    if isinstance(proposed, str):
        arguments = {**arguments, "content": proposed}
    path = get_str(shown, "filePath") or path_argument(arguments)
    edit = edit_from_arguments({**arguments, "file_path": path}, cwd, **known)
    return [edit] if edit else []


def _seen(arguments: dict[str, Any], output: str, at: float | None, cwd: str) -> FileObservation | None:
    path = resolve(cwd, argument(arguments, ("file_path", "absolute_path", "path")) or "")
    start = get_int(arguments, "start_line") or get_int(arguments, "offset") + 1
    part = any(key in arguments for key in ("start_line", "end_line", "offset", "limit"))
    if not path or not output or "file content has been truncated" in output[:_ERROR_CHARS]:
        return None
    return FileObservation(path, at, max(start, 1), output, whole=not part)
