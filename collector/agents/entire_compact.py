"""Entire's own compact transcript (`transcript.jsonl`): one shape for every agent, the fallback
when the agent's own is missing.

It keeps prompts, texts, calls with their arguments and the end of their results; patches, whole
texts and subagents are dropped. A file holds the session so far or only what is new; calls are
known by their id, everything else by its line.
"""

import re
from collections.abc import Iterable
from typing import Any

from collector.agents.common.edits import path_argument
from collector.agents.common.messages import (
    CODEX_INJECTED,
    PromptKind,
    blocks_of,
    classify,
    without_reminders,
)
from collector.agents.common.reader import (
    FACETS,
    AnyAgentReader,
    Call,
    Result,
    is_part,
    numbered_lines,
)
from collector.json_values import get, get_dict, get_int, get_str, time_of
from collector.model import FileObservation, Session, Status
from collector.text import normal_path
from collector.vocabulary.agents import Agent, slug_of

NAME = "entire-compact"
AGENT = Agent(NAME, "Entire compact transcript", exported={"git-ai": "unknown"})
GIVES = frozenset(FACETS) - {"before", "positions", "subagents", "models"}
ORDER = 10

_STATUS = {"success": Status.OK, "error": Status.ERROR}
_ROW = re.compile(r"(?=.{0,9}\t)\s*(\d+)\s*\t(.*)", re.S)


def sniff(head: object) -> bool:
    return (
        isinstance(head, dict)
        and isinstance(head.get("v"), int)
        and isinstance(head.get("agent"), str)
        and "content" in head
    )


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(NAME, session_id).read_lines(blobs)


class _Reader(AnyAgentReader):
    rejections = ("doesn't want to proceed", "user rejected")

    def take(self, record: dict[str, Any]) -> None:
        time = time_of(record.get("ts"))
        self.begin(time)
        agent = get_str(record, "agent")
        if self.agent == NAME and agent:
            self.agent = slug_of(agent)  # the first record's
        self.add_version(f"{agent} via entire {get_str(record, 'cli_version')}".strip())
        blocks = blocks_of(record.get("content"))
        if record.get("type") == "user":
            for index, block in enumerate(blocks):
                self._user(
                    get_str(block, "text"),
                    get_str(block, "id") or f"{time}/{index}/{get_str(block, 'text')}",
                    time,
                )
        elif record.get("type") == "assistant":
            self._assistant(record, blocks, time)
        else:
            self.unknown_record_type(record.get("type"))

    def _user(self, text: str, key: str, time: float | None) -> None:
        clean = without_reminders(text)
        injected = clean.lstrip().startswith(CODEX_INJECTED)
        self.add_user_text(key, time, clean, PromptKind.INJECTED if injected else classify(clean))

    def _assistant(self, record: dict[str, Any], blocks: list[Any], time: float | None) -> None:
        message_id = get_str(record, "id") or f"{time}"
        self.use_tokens(
            message_id, time, get_int(record, "input_tokens"), get_int(record, "output_tokens")
        )
        for index, block in enumerate(blocks):
            text = get_str(block, "text")
            if get(block, "type") == "text":
                self.add_message((message_id, time, text), time, "text", text)
            elif get(block, "type") in ("tool_use", "toolCall"):
                self._call(block, message_id, f"{message_id}/{time}/{index}", time)

    def _call(self, block: dict[str, Any], message_id: str, key: str, time: float | None) -> None:
        arguments = block.get("input") if "input" in block else block.get("arguments")
        answer = get_dict(block, "result")
        text, status = (
            get_str(answer, "output"),
            _STATUS.get(get_str(answer, "status"), Status.UNKNOWN),
        )
        if status is Status.OK and text.startswith("apply_patch verification failed"):
            status = Status.ERROR
        result = Result(None, text, status) if answer else None
        self.call_tool(
            get_str(block, "id") or key,
            get_str(block, "name"),
            arguments,
            time,
            result,
            message_id=message_id,
            cwd="",
        )

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        """A listing with line numbers, `12<tab>text`."""
        path, listed = normal_path(path_argument(call.arguments)), numbered_lines(result.text, _ROW)
        if not path or listed is None:
            return None
        return FileObservation(
            path, call.at, listed[0], "\n".join(listed[1]), whole=not is_part(call.arguments)
        )
