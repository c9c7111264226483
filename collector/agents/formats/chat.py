"""Sessions in the form of OpenAI's chat interface: one JSON document
`{messages: [{role, content, tool_calls}]}`. Pure.

A converter that many use writes sessions of Codex and Claude Code so, with a time for each message
(`_metadata`) and what the first record of the session said (`meta`).
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from collector.agents.common.jsonl import first_value, values
from collector.json_values import JsonObject, get_dict, get_str, objects, to_json


class ChatCall(NamedTuple):
    id: str
    name: str
    arguments: str  # JSON text, as the model wrote it


class ChatMessage(NamedTuple):
    key: str  # tells it from the others, in every copy
    role: str  # user | assistant | tool | system | developer
    timestamp: str
    text: str
    calls: tuple[ChatCall, ...]
    answers: str  # id of the call that this is the result of
    record: JsonObject


def session_meta(document: object) -> JsonObject:
    """What a converted session says of itself; {} for any other document, and where no message
    has a time.
    """
    messages = objects(document.get("messages")) if isinstance(document, dict) else []
    timed = any(get_str(message, "_metadata", "timestamp") for message in messages)
    if timed:
        return get_dict(document, "meta", "session_meta")
    return {}


def lines_of_chats(blob: bytes, records: Callable[[object], Iterable[JsonObject]]) -> bytes:
    """Chats, one after the other, as the records that they were made from; anything else, or a
    chat that is cut off, as it is.
    """
    try:
        chats = list(values(blob)) if session_meta(first_value(blob)) else []
    except (ValueError, RecursionError):
        chats = []
    return (
        "\n".join(json.dumps(record) for chat in chats for record in records(chat)).encode() or blob
    )


def chat_messages(document: object) -> Iterator[ChatMessage]:
    for message in objects(document.get("messages") if isinstance(document, dict) else None):
        content = message.get("content")
        texts = (
            [content]
            if isinstance(content, str)
            else [get_str(block, "text") for block in objects(content)]
        )
        calls = [
            ChatCall(
                get_str(call, "id"),
                get_str(call, "function", "name"),
                get_str(call, "function", "arguments"),
            )
            for call in objects(message.get("tool_calls"))
        ]
        yield ChatMessage(
            hashlib.sha256(to_json(message, 1_000_000).encode("utf-8", "replace")).hexdigest()[:16],
            get_str(message, "role"),
            get_str(message, "_metadata", "timestamp"),
            "\n".join(filter(None, texts)),
            tuple(calls),
            get_str(message, "tool_call_id"),
            message,
        )
