"""Factory AI Droid: JSONL envelopes `{type: "message", id, message: {role, content}}` around
Anthropic content blocks.

The result of an edit is JSON text that has a diff of each file. Tokens are recorded for the whole
session, in a file beside it. A worker is a session of its own that names the session which called
it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from collector.agents.common.edits import edits_from_patch, path_argument
from collector.agents.common.messages import (
    PromptKind,
    anthropic_usage,
    blocks_of,
    text_of,
    without_reminders,
)
from collector.agents.common.reader import FACETS, Call, RecordReader, Result, is_error, is_part
from collector.agents.machine import files
from collector.agents.machine.model import LocalSession, Store
from collector.git.patches import parse_unified
from collector.json_values import (
    JsonObject,
    Moment,
    first_text,
    get,
    get_dict,
    get_list,
    get_str,
    get_time,
    has,
    json_bytes,
    parse_json,
)
from collector.model import Edit, FileObservation, Hunk, Session, Spawn
from collector.text import first_group, resolve
from collector.vocabulary.agents import Agent

NAME = "factory-droid"
AGENT = Agent(
    NAME,
    "Factory AI Droid",
    accounts=r"factory-droid\[bot\]",
    aliases=("factoryai-droid", "droid"),
    exported={"git-ai": "droid"},
    tools={
        "read": "read",
        "grep": "grep",
        "glob": "glob ls",
        "write": "create",
        "edit": "edit multiedit apply_patch",
        "web": "websearch fetch_url",
        "agent": "task",
        "todo": "todowrite",
    },
)
GIVES = frozenset(FACETS) - {"before", "subagents"}
ORDER = 70

_SETTINGS = "session_settings"  # the line that `_load` makes of a file beside the transcript
_AGENT = re.compile(r"agentId: ([0-9A-Za-z_-]{1,64})")


def sniff(head: object) -> bool:
    if not isinstance(head, dict) or "uuid" in head:
        return False
    wrapped = head.get("type") == "message" and has(head, message=dict)
    return head.get("type") == "session_start" or wrapped


class _Reader(RecordReader):
    shells = ("Execute", "Bash", "Shell")
    writers = ("Create", "Write", "Edit", "MultiEdit", "NotebookEdit")
    reads = ("Read",)
    spawns = ("Task",)
    rejections = ("user rejected", "user cancelled", "doesn't want to proceed", "rejected by user")
    one_directory = True
    totals: tuple[JsonObject, str] = {}, ""  # tokens of the whole session, and the model

    def take(self, record: JsonObject) -> None:
        key = get_str(record, "id")
        if not self.is_new(key):
            return
        time = get_time(record, "timestamp")
        self.begin(time)
        kind = get_str(record, "type")
        if kind == "session_start":
            self.add_cwd(record.get("cwd"))
            self.add_version(record.get("version"))
            if not self.parent_id:
                self.parent_id = get_str(record, "callingSessionId")
        elif kind == "message":
            self._message(get_dict(record, "message"), key or f"{time}/{self.order}", time)
        elif kind in ("compaction_state", "compaction"):
            self.add_event("compaction", time)
        elif kind == _SETTINGS:
            self.totals = get_dict(record, "tokenUsage"), get_str(record, "model")
        elif kind not in ("session_event", "session_end", "todo_state", "agent_turn_outcome"):
            self.unknown_record_type(kind)

    def _message(self, message: JsonObject, key: str, time: Moment) -> None:
        blocks = blocks_of(message.get("content"))
        if message.get("role") == "assistant":
            self._assistant(message, blocks, key, time)
            return
        for block in blocks:
            if get(block, "type") == "tool_result":
                status = is_error(get(block, "is_error"))
                self.add_result(
                    get_str(block, "tool_use_id"),
                    Result(time, text_of(get(block, "content")), status),
                )
        text = "\n".join(get_str(block, "text") for block in blocks if get(block, "type") == "text")
        if message.get("visibility") == "llm_only":  # nobody typed it, and nothing answers it
            self.add_user_text(key, time, without_reminders(text), PromptKind.INJECTED)
        elif self.parent_id:  # what starts a worker was written by the agent that called it
            self.add_turn(key, time, without_reminders(text), PromptKind.INJECTED.value)
        else:
            self.add_prompt(key, time, text)

    def _assistant(self, message: JsonObject, blocks: list[Any], key: str, time: Moment) -> None:
        model = first_text(message, "modelId", "model")
        usage = get_dict(message, "usage")
        self.use_model(model, time)
        if usage:
            self.add_usage(anthropic_usage(usage, get_str(message, "id") or key, time, model))
        self.take_blocks(blocks, "tool_use", "input", key, time, model=model)

    def session(self) -> Session:
        """Where no response tells its tokens, the settings of the session tell those of all."""
        used, model = self.totals
        if not self.usage:
            last = max(self.times, default=None)
            self.count_tokens("session", last, used, cached_among_input=False, model=model)
        return super().session()

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        if call.name not in ("ApplyPatch", "apply_patch"):
            return super().edits(call, result)
        display = self._display_hunks(result)
        stated = edits_from_patch(call.arguments, self.cwd)
        once = {path for path, count in Counter(edit.path for edit in stated).items() if count == 1}
        return [
            replace(e, hunks=display[e.path]) if e.hunks and e.path in once & display.keys() else e
            for e in stated
        ]

    def result_fields(self, call: Call, result: Result) -> JsonObject:
        return {
            "hunks": (
                self._display_hunks(result).get(
                    resolve(self.cwd, path_argument(call.arguments)), ()
                )
            )
        }

    def _display_hunks(self, result: Result) -> dict[str, tuple[Hunk, ...]]:
        """Path -> hunks of its diff, as the result of an edit has them."""
        document = parse_json(result.text) if result.text.startswith("{") else None
        files = [document, *get_list(document, "files")]
        value = (
            (resolve(self.cwd, get_str(file, "file_path")), parse_unified(get_str(file, "diff")))
            for file in files
        )
        return {path: hunks for path, hunks in value if path and hunks}

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        # how a part is shown is not known
        if is_part(call.arguments) or "<system-reminder>" in result.text:
            return None
        return self.display(call, result, result.text)

    def spawn(self, call: Call, result: Result) -> Spawn:
        agent = first_group(_AGENT.search(result.text))
        return Spawn(agent, get_str(call.arguments, "subagent_type"), visible=False)


read = _Reader.line_reader(NAME)


# --- sessions on this machine ---------------------------------------------------------------------


def _whose(path: Path) -> tuple[str, str]:
    first = files.first_line(path)
    return get_str(first, "id") or path.stem, (
        get_str(first, "cwd") if get_str(first, "type") == "session_start" else ""
    )


def _settings(path: Path) -> Path:
    return path.with_suffix(".settings.json")


def _load(session: LocalSession) -> Iterator[bytes]:
    """The lines, and the settings of the session as one more."""
    path = session.files[0]
    about = get_dict(files.document(_settings(path)))
    yield files.lines(path) + b"\n" + json_bytes({**about, "type": _SETTINGS})


STORES = (
    Store(
        NAME,
        at=("${FACTORY_HOME_OVERRIDE:-~}/.factory/sessions",),
        patterns=("*.jsonl", "*/*.jsonl"),
        whose=_whose,
        beside=lambda path: (_settings(path),),
        load=_load,
    ),
)
