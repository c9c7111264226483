"""Calls of which no time is recorded were made after the copies that do not have them were stored. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from collector.model import Session


@dataclass(frozen=True, slots=True)
class StoredCopy:
    """A copy of a transcript as a checkpoint holds it."""

    at: float  # when it was stored, seconds since 1970
    calls: frozenset[str]  # ids of the calls in it


def is_undated(session: Session) -> bool:
    """Whether the transcript tells of no call when it was made."""
    return bool(session.calls) and all(call.at is None and call.done_at is None for call in session.calls)


def bounded(session: Session, copies: Iterable[StoredCopy]) -> Session:
    """The session with `not_before` of its calls set to when the last copy without them was stored, where that is later.

    The record that was being written when a copy was stored is not in it: what follows a copy is dated from its second record on.
    The session lasted at least until the last copy was stored.
    """
    calls = list(session.calls)
    ended = session.ended_at
    for copy in sorted(copies, key=lambda entry: entry.at):
        later = [n for n in range(len(copy.calls), len(calls)) if calls[n].call_id not in copy.calls]
        writing = calls[later[0]].message_id if later else ""
        for number in later:
            call = calls[number]
            if call.message_id != writing:
                calls[number] = replace(call, not_before=max(copy.at, call.not_before or copy.at))
        ended = max(copy.at, ended or copy.at)
    return replace(session, calls=tuple(calls), ended_at=ended)
