"""Sessions that repeat others: each event counts once, for the first that has it, whatever
copied it.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from collector.agents import codex
from collector.model import AgentMessage, ForkPoint, Session, Status, ToolCall, Turn, Usage
from collector.session_graph import copied_events, event_keys, without_copied

LONG = "toolu_01A2B3C4D5E6F7G8"


def _call(
    at: float, call_id: str = "", command: str = "ls", status: Status = Status.OK
) -> ToolCall:
    return ToolCall(
        call_id or f"{LONG}{at:05.0f}",
        "Bash",
        1,
        at,
        at + 1,
        status,
        input=f'{{"command": "{command}"}}',
    )


def _session(
    name: str,
    *calls: ToolCall,
    turns: tuple[Turn, ...] = (),
    usage: tuple[Usage, ...] = (),
    start: float = 1.0,
) -> Session:
    said = tuple(AgentMessage(call.at, 1, "text", f"after {call.at}") for call in calls)
    return Session(
        name,
        "claude-code",
        turns=turns,
        calls=calls,
        messages=said,
        usage=usage,
        started_at=start,
        ended_at=900.0,
    )


def _own(*sessions: Session) -> dict[str, Session]:
    copied = copied_events({session.id: event_keys(session) for session in sessions})
    return {s.id: without_copied(s, copied[s.id]) if s.id in copied else s for s in sessions}


def _later(session: Session, name: str, *calls: ToolCall) -> Session:
    """A copy under another id that goes on."""
    turns = (*session.turns, Turn(len(session.turns) + 1, 500.0, "thanks"))
    return replace(session, id=name, turns=turns, calls=(*session.calls, *calls))


FIRST = _session(
    "one",
    _call(10),
    _call(20),
    turns=(Turn(1, 1.0, "go"),),
    usage=(Usage("msg_1", 10.0, 1, "opus", 5, 6),),
)


def test_a_copy_has_what_it_adds_and_says_where_it_left() -> None:
    own = _own(FIRST, _later(FIRST, "two", _call(510)))
    assert own["one"] == FIRST
    two = own["two"]
    assert ([turn.text for turn in two.turns], [turn.index for turn in two.turns]) == (
        ["thanks"],
        [2],
    )
    assert ([call.at for call in two.calls], two.messages, two.usage) == ([510], (), ())
    assert two.fork == ForkPoint("one", 20.0, turns=1, calls=2, responses=1)
    assert (two.started_at, two.ended_at, two.counts_tokens) == (500.0, 900.0, True)


def test_a_copy_that_adds_nothing_is_empty_and_lies_where_it_left() -> None:
    two = _own(FIRST, replace(FIRST, id="two"))["two"]
    assert (two.turns, two.calls, two.messages, two.usage) == ((), (), (), ())
    assert (two.started_at, two.ended_at) == (20.0, 20.0)


def test_of_copies_stored_at_once_the_one_stored_first_is_the_origin_unless_it_names_another() -> (
    None
):
    copy = replace(FIRST, id="two")
    assert _own(copy, FIRST)["one"].fork is not None
    named = _own(replace(copy, forked_from="one"), FIRST)
    assert (named["one"].fork, named["two"].calls) == (None, ())


def test_a_copy_from_a_compaction_on_is_no_longer_without_its_beginning() -> None:
    rest = replace(
        FIRST,
        id="two",
        calls=FIRST.calls[1:],
        messages=(),
        usage=(),
        turns=(),
        started_at=20.0,
        truncated_start=True,
    )
    gone = replace(rest, id="three", calls=(_call(15), *rest.calls), started_at=15.0)
    own = _own(FIRST, rest, gone)
    assert (own["two"].truncated_start, own["two"].calls) == (False, ())
    assert (own["three"].truncated_start, len(own["three"].calls)) == (True, 1)


def test_copies_of_copies_count_for_the_first() -> None:
    second = _later(FIRST, "two", _call(510))
    third = _later(second, "three", _call(600))
    own = _own(FIRST, second, third)
    assert [len(session.calls) for session in own.values()] == [2, 1, 1]
    # it has most of that one
    assert (own["three"].fork or ForkPoint("", 0, 0, 0, 0)).session == "one"


def test_what_is_stamped_anew_is_known_by_ids_and_by_what_it_says() -> None:
    usage = tuple(replace(use, message_id="thread/9", at=400.0) for use in FIRST.usage)
    copy = replace(
        FIRST,
        id="two",
        started_at=400.0,
        usage=(*usage, Usage("thread/10", 600.0, 2, "opus", 5, 6)),
        calls=tuple(replace(call, at=400.0) for call in FIRST.calls),
        messages=tuple(replace(text, at=400.2) for text in FIRST.messages),
        turns=(Turn(1, 400.1, "go"), Turn(2, 500.0, "go")),
    )
    two = _own(FIRST, copy)["two"]
    assert [turn.index for turn in two.turns] == [2]  # the same words, later, are said again
    assert ([use.at for use in two.usage], two.calls, two.messages) == ([600.0], (), ())


def test_what_the_first_copy_lacks_counts_for_the_one_that_has_it() -> None:
    cut = replace(FIRST, calls=(FIRST.calls[0], replace(FIRST.calls[1], status=Status.UNKNOWN)))
    hidden = replace(cut, usage=(replace(FIRST.usage[0], input=0),))
    own = _own(hidden, _later(FIRST, "two"))
    assert [len(session.calls) for session in own.values()] == [1, 1]
    assert sum(use.input + use.output for session in own.values() for use in session.usage) == 11


@pytest.mark.parametrize("number", ["call_1", "1/0", "run_shell_command_1", ""])
def test_sessions_that_number_their_calls_alike_share_nothing(number: str) -> None:
    first = _session("one", _call(10, number or "-"), turns=(Turn(1, 1.0, "go"),))
    second = _session("two", _call(60, number or "-"), turns=(Turn(1, 50.0, "go"),), start=50.0)
    assert _own(first, second) == {"one": first, "two": second}


def test_a_prompt_that_a_program_sends_to_several_sessions_at_once_makes_none_a_fork() -> None:
    both = [
        _session(name, _call(at), turns=(Turn(1, 1.0, "review this"),))
        for name, at in (("one", 10), ("two", 11))
    ]
    assert _own(*both) == {session.id: session for session in both}


def test_origins_that_name_each_other_or_nobody_known_end() -> None:
    one = replace(FIRST, forked_from="two")
    two = replace(FIRST, id="two", forked_from="one")
    assert sorted(len(session.calls) for session in _own(one, two).values()) == [0, 2]
    alone = replace(FIRST, forked_from="gone")
    assert _own(alone) == {"one": alone}


def test_a_fork_whose_copy_the_reader_left_out_still_says_whence_it_came() -> None:
    other = _session("two", _call(70), start=60.0)
    two = _own(FIRST, replace(other, forked_from="one"))["two"]
    assert (two.fork, two.calls) == (ForkPoint("one", 60.0, 0, 0, 0), other.calls)


@pytest.mark.parametrize(
    ("meta", "origin"),
    [
        ({"forked_from_id": "one"}, "one"),
        (
            {
                "forked_from_id": "one",
                "source": {"subagent": {"thread_spawn": {"parent_thread_id": "one"}}},
            },
            "",
        ),
        ({}, ""),
    ],
)
def test_a_thread_of_codex_names_its_origin_and_a_subagent_is_no_fork(
    meta: dict[str, object], origin: str
) -> None:
    record = {
        "timestamp": "2026-03-04T09:00:00Z",
        "type": "session_meta",
        "payload": {"id": "two", **meta},
    }
    assert codex.read("two", [json.dumps(record).encode()]).forked_from == origin


def test_a_fork_that_names_its_origin_and_is_stamped_anew_repeats_it_without_any_call() -> None:
    turn = Turn(1, 2.0, "one")
    used = Usage("a/2.0/9", 3.0, 1, "m", input=900)
    first = _session("first", turns=(turn,), usage=(used,))
    again = (replace(turn, at=60.1), Turn(2, 70.0, "two"))
    copy = _session(
        "fork", turns=again, usage=(replace(used, message_id="b/60.1/9", at=60.1),), start=60.0
    )
    own = _own(first, replace(copy, forked_from="first"))
    assert [turn.text for turn in own["fork"].turns] == ["two"]
    assert not own["fork"].usage
    assert len(own["first"].usage) == 1
