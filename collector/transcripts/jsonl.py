"""JSON values from transcript bytes: tolerant, each distinct line once."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import orjson

from collector.model import AgentMessage, FileObservation, Problem, Session, SessionEvent, ToolCall, Turn, Usage
from collector.text import decode, normal_path, timestamp

MAX_DEPTH_DETAIL = 300
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


def first_value(blob: bytes) -> object | None:
    """The first JSON value of a transcript: its first line, or the whole document when it is one pretty-printed object.

    For a document the value is cut to its top-level keys that were seen in the first 64 kB, which is all a sniffer needs.
    """
    value: object
    line = _first_line(blob)
    try:
        value, _ = _DECODER.raw_decode(decode(line).lstrip(_SPACE + "\ufeff"))
    except (ValueError, RecursionError):
        return _document_keys(blob)
    return value


def _first_line(blob: bytes) -> bytes:
    """The first line with text among the first few."""
    start = 0
    for _ in range(50):
        end = blob.find(b"\n", start)
        line = blob[start:] if end < 0 else blob[start:end]
        if end < 0 or (line and not line.isspace()):
            return line
        start = end + 1
    return b""


def _document_keys(blob: bytes) -> object | None:
    value: object
    try:
        value = json.loads(decode(blob))
    except (ValueError, RecursionError):
        return None
    return value


def values(line: bytes) -> Iterator[Any]:
    """JSON values of one line; writers sometimes lose the newline between two. Raises ValueError at what is no JSON."""
    try:
        yield orjson.loads(line)
        return
    except orjson.JSONDecodeError:
        pass  # two values on the line, bytes that are no UTF-8, lone surrogates, NaN: the slower reader takes them
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
    blobs: Iterable[bytes],
    problems: list[Problem],
    subject: str,
    skip: Callable[[bytes], bool] | None = None,
    seen: set[int] | None = None,
) -> Iterator[dict[str, Any]]:
    """JSON objects of all copies of a transcript, each distinct line once, in order of first appearance.

    Unreadable lines become one problem per copy with their number and the first position; `skip` drops lines unread.
    A caller that reads the copies one by one gives the same `seen` each time.
    """
    seen = set() if seen is None else seen
    longest = b""
    for blob in blobs:
        bad = 0
        first_bad = ""
        known = same_lines(longest, blob)
        longest = max(longest, blob, key=len)
        for number, line in enumerate(blob[known:].split(b"\n"), 1 + blob.count(b"\n", 0, known)):
            key = hash(line)
            if key in seen or not line or line.isspace():
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


def same_lines(one: bytes, other: bytes) -> int:
    """Where the first line begins in which two copies differ: the beginning of a session is the same in all of them."""
    low, high = 0, min(len(one), len(other))
    left, right = memoryview(one), memoryview(other)
    while low < high:  # the beginnings of length `low` agree; halves are compared at the speed of memory
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return other.rfind(b"\n", 0, low) + 1


def copies(blobs: Iterable[bytes]) -> list[bytes]:
    """The copies worth reading, largest first, whatever their order: those that begin another one add nothing."""
    kept: list[bytes] = []
    for blob in sorted(set(blobs), key=lambda b: (-len(b), b)):
        if not any(longer.startswith(blob) for longer in kept):
            kept.append(blob)
    return kept


# --- typed access to untrusted JSON -----------------------------------------------------------------------------------


def get_str(value: object, key: str, *path: str) -> str:
    """The string at a path of keys; "" when anything on the way is absent or of another type."""
    found = value.get(key) if isinstance(value, dict) else None
    if path:
        found = get(found, *path)
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


def parsed(text: object) -> object | None:
    """The value of JSON text; None for anything else."""
    try:
        value: object = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return value


def as_json(value: object, limit: int = 20_000) -> str:
    """JSON text for people, cut at `limit` characters."""
    try:
        return json.dumps(value, ensure_ascii=False)[:limit]
    except (ValueError, TypeError, RecursionError):
        return ""


def text_of(content: object, separator: str = "\n") -> str:
    """A message's text: a string, or the `text` of each block."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return separator.join(b if isinstance(b, str) else get_str(b, "text") for b in blocks if b)


def time_of(value: object) -> float | None:
    """RFC 3339 text, seconds or milliseconds since 1970 -> seconds."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e14:
        return float(value) / 1000 if value > 1e11 else float(value)
    return timestamp(value)


def resolve(cwd: str, path: str) -> str:
    """A path as the agent gave it, made absolute when the working directory is known."""
    if not path or not cwd or path.startswith(("/", "~")) or re.match(r"[A-Za-z]:[\\/]|\\\\", path):
        return normal_path(path)
    return normal_path(f"{cwd}/{path}")


_COMMIT_LINE = re.compile(r"^\[[^\]\n]{1,200}? ([0-9a-f]{7,40})\]", re.M)


def commits_in(command: str, output: str) -> tuple[str, ...]:
    """Abbreviated ids that git printed for the commits a command made."""
    return tuple(dict.fromkeys(_COMMIT_LINE.findall(output))) if "git" in command else ()


# --- a session from events in any order -------------------------------------------------------------------------------

_Event = TypeVar("_Event", ToolCall, AgentMessage, Usage, SessionEvent)


@dataclass(slots=True)
class Events:
    """What the copies of a transcript say, each event once by its key, the first occurrence wins.

    A reader calls `next` for each record and then adds what the record says; `session` puts everything in time order and
    tells which turn it belongs to.
    """

    agent: str
    session_id: str
    problems: list[Problem] = field(default_factory=list)
    parent_id: str = ""
    order: int = 0
    turns: dict[Hashable, tuple[int, Turn]] = field(default_factory=dict)
    calls: dict[str, tuple[int, ToolCall]] = field(default_factory=dict)
    saids: dict[Hashable, tuple[int, AgentMessage]] = field(default_factory=dict)
    usages: dict[str, tuple[int, Usage]] = field(default_factory=dict)
    marks: dict[Hashable, tuple[int, SessionEvent]] = field(default_factory=dict)
    notices: dict[Hashable, FileObservation] = field(default_factory=dict)
    cwds: dict[str, None] = field(default_factory=dict)
    versions: dict[str, None] = field(default_factory=dict)
    branches: dict[str, None] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    strangers: dict[str, int] = field(default_factory=dict)

    def next(self, at: float | None) -> int:
        self.order += 1
        if at is not None:
            self.times.append(at)
        return self.order

    def seen_in(self, known: dict[str, None], value: object) -> str:
        """Remembers a working directory, version or branch; gives it back as text."""
        text = value if isinstance(value, str) else ""
        if text:
            known.setdefault(text, None)
        return text

    def stranger(self, kind: object) -> None:
        """A record type that the reader does not know: counted, reported once."""
        name = str(kind)[:40]
        self.strangers[name] = self.strangers.get(name, 0) + 1

    def turn(self, key: Hashable, at: float | None, text: str, origin: str = "prompt") -> None:
        if text.strip():
            self.turns.setdefault(key, (self.order, Turn(0, at, text, origin)))

    def call(self, call: ToolCall, order: int | None = None) -> None:
        self.calls.setdefault(call.call_id, (self.order if order is None else order, call))

    def say(self, key: Hashable, at: float | None, kind: str, text: str, agent_id: str = "") -> None:
        self.saids.setdefault(key, (self.order, AgentMessage(at, 0, kind, text, agent_id)))

    def use(self, usage: Usage) -> None:
        """Streamed records repeat the usage of a response with a growing output: the largest counts."""
        known = self.usages.get(usage.message_id)
        if known is None or known[1].output < usage.output:
            self.usages[usage.message_id] = (known[0] if known else self.order, usage)

    def mark(self, kind: str, at: float | None, detail: str = "", limit: int = MAX_DEPTH_DETAIL) -> None:
        self.marks.setdefault((kind, at, detail), (self.order, SessionEvent(kind, at, 0, detail[:limit])))

    def notice(self, seen: FileObservation) -> None:
        if seen.path:
            self.notices.setdefault((seen.path, seen.at, seen.start, hash(seen.text)), seen)

    def _span(self) -> list[float]:
        timed = [event.at for store in (self.calls, self.saids, self.usages, self.marks) for _, event in store.values()]
        ended = [call.done_at for _, call in self.calls.values()]
        return [*self.times, *(at for at in (*timed, *ended) if at is not None)]

    def session(self) -> Session:
        span = self._span()
        ordered = sorted(self.turns.values(), key=lambda pair: (pair[1].at or 0.0, pair[0]))
        turns = [(order, replace(turn, index=i)) for i, (order, turn) in enumerate(ordered, 1)]
        finder = TurnFinder(turns)
        for name, count in self.strangers.items():
            self.problems.append(Problem("transcripts", self.session_id, "unknown_record_type", f"{name}: {count}"))
        return Session(
            id=self.session_id,
            agent=self.agent,
            cwds=tuple(dict.fromkeys(normal_path(c) for c in self.cwds)),
            turns=tuple(turn for _, turn in turns),
            calls=tuple(finder.placed(self.calls.values())),
            said=tuple(finder.placed(self.saids.values())),
            usage=tuple(finder.placed(self.usages.values())),
            notices=tuple(sorted(self.notices.values(), key=lambda n: n.at or 0.0)),
            marks=tuple(finder.placed(self.marks.values())),
            versions=tuple(self.versions),
            branches=tuple(self.branches),
            parent_id=self.parent_id,
            started_at=min(span, default=None),
            ended_at=max(span, default=None),
            problems=tuple(self.problems),
        )


class TurnFinder:
    """Which turn an event belongs to: the last one that began before it (0: before the first)."""

    def __init__(self, turns: list[tuple[int, Turn]]) -> None:
        self._orders = [order for order, _ in turns]
        self._times = [turn.at for _, turn in turns if turn.at is not None]
        self._timed = len(self._times) == len(turns)

    def __call__(self, at: float | None, order: int) -> int:
        if at is not None and self._timed:
            return bisect_right(self._times, at)
        return bisect_right(self._orders, order)

    def placed(self, events: Iterable[tuple[int, _Event]]) -> list[_Event]:
        """Events in time order, each with its turn; in the order read where a time is missing."""
        pairs = list(events)
        timed = all(event.at is not None for _, event in pairs)
        pairs.sort(key=lambda pair: (pair[1].at or 0.0 if timed else 0.0, pair[0]))
        return [replace(event, turn=self(event.at, order)) for order, event in pairs]
