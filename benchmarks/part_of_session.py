"""What is left of a recorded session when a part of it is lost, as parts get lost: its
beginning, its end, a subagent, a copy.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from variants import Variants  # noqa: E402

from attribution.authorship.session_edits import SessionEdits  # noqa: E402
from attribution.stages import sessions  # noqa: E402
from collector.load import LoadedSession, read_session, session_files  # noqa: E402
from collector.model import Checkpoint, Session, ToolCall  # noqa: E402

# of a session's calls that are lost at its beginning or end, at least and at most
_SHARES = (0.1, 0.5)


class Part(StrEnum):
    """What is lost of a session."""

    FIRST = "first"  # the first calls; nothing says that there were any
    LAST = "last"  # the last calls
    SUBAGENT = "subagent"  # all calls of one subagent; that it was started is known
    COPY = "copy"  # what the last checkpoint with the session holds of it


@dataclass(frozen=True, slots=True)
class Remainder:
    """What is known of a session after the loss."""

    forgotten: frozenset[str]  # ids of the calls that are lost
    edits: SessionEdits | None  # None: nothing is left of the session
    checkpoints: Sequence[Checkpoint] | None = None  # of the repository, where they differ


def without_part(variants: Variants, key: str, part: Part, rng: random.Random) -> Remainder | None:
    """None when the session has no such part: no subagent, no second copy, no times."""
    loaded = _loaded(variants, key, variants.checkpoints)
    if loaded is None or loaded.session is None:
        return None
    if part is Part.COPY:
        return _without_copy(variants, key, loaded.session)
    kept = _CUTS[part](loaded.session, rng)
    if kept is None:
        return None
    edits = sessions.edits_of(replace(loaded, session=kept), variants.sessions.ids[key])
    return Remainder(_lost(loaded.session, kept), edits)


def _loaded(
    variants: Variants, key: str, checkpoints: Sequence[Checkpoint]
) -> LoadedSession | None:
    files = next((one for one in session_files(checkpoints) if one.key == key), None)
    return read_session(variants.repo, files) if files is not None else None


def _lost(whole: Session, kept: Session) -> frozenset[str]:
    return frozenset(call.call_id for call in whole.calls) - {call.call_id for call in kept.calls}


def _first(session: Session, rng: random.Random) -> Session | None:
    at = _moment(session, rng.uniform(*_SHARES))
    return between(session, at, float("inf")) if at is not None else None


def _last(session: Session, rng: random.Random) -> Session | None:
    at = _moment(session, 1 - rng.uniform(*_SHARES))
    return between(session, 0.0, at) if at is not None else None


def _moment(session: Session, share: float) -> float | None:
    """When the call began that stands after a share of the calls."""
    return session.calls[int(share * len(session.calls))].at if session.calls else None


def between(session: Session, since: float, until: float) -> Session:
    """What the session did from one moment on up to another; events without a time are lost."""

    def within(at: float | None) -> bool:
        return at is not None and since <= at < until

    calls = tuple(call for call in session.calls if within(call.at))
    turns = tuple(turn for turn in session.turns if within(turn.at))
    messages = tuple(one for one in session.messages if within(one.at))
    times = [
        one.at for several in (calls, turns, messages) for one in several if one.at is not None
    ]
    return replace(
        session,
        calls=calls,
        turns=turns,
        messages=messages,
        notices=tuple(one for one in session.notices if within(one.at)),
        started_at=min(times, default=since) if since else session.started_at,
        ended_at=max(times, default=since) if until < float("inf") else session.ended_at,
    )


def _one_subagent(session: Session, rng: random.Random) -> Session | None:
    names = sorted({call.agent_id for call in session.calls if call.agent_id and call.edits})
    if not names:
        return None
    name = rng.choice(names)
    return replace(
        session, calls=tuple(_unseen(call, name) for call in session.calls if call.agent_id != name)
    )


def _unseen(call: ToolCall, name: str) -> ToolCall:
    """The call, whose subagent, if it is that one, is in no transcript."""
    if call.spawn is None or call.spawn.agent_id != name:
        return call
    return replace(call, spawn=replace(call.spawn, visible=False))


def _without_copy(variants: Variants, key: str, whole: Session) -> Remainder | None:
    holders = [
        one
        for one in variants.checkpoints
        if any(record.session_id == key for record in one.sessions)
    ]
    if len(holders) < 2:
        return None
    last = max(holders, key=lambda one: (one.created_at or 0.0, one.id))
    kept = []
    for checkpoint in variants.checkpoints:
        records = tuple(
            record
            for record in checkpoint.sessions
            if checkpoint is not last or record.session_id != key
        )
        if records or not checkpoint.sessions:
            kept.append(replace(checkpoint, sessions=records))
    loaded = _loaded(variants, key, kept)
    if loaded is None or loaded.session is None:
        return None
    return Remainder(
        _lost(whole, loaded.session), sessions.edits_of(loaded, variants.sessions.ids[key]), kept
    )


_CUTS = {Part.FIRST: _first, Part.LAST: _last, Part.SUBAGENT: _one_subagent}
