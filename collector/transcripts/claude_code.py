"""Claude Code: JSONL, one record per content block, results in later `user` records, subagents in `progress` records.

A stored transcript repeats the session so far, so events are kept once: calls by `tool_use` id, messages by `uuid`, usage by
message id. Positions come from `structuredPatch`, text from the call's own input, because patches show tabs as two spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from collector.model import (
    AgentMessage,
    Command,
    Edit,
    FileObservation,
    Hunk,
    Problem,
    Replacement,
    Session,
    SessionEvent,
    Spawn,
    Status,
    ToolCall,
    Turn,
    Usage,
)
from collector.text import normal_path, timestamp
from collector.transcripts.jsonl import as_json, get, get_dict, get_int, get_list, get_str, records
from collector.transcripts.prompts import PromptKind, classify, without_reminders

NAME = "claude-code"
LABEL = "Claude Code"
GIVES = frozenset(
    [
        "times",
        "results",
        "text",
        "before",
        "positions",
        "reads",
        "commands",
        "commits",
        "subagents",
        "models",
        "tokens",
        "directory",
    ]
)
ORDER = 90  # the most permissive sniffer goes last

_TYPES = frozenset(
    {
        "user", "assistant", "progress", "system", "summary", "attachment", "file-history-snapshot", "file-history-delta",
        "queue-operation", "pr-link", "last-prompt", "ai-title", "permission-mode", "mode", "custom-title", "agent-name",
        "bridge-session",
    }
)  # fmt: skip
_REJECTED = (
    "The user doesn't want to proceed",
    "The user doesn't want to take this action",
    "User rejected",
    "[Request interrupted by user",
    "Request interrupted by user",
)
_PARENT = re.compile(rb'"parentUuid":\s*(null|"[^"]{1,80}")')
_LEFTOVERS = 3
_TIME = re.compile(rb'"timestamp":\s*"([0-9T:.Z+-]{10,40})"')
_COMMIT_LINE = re.compile(r"^\[[^\]\n]{1,200}? ([0-9a-f]{7,40})\]", re.M)
_EDIT_TOOLS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "mcp__acp__Edit", "mcp__acp__Write"})
_SHELL_TOOLS = frozenset({"Bash", "PowerShell"})
_AGENT_TOOLS = frozenset({"Task", "Agent"})
_ERROR_CHARS = 300
_TOOL_LOADED = "Tool loaded."


def sniff(head: object) -> bool:
    return get_str(head, "type") in _TYPES


def _noise(line: bytes) -> bool:
    """Progress of hooks and shells is a third of all records and says nothing we use; nor do file lists of the undo feature."""
    noise = line.startswith(b'{"type":"file-history-snapshot"') or (
        b'"type":"progress"' in line and b'"agent_progress"' not in line
    )
    return noise and b'}{"' not in line  # a lost newline may have glued a record of interest to it


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    """All copies of one session, longest first if the caller can, merged."""
    builder = _Builder(session_id)
    for record in records(map(builder.note_beginning, blobs), builder.problems, session_id, skip=_noise):
        builder.take(record)
    return builder.session()


@dataclass(slots=True)
class _Call:
    """A call while its result may still come."""

    call_id: str
    name: str
    input: dict[str, Any]
    at: float | None
    order: int
    agent_id: str
    model: str
    message_id: str
    cwd: str
    result: dict[str, Any] | None = None  # the tool_result block
    detail: object = None  # toolUseResult
    done_at: float | None = None


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The usage of one message as recorded last."""

    usage: dict[str, Any]
    output: int
    at: float | None
    order: int
    model: str
    agent_id: str


@dataclass(slots=True)
class _Builder:
    session_id: str
    problems: list[Problem] = field(default_factory=list)
    order: int = 0
    seen: set[str] = field(default_factory=set)
    calls: dict[str, _Call] = field(default_factory=dict)
    late_results: dict[str, tuple[dict[str, Any], object, float | None]] = field(default_factory=dict)
    turns: list[tuple[float | None, int, str, str]] = field(default_factory=list)
    said: list[tuple[int, AgentMessage]] = field(default_factory=list)
    usage: dict[str, _Tokens] = field(default_factory=dict)
    notices: list[FileObservation] = field(default_factory=list)
    marks: list[tuple[int, SessionEvent]] = field(default_factory=list)
    cwds: dict[str, None] = field(default_factory=dict)
    versions: dict[str, None] = field(default_factory=dict)
    branches: dict[str, None] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    agents_seen: set[str] = field(default_factory=set)
    unknown_types: dict[str, int] = field(default_factory=dict)
    beginnings: list[tuple[float, bool]] = field(
        default_factory=list
    )  # of each copy: when, and whether it continues another record

    def note_beginning(self, blob: bytes) -> bytes:
        """Some versions stored only what came since the last commit: a copy whose first records continue others.

        A session that starts after `/clear` begins with one or two leftovers of the one before; then comes a record without parent.
        """
        heads = list(islice(_PARENT.finditer(blob), _LEFTOVERS + 1))
        if heads:
            line = blob.rfind(b"\n", 0, heads[0].start()) + 1
            end = blob.find(b"\n", heads[0].end())
            at = _TIME.search(blob, line, end if end >= 0 else len(blob))
            when = timestamp(at[1].decode("ascii")) if at else None
            if when is not None:
                self.beginnings.append((when, all(head[1] != b"null" for head in heads)))
        return blob

    # --- one record -----------------------------------------------------------------------------------------------

    def take(self, record: dict[str, Any]) -> None:
        uuid = get_str(record, "uuid")
        if uuid:
            if uuid in self.seen:
                return
            self.seen.add(uuid)
        self.order += 1
        at = timestamp(record.get("timestamp"))
        if at is not None:
            self.times.append(at)
        self._envelope(record)
        kind = get_str(record, "type")
        agent_id = get_str(record, "agentId")
        if agent_id:  # a subagent's own record, of a file of its own
            self.agents_seen.add(agent_id)
        if kind == "assistant":
            self._assistant(get_dict(record, "message"), at, agent_id, get_str(record, "cwd"))
        elif kind == "user":
            self._user(record, at)
        elif kind == "progress":
            self._progress(record)
        elif kind == "system":
            self._system(record, at)
        elif kind == "attachment":
            self._attachment(get_dict(record, "attachment"), at)
        elif kind == "pr-link":
            self._mark("pull_request", at, get_str(record, "prUrl"))
        elif kind not in _TYPES:
            name = kind[:40]
            self.unknown_types[name] = self.unknown_types.get(name, 0) + 1

    def _envelope(self, record: dict[str, Any]) -> None:
        for key, known in (("cwd", self.cwds), ("version", self.versions), ("gitBranch", self.branches)):
            value = record.get(key)
            if isinstance(value, str) and value and value not in known:
                known[value] = None

    def _mark(self, kind: str, at: float | None, detail: str = "") -> None:
        self.marks.append((self.order, SessionEvent(kind, at, 0, detail[:_ERROR_CHARS])))

    def _assistant(self, message: dict[str, Any], at: float | None, agent_id: str, cwd: str) -> None:
        message_id, model = get_str(message, "id"), get_str(message, "model")
        self._count_usage(message, message_id, model, at, agent_id)
        for block in get_list(message, "content"):
            kind = get(block, "type")
            if kind == "tool_use":
                self._call(block, at, agent_id, model, message_id, cwd)
            elif kind == "text":
                self.said.append((self.order, AgentMessage(at, 0, "text", get_str(block, "text"), agent_id)))
            elif kind in ("thinking", "redacted_thinking"):
                self.said.append((self.order, AgentMessage(at, 0, "reasoning", get_str(block, "thinking"), agent_id)))

    def _call(self, block: dict[str, Any], at: float | None, agent_id: str, model: str, message_id: str, cwd: str) -> None:
        call_id = get_str(block, "id") or f"{message_id}/{self.order}"
        if call_id in self.calls:
            return
        call = _Call(call_id, get_str(block, "name"), get_dict(block, "input"), at, self.order, agent_id, model, message_id, cwd)
        self.calls[call_id] = call
        early = self.late_results.pop(call_id, None)
        if early:
            call.result, call.detail, call.done_at = early

    def _count_usage(self, message: dict[str, Any], message_id: str, model: str, at: float | None, agent_id: str) -> None:
        """Streamed records repeat the usage of a message with a growing output: the largest counts, once."""
        usage = message.get("usage")
        if not isinstance(usage, dict) or not message_id:
            return
        output = get_int(usage, "output_tokens")
        known = self.usage.get(message_id)
        if known is None or output > known.output:
            first_at = at if known is None else known.at
            order = self.order if known is None else known.order
            self.usage[message_id] = _Tokens(usage, output, first_at, order, model, agent_id)

    def _user(self, record: dict[str, Any], at: float | None) -> None:
        content = get(record, "message", "content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        texts = []
        for block in blocks:
            if get(block, "type") == "tool_result":
                self._result(block, record.get("toolUseResult"), at)
            elif get(block, "type") == "text":
                texts.append(get_str(block, "text"))
        if any(_loads_tools(block) for block in blocks):  # what stands beside it else is the user's
            texts = [text for text in texts if text.strip() != _TOOL_LOADED]
        if texts and record.get("isSidechain") is not True:  # what a subagent is told is no word of the user's
            self._user_text("\n".join(texts), record, at)

    def _user_text(self, text: str, record: dict[str, Any], at: float | None) -> None:
        clean = without_reminders(text)
        kind = classify(clean, is_meta=record.get("isMeta") is True, is_summary=record.get("isCompactSummary") is True)
        if kind is PromptKind.INTERRUPT:
            self._mark("interrupt_tool" if "for tool use" in clean else "interrupt", at)
        elif kind is PromptKind.INJECTED:
            self._mark("injected", at, clean[:80])
        elif kind is PromptKind.USER_SHELL:
            self._mark("user_shell", at, clean)
        elif clean.strip():
            self.turns.append((at, self.order, clean, kind.value))

    def _result(self, block: dict[str, Any], detail: object, at: float | None) -> None:
        call_id = get_str(block, "tool_use_id")
        call = self.calls.get(call_id)
        if call is None:
            self.late_results.setdefault(call_id, (block, detail, at))
        elif call.result is None or (call.detail is None and detail is not None):
            call.result, call.detail, call.done_at = block, detail, call.done_at or at

    def _progress(self, record: dict[str, Any]) -> None:
        """A subagent's message, wrapped. Its calls are real calls of this session."""
        data = get_dict(record, "data")
        wrapped = get_dict(data, "message")
        if data.get("type") != "agent_progress" or not wrapped:
            return
        uuid = get_str(wrapped, "uuid")
        if uuid:
            if uuid in self.seen:
                return
            self.seen.add(uuid)
        agent_id = get_str(data, "agentId") or get_str(record, "parentToolUseID") or "subagent"
        self.agents_seen.update((agent_id, get_str(record, "parentToolUseID")))
        at = timestamp(wrapped.get("timestamp")) or timestamp(record.get("timestamp"))
        message = get_dict(wrapped, "message")
        if wrapped.get("type") == "assistant":
            self._assistant(message, at, agent_id, get_str(record, "cwd"))
        else:
            for block in get_list(message, "content"):
                if get(block, "type") == "tool_result":
                    self._result(block, wrapped.get("toolUseResult"), at)

    def _system(self, record: dict[str, Any], at: float | None) -> None:
        subtype = get_str(record, "subtype")
        if subtype in ("compact_boundary", "microcompact_boundary"):
            detail = as_json(get_dict(record, "compactMetadata"), _ERROR_CHARS)
            self._mark("compaction" if subtype == "compact_boundary" else "microcompaction", at, detail)
        elif subtype == "api_error":
            self._mark("api_error", at)

    def _attachment(self, attachment: dict[str, Any], at: float | None) -> None:
        kind = attachment.get("type")
        if kind == "queued_command":
            prompt = attachment.get("prompt")
            text = prompt if isinstance(prompt, str) else "\n".join(get_str(b, "text") for b in get_list(attachment, "prompt"))
            clean = without_reminders(text)
            if attachment.get("commandMode", "prompt") == "prompt" and classify(clean) is PromptKind.PROMPT and clean.strip():
                self.turns.append((at, self.order, clean, "queued"))
            else:
                self._mark("injected", at, clean[:80])
        elif kind == "edited_text_file":
            start, text = _numbered(get_str(attachment, "snippet"))
            path = normal_path(get_str(attachment, "filename"))
            if path:
                self.notices.append(FileObservation(path, at, start, text, whole=False, outside_edit=True))

    # --- the whole session ----------------------------------------------------------------------------------------

    def session(self) -> Session:
        turns = self._turns()
        starts = [(t.at if t.at is not None else 0.0, order, t.index) for t, order in turns]
        turn_of = _TurnFinder(starts)
        calls = sorted(self.calls.values(), key=lambda c: (c.at or 0.0, c.order))
        beheaded = min(self.beginnings, default=(0.0, False))[1]
        if beheaded:
            self.problems.append(Problem("transcripts", self.session_id, "beginning_missing", "the first record continues another"))
        for name, count in self.unknown_types.items():
            self.problems.append(Problem("transcripts", self.session_id, "unknown_record_type", f"{name}: {count}"))
        return Session(
            id=self.session_id,
            agent=NAME,
            cwds=tuple(normal_path(c) for c in self.cwds),
            turns=tuple(t for t, _ in turns),
            calls=tuple(self._finish(call, turn_of(call.at, call.order)) for call in calls),
            said=tuple(AgentMessage(s.at, turn_of(s.at, o), s.kind, s.text, s.agent_id) for o, s in self.said),
            usage=tuple(_usage(key, tokens, turn_of(tokens.at, tokens.order)) for key, tokens in self.usage.items()),
            notices=tuple(sorted(self.notices, key=lambda n: n.at or 0.0)),
            marks=tuple(SessionEvent(m.kind, m.at, turn_of(m.at, o), m.detail) for o, m in self.marks),
            versions=tuple(self.versions),
            branches=tuple(self.branches),
            started_at=min(self.times, default=None),
            ended_at=max(self.times, default=None),
            beheaded=beheaded,
            problems=tuple(self.problems),
        )

    def _turns(self) -> list[tuple[Turn, int]]:
        ordered = sorted(self.turns, key=lambda t: (t[0] or 0.0, t[1]))
        result: list[tuple[Turn, int]] = []
        waiting = ""  # a queued prompt that may come once more, delivered as an ordinary one
        for at, order, text, origin in ordered:
            if origin == "prompt" and text == waiting:
                waiting = ""
                continue
            waiting = text if origin == "queued" else ""
            result.append((Turn(len(result) + 1, at, text, origin), order))
        return result

    def _finish(self, call: _Call, turn: int) -> ToolCall:
        status, error = _outcome(call)
        detail = call.detail if isinstance(call.detail, dict) else {}
        command = _command(call, detail) if call.name in _SHELL_TOOLS else None
        return ToolCall(
            call_id=call.call_id,
            name=call.name,
            turn=turn,
            at=call.at,
            done_at=call.done_at,
            status=status,
            error=error,
            agent_id=call.agent_id,
            model=call.model,
            message_id=call.message_id,
            input=as_json(call.input),
            edits=tuple(_edits(call, detail)) if call.name in _EDIT_TOOLS else (),
            command=command,
            seen=_seen(call, detail) if call.name == "Read" else None,
            spawn=self._spawn(call, detail) if call.name in _AGENT_TOOLS else None,
            commits=_commits(command, detail) if command else (),
            result_size=len(_result_text(call.result)) if call.result is not None else None,
        )

    def _spawn(self, call: _Call, detail: dict[str, Any]) -> Spawn:
        agent_id = get_str(detail, "agentId")
        stats = get_dict(detail, "toolStats")
        return Spawn(
            agent_id=agent_id,
            kind=get_str(call.input, "subagent_type"),
            visible=bool({agent_id, call.call_id} & self.agents_seen),
            edits=get_int(stats, "editFileCount") if "editFileCount" in stats else None,
            lines_added=get_int(stats, "linesAdded") if "linesAdded" in stats else None,
            lines_removed=get_int(stats, "linesRemoved") if "linesRemoved" in stats else None,
            asynchronous=get_str(detail, "status") == "async_launched",
        )


class _TurnFinder:
    """Which turn an event belongs to: the last one that began before it (0: before the first)."""

    def __init__(self, starts: list[tuple[float, int, int]]) -> None:
        self._starts = starts

    def __call__(self, at: float | None, order: int) -> int:
        found = 0
        for start_at, start_order, index in self._starts:
            before = start_at <= at if at is not None and start_at else start_order < order
            if not before:
                break
            found = index
        return found


def _usage(message_id: str, tokens: _Tokens, turn: int) -> Usage:
    return Usage(
        message_id,
        tokens.at,
        turn,
        tokens.model,
        input=get_int(tokens.usage, "input_tokens"),
        output=tokens.output,
        cache_read=get_int(tokens.usage, "cache_read_input_tokens"),
        cache_write=get_int(tokens.usage, "cache_creation_input_tokens"),
        cache_write_1h=get_int(tokens.usage, "cache_creation", "ephemeral_1h_input_tokens"),
        agent_id=tokens.agent_id,
    )


def _result_text(result: dict[str, Any] | None) -> str:
    content = get(result, "content")
    if isinstance(content, str):
        return content
    return "\n".join(get_str(block, "text") for block in content) if isinstance(content, list) else ""


def _outcome(call: _Call) -> tuple[Status, str]:
    if call.result is None:
        return Status.UNKNOWN, ""
    if call.result.get("is_error") is not True:
        return Status.OK, ""
    text = _result_text(call.result)
    detail = call.detail if isinstance(call.detail, str) else ""
    rejected = any(text.startswith(m) or detail.removeprefix("Error: ").startswith(m) for m in _REJECTED)
    return (Status.REJECTED if rejected else Status.ERROR), text[:_ERROR_CHARS]


def _edits(call: _Call, detail: dict[str, Any]) -> Iterable[Edit]:
    path = normal_path(get_str(call.input, "file_path") or get_str(call.input, "notebook_path") or get_str(detail, "filePath"))
    before = detail.get("originalFile", detail.get("originalFileContents"))
    blank = Edit(
        path=path,
        op="edit",
        before=before if isinstance(before, str) else None,
        before_known=isinstance(before, str) or detail.get("type") == "create",
        hunks=tuple(_hunks(get_list(detail, "structuredPatch"))),
    )
    if call.name.endswith("Write"):
        yield replace(blank, op="write", content=get_str(detail, "content") or get_str(call.input, "content"))
    elif call.name == "NotebookEdit":
        yield blank  # a cell of a JSON file: replayed only when the texts are recorded
    else:
        replacements = _replacements(call, detail)
        if len(replacements) == 1 and not replacements[0].old:  # an empty old string creates the file
            yield replace(blank, op="write", content=replacements[0].new)
        else:
            yield replace(blank, replacements=replacements)


def _replacements(call: _Call, detail: dict[str, Any]) -> tuple[Replacement, ...]:
    """What the tool searched and put in its place; its result shows the strings it really used (quotes, blanks at line ends)."""
    if call.name == "MultiEdit":
        return tuple(
            Replacement(get_str(p, "old_string"), get_str(p, "new_string"), get(p, "replace_all") is True)
            for p in get_list(call.input, "edits")
        )
    source = detail if isinstance(detail.get("oldString"), str) and isinstance(detail.get("newString"), str) else None
    old, new = (get_str(source, "oldString"), get_str(source, "newString")) if source else (
        get_str(call.input, "old_string"), get_str(call.input, "new_string"))  # fmt: skip
    return (Replacement(old, new, call.input.get("replace_all") is True),)


def _hunks(patch: list[Any]) -> Iterable[Hunk]:
    for hunk in patch:
        yield Hunk(
            get_int(hunk, "oldStart"),
            get_int(hunk, "oldLines"),
            get_int(hunk, "newStart"),
            get_int(hunk, "newLines"),
            tuple(line for line in get_list(hunk, "lines") if isinstance(line, str)),
        )


def _command(call: _Call, detail: dict[str, Any]) -> Command:
    output = get_str(detail, "stdout") or _result_text(call.result)
    return Command(
        text=get_str(call.input, "command"),
        cwd=normal_path(call.cwd),
        background=bool(get_str(detail, "backgroundTaskId")) or call.input.get("run_in_background") is True,
        output=output[:2000],
    )


def _commits(command: Command, detail: dict[str, Any]) -> tuple[str, ...]:
    recorded = get_str(detail, "gitOperation", "commit", "sha")
    if recorded:
        return (recorded,)
    return tuple(dict.fromkeys(_COMMIT_LINE.findall(command.output))) if "git" in command.text else ()


def _seen(call: _Call, detail: dict[str, Any]) -> FileObservation | None:
    file = get_dict(detail, "file")
    path = normal_path(get_str(file, "filePath") or get_str(call.input, "file_path"))
    content = file.get("content")
    if not path or not isinstance(content, str) or detail.get("type") != "text":
        return None
    start, count, total = (get_int(file, key) for key in ("startLine", "numLines", "totalLines"))
    return FileObservation(path, call.done_at or call.at, max(start, 1), content, whole=start <= 1 and count >= total > 0)


_NUMBERED = re.compile(r"^\s*(\d+)(?:→|\t)(.*)$")


def _loads_tools(block: object) -> bool:
    """The result of a search for tools: it names those that can be called from now on."""
    return get(block, "type") == "tool_result" and any(get(part, "type") == "tool_reference" for part in get_list(block, "content"))


def _numbered(snippet: str) -> tuple[int, str]:
    """First line number and text of a `cat -n` style listing; (0, "") when it is none."""
    lines, start = [], 0
    for line in snippet.split("\n"):
        match = _NUMBERED.match(line)
        if not match:
            break
        start = start or int(match[1])
        lines.append(match[2])
    return start, "\n".join(lines)
