"""Which sessions repeat events of others (forks, copies under a new id): each event counts once,
for the first. Pure.

A call is known by the agent's own id, a response by its id or by its moment and its tokens, a
prompt by the id of its turn, whatever records hold them. What a session shares with an earlier one
makes it a fork of that one. Then texts and events that both have are left out too, where the moment
is the same or where they stand before the fork left: some agents stamp what they copy anew.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import chain
from math import inf
from typing import Any, TypeVar

from collector.agents.common.call_ids import RANDOM_ID
from collector.groups import positions
from collector.model import (
    AgentMessage,
    ForkPoint,
    Session,
    SessionEvent,
    Status,
    ToolCall,
    Turn,
    Usage,
)

_Event = TypeVar("_Event", Turn, ToolCall, AgentMessage, Usage, SessionEvent)
_STAMPING = 5.0  # seconds that it takes to stamp what is copied


@dataclass(frozen=True, slots=True)
class EventKeys:
    """What the events of a session are known by; the rest of it can be forgotten."""

    started: float
    forked_from: str  # the session that the agent names as its origin
    # calls, responses and prompts -> how much of it is on record: a result, tokens
    anchors: dict[int, int]
    texts: frozenset[int]  # all events, by what they say


@dataclass(frozen=True, slots=True)
class CopiedEvents:
    """What a session repeats: it counts elsewhere."""

    origin: str = ""  # the earlier session that has most of it
    anchors: frozenset[int] = frozenset()
    texts: frozenset[int] = frozenset()

    def key(self) -> str:
        """Changes with the events."""
        return blake2b(
            repr((self.origin, sorted(self.anchors), sorted(self.texts))).encode()
        ).hexdigest()[:16]


def event_keys(session: Session) -> EventKeys:
    anchors: dict[int, int] = {}
    for event in _events(session):
        for key in _anchors(event):
            anchors[key] = max(_weight(event), anchors.get(key, 0))
    texts = frozenset(key for event in _events(session) for key in _texts(event))
    return EventKeys(session.started_at or 0.0, session.forked_from, anchors, texts)


def copied_events(sessions: Mapping[str, EventKeys]) -> dict[str, CopiedEvents]:
    """Session -> what it repeats, of those that repeat anything.

    `sessions`: in the order in which they were stored.
    """
    order = positions(_in_time(sessions))
    owner: dict[int, str] = {}
    for key in order:
        for anchor, weight in sessions[key].anchors.items():
            if anchor not in owner or weight > sessions[owner[anchor]].anchors[anchor]:
                owner[anchor] = key
    copied = {}
    for key, place in order.items():
        foreign = frozenset(anchor for anchor in sessions[key].anchors if owner[anchor] != key)
        shared = Counter(first for anchor in foreign if order[first := owner[anchor]] < place)
        if named := sessions[key].forked_from if sessions[key].forked_from in sessions else "":
            shared[named] += len(foreign) + 1
        texts = frozenset().union(*(sessions[first].texts for first in shared))
        if foreign or shared:
            origin = max(shared, key=lambda first: (shared[first], -order[first]), default="")
            copied[key] = CopiedEvents(origin, foreign, texts & sessions[key].texts)
    return copied


def _in_time(sessions: Mapping[str, EventKeys]) -> tuple[str, ...]:
    """The sessions by their first event, each after the one that it names as its origin."""
    ordered = {}
    for key in sorted(sessions, key=lambda key: sessions[key].started):
        line = [key]
        while (origin := sessions[line[-1]].forked_from) in sessions and origin not in line:
            line.append(origin)
        ordered.update(dict.fromkeys(reversed(line)))
    return tuple(ordered)


def without_copied(session: Session, copied: CopiedEvents) -> Session:
    """The session without the events that count elsewhere; turns keep their numbers."""
    repeated = [
        event.at
        for event in _events(session)
        if event.at is not None and _is_copy(event, copied, -inf)
    ]
    # a copy that is stamped anew begins when the fork does
    named = copied.origin and copied.origin == session.forked_from
    began = session.started_at if named and session.started_at is not None else -inf
    left = max(repeated, default=began)

    def own(events: Iterable[_Event]) -> tuple[_Event, ...]:
        return tuple(event for event in events if not _is_copy(event, copied, left))

    kept = replace(
        session,
        turns=own(session.turns),
        calls=own(session.calls),
        messages=own(session.messages),
        usage=own(session.usage),
        marks=own(session.marks),
        notices=tuple(
            notice for notice in session.notices if notice.at is None or notice.at > left
        ),
    )
    if copied.origin:
        return _as_fork(session, kept, copied.origin, max(repeated, default=session.started_at))
    return kept


def _as_fork(whole: Session, own: Session, origin: str, left: float | None) -> Session:
    """What is left of a session that repeats another, with the point where it left that one."""
    times = _times(own)
    of_both = _times(whole) - _times(own)
    point = ForkPoint(
        origin,
        left,
        turns=len(whole.user_turns) - len(own.user_turns),
        calls=len(whole.calls) - len(own.calls),
        responses=len(whole.usage) - len(own.usage),
    )
    return replace(
        own,
        fork=point,
        started_at=min(times, default=left),
        ended_at=whole.ended_at if times else left,
        truncated_start=whole.truncated_start
        and not min(of_both, default=inf) <= min(times, default=inf),
    )


def _times(session: Session) -> set[float]:
    return {event.at for event in _events(session) if event.at is not None}


def _is_copy(event: Any, copied: CopiedEvents, left: float) -> bool:
    """Whether it counts elsewhere.

    `left`: when the session left the other one, before which the same text is the same event.
    """
    if not copied.anchors.isdisjoint(_anchors(event)):
        return True
    if event.at is None or RANDOM_ID.fullmatch(_id(event)):
        return False
    timed, said = _texts(event)
    return timed in copied.texts or (event.at <= left + _STAMPING and said in copied.texts)


def _events(session: Session) -> Iterator[Any]:
    return chain(session.turns, session.calls, session.messages, session.usage, session.marks)


def _weight(event: ToolCall | Usage | Turn) -> int:
    if isinstance(event, ToolCall):
        return int(event.status is not Status.UNKNOWN)
    if isinstance(event, Turn):
        return 0
    return event.input + event.output + event.cache_read + event.cache_write


def _id(event: Any) -> str:
    """The agent's own id of a call, a response or a prompt's turn; "" of other events."""
    if isinstance(event, ToolCall):
        return event.call_id
    if isinstance(event, Usage):
        return event.message_id
    if isinstance(event, Turn):
        return event.turn_id
    return ""


def _anchors(event: Any) -> Iterator[int]:
    """A call or response by an id that is unique, or by any id at a moment; a response also by
    its tokens at a moment.
    """
    number = _id(event)
    name = event.name if isinstance(event, ToolCall) else ""
    if isinstance(event, Turn):
        name = event.text  # one may be typed while the agent works
    if RANDOM_ID.fullmatch(number):
        yield _key(number, name)
    elif number and event.at is not None:
        yield _key(number, name, event.at)
    if isinstance(event, Usage) and event.at is not None:
        yield _texts(event)[0]


_SAID: Mapping[type, Callable[[Any], tuple[object, ...]]] = {
    Turn: lambda turn: (turn.text,),
    ToolCall: lambda call: (call.name, call.input),
    AgentMessage: lambda message: (message.kind, message.text),
    Usage: lambda usage: (
        usage.model,
        usage.input,
        usage.output,
        usage.cache_read,
        usage.cache_write,
    ),
    SessionEvent: lambda event: (event.kind, event.detail),
}


def _texts(event: Any) -> tuple[int, int]:
    """An event by what it says, at its moment and at any."""
    said = _key(type(event).__name__, *_SAID[type(event)](event))
    return _key(said, event.at), said


def _key(*parts: object) -> int:
    text = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=6).digest(), "big")
