"""Chats as Cursor exports them: Markdown in which a heading says who speaks.

It has neither calls nor times. Each fenced block of an answer is read as a call that wrote it, and
nobody knows where: attribution looks for it in the commit that brings the export. Pure.
"""

import re

from collector.json_values import JsonObject, json_bytes
from collector.text import decode

CODE_BLOCK = "code_block"
_EXPORTED = re.compile(r"\s*# [^\n]*\s+_Exported on [^\n]{1,100} from Cursor \(")
_SPEAKER = re.compile(r"\n---\n\n\*\*(User|Cursor)\*\*\n")
_FENCE = re.compile(r"^[ \t]*```([^\n`]*)$", re.M)
_QUOTED = re.compile(r"\d+:\d+:")  # lines and path of what stood in a file


def is_chat(beginning: str) -> bool:
    return _EXPORTED.match(beginning) is not None


def lines_of_chat(blob: bytes) -> bytes:
    """A chat as the lines of the agent's own transcript."""
    _, *said = _SPEAKER.split(decode(blob).replace("\r\n", "\n"))
    records = map(_record_of, said[::2], said[1::2])
    return b"\n".join(map(json_bytes, records))


def _record_of(speaker: str, body: str) -> JsonObject:
    _, *fenced = _FENCE.split(body)
    blocks = [
        {"type": "tool_use", "name": CODE_BLOCK, "input": {"code": code.strip("\n")}}
        for about, code in zip(fenced[::4], fenced[1::4], strict=True)
        if speaker != "User" and not _QUOTED.match(about)
    ]
    said = {"type": "text", "text": body.strip()}
    role = "user" if speaker == "User" else "assistant"
    return {"role": role, "message": {"content": [said, *blocks]}}
