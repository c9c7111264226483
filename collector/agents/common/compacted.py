"""A session whose own transcript is missing, from its compact form: the part after the last copy that can be read. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from collector.model import AgentMessage, Session, SessionEvent, ToolCall, Usage

_Event = TypeVar("_Event", ToolCall, AgentMessage, Usage, SessionEvent)


def continued(full: Session, compact: Session) -> Session:
    """`full`, and what the compact transcript has after its end. Calls are known by the agent's own ids, turns are counted on."""
    end = full.ended_at or 0.0
    existing = {call.call_id for call in full.calls}
    first = max((turn.index for turn in full.turns), default=0)
    later = [turn for turn in compact.turns if turn.at is not None and turn.at > end]
    number = {turn.index: first + n for n, turn in enumerate(later, 1)}

    def after(events: Iterable[_Event]) -> tuple[_Event, ...]:
        return tuple(replace(e, turn=number.get(e.turn, first)) for e in events if e.at is not None and e.at > end)

    return replace(
        full,
        cwds=tuple(dict.fromkeys((*full.cwds, *compact.cwds))),
        turns=(*full.turns, *(replace(turn, index=number[turn.index]) for turn in later)),
        calls=(*full.calls, *(call for call in after(compact.calls) if call.call_id not in existing)),
        messages=(*full.messages, *after(compact.messages)),
        usage=(*full.usage, *after(compact.usage)),
        marks=(*full.marks, *after(compact.marks)),
        ended_at=max(end, compact.ended_at or 0.0) or None,
        problems=tuple(dict.fromkeys((*full.problems, *compact.problems))),
    )


__all__ = ["continued"]
