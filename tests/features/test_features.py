"""Features of small sessions, worked out by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.answers import pick
from support.schema_columns import columns as columns_by_table

from attribution.features import features, groups, of_session
from attribution.features.costs import cost_of
from attribution.features.prices import chosen_prices, read_choice, standard_prices
from attribution.features.registry import ALIASES, KINDS, TYPES
from attribution.features.tools import command_kind, paths_read, program
from attribution.features.view import words_in
from attribution.features.word_lists import words
from attribution.features.wording import corrects, slope, underspecification
from attribution.outcomes.outcome import localized_correct_file
from collector.agents import claude_code
from collector.errors import WhoWroteError
from collector.json_values import Row, to_json
from collector.model import (
    AgentMessage,
    Command,
    Edit,
    FileObservation,
    Session,
    SessionEvent,
    Spawn,
    Status,
    ToolCall,
    Turn,
    Usage,
)

W = "/home/ana/orchard"


def _call(
    at: float,
    name: str,
    *,
    path: str = "",
    status: Status = Status.OK,
    command: str = "",
    **more: Any,
) -> ToolCall:
    given: Row = {
        "call_id": f"c{at}",
        "name": name,
        "turn": 1,
        "at": at,
        "done_at": at + 1,
        "status": status,
        "result_size": 10,
    }
    if name in ("Edit", "Write"):
        given["edits"] = (
            Edit(f"{W}/{path}", "write" if name == "Write" else "edit", content="x\n"),
        )
    elif name == "Read":
        given["seen"] = FileObservation(f"{W}/{path}", at, 1, "x", whole=True)
    if command:
        given["command"] = Command(command)
    given["input"] = json.dumps({"file_path": f"{W}/{path}"} if path else {"command": command})
    return ToolCall(**{**given, **more})


def _session(*calls: ToolCall, **more: Any) -> Session:
    return Session("s", "claude-code", cwds=(W,), calls=calls, **more)


def _of(*calls: ToolCall, **more: Any) -> Row:
    return of_session(_session(*calls, **more))


# --- the registry ---------------------------------------------------------------------------------


def test_every_feature_says_what_it_is() -> None:
    names = [f.name for f in features()]
    assert len(names) == len(set(names)) > 70
    for f in features():
        assert f.type in TYPES and f.kind in KINDS and f.version >= 1, f.name
        assert f.unit and len(f.description) > 10 and f.null, f.name
        assert f.name.isidentifier() and f.name == f.name.lower()


def test_what_is_computed_is_what_is_registered() -> None:
    known = {f.name for group in groups() if group.STAGE == "session" for f in group.FEATURES}
    full = _of(
        _call(1, "Read", path="a.py"),
        _call(5, "Edit", path="a.py"),
        turns=(Turn(1, 0.0, "Please mend it"),),
        messages=(AgentMessage(6, 1, "text", "Done."),),
        usage=(Usage("m", 1, 1, "claude-opus-4-6", 1, 2, 3, 4),),
    )
    assert set(full) == known
    assert set(_of()) <= known


# Every signal of the inventory the features were taken from; a name is a column, an alias, or has a
# reason for its absence.
_INVENTORY = """
attempt1_tool_cap retry_tool_cap agent_type model_id dataset concurrency timeout_s turn_count
tool_call_count edit_calls
bash_mediated_edits touched_files diff_lines tool_sequence localization_mode localized_correct_file
files_searched_before_edit
files_read_before_edit edit_to_read_ratio has_reasoning_blocks reasoning_tokens_total
plan_steps_detected self_correction_count
phase_transitions plannotator_phases input_tokens_total output_tokens_total cache_read_tokens
cache_write_tokens cache_read_ratio
context_growth_curve cost_usd reward patch_outcome_label fail_to_pass_count pass_to_fail_count
pass_to_pass_count fail_to_fail_count
patch_applies wall_time_s timed_out attempt_index recovery_mode final_failure_mode
session_attribution task_paraphrase_accuracy
plan_optimality first_tool_precision scope_drift clarification_sought assumption_count
prompt_underspecification conflation_turn
instruction_adherence goal_alignment_at_close session_failure_mode cp_curve max_cp drift_onset_turn
correction_ratio
assumption_lock_turn gd_inaction gd_actions plan_ged repetition_rate user_msg_length_slope
intent_coherence_curve session_outcome
output_applied changes_reverted user_agent_turn_ratio turn_ratio user_turn_count user_msg_lengths
all_turn_timestamps
turn_timestamps
region_edit_history region_re_edit_count region_edit_convergence agent_hedging_rate
agent_hedging_curve confirmation_requests
time_to_first_edit_s per_turn_agent_latency_s per_turn_latency_s compaction_events model_changes
tool_error_rate
tool_errors_by_type tool_result_sizes prior_sessions_same_repo prior_sessions_same_region
session_reopened_within
session_reopened_within_s
"""


# Those that only a harness can know: treatment, verification and infrastructure of an evaluation
# run.
_OF_RUNS = """
attempt1_tool_cap retry_tool_cap agent_type model_id dataset concurrency timeout_s localization_mode
localized_correct_file
plannotator_phases reward patch_outcome_label fail_to_pass_count pass_to_fail_count
pass_to_pass_count fail_to_fail_count
patch_applies wall_time_s timed_out attempt_index recovery_mode final_failure_mode cost_usd
turn_count tool_call_count edit_calls
touched_files diff_lines scope_drift gd_actions tool_sequence bash_mediated_edits cache_write_tokens
"""


def test_every_signal_of_the_inventory_is_a_column_or_has_a_reason() -> None:
    columns = {f.name for f in features()}
    # without the plug-in there are no runs
    of_runs = set(columns_by_table().get("attempts", _OF_RUNS.split()))
    assert [n for n in _INVENTORY.split() if n not in columns | of_runs | ALIASES.keys()] == []
    assert [n for n in _OF_RUNS.split() if n not in of_runs] == []
    assert all(target in columns or target.startswith("table ") for target in ALIASES.values())


# --- nothing is not zero --------------------------------------------------------------------------


def test_an_empty_session_has_no_rates() -> None:
    found = _of()
    for name in (
        "tool_error_rate",
        "repetition_rate",
        "edit_to_read_ratio",
        "first_tool_precision",
        "turn_count",
        "wall_time_s",
    ):
        assert found[name] is None, name
    assert found["tool_call_count"] == 0
    assert found.get("correction_ratio") is None and found.get("agent_hedging_rate") is None


# --- structure ------------------------------------------------------------------------------------


def test_localisation() -> None:
    found = _of(
        _call(1, "Read", path="a.py"),
        _call(2, "Grep", path="lib"),
        _call(3, "Read", path="a.py"),
        _call(4, "Read", path="b.py"),
        _call(5, "Edit", path="b.py", status=Status.ERROR),
        _call(6, "Edit", path="b.py"),
        _call(7, "Read", path="c.py"),
        _call(8, "Write", path="new.py"),
    )
    assert found["edit_calls"] == 3  # the failed one too
    assert found["files_read_before_edit"] == 2  # a.py, b.py: the failed edit changed nothing
    assert found["files_searched_before_edit"] == 3  # and lib
    assert found["edit_to_read_ratio"] == 2 / 4
    assert found["first_tool_precision"] == 0  # a.py was never changed
    assert found["tool_sequence"] == [
        "read",
        "grep",
        "read",
        "read",
        "edit",
        "edit",
        "read",
        "write",
    ]
    assert found["phase_transitions"] == [
        "explore",
        "localize",
        "implement",
        "explore",
        "implement",
    ]


def test_a_search_by_shell_reads_as_little_as_one_by_a_tool() -> None:
    for shown, searched in (
        ("cat b.py", "grep -n x b.py"),
        ("cd app && head -3 b.py", "cd app && rg x b.py"),
    ):
        calls = [
            _call(i, "Bash", command=command) for i, command in enumerate((shown, searched), 1)
        ]
        found = _of(*calls, _call(3, "Grep", path="b.py"), _call(4, "Edit", path="b.py"))
        assert found["edit_to_read_ratio"] == 1
    assert (
        _of(_call(1, "Bash", command="grep x b.py"), _call(2, "Edit", path="b.py"))[
            "edit_to_read_ratio"
        ]
        is None
    )


def test_files_seen_in_order() -> None:
    found = _of(
        _call(1, "Read", path="a.py"),
        _call(2, "Bash", command="cat b.py"),
        _call(3, "Edit", path="b.py", status=Status.ERROR),
        _call(4, "Edit", path="b.py", turn=2),
        _call(5, "Read", path="b.py"),
        ToolCall("x", "Read", 2, 6.0, seen=FileObservation("/etc/hosts", 6.0, 1, "x", whole=True)),
    )
    assert found["files_seen"] == [
        {"path": "a.py", "turn": 1, "at": 1, "read": 0, "changed": None},
        {"path": "b.py", "turn": 1, "at": 2, "read": 1, "changed": 3},
    ]
    assert pick(found, "files_read_before_edit", "files_searched_before_edit") == (1, 2)
    moved = of_session(
        Session(
            "s",
            "claude-code",
            cwds=(W, f"{W}/web", "/home/ana"),
            calls=(_call(1, "Read", path="web/a.ts"),),
        )
    )
    assert [one["path"] for one in moved["files_seen"]] == ["web/a.ts"]
    nowhere = of_session(Session("s", "gemini-cli", calls=(_call(1, "Read", path="a.py"),)))
    assert [one["path"] for one in nowhere["files_seen"]] == [f"{W}/a.py"]


def test_stops_name_the_tool_before_and_summaries_their_sizes() -> None:
    found = _of(
        _call(2, "Read", path="a.py"),
        _call(3, "Bash", command="make"),
        _call(4, "Grep", path="x", agent_id="sub"),
        _call(9, "Edit", path="a.py"),
        marks=(
            SessionEvent("interrupt_tool", 5.0, 1),
            SessionEvent("interrupt", 20.0, 2),
            SessionEvent("compaction", 12.0, 1),
            SessionEvent("compaction", None, 2),
        ),
        usage=(
            Usage("a", 3.0, 1, "m", input=10, cache_read=1000, cache_write=90),
            Usage("s", 11.0, 1, "m", input=7, agent_id="sub"),
            Usage("b", 13.0, 1, "m", input=5, cache_write=200),
        ),
    )
    assert found["interruption_events"] == [
        {"turn": 1, "at": 5.0, "tool": "Bash"},
        {"turn": 2, "at": 20.0, "tool": None},
    ]
    assert found["interruptions"] == 2
    assert found["compaction_events"] == [
        {"turn": 1, "at": 12.0, "tokens_before": 1100, "tokens_after": 205},
        {"turn": 2, "at": None, "tokens_before": None, "tokens_after": None},
    ]


def test_reasoning_is_as_long_as_its_text() -> None:
    thought = (
        AgentMessage(1, 1, "reasoning", "hmm"),
        AgentMessage(2, 1, "reasoning", ""),
        AgentMessage(3, 1, "reasoning", "so it is"),
    )
    found = _of(messages=thought)
    assert found["reasoning_lengths"] == [3, 8]
    silent = _of(messages=thought[1:2])
    assert silent["has_reasoning_blocks"] == 1 and silent["reasoning_lengths"] is None


def test_files_of_the_first_plan_that_nobody_touched() -> None:
    todo = json.dumps(
        {
            "todos": [
                {"content": "Mend src/app.py and see v1.2", "status": "x"},
                {"content": "Test tests/test_app.py"},
            ]
        }
    )
    found = _of(replace(_call(1, "TodoWrite"), input=todo), _call(5, "Edit", path="src/app.py"))
    assert pick(found, "plan_files", "gd_inaction") == (2, 0.5)
    plan = _of(
        _call(5, "Edit", path="b.go"),
        turns=(Turn(1, 1.0, "# Plan\nChange `a.go`, then b.go", "plan"),),
    )
    assert pick(plan, "plan_files", "gd_inaction") == (2, 0.5)
    assert _of(_call(5, "Edit", path="b.go"))["gd_inaction"] is None


@pytest.mark.parametrize(
    ("linked", "touched", "expected"),
    [
        (None, set(), None),
        ({"src/b.py"}, {"src/b.py"}, 1),
        ({"a.py"}, {"src/b.py"}, 0),
        ({"deep/a.py"}, {"src/b.py"}, 0),  # paths are from the root on
        ({"deep/a.py"}, {"deep/src/b.py"}, 0),  # the session ran in `deep`
        ({"c.py"}, set(), 0),
        ({"b.py"}, set(), 1),  # it ran above the root
    ],
)
def test_whether_the_right_file_was_changed_first(
    linked: set[str] | None, touched: set[str], expected: int | None
) -> None:
    seen = [
        {"path": "a.py", "turn": 1, "at": 10.0, "read": 0, "changed": 9},
        {"path": "src/b.py", "turn": 1, "at": 40.0, "read": 3, "changed": 5},
    ]
    assert localized_correct_file(seen, linked, touched) == expected


def test_first_tool_precision_sees_relative_paths() -> None:
    shell = _call(1, "Bash", command="cd /home/ana/orchard && sed -n '1,40p' src/a.py")
    assert _of(shell, _call(2, "Edit", path="src/a.py"))["first_tool_precision"] == 1
    assert _of(shell, _call(2, "Edit", path="src/b.py"))["first_tool_precision"] == 0


def test_a_file_read_by_its_relative_path_is_one_the_session_changes() -> None:
    read = replace(
        _call(1, "Read", path="a.py"), seen=FileObservation("a.py", 1, 1, "x", whole=True)
    )
    assert _of(read, _call(2, "Edit", path="a.py"))["phase_transitions"] == [
        "localize",
        "implement",
    ]


def test_looking_with_git_is_no_acting() -> None:
    looking = (
        "git log -3 && git -C /x diff --stat",
        "gh pr view 7",
        "git --no-pager show HEAD | head",
        "ls; rm x",
    )
    acting = ("git status && git commit -m x", "gh pr create --title x", "make", "git push")
    calls = [_call(at, "Bash", command=text) for at, text in enumerate((*looking, *acting), 1)]
    assert _of(*calls)["acting_commands"] == len(acting)


def test_errors_and_retries() -> None:
    found = _of(
        _call(1, "Edit", path="a.py", status=Status.ERROR),
        _call(2, "Edit", path="a.py", status=Status.ERROR),
        _call(3, "Edit", path="a.py"),  # at last
        _call(4, "Edit", path="a.py"),
        _call(5, "Bash", command="make", status=Status.ERROR),
        _call(6, "Bash", command="ls", status=Status.REJECTED),
        _call(7, "Bash", command="ls", status=Status.UNKNOWN),
    )
    assert found["tool_errors"] == 3
    # the refused call and the one without result count as neither
    assert found["tool_error_rate"] == 3 / 5
    assert found["tool_errors_by_type"] == {"Bash": 1, "Edit": 2}
    assert found["first_attempt_failures"] == 4  # two failures, the third try, and make
    assert found["longest_error_run"] == 2
    assert found["permission_denials"] == 1


def test_subagents() -> None:
    spawn = Spawn("a1", "general-purpose")
    found = _of(
        _call(1, "Task", spawn=spawn),
        _call(2, "Task", spawn=spawn, status=Status.ERROR),
        _call(3, "Read", path="a", agent_id="a1"),
    )
    assert pick(found, "subagent_count", "subagents_succeeded", "tool_call_count") == (
        2,
        1,
        3,
    )
    assert _of(_call(1, "Read", path="a"))["subagents_succeeded"] is None


@pytest.mark.parametrize(
    ("marks", "said", "status", "normal"),
    [
        ((), (AgentMessage(9, 1, "text", "Done."),), Status.OK, 1),
        (
            (SessionEvent("interrupt", 10, 1),),
            (AgentMessage(9, 1, "text", "I will"),),
            Status.OK,
            0,
        ),
        ((SessionEvent("interrupt", 3, 1),), (AgentMessage(9, 1, "text", "Done."),), Status.OK, 1),
        ((), (AgentMessage(1, 1, "text", "I will"),), Status.UNKNOWN, 0),
    ],
)
def test_how_it_ended(
    marks: tuple[SessionEvent, ...], said: tuple[AgentMessage, ...], status: Status, normal: int
) -> None:
    calls = (_call(2, "Read", path="a"), _call(5, "Edit", path="a", status=status))
    assert _of(*calls, marks=marks, messages=said)["ended_normally"] == normal


# --- tools ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "name", "kind"),
    [
        ("ls -la", "ls", "bash:file"),
        ("cd app && FOO=1 BAR='a b' sudo -E timeout 30 pytest -q", "pytest", "bash:build"),
        ("cd 'a b' ; git status", "git", "git/gh"),
        ("# look first\ngh pr view 3", "gh", "git/gh"),
        ("export A=1; curl -s http://localhost", "curl", "bash:net"),
        ("npx -y eslint .", "eslint", "bash:build"),
        ("uv run mypy", "mypy", "bash:build"),
        ("bash -lc 'rg -n x src/a.py'", "rg", "bash:file"),
        ("/usr/local/bin/go test ./...", "go", "bash:build"),
        ("python3 -m pytest", "python3", "bash:build"),
        ("python3 tool.py", "python3", "bash"),
        ("./run.sh", "run.sh", "bash"),
        ("cd app", "cd", "bash:file"),
        ("A=$(x", "A=$", "bash"),
        ("", "", "bash"),
    ],
)
def test_kind_of_a_command(command: str, name: str, kind: str) -> None:
    assert (program(command), command_kind(command)) == (name, kind)


@pytest.mark.parametrize(
    ("command", "paths"),
    {
        "cat a.py b/c.md": ("a.py", "b/c.md"),
        "sed -n '1,9p' src/a.ts | head": ("src/a.ts",),
        "sed -i 's/a/b/' src/a.ts": (),
        "rg -n 'foo.bar' src/x.go": ("src/x.go",),
        "cat *.py": (),
        "cat <<EOF > a.py": (),
        # What shows files is given files, whatever their names; a search may be given a directory.
        "cat Makefile .gitignore": ("Makefile", ".gitignore"),
        "tail -n +20 Dockerfile | head -n 5": ("Dockerfile",),
        "sed -n 3p LICENSE": ("LICENSE",),
        "wc -l 2>/dev/null": (),
        "grep -rn foo .github src": (),
    }.items(),
)
def test_files_read_by_shell(command: str, paths: tuple[str, ...]) -> None:
    assert paths_read(_call(1, "Bash", command=command), "bash:file") == paths


# --- tokens and cost ------------------------------------------------------------------------------


def test_usage_counts_once_per_response() -> None:
    usage = (
        Usage(
            "m1",
            2,
            1,
            "claude-opus-4-6",
            input=10,
            output=9,
            cache_read=100,
            cache_write=50,
            cache_write_1h=20,
        ),
        Usage("m2", 3, 1, "claude-opus-4-6", input=4, output=5, cache_read=300),
        Usage("m3", 4, 1, "claude-haiku-4-5-20251001", input=2, output=1, agent_id="a1"),
    )
    found = _of(usage=usage)
    assert pick(found, "input_tokens", "output_tokens") == (16, 15)
    assert pick(found, "cache_read_tokens", "cache_write_tokens") == (400, 50)
    assert found["cache_read_ratio"] == pytest.approx(400 / 416)
    assert found["context_growth_curve"] == [160, 304]  # the main agent's only
    assert found["turn_count"] == 2
    opus = 14 * 5 + 14 * 25 + 400 * 0.5 + 30 * 6.25 + 20 * 10
    cost = _cost(found)
    assert cost["cost_usd"] == pytest.approx((opus + 2 * 1 + 1 * 5) / 1e6, abs=1e-6)
    assert pick(cost, "cost_source", "prices_as_of") == ("list", standard_prices().as_of)
    assert found["tokens_too_low"] == []


def _cost(found: Row, at: datetime | None = None) -> Any:
    return cost_of(found["unrecorded_tokens"], found["recorded_cost_usd"], standard_prices(), at)


def test_a_recorded_cost_wins_over_list_prices() -> None:
    recorded = Usage("m1", 1, 1, "claude-opus-4-6", 1_000_000, 9, cost=0.25)
    assert _cost(_of(usage=(recorded,))) == {
        "cost_usd": 0.25,
        "cost_source": "recorded",
        "prices_as_of": None,
    }
    listed = Usage("m2", 2, 1, "claude-opus-4-6", 1_000_000)
    mixed = {"cost_usd": 5.25, "cost_source": "mixed", "prices_as_of": standard_prices().as_of}
    assert _cost(_of(usage=(recorded, listed))) == mixed
    assert _cost(_of(usage=(recorded, replace(listed, model="my-model"))))["cost_usd"] is None


def test_tokens_that_are_too_low_say_why() -> None:
    usage = Usage("m1", 1, 1, "claude-opus-4-6", 9, 3)
    said = AgentMessage(2, 1, "text", "word " * 500)
    hidden = _call(3, "Task", spawn=Spawn("a1", visible=False))
    assert _of(usage=(usage,), messages=(said,))["tokens_too_low"] == ["output_recorded_early"]
    assert _of(usage=(replace(usage, output=600),), messages=(said,))["tokens_too_low"] == []
    both = _of(hidden, usage=(usage,), truncated_start=True)
    assert both["tokens_too_low"] == ["subagents_unseen", "truncated_start"]
    assert _of()["tokens_too_low"] is None


def test_the_reader_counts_streamed_usage_once_too() -> None:
    usage = {
        "input_tokens": 3,
        "output_tokens": 7,
        "cache_read_input_tokens": 70,
        "cache_creation_input_tokens": 5,
    }
    usage["cache_creation"] = {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 4}  # type: ignore[assignment]
    message = {
        "id": "m",
        "model": "claude-opus-4-6",
        "role": "assistant",
        "content": [{"type": "text", "text": "a"}],
        "usage": usage,
    }
    record = {
        "type": "assistant",
        "message": message,
        "timestamp": "2026-03-04T09:00:00Z",
        "cwd": W,
    }
    lines = "".join(json.dumps({**record, "uuid": f"u{i}"}) + "\n" for i in range(3))
    found = of_session(claude_code.read("s", [lines.encode()]))
    assert found["unrecorded_tokens"] == {
        "claude-opus-4-6": {
            "input": 3,
            "output": 7,
            "cache_read": 70,
            "cache_write": 5,
            "cache_write_1h": 4,
        }
    }


def _searched(model: str, searches: int, **more: Any) -> tuple[ToolCall, Usage]:
    return replace(_call(2, "WebSearch"), model=model, searches=searches, turn=1), Usage(
        "m1", 1, 1, model, input=1_000_000, **more
    )


@pytest.mark.parametrize(
    ("model", "tokens"),
    [("claude-opus-4-6", 5.0), ("gpt-5", 1.25), ("us.anthropic.claude-opus-4-6-v1:0", 5.5)],
)
def test_searches_of_the_web_cost_ten_dollars_for_a_thousand(model: str, tokens: float) -> None:
    call, usage = _searched(model, 3)
    found = _of(call, usage=(usage,))
    assert (
        found["unrecorded_tokens"][f"{model} search"]["input"] == 3
        and found["input_tokens"] == 1_000_000
    )
    assert found["tokens_by_turn"]["1"] == found["unrecorded_tokens"]
    assert _cost(found)["cost_usd"] == pytest.approx(tokens + 0.03)


def test_searches_have_a_price_beside_a_table_of_ones_own(tmp_path: Path) -> None:
    table = tmp_path / "p.toml"
    table.write_text(
        'as_of = "2030-01-01"\n[[model]]\nmatch = "claude-opus-4-6"\ninput = 2\noutput = 3\n'
    )
    call, usage = _searched("claude-opus-4-6", 2)
    tokens = _of(call, usage=(usage,))["unrecorded_tokens"]
    assert cost_of(tokens, None, chosen_prices(read_choice(table)), None)[
        "cost_usd"
    ] == pytest.approx(2.02)


def test_searches_of_another_vendor_have_no_price_and_recorded_costs_hold_them() -> None:
    call, usage = _searched("my-model", 1)
    assert _cost(_of(call, usage=(usage,)))["cost_usd"] is None
    call, usage = _searched("claude-opus-4-6", 1, cost=0.25)
    assert _cost(_of(call, usage=(usage,)))["cost_usd"] == 0.25
    call, usage = _searched("claude-opus-4-6", 0)
    assert not [
        model for model in _of(call, usage=(usage,))["unrecorded_tokens"] if "search" in model
    ]


def _long(
    model: str, *inputs: int, cached: int = 0, moment: datetime | None = None
) -> float | None:
    usage = tuple(
        Usage(f"m{n}", n, 1, model, input=tokens, cache_read=cached)
        for n, tokens in enumerate(inputs)
    )
    cost: float | None = _cost(_of(usage=usage), moment)["cost_usd"]
    return cost


def test_a_long_request_costs_what_the_table_says_of_it() -> None:
    assert _long("claude-sonnet-4-5-20250929", 500_000) == pytest.approx(3.0)
    assert _long("claude-sonnet-4-20250514", 10, cached=300_000) == pytest.approx(
        300_000 * 0.6e-6 + 10 * 6e-6, abs=1e-6
    )
    # each is short
    assert _long("claude-sonnet-4-5-20250929", 150_000, 150_000) == pytest.approx(0.9)
    assert _long("claude-sonnet-4-5-20250929", 200_000) == pytest.approx(0.6)
    before, after = (datetime(2026, 3, day, tzinfo=UTC) for day in (12, 13))
    assert (
        _long("claude-opus-4-6", 500_000, moment=before),
        _long("claude-opus-4-6", 500_000, moment=after),
    ) == (5.0, 2.5)
    assert _long("gpt-5", 390_000) == pytest.approx(390_000 * 1.25e-6)
    assert _long("my-model", 390_000) is None


def test_the_tokens_of_long_requests_stand_apart() -> None:
    used = tuple(
        Usage(f"m{n}", n, 1, "x", input=tokens)
        for n, tokens in enumerate((5, 100_000, 100_001, 272_001))
    )
    tokens = _of(usage=used)["unrecorded_tokens"]
    assert {model: kinds["input"] for model, kinds in tokens.items()} == {
        "x": 100_005,
        "x >100000": 100_001,
        "x >272000": 272_001,
    }


def _fast(
    model: str, fast: bool, moment: datetime | None = None, tokens: int = 100_000
) -> float | None:
    usage = Usage(
        "m",
        1,
        1,
        model,
        input=tokens,
        output=tokens,
        cache_write=tokens,
        cache_write_1h=tokens // 2,
        fast=fast,
    )
    cost: float | None = _cost(_of(usage=(usage,)), moment)["cost_usd"]
    return cost


@pytest.mark.parametrize(
    ("model", "factor"), [("claude-opus-5", 2), ("claude-opus-4-8", 2), ("claude-opus-4-6", 6)]
)
def test_an_answer_of_the_fast_tier_costs_a_multiple(model: str, factor: int) -> None:
    """Writes to a cache, for five minutes and for an hour, too."""
    moment = datetime(2026, 9, 1, tzinfo=UTC)
    standard, fast = (_fast(model, fast, moment) for fast in (False, True))
    assert standard is not None and fast == pytest.approx(factor * standard)


def test_a_fast_answer_of_a_model_without_such_a_price_has_no_cost() -> None:
    assert _fast("claude-sonnet-5", False) is not None
    assert _fast("claude-sonnet-5", True) is None


def test_a_long_answer_of_the_fast_tier_is_both() -> None:
    before = datetime(2026, 3, 12, tzinfo=UTC)
    usage = Usage("m", 1, 1, "claude-opus-4-6", input=300_000, fast=True)
    assert _of(usage=(usage,))["unrecorded_tokens"].keys() == {"claude-opus-4-6-fast >272000"}
    assert _cost(_of(usage=(usage,)), before)["cost_usd"] == pytest.approx(300_000 * 60e-6)


def test_what_the_agent_recorded_of_a_fast_answer_wins() -> None:
    usage = Usage("m", 1, 1, "claude-sonnet-5", input=9, fast=True, cost=0.5)
    assert (_cost(_of(usage=(usage,)))["cost_usd"], _cost(_of(usage=(usage,)))["cost_source"]) == (
        0.5,
        "recorded",
    )


@pytest.mark.parametrize(
    "model", ["claude-opus-9", "my-model", "", "xclaude-opus-4-6", "claude-opus-4-6-turbo"]
)
def test_unknown_models_have_no_cost(model: str) -> None:
    found = _of(
        usage=(Usage("m1", 1, 1, "claude-opus-4-6", 9, 9), Usage("m2", 1, 1, model, input=1))
    )
    assert set(_cost(found).values()) == {None}
    assert found["input_tokens"] == 10


def test_a_kind_of_token_without_a_price_has_no_cost() -> None:
    counts = {"input": 1, "output": 1, "cache_read": 0, "cache_write": 3, "cache_write_1h": 0}
    prices = standard_prices()
    assert cost_of({"gpt-5": counts}, None, prices, None)["cost_usd"] is None
    assert cost_of({"gpt-5": {**counts, "cache_write": 0}}, None, prices, None)[
        "cost_usd"
    ] == pytest.approx(11.25e-6, abs=1e-6)


def test_a_price_table_of_ones_own(tmp_path: Path) -> None:
    table = tmp_path / "p.toml"
    table.write_text('as_of = "2030-01-01"\n[[model]]\nmatch = "my-.*"\ninput = 2\noutput = 3\n')
    counts = dict.fromkeys(("cache_read", "cache_write", "cache_write_1h"), 0) | {
        "input": 1_000_000,
        "output": 1_000_000,
    }
    found = cost_of({"my-own": counts}, None, chosen_prices(read_choice(table)), None)
    assert found == {"cost_usd": 5.0, "cost_source": "list", "prices_as_of": "2030-01-01"}
    for wrong in (
        "",
        "as_of = 1\n[[model]]\nmatch = '('\ninput = 1\noutput = 1\n",
        "as_of = 1\n[[model]]\nmatch = 'a'\ninput = 1\n",
    ):
        table.write_text(wrong)
        with pytest.raises(WhoWroteError, match="not a price table"):
            read_choice(table)
    with pytest.raises(WhoWroteError, match="cannot be read"):
        read_choice(tmp_path / "none.toml")


# --- time -----------------------------------------------------------------------------------------


def test_times() -> None:
    found = _of(
        replace(_call(1060, "Read", path="a"), done_at=1070.0),
        replace(_call(1500, "Edit", path="a"), turn=2, done_at=1510.0),
        turns=(Turn(1, 1000.0, "one"), Turn(2, 1490.0, "two"), Turn(3, 1600.0, "three")),
        messages=(AgentMessage(1100.0, 1, "text", "a"),),
        started_at=1000.0,
    )
    assert found["wall_time_s"] == 600
    assert found["session_runtime_s"] == 210  # 1100 -> 1490 is idle
    assert found["agent_runtime_s"] == 100 + 20
    assert found["per_turn_agent_latency_s"] == [100.0, 20.0, None]
    assert found["time_to_first_edit_s"] == 500
    early = _of(
        _call(1060, "Edit", path="a"), turns=(Turn(1, 1000.0, "one"),), started_at=900.0
    )  # opened long before the first event
    assert pick(early, "time_to_first_edit_s", "wall_time_s") == (60, 61)


def test_latency_of_each_response() -> None:
    """From what it answers: the message, the result of a call, the response before. Recorded
    twice, it ends with the last.
    """
    found = _of(
        replace(_call(14, "Read", path="a"), done_at=20.0),
        replace(_call(21, "Read", path="a"), done_at=90.0, agent_id="sub"),
        turns=(Turn(1, 10.0, "one"),),
        usage=(
            Usage("a", 12.0, 1, "m", 1, 1),
            Usage("a", 14.0, 1, "m", 1, 1),
            Usage("s", 50.0, 1, "m", 1, 1, agent_id="sub"),
            Usage("b", 23.5, 1, "m", 1, 1),
            Usage("c", 30.0, 1, "m", 1, 1),
            Usage("d", None, 1, "m", 1, 1),
        ),
    )
    assert found["per_response_latency_s"] == [4.0, 3.5, 6.5]
    # nothing came before
    assert _of(usage=(Usage("a", 12.0, 1, "m", 1, 1),))["per_response_latency_s"] is None


# --- words ----------------------------------------------------------------------------------------


def test_only_what_was_typed_is_the_users() -> None:
    turns = (
        Turn(1, 1.0, "Add a mean"),
        Turn(2, 2.0, "Implement the following plan: undo everything, that's wrong", "plan"),
        Turn(4, 4.0, "No, that's not what I meant", "queued"),
        Turn(5, 5.0, "<command-name>/review</command-name> wrong", "command"),
        Turn(6, 6.0, "a subagent: wrong", "injected"),
    )
    found = _of(turns=turns)
    assert found["user_msg_lengths"] == [3, 6]
    assert found["user_turn_count"] == 4
    assert pick(found, "correction_turns", "correction_ratio") == (1, 0.5)
    spawned = _of(turns=tuple(replace(turn, origin="injected") for turn in turns), parent_id="p")
    assert spawned["user_turn_count"] is None and spawned["user_msg_lengths"] == []


_INJECTED = (
    "<system-reminder>undo everything, this is wrong</system-reminder>",
    "<task-notification>the task did not work: revert</task-notification>",
    "<local-command-stdout>wrong</local-command-stdout>",
    "<bash-stdout>error: wrong</bash-stdout>",
    "<user-prompt-submit-hook>stop, undo</user-prompt-submit-hook>",
    "Stop hook feedback:\nwrong, undo",
    "Operation stopped by hook: wrong, undo the other session first",
    (
        "This session is being continued from a previous conversation that ran out of context. No,"
        " that's wrong."
    ),
    "Caveat: The messages below were generated by the user while running local commands. undo",
    "[Request interrupted by user]",
)


@pytest.mark.parametrize("injected", _INJECTED)
def test_injected_text_is_never_the_users(injected: str) -> None:
    texts = [
        "Add a mean to the table",
        injected,
        "And <system-reminder>that's wrong, undo</system-reminder> a median",
    ]
    records = [
        {
            "type": "user",
            "message": {"role": "user", "content": text},
            "timestamp": f"2026-03-04T09:00:0{i}Z",
            "cwd": W,
            "uuid": f"u{i}",
        }
        for i, text in enumerate(texts)
    ]
    found = of_session(
        claude_code.read("s", ["".join(json.dumps(r) + "\n" for r in records).encode()])
    )
    assert found["user_turn_count"] == 2
    assert found["user_msg_lengths"] == [6, 3]
    assert pick(found, "correction_turns", "last_message_rejects") == (0, 0)


@pytest.mark.parametrize(
    ("text", "yes"),
    {
        "no, use the other one": True,
        "No. Use the other one": True,
        "That’s not what I asked for": True,
        "it still does not work": True,
        "Please wait for the build": False,  # not the first word
        "Good. Actually, make it blue": True,
        "now add the rest": False,
        "nobody needs it, note that": False,
        "the wronged party": False,
        "commit this": False,
    }.items(),
)
def test_corrections(text: str, yes: bool) -> None:
    assert corrects(text) is yes


def test_last_message() -> None:
    def last(*texts: str) -> tuple[int, int]:
        found = _of(turns=tuple(Turn(i, float(i), t) for i, t in enumerate(texts, 1)))
        return pick(found, "last_message_rejects", "last_message_accepts")

    assert last("Add a mean", "thanks!") == (0, 1)
    assert last("thanks in advance") == (0, 0)  # the only message
    assert last("Add a mean", "revert that, thanks") == (1, 0)
    assert last(
        "Add a mean",
        "great, and now make the second part of the table as wide as the first one is today",
    ) == (0, 0)
    assert last("Add a mean", "ok but it's wrong") == (0, 0)


def test_word_lists_match_whole_words_and_the_longest_phrase() -> None:
    assert words("hedging").count("it might be that mighty thing. perhaps, i think, might") == 4
    assert words("hedging").count("maybe_not unlikely") == 0
    assert words("self_correction").count("but wait, that doesn't work. actually, no") == 3
    assert words("self_correction").count("we wait, then go. a different approach won't work") == 0
    assert words("rejection").count("the rollback of a migration rolls back") == 0


def test_every_list_is_lower_case_and_has_no_phrase_twice() -> None:
    import tomllib

    from attribution.features.word_lists import source

    for name, entry in tomllib.loads(source("words.toml")).items():
        (listed,) = entry.values()
        assert listed and len(set(listed)) == len(listed), name
        assert [p for p in listed if p != p.lower() or "’" in p] == [], name


def test_hedging_by_turn() -> None:
    said = (
        # 5 + 15 words, 2 phrases
        AgentMessage(2, 1, "text", "I think it might fail. " + "word " * 15),
        AgentMessage(4, 2, "text", "Done now"),
        # a subagent's words are not the agent's
        AgentMessage(5, 2, "text", "perhaps maybe", agent_id="sub"),
    )
    found = _of(messages=said, turns=(Turn(1, 1.0, "a"), Turn(2, 3.0, "b"), Turn(3, 9.0, "c")))
    assert found["agent_words"] == 22
    assert found["agent_hedging_rate"] == pytest.approx(100 * 2 / 22)
    assert found["agent_hedging_curve"] == [10.0, 0.0, None]


def test_plans_questions_and_assumptions() -> None:
    first = "I'll assume Go.\n1. Read it\n2. Change it\n- Test it\nShould I also rename it?"
    later = "1. not a plan any more\n2. at all"
    said = (AgentMessage(1, 1, "text", first), AgentMessage(9, 1, "text", later))
    found = _of(
        _call(2, "Read", path="a"),
        _call(3, "Edit", path="a"),
        messages=said,
        turns=(Turn(1, 0.0, "x"),),
    )
    assert pick(found, "plan_steps_detected", "assumption_count", "confirmation_requests") == (
        3,
        1,
        1,
    )
    assert found["clarification_sought"] == 0  # it went on and edited
    assert (
        _of(messages=(AgentMessage(1, 1, "text", "Which one do you mean?"),))[
            "clarification_sought"
        ]
        == 1
    )


def test_repetition() -> None:
    calls = [_call(i, "Bash", command="go test") for i in range(3)]
    found = _of(
        *calls,
        _call(5, "Bash", command="go vet"),
        _call(6, "Bash", command="go test", agent_id="sub"),
    )
    assert pick(found, "repeated_calls", "repetition_rate") == (2, 2 / 5)


def test_arguments_that_are_cut_repeat_nothing() -> None:
    """Two versions of a long file may begin alike."""
    whole = to_json({"content": "a" * 100})
    cut = to_json({"content": "a" * 30_000})
    found = _of(*(_call(i, "Write", input=text) for i, text in enumerate((whole, whole, cut, cut))))
    assert found["repeated_calls"] == 1


def test_slope_and_underspecification() -> None:
    assert slope([10, 20, 30]) == 10
    assert slope([5]) is None
    assert slope([4, 4]) == 0
    assert underspecification("fix it") == pytest.approx((1 - 2 / 60 + 1 + 1) / 3, abs=1e-4)
    assert underspecification("`total` must return 0 for no rows " + "please " * 60) == 0


@pytest.mark.parametrize(
    ("origin", "measured"), [("prompt", True), ("plan", True), ("command", False)]
)
def test_the_opening_is_measured_and_not_the_first_answer(origin: str, measured: bool) -> None:
    plan = "Implement the following plan:\n" + "\n".join(
        f"{n}. `rows_{n}` must return {n} in app.py" for n in range(20)
    )
    found = _of(turns=(Turn(1, 1.0, plan, origin), Turn(2, 5.0, "yes")))
    assert found["prompt_underspecification"] == (0 if measured else None)


def test_words_of_scripts_without_blanks() -> None:
    assert words_in("two words") == 2
    assert words_in("修复登录") == 1 + 4
    assert words_in("") == 0


# --- undo -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "files"),
    {
        "git checkout -- a.py": 1,
        "cd x && git checkout a.py b.py": 2,
        "git checkout .": 2,
        "git checkout main": 0,
        "git checkout -b a.py": 0,
        "git restore a.py": 1,
        "git restore --staged a.py": 0,
        "git reset --hard": 2,
        "git reset HEAD a.py": 0,
        "git revert HEAD": 2,
        "git revert --abort": 0,
        "git stash": 2,
        "git stash && make && git stash pop": 0,
        "git stash list": 0,
        "git stash; git stash apply": 0,
        "git stash -u 2>/dev/null; make; git stash pop -q 2>/dev/null": 0,
        "git stash; git stash drop": 2,
        "git stash -- a.py; git stash -- b.py; git stash pop": 1,
        "git stash -- a.py; git stash -- b.py; git stash pop stash@{1}; git stash drop": 1,
        "git stash pop": 0,
        "git stash pop; git stash": 2,
        "git checkout -- other.py": 0,
        "echo git checkout -- a.py": 0,
    }.items(),
)
def test_undo_commands(command: str, files: int) -> None:
    edits = (_call(1, "Edit", path="a.py"), _call(2, "Edit", path="b.py"))
    found = _of(*edits, _call(5, "Bash", command=command))["undo_commands"]
    assert sum(one["files"] for one in found) == files
    assert all(one["by"] == "agent" for one in found)
    mark = SessionEvent("user_shell", 6, 1, f"<bash-input>{command}</bash-input>")
    by_user = _of(*edits, marks=(mark,))["undo_commands"]
    assert [one["by"] for one in by_user] == ["human"] * bool(files)


@pytest.mark.parametrize(
    "output",
    ["No local changes to save", "fatal: not a git repository", "error: pathspec did not match"],
)
def test_an_undo_that_git_refused_behind_a_pipe_is_none(output: str) -> None:
    edit = _call(1, "Edit", path="a.py")
    stash = _call(5, "Bash", command="git stash | head")
    assert len(_of(edit, stash)["undo_commands"]) == 1
    refused = replace(stash, command=Command("git stash | head", output=output))
    assert _of(edit, refused)["undo_commands"] == []


def test_an_undo_after_the_commit_reaches_nothing() -> None:
    commit = _call(3, "Bash", command="git commit -am x", commits=("abc1234",))
    assert (
        _of(_call(1, "Edit", path="a.py"), commit, _call(5, "Bash", command="git reset --hard"))[
            "undo_commands"
        ]
        == []
    )
