"""Kimi CLI: `wire.jsonl`, a line with the version, then `{timestamp, message: {type, payload}}`,
subagents among them.

Arguments of a call are JSON text, which may go on in further records.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from collector.agents.common.edits import edits_from_arguments
from collector.agents.common.messages import text_of
from collector.agents.common.reader import Call, RecordReader, Result, is_error, numbered_lines
from collector.agents.machine import files
from collector.agents.machine.model import LocalSession, Roots, Store
from collector.json_values import (
    JsonObject,
    Moment,
    Texts,
    first_text,
    get,
    get_dict,
    get_list,
    get_str,
    get_time,
    has,
    json_bytes,
    objects,
    parse_json,
)
from collector.model import Edit, FileObservation, Session, Spawn
from collector.vocabulary.agents import Agent

NAME = "kimi-cli"
AGENT = Agent(
    NAME,
    "Kimi CLI",
    aliases=("kimi",),
    tools={"read": "readfile", "write": "writefile", "edit": "strreplacefile"},
)
GIVES = frozenset(
    {"times", "results", "text", "reads", "commands", "commits", "subagents", "tokens", "directory"}
)
ORDER = 27

_EVENTS = (
    "StatusUpdate",
    "TurnEnd",
    "StepBegin",
    "StepRetry",
    "Approval",
    "Hook",
    "MCP",
    "Btw",
    "Question",
    "Plan",
    "Notification",
)
_ROW = re.compile(r"(?=.{0,9}\t)\s*(\d+)\s*\t(.*)", re.S)


def sniff(head: object) -> bool:
    if get(head, "type") == "metadata" and has(head, protocol_version=str):
        return get(head, "created_at") is None  # Kimi Code has it, whose records are others
    message = get(head, "message")
    return has(message, type=str) and "payload" in get_dict(message)


class _Reader(RecordReader):
    shells = ("Shell", "Bash", "CMD")
    writers = ("WriteFile", "StrReplaceFile")
    reads = ("ReadFile",)
    spawns = ("Task", "Agent", "CreateSubagent")
    rejections = ("rejected by the user", "user rejected")

    def prepare(self) -> None:
        self.texts: Texts = {}  # call -> its arguments so far
        self.latest: Texts = {}  # agent -> its latest call
        self.started: Texts = {}  # call -> the subagent that it started

    def take(self, record: JsonObject) -> None:
        if record.get("type") == "metadata":
            self.add_cwd(record.get("work_dir"))
            return
        time = get_time(record, "timestamp")
        self.begin(time)
        self._event(get_dict(record, "message"), time, "", f"{record.get('timestamp')}")

    def _event(self, message: JsonObject, time: Moment, agent: str, key: str) -> None:
        kind = get_str(message, "type")
        payload = get_dict(message, "payload")
        if kind == "SubagentEvent":
            call = first_text(payload, "parent_tool_call_id", "task_tool_call_id")
            inner = get_str(payload, "agent_id") or call or "subagent"
            self.started.setdefault(self.call_ids.current(call), inner)
            if not agent:
                self._event(get_dict(payload, "event"), time, inner, key)
        elif kind in ("TurnBegin", "SteerInput"):
            if not agent:
                self.add_prompt(key, time, text_of(payload.get("user_input")))
        elif kind == "ToolCall":
            self._call(payload, time, agent)
        elif kind == "ToolCallPart":
            self._more(payload, agent)
        elif kind == "ToolResult":
            self._result(payload, time)
        else:
            self._rest(kind, payload, time, agent, key)

    def _rest(self, kind: str, payload: JsonObject, time: Moment, agent: str, key: str) -> None:
        if kind in ("ContentPart", "TextPart", "ThinkPart"):
            thought = get_str(payload, "think")
            text = get_str(payload, "text")
            self.add_message(
                (key, agent, self.order),
                time,
                "reasoning" if thought else "text",
                thought or text,
                agent,
            )
        elif kind == "StepInterrupted":
            self.add_event("interrupt", time)
        elif kind == "CompactionBegin":
            self.add_event("compaction", time)
        elif not kind.startswith((*_EVENTS, "CompactionEnd")):
            self.unknown_record_type(kind)
        key = get_str(payload, "message_id") or f"{agent} {key}"
        self.count_tokens(
            key, time, payload.get("token_usage"), cached_among_input=False, agent_id=agent
        )

    def _call(self, payload: JsonObject, time: Moment, agent: str) -> None:
        call_id = get_str(payload, "id") or f"call {self.order}"
        text = get_str(payload, "function", "arguments")
        # at another moment it is another call, of which only a part of the arguments is here
        key = self.call_tool(
            call_id, get_str(payload, "function", "name"), {}, time, agent_id=agent
        )
        self.latest[agent] = "" if key in self.texts else key
        self.texts.setdefault(key, text)

    def _more(self, payload: JsonObject, agent: str) -> None:
        call_id = self.latest.get(agent, "")
        if call_id:
            self.texts[call_id] += get_str(payload, "arguments_part")

    def _result(self, payload: JsonObject, time: Moment) -> None:
        value = get_dict(payload, "return_value") or get_dict(payload, "result")
        output = text_of(value.get("output"))
        failed = value.get("is_error") is True or value.get("type") == "ToolError"
        text = output if output and not failed else f"{get_str(value, 'message')}\n{output}".strip()
        self.add_result(
            get_str(payload, "tool_call_id"), Result(time, text, is_error(failed), details=value)
        )

    def session(self) -> Session:
        for call_id, text in self.texts.items():
            self.calls[call_id].arguments = get_dict(parse_json(text))
        return super().session()

    def spawn(self, call: Call, result: Result) -> Spawn:
        agent = self.started.get(call.id, "")
        return replace(super().spawn(call, result), agent_id=agent, visible=bool(agent))

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        if call.name != "StrReplaceFile":
            return super().edits(call, result)
        chosen = get(call.arguments, "edit")
        pairs = get_list(call.arguments, "edit") or ([chosen] if isinstance(chosen, dict) else [])
        return edits_from_arguments(
            {"path": get_str(call.arguments, "path"), "edits": pairs}, call.cwd
        )

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        """Lines of a file, with their numbers before a tab."""
        listed = numbered_lines(result.text.removesuffix("\n"), _ROW)
        if listed:
            return self.display(
                call, result, "".join(f"{line}\n" for line in listed[1]), listed[0], whole=False
            )
        return None


read = _Reader.line_reader(NAME)


# --- sessions on this machine ---------------------------------------------------------------------

_SESSIONS = "*/*/wire.jsonl"


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    listed = [
        get_str(entry, "path")
        for entry in objects(get(files.document(location.parent / "kimi.json"), "work_dirs"))
    ]
    written = [
        (path, path.encode("utf-8", "surrogateescape"))
        for path in (*roots.spellings, *filter(roots.of, listed))
    ]
    by_digest = {
        hashlib.md5(data, usedforsecurity=False).hexdigest(): path for path, data in written
    }
    for path in files.match_files(location, _SESSIONS):
        # another kind of machine stands before the digest
        cwd = by_digest.get(path.parents[1].name.rpartition("_")[2], "")
        if cwd:
            yield LocalSession(path.parent.name, (path,), f"kept for {cwd}", cwd=cwd)


def _load(session: LocalSession) -> Iterator[bytes]:
    """The records name no directory: a first line does."""
    head = {"type": "metadata", "protocol_version": "", "work_dir": session.cwd}
    yield json_bytes(head) + b"\n" + files.lines(session.files[0])


STORES = (
    Store(
        NAME,
        at=("${KIMI_SHARE_DIR:-~/.kimi}/sessions",),
        patterns=(_SESSIONS,),
        find=_find,
        load=_load,
    ),
)
