"""The score, worked out by hand."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.answers import pick
from support.commands import analyse, clone, rows, run, run_rows

from attribution.evaluation.scores.quality import (
    ALL,
    FITTED_TIERS,
    LEAST,
    PARTS,
    RATED_WEIGHTS,
    WEIGHTS,
    Deeds,
    PartWeights,
    Score,
    acceptance,
    baseline,
    baselines,
    closing,
    mix,
    score,
    tier_of,
)
from attribution.evaluation.scores.ratings import agreement, fit_weights, read_ratings
from attribution.evaluation.scores.report import model_table, week_table
from attribution.evaluation.scores.tasks import kind_of_work, task_type
from attribution.features import features
from attribution.stats.agreement import pearson, ranks, spearman
from collector.json_values import Row
from collector.storage.store import Store
from collector.text import count_of


def _row(**values: Any) -> Row:
    """A session with nothing known but what is given."""
    return {
        **{f.name: None for f in features()},
        "tool_call_count": 0,
        "user_turn_count": 1,
        "first_prompt": "",
        **values,
    }


CODING = baseline("coding")
_HALFWAY = (CODING.responses + CODING.most_responses) / 2  # responses that score a half
_MIDDLE = (baseline(ALL).responses + baseline(ALL).most_responses) / 2
_COST = _HALFWAY * (CODING.cost + CODING.high_cost) / 2


def _coding(**values: Any) -> Row:
    """Ten calls, two failed, one of them mended; 4 of 5 lines committed."""
    return _row(
        **{
            "touched_files": ["src/a.py"],
            "tool_counts": {"edit": 6, "bash:build": 4},
            "tool_call_count": 10,
            "agent_words": 40,
            "ended_normally": 1,
            "correction_turns": 1,
            "tool_error_rate": 0.2,
            "tool_errors": 2,
            "longest_error_run": 1,
            "first_attempt_failures": 3,
            "subagent_count": 0,
            "turn_count": _HALFWAY,
            "compaction_events": [{}],
            "input_tokens": 1000,
            "output_tokens": 1000 * CODING.tokens / 2,
            "cost_usd": _COST,
            "commits_made": 0,
            "edit_calls": 6,
            "output_applied": 1,
            "output_applied_fraction": 0.8,
            "session_outcome": "accepted",
            "last_message_accepts": 1,
            "user_turn_count": 2,
            **values,
        }
    )


def _score_coding(**values: Any) -> Score:
    return score(_coding(**values))


def test_weights_of_each_task_sum_to_one() -> None:
    assert all(sum(weights) == pytest.approx(1) for weights in WEIGHTS.values())


def test_a_whole_score() -> None:
    found = _score_coding()
    assert found.parts["completion"] == pytest.approx((1 + 1 + 0.5) / 3)
    assert found.parts["execution"] == pytest.approx(0.5 * 0.8 + 0.25 * 0.7 + 0.15 * 0.5 + 0.1 * 1)
    assert found.parts["efficiency"] == pytest.approx((0.5 + 0.5 + 0.8 + 0.7) / 4)
    assert found.parts["outcome"] == pytest.approx(0.3 + 0.4 * 0.8 + 0.3)
    q = 0.15 * 2.5 / 3 + 0.20 * 0.75 + 0.15 * 0.625 + 0.50 * 0.92
    assert found.q == pytest.approx(q)
    assert found.tier == "Good"
    assert found.roi == pytest.approx(q / _COST)
    assert found.covered == pytest.approx(1)


@pytest.mark.parametrize(
    ("pushback", "words", "completion"), [(0, 2, 1.0), (2, 0, 2.2 / 3), (None, 1, 2.5 / 3)]
)
def test_corrections_are_those_of_the_classifier_where_it_speaks(
    pushback: int | None, words: int, completion: float
) -> None:
    found = _score_coding(pushback_turns=pushback, correction_turns=words)
    assert found.parts["completion"] == pytest.approx(completion)


def test_a_line_that_landed_counts_once() -> None:
    found = _score_coding(last_message_accepts=0)
    assert found.parts["outcome"] == pytest.approx((0.3 + 0.4 * 0.8) / 0.7)
    assert _score_coding(last_message_accepts=0, session_outcome="explicitly_rejected").parts[
        "outcome"
    ] == pytest.approx(0.62)


@pytest.mark.parametrize("typed", [0, None])
def test_a_session_without_a_prompt_of_a_person_has_no_score(typed: int | None) -> None:
    found = _score_coding(user_turn_count=typed)
    assert (found.q, found.tier, found.roi, found.special) == (None, None, None, "no_prompt")


def test_a_score_can_be_put_together_again_from_what_is_stored() -> None:
    found = _score_coding(correction_turns=None, session_outcome="abandoned_mid_session")
    assert found.q is not None
    again = 0.0
    for part in PARTS:
        known = [s for s in found.signals if s.part == part and s.score is not None]
        again += (
            found.weights[part]
            * sum(s.weight * (s.score or 0) for s in known)
            / sum(s.weight for s in known)
        )
    assert again == pytest.approx(found.q)


def test_missing_signals_give_their_weight_to_the_others_of_their_part() -> None:
    found = _score_coding(correction_turns=None, tool_error_rate=None)
    assert found.parts["completion"] == 1
    assert found.parts["execution"] == pytest.approx((0.25 * 0.7 + 0.15 * 0.5 + 0.1) / 0.5)
    assert found.covered == pytest.approx(1 - 0.15 / 3 - 0.20 * 0.5)


def test_a_part_without_signals_gives_its_weight_to_the_other_parts() -> None:
    clean = {
        "tool_error_rate": 0.0,
        "tool_errors": 0,
        "longest_error_run": 0,
        "first_attempt_failures": 0,
        "correction_turns": 0,
    }
    found = score(
        _row(agent_words=100, tool_call_count=1, tool_counts={"web": 1}, ended_normally=1, **clean)
    )
    assert found.task_type == "research"
    assert found.parts["efficiency"] is None and found.parts["outcome"] is None
    assert found.weights == {
        "completion": pytest.approx(0.65 / 0.8),
        "execution": pytest.approx(0.15 / 0.8),
        "efficiency": 0,
        "outcome": 0,
    }
    assert found.q == 1


def prompted_sessions(prompts: Mapping[Any, list[str]], **values: Any) -> Iterator[tuple[Row, Any]]:
    """(a session that has these values and begins so, what it is)."""
    for kind, texts in prompts.items():
        for text in texts:
            yield {**values, "first_prompt": text}, kind


# task -> first prompts of sessions of nine calls
TASKS_WITH_CALLS: dict[str, list[str]] = {
    "coding": [
        "Change all occurrences of foo to bar",
        "I moved the logos. Update them in the header.",
        "Read docs/plan.md. Execute it. Run the tests",
    ],
    "discovery": [
        "Run the stack. Then create an implementation plan for phase 2",
    ],
    "operations": [
        "could you please deploy this",
        "Run the tests. Fix what fails",
    ],
    "research": [
        "why does the change not deploy?",
        "Review the branch. Run the linter first",
    ],
}
# the same of sessions without a call
TASKS_WITHOUT_CALLS: dict[str, list[str]] = {
    "coding": [
        "The save button does nothing, the page is not shown",
        "In the header, replace the logo",
        "给页面添加一个按钮",
        "#selection fix errors.",
        "Cleanup docs from root",
    ],
    "discovery": [
        "Plan how we can use fewer tokens",
        "I'd like your help planning a new feature",
    ],
    "research": [
        "How does the cache decide what to keep?",
        "¿Cómo funciona la caché para los usuarios?",
        "Do you always read the instructions?",
    ],
    "chat": [
        "hello there",
    ],
}
OF_TASKS: dict[str, list[Row]] = {
    "coding": [
        {"touched_files": ["a.go", "b.md"]},
        {
            "touched_files": ["docs/b.md"],
            "first_prompt": "Implement the following plan: # Plan: new page",
        },
        {"touched_files": ["CHANGELOG.md"]},
        {"touched_files": ["docs/b.md"], "commits_made": 1},
        {"commits_made": 1},
        {"output_applied": 1},
        # Recorded on another machine, so that no call could be tied to a file of the repository.
        {
            "tool_call_count": 9,
            "files_seen": [{"path": "/home/a/src/b.ts", "read": None, "changed": 4}],
        },
    ],
    "discovery": [
        {"touched_files": ["docs/plans/b.md"]},
        {"touched_files": ["docs/b.md"], "first_prompt": "Write a proposal for caching"},
        {"first_prompt": "请给出缓存的设计方案", "tool_call_count": 3},
        {
            "tool_call_count": 9,
            "files_seen": [{"path": "/home/a/docs/plans/b.md", "read": 1, "changed": 4}],
        },
    ],
    "operations": [
        {"tool_call_count": 4, "acting_commands": 2},
    ],
    "research": [
        {"tool_call_count": 5, "acting_commands": 2},
        {"tool_call_count": 1, "acting_commands": 1},
        {"first_prompt": "the save button fails", "tool_call_count": 3},
        {
            "tool_call_count": 9,
            "files_seen": [{"path": "/home/a/src/b.ts", "read": 4, "changed": None}],
        },
    ],
    "chat": [
        {},
    ],
    "heartbeat": [
        {"first_prompt": "Read HEARTBEAT.md", "touched_files": ["a.go"]},
        {"last_said": "HEARTBEAT_OK"},
    ],
}


@pytest.mark.parametrize(
    ("values", "task"),
    [
        *((values, task) for task, several in OF_TASKS.items() for values in several),
        *prompted_sessions(TASKS_WITH_CALLS, tool_call_count=9),
        *prompted_sessions(TASKS_WITHOUT_CALLS),
    ],
)
def test_task_types(values: Row, task: str) -> None:
    assert task_type(_row(**values)) == task


# kind of work -> first prompts of sessions that changed a source file
WORK_ON_CODE: dict[str, list[str]] = {
    "self-review": [
        "please review the staged changes",
        "Check if the limits reach the workers",
    ],
    "triage": [
        "the tests fail since yesterday",
        # Failures that are told without the word, and what only sounds like one.
        "The list isn't refreshed after a save",
        "Why is the menu empty?",
        "TypeError: x is undefined\n    at a.ts:3",
        "DeprecationWarning: the name is old. warning: see below",
        # Plans by other words, and of a plan the title.
        "PLEASE IMPLEMENT THIS PLAN:\n# Fix the leak\n\n## Steps",
        (
            "A previous agent produced the plan below to accomplish the task.\n\n#"
            " Remediate findings\n\nAdd x"
        ),
        "Implement the following plan: # Fix: OOM crash",
        "the parser throws an error",
    ],
    "novelty": [
        "Build me a small CLI for birds",
    ],
    "clean-up": [
        "rename load to read",
        "@a.tsx @b.tsx make it simpler",
        "Simplify the names so the bot doesn't leak them",
        "Extract the colours. This is not limited to the pens",
    ],
    "code": [
        "今日はどうする",
        # Names of branches and files, and what is mentioned on the way, do not say what is asked
        # for.
        "Add a flag on branch fix/crash",
        "I want to implement friends. It is the only item in docs/bugs.md",
        "Implement the login that is currently broken off",
        "You are on branch fix/login. Add a field",
        "Every part needs a default export, so that they won't fail",
        "I want a page with all errors of a day",
        "show an error when nothing is pending",
    ],
}
# the same of sessions of three calls that changed nothing
WORK_WITHOUT_CHANGES: dict[str | None, list[str]] = {
    None: [
        "Why is the menu empty?",
        "为什么这样设置？",
    ],
    "self-review": [
        "go through the code and find any issues",
    ],
    "triage": [
        # Other languages.
        "登录按钮没有反应，请看一下",
        "請求一覧のエラーを直してください",
        "Das Formular funktioniert nicht mit der neuen Version",
        "La página no funciona para los usuarios nuevos",
        "A página não funciona para os usuários, isso é novo",
        "The list is still very slow and does not return: http://h/monitoring/users",
    ],
    "clean-up": [
        "リファクタしてください",
    ],
    "code": [
        "Read docs/plans/a.md and execute it",
        # The full stop after a name ends the sentence; so does a line of a list.
        "Read docs/a-plan.md. Execute it",
        "Gaps in the client:\n\n- lines 3 to 9\n\nAdd tests",
        "Добавь кнопку на страницу настроек",
        "Agrega un botón para los usuarios de la página",
    ],
}
OF_WORK: dict[str | None, list[Row]] = {
    "monitoring": [
        {"last_said": "HEARTBEAT_OK"},
        {"first_prompt": "health check of the cluster", "tool_call_count": 2},
    ],
    None: [
        {"first_prompt": "What is the capital of France", "tool_call_count": 2},
        {"first_prompt": "please review the staged changes", "driver": "program"},
        {"first_prompt": "今日はどうする"},
    ],
    "self-review": [
        {"first_prompt": "please review the staged changes", "driver": "person"},
    ],
    "content": [
        {"first_prompt": "add a section", "touched_files": ["README.md"]},
        {
            "first_prompt": "Update the release notes",
            "touched_files": ["ReleaseNotes.md", "Makefile"],
        },
    ],
    "code": [
        {"first_prompt": "Add a target to format all files", "touched_files": ["Makefile"]},
        {"first_prompt": "Review the config. Add the new build", "touched_files": ["a.yml"]},
        {
            "first_prompt": "Add docs and a demo, don't update the component",
            "touched_files": ["a.ts", "b.mdx", "c.ts"],
        },
        {
            "first_prompt": "does it run in a venv? add what is missing",
            "touched_files": ["api/requirements.txt"],
        },
        {
            "first_prompt": (
                "Implement the following plan:\n# Make limits configurable\n\nFixes 1 to 4 failed"
            ),
            "touched_files": ["a"],
        },
        {"first_prompt": "Add the join command", "touched_files": ["docs/plans/join.md"]},
    ],
}


@pytest.mark.parametrize(
    ("values", "work"),
    [
        *((values, work) for work, several in OF_WORK.items() for values in several),
        *prompted_sessions(WORK_ON_CODE, touched_files=["a.py"]),
        *prompted_sessions(WORK_WITHOUT_CHANGES, tool_call_count=3),
    ],
)
def test_kinds_of_work(values: Row, work: str | None) -> None:
    assert kind_of_work(_row(**values)) == work


@pytest.mark.parametrize(("share", "landed"), [(0.0, 0.0), (0.5, 0.5), (None, 1.0)])
def test_work_lands_by_its_share_and_whole_where_only_commits_show_it(
    share: float | None, landed: float
) -> None:
    row = _coding(output_applied=int(share != 0.0), output_applied_fraction=share)
    assert [signal.score for signal in score(row, None).signals if signal.name == "landed"] == [
        landed
    ]


def test_acceptance_is_the_mean_of_what_is_known() -> None:
    quiet = _coding(last_message_accepts=0)
    assert acceptance(quiet, Deeds()).value is None
    assert acceptance(_coding(), Deeds()) == (1.0, None, None)
    thrown = Deeds(produced=40, discarded=10, places=4, places_undone=1, old=30, alive=15)
    found_parts = acceptance(quiet, thrown)
    assert (found_parts.words, found_parts.deeds, found_parts.kept) == (None, 0.75 * 0.75, 0.5)
    assert acceptance(quiet, thrown).value == pytest.approx((0.5625 + 0.5) / 2)
    assert acceptance(quiet, Deeds(old=19, alive=1)).kept is None  # too few lines for a share
    rejected = _coding(
        last_message_accepts=0, session_outcome="explicitly_rejected", output_applied=0
    )
    assert acceptance(rejected, Deeds(produced=40)).value == 0.0, "nobody had to undo it"
    found = score(quiet, thrown)
    assert found.parts["outcome"] == pytest.approx(0.3 + 0.4 * 0.8 + 0.3 * (0.5625 + 0.5) / 2)


@pytest.mark.parametrize(("price", "value"), [(0.5, 1.0), (1.01, 0.7), (2.0, 0.5)])
def test_a_model_is_judged_by_what_a_response_costs_within_the_task(
    price: float, value: float
) -> None:
    usual = {0.5: CODING.cost / 2, 1.01: CODING.cost * 1.01, 2.0: CODING.high_cost * 1.01}[price]
    found = {s.name: s.score for s in _score_coding(cost_usd=usual * _HALFWAY).signals}
    assert found["model_appropriateness"] == value
    assert {s.name: s.score for s in _score_coding(cost_usd=None).signals}[
        "model_appropriateness"
    ] is None


def test_without_task_or_outcome_there_is_no_score() -> None:
    assert (
        _score_coding(asked_turns=0).special == "no_task" and _score_coding(asked_turns=0).q is None
    )
    nothing = {
        "output_applied": None,
        "output_applied_fraction": None,
        "session_outcome": "accepted",
        "last_message_accepts": 0,
    }
    found = _score_coding(**nothing)
    assert (found.special, found.q, found.tier) == ("no_outcome", None, None)
    assert score(_coding(**nothing), Deeds(produced=10, discarded=10)).q is not None


def test_baselines_are_of_the_type_where_enough_was_measured() -> None:
    assert baseline("coding") == baselines()["coding"] and baselines()["coding"].sessions >= LEAST
    assert baseline("heartbeat") == baselines()[ALL]
    usual = baseline("coding")
    assert usual.rank(0.0) == 0.0 and usual.rank(1.1) == 1.0
    ranks_ = [usual.rank(q / 100) or 0.0 for q in range(101)]
    assert ranks_ == sorted(ranks_) and usual.rank(usual.q[10]) == pytest.approx(0.5)
    assert _score_coding().rank == usual.rank(_score_coding().q or 0)
    assert score(_row()).rank is None


@pytest.mark.parametrize(
    ("values", "special", "q", "tier"),
    [
        ({}, "empty", 0.0, "Failed"),
        ({"last_said": "HEARTBEAT_OK", "agent_words": 1}, "heartbeat_ok", 0.80, "Good"),
        ({"last_said": "NO_REPLY", "agent_words": 1}, "no_reply", 0.75, "Good"),
        (
            {
                "last_said": "HEARTBEAT_OK",
                "agent_words": 1,
                "tool_call_count": 9,
                "turn_count": _MIDDLE,
            },
            "quiet_cron",
            0.80 * 0.5,
            "Poor",
        ),
        (
            {
                "last_said": "Nothing to report.",
                "agent_words": 3,
                "first_prompt": "[cron:1] look",
                "turn_count": 2,
            },
            "quiet_cron",
            0.8,
            "Good",
        ),
    ],
)
def test_special_cases(values: Row, special: str, q: float, tier: str) -> None:
    found = score(_row(**values))
    assert (found.special, found.tier) == (special, tier)
    assert found.q == pytest.approx(q)


@pytest.mark.parametrize(
    ("q", "tier"),
    {
        0.9: "Excellent",
        0.899: "Good",
        0.75: "Good",
        0.6: "Acceptable",
        0.4: "Poor",
        0.39: "Failed",
    }.items(),
)
def test_tiers(q: float, tier: str) -> None:
    found = _score_coding()
    found.q = q
    assert found.tier == tier


def test_no_cost_no_return() -> None:
    assert _score_coding(cost_usd=None).roi is None


def test_frontier() -> None:
    scored = [
        ("cheap", 0.6, 0.1),
        ("cheap", 0.8, 0.1),
        ("dear", 0.9, 1.0),
        ("worse", 0.6, 2.0),
        ("same", 0.7, 0.1),
    ]
    points = model_table(
        [{"model": model, "q": q, "cost_usd": cost} for model, q, cost in scored]
    ).rows
    found = [pick(p, "model", "sessions", "frontier") for p in points]
    assert found == [("cheap", 2, 1), ("same", 1, 1), ("dear", 1, 1), ("worse", 1, 0)]
    assert points[0]["mean_q"] == pytest.approx(0.7) and points[0]["q_per_usd"] == pytest.approx(7)


def test_correlations() -> None:
    assert pearson([(1, 2), (2, 4), (3, 6)]) == pytest.approx(1)
    assert pearson([(1, 6), (2, 4), (3, 2)]) == pytest.approx(-1)
    assert pearson([(1, 1), (2, 2)]) is None and pearson([(1, 1), (1, 2), (1, 3)]) is None
    # constant, though its mean is not exactly 0.1
    assert pearson([(0.1, 1), (0.1, 2), (0.1, 3)]) is None
    assert pearson([(1e-200, 1), (2e-200, 2), (3e-200, 3)]) is None
    assert ranks([3.0, 1.0, 3.0, 2.0]) == [3.5, 1, 3.5, 2]
    assert spearman([(1, 1), (2, 10), (3, 100), (4, 50)]) == pytest.approx(0.8)


# --- the score that readers' ratings chose --------------------------------------------------------


def _signal(found: Score, name: str) -> float | None:
    return next(signal.score for signal in found.signals if signal.name == name)


def _long_session(**values: Any) -> Row:
    """Five messages, the third of which pushes back while the fourth shows an error."""
    return _coding(
        **{
            "user_turn_count": 5,
            "typed_turn_numbers": [1, 2, 3, 4, 6],
            "turn_pushes_back": [0, None, 1, None, 0],
            "error_turns": {4},
            "interruptions": 1,
            "permission_denials": 1,
            "confirmation_requests": 1,
            "last_said": "All done. The tests pass.",
            "tool_result_sizes": [10, None, 30, 40],
            "repetition_rate": 0.1,
            "region_count": 4,
            "region_re_edit_count": 1,
            "landed_share": 0.6,
            **values,
        }
    )


def test_a_whole_rated_score() -> None:
    found = score(_long_session(), Deeds(turns=5, acting_turns=4, places=10, places_again=3))
    assert found.rated_parts["completion"] == pytest.approx((1 + 3 / 5 + 3 / 5 + 1 + 4 / 5) / 5)
    assert found.rated_parts["execution"] == pytest.approx(
        (0.8 + 0.75 + 0.9 + 0.8 + 0.7 + 0.75) / 6
    )
    assert found.rated_parts["outcome"] == pytest.approx(0.6)
    assert found.q_rated == pytest.approx(mix(found.rated_parts, RATED_WEIGHTS).q)
    # the document's score knows none of this
    assert found.q == pytest.approx(_score_coding(user_turn_count=5).q)


@pytest.mark.parametrize(
    ("stops", "refused", "left"),
    [(0, 0, 1.0), (2, 0, 0.6), (0, 2, 0.6), (1, 1, 0.6), (9, 0, 0.0), (None, None, 1.0)],
)
def test_interruptions_and_refused_calls_cost_completion(
    stops: int, refused: int, left: float
) -> None:
    found = score(_long_session(interruptions=stops, permission_denials=refused))
    assert _signal(found, "not_stopped") == pytest.approx(left)


@pytest.mark.parametrize(
    ("pushes", "errors", "left"),
    [
        ([0, 0, 0, 0, 0], set(), 1.0),
        ([1, 0, 0, 0, 0], {1}, 1.0),  # the first message opens the session
        ([0, 1, 0, 0, 0], {2}, 0.8),  # a message counts once
        ([None] * 5, {4, 6}, 0.6),  # a language that the classifier does not read
        (None, {5}, 1.0),  # the harness inserted it
        ([0, 1, 1, 1, 1], set(), 0.2),
        (None, None, None),  # texts are not stored
    ],
)
def test_trouble_is_the_share_of_messages_that_push_back_or_show_an_error(
    pushes: list[int | None] | None, errors: set[int] | None, left: float | None
) -> None:
    found = _signal(score(_long_session(turn_pushes_back=pushes, error_turns=errors)), "no_trouble")
    assert found == (None if left is None else pytest.approx(left))


@pytest.mark.parametrize(
    ("said", "value"),
    {
        "Fixed the parser; all checks pass.": 1.0,
        "I'll summarise: the limit was changed.": 1.0,
        "Now I have all I need. Let me write the plan:": 0.0,
        "You've hit your session limit": 0.0,
        "It is a matter of taste.": 0.5,
        "<think>I will look first</think>Added the flag.": 1.0,
        "<thinking-content-7b>We need to look at the file": None,  # nothing but thoughts
        "テストを追加しました。問題ありません。": None,
        "": None,
    }.items(),
)
def test_the_last_message_reports_or_announces(said: str, value: float | None) -> None:
    assert closing(said) == value


def test_an_agent_that_records_no_results_is_not_judged_by_them() -> None:
    assert _signal(score(_long_session(tool_result_sizes=[None, None])), "results") is None
    assert _signal(score(_long_session(tool_result_sizes=[1, None])), "results") == 0.5
    assert _signal(score(_long_session(), Deeds()), "places_settled") is None


def test_a_session_whose_outcome_is_not_known_is_rated_by_the_rest() -> None:
    unknown = {
        "output_applied": None,
        "output_applied_fraction": None,
        "landed_share": None,
        "last_message_accepts": 0,
    }
    found = score(_long_session(**unknown))
    assert (found.special, found.q, found.tier) == ("no_outcome", None, None)
    assert found.q_rated is not None and found.tier_fitted == tier_of(found.q_rated, FITTED_TIERS)
    nobody = score(_long_session(user_turn_count=0))
    assert (nobody.q_rated, nobody.tier_fitted) == (None, None)
    assert score(_row()).q_rated == 0.0  # empty, by its own rule


def test_fitted_tiers_are_in_order_and_cover_all_scores() -> None:
    cuts = [least for least, _ in FITTED_TIERS]
    assert cuts == sorted(cuts, reverse=True) and cuts[-1] == 0.0
    assert [tier_of(least, FITTED_TIERS) for least, _ in FITTED_TIERS] == [
        "Excellent",
        "Good",
        "Acceptable",
        "Poor",
        "Failed",
    ]


# --- people's ratings -----------------------------------------------------------------------------


def _scored(path: Path, scores: list[tuple[str, str, float]]) -> Path:
    """A database of sessions with (task type, tier, Q)."""
    with Store(path) as store, store.transaction() as connection:
        connection.execute("INSERT INTO repos (id, name) VALUES (1, 'o/r')")
        for number, (task, tier, q) in enumerate(scores, 1):
            row = (number, 1, f"key{number:05}", "=prompt", "codex", "m", "present")
            store.insert(
                "sessions", ("id", "repo_id", "key", "label", "agent", "model", "transcript"), [row]
            )
            columns = ("session_id", "task_type", "tier", "q", "weight_covered", "parts", "version")
            store.insert("scores", columns, [(number, task, tier, q, 1, "{}", 1)])
    return path


def test_a_sheet_has_all_kinds_of_sessions_and_no_scores(tmp_path: Path) -> None:
    scores = (
        [("coding", "Good", 0.8)] * 30 + [("chat", "Poor", 0.5)] * 2 + [("chat", "Failed", 0.1)]
    )
    db = _scored(tmp_path / "q.db", scores)
    shown = run("data", "ratings", "--sessions", 6, db=db)
    table = rows(shown)
    assert list(table[0]) == [
        "session",
        "repository",
        "started_at",
        "first_prompt",
        "rating",
        "remarks",
    ]
    picked = [int(r["session"].removeprefix("key")) for r in table]
    # all of the rare ones
    assert len(picked) == len(set(picked)) == 6 and {31, 32, 33} <= set(picked)
    assert picked != sorted(picked)
    assert "codex" not in shown.stdout and "0.8" not in shown.stdout and "Good" not in shown.stdout
    assert table[0]["first_prompt"] == "'=prompt"  # no formula
    assert rows(run("data", "ratings", "--sessions", 6, db=db)) == table
    assert rows(run("data", "ratings", "--sessions", 6, "--seed", 2, db=db)) != table
    assert len(rows(run("data", "ratings", "--sessions", 99, db=db))) == 33


def test_ratings_with_intervals(tmp_path: Path) -> None:
    db = _scored(tmp_path / "q.db", [("coding", "Good", q / 10) for q in range(10)])
    rated = "session,rating,remarks\n" + "".join(
        f"key{i:05},{r},\n" for i, r in enumerate((1, 2, 1, 3, 2, 4, 3, 5, 4), 1)
    )
    (tmp_path / "r.csv").write_text(rated + "key00010,,not rated\n")
    with Store(db) as store:
        rated_sessions, unmatched = read_ratings(store, tmp_path / "r.csv")
    found = {
        row["correlation"]: row
        for row in agreement(rated_sessions, None)
        if row["sessions of"] == "all"
    }
    assert (len(rated_sessions), unmatched) == (9, [])
    # the seed is fixed
    assert list(agreement(rated_sessions, None)) == list(agreement(rated_sessions, None))
    ranked = found["Spearman"]
    assert ranked["r"] == pytest.approx(
        spearman([(i, r) for i, r in enumerate((1, 2, 1, 3, 2, 4, 3, 5, 4))])
    )
    assert 0 < ranked["low"] < ranked["r"] < ranked["high"] <= 1
    assert "Spearman" in run("data", "ratings", tmp_path / "r.csv", db=db).stdout


# --- other weights --------------------------------------------------------------------------------


def _with_parts(
    path: Path, parts: list[tuple[float, float, float, float | None]], repositories: int = 4
) -> Path:
    """A database of coding sessions with these parts, in turn of several repositories."""
    with Store(path) as store, store.transaction() as connection:
        for repo in range(1, repositories + 1):
            connection.execute("INSERT INTO repos (id, name) VALUES (?, ?)", (repo, f"o/r{repo}"))
        for number, values in enumerate(parts, 1):
            row = (
                number,
                number % repositories + 1,
                f"key{number:05}",
                "prompt",
                "codex",
                "m",
                "present",
            )
            store.insert(
                "sessions", ("id", "repo_id", "key", "label", "agent", "model", "transcript"), [row]
            )
            columns = (
                "session_id",
                "task_type",
                "tier",
                "q",
                "q_rated",
                "tier_fitted",
                *PARTS,
                "weight_covered",
                "cost_usd",
            )
            found = mix(dict(zip(PARTS, values, strict=True)), WEIGHTS["coding"])
            rated = dict(zip(PARTS, values[::-1], strict=True))
            q_rated = mix(rated, RATED_WEIGHTS).q
            scored = (
                number,
                "coding",
                "Good",
                found.q,
                q_rated,
                tier_of(q_rated, FITTED_TIERS),
                *values,
                1,
                2.0,
            )
            stored = json.dumps({"weights": found.weights, "signals": [], "rated": rated})
            store.insert("scores", (*columns, "parts", "version"), [(*scored, stored, 1)])
    return path


def _ratings_of(
    path: Path, parts: list[tuple[float, float, float, float | None]], weights: PartWeights
) -> Path:
    lines = [
        f"key{n:05},{1 + 4 * (mix(dict(zip(PARTS, p, strict=True)), weights).q or 0)}"
        for n, p in enumerate(parts, 1)
    ]
    path.write_text("session,rating\n" + "\n".join(lines) + "\n")
    return path


def _any_parts(count: int, seed: int = 1) -> list[tuple[float, float, float, float | None]]:
    rng = random.Random(seed)
    return [(rng.random(), rng.random(), rng.random(), rng.random()) for _ in range(count)]


def test_a_fit_finds_the_weights_that_ratings_were_made_with(tmp_path: Path) -> None:
    parts = _any_parts(40)
    made_with = (0.6, 0.1, 0.3, 0.0)
    db = _with_parts(tmp_path / "q.db", parts)
    ratings = _ratings_of(tmp_path / "r.csv", parts, made_with)
    with Store(db) as store:
        fit = fit_weights(read_ratings(store, ratings)[0])
    assert fit is not None and fit.weights == pytest.approx(made_with)
    found = {row["sessions of"]: row for row in run_rows("data", "ratings", ratings, db=db)}
    assert (
        float(found["repositories not fitted on"]["r"]) > 0.999 > 0.8 > float(found["coding"]["r"])
    )


def test_a_fit_to_ratings_that_mean_nothing_shows_so_on_unseen_repositories(tmp_path: Path) -> None:
    parts = _any_parts(60, seed=2)
    rng = random.Random(3)
    db = _with_parts(tmp_path / "q.db", parts)
    (tmp_path / "r.csv").write_text(
        "session,rating\n" + "".join(f"key{n:05},{rng.randint(1, 5)}\n" for n in range(1, 61))
    )
    with Store(db) as store:
        found = fit_weights(read_ratings(store, tmp_path / "r.csv")[0])
    assert found is not None and found.unseen is not None and found.fitted is not None
    assert found.unseen < found.fitted and abs(found.unseen) < 0.3


@pytest.mark.parametrize(("count", "repositories"), [(19, 4), (40, 2)])
def test_too_little_to_fit(tmp_path: Path, count: int, repositories: int) -> None:
    parts = _any_parts(count)
    db = _with_parts(tmp_path / "q.db", parts, repositories)
    ratings = _ratings_of(tmp_path / "r.csv", parts, (0.25, 0.25, 0.25, 0.25))
    assert "No weights are fitted" in run("data", "ratings", ratings, db=db).stdout


def test_a_selection_says_which_score_is_shown(tmp_path: Path) -> None:
    db = _with_parts(tmp_path / "q.db", [(1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)])
    shown = {r["key"]: r for r in run_rows("report", "quality", "--weights", "rated", db=db)}
    q = RATED_WEIGHTS[0]  # the second has, by ratings, nothing but completion
    low = shown["key00002"]
    assert pick(low, "q", "q_rated", "tier", "completion", "outcome") == (
        str(q),
        str(q),
        low["tier_fitted"],
        "1.0",
        "0.0",
    )
    assert float(low["roi"]) == pytest.approx(q / 2) and low["q_rank"] == ""
    published = {r["key"]: r for r in run_rows("report", "quality", db=db)}["key00002"]
    assert pick(published, "q", "q_rated", "tier", "completion") == (
        "0.5",
        str(q),
        "Good",
        "0.0",
    )
    explained = run("report", "quality", "--explain", "key00002", "--weights", "rated", db=db)
    assert f"Q = {q:.2f}" in explained.stdout
    assert "q_rated and tier_fitted" in run("report", "quality", "--weights", "rated", db=db).stdout


@pytest.mark.parametrize(
    ("least", "listed", "code"),
    [("0.1", [], 0), ("0.4", ["key00001"], 1), ("0.9", ["key00001", "key00002"], 1)],
)
def test_low_scores_are_listed_and_fail(
    tmp_path: Path, least: str, listed: list[str], code: int
) -> None:
    db = _with_parts(
        tmp_path / "q.db", [(1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0)]
    )
    alert = run("report", "quality", "--min-q", least, "--csv", code=code, db=db)
    assert sorted(row["key"] for row in rows(alert)) == listed
    assert (
        f"{count_of(len(listed), 'session')} with a score below {least}" in alert.stderr
    ) is bool(listed)
    weekly = run("report", "quality", "--min-q", least, "--weekly", "--json", code=code, db=db)
    assert sum(week["below"] for week in json.loads(weekly.stdout)) == len(listed)
    run("report", "quality", "--csv", db=db)


def test_a_digest_has_a_row_for_each_week() -> None:
    times = (
        "2026-01-01T09:00:00Z",
        "2026-01-04T23:59:00Z",
        "2026-01-05T00:00:00Z",
        None,
        "2026-01-05T01:00:00Z",
    )
    scores = (0.3, 0.5, 0.4, 1.0, None)
    table = week_table(
        [{"started_at": at, "q": q, "cost_usd": 1.0} for at, q in zip(times, scores, strict=True)],
        0.4,
    )
    found = [
        pick(row, "week", "sessions", "mean_q", "lowest_q", "below", "cost_usd") for row in table
    ]
    assert found == [
        ("2026-W01", 2, 0.4, 0.3, 1, 2.0),
        ("2026-W02", 1, 0.4, 0.4, 0, 1.0),
        ("unknown", 1, 1.0, 1.0, 0, 1.0),
    ]


def test_how_long_lines_were_kept_counts_once_they_were_followed(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)

    def kept() -> list[float | None]:
        with Store(db) as store:
            parts = [
                json.loads(row["parts"])["signals"]
                for row in store.rows("SELECT parts FROM scores ORDER BY session_id")
            ]
        return [
            signal["value"]["kept"]
            for signals in parts
            for signal in signals
            if signal["signal"] == "acceptance"
        ]

    analyse(repo, db)
    assert set(kept()) == {None}
    run("survival", repo, "--no-curves", db=db)
    known = [share for share in kept() if share is not None]
    assert known and all(0.9 < share <= 1 for share in known)
    analyse(repo, db)
    assert [share for share in kept() if share is not None] == known
