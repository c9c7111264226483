"""Codex: a rollout, JSONL of `{timestamp, type, payload}`.

The best source of an edit is the event `patch_apply_end`: a unified diff or the text of each file.
Where a version writes none, the patch itself counts together with the output of its call. Commands
of a script are calls of their own. Some people keep rollouts as a chat (`formats/chat.py`), from
which the records are made again. A forked thread begins with a copy of its parent's history,
stamped with the time of the fork: that copy is not read; where nothing says that it is one, its
turns have the ids of the parent's. Compaction repeats old items inside one
record, which is not read either.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from collector.agents.common.call_ids import RANDOM_ID, CallText
from collector.agents.common.edits import (
    BEGIN,
    edits_from_patch,
    edits_of_command,
    edits_of_unknown_tool,
    parse_patch,
)
from collector.agents.common.jsonl import first_value
from collector.agents.common.messages import CODEX_INJECTED, text_of
from collector.agents.common.reader import (
    ERROR_CHARS,
    FACETS,
    Call,
    Outcome,
    RecordReader,
    commits_in,
    commits_of_tool,
    is_shell_of_server,
    shell_command,
)
from collector.agents.common.scripts import commands_in_script, patches_in_script
from collector.agents.formats.chat import ChatMessage, chat_messages, lines_of_chats, session_meta
from collector.agents.machine import files
from collector.agents.machine.model import Committed, LocalSession, Roots, Store, session_in_path
from collector.agents.machine.zstd import decompressed
from collector.git.patches import parse_unified
from collector.json_values import (
    get,
    get_dict,
    get_int,
    get_str,
    objects,
    parse_json,
    time_of,
    to_json,
)
from collector.model import Command, Edit, FileObservation, Session, Spawn, Status, ToolCall, Usage
from collector.text import decode, normal_path, resolve
from collector.vocabulary.agents import Agent
from collector.vocabulary.sessions import Driver

NAME = "codex"
AGENT = Agent(
    NAME,
    "Codex",
    accounts=r"noreply@openai\.com|codex@openai\.com|chatgpt-codex-connector\[bot\]|codex\[bot\]",
    aliases=("codex-cli", "openai-codex"),
    tools={
        "read": "view_image",
        "edit": "apply_patch",
        "web": "web_search",
        "agent": "spawn_agent wait_agent",
        "todo": "update_plan",
        "ask": "request_user_input",
    },
    state=r"codex",
)
GIVES = frozenset(FACETS) - {"before", "subagents"}
ORDER = 30

_CALLS = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"}
)
_RECORDS = frozenset(
    {
        "world_state",
        "inter_agent_communication_metadata",
        "compacted",
        "response_item",
        "event_msg",
        "token_usage_record",
    }
)
_REQUEST = re.compile(r"^## My request for Codex:?[ \t]*\n", re.M)
_PLAN = ("PLEASE IMPLEMENT THIS PLAN", "Implement the plan.")
_DRIVERS = {  # word of `originator` or `source` -> what it is; the first counts
    "action": Driver.CI,
    "exec": Driver.PROGRAM,
    "sdk": Driver.PROGRAM,
    "mcp": Driver.PROGRAM,
    "desktop": Driver.PERSON,
    "vscode": Driver.IDE,
    "jetbrains": Driver.IDE,
    "xcode": Driver.IDE,
    "tui": Driver.PERSON,
    "cli": Driver.PERSON,
}
_USUAL = ("", "default", "auto", "standard")  # tiers
_TIERS = {"fast": "priority"}  # as Codex calls it
_TIMED_ID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-")
_REPLAY_SECONDS = 5.0
_DIRECTORY = re.compile(r"<cwd>([^<\n]{1,1000})</cwd>")


def sniff(head: object) -> bool:
    if not isinstance(head, dict):
        return False
    record = isinstance(head.get("payload"), dict) and isinstance(head.get("type"), str)
    return (
        head.get("type") == "session_meta"
        or record
        or _is_bare(head)
        or bool(get_str(session_meta(head), "id"))
    )


def _is_bare(head: object) -> bool:
    """Until October 2025 records stood in no envelope."""
    return isinstance(head, dict) and head.keys() >= {"id", "timestamp", "instructions"}


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    """All copies of one session. A child thread stored under its parent's id becomes a subagent
    of that session.
    """
    return _Reader(NAME, session_id).read_lines(blobs)


@dataclass(slots=True)
class _Thread:
    """What holds until the next record changes it; kept per thread, so that copies may come in
    any order.
    """

    id: str
    child: bool = False
    agent_id: str = ""
    cwd: str = ""
    model: str = ""
    mode: str = ""
    turn: str = ""  # id of the running turn, where no other has it by chance
    tier: str = ""  # of the service, where it is not the usual one
    replay_at: float | None = None
    replaying: bool = False
    prompted: bool = False  # the running turn has had its first message
    typed: bool = False  # `user_message` events exist
    totals: set[tuple[int, ...]] = field(default_factory=set)
    total: tuple[int, ...] = ()  # the last of them
    # user items with their turns, for want of such events
    spoken: list[tuple[int, float | None, str, str]] = field(default_factory=list)


class _Reader(RecordReader):
    def __init__(self, agent: str, session_id: str) -> None:
        super().__init__(agent, session_id)
        self.started: dict[str, CodexCall] = {}
        self.threads: dict[str, _Thread] = {}
        self.thread = self._thread(session_id)
        # tokens of single responses, by their ids, and the responses that were compactions
        self.responses: dict[str, tuple[int, Usage]] = {}
        self.compactions: set[str] = set()
        self.begins = False  # a copy has the record with which a rollout begins
        self.cells: dict[str, CodexCall] = {}  # scripts that run in the background
        self.script: CodexCall | None = None  # the last script started, which may apply patches
        self.handlers: dict[object, Callable[[dict[str, Any], float | None], None]] = {
            "user_message": self._user_message,
            "token_count": self._token_count,
            "exec_command_end": self._command_end,
            "patch_apply_end": self._patch_end,
            "turn_aborted": lambda p, time: self.add_event("interrupt", time, get_str(p, "reason")),
            "task_started": self._turn_started,
            "turn_started": self._turn_started,
            "error": lambda p, time: self.add_event("api_error", time, get_str(p, "message")),
            "thread_rolled_back": lambda p, time: self.add_event(
                "rolled_back", time, str(get_int(p, "num_turns"))
            ),
            "thread_settings_applied": lambda p, time: self._settings(
                get_dict(p, "thread_settings")
            ),
            "session_configured": lambda p, time: self._settings(p),
            "collab_agent_spawn_end": self._spawn_end,
            "sub_agent_activity": self._spawn_end,
            "message": self._message,
            "reasoning": self._reasoning,
        }

    # --- records ----------------------------------------------------------------------------------

    def begin_copy(self, blob: bytes) -> bytes:
        blob = _in_envelopes(lines_of_chats(blob, _rollout))
        first = first_value(blob)
        self.begins |= get(first, "type") == "session_meta"
        if get(first, "type") == "session_meta":
            self.thread = self._enter(get_dict(first, "payload"))
        return blob

    def _thread(self, thread_id: str) -> _Thread:
        return self.threads.setdefault(thread_id, _Thread(thread_id))

    def _enter(self, meta: dict[str, Any]) -> _Thread:
        thread = self._thread(get_str(meta, "id") or self.session_id)
        thread.child = bool(get(meta, "source", "subagent"))
        parent = _parent(meta)
        if thread.child and parent == self.session_id != thread.id:
            thread.agent_id = thread.id
        elif thread.child and parent:
            self.parent_id = self.parent_id or parent
        thread.cwd = thread.cwd or get_str(meta, "cwd")
        return thread

    def take(self, record: dict[str, Any]) -> None:
        time = time_of(record.get("timestamp"))
        payload = get_dict(record, "payload")
        kind = get_str(record, "type")
        if kind == "session_meta":
            self._meta(payload, time)
        elif self._replay(payload, time):
            return
        self.begin(time)
        if kind == "turn_context":
            self._context(payload, time)
        elif kind == "compacted":
            self._read_compaction(payload, time)
        elif kind == "token_usage_record":
            self._note_response(payload, time)
        elif kind in ("response_item", "event_msg"):
            self._item(payload, time)
        elif kind != "session_meta" and kind not in _RECORDS:
            self.unknown_record_type(kind)

    def _meta(self, meta: dict[str, Any], time: float | None) -> None:
        thread_id = get_str(meta, "id")
        if thread_id and thread_id != self.thread.id:  # the head of a copied history
            self.thread.replaying = True
            self.thread.replay_at = time
            self.add_event("forked", time, thread_id)
            self.forked_from = self.forked_from or ("" if self.thread.child else thread_id)
            return
        if not self.thread.child:  # a subagent that begins with what its parent knows is no fork
            self.forked_from = self.forked_from or get_str(meta, "forked_from_id")
        # what sends the prompts
        program = f"{get_str(meta, 'originator')} {get_str(meta, 'source')}".lower()
        self.driver = next(
            (driver for word, driver in _DRIVERS.items() if word in program), Driver.UNKNOWN
        )
        self.add_cwd(meta.get("cwd"))
        self.add_version(meta.get("cli_version"))
        self.add_branch(get(meta, "git", "branch"))

    def _replay(self, payload: dict[str, Any], time: float | None) -> bool:
        """Whether the record belongs to the copied history of a fork, whose turns are older than
        the thread.
        """
        thread = self.thread
        if not thread.replaying:
            return False
        turn = get_str(payload, "turn_id")
        begins = (
            payload.get("type") in ("task_started", "turn_started") or "approval_policy" in payload
        )
        is_later = (
            begins and _TIMED_ID.match(turn) and _TIMED_ID.match(thread.id) and turn >= thread.id
        )
        late = (
            time is not None
            and thread.replay_at is not None
            and time > thread.replay_at + _REPLAY_SECONDS
        )
        if is_later or late:
            thread.replaying = False
            return False
        if payload.get("type") == "token_count":
            thread.total = _total(payload)
            thread.totals.add(thread.total)
        return True

    def _context(self, payload: dict[str, Any], time: float | None) -> None:
        thread = self.thread
        thread.cwd = self.add_cwd(payload.get("cwd")) or thread.cwd
        model = get_str(payload, "model")
        mode = get_str(payload, "collaboration_mode", "mode")
        thread.model = self.switched("model_change", thread.model, model, time)
        thread.mode = self.switched("mode_change", thread.mode, mode, time)
        thread.turn = _turn_of(payload) or thread.turn
        self._settings(payload)

    def _settings(self, settings: dict[str, Any]) -> None:
        """In which tier the next responses are served."""
        if "service_tier" in settings:
            tier = get_str(settings, "service_tier").lower()
            self.thread.tier = "" if tier in _USUAL else _TIERS.get(tier, tier)

    def _item(self, payload: dict[str, Any], time: float | None) -> None:
        kind = get_str(payload, "type")
        if kind in _CALLS:
            self._call(payload, kind, time)
        elif kind.endswith("_output"):
            self._output(payload, time)
        elif kind in self.handlers:
            self.handlers[kind](payload, time)

    # --- prompts and texts ------------------------------------------------------------------------

    def _turn_started(self, payload: dict[str, Any], time: float | None) -> None:
        self.thread.prompted = False
        self.thread.turn = _turn_of(payload)

    def _user_message(self, payload: dict[str, Any], time: float | None) -> None:
        pictures = get(payload, "images") or get(payload, "local_images")
        text = get_str(payload, "message") or ("[image]" if pictures else "")
        self.thread.typed = True
        self._prompt(text, time, "queued" if self.thread.prompted else "prompt")
        self.thread.prompted = True

    def _prompt(self, text: str, time: float | None, origin: str) -> None:
        request = _REQUEST.split(text, maxsplit=1)[-1].strip() or text
        if self.thread.child or text.lstrip().startswith(CODEX_INJECTED):
            origin = "injected"
        elif request.startswith(_PLAN):
            origin = "plan"
        self.add_turn(
            ("user", self.order if time is None else time, text),
            time,
            request.strip("\n"),
            origin,
            self.thread.turn,
        )

    def _message(self, payload: dict[str, Any], time: float | None) -> None:
        text = text_of(payload.get("content"))
        if payload.get("role") == "assistant":
            self.add_message(("text", time, text), time, "text", text, self.thread.agent_id)
        elif payload.get("role") == "user" and text.strip():
            self.thread.spoken.append((self.order, time, text, self.thread.turn))

    def _reasoning(self, payload: dict[str, Any], time: float | None) -> None:
        text = text_of(payload.get("summary"), "\n\n")
        self.add_message(("reasoning", time, text), time, "reasoning", text, self.thread.agent_id)

    def _token_count(self, payload: dict[str, Any], time: float | None) -> None:
        """Totals are cumulative and repeated; the last response's own share is counted when the
        total is a new one. Some programs write the totals alone.
        """
        total = _total(payload)
        last = get_dict(payload, "info", "last_token_usage")
        if total in self.thread.totals or not (last or any(total)):
            return
        last = last or _added_tokens(self.thread.total, total)
        self.thread.totals.add(total)
        self.thread.total = total
        key = f"{self.thread.id}/{time}/{total[-1]}"
        if self.thread.turn:
            key = "-".join([self.thread.turn, *map(str, total)])
        self.add_usage(self._usage(key, last, time))

    def _usage(self, key: str, last: dict[str, Any], time: float | None) -> Usage:
        cached = get_int(last, "cached_input_tokens")
        return Usage(
            message_id=key,
            at=time,
            turn=0,
            model=self.thread.model,
            input=max(0, get_int(last, "input_tokens") - cached),
            output=get_int(last, "output_tokens"),
            cache_read=cached,
            reasoning=get_int(last, "reasoning_output_tokens"),
            agent_id=self.thread.agent_id,
            tiers=(self.thread.tier,) if self.thread.tier else (),
        )

    def _read_compaction(self, payload: dict[str, Any], time: float | None) -> None:
        """What a compaction itself used is in no total: a record of its own has it."""
        self.add_event("compaction", time)
        self.compactions.add(get_str(payload, "compaction_response_id"))

    def _add_compactions(self) -> None:
        for number in self.compactions & self.responses.keys() - {""}:
            self.order, used = self.responses[number]
            self.add_usage(used)

    def _note_response(self, payload: dict[str, Any], time: float | None) -> None:
        number = get_str(payload, "response_id")
        used = get_dict(payload, "usage")
        self.responses[number] = self.order, self._usage(f"{number}/compaction", used, time)

    # --- calls ------------------------------------------------------------------------------------

    def _of(self, payload: dict[str, Any], time: float | None) -> CodexCall:
        """The call that a record is about; made here when its own record is missing or comes
        later.
        """
        return self._known(
            self.call_ids.current(self._id(payload, time), self.thread.agent_id), time
        )

    def _id(self, payload: dict[str, Any], time: float | None) -> str:
        call_id = (
            get_str(payload, "call_id") or get_str(payload, "event_id") or get_str(payload, "id")
        )
        return call_id or f"{self.thread.id}/{payload.get('type')}/{time}"

    def _known(self, call_id: str, time: float | None) -> CodexCall:
        if call_id not in self.started:
            thread = self.thread
            self.started[call_id] = CodexCall(
                call_id, "", None, time, self.order, thread.agent_id, thread.model, cwd=thread.cwd
            )
        return self.started[call_id]

    def _call(self, payload: dict[str, Any], kind: str, time: float | None) -> None:
        name = _tool_of(payload) or kind
        arguments = arguments_of(payload)
        said = CallText(name, arguments, self.thread.agent_id)
        key = self.call_ids.called(self._id(payload, time), said, time, self.order)
        call = self._known(key, time)
        if call.name:
            return
        call.name = name
        call.arguments = arguments
        call.at = time
        call.model = self.thread.model
        call.cwd = self.thread.cwd
        call.cwd = resolve(call.cwd, get_str(call.arguments, "workdir")) or call.cwd
        if call.script:
            self.script = call

    def _output(self, payload: dict[str, Any], time: float | None) -> None:
        call_id = self._id(payload, time)
        call = self._known(self.call_ids.answered(call_id, self.order, self.thread.agent_id), time)
        if call.output is not None:
            return
        call.take_output(payload.get("output"), time)
        cell = RUNNING_SCRIPT.match(call.output or "")
        if cell and call.name == "exec":
            self.cells[f"{self.thread.id}/{cell[1]}"] = call
        elif call.name == "wait" and not cell:
            script = self.cells.pop(f"{self.thread.id}/{get(call.arguments, 'cell_id')}", None)
            if script is not None:
                script.output = call.output
                script.done_at = time

    def _command_end(self, payload: dict[str, Any], time: float | None) -> None:
        call = self._of(payload, time)
        call.exit_code = get_int(payload, "exit_code")
        call.printed = get_str(payload, "aggregated_output") or get_str(payload, "stdout")
        call.done_at = time
        call.cwd = get_str(payload, "cwd") or call.cwd

    def _patch_end(self, payload: dict[str, Any], time: float | None) -> None:
        is_started = self.call_ids.current(get_str(payload, "call_id")) in self.started
        call = self._of(payload, time)
        call.changes = call.changes or get_dict(payload, "changes")
        call.success = payload.get("success") is True
        call.printed = get_str(payload, "stdout") if call.success else get_str(payload, "stderr")
        call.done_at = time
        if not is_started and self.script is not None and self.script.output is None:
            self.script.inner.append(call)
            call.within = self.script

    def _spawn_end(self, payload: dict[str, Any], time: float | None) -> None:
        call = self._of(payload, time)
        call.spawned = (
            get_str(payload, "new_thread_id") or get_str(payload, "agent_thread_id") or call.spawned
        )
        call.role = get_str(payload, "new_agent_role") or call.role

    # --- the whole session ------------------------------------------------------------------------

    def session(self) -> Session:
        for thread in self.threads.values():
            self.thread = thread
            for order, time, text, turn in [] if thread.typed else thread.spoken:
                self.order = order
                thread.turn = turn
                if text.lstrip().startswith(CODEX_INJECTED):
                    self.add_event("injected", time, text.strip()[:80])
                else:
                    self._prompt(text, time, "prompt")
        self._add_compactions()
        self._name_models()
        self.truncated_start = not self.begins and bool(self.times)
        if self.truncated_start:
            self.problem("beginning_missing", "there is no record of the session itself")
        return super().session()

    def _name_models(self) -> None:
        """Tokens that were counted before a rollout names its model are of the only one it has."""
        models = {used.model for _, used in self.usage.values()} - {""}
        models |= {thread.model for thread in self.threads.values()} - {""}
        for key, (order, used) in self.usage.items():
            if not used.model and len(models) == 1:
                self.usage[key] = order, replace(used, model=min(models))

    def completed_calls(self) -> Iterator[tuple[int, ToolCall]]:
        for call in self.started.values():
            if call.name or call.changes is not None:
                for part in finished(call, self.problem):
                    yield call.order, part


def _in_envelopes(blob: bytes) -> bytes:
    """Bare records as those of today. The first alone has a time; what the model is told at
    first names the directory.
    """
    if not _is_bare(first_value(blob)):
        return blob
    text = decode(blob)
    directory = _DIRECTORY.search(text)
    lines: list[str] = []
    for number, line in enumerate(text.lstrip("\ufeff").split("\n")):
        item: object = parse_json(line)
        if isinstance(item, dict) and _is_bare(item):
            meta = {**item, "cwd": directory[1].replace("\\\\", "\\") if directory else ""}
            item = {
                "timestamp": get_str(item, "timestamp"),
                "type": "session_meta",
                "payload": meta,
            }
        elif isinstance(item, dict):
            item = (
                {"type": "response_item", "line": number, "payload": item}
                if "type" in item
                else None
            )
            line = "" if item is None else line
        # what cannot be read is counted later
        lines.append(to_json(item, len(text) * 6) if isinstance(item, dict) else line)
    return "\n".join(lines).encode("utf-8", "replace")


def _rollout(document: object) -> list[dict[str, Any]]:
    """The records of a session that was kept as a chat, in order of time."""
    meta = session_meta(document)
    rows = [{"timestamp": get_str(meta, "timestamp"), "type": "session_meta", "payload": meta}]
    for name, kind in (("turn_contexts", "turn_context"), ("token_counts", "event_msg")):
        parts = objects(get(document, "meta", name))
        rows += (
            {"timestamp": get_str(part, "_timestamp"), "type": kind, "payload": part}
            for part in parts
        )
    for message in chat_messages(document):
        rows += (
            {"timestamp": message.timestamp, "type": "response_item", "payload": item}
            for item in _items(message)
        )
    return sorted(rows, key=lambda row: str(row["timestamp"]))


def _items(message: ChatMessage) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        output = {"output": message.text, "metadata": message.record.get("metadata")}
        yield {"type": "function_call_output", "call_id": message.answers, "output": output}
    elif message.text:
        yield {
            "type": "message",
            "role": message.role,
            "content": [{"type": "text", "text": message.text}],
        }
    for call in message.calls:
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments,
        }


def _parent(meta: dict[str, Any]) -> str:
    """The thread that started one, by what the one says of itself."""
    return get_str(meta, "parent_thread_id") or get_str(
        meta, "source", "subagent", "thread_spawn", "parent_thread_id"
    )


_TOTALS = (
    "input_tokens",
    "cached_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "total_tokens",
)


def _turn_of(payload: dict[str, Any]) -> str:
    """The id of a turn that no other has by chance; earlier versions counted turns."""
    turn = get_str(payload, "turn_id")
    return turn if RANDOM_ID.fullmatch(turn) else ""


def _total(payload: dict[str, Any]) -> tuple[int, ...]:
    total = get_dict(payload, "info", "total_token_usage")
    return tuple(get_int(total, key) for key in _TOTALS)


def _added_tokens(before: tuple[int, ...], total: tuple[int, ...]) -> dict[str, int]:
    """What came between two totals; a total that is smaller than the one before began again."""
    goes_on = bool(before) and total[-1] >= before[-1]
    base = before if goes_on else (0,) * len(total)
    return {
        key: max(0, after - earlier)
        for key, after, earlier in zip(_TOTALS, total, base, strict=True)
    }


RUNNING_SCRIPT = re.compile(r"^Script running with cell ID (\S+)")
_SHELLS = frozenset(
    {"exec_command", "shell", "shell_command", "local_shell_call", "container.exec", "unified_exec"}
)
_SPAWNS = frozenset({"spawn_agent", "spawn_agents"})
_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,10})\b", re.M)
_REJECTED = ("rejected by user", "rejected by the user", "user rejected")
_STOPPED = re.compile(r"Wall time: [\d.]+ seconds\naborted by user")  # while it ran
# then the files, as `A path`, `D path`, `M path` or `M path -> path`
_PARTLY = "Patch failed after applying these changes:\n"
_APPLIED = re.compile(r"[AMD] (.+?)(?: -> .+)?")
_FAILED = (
    "Script failed",
    "aborted",
    "failed",
    "execution error",
    "apply_patch verification failed",
)


@dataclass(slots=True)
class CodexCall(Call):
    """A call, and what its output and the events about it say."""

    output: str | None = None
    success: bool | None = None
    exit_code: int | None = None
    printed: str | None = None  # what the command wrote
    done_at: float | None = None
    changes: dict[str, Any] | None = None  # path -> change, as applied
    spawned: str = ""
    role: str = ""
    inner: list[CodexCall] = field(default_factory=list)  # patches that a script applied
    within: CodexCall | None = None  # the script that applied this patch

    @property
    def is_shell(self) -> bool:
        return self.name in _SHELLS or is_shell_of_server(self.name, self.arguments)

    @property
    def script(self) -> str:
        """The text of a JavaScript program, or ""."""
        return self.arguments if self.name == "exec" and isinstance(self.arguments, str) else ""

    @property
    def body(self) -> str:
        """What a command printed, without the lines that the harness puts before it."""
        if self.printed is not None:
            return self.printed
        head, mark, body = (self.output or "").partition("\nOutput:\n")
        return body if mark and len(head) < 4000 else self.output or ""

    def take_output(self, output: object, time: float | None) -> None:
        """The result as the model got it: text, blocks, an object, or an object as JSON text.

        What an event said before is more exact and stays.
        """
        if isinstance(output, str) and output.startswith('{"output"'):
            output = parse_json(output) or output
        text = _join(output) or get_str(output, "output") or text_of(get(output, "content"))
        head = text.partition("\nOutput:\n")[0]  # what was printed may speak of other processes
        code = get(output, "metadata", "exit_code")
        success = get(output, "success")
        printed = _EXIT.search(head, 0, 4000)
        if not isinstance(code, int) and printed:
            code = int(printed[1])
        self.output = text
        self.done_at = self.done_at or time
        if self.exit_code is None and isinstance(code, int):
            self.exit_code = code
        if self.success is None and isinstance(success, bool):
            self.success = success


def _tool_of(payload: dict[str, Any]) -> str:
    """The name of a tool; one of a server stands behind the server's, as `mcp__shelf__write`."""
    name = get_str(payload, "name")
    server = get_str(payload, "namespace").rstrip("_")
    return f"{server}__{name}" if server and not name.startswith(server) else name


def arguments_of(payload: dict[str, Any]) -> object:
    """Arguments as an object where they are JSON text, else as they are; a custom tool takes
    plain text.
    """
    if payload.get("type") == "custom_tool_call":
        return get_str(payload, "input")
    if payload.get("type") in ("local_shell_call", "web_search_call"):
        return get_dict(payload, "action")
    return parse_json(payload.get("arguments")) or payload.get("arguments")


def _join(blocks: object) -> str:
    """Blocks of a result one below the other; the head of a script's result ends with its own
    newline.
    """
    joined = ""
    for block in blocks if isinstance(blocks, list) else []:
        joined += "\n" if joined and not joined.endswith("\n") else ""
        joined += get_str(block, "text")
    return joined or text_of(blocks)


# --- the finished call ----------------------------------------------------------------------------


def finished(call: CodexCall, problem: Callable[[str, str], None]) -> Iterator[ToolCall]:
    """The call; commands and patches of a script follow it as calls of their own. `problem`
    takes a code and a detail.
    """
    status, error = _outcome(call)
    command = _command(call)
    parts = list(_script_parts(call, status))
    if len(parts) == 1 and parts[0].command and not parts[0].edits:
        command = shell_command(parts[0].command.text, parts[0].command.cwd, call.body)
        parts = []
    edits = _edits(call, problem)
    if status is Status.ERROR:
        applied, edits = _split_at_failure(call, edits)
        parts += (
            [_part(call, len(parts) + 1, "apply_patch", Status.OK, edits=tuple(applied))]
            if applied
            else []
        )
    yield ToolCall(
        call_id=call.id,
        name=call.name or "apply_patch",
        turn=0,
        at=call.at,
        done_at=call.done_at,
        status=status,
        error=error,
        agent_id=call.agent_id,
        model=call.model,
        input=(
            call.arguments[:20_000] if isinstance(call.arguments, str) else to_json(call.arguments)
        ),
        edits=tuple(edits),
        command=command,
        seen=_sight(command, call) if command and status is Status.OK else None,
        spawn=_spawn(call) if call.name in _SPAWNS else None,
        commits=(
            commits_in(command, command.output)
            if command
            else commits_of_tool(call.name, call.output or "")
        ),
        result_size=len(call.output) if call.output is not None else None,
        searches=int(call.name == "web_search_call" and get(call.arguments, "type") == "search"),
    )
    yield from parts


def _outcome(call: CodexCall) -> Outcome:
    text = call.output or call.printed or ""
    error = text[:ERROR_CHARS]
    if call.success is not None:
        return (
            (Status.OK, "")
            if call.success
            else (Status.ERROR, (call.printed or text)[:ERROR_CHARS])
        )
    if call.output is None and call.exit_code is None:
        return Status.UNKNOWN, ""
    if any(mark in error for mark in _REJECTED):
        return Status.REJECTED, error
    if _STOPPED.match(text) or (call.name == "exec" and RUNNING_SCRIPT.match(text)):
        return Status.UNKNOWN, ""
    refused = text.startswith(_FAILED) or (
        call.name == "apply_patch" and "Success. Updated" not in error
    )
    has_failed = call.exit_code != 0 if call.exit_code is not None else refused
    return (Status.ERROR, call.body[:ERROR_CHARS]) if has_failed else (Status.OK, "")


def _spawn(call: CodexCall) -> Spawn:
    agent_id = call.spawned or get_str(parse_json(call.output), "agent_id")
    return Spawn(
        agent_id,
        call.role or get_str(call.arguments, "agent_type"),
        visible=False,
        asynchronous=True,
    )


# --- commands -------------------------------------------------------------------------------------


def _command(call: CodexCall) -> Command | None:
    if not call.is_shell:
        return None
    cwd = normal_path(get_str(call.arguments, "working_directory")) or call.cwd
    running = (
        call.exit_code is None
        and "Process running with session ID" in (call.output or "")[:ERROR_CHARS]
    )
    return shell_command(_shell_text(call.arguments), cwd, call.body, background=running)


def _shell_text(arguments: object) -> str:
    """The command: text, or a list of words, often `["bash", "-lc", text]` or
    `["pwsh.exe", "-NoProfile", "-Command", text]`.
    """
    command = get(arguments, "cmd") or get(arguments, "command")
    if isinstance(command, str):
        return command
    words = [word for word in command if isinstance(word, str)] if isinstance(command, list) else []
    if re.fullmatch(
        r"(?:.*[\\/])?\w*sh(?:ell)?(?:\.exe)?(?: -\w+)* -(?:lc|c|Command)", " ".join(words[:-1])
    ):
        return words[-1]
    return shlex.join(words)


def _script_parts(script: CodexCall, status: Status) -> Iterator[ToolCall]:
    """Commands and patches of a script as calls of their own; patches that have an event of
    their own are those events.
    """
    number = 0
    applied = [{resolve(call.cwd, path) for path in call.changes or {}} for call in script.inner]
    for text, cwd in commands_in_script(script.script):
        number += 1
        yield _part(
            script,
            number,
            "exec_command",
            status,
            command=shell_command(text, resolve(script.cwd, cwd or script.cwd)),
        )
    for patch in patches_in_script(script.script):
        edits = tuple(parse_patch(patch, script.cwd))
        number += 1
        if {edit.path for edit in edits} not in applied:
            unsure = Status.UNKNOWN if applied and status is Status.OK else status
            yield _part(script, number, "apply_patch", unsure, edits=edits)


def _part(script: CodexCall, number: int, name: str, status: Status, **recorded: Any) -> ToolCall:
    return ToolCall(
        call_id=f"{script.id}#{number}",
        name=name,
        turn=0,
        at=script.at,
        done_at=script.done_at,
        status=status,
        error=(script.output or "")[:ERROR_CHARS] if status is Status.ERROR else "",
        agent_id=script.agent_id,
        model=script.model,
        **recorded,
    )


# A script that runs one command and shows its output, nothing else
_ONLY_SHOWS = re.compile(
    r"\s*(?:const|let|var)\s+(\w+)\s*=\s*await\s+tools\.exec_command\([^;]*\);?\s*text\(\1\.output\);?\s*$"
)
# Marks in the place of what was cut out; versions of 2025 wrote brackets
_TRUNCATED = re.compile(
    r"…\d+ \w+ truncated…|\[\.{3} (?:omitted \d+ of \d+ lines|output truncated to fit \d+ bytes)"
    r" \.{3}\]"
)
_CUT = re.compile(r"Total output lines:|truncated output")
_READ = re.compile(
    r"^\s*(?:cat|sed -n '?(\d{1,9}),(\d{1,9})p'?) (?:--\s+)?('[^']+'|[^\s'\"$*?~`;|&<>(){}\\]+)\s*$"
)


def _sight(command: Command, call: CodexCall) -> FileObservation | None:
    """The text of a file that a plain `cat` or `sed -n 'a,bp'` printed."""
    match = _READ.match(command.text)
    text = call.body
    cut = _TRUNCATED.search(text) or _CUT.search((call.output or "")[:ERROR_CHARS])
    if not match or not text or cut or (call.name == "exec" and not _ONLY_SHOWS.match(call.script)):
        return None
    start = int(match[1] or 1)
    stop = int(match[2] or 0)
    # blank lines at the end are not recorded
    whole = start == 1 and (not match[2] or text.rstrip("\n").count("\n") + 3 < stop)
    return FileObservation(
        resolve(command.cwd, match[3].strip("'")),
        call.done_at or call.at,
        max(start, 1),
        text,
        whole,
    )


# --- edits ----------------------------------------------------------------------------------------


def _edits(call: CodexCall, problem: Callable[[str, str], None]) -> list[Edit]:
    """The changes as applied; where no event recorded them, the patch as it was passed."""
    patches = _patch_edits(call)
    if call.changes is None:
        return patches
    edits = []
    for path, change in call.changes.items():
        flat = _flat(change)
        edit = _changes(resolve(call.cwd, path), flat, call.cwd)
        stated = [entry for entry in patches if entry.path == edit.path]
        unreadable = (
            edit.op in ("edit", "move") and not edit.hunks and get_str(flat, "unified_diff")
        )
        if unreadable:
            problem("unreadable_diff", call.id)
        # Of a file that a patch names more than once, the event keeps the last change alone; a
        # whole text needs no other.
        edits.extend(
            stated
            if (len(stated) > 1 and edit.content is None) or (unreadable and stated)
            else [edit]
        )
    return edits


def _split_at_failure(call: CodexCall, edits: list[Edit]) -> tuple[list[Edit], list[Edit]]:
    """Of a patch that failed, the changes that were made before, which stay (the output lists
    them), and the others.
    """
    told = next((text for text in (call.printed, call.output) if text and _PARTLY in text), "")
    listed = map(_APPLIED.fullmatch, told.partition(_PARTLY)[2].split("\n"))
    waiting = [resolve(call.cwd, match[1]) for match in takewhile(bool, listed) if match]
    applied = []
    remainder = []
    # the event of such a patch has all changes, in no order
    for edit in _patch_edits(call) or edits if waiting else edits:
        if waiting and edit.path == waiting[0]:
            applied.append(edit)
            waiting.pop(0)
        else:
            remainder.append(edit)
    return applied, remainder


def _patch_edits(call: CodexCall) -> list[Edit]:
    """The changes of the patch as it was passed; [] where its text is not known."""
    if call.within is not None:
        return _script_calls(call, call.within)
    if call.is_shell:
        return edits_of_command(_shell_text(call.arguments), call.cwd)
    if call.name == "apply_patch" or BEGIN in get_str(call.arguments, "input"):
        return edits_from_patch(call.arguments, call.cwd)
    if "__" in call.name:
        return edits_of_unknown_tool(call.name, call.arguments, call.cwd)
    return []


def _script_calls(call: CodexCall, script: CodexCall) -> list[Edit]:
    """The patch of the script that names the files of the event; [] where several do."""
    paths = {resolve(call.cwd, path) for path in call.changes or {}}
    passed = [[*parse_patch(patch, script.cwd)] for patch in patches_in_script(script.script)]
    results = [edits for edits in passed if {edit.path for edit in edits} == paths]
    return results[0] if len(results) == 1 else []


def _flat(change: object) -> dict[str, Any]:
    """Older versions nest a change under its kind: `{"update": {…}}`."""
    if not isinstance(change, dict):
        return {}
    for kind in ("add", "update", "delete"):
        if "type" not in change and isinstance(change.get(kind), dict):
            return {"type": kind, **change[kind]}
    return change


def _changes(path: str, change: dict[str, Any], cwd: str) -> Edit:
    content = change.get("content")
    text = content if isinstance(content, str) else None
    if change.get("type") == "add":
        return Edit(path, "write", content=text, after=text)
    if change.get("type") == "delete":
        return Edit(path, "delete", before=text, before_known=text is not None)
    new_path = resolve(cwd, get_str(change, "move_path"))
    return Edit(
        path,
        "move" if new_path else "edit",
        hunks=parse_unified(get_str(change, "unified_diff")),
        new_path=new_path,
    )


# --- sessions on this machine ---------------------------------------------------------------------

# The name tells nothing of the directory: the first record does. A subagent is a rollout of its
# own, read with the session that started it.
_PACKED = ".zst"
# bytes of a first record: its directory stands before the instructions, mostly
_SHORT = 8_000
_LONG = 4_000_000
_CWD = re.compile(rb'"cwd":\s*"((?:[^"\\]|\\.){1,4000})"')
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ROLLOUTS = tuple(f"{days}*.jsonl{packed}" for days in ("", "*/*/*/") for packed in ("", _PACKED))


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    children: dict[str, list[str]] = defaultdict(list)  # thread -> threads that it started
    # thread -> its files, its directory, the thread that started it
    rollouts: dict[str, tuple[list[Path], str, str]] = {}
    for path in (path for pattern in _ROLLOUTS for path in files.match_files(location, pattern)):
        if path.suffix == _PACKED and path.with_suffix("").exists():
            continue  # where a rollout is there twice, the plain one counts
        thread, cwd, parent = _identity(path, roots)
        # goes on in another file after the user went back to an earlier prompt
        if cwd and thread in rollouts:
            rollouts[thread][0].append(path)
        elif cwd:
            rollouts[thread] = [path], cwd, parent
            children[parent].append(thread)
    for thread, (_, cwd, parent) in rollouts.items():
        if parent not in rollouts:
            used = tuple(
                path
                for entry in _thread_tree(thread, children)
                for path in sorted(rollouts[entry][0])
            )
            yield LocalSession(thread, used, f"started in {cwd}", cwd=cwd)


def _thread_tree(thread: str, children: dict[str, list[str]]) -> Iterator[str]:
    """A thread, its subagents, and theirs."""
    yield thread
    for child in children.pop(thread, ()):
        yield from _thread_tree(child, children)


def _load(session: LocalSession) -> Iterator[bytes]:
    for path in session.files:
        yield (
            files.whole_lines(_content(path, files.LARGEST))
            if path.suffix == _PACKED
            else files.lines(path)
        )


def _identity(path: Path, roots: Roots) -> tuple[str, str, str]:
    """Id, directory and parent of a thread; "" for the session of another repository, of which
    no more is read than tells that.
    """
    cwd = files.text_in(_beginning(path, _SHORT), _CWD) or files.text_in(
        _beginning(path, _LONG), _CWD
    )
    if not roots.of(cwd):
        return "", "", ""
    first = first_value(_beginning(path, files.HEAD)) or first_value(_beginning(path, _LONG))
    meta = get_dict(first, "payload")
    named_so = _ID.findall(path.name) or [path.name.split(".", 1)[0]]
    return get_str(meta, "id") or named_so[0], cwd, _parent(meta)


def _beginning(path: Path, size: int) -> bytes:
    return (
        files.attempt(path, lambda: _content(path, size))
        if path.suffix == _PACKED
        else files.head(path, size)
    )


def _content(path: Path, size: int) -> bytes:
    return decompressed(files.content(path) if size > _LONG else files.head(path, size), size)


def _named_in(path: str, data: bytes) -> list[str]:
    """The session whose first record, or chat, a file under another name has."""
    head = first_value(data)
    meta = get_dict(head, "payload") if get(head, "type") == "session_meta" else session_meta(head)
    return [get_str(meta, "id")] if get_str(meta, "id") else []


_ROLLOUT_ID = r"-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_[0-9a-f-]{36})?\.jsonl$"
COMMITTED = (
    Committed(
        ("**/.codex/*sessions/**/rollout-*.jsonl",),
        session_in_path(_ROLLOUT_ID),
        found_by=(
            "session_meta extension:jsonl path:.codex/sessions",
            "filename:history.jsonl path:.codex",
        ),
    ),
    Committed(("**/*session*.jsonl",), _named_in, own=True),
    Committed(
        ("**/*trajectory*.json",),
        _named_in,
        found_by=("codex_cli_rs filename:trajectory.json",),
        own=True,
    ),
)
STORES = (
    Store(
        NAME,
        at=("${CODEX_HOME:-~/.codex}/{sessions,archived_sessions}",),
        patterns=_ROLLOUTS,
        find=_find,
        load=_load,
    ),
)
