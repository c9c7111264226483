"""What copies of a session tell together: when calls without a time were made, and what follows
the last whole copy. Pure.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, TypeVar

from collector.model import AgentMessage, Session, SessionEvent, ToolCall, Usage
from collector.text import unique

_Event = TypeVar("_Event", ToolCall, AgentMessage, Usage, SessionEvent)


class StoredCopy(NamedTuple):
    """A copy of a transcript as a checkpoint holds it."""

    at: float  # when it was stored, seconds since 1970
    calls: frozenset[str]  # ids of the calls in it


def is_undated(session: Session) -> bool:
    """Whether the transcript tells of no call when it was made."""
    return bool(session.calls) and all(
        call.at is None and call.done_at is None for call in session.calls
    )


def bounded(session: Session, copies: Iterable[StoredCopy]) -> Session:
    """The session with `not_before` of its calls set to when the last copy without them was stored,
    where that is later.

    The record that was being written when a copy was stored is not in it: what follows a copy is
    dated from its second record on, and all of a session that has no record in it. A copy that
    lacks what an earlier one has was begun anew and tells nothing of it. The session lasted at
    least until the last copy with a call of it was stored.
    """
    calls = list(session.calls)
    stored = set[str]()
    ended = session.ended_at
    for copy in sorted(copies, key=lambda entry: entry.at):
        stored |= copy.calls
        later = [n for n in range(len(copy.calls), len(calls)) if calls[n].call_id not in stored]
        writing = calls[later[0]].message_id if later and copy.calls else None
        for number in later:
            call = calls[number]
            if call.message_id != writing:
                calls[number] = replace(call, not_before=max(copy.at, call.not_before or copy.at))
        if copy.calls or not calls:
            ended = max(copy.at, ended or copy.at)
    return replace(session, calls=tuple(calls), ended_at=ended)


def continued(full: Session, compact: Session) -> Session:
    """`full`, and what the compact transcript has after its end. Calls are known by the agent's
    own ids, turns are counted on.
    """
    end = full.ended_at or 0.0
    existing = {call.call_id for call in full.calls}
    first = max((turn.index for turn in full.turns), default=0)
    later = [turn for turn in compact.turns if turn.at is not None and turn.at > end]
    number = {turn.index: first + n for n, turn in enumerate(later, 1)}

    def after(events: Iterable[_Event]) -> tuple[_Event, ...]:
        return tuple(
            replace(e, turn=number.get(e.turn, first))
            for e in events
            if e.at is not None and e.at > end
        )

    return replace(
        full,
        cwds=unique(full.cwds + compact.cwds),
        turns=(*full.turns, *(replace(turn, index=number[turn.index]) for turn in later)),
        calls=(
            *full.calls,
            *(call for call in after(compact.calls) if call.call_id not in existing),
        ),
        messages=full.messages + after(compact.messages),
        usage=full.usage + after(compact.usage),
        marks=full.marks + after(compact.marks),
        ended_at=max(end, compact.ended_at or 0.0) or None,
        problems=unique(full.problems + compact.problems),
    )
