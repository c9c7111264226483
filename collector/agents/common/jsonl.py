"""The JSON in the bytes of a transcript: lines, each distinct one once, or whole documents. What
is unreadable is a problem.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from itertools import islice
from typing import Any

import orjson

from collector.commit_model import Problem
from collector.json_values import JsonObject, is_too_deep
from collector.limits import JSON_BYTES, JSON_DEPTH
from collector.text import decode

MAX_DETAIL = 300
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"
_BLANKS = re.compile(r"[ \t\r\n]*")


def first_value(blob: bytes) -> object | None:
    """The first JSON value of a transcript: that of its first line, or the document when it goes
    over many lines.

    None of one that is too long to be read.
    """
    for text in (first_line(blob), blob):
        if len(text) > JSON_BYTES:
            break
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(text)  # type: ignore[no-any-return]
        decoded = decode(text).lstrip(_SPACE + "\ufeff")
        with suppress(ValueError, RecursionError):
            value = None if is_too_deep(decoded) else _DECODER.raw_decode(decoded)[0]
            return value
    return None


def first_line(blob: bytes) -> bytes:
    """The first line with text among the first few."""
    for line in islice(BytesIO(blob), 50):
        if not line.isspace():
            return line.removesuffix(b"\n")
    return b""


def values(line: bytes) -> Iterator[Any]:
    """JSON values of one line; writers sometimes lose the newline between two.

    Raises ValueError where the text is not JSON, or too long.
    """
    if len(line) > JSON_BYTES:
        raise ValueError(f"longer than {JSON_BYTES:,} bytes")
    try:
        yield orjson.loads(line)
        return
    except orjson.JSONDecodeError:
        # two values on the line, bytes that are no UTF-8, lone surrogates, NaN: the slower reader
        # takes them
        pass
    text = decode(line)
    if is_too_deep(text):
        raise ValueError(f"values inside each other more than {JSON_DEPTH:,} times")
    position = len(text) - len(text.lstrip(_SPACE))
    while position < len(text):
        value, position = _DECODER.raw_decode(text, position)
        yield value
        position = _BLANKS.match(text, position).end()  # type: ignore[union-attr]  # it matches nothing, too


def records(
    blobs: Iterable[bytes],
    problems: list[Problem],
    session_id: str,
    skip: Callable[[bytes], bool] | None = None,
    torn: list[tuple[object, object]] | None = None,
) -> Iterator[JsonObject]:
    """JSON objects of all copies of a transcript, each distinct line once, in order of first
    appearance.

    The unreadable lines of a copy become one problem with their number and the first position, and
    `torn` gets the times of the records around them, as they stand there; `skip` drops lines
    unread.
    """
    visited = set()
    longest = b""
    if torn is None:
        torn = []
    for blob in blobs:
        bad = 0
        last = None  # the time of the record before
        since = None  # of the one before lines that cannot be read
        first_bad = ""
        start = same_lines(longest, blob)
        longest = max(longest, blob, key=len)
        for number, line in enumerate(blob[start:].split(b"\n"), 1 + blob.count(b"\n", 0, start)):
            key = hash(line)
            if key in visited or not line or line.isspace():
                continue
            visited.add(key)
            if skip and skip(line):
                continue
            try:
                for value in values(line):
                    if isinstance(value, dict):
                        written = value.get("timestamp", last)
                        if since is not None and written is not last:
                            torn.append((since, written))
                            since = None
                        last = written
                        yield value
                    else:
                        bad += 1
                        first_bad = first_bad or f"line {number}: not an object"
            except (ValueError, RecursionError) as error:
                since = last if since is None else since
                bad += 1
                first_bad = first_bad or f"line {number}: {error}"
        if bad:
            detail = f"{bad}, first at {first_bad}"[:MAX_DETAIL]
            problems.append(Problem("transcripts", session_id, "unreadable_lines", detail))


def same_lines(first: bytes, second: bytes) -> int:
    """Where the first line of `second` begins that differs from `first`: copies of a session
    have the same beginning.
    """
    low = 0
    high = min(len(first), len(second))
    left = memoryview(first)
    right = memoryview(second)
    # the beginnings of length `low` agree; halves are compared at the speed of memory
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return second.rfind(b"\n", 0, low) + 1


def copies(blobs: Iterable[bytes]) -> list[bytes]:
    """The copies worth reading, largest first, whatever their order: those that begin another
    one add nothing.
    """
    retained: list[bytes] = []
    for blob in sorted(set(blobs), key=lambda b: (-len(b), b)):
        if not any(longer.startswith(blob) for longer in retained):
            retained.append(blob)
    return retained


def documents(blobs: Iterable[bytes], problems: list[Problem], session_id: str) -> Iterator[object]:
    """The documents of all copies, largest copy first.

    A long session is stored as several documents, one after the other. What follows an unreadable
    one is lost; the copy becomes a problem.
    """
    for blob in copies(blobs):
        try:
            yield from values(blob)
        except (ValueError, RecursionError) as error:
            problems.append(
                Problem("transcripts", session_id, "unreadable_document", str(error)[:MAX_DETAIL])
            )
