"""JSON values from transcript bytes: tolerant, each distinct line once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from collector.model import Problem
from collector.text import decode

MAX_DEPTH_DETAIL = 300
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


def first_value(blob: bytes) -> object | None:
    """The first JSON value of a transcript: its first line, or the whole document when it is one pretty-printed object.

    For a document the value is cut to its top-level keys that were seen in the first 64 kB, which is all a sniffer needs.
    """
    line = next((part for part in blob[:4_000_000].split(b"\n", 50) if part.strip()), b"")
    try:
        value, _ = _DECODER.raw_decode(decode(line).lstrip(_SPACE + "\ufeff"))
    except (ValueError, RecursionError):
        return _document_keys(blob)
    return value


def _document_keys(blob: bytes) -> object | None:
    try:
        value = json.loads(decode(blob))
    except (ValueError, RecursionError):
        return None
    return value


def values(line: bytes) -> Iterator[Any]:
    """JSON values of one line; writers sometimes lose the newline between two. Raises ValueError at what is no JSON."""
    text = decode(line)
    position = _skip(text, 0)
    while position < len(text):
        value, position = _DECODER.raw_decode(text, position)
        yield value
        position = _skip(text, position)


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in _SPACE:
        position += 1
    return position


def records(
    blobs: Iterable[bytes], problems: list[Problem], subject: str, skip: Callable[[bytes], bool] | None = None
) -> Iterator[dict[str, Any]]:
    """JSON objects of all copies of a transcript, each distinct line once, in order of first appearance.

    Unreadable lines become one problem per copy with their number and the first position; `skip` drops lines unread.
    """
    seen: set[int] = set()
    for blob in blobs:
        bad = 0
        first_bad = ""
        for number, line in enumerate(blob.split(b"\n"), 1):
            key = hash(line)
            if not line.strip() or key in seen:
                continue
            seen.add(key)
            if skip and skip(line):
                continue
            try:
                for value in values(line):
                    if isinstance(value, dict):
                        yield value
                    else:
                        bad, first_bad = bad + 1, first_bad or f"line {number}: no object"
            except (ValueError, RecursionError) as error:
                bad, first_bad = bad + 1, first_bad or f"line {number}: {error}"
        if bad:
            problems.append(Problem("transcripts", subject, "unreadable_lines", f"{bad}, first at {first_bad}"[:MAX_DEPTH_DETAIL]))


# --- typed access to untrusted JSON -----------------------------------------------------------------------------------


def get_str(value: object, *path: str) -> str:
    """The string at a path of keys; "" when anything on the way is absent or of another type."""
    found = get(value, *path)
    return found if isinstance(found, str) else ""


def get_int(value: object, *path: str) -> int:
    found = get(value, *path)
    return int(found) if isinstance(found, int | float) and not isinstance(found, bool) and abs(found) < 2**53 else 0


def get_dict(value: object, *path: str) -> dict[str, Any]:
    found = get(value, *path)
    return found if isinstance(found, dict) else {}


def get_list(value: object, *path: str) -> list[Any]:
    found = get(value, *path)
    return found if isinstance(found, list) else []


def get(value: object, *path: str) -> object:
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def as_json(value: object, limit: int = 20_000) -> str:
    """JSON text for people, cut at `limit` characters."""
    try:
        return json.dumps(value, ensure_ascii=False)[:limit]
    except (ValueError, TypeError, RecursionError):
        return ""
