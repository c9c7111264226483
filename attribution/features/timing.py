"""When things happened and how long they took; what each turn used, and the numbers of the turns
behind lists per message. Pure.

`attribution/stages/turn_outcomes.py` puts these lists together, one row per turn.
"""

from bisect import bisect_left
from collections import defaultdict
from itertools import pairwise

from attribution.features.registry import Feature, Values
from attribution.features.tokens import usage_by_model, usage_of
from attribution.features.view import SessionView, is_edit
from collector.storage.store import iso

NAME = "timing"
TITLE = "Time, and turn by turn"
ORDER = 30
STAGE = "session"
# seconds without any event after which nobody is taken to be at work (arXiv 2604.20779)
IDLE = 120.0
_NONE = ("no_times", "no_event_times", "no_event")

FEATURES = (
    Feature("wall_time_s", "real", "seconds", "first event to last event", null=_NONE),
    Feature(
        "session_runtime_s",
        "real",
        "seconds",
        "the same without gaps of more than 2 minutes between events",
        null=_NONE,
    ),
    Feature(
        "agent_runtime_s",
        "real",
        "seconds",
        "sum over turns of the time from the message to the agent's last event before the next one",
        null=("spawned", "no_times", "no_turn_time"),
    ),
    Feature(
        "turn_timestamps",
        "json",
        "list of UTC times",
        "time of each user turn and of each response of the main agent, in order, as"
        " 2026-02-18T00:07:22.729Z",
        null=_NONE,
        version=2,
    ),
    Feature(
        "turn_roles",
        "json",
        "list of user, agent",
        "whose turn each of turn_timestamps is",
        null=_NONE,
    ),
    Feature(
        "per_turn_agent_latency_s",
        "json",
        "list of seconds",
        "for each user turn, the time to the agent's last event of that turn; null for turns"
        " without answer",
        null=("spawned", "no_times", "no_turn_time"),
    ),
    Feature(
        "per_response_latency_s",
        "json",
        "list of seconds",
        "for each response of the main agent with a time, in order: the time since what it answers,"
        " the latest of the user's message, the result of a call and the response before it",
        null=("no_usage", *_NONE, "no_response_times"),
    ),
    Feature(
        "time_to_first_edit_s",
        "real",
        "seconds",
        "first event to the first call that changed a file",
        null=("no_edit", "no_times", "no_call_times"),
        version=2,
    ),
    Feature(
        "turn_numbers",
        "json",
        "list of turns",
        "numbers in `turns` of the user turns, as per_turn_agent_latency_s has them",
    ),
    Feature(
        "typed_turn_numbers",
        "json",
        "list of turns",
        "numbers in `turns` of the typed messages, as turn_languages and turn_classes have them",
    ),
    Feature(
        "interrupted_turns", "json", "list of turns", "numbers of the turns that the user stopped"
    ),
    Feature(
        "tokens_by_turn",
        "json",
        "tokens by turn, model and kind",
        "as unrecorded_tokens, for each turn; subagents included",
        null=("no_usage",),
        version=3,
    ),
    Feature(
        "recorded_cost_by_turn",
        "json",
        "USD by turn",
        "as recorded_cost_usd, for each turn",
        null=("no_recorded_cost",),
    ),
)


def compute(view: SessionView) -> Values:
    times = sorted(_times(view))
    spans = _turn_spans(view)
    first = view.first_edit
    edited = (
        view.calls[first].at if first < len(view.calls) and is_edit(view.calls[first]) else None
    )
    timed = [("user", turn.at) for turn in view.user_turns] + [
        ("agent", usage.at) for usage in view.responses
    ]
    stamps = sorted(
        ((at, role) for role, at in timed if at is not None), key=lambda stamp: stamp[0]
    )
    return {
        "wall_time_s": round(times[-1] - times[0], 3) if times else None,
        "session_runtime_s": (
            round(sum(b - a for a, b in pairwise(times) if b - a <= IDLE), 3) if times else None
        ),
        "agent_runtime_s": (
            round(sum(s for s in spans if s is not None), 3)
            if any(s is not None for s in spans)
            else None
        ),
        "turn_timestamps": [iso(at) for at, _ in stamps] if times else None,
        "turn_roles": [role for _, role in stamps] if times else None,
        "per_turn_agent_latency_s": spans if any(s is not None for s in spans) else None,
        "per_response_latency_s": _response_latencies(view) or None,
        "time_to_first_edit_s": (
            round(max(edited - times[0], 0.0), 3) if edited is not None else None
        ),
        "turn_numbers": [t.index for t in view.user_turns],
        "typed_turn_numbers": [t.index for t in view.typed],
        "interrupted_turns": sorted({stop.turn for stop in view.interruptions}),
        **_usage_by_turn(view),
    }


def _times(view: SessionView) -> set[float]:
    session = view.session
    times = {
        e.at
        for events in (session.turns, session.calls, session.messages, session.usage)
        for e in events
    }
    times |= {m.at for m in session.marks if m.kind not in ("queue", "resumed")} | {
        c.done_at for c in session.calls
    }
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
    return [
        round(max(last[t.index] - t.at, 0.0), 3) if t.at is not None and t.index in last else None
        for t in view.user_turns
    ]


def _response_latencies(view: SessionView) -> list[float]:
    """Of responses before which something happened; a response that is recorded several times
    counts once, when it was complete.
    """
    done: dict[str, float] = {}
    for usage in view.responses:
        if usage.at is not None:
            done[usage.message_id] = max(usage.at, done.get(usage.message_id, usage.at))
    results = (c.done_at for c in view.calls if not c.agent_id)
    events = sorted(
        {
            time
            for time in (*(t.at for t in view.session.turns), *results, *done.values())
            if time is not None
        }
    )
    answered = [
        (time, events[position - 1])
        for time in sorted(done.values())
        if (position := bisect_left(events, time))
    ]
    return [round(time - before, 3) for time, before in answered]


def _usage_by_turn(view: SessionView) -> Values:
    """Tokens without a recorded cost, and recorded costs; turns by number, as JSON writes keys."""
    used = usage_of(view)
    listed = defaultdict(list)
    costs: dict[str, float] = defaultdict(float)
    for response in sorted(used, key=lambda u: u.turn):
        if response.cost is None:
            listed[str(response.turn)].append(response)
        else:
            costs[str(response.turn)] += response.cost
    calls = () if costs else view.calls
    tokens = {
        turn: usage_by_model(usage, (call for call in calls if str(call.turn) == turn))
        for turn, usage in listed.items()
    }
    return {
        "tokens_by_turn": tokens if view.session.counts_tokens else None,
        "recorded_cost_by_turn": dict(costs) or None,
    }
