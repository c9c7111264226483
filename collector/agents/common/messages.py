"""Messages in the shapes of the models' own interfaces, which most agents store unchanged."""

from __future__ import annotations

from typing import Any

from collector.json_values import get_int, get_str
from collector.model import Usage


def text_of(content: object, separator: str = "\n") -> str:
    """The text of a message: the string itself, or the `text` of each block."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return separator.join(b if isinstance(b, str) else get_str(b, "text") for b in blocks if b)


def blocks_of(content: object) -> list[Any]:
    """The blocks of a message; a string is one block of text."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def anthropic_usage(usage: dict[str, Any], message_id: str, time: float | None, model: str, agent_id: str = "") -> Usage:
    """Tokens of a response as Anthropic's interface counts them."""
    return Usage(
        message_id,
        time,
        turn=0,
        model=model,
        input=get_int(usage, "input_tokens"),
        output=get_int(usage, "output_tokens"),
        cache_read=get_int(usage, "cache_read_input_tokens"),
        cache_write=get_int(usage, "cache_creation_input_tokens"),
        cache_write_1h=get_int(usage, "cache_creation", "ephemeral_1h_input_tokens"),
        agent_id=agent_id,
    )
