"""Claude Code: JSONL, one record per content block, results in later `user` records, subagents in
`progress` records.

A stored transcript repeats the session so far, so events are kept once: calls by `tool_use` id,
records by `uuid`, usage by message id. Positions come from `structuredPatch`, text from the call's
own input, because patches show tabs as two spaces. Hooks of many people keep the records as JSON
arrays, or an array of what they were called with; others keep them as a chat (`formats/chat.py`),
which says neither the model nor that a call failed: the text of its result does.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import groupby, islice, takewhile
from pathlib import Path
from typing import Any

from collector.agents.common.call_ids import RANDOM_ID
from collector.agents.common.edits import edits_from_arguments
from collector.agents.common.jsonl import first_value, records, values
from collector.agents.common.messages import (
    PromptKind,
    anthropic_usage,
    beside_total,
    blocks_of,
    classify,
    recorded_cost,
    text_of,
    without_reminders,
)
from collector.agents.common.reader import (
    ERROR_CHARS,
    FACETS,
    Call,
    Outcome,
    RecordReader,
    Result,
    is_error,
)
from collector.agents.formats.chat import chat_messages, lines_of_chats, session_meta
from collector.agents.machine import files
from collector.agents.machine.model import (
    LASTS,
    Committed,
    LocalSession,
    Roots,
    Store,
    Trace,
    left_behind,
    session_in_path,
)
from collector.groups import group_pairs
from collector.json_values import (
    JsonObject,
    Moment,
    Texts,
    first_text,
    get,
    get_dict,
    get_int,
    get_list,
    get_str,
    get_time,
    objects,
    parse_json,
    to_json,
)
from collector.model import (
    Command,
    Edit,
    FileObservation,
    Hunk,
    Session,
    Spawn,
    Status,
    ToolCall,
    Turn,
    Usage,
)
from collector.text import decode, normal_path, timestamp, unique
from collector.vocabulary.agents import Agent
from collector.vocabulary.sessions import Driver

NAME = "claude-code"
AGENT = Agent(
    NAME,
    "Claude Code",
    accounts=r"noreply@anthropic\.com|claude@anthropic\.com|claude\[bot\]|anthropic-code-agent\[bot\]|242468646\+Claude",
    aliases=("claude", "claudecode"),
    common="name",
    exported={"git-ai": "claude"},
    tools={
        "read": "read notebookread",
        "grep": "grep",
        "glob": "glob ls",
        "write": "write",
        "edit": "edit multiedit notebookedit",
        "web": "websearch webfetch",
        "agent": "task agent dispatch_agent taskoutput agentoutputtool taskstop",
        "todo": "todowrite todoread taskcreate taskupdate tasklist taskget",
        "ask": "askuserquestion",
        "plan": "exitplanmode enterplanmode",
        "skill": "skill",
    },
    read_only=(
        *("explore", "plan", "claude-code-guide", "statusline-setup", "general-search"),
        # of the plugins that come with Claude Code; their definitions list only tools that look
        *("feature-dev:code-reviewer", "feature-dev:code-explorer", "feature-dev:code-architect"),
    ),
    state=r"claude",
)
GIVES = frozenset(FACETS)
ORDER = 90  # the most frequent format, and the one with most kinds of first records

_TYPES = frozenset(
    {
        "user",
        "assistant",
        "progress",
        "system",
        "summary",
        "attachment",
        "file-history-snapshot",
        "file-history-delta",
        "queue-operation",
        "pr-link",
        "last-prompt",
        "ai-title",
        "permission-mode",
        "mode",
        "custom-title",
        "agent-name",
        "atis-latch",
        "api-request",
        "api-request-shape",
        "api-request-blob",
        "tools-used",
        "cost-state",
        "worktree-state",
    }
)
_REJECTED = (
    "The user doesn't want to",
    "User rejected",
    "[Request interrupted by user",
    "Request interrupted by user",
)
_PARENT = re.compile(rb'"parentUuid":\s*(null|"[^"]{1,80}")')
_UUID = re.compile(rb'"uuid":\s*"([^"]{1,80})"')
_LEFTOVERS = 3
_HOLE = 120.0  # seconds; a response that the user stopped leaves no record, either
_TIME = re.compile(rb'"timestamp":\s*"([0-9T:.Z+-]{10,40})"')
_TOOL_LOADED = "Tool loaded."
_ENDED = ("completed", "failed", "killed", "stopped")  # states of what ran in the background
_STOPPED = ("Successfully killed", "Successfully stopped")
_NOTICE = re.compile(rf"<status>(?:{'|'.join(_ENDED)})<")
_OF_TASK = re.compile(r"<t(?:ask|ool-use)-id>([^<]+)</t")

_DRIVERS = {
    "cli": Driver.PERSON,
    "claude-desktop": Driver.PERSON,
    "remote": Driver.PERSON,
    "remote_mobile": Driver.PERSON,
    "claude-vscode": Driver.IDE,
    "claude-jetbrains": Driver.IDE,
    "mcp": Driver.PROGRAM,
}
_AFTER_EDIT = re.compile(
    rb'"hookName":"PostToolUse:(?:Edit|Write|MultiEdit|NotebookEdit)","command":"(?!callback")'
)
_HOOKS = {
    "PreToolUse": Status.UNKNOWN,
    "PostToolUse": Status.OK,
    "PostToolUseFailure": Status.ERROR,
}
# `origin.kind` of prompts that no person wrote
_AGENTS = ("peer", "teammate", "agent", "coordinator", "task-notification")
_LEAD = "team-lead"  # the agent of a team that a person talks to
_FIRST = 5  # records of an array
_MOST_SEARCHES = 1000  # of one call
_IDS = ("sessionId", "uuid", "leafUuid", "messageId")  # of a session or a record


def sniff(head: object) -> bool:
    """Qwen Code uses the same envelope around other messages."""
    if isinstance(head, list):
        return any(map(sniff, head[:_FIRST]))
    if get_str(head, "hook_event_name") in _HOOKS:
        return "tool_input" in get_dict(head) and ".claude" in get_str(head, "transcript_path")
    if get_str(session_meta(head), "session_id"):
        return True
    if not isinstance(head, dict) or get_str(head, "type") not in _TYPES or "systemPayload" in head:
        return False
    spoken = (
        head["type"] not in ("user", "assistant") or get(head, "message", "content") is not None
    )
    return spoken and any(isinstance(head.get(name), str) for name in _IDS)


def _to_lines(blob: bytes) -> bytes:
    """Arrays of records as lines. Entries of hooks that lack the id of their call get one, the
    same before and after it.
    """
    entries = [entry for array in values(blob) for entry in objects(array)]
    repeats: Counter[str] = Counter()
    for entry in entries:
        if "hook_event_name" in entry and not get_str(entry, "tool_use_id"):
            session, event, name = (
                get_str(entry, key) for key in ("session_id", "hook_event_name", "tool_name")
            )
            entry["tool_use_id"] = _number_call(
                repeats, event, [session, name, get_dict(entry, "tool_input")]
            )
    return "\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries).encode()


def _number_call(repeats: Counter[str], event: str, call: list[Any]) -> str:
    """An id made of a call's session, tool and arguments, and of how many like it came before."""
    text = json.dumps(call, sort_keys=True)
    repeats[event + text] += 1
    return f"{hashlib.sha256(text.encode()).hexdigest()[:16]}/{repeats[event + text]}"


_FAILED = re.compile(
    r"(?:Error: )?Exit code \d|<tool_use_error>|Error: |The user doesn't want to |\[Request"
    r" interrupted by user"
)


def _records_of(chat: object) -> Iterator[JsonObject]:
    """The records of a session that was kept as a chat."""
    meta = session_meta(chat)
    names = {
        "sessionId": "session_id",
        "cwd": "cwd",
        "version": "version",
        "gitBranch": "git_branch",
    }
    about = {name: meta.get(theirs) for name, theirs in names.items()}
    for said in chat_messages(chat):
        content: list[JsonObject] = [{"type": "text", "text": said.text}] if said.text else []
        content += [
            {
                "type": "tool_use",
                "id": call.id,
                "name": call.name,
                "input": parse_json(call.arguments),
            }
            for call in said.calls
        ]
        if said.role == "tool":
            failed = _FAILED.match(said.text) is not None
            content = [
                {
                    "type": "tool_result",
                    "tool_use_id": said.answers,
                    "content": said.text,
                    "is_error": failed,
                }
            ]
        kind = "assistant" if said.role == "assistant" else "user"
        record = {
            "type": kind,
            "uuid": said.key,
            "timestamp": said.timestamp,
            "message": {"id": said.key, "content": content},
        }
        yield {**about, **record, "isMeta": said.role not in ("user", "tool", "assistant")}


def _written_by(blob: bytes) -> list[str]:
    """Sessions of the records in an array, that of the last one first."""
    records = objects(parse_json(decode(blob)))
    ids = (first_text(entry, "session_id", "sessionId") for entry in reversed(records))
    return [*unique(filter(None, ids))]


def _noise(line: bytes) -> bool:
    """Most progress of hooks and shells, a third of all records, says nothing we use; nor do
    file lists of the undo feature.
    """
    noise = line.startswith(b'{"type":"file-history-snapshot"') or (
        b'"type":"progress"' in line
        and b'"agent_progress"' not in line
        and not _AFTER_EDIT.search(line)
    )
    return noise and b'}{"' not in line  # a lost newline may have glued a record of interest to it


def _tasks_over(text: str) -> list[str]:
    """What notices say to be over: the ids that stand before the state in each."""
    notices = ((notice, [*_NOTICE.finditer(notice)]) for notice in text.split("</task-n"))
    return [
        name
        for notice, states in notices
        if states
        for name in _OF_TASK.findall(notice[: states[-1].start()])
    ]


class _Reader(RecordReader):
    shells = ("Bash", "PowerShell")
    writers = ("Edit", "MultiEdit", "Write", "NotebookEdit", "mcp__acp__Edit", "mcp__acp__Write")
    reads = ("Read",)
    spawns = ("Task", "Agent")
    in_order_of_time = False
    one_by_one = True

    def prepare(self) -> None:
        # subagents, and the calls that started them, whose records are here
        self.agents: set[str] = set()
        # what the session had cost at a moment
        self.cost_states: list[tuple[float, JsonObject]] = []
        # of each copy: when, and whether it continues another record
        self.beginnings: list[tuple[float, bool]] = []
        # all records of the copies, also of those that are not read
        self.uuids: set[bytes] = set()
        # (record that one continues, time of the one before it in the file, its time)
        self.continued: list[tuple[str, float, float]] = []
        # responses whose calls ran when the user stopped the agent
        self.interrupted: set[str] = set()
        # id of a response -> what tells several of that id apart -> key of its tokens
        self.responses: dict[str, Texts] = defaultdict(dict)
        self.copied: set[str] = set()  # responses of sessions that this one continues
        # (event, call) -> entry of a log, the call before
        self.hooked: dict[tuple[str, str], tuple[JsonObject, str]] = {}
        self.after_hooks: set[str] = set()  # calls after which a hook of the user's ran
        # call or task in the background -> when it was over
        self.over: dict[str, Moment] = {}
        # event -> the call before in the copy that is being read
        self.last_hooked: Texts = {}

    def begin_copy(self, blob: bytes) -> bytes:
        """Some versions stored only what came since the last commit: a copy whose first records
        continue others.

        A session that starts after `/clear` begins with one or two leftovers of the one before;
        then comes a record without parent.
        """
        self.last_hooked.clear()
        if blob.startswith(b"["):
            # what cannot be read is reported for the line
            with suppress(ValueError, RecursionError):
                return _to_lines(blob)
        blob = lines_of_chats(blob, _records_of)
        self.uuids.update(_UUID.findall(blob))
        heads = list(islice(_PARENT.finditer(blob), _LEFTOVERS + 1))
        if heads:
            line = blob.rfind(b"\n", 0, heads[0].start()) + 1
            end = blob.find(b"\n", heads[0].end())
            time = _TIME.search(blob, line, end if end >= 0 else len(blob))
            when = timestamp(time[1].decode("ascii")) if time else None
            if when is not None:
                self.beginnings.append((when, all(head[1] != b"null" for head in heads)))
        return blob

    # --- one record -------------------------------------------------------------------------------

    def take(self, record: JsonObject) -> None:
        if "hook_event_name" in record:
            # a call as a hook got it, before or after it was made; logs have no times, and entries
            # of several sessions
            event = get_str(record, "hook_event_name")
            key = get_str(record, "tool_use_id")
            if get_str(record, "session_id") == self.session_id and event in _HOOKS:
                self.hooked.setdefault((event, key), (record, self.last_hooked.get(event, "")))
                self.last_hooked[event] = key
        elif self.is_new(get_str(record, "uuid")):
            if get_str(record, "sessionId") not in ("", self.session_id):
                self.copied.add(get_str(record, "message", "id"))
            self._record(record)

    def _record(self, record: JsonObject) -> None:
        time = timestamp(record.get("timestamp"))
        self._note_parent(get_str(record, "parentUuid"), time)
        self.begin(time)
        self.add_cwd(record.get("cwd"))
        self.add_version(record.get("version"))
        self.add_branch(record.get("gitBranch"))
        self.forked_from = self.forked_from or get_str(record, "forkedFrom", "sessionId")
        kind = get_str(record, "type")
        agent_id = get_str(record, "agentId")
        self.driver = _driver(record) or self.driver
        if agent_id:  # a subagent's own record, of a file of its own
            self.agents.add(agent_id)
        if kind == "assistant":
            self._assistant(record, time, agent_id, get_str(record, "cwd"))
        elif kind == "user":
            self._user(record, time)
        elif kind == "progress":
            self._progress(record, time)
        elif kind == "system":
            self._system(record, time)
        elif kind == "attachment":
            self._attachment(get_dict(record, "attachment"), time)
        elif kind == "pr-link":
            self.add_event("pull_request", time, get_str(record, "prUrl"))
        elif kind == "cost-state":
            self.cost_states.append((max(self.times, default=0.0), record))
        elif kind == "bridge-session":
            self.add_event("bridged", time, get_str(record, "bridgeSessionId"))
        elif kind == "worktree-state":
            self.add_cwd(get(record, "worktreeSession", "originalCwd") if not self.cwds else None)
            self.add_cwd(get(record, "worktreeSession", "worktreePath"))
        elif kind not in _TYPES:
            self.unknown_record_type(kind)

    def _note_parent(self, parent: str, time: Moment) -> None:
        if parent and time is not None and self.times and self.order >= _LEFTOVERS:
            self.continued.append((parent, self.times[-1], time))

    def _add_hooked(self) -> None:
        """Adds the calls that only logs of hooks have: each was made after the last one before
        it that a record has, too.
        """
        repeats: Counter[str] = Counter()
        spoken = [
            call
            for call in self.calls.values()
            if self.hooked and call.message_id not in self.copied
        ]
        recorded = {
            _number_call(repeats, "", [self.session_id, call.name, call.arguments]): call
            for call in spoken
        } | self.calls
        earlier: dict[str, Call] = {}  # the last call that a record has, at each of the log
        logged = {key for event, key in self.hooked if event != "PreToolUse"}
        made = {
            key: get_str(entry, "tool_name")
            for (event, key), (entry, _) in self.hooked.items()
            if event == "PreToolUse"
        }
        unlogged = set(takewhile(lambda key: key not in logged, made))
        # A log of results that was begun anew lacks those of reading, too, which nobody refuses.
        is_cut = not logged or any(made[key] in self.reads for key in unlogged)
        for (event, key), (entry, before) in self.hooked.items():
            call = recorded.get(key)
            if last := call or earlier.get(before):
                earlier.setdefault(key, last)
            if call is None:
                cwd = self.add_cwd(entry.get("cwd"))
                by = get_str(entry, "agent_id")
                self.order, earliest = (last.order, last.at) if last else (0, None)
                name = get_str(entry, "tool_name")
                arguments = get_dict(entry, "tool_input")
                done = (
                    Result(None, "")
                    if is_cut and key in unlogged and name in self.writers
                    else None
                )
                self.call_tool(
                    key,
                    name,
                    arguments,
                    None,
                    done,
                    agent_id=by,
                    message_id=key,
                    cwd=cwd,
                    not_before=earliest,
                )
            if event != "PreToolUse":
                response = entry.get("tool_response")
                printed = get_str(entry, "tool_response", "stdout")
                text = get_str(entry, "error") or printed or text_of(response)
                result = Result(
                    None, text, _HOOKS[event], details=response, printed=printed or None
                )
                self.add_result(call.id if call else key, result)

    def _assistant(self, record: JsonObject, time: Moment, agent_id: str, cwd: str) -> None:
        message = get_dict(record, "message")
        message_id = get_str(message, "id")
        model = get_str(message, "model")
        usage = message.get("usage")
        if isinstance(usage, dict):
            used = anthropic_usage(usage, message_id, time, model, agent_id)
            used = replace(used, message_id=self._response(used, get_str(record, "requestId")))
            for each in (used, *beside_total(usage, used)):
                self.add_usage(each)
        for index, block in enumerate(get_list(message, "content")):
            if get(block, "type") == "tool_use":
                self.take_call(
                    block,
                    "input",
                    f"{message_id}/{self.order}",
                    time,
                    agent_id=agent_id,
                    model=model,
                    message_id=message_id,
                    cwd=cwd,
                )
            else:
                self.add_block((self.order, index), time, block, agent_id)

    def _response(self, used: Usage, request: str) -> str:
        """The key of a response's tokens: its id. Proxies give several responses no id, or the
        same one; their requests differ, or what was read.
        """
        number = used.message_id
        size = used.context
        part = request or ("" if RANDOM_ID.fullmatch(number) or not size else str(size))
        keys = self.responses[number]
        if not part and keys:
            return next(reversed(keys.values()))
        is_first = bool(number) and not keys
        return keys.setdefault(part, number if is_first else f"{number}/{part or self.order}")

    def _user(self, record: JsonObject, time: Moment) -> None:
        if response := get_str(record, "interruptedMessageId"):
            self.interrupted.add(response)
        blocks = blocks_of(get(record, "message", "content"))
        texts = []
        for block in blocks:
            kind = get(block, "type")
            if kind == "tool_result":
                self._result(block, record, time, get_str(record, "agentId"))
            elif kind == "text":
                texts.append(get_str(block, "text"))
        # the prompt of a subagent is not a user's message
        if not texts or record.get("isSidechain") is True:
            return
        results = (
            get_list(block, "content") for block in blocks if get(block, "type") == "tool_result"
        )
        # the other texts are the user's
        if any(get(part, "type") == "tool_reference" for parts in results for part in parts):
            texts = [text for text in texts if text.strip() != _TOOL_LOADED]
        if texts:
            self._user_text("\n".join(texts), record, time)

    def _user_text(self, text: str, record: JsonObject, time: Moment) -> None:
        clean = without_reminders(text)
        self.over.update(dict.fromkeys(_tasks_over(text), time))
        kind = classify(
            clean,
            is_meta=record.get("isMeta") is True or get_str(record, "origin", "kind") in _AGENTS,
            is_summary=record.get("isCompactSummary") is True,
        )
        if kind is PromptKind.INTERRUPT and "for tool use" in clean:
            self.add_event("interrupt_tool", time)
        else:
            self.add_user_text(self.order, time, clean, kind)

    def _result(self, block: JsonObject, record: JsonObject, time: Moment, agent_id: str) -> None:
        """The first result of a call counts; a copy may lack the details that another one has."""
        call_id = self.call_ids.answered(get_str(block, "tool_use_id"), self.order, agent_id)
        details = record.get("toolUseResult")
        task = get_dict(details, "task") or get_dict(details)
        is_over = get_str(task, "status") in _ENDED or get_str(task, "message").startswith(_STOPPED)
        name = first_text(task, "task_id", "shellId", "shell_id")
        if is_over and name:
            self.over[name] = time
        previous = self.results.get(call_id)
        if previous is None or (previous.details is None and details is not None):
            done_at = previous.at or time if previous else time
            self.results[call_id] = Result(
                done_at,
                text_of(block.get("content")),
                is_error(block.get("is_error")),
                details=details,
                printed=get_str(details, "stdout") or None,
                running=bool(get_str(details, "backgroundTaskId")),
            )

    def _progress(self, record: JsonObject, time: Moment) -> None:
        """A subagent's message, wrapped. Its calls are real calls of this session."""
        data = get_dict(record, "data")
        self._keep_run_of_hook(data, get_str(record, "parentToolUseID"))
        wrapped = get_dict(data, "message")
        if (
            data.get("type") != "agent_progress"
            or not wrapped
            or not self.is_new(get_str(wrapped, "uuid"))
        ):
            return
        parent = get_str(record, "parentToolUseID")
        agent_id = get_str(data, "agentId") or parent or "subagent"
        self.agents.update((agent_id, parent))
        time = timestamp(wrapped.get("timestamp")) or time
        if wrapped.get("type") == "assistant":
            self._assistant(wrapped, time, agent_id, get_str(record, "cwd"))
        else:
            for block in get_list(wrapped, "message", "content"):
                if get(block, "type") == "tool_result":
                    self._result(block, wrapped, time, agent_id)

    def _system(self, record: JsonObject, time: Moment) -> None:
        subtype = get_str(record, "subtype")
        if subtype in ("compact_boundary", "microcompact_boundary"):
            detail = to_json(get_dict(record, "compactMetadata"), ERROR_CHARS)
            self.add_event(
                "compaction" if subtype == "compact_boundary" else "microcompaction", time, detail
            )
        elif subtype == "api_error":
            self.add_event("api_error", time)

    def _keep_run_of_hook(self, entry: JsonObject, call_id: str) -> None:
        """A hook that ran after a call; those called `callback` are the agent's own."""
        if get_str(entry, "hookEvent") == "PostToolUse" and get_str(entry, "command") != "callback":
            self.after_hooks.add(self.call_ids.current(call_id))

    def _attachment(self, attachment: JsonObject, time: Moment) -> None:
        kind = attachment.get("type")
        self._keep_run_of_hook(attachment, get_str(attachment, "toolUseID"))
        if kind == "queued_command":
            clean = without_reminders(text_of(attachment.get("prompt")))
            self.over.update(dict.fromkeys(_tasks_over(clean), time))
            typed = (
                attachment.get("commandMode", "prompt") == "prompt"
                and get_str(attachment, "origin", "kind") not in _AGENTS
                and classify(clean) is PromptKind.PROMPT
            )
            if typed and clean.strip():
                self.add_turn(self.order, time, clean, "queued")
            else:
                self.add_event("injected", time, clean[:80])
        elif kind == "edited_text_file":
            path = normal_path(get_str(attachment, "filename"))
            for start, text in _numbered_parts(get_str(attachment, "snippet")):
                self.add_observation(
                    FileObservation(path, time, start, text, whole=False, outside_edit=True)
                )
        # named with @ in a prompt
        elif kind == "file" and (shown := _shown_file(get_dict(attachment, "content"), "", time)):
            self.add_observation(shown)
        # rules; where what is on disk differs from what is shown, `rawContent` is that
        elif kind == "nested_memory":
            memory = get_dict(attachment, "content")
            path = normal_path(get_str(memory, "path"))
            text = first_text(memory, "rawContent", "content")
            self.add_observation(
                FileObservation(path, time, 1, text, whole="contentDiffersFromDisk" in memory)
            )

    # --- the whole session ------------------------------------------------------------------------

    def session(self) -> Session:
        self.truncated_start = min(self.beginnings, default=(0.0, False))[1]
        if self.truncated_start:
            self.problem("beginning_missing", "the first record continues another")
        holes = [
            (before, time)
            for parent, before, time in self.continued
            if parent.encode("utf-8", "replace") not in self.uuids and time - before >= _HOLE
        ]
        if holes:
            self.problem("records_missing", f"{len(holes)} times, one record continues another")
        self._add_hooked()
        self._add_costs()
        session = super().session()
        return replace(session, holes=(*session.holes, *holes))

    def _add_costs(self) -> None:
        """The cost on record is one sum for all responses so far, which is divided by their
        tokens; later ones have none yet.
        """
        at, state = max(
            self.cost_states,
            key=lambda entry: recorded_cost(entry[1].get("totalCostUSD")) or 0.0,
            default=(0.0, {}),
        )
        total = recorded_cost(state.get("totalCostUSD"))
        weights = {
            key: _weight(used) for key, (_, used) in self.usage.items() if (used.at or 0.0) <= at
        }
        if (
            total is None
            or state.get("hasUnknownModelCost") is True
            or not (whole := sum(weights.values()))
        ):
            return
        for key, weight in weights.items():
            order, used = self.usage[key]
            self.usage[key] = (order, replace(used, cost=total * weight / whole))

    def ordered_turns(self) -> list[tuple[int, Turn]]:
        """A prompt typed while the agent works is recorded at once and, often, a second time
        when it is delivered.
        """
        turns = []
        queued = ""
        for order, turn in super().ordered_turns():
            if turn.origin == "prompt" and turn.text == queued:
                queued = ""
                continue
            queued = turn.text if turn.origin == "queued" else ""
            turns.append((order, turn))
        return turns

    def outcome(self, call: Call, result: Result) -> Outcome:
        detail = result.details.removeprefix("Error: ") if isinstance(result.details, str) else ""
        rejected = result.text.startswith(_REJECTED) or detail.startswith(_REJECTED)
        # says that nothing was done also of a command that ran when it was stopped
        if rejected and result.status is Status.ERROR:
            return (
                Status.UNKNOWN if call.message_id in self.interrupted else Status.REJECTED
            ), result.text[:ERROR_CHARS]
        return super().outcome(call, result)

    def completed(self, call: Call, result: Result) -> ToolCall:
        details = result.details if call.name == "WebSearch" else {}
        each = [answer for answer in get_list(details, "results") if get_str(answer, "tool_use_id")]
        searches = min(max(get_int(details, "searchCount") or len(each), 0), _MOST_SEARCHES)
        task = first_text(result.details, "backgroundTaskId", "agentId")
        ends = (self.over.get(key) or 0.0 for key in (call.id, task))
        # names come again
        over = max((at for at in ends if at >= (result.at or 0.0)), default=0.0) or None
        return replace(
            super().completed(call, result),
            searches=searches,
            hook_ran=call.id in self.after_hooks,
            over_at=over,
        )

    def commits(self, command: Command, result: Result) -> tuple[str, ...]:
        recorded = get_str(result.details, "gitOperation", "commit", "sha")
        if recorded:
            return (recorded,)
        return super().commits(command, result)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        if call.name not in self.writers:
            return []
        detail = get_dict(result.details)
        before = detail.get(
            "originalFile", detail.get("originalFileContents", detail.get("original_file"))
        )
        after = detail.get("updated_file")  # of a notebook
        used = edits_from_arguments(
            _used_arguments(call, detail),
            before=before if isinstance(before, str) else None,
            after=after if isinstance(after, str) else None,
            before_known=isinstance(before, str) or detail.get("type") == "create",
            hunks=tuple(_hunks(get_list(detail, "structuredPatch"))),
        )
        changed = detail.get("userModified") is True
        if changed:
            return [replace(edit, proposed=_propose(call)) for edit in used]
        return used

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        return _shown_file(
            get_dict(result.details), get_str(call.arguments, "file_path"), result.at or call.at
        )

    def spawn(self, call: Call, result: Result) -> Spawn:
        agent_id = get_str(result.details, "agentId")
        stats = get_dict(result.details, "toolStats")
        return Spawn(
            agent_id=agent_id,
            kind=get_str(call.arguments, "subagent_type"),
            visible=bool({agent_id, call.id} & self.agents),
            edits=get_int(stats, "editFileCount") if "editFileCount" in stats else None,
            asynchronous=get_str(result.details, "status") == "async_launched",
        )


# All copies of one session, longest first if the caller can; each is read before the next one
# is asked for.
read = _Reader.line_reader(NAME, _noise)


def _shown_file(details: JsonObject, asked_for: str, at: Moment) -> FileObservation | None:
    """A text file as the tool that reads files shows it."""
    file = get_dict(details, "file")
    path = normal_path(get_str(file, "filePath") or asked_for)
    content = file.get("content")
    if not path or not isinstance(content, str) or details.get("type") != "text":
        return None
    start, count, total = (get_int(file, key) for key in ("startLine", "numLines", "totalLines"))
    return FileObservation(
        path, at, max(start, 1), content, whole=start <= 1 and count >= total > 0
    )


def _weight(used: Usage) -> float:
    """What a response costs in input tokens: the ratio of the prices is the same for all of
    Anthropic's models.
    """
    return (
        used.input
        + 5 * used.output
        + 0.1 * used.cache_read
        + 1.25 * used.cache_write
        + 0.75 * used.cache_write_1h
    )


def _driver(record: JsonObject) -> Driver | None:
    """What sent a record; None where it does not tell. Editors and the apps use the SDK too: the
    entry point goes first.
    """
    entry = get_str(record, "entrypoint")
    source = get_str(record, "promptSource")
    if get_str(record, "teamName") and get_str(record, "agentName") not in ("", _LEAD):
        return Driver.PROGRAM  # a teammate does what another agent tells it
    known = _DRIVERS.get(entry)
    if known is None and "action" in entry:
        return Driver.CI
    if (known is None and entry.startswith("sdk")) or (
        source == "sdk" and known in (None, Driver.PROGRAM)
    ):
        if get_str(record, "origin", "kind") == "human":
            return Driver.PERSON
        return Driver.PROGRAM
    return known or (Driver.PERSON if source in ("typed", "queued") else None)


def _used_arguments(call: Call, detail: JsonObject) -> JsonObject:
    """What the tool really used: its result shows the strings, in which quotes and trailing
    blanks may differ from the call's.
    """
    chosen = get_dict(call.arguments)
    path = first_text(chosen, "file_path", "notebook_path") or get_str(detail, "filePath")
    if call.name.endswith("Write"):
        return {
            "file_path": path,
            "content": get_str(detail, "content") or get_str(chosen, "content"),
        }
    # a cell of a JSON file: replayed only when the texts are recorded
    if call.name == "NotebookEdit":
        return {"file_path": path}
    if call.name == "MultiEdit":
        return {"file_path": path, "edits": chosen.get("edits")}
    old = detail.get("oldString")
    new = detail.get("newString")
    if not isinstance(old, str) or not isinstance(new, str):
        old = get_str(chosen, "old_string")
        new = get_str(chosen, "new_string")
    return {
        "file_path": path,
        "old_string": old,
        "new_string": new,
        "replace_all": chosen.get("replace_all"),
    }


def _propose(call: Call) -> str:
    """The new text that the agent asked for, whatever the user made of it."""
    single = [get_str(call.arguments, key) for key in ("content", "new_string")]
    return "\n".join(
        [*single, *(get_str(edit, "new_string") for edit in get_list(call.arguments, "edits"))]
    )


def _hunks(patch: list[Any]) -> Iterable[Hunk]:
    for hunk in patch:
        old, old_count, new, new_count = (
            get_int(hunk, name) for name in ("oldStart", "oldLines", "newStart", "newLines")
        )
        yield Hunk(
            old,
            old_count,
            new,
            new_count,
            tuple(line for line in get_list(hunk, "lines") if isinstance(line, str)),
        )


_NUMBERED = re.compile(r"^\s*(\d{1,9})(?:→|\t)(.*)$")


def _numbered_parts(snippet: str) -> Iterator[tuple[int, str]]:
    """First line number and text of each part of a `cat -n` style listing; between the parts
    lines are left out.
    """
    for is_numbered, rows in groupby(map(_NUMBERED.match, snippet.split("\n")), key=bool):
        if is_numbered:
            numbers, texts = zip(*(row.groups() for row in rows if row), strict=True)
            yield int(numbers[0]), "\n".join(texts)


# --- sessions on this machine ---------------------------------------------------------------------

# The directory is named after the one that the session was started in, with `-` for all that is
# neither letter nor digit; different directories can have one name, so the `cwd` of the records
# decides.
_CUT = 200  # longer names are cut there and end in a hash
_CWD = re.compile(rb'"cwd":\s*"((?:[^"\\]|\\.){1,4000})"')
_SESSION_ID = re.compile(rb'"sessionId":\s*"([0-9A-Za-z-]{1,80})"')
_HEAD = 20_000  # bytes
_AGENT = "agent-"  # a subagent's file
_SUBAGENTS = tuple(f"{below}{_AGENT}*.jsonl" for below in ("", "*/", "*/*/"))


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    for project in _projects(location, roots):
        yield from _sessions(project, roots)


def _projects(location: Path, roots: Roots) -> Iterator[Path]:
    """The directories that are named after one of the worktrees, or one below."""
    # the beginnings of their names
    slugs = {re.sub(r"[^a-z0-9]", "-", path.lower())[:_CUT] for path in roots.spellings}
    for project in files.directories(location):
        name = project.name.lower()
        seen_from_windows = name.startswith("--wsl") and any(entry in name for entry in slugs)
        inside = (
            roots.anywhere
            or seen_from_windows
            or name in slugs
            or name.startswith(tuple(f"{entry}-" for entry in slugs))
        )
        if inside:
            yield project


def _sessions(project: Path, roots: Roots) -> Iterator[LocalSession]:
    """The sessions of a directory that belong; of one whose own file is gone, what its subagents
    recorded.
    """
    # early versions put subagents beside their session
    agents = group_pairs(
        (files.text_in(files.head(path), _SESSION_ID), path)
        for path in files.match_files(project, f"{_AGENT}*.jsonl")
    )
    for directory in files.directories(project):
        for pattern in _SUBAGENTS:
            agents[directory.name] += files.match_files(directory / "subagents", pattern)
    own = {
        path.stem: path
        for path in files.match_files(project, "*.jsonl")
        if not path.name.startswith(_AGENT)
    }
    for name in own.keys() | {name for name, below in agents.items() if name and below}:
        used = (*([own[name]] if name in own else []), *agents[name])
        cwd = files.text_in(files.head(used[0]), _CWD)
        if roots.of(cwd):
            yield LocalSession(name, used, f"started in {cwd}", cwd=cwd)


_NUMBER = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _traces(location: Path, roots: Roots) -> Iterator[Trace]:
    """Sessions that have left a directory, prompts or copies of files, and no transcript that can
    be read.
    """
    recorded = {path.stem for path in files.match_files(location, "*/*.jsonl")}
    below = []
    for project in _projects(location, roots):
        below += [(entry, f"{entry} is left of it") for entry in files.directories(project)]
        for path in files.match_files(project, "*.jsonl"):
            if _is_damaged(files.head(path)):
                times = [files.written_at(path)]
                yield from left_behind(NAME, path.stem, times, f"{path} cannot be read")
    projects, prompts = _read_prompts(location.parent / "history.jsonl")
    for directory in files.directories(location.parent / "file-history"):
        if roots.of(projects.get(directory.name, "")) or directory.name not in projects:
            below.append((directory, f"copies of files are left of it in {directory}"))
    for directory, why in below:
        if directory.name not in recorded and _NUMBER.fullmatch(directory.name):
            times = [files.written_at(path) for path in files.all_files(directory)]
            if not times:
                times = [files.written_at(directory)]
            yield from left_behind(NAME, directory.name, times, why)
    for session, times in prompts.items():
        if session not in recorded and roots.of(projects[session]):
            why = f"prompts are left of it in {location.parent / 'history.jsonl'}"
            yield Trace(NAME, session, min(times), max(times) + LASTS, why)


def _is_damaged(head: bytes) -> bool:
    """Whether a file with this beginning has no record that can be read there."""
    return bool(head.strip()) and first_value(head) is None and not files.text_in(head, _CWD)


def _read_prompts(history: Path) -> tuple[Texts, dict[str, list[float]]]:
    """Session -> its project, and when it was asked for something, of the file that remembers
    what was typed.
    """
    projects = {}
    prompts = defaultdict(list)
    lines = files.attempt(history, lambda: files.content(history)) if history.exists() else b""
    for record in records([lines], [], ""):
        session = get_str(record, "sessionId")
        time = get_time(record, "timestamp")
        if session and time is not None:
            projects[session] = get_str(record, "project")
            # commands that the program deals with itself need no transcript
            if not get_str(record, "display").startswith("/"):
                prompts[session].append(time)
    return projects, prompts


def _named_in(path: str, data: bytes) -> list[str]:
    """The session of the records, or of the chat, in a file under another name."""
    head = first_value(data)
    named = get_str(session_meta(head), "session_id") or files.text_in(data[:_HEAD], _SESSION_ID)
    if named and sniff(head):
        return [named]
    return []


COMMITTED = (
    Committed(
        ("**/.claude/**/projects/*/*.jsonl",),
        session_in_path(r"/(?!agent-)([^/]+)\.jsonl$"),
        found_by=(
            "sessionId extension:jsonl path:.claude/projects",
            "filename:history.jsonl path:.claude",
        ),
    ),
    Committed(("**/logs/**/chat.json",), lambda path, data: _written_by(data)[:1], every=True),
    Committed(
        tuple(
            f"**/logs/**/{event}.json"
            for event in ("pre_tool_use", "post_tool_use", "post_tool_use_failure")
        ),
        lambda path, data: _written_by(data),
        every=True,
        undated=True,
        found_by=tuple(f"filename:{event}.json" for event in ("pre_tool_use", "post_tool_use")),
    ),
    Committed(("**/*session*.jsonl",), _named_in, own=True),
    Committed(
        ("**/*trajectory*.json",),
        _named_in,
        found_by=("session_meta filename:trajectory.json",),
        own=True,
    ),
)
STORES = (
    Store(
        NAME,
        at=("{${CLAUDE_CONFIG_DIR:-~/.claude,${XDG_CONFIG_HOME:-~/.config}/claude}}/projects",),
        patterns=("*/*.jsonl",),
        find=_find,
        traces=_traces,
        kept_days=30,
    ),
)
