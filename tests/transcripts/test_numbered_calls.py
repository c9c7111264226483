"""Ids that come again: gateways number the calls of each turn from 0, proxies give several
responses the same id.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from support import jsonl

from collector.agents import claude_code, codex, kimi_cli, pi, qwen_code
from collector.agents.common.call_ids import CallIds, CallText
from collector.json_values import JsonObject
from collector.model import Session, Status

A = {"file_path": "/w/a.py", "content": "a = 1\n"}
B = {"file_path": "/w/b.py", "content": "b = 2\n"}


def _time(second: int) -> str:
    return f"2026-03-04T09:00:{second:02d}.000Z"


def _claude(
    second: int, content: list[JsonObject], kind: str = "assistant", **more: Any
) -> JsonObject:
    message = {"role": kind, "content": content, **more.pop("message", {})}
    about = {"type": kind, "uuid": f"u{second}", "sessionId": "s", "timestamp": _time(second)}
    return {**about, "message": message, **more}


def _use(second: int, arguments: JsonObject, number: str = "Write:0") -> JsonObject:
    call = {"type": "tool_use", "id": number, "name": "Write", "input": arguments}
    return _claude(second, [call])


def _done(second: int, number: str = "Write:0", failed: bool = False) -> JsonObject:
    block = {"type": "tool_result", "tool_use_id": number, "content": "x", "is_error": failed}
    return _claude(second, [block], "user")


def _prompt(second: int) -> JsonObject:
    return _claude(second, [{"type": "text", "text": f"go on {second}"}], "user")


def _written(session: Session) -> list[tuple[str, Status]]:
    return [(edit.path, call.status) for call in session.calls for edit in call.edits]


def _in_claude_code() -> Session:
    records = [_prompt(0), _use(1, A), _done(2), _prompt(3), _use(4, B), _done(5, failed=True)]
    return claude_code.read("s", [jsonl(*records), jsonl(*records[:4])])


def _in_codex() -> Session:
    rows = [("session_meta", {"id": "s", "cwd": "/w"})]
    for path, code in (("a.py", 0), ("b.py", 1)):
        patch = f"*** Begin Patch\n*** Add File: {path}\n+x = 1\n*** End Patch\n"
        arguments = json.dumps({"input": patch})
        call = {"type": "function_call", "name": "apply_patch", "arguments": arguments}
        told = json.dumps({"output": "Success. Updated", "metadata": {"exit_code": code}})
        rows += [
            ("response_item", {**call, "call_id": "apply_patch:0"}),
            (
                "response_item",
                {"type": "function_call_output", "call_id": "apply_patch:0", "output": told},
            ),
        ]
    records = [
        {"timestamp": _time(second), "type": kind, "payload": payload}
        for second, (kind, payload) in enumerate(rows)
    ]
    return codex.read("s", [jsonl(*records)])


def _in_qwen_code() -> Session:
    records = []
    for second, (arguments, status) in enumerate(((A, "success"), (B, "error"))):
        about = {"sessionId": "s", "timestamp": _time(second * 2), "uuid": f"q{second}"}
        call = {"functionCall": {"id": "write:0", "name": "write_file", "args": arguments}}
        answer = {
            "functionResponse": {"id": "write:0", "name": "write_file", "response": {"output": "x"}}
        }
        records += [
            {**about, "type": "assistant", "message": {"role": "model", "parts": [call]}},
            {
                **about,
                "uuid": f"r{second}",
                "timestamp": _time(second * 2 + 1),
                "type": "tool_result",
                "toolCallResult": {"callId": "write:0", "status": status},
                "message": {"role": "user", "parts": [answer]},
            },
        ]
    return qwen_code.read("s", [jsonl(*records)])


def _in_pi() -> Session:
    records: list[JsonObject] = [{"type": "session", "id": "s", "cwd": "/w", "timestamp": _time(0)}]
    for second, (path, failed) in enumerate((("a.py", False), ("b.py", True))):
        call = {
            "type": "toolCall",
            "id": "0",
            "name": "write",
            "arguments": {"path": path, "content": "x"},
        }
        said = {"role": "assistant", "content": [call]}
        told = {"role": "toolResult", "toolCallId": "0", "content": "x", "isError": failed}
        for number, message in enumerate((said, told)):
            key = f"m{second}{number}"
            when = _time(second * 2 + number)
            records.append({"type": "message", "id": key, "timestamp": when, "message": message})
    return pi.read("s", [jsonl(*records)])


def _in_kimi_cli() -> Session:
    records: list[JsonObject] = []
    for second, (path, failed) in enumerate((("/w/a.py", False), ("/w/b.py", True))):
        text = json.dumps({"path": path, "content": "x"})
        call = {"id": "WriteFile:0", "function": {"name": "WriteFile", "arguments": text[:9]}}
        told = {"tool_call_id": "WriteFile:0", "return_value": {"is_error": failed, "output": "x"}}
        parts = [
            ("ToolCall", call),
            ("ToolCallPart", {"arguments_part": text[9:]}),
            ("ToolResult", told),
        ]
        records += [
            {
                "timestamp": 1772600000.0 + second * 9 + number,
                "message": {"type": kind, "payload": payload},
            }
            for number, (kind, payload) in enumerate(parts)
        ]
    return kimi_cli.read("s", [jsonl(*records)])


@pytest.mark.parametrize("read", [_in_claude_code, _in_codex, _in_qwen_code, _in_pi, _in_kimi_cli])
def test_a_call_whose_id_comes_again_is_a_call_of_its_own(read: Callable[[], Session]) -> None:
    first, second = _written(read())
    assert first[0].endswith("a.py")
    assert first[1] is Status.OK
    assert second[0].endswith("b.py")
    assert second[1] is Status.ERROR


def test_a_call_that_was_interrupted_does_not_take_the_result_of_the_next_one() -> None:
    records = [_prompt(0), _use(1, A), _prompt(3), _use(4, B), _done(5)]
    session = claude_code.read("s", [jsonl(*records)])
    assert _written(session) == [("/w/a.py", Status.UNKNOWN), ("/w/b.py", Status.OK)]


def test_calls_of_one_response_get_their_results_in_order() -> None:
    records = [_prompt(0), _use(1, A), _use(2, B), _done(3, failed=True), _done(4)]
    session = claude_code.read("s", [jsonl(*records)])
    assert _written(session) == [("/w/a.py", Status.ERROR), ("/w/b.py", Status.OK)]


def test_a_call_of_a_random_id_stays_one_whatever_its_copies_say() -> None:
    number = "toolu_01ABCDEFGHJKMNPQRSTV"
    again = {**_use(9, A, number), "uuid": "other"}
    session = claude_code.read("s", [jsonl(_use(1, A, number), _done(2, number), again)])
    assert len(session.calls) == 1


def test_of_subagents_that_run_at_once_each_gets_its_own_result() -> None:
    ids = CallIds()
    first = ids.called("Write:0", CallText("Write", A, "one"), 1.0, 1)
    second = ids.called("Write:0", CallText("Write", B, "two"), 2.0, 2)
    assert ids.answered("Write:0", 3, "two") == second
    assert ids.answered("Write:0", 4, "one") == first


@pytest.mark.parametrize(
    ("number", "requests"), [("", True), ("", False), ("msg_1", True), ("msg_1", False)]
)
def test_responses_without_an_id_of_their_own_are_counted_each(number: str, requests: bool) -> None:
    records = []
    for turn in range(3):
        usage = {"input_tokens": 100 + turn, "output_tokens": 50}
        for part in (0, 1):  # two blocks of one response
            second = turn * 10 + part
            record = _claude(
                second, [{"type": "text", "text": "x"}], message={"id": number, "usage": usage}
            )
            records.append({**record, **({"requestId": f"req_{turn}"} if requests else {})})
    session = claude_code.read("s", [jsonl(*records)])
    assert [used.output for used in session.usage] == [50, 50, 50]


def _counted(total: int, last: bool = True) -> JsonObject:
    used = {"input_tokens": total, "output_tokens": 0, "total_tokens": total}
    share = {"last_token_usage": {"input_tokens": 100, "output_tokens": 0}} if last else {}
    return {"type": "token_count", "info": {"total_token_usage": used, **share}}


def _rollout(*payloads: tuple[str, JsonObject]) -> Session:
    meta = ("session_meta", {"id": "s", "cwd": "/w"})
    records = [
        {"timestamp": _time(second), "type": kind, "payload": payload}
        for second, (kind, payload) in enumerate((meta, *payloads))
    ]
    return codex.read("s", [jsonl(*records)])


def test_tokens_that_codex_counts_before_it_names_the_model_are_of_its_only_model() -> None:
    model = ("turn_context", {"cwd": "/w", "model": "gpt-5.5"})
    session = _rollout(("event_msg", _counted(100)), model, ("event_msg", _counted(200)))
    assert [(used.model, used.input) for used in session.usage] == [("gpt-5.5", 100)] * 2


def test_of_several_models_none_gets_the_tokens_counted_before() -> None:
    models = [("turn_context", {"cwd": "/w", "model": name}) for name in ("gpt-5.5", "o3")]
    session = _rollout(
        ("event_msg", _counted(100)), models[0], ("event_msg", _counted(200)), models[1]
    )
    assert [used.model for used in session.usage] == ["", "gpt-5.5"]


def test_totals_alone_are_counted_by_what_they_add() -> None:
    totals = [("event_msg", _counted(total, last=False)) for total in (100, 250, 250, 40)]
    assert [used.input for used in _rollout(*totals).usage] == [100, 150, 40]


def test_what_a_compaction_of_codex_used_is_counted_beside_the_totals() -> None:
    used = {"input_tokens": 900, "output_tokens": 20, "total_tokens": 920}
    session = _rollout(
        ("turn_context", {"cwd": "/w", "model": "gpt-5.5"}),
        ("event_msg", _counted(100)),
        ("token_usage_record", {"response_id": "r1", "usage": used}),
        ("token_usage_record", {"response_id": "of the turn", "usage": used}),
        ("compacted", {"compaction_response_id": "r1"}),
    )
    assert sorted(used.input for used in session.usage) == [100, 900]


@pytest.mark.parametrize(
    ("tier", "tiers"),
    {"priority": ("priority",), "fast": ("priority",), "default": (), None: ()}.items(),
)
def test_codex_says_in_which_tier_a_turn_is_served(
    tier: str | None, tiers: tuple[str, ...]
) -> None:
    settings = {"type": "thread_settings_applied", "thread_settings": {"service_tier": tier}}
    session = _rollout(
        ("turn_context", {"cwd": "/w", "model": "gpt-5.5", "service_tier": "flex"}),
        ("event_msg", _counted(100)),
        ("event_msg", settings),
        ("event_msg", _counted(200)),
    )
    assert [used.tiers for used in session.usage] == [("flex",), tiers]


def test_tokens_of_other_models_within_a_response_are_counted() -> None:
    parts = [
        {"type": "message", "input_tokens": 100, "output_tokens": 5},
        {
            "type": "advisor_message",
            "model": "claude-opus-4-8",
            "input_tokens": 900,
            "output_tokens": 70,
        },
        {"type": "compaction", "input_tokens": 300, "output_tokens": 30},
    ]
    usage = {"input_tokens": 100, "output_tokens": 5, "iterations": parts, "inference_geo": "us"}
    message = {"id": "msg_01ABCDEFGHJKMNPQRSTV", "model": "claude-sonnet-4-6", "usage": usage}
    session = claude_code.read("s", [jsonl(_claude(1, [], message=message))])
    assert [(used.model, used.input, used.output, used.tiers) for used in session.usage] == [
        ("claude-sonnet-4-6", 100, 5, ("us",)),
        ("claude-opus-4-8", 900, 70, ("us",)),
        ("claude-sonnet-4-6", 300, 30, ("us",)),
    ]
