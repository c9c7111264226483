"""Entire's own compact transcript (`transcript.jsonl`): one shape for every agent, the fallback when the agent's own is missing.

It keeps prompts, texts, calls with their arguments and the end of their results; patches, whole texts and subagents are dropped.
A file holds the session so far or only what is new; calls are known by their id, everything else by its line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from collector.agents.common.any_agent import AnyAgentReader
from collector.agents.common.arguments import path_argument
from collector.agents.common.calls import ERROR_CHARS, Call, Outcome, Result
from collector.agents.common.facets import FACETS
from collector.agents.common.jsonl import copies
from collector.agents.common.messages import blocks_of
from collector.agents.common.prompts import CODEX_INJECTED, PromptKind, classify, without_reminders
from collector.json_values import first_of, get, get_dict, get_int, get_str, time_of
from collector.model import FileObservation, Session, Status, Usage
from collector.text import normal_path
from collector.vocabulary.agents import Agent, slug_of

NAME = "entire-compact"
AGENT = Agent(NAME, "Entire compact transcript", exported={"git-ai": "unknown"})
GIVES = frozenset(FACETS) - {"before", "positions", "subagents", "models"}
ORDER = 10

_REJECTED = ("doesn't want to proceed", "User rejected")


def sniff(head: object) -> bool:
    return isinstance(head, dict) and isinstance(head.get("v"), int) and isinstance(head.get("agent"), str) and "content" in head


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(NAME, session_id).read_lines(copies(blobs))


class _Reader(AnyAgentReader):
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
                self._user(get_str(block, "text"), get_str(block, "id") or f"{time}/{index}/{get_str(block, 'text')}", time)
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
        tokens = get_int(record, "input_tokens"), get_int(record, "output_tokens")
        if any(tokens):
            self.add_usage(Usage(message_id, time, 0, "", *tokens))
        for index, block in enumerate(blocks):
            text = get_str(block, "text")
            if get(block, "type") == "text":
                self.add_message((message_id, time, text), time, "text", text)
            elif get(block, "type") in ("tool_use", "toolCall"):
                self._call(block, message_id, f"{message_id}/{time}/{index}", time)

    def _call(self, block: dict[str, Any], message_id: str, key: str, time: float | None) -> None:
        arguments = block.get("input") if "input" in block else block.get("arguments")
        call = Call(get_str(block, "id") or key, get_str(block, "name"), arguments, time, self.order, message_id=message_id)
        result = get_dict(block, "result")
        self.add_call(call, Result(None, get_str(result, "output"), details=result) if result else None)

    def outcome(self, call: Call, result: Result) -> Outcome:
        status, error = get_str(result.details, "status"), result.text[:ERROR_CHARS]
        if status not in ("success", "error"):
            return Status.UNKNOWN, ""
        if any(text in error for text in _REJECTED):
            return Status.REJECTED, error
        failed = status == "error" or error.startswith("apply_patch verification failed")
        return (Status.ERROR, error) if failed else (Status.OK, "")

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        """A listing with line numbers, `12<tab>text`."""
        heads = [line.partition("\t") for line in result.text.split("\n")]
        path = normal_path(path_argument(call.arguments))
        if not path or not all(head.strip().isdecimal() and tab and len(head) < 10 for head, tab, _ in heads):
            return None
        part = first_of(call.arguments, "offset", "limit") is not None
        return FileObservation(path, call.at, int(heads[0][0]), "\n".join(text for _, _, text in heads), whole=not part)
