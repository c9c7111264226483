"""When things happened and how long they took. Pure."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from attribution.features.registry import Feature, Values
from attribution.features.view import SessionView, is_edit

NAME = "timing"
TITLE = "Time"
ORDER = 30
STAGE = "session"
IDLE = 120.0  # seconds without any event after which nobody is taken to be at work (arXiv 2604.20779)
_NONE = ("no_times", "no_event_times", "no_event")

FEATURES = (
    Feature("wall_time_s", "real", "seconds", "first event to last event", null=_NONE),
    Feature("session_runtime_s", "real", "seconds", "the same without gaps of more than 2 minutes between events", null=_NONE),
    Feature("agent_runtime_s", "real", "seconds", "sum over turns of the time from the message to the agent's last event before the next one", null=("spawned", "no_times", "no_turn_time")),
    Feature("turn_timestamps", "json", "list of seconds since 1970", "time of each user turn and of each response of the main agent, in order", null=_NONE),
    Feature("per_turn_agent_latency_s", "json", "list of seconds", "for each user turn, the time to the agent's last event of that turn; null for turns without answer", null=("spawned", "no_times", "no_turn_time")),
    Feature("per_response_latency_s", "json", "list of seconds", "for each response of the main agent with a time, in order: the time since what it answers, the latest of the user's message, the result of a call and the response before it", null=("no_usage", *_NONE, "no_response_times")),
    Feature("time_to_first_edit_s", "real", "seconds", "first event to the first call that changed a file", null=("no_edit", "no_times", "no_call_times"), version=2),
)  # fmt: skip


def compute(view: SessionView) -> Values:
    times = sorted(_times(view))
    spans = _turn_spans(view)
    first = view.first_edit
    edited = view.calls[first].at if first < len(view.calls) and is_edit(view.calls[first]) else None
    stamps = sorted([t.at for t in view.user_turns if t.at is not None] + [u.at for u in view.responses if u.at is not None])
    return {
        "wall_time_s": round(times[-1] - times[0], 3) if times else None,
        "session_runtime_s": round(sum(b - a for a, b in pairwise(times) if b - a <= IDLE), 3) if times else None,
        "agent_runtime_s": round(sum(s for s in spans if s is not None), 3) if any(s is not None for s in spans) else None,
        "turn_timestamps": [round(stamp, 3) for stamp in stamps] if times else None,
        "per_turn_agent_latency_s": spans if any(s is not None for s in spans) else None,
        "per_response_latency_s": _response_latencies(view) or None,
        "time_to_first_edit_s": round(max(edited - times[0], 0.0), 3) if edited is not None else None,
    }


def _times(view: SessionView) -> set[float]:
    session = view.session
    times = {e.at for events in (session.turns, session.calls, session.messages, session.usage) for e in events}
    times |= {m.at for m in session.marks if m.kind not in ("queue", "resumed")} | {c.done_at for c in session.calls}
    return {time for time in times if time is not None}


def _turn_spans(view: SessionView) -> list[float | None]:
    """For each user turn: seconds until the agent's last event that belongs to it."""
    session = view.session
    last: dict[int, float] = {}
    events = [(c.turn, c.done_at if c.done_at is not None else c.at) for c in session.calls]
    events += [(e.turn, e.at) for kind in (session.messages, session.usage) for e in kind]
    for turn, time in events:
        if time is not None:
            last[turn] = max(last.get(turn, time), time)
    return [round(max(last[t.index] - t.at, 0.0), 3) if t.at is not None and t.index in last else None for t in view.user_turns]


def _response_latencies(view: SessionView) -> list[float]:
    """Of responses before which something happened; a response that is recorded several times counts once, when it was complete."""
    done: dict[str, float] = {}
    for usage in view.responses:
        if usage.at is not None:
            done[usage.message_id] = max(usage.at, done.get(usage.message_id, usage.at))
    results = (c.done_at for c in view.calls if not c.agent_id)
    events = sorted({time for time in (*(t.at for t in view.session.turns), *results, *done.values()) if time is not None})
    answered = [(time, events[position - 1]) for time in sorted(done.values()) if (position := bisect_left(events, time))]
    return [round(time - before, 3) for time, before in answered]
