"""Codex: a rollout, JSONL of `{timestamp, type, payload}`.

The best source of an edit is the event `patch_apply_end`: a unified diff or the text of each file. Where a version writes none,
the patch itself counts together with the output of its call. What becomes of a call is in `codex_calls`.
A forked thread begins with a copy of its parent's history, stamped with the time of the fork: that copy is not read.
Compaction repeats old items inside one record, which is not read either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from collector.agents import FACETS
from collector.agents.codex_calls import RUNNING_SCRIPT, CodexCall, arguments_of, finished
from collector.agents.common.jsonl import copies, first_value
from collector.agents.common.messages import text_of
from collector.agents.common.prompts import CODEX_INJECTED
from collector.agents.common.reader import RecordReader
from collector.json_values import get, get_dict, get_int, get_str, time_of
from collector.model import Session, ToolCall, Usage
from collector.text import resolve

NAME = "codex"
GIVES = frozenset(FACETS) - {"before", "subagents"}
ORDER = 30

_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"})
_RECORDS = frozenset({"world_state", "inter_agent_communication_metadata", "compacted", "response_item", "event_msg"})
_REQUEST = re.compile(r"^## My request for Codex:?[ \t]*\n", re.M)
_PLAN = ("PLEASE IMPLEMENT THIS PLAN", "Implement the plan.")
_TIMED_ID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-")
_REPLAY_SECONDS = 5.0


def sniff(head: object) -> bool:
    if not isinstance(head, dict):
        return False
    return head.get("type") == "session_meta" or (isinstance(head.get("payload"), dict) and isinstance(head.get("type"), str))


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    """All copies of one session. A child thread stored under its parent's id becomes a subagent of that session."""
    return _Reader(NAME, session_id).read_lines(copies(blobs))


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


class _Reader(RecordReader):
    def __init__(self, agent: str, session_id: str) -> None:
        super().__init__(agent, session_id)
        self.started: dict[str, CodexCall] = {}
        self.threads: dict[str, _Thread] = {}
        self.thread = self._thread(session_id)
        self.cells: dict[str, CodexCall] = {}  # scripts that run in the background
        self.script: CodexCall | None = None  # the last script started, which may apply patches
        self.handlers: dict[object, Callable[[dict[str, Any], float | None], None]] = {
            "user_message": self._user_message,
            "token_count": self._token_count,
            "exec_command_end": self._command_end,
            "patch_apply_end": self._patch_end,
            "turn_aborted": lambda p, at: self.add_event("interrupt", at, get_str(p, "reason")),
            "task_started": self._turn_started,
            "turn_started": self._turn_started,
            "error": lambda p, at: self.add_event("api_error", at, get_str(p, "message")),
            "thread_rolled_back": lambda p, at: self.add_event("rolled_back", at, str(get_int(p, "num_turns"))),
            "collab_agent_spawn_end": self._spawn_end,
            "sub_agent_activity": self._spawn_end,
            "message": self._message,
            "reasoning": self._reasoning,
        }

    # --- records --------------------------------------------------------------------------------------------------

    def begin_copy(self, blob: bytes) -> bytes:
        first = first_value(blob)
        if get(first, "type") == "session_meta":
            self.thread = self._enter(get_dict(first, "payload"))
        return blob

    def _thread(self, thread_id: str) -> _Thread:
        return self.threads.setdefault(thread_id, _Thread(thread_id))

    def _enter(self, meta: dict[str, Any]) -> _Thread:
        thread = self._thread(get_str(meta, "id") or self.session_id)
        spawned = get(meta, "source", "subagent")
        thread.child = bool(spawned)
        parent = get_str(meta, "parent_thread_id") or get_str(spawned, "thread_spawn", "parent_thread_id")
        if thread.child and parent == self.session_id != thread.id:
            thread.agent_id = thread.id
        elif thread.child and parent:
            self.parent_id = self.parent_id or parent
        thread.cwd = thread.cwd or get_str(meta, "cwd")
        return thread

    def take(self, record: dict[str, Any]) -> None:
        at = time_of(record.get("timestamp"))
        payload = get_dict(record, "payload")
        kind = get_str(record, "type")
        if kind == "session_meta":
            self._meta(payload, at)
        elif self._replayed(payload, at):
            return
        self.begin(at)
        if kind == "turn_context":
            self._context(payload, at)
        elif kind == "compacted":
            self.add_event("compaction", at)
        elif kind in ("response_item", "event_msg"):
            self._item(payload, at)
        elif kind != "session_meta" and kind not in _RECORDS:
            self.unknown_record_type(kind)

    def _meta(self, meta: dict[str, Any], at: float | None) -> None:
        thread_id = get_str(meta, "id")
        if thread_id and thread_id != self.thread.id:  # the head of a copied history
            self.thread.replaying, self.thread.replay_at = True, at
            self.add_event("forked", at, thread_id)
            return
        self.add_cwd(meta.get("cwd"))
        self.add_version(meta.get("cli_version"))
        self.add_branch(get(meta, "git", "branch"))

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
        thread.cwd = self.add_cwd(payload.get("cwd")) or thread.cwd
        model, mode = get_str(payload, "model"), get_str(payload, "collaboration_mode", "mode")
        thread.model = self.switched("model_change", thread.model, model, at)
        thread.mode = self.switched("mode_change", thread.mode, mode, at)

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
        self.add_turn(("user", at, text), at, request.strip("\n"), origin)

    def _message(self, payload: dict[str, Any], at: float | None) -> None:
        text = text_of(payload.get("content"))
        if payload.get("role") == "assistant":
            self.add_message(("text", at, text), at, "text", text, self.thread.agent_id)
        elif payload.get("role") == "user" and text.strip():
            self.thread.spoken.append((self.order, at, text))

    def _reasoning(self, payload: dict[str, Any], at: float | None) -> None:
        text = text_of(payload.get("summary"), "\n\n")
        self.add_message(("reasoning", at, text), at, "reasoning", text, self.thread.agent_id)

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
        self.add_usage(usage)

    # --- calls ----------------------------------------------------------------------------------------------------

    def _of(self, payload: dict[str, Any], at: float | None) -> CodexCall:
        """The call that a record is about; made here when its own record is missing or comes later."""
        call_id = get_str(payload, "call_id") or get_str(payload, "event_id") or get_str(payload, "id")
        call_id = call_id or f"{self.thread.id}/{payload.get('type')}/{at}"
        if call_id not in self.started:
            thread = self.thread
            self.started[call_id] = CodexCall(call_id, "", None, at, self.order, thread.agent_id, thread.model, cwd=thread.cwd)
        return self.started[call_id]

    def _call(self, payload: dict[str, Any], kind: str, at: float | None) -> None:
        call = self._of(payload, at)
        if call.name:
            return
        call.name = get_str(payload, "name") or kind
        call.at, call.model, call.cwd = at, self.thread.model, self.thread.cwd
        call.arguments = arguments_of(payload)
        call.cwd = resolve(call.cwd, get_str(call.arguments, "workdir")) or call.cwd
        if call.script:
            self.script = call

    def _output(self, payload: dict[str, Any], at: float | None) -> None:
        call = self._of(payload, at)
        if call.output is not None:
            return
        call.take_output(payload.get("output"), at)
        cell = RUNNING_SCRIPT.match(call.output or "")
        if cell and call.name == "exec":
            self.cells[f"{self.thread.id}/{cell[1]}"] = call
        elif call.name == "wait" and not cell:
            script = self.cells.pop(f"{self.thread.id}/{get(call.arguments, 'cell_id')}", None)
            if script is not None:
                script.output, script.done_at = call.output, at

    def _command_end(self, payload: dict[str, Any], at: float | None) -> None:
        call = self._of(payload, at)
        call.exit_code = get_int(payload, "exit_code")
        call.printed = get_str(payload, "aggregated_output") or get_str(payload, "stdout")
        call.done_at = at
        call.cwd = get_str(payload, "cwd") or call.cwd

    def _patch_end(self, payload: dict[str, Any], at: float | None) -> None:
        known = get_str(payload, "call_id") in self.started
        call = self._of(payload, at)
        call.changes = call.changes or get_dict(payload, "changes")
        call.success = payload.get("success") is True
        call.printed = get_str(payload, "stdout") if call.success else get_str(payload, "stderr")
        call.done_at = at
        if not known and self.script is not None and self.script.output is None:
            self.script.inner.append(call)
            call.within = self.script

    def _spawn_end(self, payload: dict[str, Any], at: float | None) -> None:
        call = self._of(payload, at)
        call.spawned = get_str(payload, "new_thread_id") or get_str(payload, "agent_thread_id") or call.spawned
        call.role = get_str(payload, "new_agent_role") or call.role

    # --- the whole session ----------------------------------------------------------------------------------------

    def session(self) -> Session:
        for thread in self.threads.values():
            self.thread = thread
            for order, at, text in [] if thread.typed else thread.spoken:
                self.order = order
                if text.lstrip().startswith(CODEX_INJECTED):
                    self.add_event("injected", at, text.strip()[:80])
                else:
                    self._prompt(text, at, "prompt")
        return super().session()

    def completed_calls(self) -> Iterator[tuple[int, ToolCall]]:
        for call in self.started.values():
            if call.name or call.changes is not None:
                for part in finished(call, self.problem):
                    yield call.order, part


def _total(payload: dict[str, Any]) -> tuple[int, ...]:
    total = get_dict(payload, "info", "total_token_usage")
    return tuple(get_int(total, key) for key in ("input_tokens", "cached_input_tokens", "output_tokens", "total_tokens"))
