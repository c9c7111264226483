"""Entire's own compact transcript (`transcript.jsonl`): one shape for every agent, the fallback
when the agent's own is missing.

It keeps prompts, texts, calls with their arguments and the end of their results; patches, whole
texts and subagents are dropped. A file holds the session so far or only what is new; calls are
known by their id, everything else by its line.
"""

import re
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
    status_of,
)
from collector.json_values import JsonObject, Moment, get, get_dict, get_str, get_time, has
from collector.model import FileObservation, Status
from collector.text import normal_path
from collector.vocabulary.agents import Agent, slug_of

NAME = "entire-compact"
AGENT = Agent(NAME, "Entire compact transcript", exported={"git-ai": "unknown"})
GIVES = frozenset(FACETS) - {"before", "positions", "subagents", "models"}
ORDER = 10

_ROW = re.compile(r"(?=.{0,9}\t)\s*(\d+)\s*\t(.*)", re.S)


def sniff(head: object) -> bool:
    return has(head, v=int, agent=str) and "content" in get_dict(head)


class _Reader(AnyAgentReader):
    rejections = ("doesn't want to proceed", "user rejected")

    def take(self, record: JsonObject) -> None:
        time = get_time(record, "ts")
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

    def _user(self, text: str, key: str, time: Moment) -> None:
        clean = without_reminders(text)
        injected = clean.lstrip().startswith(CODEX_INJECTED)
        self.add_user_text(key, time, clean, PromptKind.INJECTED if injected else classify(clean))

    def _assistant(self, record: JsonObject, blocks: list[Any], time: Moment) -> None:
        message_id = get_str(record, "id") or f"{time}"
        self.count_tokens(message_id, time, record)
        for index, block in enumerate(blocks):
            text = get_str(block, "text")
            if get(block, "type") == "text":
                self.add_message((message_id, time, text), time, "text", text)
            elif get(block, "type") in ("tool_use", "toolCall"):
                self._call(block, message_id, f"{message_id}/{time}/{index}", time)

    def _call(self, block: JsonObject, message_id: str, key: str, time: Moment) -> None:
        arguments = "input" if "input" in block else "arguments"
        answer = get_dict(block, "result")
        text = get_str(answer, "output")
        status = status_of(get_str(answer, "status"))
        if status is Status.OK and text.startswith("apply_patch verification failed"):
            status = Status.ERROR
        result = Result(None, text, status) if answer else None
        self.take_call(block, arguments, key, time, result, message_id=message_id, cwd="")

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        """A listing with line numbers, `12<tab>text`."""
        path = normal_path(path_argument(call.arguments))
        listed = numbered_lines(result.text, _ROW)
        if not path or listed is None:
            return None
        return FileObservation(
            path, call.at, listed[0], "\n".join(listed[1]), whole=not is_part(call.arguments)
        )


read = _Reader.line_reader(NAME)
