"""The model interfaces that agents speak: Anthropic Messages, OpenAI Chat Completions and
Responses, Gemini.

Each says what a request holds (`events`, `tools`, `thinks`) and puts an answer into its form, whole
or as a stream. Pure.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from lab.actions import Json, Tool


class Event(NamedTuple):
    """A piece of the conversation so far: `user` and `assistant` with their text, `result` with
    the number of results.
    """

    kind: str
    text: str = ""
    results: int = 0


@dataclass(frozen=True)
class Usage:
    """Tokens of one response. `input` are those neither read from nor written to the cache;
    thinking is part of `output`.
    """

    input: int
    output: int
    cached: int
    written: int = 0
    thinking: int = 0

    @property
    def prompt(self) -> int:
        return self.input + self.cached

    def as_row(self) -> dict[str, int]:
        return asdict(self)


@dataclass(frozen=True)
class Call:
    id: str
    tool: Tool
    arguments: Json | str

    @property
    def arguments_text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Answer:
    """One response of the model. `key` differs between all responses that an agent's home ever
    sees.
    """

    key: str
    model: str
    text: str
    thinking: str
    calls: Sequence[Call]
    usage: Usage
    # the stream stands still in the middle of the text, so that a person can interrupt it
    slow: bool = False

    def pauses_after(self, chunk: str) -> bool:
        """Whether this chunk of the stream has the first half of a text that is to be
        interrupted.
        """
        return self.slow and bool(self.text) and json.dumps(halves(self.text)[0])[1:-1] in chunk


def plain_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = [
        part if isinstance(part, str) else part.get("text")
        for part in content or []
        if isinstance(part, str | dict)
    ]
    return "\n".join(part for part in parts if isinstance(part, str))


def data_line(value: Json) -> str:
    return f"data: {json.dumps(value)}\n\n"


class Interface:
    """What all interfaces have in common; `name` is the one in the log."""

    name = ""
    call_prefix = "call_"

    def events(self, body: Json) -> Iterator[Event]:
        raise NotImplementedError

    def tools(self, body: Json) -> list[Tool]:
        raise NotImplementedError

    def thinks(self, body: Json) -> bool:
        """Whether the request asks for thinking that the agent gets to see."""
        raise NotImplementedError

    def announced(self, usage: Usage) -> Usage:
        """What the stream has told of the tokens when a person interrupts the answer: most
        interfaces tell at the end.
        """
        return Usage(0, 0, 0)

    def whole(self, answer: Answer) -> Json:
        raise NotImplementedError

    def stream(self, answer: Answer) -> Iterator[str]:
        raise NotImplementedError


class Anthropic(Interface):
    name = "anthropic"
    call_prefix = "toolu_01"

    def events(self, body: Json) -> Iterator[Event]:
        answered = set[str]()  # old versions of Claude Code send a call and its result twice
        for message in body.get("messages", []):
            content = message.get("content")
            if message["role"] == "assistant":
                yield Event("assistant", plain_text(content))
                continue
            blocks = content if isinstance(content, list) else []
            results = {
                block["tool_use_id"]
                for block in blocks
                if isinstance(block, dict) and block.get("type") == "tool_result"
            }
            if results - answered:
                yield Event("result", results=len(results - answered))
            answered |= results
            text = plain_text(content)
            if text:
                yield Event("user", text)

    def tools(self, body: Json) -> list[Tool]:
        return [
            Tool(tool["name"], tool.get("input_schema") or {}, tool.get("description", ""))
            for tool in body.get("tools") or []
        ]

    def thinks(self, body: Json) -> bool:
        return (body.get("thinking") or {}).get("type") in ("enabled", "adaptive")

    def _blocks(self, answer: Answer) -> list[Json]:
        blocks: list[Json] = []
        if answer.thinking:
            blocks.append(
                {"type": "thinking", "thinking": answer.thinking, "signature": f"bGFi{answer.key}"}
            )
        if answer.text:
            blocks.append({"type": "text", "text": answer.text})
        for call in answer.calls:
            blocks.append(
                {"type": "tool_use", "id": call.id, "name": call.tool.name, "input": call.arguments}
            )
        return blocks

    def _usage(self, usage: Usage) -> Json:
        return {
            "input_tokens": usage.input,
            "cache_creation_input_tokens": usage.written,
            "cache_read_input_tokens": usage.cached,
            "cache_creation": {
                "ephemeral_5m_input_tokens": usage.written,
                "ephemeral_1h_input_tokens": 0,
            },
            "output_tokens": usage.output,
            "service_tier": "standard",
        }

    def announced(self, usage: Usage) -> Usage:
        return replace(usage, output=1, thinking=0)

    def whole(self, answer: Answer) -> Json:
        return {
            "id": f"msg_01{answer.key}",
            "type": "message",
            "role": "assistant",
            "model": answer.model,
            "content": self._blocks(answer),
            "stop_reason": "tool_use" if answer.calls else "end_turn",
            "stop_sequence": None,
            "usage": self._usage(answer.usage),
        }

    def stream(self, answer: Answer) -> Iterator[str]:
        def event(name: str, **fields: Any) -> str:
            return f"event: {name}\n{data_line({'type': name, **fields})}"

        message = self.whole(answer)
        start = {
            **message,
            "content": [],
            "stop_reason": None,
            "usage": {**message["usage"], "output_tokens": 1},
        }
        yield event("message_start", message=start)
        yield event("ping")
        for index, block in enumerate(message["content"]):
            kind = block["type"]
            if kind == "tool_use":
                empty, deltas = (
                    {**block, "input": {}},
                    [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}],
                )
            elif kind == "thinking":
                empty = {**block, "thinking": "", "signature": ""}
                deltas = [
                    {"type": "thinking_delta", "thinking": block["thinking"]},
                    {"type": "signature_delta", "signature": block["signature"]},
                ]
            else:
                empty, deltas = (
                    {**block, "text": ""},
                    [{"type": "text_delta", "text": part} for part in halves(block["text"])],
                )
            yield event("content_block_start", index=index, content_block=empty)
            for delta in deltas:
                yield event("content_block_delta", index=index, delta=delta)
            yield event("content_block_stop", index=index)
        yield event(
            "message_delta",
            delta={"stop_reason": message["stop_reason"], "stop_sequence": None},
            usage=message["usage"],
        )
        yield event("message_stop")


def halves(text: str) -> list[str]:
    """The text in two pieces, as a stream brings it."""
    middle = len(text) // 2
    return [part for part in (text[:middle], text[middle:]) if part]


class ChatCompletions(Interface):
    name = "chat"

    def events(self, body: Json) -> Iterator[Event]:
        for message in body.get("messages", []):
            if message["role"] == "tool":
                yield Event("result", results=1)
            elif message["role"] in ("user", "assistant"):
                yield Event(message["role"], plain_text(message.get("content")))

    def tools(self, body: Json) -> list[Tool]:
        functions = [tool.get("function") or tool for tool in body.get("tools") or []]
        return [
            Tool(f.get("name", "?"), f.get("parameters") or {}, f.get("description") or "")
            for f in functions
        ]

    def thinks(self, body: Json) -> bool:
        return bool(
            body.get("reasoning_effort") or body.get("reasoning") or body.get("enable_thinking")
        )

    def _usage(self, usage: Usage) -> Json:
        return {
            "prompt_tokens": usage.prompt,
            "completion_tokens": usage.output,
            "total_tokens": usage.prompt + usage.output,
            "prompt_tokens_details": {"cached_tokens": usage.cached},
            "completion_tokens_details": {"reasoning_tokens": usage.thinking},
        }

    def _calls(self, answer: Answer) -> list[Json]:
        return [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.tool.name, "arguments": call.arguments_text},
            }
            for call in answer.calls
        ]

    def _head(self, answer: Answer) -> Json:
        return {"id": f"chatcmpl-{answer.key}", "created": int(time.time()), "model": answer.model}

    def whole(self, answer: Answer) -> Json:
        message: Json = {"role": "assistant", "content": answer.text}
        if answer.thinking:
            message["reasoning_content"] = answer.thinking
        if answer.calls:
            message["tool_calls"] = self._calls(answer)
        choice = {
            "index": 0,
            "message": message,
            "finish_reason": "tool_calls" if answer.calls else "stop",
        }
        return {
            **self._head(answer),
            "object": "chat.completion",
            "choices": [choice],
            "usage": self._usage(answer.usage),
        }

    def stream(self, answer: Answer) -> Iterator[str]:
        head = {**self._head(answer), "object": "chat.completion.chunk"}

        def chunk(delta: Json, finish: str | None = None) -> str:
            return data_line(
                {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
            )

        yield chunk({"role": "assistant", "content": ""})
        if answer.thinking:
            yield chunk({"reasoning_content": answer.thinking})
        for part in halves(answer.text):
            yield chunk({"content": part})
        for index, call in enumerate(self._calls(answer)):
            function = call["function"]
            yield chunk(
                {
                    "tool_calls": [
                        {**call, "index": index, "function": {**function, "arguments": ""}}
                    ]
                }
            )
            yield chunk(
                {"tool_calls": [{"index": index, "function": {"arguments": function["arguments"]}}]}
            )
        yield chunk({}, "tool_calls" if answer.calls else "stop")
        yield data_line({**head, "choices": [], "usage": self._usage(answer.usage)})
        yield "data: [DONE]\n\n"


class Responses(Interface):
    name = "responses"
    RESULTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")

    def events(self, body: Json) -> Iterator[Event]:
        items = body.get("input")
        if isinstance(items, str):
            items = [{"role": "user", "content": items}]
        for item in items or []:
            kind = item.get("type", "message")
            if kind in self.RESULTS:
                yield Event("result", results=1)
            elif kind == "message" and item.get("role") in ("user", "assistant"):
                yield Event(item["role"], plain_text(item.get("content")))

    def tools(self, body: Json) -> list[Tool]:
        found: list[Tool] = []
        waiting = list(body.get("tools") or [])
        while waiting:
            tool = waiting.pop(0)
            if tool.get("type") == "namespace" and tool.get("tools"):
                waiting = [
                    {**inner, "namespace": tool.get("name", "")} for inner in tool["tools"]
                ] + waiting
            elif tool.get("type") == "function":
                found.append(
                    Tool(
                        tool["name"],
                        tool.get("parameters") or {},
                        tool.get("description") or "",
                        False,
                        tool.get("namespace", ""),
                    )
                )
            else:
                found.append(
                    Tool(
                        tool.get("name") or tool.get("type", "?"),
                        {},
                        tool.get("description") or "",
                        freeform=True,
                    )
                )
        return found

    def thinks(self, body: Json) -> bool:
        return bool((body.get("reasoning") or {}).get("summary") not in (None, "none"))

    def _items(self, answer: Answer) -> list[Json]:
        items: list[Json] = []
        if answer.thinking:
            summary = [{"type": "summary_text", "text": answer.thinking}]
            items.append(
                {
                    "type": "reasoning",
                    "id": f"rs_{answer.key}",
                    "summary": summary,
                    "encrypted_content": f"bGFi{answer.key}",
                }
            )
        if answer.text:
            content = [{"type": "output_text", "text": answer.text, "annotations": []}]
            items.append(
                {
                    "type": "message",
                    "id": f"msg_{answer.key}",
                    "status": "completed",
                    "role": "assistant",
                    "content": content,
                }
            )
        for call in answer.calls:
            free = call.tool.freeform
            items.append(
                {
                    "type": "custom_tool_call" if free else "function_call",
                    "id": ("ctc_" if free else "fc_") + call.id,
                    "call_id": call.id,
                    "name": call.tool.name,
                    "input" if free else "arguments": call.arguments_text,
                    "status": "completed",
                    **({"namespace": call.tool.namespace} if call.tool.namespace else {}),
                }
            )
        return items

    def whole(self, answer: Answer) -> Json:
        usage = answer.usage
        return {
            "id": f"resp_{answer.key}",
            "object": "response",
            "created_at": int(time.time()),
            "status": "completed",
            "model": answer.model,
            "output": self._items(answer),
            "usage": {
                "input_tokens": usage.prompt,
                "input_tokens_details": {"cached_tokens": usage.cached},
                "output_tokens": usage.output,
                "output_tokens_details": {"reasoning_tokens": usage.thinking},
                "total_tokens": usage.prompt + usage.output,
            },
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "error": None,
            "incomplete_details": None,
            "metadata": {},
        }

    def stream(self, answer: Answer) -> Iterator[str]:
        number = 0

        def event(name: str, **fields: Any) -> str:
            nonlocal number
            number += 1
            return (
                f"event: {name}\n{data_line({'type': name, 'sequence_number': number, **fields})}"
            )

        response = self.whole(answer)
        yield event(
            "response.created",
            response={**response, "status": "in_progress", "output": [], "usage": None},
        )
        for index, item in enumerate(response["output"]):
            empties: dict[str, Json] = {
                "message": {"content": []},
                "function_call": {"arguments": ""},
                "reasoning": {"summary": []},
            }
            empty = {**item, **empties.get(item["type"], {"input": ""})}
            if "status" in item:
                empty["status"] = "in_progress"
            yield event("response.output_item.added", output_index=index, item=empty)
            for name, fields in self._deltas(item):
                yield event(name, item_id=item["id"], output_index=index, **fields)
            yield event("response.output_item.done", output_index=index, item=item)
        yield event("response.completed", response=response)

    def _deltas(self, item: Json) -> Iterator[tuple[str, Json]]:
        if item["type"] == "message":
            part = item["content"][0]
            yield "response.content_part.added", {"content_index": 0, "part": {**part, "text": ""}}
            for text in halves(part["text"]):
                yield "response.output_text.delta", {"content_index": 0, "delta": text}
            yield "response.output_text.done", {"content_index": 0, "text": part["text"]}
            yield "response.content_part.done", {"content_index": 0, "part": part}
        elif item["type"] == "reasoning":
            part = item["summary"][0]
            yield (
                "response.reasoning_summary_part.added",
                {"summary_index": 0, "part": {**part, "text": ""}},
            )
            yield (
                "response.reasoning_summary_text.delta",
                {"summary_index": 0, "delta": part["text"]},
            )
            yield "response.reasoning_summary_text.done", {"summary_index": 0, "text": part["text"]}
            yield "response.reasoning_summary_part.done", {"summary_index": 0, "part": part}
        elif item["type"] == "function_call":
            yield "response.function_call_arguments.delta", {"delta": item["arguments"]}
            yield "response.function_call_arguments.done", {"arguments": item["arguments"]}
        else:
            yield "response.custom_tool_call_input.delta", {"delta": item["input"]}
            yield "response.custom_tool_call_input.done", {"input": item["input"]}


class Gemini(Interface):
    name = "gemini"

    def events(self, body: Json) -> Iterator[Event]:
        for message in body.get("contents", []):
            parts = message.get("parts", [])
            results = sum(1 for part in parts if "functionResponse" in part)
            if results:
                yield Event("result", results=results)
            text = plain_text([part for part in parts if not part.get("thought")])
            if text:
                yield Event("assistant" if message.get("role") == "model" else "user", text)

    def tools(self, body: Json) -> list[Tool]:
        functions = [
            function
            for tool in body.get("tools", [])
            for function in tool.get("functionDeclarations", [])
        ]
        return [Tool(f["name"], self._schema(f), f.get("description", "")) for f in functions]

    def _schema(self, function: Json) -> Json:
        schema = function.get("parametersJsonSchema") or function.get("parameters") or {}
        lower: Json = json.loads(
            re.sub(
                r'"type": "([A-Z]+)"',
                lambda match: f'"type": "{match[1].lower()}"',
                json.dumps(schema),
            )
        )
        return lower

    def thinks(self, body: Json) -> bool:
        return bool(
            ((body.get("generationConfig") or {}).get("thinkingConfig") or {}).get(
                "includeThoughts"
            )
        )

    def _candidate(self, answer: Answer, parts: list[Json], *, last: bool) -> Json:
        usage = answer.usage
        candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
        if last:
            candidate["finishReason"] = "STOP"
        counts = {
            "promptTokenCount": usage.prompt,
            "candidatesTokenCount": usage.output - usage.thinking,
            "cachedContentTokenCount": usage.cached,
            "totalTokenCount": usage.prompt + usage.output,
        }
        if usage.thinking:
            counts["thoughtsTokenCount"] = usage.thinking
        return {
            "candidates": [candidate],
            "usageMetadata": counts,
            "modelVersion": answer.model,
            "responseId": answer.key,
        }

    def announced(self, usage: Usage) -> Usage:
        return usage

    def _parts(self, answer: Answer) -> list[Json]:
        parts: list[Json] = [{"text": answer.thinking, "thought": True}] if answer.thinking else []
        parts += [{"text": part} for part in halves(answer.text)]
        parts += [
            {"functionCall": {"name": call.tool.name, "args": call.arguments}}
            for call in answer.calls
        ]
        return parts

    def whole(self, answer: Answer) -> Json:
        return self._candidate(answer, self._parts(answer), last=True)

    def stream(self, answer: Answer) -> Iterator[str]:
        parts = self._parts(answer)
        for number, part in enumerate(parts, 1):
            yield (
                "data:"
                f" {json.dumps(self._candidate(answer, [part], last=number == len(parts)))}\r\n\r\n"
            )


def interface_of(path: str) -> Interface | None:
    """The interface that a request's path, without its query, belongs to."""
    if path.endswith("/messages"):
        return Anthropic()
    if path.endswith("/chat/completions"):
        return ChatCompletions()
    if path.endswith("/responses"):
        return Responses()
    if re.search(r":(stream)?[gG]enerateContent$", path):
        return Gemini()
    return None
