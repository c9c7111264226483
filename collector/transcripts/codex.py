"""Codex: a rollout, JSONL of `{timestamp, type, payload}`.

The best source of an edit is the event `patch_apply_end`: a unified diff or the text of each file. Where a version writes none,
the patch itself counts together with the output of its call. Patches also hide in JavaScript (`exec`) and in shell heredocs.
A forked thread begins with a copy of its parent's history, stamped with the time of the fork: that copy is not read.
Compaction repeats old items inside one record, which is not read either.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from collector.git.patches import parse_unified
from collector.model import Command, Edit, FileObservation, Problem, Session, Spawn, Status, ToolCall, Usage
from collector.transcripts.apply_patch import (
    BEGIN,
    commands_in_script,
    edits_from_patch_arguments,
    parse_patch,
    patches_in,
    patches_in_script,
)
from collector.transcripts.jsonl import (
    Events,
    as_json,
    commits_in,
    copies,
    first_value,
    get,
    get_dict,
    get_int,
    get_str,
    parsed,
    records,
    resolve,
    text_of,
    time_of,
)
from collector.transcripts.prompts import CODEX_INJECTED

NAME = "codex"
LABEL = "Codex"
GIVES = frozenset(["times", "results", "text", "positions", "reads", "commands", "commits", "models", "tokens", "directory"])
ORDER = 30

_SHELLS = frozenset({"exec_command", "shell", "shell_command", "local_shell_call", "container.exec", "unified_exec"})
_SPAWNS = frozenset({"spawn_agent", "spawn_agents"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"})
_RECORDS = frozenset({"world_state", "inter_agent_communication_metadata", "compacted", "response_item", "event_msg"})
# How texts begin that stand among the user's messages and nobody typed
_REQUEST = re.compile(r"^## My request for Codex:?[ \t]*\n", re.M)
_PLAN = ("PLEASE IMPLEMENT THIS PLAN", "Implement the plan.")
_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d+)", re.M)
_CELL = re.compile(r"^Script running with cell ID (\S+)")
_TIMED_ID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-")
_REJECTED = ("rejected by user", "rejected by the user", "user rejected")
_ERROR_CHARS = 300
_REPLAY_SECONDS = 5.0


def sniff(head: object) -> bool:
    if not isinstance(head, dict):
        return False
    return head.get("type") == "session_meta" or (isinstance(head.get("payload"), dict) and isinstance(head.get("type"), str))


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    """All copies of one session. A child thread stored under its parent's id becomes a subagent of that session."""
    reader = _Reader(Events(NAME, session_id))
    for blob in copies(blobs):
        reader.copy(blob)
    return reader.session()


@dataclass(slots=True)
class _Thread:
    """What holds until the next record changes it; kept per thread, so that copies may come in any order."""

    id: str
    child: bool = False
    agent_id: str = ""
    cwd: str = ""
    model: str = ""
    mode: str = ""
    replay_at: float | None = None
    replaying: bool = False
    prompted: bool = False  # the running turn has had its first message
    typed: bool = False  # `user_message` events exist
    totals: set[tuple[int, ...]] = field(default_factory=set)
    spoken: list[tuple[int, float | None, str]] = field(default_factory=list)  # user items, for want of such events


@dataclass(slots=True)
class _Call:
    call_id: str
    at: float | None
    order: int
    thread: _Thread
    model: str
    cwd: str
    name: str = ""
    arguments: object = None
    output: str | None = None
    success: bool | None = None
    exit_code: int | None = None
    printed: str | None = None  # what the command wrote
    done_at: float | None = None
    changes: dict[str, Any] | None = None
    spawned: str = ""
    role: str = ""
    inner: list[_Call] = field(default_factory=list)  # patches that a script applied


class _Reader:
    def __init__(self, events: Events) -> None:
        self.events = events
        self.calls: dict[str, _Call] = {}
        self.threads: dict[str, _Thread] = {}
        self.thread = self._thread(events.session_id)
        self.cells: dict[str, _Call] = {}
        self.script: _Call | None = None  # the last script started, which may apply patches
        self.seen: set[int] = set()
        self.handlers: dict[object, Callable[[dict[str, Any], float | None], None]] = {
            "user_message": self._user_message,
            "token_count": self._token_count,
            "exec_command_end": self._command_end,
            "patch_apply_end": self._patch_end,
            "turn_aborted": lambda p, at: self.events.mark("interrupt", at, get_str(p, "reason")),
            "task_started": self._turn_started,
            "turn_started": self._turn_started,
            "error": lambda p, at: self.events.mark("api_error", at, get_str(p, "message")),
            "thread_rolled_back": lambda p, at: self.events.mark("rolled_back", at, str(get_int(p, "num_turns"))),
            "collab_agent_spawn_end": self._spawn_end,
            "sub_agent_activity": self._spawn_end,
            "message": self._message,
            "reasoning": self._reasoning,
        }

    # --- records --------------------------------------------------------------------------------------------------

    def copy(self, blob: bytes) -> None:
        first = first_value(blob)
        if get(first, "type") == "session_meta":
            self.thread = self._enter(get_dict(first, "payload"))
        for record in records([blob], self.events.problems, self.events.session_id, seen=self.seen):
            self._take(record)

    def _thread(self, thread_id: str) -> _Thread:
        return self.threads.setdefault(thread_id, _Thread(thread_id))

    def _enter(self, meta: dict[str, Any]) -> _Thread:
        thread = self._thread(get_str(meta, "id") or self.events.session_id)
        spawned = get(meta, "source", "subagent")
        thread.child = bool(spawned)
        parent = get_str(meta, "parent_thread_id") or get_str(spawned, "thread_spawn", "parent_thread_id")
        if thread.child and parent == self.events.session_id != thread.id:
            thread.agent_id = thread.id
        elif thread.child and parent:
            self.events.parent_id = self.events.parent_id or parent
        thread.cwd = thread.cwd or get_str(meta, "cwd")
        return thread

    def _take(self, record: dict[str, Any]) -> None:
        at = time_of(record.get("timestamp"))
        payload = get_dict(record, "payload")
        kind = get_str(record, "type")
        if kind == "session_meta":
            self._meta(payload, at)
        elif self._replayed(payload, at):
            return
        self.events.next(at)
        if kind == "turn_context":
            self._context(payload, at)
        elif kind == "compacted":
            self.events.mark("compaction", at)
        elif kind in ("response_item", "event_msg"):
            self._item(payload, at)
        elif kind != "session_meta" and kind not in _RECORDS:
            self.events.stranger(kind)

    def _meta(self, meta: dict[str, Any], at: float | None) -> None:
        thread_id = get_str(meta, "id")
        if thread_id and thread_id != self.thread.id:  # the head of a copied history
            self.thread.replaying, self.thread.replay_at = True, at
            self.events.mark("forked", at, thread_id)
            return
        self.events.seen_in(self.events.cwds, meta.get("cwd"))
        self.events.seen_in(self.events.versions, meta.get("cli_version"))
        self.events.seen_in(self.events.branches, get(meta, "git", "branch"))

    def _replayed(self, payload: dict[str, Any], at: float | None) -> bool:
        """Whether the record belongs to the copied history of a fork, whose turns are older than the thread."""
        thread = self.thread
        if not thread.replaying:
            return False
        turn = get_str(payload, "turn_id")
        begins = payload.get("type") in ("task_started", "turn_started") or "approval_policy" in payload
        own = begins and _TIMED_ID.match(turn) and _TIMED_ID.match(thread.id) and turn >= thread.id
        late = at is not None and thread.replay_at is not None and at > thread.replay_at + _REPLAY_SECONDS
        if own or late:
            thread.replaying = False
            return False
        if payload.get("type") == "token_count":
            thread.totals.add(_total(payload))
        return True

    def _context(self, payload: dict[str, Any], at: float | None) -> None:
        thread = self.thread
        thread.cwd = self.events.seen_in(self.events.cwds, payload.get("cwd")) or thread.cwd
        model, mode = get_str(payload, "model"), get_str(payload, "collaboration_mode", "mode")
        if thread.model and model and model != thread.model:
            self.events.mark("model_change", at, model)
        if thread.mode and mode and mode != thread.mode:
            self.events.mark("mode_change", at, mode)
        thread.model, thread.mode = model or thread.model, mode or thread.mode

    def _item(self, payload: dict[str, Any], at: float | None) -> None:
        kind = get_str(payload, "type")
        if kind in _CALLS:
            self._call(payload, kind, at)
        elif kind.endswith("_output"):
            self._output(payload, at)
        elif kind in self.handlers:
            self.handlers[kind](payload, at)

    # --- prompts and texts ----------------------------------------------------------------------------------------

    def _turn_started(self, payload: dict[str, Any], at: float | None) -> None:
        self.thread.prompted = False

    def _user_message(self, payload: dict[str, Any], at: float | None) -> None:
        pictures = get(payload, "images") or get(payload, "local_images")
        text = get_str(payload, "message") or ("[image]" if pictures else "")
        self.thread.typed = True
        self._prompt(text, at, "queued" if self.thread.prompted else "prompt")
        self.thread.prompted = True

    def _prompt(self, text: str, at: float | None, origin: str) -> None:
        request = _REQUEST.split(text, maxsplit=1)[-1].strip() or text
        if self.thread.child or text.lstrip().startswith(CODEX_INJECTED):
            origin = "injected"
        elif request.startswith(_PLAN):
            origin = "plan"
        self.events.turn(("user", at, text), at, request.strip("\n"), origin)

    def _message(self, payload: dict[str, Any], at: float | None) -> None:
        text = text_of(payload.get("content"))
        if payload.get("role") == "assistant":
            self.events.say(("text", at, text), at, "text", text, self.thread.agent_id)
        elif payload.get("role") == "user" and text.strip():
            self.thread.spoken.append((self.events.order, at, text))

    def _reasoning(self, payload: dict[str, Any], at: float | None) -> None:
        text = text_of(payload.get("summary"), "\n\n")
        self.events.say(("reasoning", at, text), at, "reasoning", text, self.thread.agent_id)

    def _token_count(self, payload: dict[str, Any], at: float | None) -> None:
        """Totals are cumulative and repeated; the last response's own share is counted when the total is a new one."""
        total, last = _total(payload), get_dict(payload, "info", "last_token_usage")
        if not last or total in self.thread.totals:
            return
        self.thread.totals.add(total)
        cached = get_int(last, "cached_input_tokens")
        usage = Usage(
            message_id=f"{self.thread.id}/{at}/{total[-1]}",
            at=at,
            turn=0,
            model=self.thread.model,
            input=max(0, get_int(last, "input_tokens") - cached),
            output=get_int(last, "output_tokens"),
            cache_read=cached,
            reasoning=get_int(last, "reasoning_output_tokens"),
            agent_id=self.thread.agent_id,
        )
        self.events.use(usage)

    # --- calls ----------------------------------------------------------------------------------------------------

    def _of(self, payload: dict[str, Any], at: float | None) -> _Call:
        """The call that a record is about; made here when its own record is missing or comes later."""
        call_id = get_str(payload, "call_id") or get_str(payload, "event_id") or get_str(payload, "id")
        call_id = call_id or f"{self.thread.id}/{payload.get('type')}/{at}"
        if call_id not in self.calls:
            self.calls[call_id] = _Call(call_id, at, self.events.order, self.thread, self.thread.model, self.thread.cwd)
        return self.calls[call_id]

    def _call(self, payload: dict[str, Any], kind: str, at: float | None) -> None:
        call = self._of(payload, at)
        if call.name:
            return
        call.name = get_str(payload, "name") or kind
        call.at, call.model, call.cwd = at, self.thread.model, self.thread.cwd
        call.arguments = _arguments(payload)
        call.cwd = resolve(call.cwd, get_str(call.arguments, "workdir")) or call.cwd
        if call.name == "exec" and isinstance(call.arguments, str):
            self.script = call

    def _output(self, payload: dict[str, Any], at: float | None) -> None:
        call = self._of(payload, at)
        if call.output is not None:
            return
        text, code, success = _output_text(payload.get("output"))
        call.output, call.done_at = text, call.done_at or at
        call.exit_code = code if call.exit_code is None else call.exit_code
        call.success = success if call.success is None else call.success
        cell = _CELL.match(text)
        if cell and call.name == "exec":
            self.cells[f"{self.thread.id}/{cell[1]}"] = call
        elif call.name == "wait" and not cell:
            self._script_ended(call, text, at)

    def _script_ended(self, wait: _Call, text: str, at: float | None) -> None:
        script = self.cells.pop(f"{self.thread.id}/{get(wait.arguments, 'cell_id')}", None)
        if script is not None:
            script.output, script.done_at = text, at

    def _command_end(self, payload: dict[str, Any], at: float | None) -> None:
        call = self._of(payload, at)
        call.exit_code = get_int(payload, "exit_code")
        call.printed = get_str(payload, "aggregated_output") or get_str(payload, "stdout")
        call.done_at = at
        call.cwd = get_str(payload, "cwd") or call.cwd

    def _patch_end(self, payload: dict[str, Any], at: float | None) -> None:
        known = get_str(payload, "call_id") in self.calls
        call = self._of(payload, at)
        call.changes = call.changes or get_dict(payload, "changes")
        call.success = payload.get("success") is True
        call.printed = get_str(payload, "stdout") if call.success else get_str(payload, "stderr")
        call.done_at = at
        if not known and self.script is not None and self.script.output is None:
            self.script.inner.append(call)

    def _spawn_end(self, payload: dict[str, Any], at: float | None) -> None:
        call = self._of(payload, at)
        call.spawned = get_str(payload, "new_thread_id") or get_str(payload, "agent_thread_id") or call.spawned
        call.role = get_str(payload, "new_agent_role") or call.role

    # --- the whole session ----------------------------------------------------------------------------------------

    def session(self) -> Session:
        for thread in self.threads.values():
            self.thread = thread
            for order, at, text in [] if thread.typed else thread.spoken:
                self.events.order = order
                if text.lstrip().startswith(CODEX_INJECTED):
                    self.events.mark("injected", at, text.strip()[:80])
                else:
                    self._prompt(text, at, "prompt")
        for call in self.calls.values():
            if call.name or call.changes is not None:
                for finished in self._finished(call):
                    self.events.call(finished, call.order)
        return self.events.session()

    def _finished(self, call: _Call) -> Iterator[ToolCall]:
        status, error = _outcome(call)
        command = _command(call)
        script = call.name == "exec" and isinstance(call.arguments, str)
        parts = list(_script_parts(call, status)) if script else []
        if script and len(parts) == 1 and parts[0].command and not parts[0].edits:
            text, cwd = parts[0].command.text, parts[0].command.cwd
            command, parts = Command(text, cwd, output=_body(call)[:2000]), []
        yield ToolCall(
            call_id=call.call_id,
            name=call.name or "apply_patch",
            turn=0,
            at=call.at,
            done_at=call.done_at,
            status=status,
            error=error,
            agent_id=call.thread.agent_id,
            model=call.model,
            input=_input(call),
            edits=tuple(self._edits(call)),
            command=command,
            seen=_seen(command, call) if command and status is Status.OK else None,
            spawn=_spawn(call) if call.name in _SPAWNS else None,
            commits=commits_in(command.text, command.output) if command else (),
            result_size=len(call.output) if call.output is not None else None,
        )
        yield from parts

    def _edits(self, call: _Call) -> list[Edit]:
        patches = _patch_edits(call)
        if call.changes is None:
            return patches
        stated = {edit.path: edit for edit in patches}
        edits = []
        for path, change in call.changes.items():
            edit = _changed(resolve(call.cwd, path), _flat(change), call.cwd)
            if edit.op in ("edit", "move") and not edit.hunks and get_str(_flat(change), "unified_diff"):
                self.events.problems.append(Problem("transcripts", self.events.session_id, "unreadable_diff", call.call_id))
                edit = stated.get(edit.path, edit)
            edits.append(edit)
        return edits


def _total(payload: dict[str, Any]) -> tuple[int, ...]:
    total = get_dict(payload, "info", "total_token_usage")
    return tuple(get_int(total, key) for key in ("input_tokens", "cached_input_tokens", "output_tokens", "total_tokens"))


def _arguments(payload: dict[str, Any]) -> object:
    """Arguments as an object where they are JSON text, else as they are; a custom tool takes plain text."""
    if payload.get("type") == "custom_tool_call":
        return get_str(payload, "input")
    if payload.get("type") in ("local_shell_call", "web_search_call"):
        return get_dict(payload, "action")
    return parsed(payload.get("arguments")) or payload.get("arguments")


def _input(call: _Call) -> str:
    return call.arguments[:20_000] if isinstance(call.arguments, str) else as_json(call.arguments)


def _output_text(output: object) -> tuple[str, int | None, bool | None]:
    """(text, exit code, success) of a result: text, blocks, an object, or an object as JSON text."""
    if isinstance(output, str) and output.startswith('{"output"'):
        output = parsed(output) or output
    success = get(output, "success")
    text = _joined(output) or get_str(output, "output") or text_of(get(output, "content"))
    code = get(output, "metadata", "exit_code")
    match = _EXIT.search(text, 0, 4000)
    if not isinstance(code, int) and match and len(match[1]) < 12:
        code = int(match[1])
    return text, code if isinstance(code, int) else None, success if isinstance(success, bool) else None


def _joined(blocks: object) -> str:
    """Blocks of a result one below the other; the head of a script's result ends with its own newline."""
    joined = ""
    for block in blocks if isinstance(blocks, list) else []:
        joined += "\n" if joined and not joined.endswith("\n") else ""
        joined += get_str(block, "text")
    return joined or text_of(blocks)


def _outcome(call: _Call) -> tuple[Status, str]:
    text = call.output or call.printed or ""
    if call.success is not None:
        return (Status.OK, "") if call.success else (Status.ERROR, (call.printed or text)[:_ERROR_CHARS])
    if call.output is None and call.exit_code is None:
        return Status.UNKNOWN, ""
    if any(mark in text[:_ERROR_CHARS] for mark in _REJECTED):
        return Status.REJECTED, text[:_ERROR_CHARS]
    if call.name == "exec" and _CELL.match(text):
        return Status.UNKNOWN, ""
    return (Status.ERROR, _body(call)[:_ERROR_CHARS]) if _failed(call, text) else (Status.OK, "")


def _failed(call: _Call, text: str) -> bool:
    if call.exit_code is not None:
        return call.exit_code != 0
    failed = text.startswith(("Script failed", "aborted", "failed", "execution error", "apply_patch verification failed"))
    return failed or (call.name == "apply_patch" and "Success. Updated" not in text[:_ERROR_CHARS])


def _body(call: _Call) -> str:
    """What a command printed, without the lines that the harness puts before it."""
    if call.printed is not None:
        return call.printed
    head, mark, body = (call.output or "").partition("\nOutput:\n")
    return body if mark and len(head) < 4000 else call.output or ""


def _shell_text(arguments: object) -> str:
    command = get(arguments, "cmd") or get(arguments, "command")
    if isinstance(command, str):
        return command
    words = [word for word in command if isinstance(word, str)] if isinstance(command, list) else []
    if len(words) == 3 and words[1] in ("-lc", "-c") and words[0].endswith("sh"):
        return words[2]
    return shlex.join(words)


def _command(call: _Call) -> Command | None:
    if call.name not in _SHELLS:
        return None
    text = _shell_text(call.arguments)
    cwd = resolve("", get_str(call.arguments, "working_directory")) or call.cwd
    running = "Process running with session ID" in (call.output or "")[:_ERROR_CHARS]
    return Command(text, resolve("", cwd), background=running, output=_body(call)[:2000])


def _script_parts(script: _Call, status: Status) -> Iterator[ToolCall]:
    """Commands and patches of a script as calls of their own; patches that have an event of their own are those events."""
    number = 0
    applied = [{resolve(call.cwd, path) for path in call.changes or {}} for call in script.inner]
    for text, cwd in commands_in_script(_input_text(script)):
        number += 1
        yield _part(script, number, "exec_command", status, command=Command(text, resolve(script.cwd, cwd or script.cwd)))
    for patch in patches_in_script(_input_text(script)):
        edits = tuple(parse_patch(patch, script.cwd))
        number += 1
        if {edit.path for edit in edits} not in applied:
            unsure = Status.UNKNOWN if applied and status is Status.OK else status
            yield _part(script, number, "apply_patch", unsure, edits=edits)


def _input_text(call: _Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else ""


def _part(script: _Call, number: int, name: str, status: Status, **known: Any) -> ToolCall:
    return ToolCall(
        call_id=f"{script.call_id}#{number}",
        name=name,
        turn=0,
        at=script.at,
        done_at=script.done_at,
        status=status,
        error=(script.output or "")[:_ERROR_CHARS] if status is Status.ERROR else "",
        agent_id=script.thread.agent_id,
        model=script.model,
        **known,
    )


def _patch_edits(call: _Call) -> list[Edit]:
    if call.name in _SHELLS:
        text = _shell_text(call.arguments)
        return [edit for patch in patches_in(text) for edit in parse_patch(patch, call.cwd, by_shell=True)]
    if call.name == "apply_patch" or (isinstance(call.arguments, dict) and BEGIN in get_str(call.arguments, "input")):
        return edits_from_patch_arguments(call.arguments, call.cwd)
    return []


def _flat(change: object) -> dict[str, Any]:
    """Older versions nest a change under its kind: `{"update": {…}}`."""
    if not isinstance(change, dict):
        return {}
    for kind in ("add", "update", "delete"):
        if "type" not in change and isinstance(change.get(kind), dict):
            return {"type": kind, **change[kind]}
    return change


def _changed(path: str, change: dict[str, Any], cwd: str) -> Edit:
    content = change.get("content")
    text = content if isinstance(content, str) else None
    if change.get("type") == "add":
        return Edit(path, "write", content=text, after=text)
    if change.get("type") == "delete":
        return Edit(path, "delete", before=text, before_known=text is not None)
    new_path = resolve(cwd, get_str(change, "move_path"))
    return Edit(path, "move" if new_path else "edit", hunks=parse_unified(get_str(change, "unified_diff")), new_path=new_path)


def _spawn(call: _Call) -> Spawn:
    agent_id = call.spawned or get_str(parsed(call.output), "agent_id")
    kind = call.role or get_str(call.arguments, "agent_type")
    return Spawn(agent_id=agent_id, kind=kind, visible=False, asynchronous=True)


# A script that runs one command and shows its output, nothing else
_ONLY_SHOWS = re.compile(r"\s*(?:const|let|var)\s+(\w+)\s*=\s*await\s+tools\.exec_command\([^;]*\);?\s*text\(\1\.output\);?\s*$")
_TRUNCATED = re.compile(r"…\d+ \w+ truncated…")
_READ = re.compile(r"^\s*(?:cat|sed -n '?(\d{1,9}),(\d{1,9})p'?) (?:--\s+)?('[^']+'|[^\s'\"$*?~`;|&<>(){}\\]+)\s*$")


def _seen(command: Command, call: _Call) -> FileObservation | None:
    """The text of a file that a plain `cat` or `sed -n 'a,bp'` printed."""
    match = _READ.match(command.text)
    text = _body(call)
    cut = _TRUNCATED.search(text) or re.search("Total output lines:|truncated output", (call.output or "")[:_ERROR_CHARS])
    if not match or not text or cut or (call.name == "exec" and not _ONLY_SHOWS.match(_input_text(call))):
        return None
    start, stop = int(match[1] or 1), int(match[2] or 0)
    whole = start == 1 and (not match[2] or text.count("\n") < stop)
    return FileObservation(resolve(command.cwd, match[3].strip("'")), call.done_at or call.at, max(start, 1), text, whole)
