"""OpenCode: one JSON document `{info, messages: [{info, parts}]}` per copy; a large one is split into several documents.

A tool part holds its call and its result. Part and call ids may be redacted, so a part is known by its message and its place in
it. `apply_patch` records whole texts of each file before and after (up to 1.2; later versions a diff); the summary of a user
message records what the whole turn changed, shell commands included. A subagent is a session of its own with a `parentID`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from collector.git.patches import parse_unified, whole_texts
from collector.model import Command, Edit, FileObservation, Hunk, Problem, Session, Spawn, Status, ToolCall, Usage
from collector.transcripts.apply_patch import edit_from_arguments, edits_from_patch_arguments
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
    time_of,
    values,
)

NAME = "opencode"
LABEL = "OpenCode"
GIVES = frozenset(["times", "results", "text", "before", "positions", "reads", "commands", "models", "tokens", "directory"])
ORDER = 20

_STATUS = {"completed": Status.OK, "error": Status.ERROR}
_REJECTED = ("rejected permission", "user rejected", "user dismissed", "dismissed this question")
_ERROR_CHARS = 300
_REDACTED = "REDACTED"


def sniff(head: object) -> bool:
    return isinstance(head, dict) and "info" in head and isinstance(head.get("messages"), list)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(Events(NAME, session_id))
    for blob in copies(blobs):
        reader.copy(blob)
    return reader.events.session()


class _Reader:
    def __init__(self, events: Events) -> None:
        self.events = events
        self.seen: set[str] = set()  # messages
        self.call_ids: set[str] = set()
        self.model = ""
        self.mode = ""

    def copy(self, blob: bytes) -> None:
        """The documents of one copy; what follows an unreadable one is lost."""
        try:
            for document in values(blob):
                self._document(document)
        except (ValueError, RecursionError) as error:
            self.events.problems.append(
                Problem("transcripts", self.events.session_id, "unreadable_document", str(error)[:_ERROR_CHARS])
            )

    def _document(self, document: object) -> None:
        info = get_dict(document, "info")
        messages = [m for m in get_list(document, "messages") if isinstance(m, dict)]
        self.events.seen_in(self.events.cwds, info.get("directory"))
        self.events.seen_in(self.events.versions, info.get("version"))
        self.events.parent_id = self.events.parent_id or get_str(info, "parentID")
        ends = _turn_ends(messages)
        for number, message in enumerate(messages):
            key = _message_key(get_dict(message, "info"), number)
            if key not in self.seen:
                self.seen.add(key)
                self._message(message, key, ends)

    def _message(self, message: dict[str, Any], key: str, ends: dict[str, float]) -> None:
        info = get_dict(message, "info")
        at = time_of(get(info, "time", "created"))
        self.events.next(at)
        parts = get_list(message, "parts")
        if info.get("role") == "user":
            self._user(info, key, parts, at)
            self._turn_changes(info, key, at, ends)
        else:
            self._assistant(info, key, parts, at)

    # --- user -----------------------------------------------------------------------------------------------------

    def _user(self, info: dict[str, Any], key: str, parts: list[Any], at: float | None) -> None:
        typed = []
        for part in parts:
            kind, text = get(part, "type"), get_str(part, "text")
            if kind == "text" and get(part, "synthetic") is True:
                self.events.mark("injected", at, text[:80])
            elif kind == "text":
                typed.append(text)
            elif kind == "subtask":
                self.events.turn((key, "command"), at, f"/{get_str(part, 'command')}", self._origin("command"))
            elif kind == "compaction":
                self.events.mark("compaction", at, "auto" if get(part, "auto") is True else "")
        self.events.turn(key, at, "\n".join(typed), self._origin("prompt"))

    def _origin(self, origin: str) -> str:
        """What starts a subagent was written by the agent that started it."""
        return "injected" if self.events.parent_id else origin

    def _turn_changes(self, info: dict[str, Any], key: str, at: float | None, ends: dict[str, float]) -> None:
        """Texts of the files that the turn changed, as they were when it began and when it ended."""
        cwd = next(iter(self.events.cwds), "")
        for change in get_list(get(info, "summary"), "diffs"):
            path = resolve(cwd, get_str(change, "file"))
            before, after = _both_texts(change)
            if before is not None and get(change, "status") != "added":
                self.events.notice(FileObservation(path, at, 1, before, whole=True))
            if after is not None and get(change, "status") != "deleted":
                self.events.notice(FileObservation(path, ends.get(get_str(info, "id"), at), 1, after, whole=True))

    # --- assistant ------------------------------------------------------------------------------------------------

    def _assistant(self, info: dict[str, Any], key: str, parts: list[Any], at: float | None) -> None:
        self.events.seen_in(self.events.cwds, get(info, "path", "cwd"))
        self._changes_of_mode(info, at)
        self._usage(info, key, at)
        error = get_str(info, "error", "name")
        if error:
            kind = "interrupt" if error == "MessageAbortedError" else "api_error"
            self.events.mark(kind, at, get_str(info, "error", "data", "message") or error)
        for index, part in enumerate(parts):
            if isinstance(part, dict):
                self._part(part, info, f"{key}/{index}", at)

    def _changes_of_mode(self, info: dict[str, Any], at: float | None) -> None:
        model, mode = get_str(info, "modelID"), get_str(info, "mode")
        if self.model and model and model != self.model:
            self.events.mark("model_change", at, model)
        if self.mode and mode and mode != self.mode:
            self.events.mark("mode_change", at, mode)
        self.model, self.mode = model or self.model, mode or self.mode

    def _usage(self, info: dict[str, Any], key: str, at: float | None) -> None:
        tokens = get_dict(info, "tokens")
        counts = [get_int(tokens, "input"), get_int(tokens, "output"), get_int(tokens, "cache", "read")]
        if not any(counts):
            return
        usage = Usage(
            message_id=key,
            at=at,
            turn=0,
            model=get_str(info, "modelID"),
            input=counts[0],
            output=counts[1],
            cache_read=counts[2],
            cache_write=get_int(tokens, "cache", "write"),
            reasoning=get_int(tokens, "reasoning"),
        )
        self.events.use(usage)

    def _part(self, part: dict[str, Any], info: dict[str, Any], key: str, at: float | None) -> None:
        kind = part.get("type")
        began = time_of(get(part, "time", "start")) or at
        if kind in ("text", "reasoning"):
            self.events.say(key, began, str(kind), get_str(part, "text"))
        elif kind == "tool":
            self._tool(part, info, key, at)
        elif kind == "patch":
            files = "\n".join(f for f in get_list(part, "files") if isinstance(f, str))
            self.events.mark("files_changed", at, files, limit=4000)

    def _tool(self, part: dict[str, Any], info: dict[str, Any], key: str, at: float | None) -> None:
        state = get_dict(part, "state")
        began = time_of(get(state, "time", "start")) or at
        ended = time_of(get(state, "time", "end"))
        self.events.next(began)
        cwd = get_str(info, "path", "cwd") or next(iter(self.events.cwds), "")
        name = get_str(part, "tool")
        command = _command(state, cwd) if name in ("bash", "shell") else None
        status, error = _outcome(state, bool(command))
        call = ToolCall(
            call_id=self._call_id(get_str(part, "callID"), key),
            name=name,
            turn=0,
            at=began,
            done_at=ended,
            status=status,
            error=error,
            model=get_str(info, "modelID"),
            message_id=get_str(info, "id"),
            input=as_json(state.get("input")),
            edits=tuple(_edits(name, state, cwd)),
            command=command,
            seen=_seen(state, ended or began, cwd) if name == "read" else None,
            spawn=_spawn(state) if name == "task" else None,
            commits=commits_in(command.text, get_str(state, "output")) if command else (),
            result_size=next((len(get_str(state, key)) for key in ("output", "error") if key in state), None),
        )
        self.events.call(call)

    def _call_id(self, call_id: str, key: str) -> str:
        """The agent's own id for people to find the call by, unless it is redacted or taken."""
        chosen = key if not call_id or _REDACTED in call_id or call_id in self.call_ids else call_id
        self.call_ids.add(chosen)
        return chosen


def _message_key(info: dict[str, Any], number: int) -> str:
    message_id = get_str(info, "id")
    if message_id and _REDACTED not in message_id:
        return message_id
    return f"{info.get('role')}/{as_json(get(info, 'time', 'created'), 40)}/{number}"


def _turn_ends(messages: list[dict[str, Any]]) -> dict[str, float]:
    """Id of a user message -> when the last answer to it was complete."""
    ends: dict[str, float] = {}
    for message in messages:
        ended = time_of(get(message, "info", "time", "completed"))
        if ended is not None:
            ends[get_str(message, "info", "parentID")] = ended
    return ends


def _both_texts(change: object) -> tuple[str | None, str | None]:
    before, after = get(change, "before"), get(change, "after")
    if isinstance(before, str) and isinstance(after, str):
        return before, after
    return whole_texts(parse_unified(get_str(change, "patch"))) or (None, None)


def _outcome(state: dict[str, Any], shell: bool) -> tuple[Status, str]:
    status = _STATUS.get(get_str(state, "status"), Status.UNKNOWN)
    error = get_str(state, "error")
    if status is Status.ERROR and any(mark in error.lower() for mark in _REJECTED):
        return Status.REJECTED, error[:_ERROR_CHARS]
    code = get(state, "metadata", "exit")
    if shell and status is Status.OK and isinstance(code, int) and code != 0:
        return Status.ERROR, f"exit {code}"
    return status, error[:_ERROR_CHARS] if status is Status.ERROR else ""


def _command(state: dict[str, Any], cwd: str) -> Command:
    output = get_str(state, "metadata", "output") or get_str(state, "output")
    return Command(
        text=get_str(state, "input", "command"),
        cwd=resolve(cwd, get_str(state, "input", "workdir")) or resolve("", cwd),
        output=output[:2000],
    )


def _spawn(state: dict[str, Any]) -> Spawn:
    return Spawn(
        agent_id=get_str(state, "metadata", "sessionId"),
        kind=get_str(state, "input", "subagent_type"),
        visible=False,
    )


def _edits(name: str, state: dict[str, Any], cwd: str) -> list[Edit]:
    arguments, metadata = get_dict(state, "input"), get_dict(state, "metadata")
    if name in ("apply_patch", "patch"):
        stated = edits_from_patch_arguments(arguments, cwd)
        by_path = {edit.path: edit for edit in stated}
        files = [_patched(file, cwd, by_path) for file in get_list(metadata, "files") if get_str(file, "filePath")]
        return files or stated
    if name == "write":
        edit = edit_from_arguments(arguments, cwd, before_known=metadata.get("exists") is False)
    elif name in ("edit", "multiedit"):
        change = get_dict(metadata, "filediff")
        edit = edit_from_arguments(arguments, cwd, **_texts(change), hunks=_shown(change, get_str(metadata, "diff")))
    else:
        edit = None
    return [edit] if edit else []


def _texts(change: dict[str, Any]) -> dict[str, Any]:
    before, after = change.get("before"), change.get("after")
    if not isinstance(before, str) or not isinstance(after, str):
        return {}
    return {"before": before, "before_known": True, "after": after}


def _shown(change: object, diff: str = "") -> tuple[Hunk, ...]:
    """Hunks of a display diff: indentation common to all its lines is cut, so positions are exact and text is not."""
    hunks = parse_unified(get_str(change, "patch") or get_str(change, "diff") or diff)
    return tuple(replace(hunk, exact_text=False) for hunk in hunks)


def _patched(file: dict[str, Any], cwd: str, stated: dict[str, Edit]) -> Edit:
    """One file of an applied patch: whole texts where the version records them, else what the patch states."""
    path, kind, texts = resolve(cwd, get_str(file, "filePath")), file.get("type"), _texts(file)
    said = stated.get(path)
    if kind == "add":
        added = texts.get("after") if texts else said.content if said else None
        return Edit(path, "write", content=added, before_known=True, after=added)
    if kind == "delete":
        return Edit(path, "delete", before=texts.get("before"), before_known=bool(texts))
    new_path = resolve(cwd, get_str(file, "movePath") or (get_str(file, "move") if kind == "move" else ""))
    hunks = _shown(file) if texts or said is None else _placed(_shown(file), said.hunks)
    return Edit(path, "move" if new_path else "edit", hunks=hunks, new_path=new_path, **texts)


def _placed(shown: tuple[Hunk, ...], stated: tuple[Hunk, ...]) -> tuple[Hunk, ...]:
    """The shown hunks where their lines prove to be uncut, else those of the patch: exact text without positions."""
    if stated and _changed_lines(shown) == _changed_lines(stated):
        return tuple(replace(hunk, exact_text=True) for hunk in shown)
    return stated or shown


def _changed_lines(hunks: tuple[Hunk, ...]) -> list[str]:
    """Removed and added lines; a patch may state the same change in another order."""
    return sorted(line for hunk in hunks for line in hunk.lines if line[:1] in ("+", "-"))


_LINE = re.compile(r"^\s*(\d+)(?:: |\| ?)(.*)$", re.S)
_BODY = re.compile(r"<(content|file)>\n?(.*?)\n?(?:</\1>|\Z)", re.S)
_CUT_LINE = "... (line truncated to"


def _seen(state: dict[str, Any], at: float | None, cwd: str) -> FileObservation | None:
    """The lines of a file as `read` showed them, with their numbers."""
    path = resolve(cwd, get_str(state, "input", "filePath"))
    body = _BODY.search(get_str(state, "output"))
    lines = [match for line in (body[2].split("\n") if body else []) if (match := _LINE.match(line))]
    if not path or not body or not lines or _CUT_LINE in body[2] or len(lines[0][1]) > 9:
        return None
    start = int(lines[0][1])
    whole = start == 1 and "(End of file" in body[2][-200:]
    return FileObservation(path, at, start, "\n".join(match[2] for match in lines) + "\n", whole)
