"""Results of evaluation runs: each shape by hand, what is believed when they differ, and what
strangers' directories may hold.
"""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from support import ROOT
from support.answers import pick, select
from support.commands import rows, run, run_json, run_rows
from support.invariants import broken_checks

from attribution.evaluation.attempts.other import COUNTS
from attribution.evaluation.attempts.rates import pass_at, treatment
from attribution.evaluation.attempts.scan import scan
from attribution.evaluation.attempts.stage import LABEL, counts, gold_files, natural, write
from collector.agents import reader_for
from collector.errors import WhoWroteError
from collector.git.patches import touched_files
from collector.json_values import JsonObject, Row
from collector.storage.store import Store

SAMPLES = ROOT / "tests" / "data" / "transcripts"
DIFF = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


def _report(
    instance: str, fixed: int, unfixed: int, kept: int, broken: int, **more: Any
) -> JsonObject:
    """A report as the harness of SWE-bench writes it."""
    tests = {
        "FAIL_TO_PASS": {"success": ["f"] * fixed, "failure": ["g"] * unfixed},
        "PASS_TO_PASS": {"success": ["k"] * kept, "failure": ["b"] * broken},
        "FAIL_TO_FAIL": {"success": [], "failure": []},
        "PASS_TO_FAIL": {"success": [], "failure": []},
    }
    told = {
        "patch_is_None": False,
        "patch_exists": True,
        "patch_successfully_applied": True,
        "resolved": not unfixed and not broken,
    }
    return {instance: {**told, "tests_status": tests, **more}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where the files of attempts lie."""
    return tmp_path / "in"


def _put(root: Path, name: str, value: Any) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


def _imported(root: Path, db: Path, gold: Path | None = None) -> list[Row]:
    with Store(db) as store:
        write(store, scan(root), gold_files(gold) if gold else None)
        return store.rows("SELECT * FROM attempts ORDER BY harness, instance, run, trial, id")


def _one(root: Path) -> Row:
    (row,) = _imported(root, root.parent / "one.db")
    return row


def _problems(db: Path) -> list[tuple[str, str]]:
    return select(db, "SELECT subject, code FROM problems ORDER BY subject, code")


# --- labels ---------------------------------------------------------------------------------------


def _test_counts(reward: float, *counts: int, **more: int) -> Row:
    """A report with its numbers of fixed tests, broken ones, and ones that failed before too."""
    names = ("fail_to_pass_count", "pass_to_fail_count", "fail_to_fail_count")
    return {"reward": reward, **dict(zip(names, counts, strict=True)), **more}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (_test_counts(1.0, 2, 0, 0), "correct"),
        (_test_counts(0.0, 1, 0, 1), "partial"),
        (_test_counts(0.0, 2, 1, 0), "partial"),
        (_test_counts(0.0, 0, 1, 2), "regressive"),
        (_test_counts(0.0, 0, 0, 2), "no_effect"),
        (_test_counts(1.0, 0, 0, 0), "correct"),  # nothing to fix
        # the three are not mended by the gold patch either
        (_test_counts(1.0, 1, 0, 3, tests_to_fix_failed=0), "correct"),
        ({"reward": 0.0, "patch_applies": 0}, "unverifiable"),
        ({"reward": None, "error": "harness_error"}, "unverifiable"),
        ({"reward": 0.0, "patch_exists": 0, "patch_applies": 0}, None),
        ({"reward": 1.0}, "correct"),
        ({"reward": 0.4}, "partial"),
        ({"reward": 0.0}, None),  # which tests changed is not known
        ({"reward": None}, None),
    ],
)
def test_labels(row: Row, expected: str | None) -> None:
    names = (
        "evaluated",
        "reward",
        "patch_exists",
        "patch_applies",
        "error",
        "tests_to_fix_failed",
        *COUNTS,
    )
    columns = ", ".join(f":{name} AS {name}" for name in names)
    values = dict.fromkeys(names) | {"evaluated": 1} | row
    assert sqlite3.connect(":memory:").execute(
        f"SELECT {LABEL} FROM (SELECT {columns})", values
    ).fetchone() == (expected,)


def test_transitions_from_the_categories_of_the_gold_patch() -> None:
    found = counts(
        {
            "FAIL_TO_PASS": [3, 1],
            "PASS_TO_PASS": [50, 2],
            "FAIL_TO_FAIL": [1, 4],
            "PASS_TO_FAIL": [5, 6],
        }
    )
    assert found == {
        "fail_to_pass_count": 4,
        "fail_to_fail_count": 5,
        "pass_to_pass_count": 55,
        "pass_to_fail_count": 2,
    }
    assert counts({"ALL": [3, 1]}) == {}


# --- SWE-bench ------------------------------------------------------------------------------------


def test_a_report_of_an_instance(root: Path) -> None:
    _put(
        root,
        "logs/run_evaluation/r1/org__m/x__y-1/report.json",
        _report("x__y-1", 2, 1, 30, 0, note="kept"),
    )
    _put(
        root,
        "logs/run_evaluation/r1/org__m/x__y-1/patch.diff",
        DIFF.format("src/a.py") + DIFF.format("src/b.py"),
    )
    row = _one(root)
    told = (
        "harness",
        "run",
        "model_id",
        "instance",
        "reward",
        "patch_applies",
        "patch_outcome_label",
        "attempt_index",
        "evaluated",
    )
    assert [row[name] for name in told] == [
        "swe-bench",
        "r1",
        "org__m",
        "x__y-1",
        0.0,
        1,
        "partial",
        0,
        1,
    ]
    assert pick(
        row, "fail_to_pass_count", "fail_to_fail_count", "pass_to_pass_count", "pass_to_fail_count"
    ) == (
        2,
        1,
        30,
        0,
    )
    assert json.loads(row["touched_files"]) == ["src/a.py", "src/b.py"] and row["diff_lines"] == 4
    assert json.loads(row["extra"]) == {"note": "kept"}
    assert json.loads(row["treatment"]) == {"model_id": "org__m"}


def test_the_layout_of_submissions(root: Path) -> None:
    _put(
        root,
        "verified/20250101_agent/logs/x__y-1/report.json",
        _report("x__y-1", 1, 0, 3, 0),
    )
    row = _one(root)
    assert pick(row, "run", "model_id", "reward") == ("20250101_agent", "20250101_agent", 1.0)


def test_a_report_of_a_run_and_those_of_its_instances_are_one_attempt_each(
    root: Path, db: Path
) -> None:
    _put(root, "logs/run_evaluation/run.v2/m-4.5/x__y-1/report.json", _report("x__y-1", 1, 0, 3, 0))
    ids = {
        "submitted_ids": ["x__y-1", "x__y-2", "x__y-3"],
        "completed_ids": ["x__y-1"],
        "resolved_ids": ["x__y-1"],
    }
    ids |= {
        "unresolved_ids": [],
        "empty_patch_ids": ["x__y-2"],
        "error_ids": ["x__y-3"],
        "incomplete_ids": ["x__y-9"],
    }
    _put(root, "m-4.5.run.v2.json", {"total_instances": 500, **ids, "schema_version": 2})
    first, second, third = _imported(root, db)
    assert [r["run"] for r in (first, second, third)] == ["run.v2"] * 3
    assert [r["model_id"] for r in (first, second, third)] == ["m-4.5"] * 3
    assert (
        first["reward"],
        first["pass_to_pass_count"],
        first["source"].endswith("report.json"),
    ) == (1.0, 3, True)
    assert pick(second, "reward", "patch_exists", "patch_outcome_label") == (
        0.0,
        0,
        None,
    )
    assert pick(third, "reward", "error", "patch_outcome_label") == (
        None,
        "harness_error",
        "unverifiable",
    )
    assert _problems(db) == []


def test_reports_that_disagree_are_told(root: Path, db: Path) -> None:
    _put(root, "run_evaluation/r/m/x__y-1/report.json", _report("x__y-1", 0, 1, 3, 0))
    _put(root, "m.r.json", {"submitted_ids": ["x__y-1"], "resolved_ids": ["x__y-1"]})
    (row,) = _imported(root, db)
    assert row["reward"] == 0.0  # the report of the instance knows more
    assert _problems(db) == [("run_evaluation/r/m/x__y-1/report.json", "results_disagree")]


def test_predictions_complete_the_attempts_they_are_of(root: Path, db: Path) -> None:
    _put(
        root,
        "m.r.json",
        {"submitted_ids": ["x", "y"], "resolved_ids": ["x"], "unresolved_ids": ["y"]},
    )
    lines = [
        {"instance_id": i, "model_name_or_path": "m", "model_patch": DIFF.format(f"{i}.py")}
        for i in ("x", "z")
    ]
    _put(root, "preds.jsonl", "\n".join(map(json.dumps, lines)) + '\n{"cut": \n')
    _put(
        root,
        "all_preds.json",
        {"y": {"model_name_or_path": "m", "model_patch": DIFF.format("y.py")}},
    )
    found = {r["instance"]: r for r in _imported(root, db)}
    assert {k: json.loads(r["touched_files"]) for k, r in found.items()} == {
        "x": ["x.py"],
        "y": ["y.py"],
        "z": ["z.py"],
    }
    assert pick(found["x"], "run", "reward", "evaluated") == ("r", 1.0, 1)
    assert pick(found["z"], "reward", "evaluated", "patch_outcome_label") == (
        None,
        0,
        None,
    )
    assert _problems(db) == [("preds.jsonl", "malformed_lines")]


def test_a_prediction_of_which_nobody_knows_the_run_is_told(root: Path, db: Path) -> None:
    _put(root, "m.r.json", {"submitted_ids": ["x"], "resolved_ids": ["x"]})
    for name in "ab":
        _put(
            root,
            f"{name}.jsonl",
            json.dumps(
                {"instance_id": "x", "model_name_or_path": "m", "model_patch": DIFF.format(name)}
            ),
        )
    (row,) = _imported(root, db)
    assert row["touched_files"] is None
    assert _problems(db) == [
        ("a.jsonl", "prediction_ambiguous"),
        ("b.jsonl", "prediction_ambiguous"),
    ]


def test_a_data_set_is_no_prediction(root: Path, db: Path) -> None:
    _put(
        root,
        "data.jsonl",
        json.dumps(
            {
                "instance_id": "x",
                "patch": DIFF.format("a"),
                "test_patch": "",
                "base_commit": "0" * 40,
            }
        ),
    )
    assert _imported(root, db) == []


def test_trajectories_say_how_it_went_and_not_whether(root: Path, db: Path) -> None:
    _put(root, "sub/logs/x/report.json", _report("x", 1, 0, 1, 0))
    _put(
        root,
        "sub/trajs/x.json",
        {
            "instance_id": "x",
            "model": "other",
            "metrics": {"turns": 7, "cost_usd": 0.5},
            "success": True,
        },
    )
    info = {
        "exit_status": "submitted",
        "submission": DIFF.format("q.py"),
        "model_stats": {"instance_cost": 0.25, "api_calls": 9},
    }
    _put(root, "run7/m/w/w.traj", {"info": info, "instance_id": "w", "trajectory": []})
    found = {r["instance"]: r for r in _imported(root, db)}
    assert pick(found["x"], "turn_count", "cost_usd", "reward", "model_id") == (7, 0.5, 1.0, "sub")
    assert pick(found["w"], "run", "model_id", "turn_count", "cost_usd") == ("run7", "m", 9, 0.25)
    assert pick(found["w"], "evaluated", "reward", "error") == (0, None, None)


# --- other harnesses ------------------------------------------------------------------------------


def _trial(
    task: str, number: int, resolved: bool | None, failure: str = "unset", hour: int = 3
) -> JsonObject:
    tests = (
        None
        if resolved is None
        else {"test_a": "passed", "test_b": "passed" if resolved else "failed"}
    )
    return {
        "trial_name": f"{task}.{number}-of-3",
        "task_id": task,
        "instruction": "long text",
        "is_resolved": resolved,
        "failure_mode": failure,
        "parser_results": tests,
        "recording_path": "p",
        "total_input_tokens": 0,
        "total_output_tokens": 12,
        "trial_started_at": f"2025-09-10T0{hour}:00:00.5+00:00",
        "trial_ended_at": f"2025-09-10T0{hour}:02:00.5+00:00",
    }


def test_harbor(root: Path) -> None:
    agent = {
        "name": "claude-code",
        "model_name": "anthropic/m",
        "override_timeout_sec": 900,
        "kwargs": {},
        "env": {"X_KEY": "s3cret"},
    }
    trial = {
        "id": "u",
        "task_name": "x__y-1",
        "trial_name": "x__y-1__abc",
        "trial_uri": "file:///t",
        "source": "verified",
        "config": {"agent": agent, "timeout_multiplier": 2.0, "environment": {"type": "docker"}},
        "agent_info": {
            "name": "claude-code",
            "version": "2.0",
            "model_info": {"name": "m", "provider": "anthropic"},
        },
        "agent_result": {
            "n_input_tokens": 100,
            "n_cache_tokens": 80,
            "n_output_tokens": 5,
            "cost_usd": 0.2,
        },
        "verifier_result": {"rewards": {"reward": 0.0}},
        "exception_info": None,
        "task_checksum": "c",
        "started_at": "2026-01-01T00:00:00Z",
        "finished_at": "2026-01-01T00:01:00Z",
    }
    _put(root, "job1/config.json", {"job_name": "job1", "orchestrator": {"n_concurrent_trials": 4}})
    _put(root, "job1/result.json", {"id": "j", "n_total_trials": 1, "stats": {}})
    _put(root, "job1/x__y-1__abc/result.json", trial)
    _put(root, "job1/x__y-1__abc/verifier/report.json", _report("x__y-1", 0, 1, 4, 2))
    _put(
        root,
        "job1/x__y-1__abc/agent/trajectory.json",
        {"session_id": "s-1", "final_metrics": {"total_steps": 17}},
    )
    row = _one(root)
    assert pick(row, "harness", "run", "trial", "agent_type") == (
        "harbor",
        "job1",
        "x__y-1__abc",
        "claude-code",
    )
    assert pick(row, "model_id", "dataset", "concurrency", "timeout_s") == (
        "anthropic/m",
        "verified",
        4,
        900.0,
    )
    assert pick(row, "cache_read_tokens", "cost_usd", "turn_count", "wall_time_s") == (
        80,
        0.2,
        17,
        60.0,
    )
    assert pick(row, "pass_to_fail_count", "patch_outcome_label", "session_key") == (
        2,
        "regressive",
        "s-1",
    )
    treatment = json.loads(row["treatment"])
    assert pick(treatment, "agent_version", "timeout_multiplier", "environment") == (
        "2.0",
        2.0,
        "docker",
    )
    assert "s3cret" not in json.dumps(row)


def test_a_job_as_harbor_writes_it_has_caps_timeout_version_and_the_agents_own_steps(
    root: Path,
    db: Path,
) -> None:
    """The names and nulls of Harbor 0.26; in its trajectories the user's instruction is a step
    too.
    """
    agent = {
        "name": None,
        "import_path": "a:Agent",
        "model_name": "m/tiny",
        "override_timeout_sec": 2.0,
        "max_timeout_sec": None,
        "kwargs": {"attempt1_tool_cap": 12, "retry_tool_cap": 4},
    }
    datasets = [
        {"path": None, "name": "mini", "version": "1.0", "ref": None, "registry_path": "/r.json"}
    ]
    _put(
        root,
        "job/config.json",
        {
            "job_name": "job",
            "n_attempts": 2,
            "n_concurrent_trials": 3,
            "agents": [agent],
            "datasets": datasets,
        },
    )
    _put(root, "job/result.json", {"id": "j", "n_total_trials": 2, "stats": {}})
    for number, error in enumerate(
        (
            None,
            {
                "exception_type": "AgentTimeoutError",
                "exception_message": "timed out after 2.0 seconds",
            },
        )
    ):
        name = f"fix__{number}"
        trial = {
            "schema_version": 1,
            "task_name": "mini/fix",
            "trial_name": name,
            "task_id": {"path": "/tasks/fix"},
            "source": "mini",
            "config": {
                "trial_name": name,
                "task": {"path": "/tasks/fix", "name": None, "source": "mini"},
                "agent": agent,
                "timeout_multiplier": 1.0,
                "agent_timeout_multiplier": None,
                "environment": {"type": None},
            },
            "agent_info": {
                "name": "agent",
                "version": "0.1",
                "model_info": {"name": "tiny", "provider": "m"},
            },
            "agent_result": {
                "n_input_tokens": 220,
                "n_cache_tokens": 110,
                "n_output_tokens": 22,
                "cost_usd": 0.02,
            },
            "verifier_result": {"rewards": {"reward": 1.0}},
            "exception_info": error,
            "started_at": "2026-01-01T00:00:00Z",
            "finished_at": "2026-01-01T00:00:02Z",
        }
        steps = [
            {"step_id": 1, "source": "user", "message": "Fix it"},
            {"step_id": 2, "source": "agent", "message": ""},
            {"step_id": 3, "source": "agent", "message": "Done."},
        ]
        _put(root, f"job/{name}/result.json", trial)
        _put(root, f"job/{name}/config.json", trial["config"])
        _put(
            root,
            f"job/{name}/agent/trajectory.json",
            {"session_id": "s", "steps": steps, "final_metrics": {"total_steps": 3}},
        )
    rows = _imported(root, db)
    assert [
        pick(r, "attempt1_tool_cap", "retry_tool_cap", "timeout_s", "concurrency", "dataset")
        for r in rows
    ] == [(12, 4, 2.0, 3, "mini@1.0")] * 2
    assert [pick(r, "timed_out", "turn_count", "reward") for r in rows] == [
        (0, 2, 1.0),
        (1, 2, 1.0),
    ]
    assert len({r["treatment"] for r in rows}) == 1


def test_settings_of_harbors_job_are_joined_to_each_trial(root: Path, db: Path) -> None:
    """A trial keeps a config.json of its own, which says nothing of concurrency and data set."""
    datasets = [{"name": "other", "version": "9"}, {"name": "org/verified", "ref": "1.0"}]
    _put(
        root,
        "job1/config.json",
        {"job_name": "night", "n_concurrent_trials": 8, "datasets": datasets},
    )
    for number, agent in enumerate(
        (
            {"kwargs": {"attempt1_tool_cap": 50, "retryToolCap": 20}},
            {"env": {"ATTEMPT1_TOOL_CAP": "50", "RETRY_TOOL_CAP": "20"}},
        )
    ):
        config = {
            "trial_name": f"t{number}",
            "task": {"name": "org/x", "source": "org/verified"},
            "agent": agent,
        }
        _put(root, f"job1/t{number}/config.json", config)
        _harbor_trial(root, f"job1/t{number}", "org/x", config=config)
        metrics = {"total_steps": 3, "extra": {"total_cache_creation_input_tokens": 70 + number}}
        _put(root, f"job1/t{number}/agent/trajectory.json", {"final_metrics": metrics})
    found = _imported(root, db)
    assert [pick(r, "run", "dataset", "concurrency") for r in found] == [
        ("night", "org/verified@1.0", 8)
    ] * 2
    assert [
        pick(r, "attempt1_tool_cap", "retry_tool_cap", "cache_write_tokens") for r in found
    ] == [(50, 20, 70), (50, 20, 71)]


def test_a_trial_read_alone_has_no_job(tmp_path: Path, root: Path) -> None:
    _harbor_trial(tmp_path, "in", "x")
    _put(root, "config.json", {"trial_name": "in", "task": {"name": "x"}})
    row = _one(root)
    assert pick(row, "dataset", "concurrency", "attempt1_tool_cap") == ("", None, None)


def _harbor_trial(
    root: Path, place: str, task: str = "t", reward: float = 1.0, **more: Any
) -> Path:
    trial = {
        "task_name": task,
        "trial_name": place.rpartition("/")[2],
        "agent_info": {"name": "claude-code"},
        "agent_result": {},
        "verifier_result": {"rewards": {"reward": reward}},
    }
    return _put(root, f"{place}/result.json", trial | more)


def test_the_report_of_another_harness_inside_a_trial_is_of_the_same_attempt(
    root: Path,
    db: Path,
) -> None:
    """Named after the same task or the verifier's; the trial's own reward is believed, and the
    difference told.
    """
    _harbor_trial(root, "j/t1", "swe-bench/x__y-1", 1.0)
    _put(root, "j/t1/logs/report.json", _report("x__y-1", 0, 1, 4, 2))
    _harbor_trial(root, "j/t2", "renamed", 0.0)
    _put(root, "j/t2/verifier/report.json", _report("x__y-2", 0, 1, 4, 0))
    _harbor_trial(root, "j/t3", "x__y-3")
    _put(root, "j/t3/logs/report.json", _report("x__y-4", 1, 0, 4, 0))
    found = _imported(root, db)
    assert [pick(r, "harness", "trial", "instance", "reward", "patch_applies") for r in found] == [
        ("harbor", "t2", "renamed", 0.0, 1),
        ("harbor", "t1", "swe-bench/x__y-1", 1.0, 1),
        ("harbor", "t3", "x__y-3", 1.0, None),
        ("swe-bench", "", "x__y-4", 1.0, 1),
    ]
    assert [r["pass_to_fail_count"] for r in found] == [0, 2, None, 0]
    assert [problem.code for problem in scan(root).problems] == ["results_disagree"]


def test_the_transcript_of_a_trial_names_its_session_and_counts_its_calls(
    root: Path, db: Path
) -> None:
    """Where Claude Code keeps it below Harbor's logs; with two sessions nothing tells which of
    them it is about.
    """
    name = "5e550000-0000-4000-8000-000000000001"
    sample = (SAMPLES / "claude-code/sample.jsonl").read_bytes()
    for trial in ("one", "two"):
        _harbor_trial(root, f"j/{trial}", "t")
        place = root / f"j/{trial}/agent/sessions/projects/-app"
        place.mkdir(parents=True)
        (place / f"{name}.jsonl").write_bytes(sample)
    (root / "j/two/agent/sessions/projects/-app/other.jsonl").write_bytes(sample)
    _put(
        root,
        "j/one/agent/trajectory.json",
        {"schema_version": "ATIF-v1.4", "final_metrics": {"total_steps": 17}},
    )
    one, two = _imported(root, db)
    session = reader_for(sample).read(name, [sample])  # type: ignore[union-attr]
    edits = sum(any(not edit.by_shell for edit in call.edits) for call in session.calls)
    assert edits > 0
    assert pick(one, "session_key", "turn_count") == (name, 17)
    assert (
        len(json.loads(one["tool_sequence"])) == one["tool_call_count"]
        and one["first_touched_file"] == json.loads(one["touched_files"])[0]
    )
    assert one["transcript"] == f"agent/sessions/projects/-app/{name}.jsonl"
    assert pick(one, "tool_call_count", "edit_calls") == (len(session.calls), edits)
    assert pick(two, "session_key", "transcript", "tool_call_count") == (None, None, None)


def test_the_files_of_a_transcript_are_compared_with_the_gold_patch(root: Path, db: Path) -> None:
    _harbor_trial(root, "j/one")
    sample = (SAMPLES / "claude-code/sample.jsonl").read_bytes()
    place = root / "j/one/agent/sessions/projects/-app"
    place.mkdir(parents=True)
    (place / "5e550000-0000-4000-8000-000000000001.jsonl").write_bytes(sample)
    (row,) = _imported(root, db)
    first, *others = json.loads(row["touched_files"])
    name = first.rpartition("/")[2]
    patch = f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n"
    gold = root.parent / "gold.jsonl"
    gold.write_text(json.dumps({"instance_id": row["instance"], "patch": patch}) + "\n", "utf-8")
    (row,) = _imported(root, db, gold)
    assert row["localized_correct_file"] == 1 and row["scope_drift"] == 1 + len(others)
    assert row["gd_actions"] == pytest.approx(len(others) / (1 + len(others)))


def test_a_plain_result_joins_its_version_and_has_its_localization(root: Path, db: Path) -> None:
    said = {
        "dataset": "swesmith",
        "dataset_version": "1.0",
        "localization": {"attempt1Mode": "exact"},
    }
    _put(root, "t/result.json", {"instance_id": "t", "reward": 1, **said})
    (row,) = _imported(root, db)
    assert pick(row, "dataset", "localization_mode") == ("swesmith@1.0", "exact")


def test_transcripts_of_a_trial_that_are_links_or_damaged_are_left(
    tmp_path: Path, root: Path, db: Path
) -> None:
    _harbor_trial(root, "j/one")
    _put(root, "j/one/agent/torn.jsonl", "{" * 5_000)
    _put(
        tmp_path, "outside/secret.jsonl", (SAMPLES / "claude-code/sample.jsonl").read_text("utf-8")
    )
    (root / "j/one/sessions").symlink_to(tmp_path / "outside")
    (root / "j/one/agent/linked").symlink_to(tmp_path / "outside")
    assert _imported(root, db)[0]["transcript"] is None


def test_harbor_trials_that_failed(root: Path, db: Path) -> None:
    broken = {"exception_type": "AgentTimeoutError", "exception_message": "x"}
    _harbor_trial(root, "j/a", verifier_result=None, exception_info=broken)
    _harbor_trial(root, "j/b", verifier_result={"rewards": {"f2p": 1, "style": 0.5}})
    _harbor_trial(root, "j/c", verifier_result={"rewards": {"score": 0.5}})
    a, b, c = _imported(root, db)
    assert pick(a, "reward", "timed_out", "error", "patch_outcome_label") == (
        None,
        1,
        "AgentTimeoutError",
        "unverifiable",
    )
    assert (b["reward"], json.loads(b["extra"])["rewards"]) == (None, {"f2p": 1, "style": 0.5})
    assert pick(c, "reward", "patch_outcome_label") == (0.5, "partial")


def test_any_result_with_a_reward_and_its_variables(root: Path) -> None:
    _put(
        root,
        "exp/x__y-1/result.json",
        {
            "treatment": {
                "attempt1ToolCap": 20,
                "retryToolCap": 50,
                "agent_type": "one-shot",
                "model_id": "p/m",
                "temperature": 0.5,
            },
            "behavior": {"turn_count": 3, "tool_call_count": 9, "edit_calls": 2},
            "verification": {
                "reward": 0,
                "fail_to_pass": ["a"],
                "pass_to_fail": [],
                "pass_to_pass_count": 4,
                "fail_to_fail": 2,
            },
            "infra": {"wall_time_s": 12.5, "timed_out": False, "finalFailureMode": "wrong_file"},
            "plannotator_phases": [{"event": "plannotator-phase", "phase": "implement"}],
            "weather": {"rain": True},
        },
    )
    row = _one(root)
    assert pick(row, "harness", "instance", "agent_type", "model_id") == (
        "other",
        "x__y-1",
        "one-shot",
        "p/m",
    )
    assert pick(row, "attempt1_tool_cap", "retry_tool_cap", "edit_calls", "timed_out") == (
        20,
        50,
        2,
        0,
    )
    assert pick(row, "fail_to_pass_count", "pass_to_fail_count", "fail_to_fail_count") == (
        1,
        0,
        2,
    )
    assert pick(row, "patch_outcome_label", "final_failure_mode") == ("partial", "wrong_file")
    assert json.loads(row["plannotator_phases"])[0]["phase"] == "implement"
    assert json.loads(row["treatment"])["temperature"] == 0.5
    assert json.loads(row["extra"]) == {"weather": {"rain": True}}


def test_what_a_trial_printed_completes_its_result(root: Path) -> None:
    """By the description of these lines; what the result itself says is believed."""
    printed = (
        "start\n[subq-eval] Turns: 3\n12:00 [subq-eval] Turns: 14\n[subq-eval] Tool calls:"
        " 40\n[subq-eval] Edit calls: 0\n"
        "[subq-eval] Touched files: src/app.py (12 diff lines), docs/a b.md (1 diff"
        " line)\n[subq-eval] Weather: rain\n"
        '{"event":"plannotator-phase","phase":"explore"}\n{"event":"other-phase","of":"plannotator"}\n{"event":"plannotator-\n'
        '{"event":"plannotator-phase","phase":"implement"}\n'
    )
    _put(root, "exp/a/result.json", {"task_id": "a", "reward": 1.0, "turn_count": 9, "model": "m"})
    _put(root, "exp/a/stdout.txt", printed)
    a = _one(root)
    assert pick(a, "turn_count", "tool_call_count", "edit_calls", "diff_lines") == (
        9,
        40,
        0,
        13,
    )
    assert json.loads(a["touched_files"]) == ["src/app.py", "docs/a b.md"]
    assert [event["phase"] for event in json.loads(a["plannotator_phases"])] == [
        "explore",
        "implement",
    ]


def test_files_and_lines_that_a_result_states(root: Path) -> None:
    stated = {
        "task_id": "a",
        "reward": 0.0,
        "touched_files": ["x.py"],
        "diff_lines": 7,
        "patch_applies": True,
    }
    _put(root, "r/result.json", stated)
    row = _one(root)
    assert (json.loads(row["touched_files"]), row["diff_lines"], row["patch_applies"]) == (
        ["x.py"],
        7,
        1,
    )


def test_how_a_controller_of_harbor_found_the_place(root: Path) -> None:
    signal = {
        "attempt1Mode": "grep",
        "trialRecoveryMode": "retry",
        "finalFailureMode": "wrong_file",
    }
    result = {"metadata": {"localizationSignal": signal}}
    _harbor_trial(root, "j/t__1", reward=0, patch_applies=True, agent_result=result)
    row = _one(root)
    assert pick(row, "localization_mode", "recovery_mode", "final_failure_mode") == (
        "grep",
        "retry",
        "wrong_file",
    )
    assert row["patch_applies"] == 1


def test_attempts_within_a_trial_keep_their_numbers(root: Path, db: Path) -> None:
    spans = [
        {"reward": 0.0, "localization_mode": "grep"},
        {"reward": 1.0, "recovery_mode": "retry"},
    ]
    _put(root, "trial.json", {"task_id": "t", "model": "m", "attempts": spans})
    found = _imported(root, db)
    assert [
        pick(r, "attempt_index", "reward", "localization_mode", "recovery_mode") for r in found
    ] == [
        (0, 0.0, "grep", None),
        (1, 1.0, None, "retry"),
    ]


def test_success_is_no_reward(root: Path, db: Path) -> None:
    """Runners say so of a run that came to its end."""
    _put(
        root,
        "metrics.jsonl",
        json.dumps({"instance_id": "x", "success": True, "passed": True}),
    )
    assert _imported(root, db) == []


# --- gold, sessions, order ------------------------------------------------------------------------


def test_the_right_file(tmp_path: Path, root: Path, db: Path) -> None:
    for instance, file in (
        ("right", "src/a.py"),
        ("wrong", "src/z.py"),
        ("none", ""),
        ("nogold", "src/a.py"),
    ):
        _put(root, f"run_evaluation/r/m/{instance}/report.json", _report(instance, 0, 1, 1, 0))
        _put(root, f"run_evaluation/r/m/{instance}/patch.diff", DIFF.format(file) if file else "")
    records = [
        {"instance_id": i, "patch": DIFF.format("src/a.py") + DIFF.format("src/b.py")}
        for i in ("right", "wrong", "none")
    ]
    gold = _put(tmp_path, "gold.jsonl", "\n".join(map(json.dumps, records)) + "\n")
    assert [r["localized_correct_file"] for r in _imported(root, db)] == [None] * 4
    assert {r["instance"]: r["localized_correct_file"] for r in _imported(root, db, gold)} == {
        "right": 1,
        "wrong": 0,
        "none": None,
        "nogold": None,
    }
    again = _put(tmp_path, "gold.json", records)
    assert gold_files(again) == gold_files(gold)
    with pytest.raises(WhoWroteError, match="no reference patches"):
        gold_files(_put(tmp_path, "empty.jsonl", "{}"))
    with pytest.raises(WhoWroteError, match="not valid JSON"):
        gold_files(_put(tmp_path, "bad.jsonl", "{"))


@pytest.mark.parametrize(
    ("result", "localized", "drift", "outside"),
    [
        ({"touched_files": ["src/a.py"]}, 1, 1.0, 0.0),
        ({"touched_files": ["src/z.py", "src/a.py"]}, 0, 2.0, 0.5),  # the first one counts
        # a patch has no order: any file
        ({"patch": DIFF.format("src/a.py") + DIFF.format("src/z.py")}, 1, 2.0, 0.5),
        ({"touched_files": ["/testbed/src/a.py"]}, 1, 1.0, 0.0),  # a path of the container
        ({}, None, None, None),
    ],
)
def test_where_an_attempt_worked_beside_the_gold_patch(
    tmp_path: Path,
    root: Path,
    db: Path,
    result: JsonObject,
    localized: int | None,
    drift: float | None,
    outside: float | None,
) -> None:
    _put(root, "result.json", {"instance_id": "x", "reward": 0, **result})
    gold = _put(tmp_path, "gold.json", [{"instance_id": "x", "patch": DIFF.format("src/a.py")}])
    (row,) = _imported(root, db, gold)
    assert pick(row, "localized_correct_file", "scope_drift", "gd_actions") == (
        localized,
        drift,
        outside,
    )


def test_files_changed_without_an_edit_call_were_changed_through_the_shell(
    root: Path, db: Path
) -> None:
    for name, more in (
        ("a", {"edit_calls": 0, "touched_files": ["x.py"]}),
        ("b", {"edit_calls": 2, "touched_files": ["x.py"]}),
        ("c", {"edit_calls": 0, "touched_files": []}),
        ("d", {"touched_files": ["x.py"]}),
    ):
        _put(
            root,
            f"{name}/result.json",
            {"instance_id": name, "reward": 0, **more, "tool_sequence": ["read", "bash"]},
        )
    found = _imported(root, db)
    assert [row["bash_mediated_edits"] for row in found] == [1, 0, 0, None]
    assert {row["tool_sequence"] for row in found} == {'["read","bash"]'}


def test_gold_from_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"instance_id": ["x"], "patch": [DIFF.format("a.py")], "repo": ["o/r"]})
    parquet.write_table(table, tmp_path / "gold.parquet")
    assert gold_files(tmp_path / "gold.parquet") == {"x": frozenset({"a.py"})}
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    with pytest.raises(WhoWroteError, match="Parquet"):
        gold_files(tmp_path / "bad.parquet")


def test_files_of_a_patch() -> None:
    renamed = (
        "diff --git a/old.py b/new.py\nsimilarity index 90%\nrename from old.py\nrename to new.py\n"
    )
    renamed += "--- a/old.py\n+++ b/new.py\n@@ -1 +1 @@\n-a\n+b\n"
    assert touched_files(renamed) == (("old.py", "new.py"), 2)
    made = "--- /dev/null\n+++ b/made.py\n@@ -0,0 +1,2 @@\n+a\n+b"
    assert touched_files(made) == (("made.py",), 2)
    wrong = DIFF.format("a.py").replace("-1,2 +1,2", "-1,9 +1,9")  # models count badly
    assert touched_files(wrong) == (("a.py",), None)
    assert touched_files("") == touched_files("no patch at all\n") == ((), 0)


def test_a_result_that_names_a_session_is_linked_to_it(root: Path, db: Path) -> None:
    _put(root, "result.json", {"task_id": "t", "reward": 1, "session_id": "key-1"})
    with Store(db) as store, store.transaction() as connection:
        connection.execute("INSERT INTO repos (id, name) VALUES (1, 'o/r')")
        store.insert(
            "sessions",
            ("id", "repo_id", "key", "label", "transcript"),
            [(7, 1, "key-1", "x", "present")],
        )
    assert [pick(r, "session_id", "session_key") for r in _imported(root, db)] == [(7, "key-1")]
    with Store(db) as store, store.transaction() as connection:
        connection.execute("DELETE FROM sessions")
    with Store(db) as store:
        assert store.rows("SELECT session_id, session_key FROM attempts") == [
            {"session_id": None, "session_key": "key-1"}
        ]


def test_names_in_natural_order() -> None:
    assert sorted(["x.10-of-12", "x.9-of-12", "", "7", "y"], key=natural) == [
        "",
        "7",
        "x.9-of-12",
        "x.10-of-12",
        "y",
    ]


# --- again, and hostile ---------------------------------------------------------------------------


def test_a_second_import_changes_nothing(root: Path, db: Path) -> None:
    _put(root, "run_evaluation/r/m/x/report.json", _report("x", 1, 0, 3, 0))
    _put(root, "m.r.json", {"submitted_ids": ["x", "y"], "resolved_ids": ["x"], "error_ids": ["y"]})
    _put(root, "job/t/t.1/results.json", _trial("t", 1, True))
    _put(
        root,
        "preds.jsonl",
        json.dumps(
            {"instance_id": "q", "model_name_or_path": "m", "model_patch": DIFF.format("q")}
        ),
    )
    _put(root, "bad/report.json", "{")
    first = _imported(root, db)
    problems = _problems(db)
    assert len(first) == 4 and problems == [("bad/report.json", "malformed_json")]
    assert _imported(root, db) == first
    assert _problems(db) == problems
    with Store(db) as store:
        assert write(store, scan(root)) == 0
        assert broken_checks(store) == {}


def test_a_later_import_completes_and_never_loses(tmp_path: Path, db: Path) -> None:
    _put(tmp_path / "summary", "m.r.json", {"submitted_ids": ["x"], "resolved_ids": ["x"]})
    _put(tmp_path / "detail", "run_evaluation/r/m/x/report.json", _report("x", 2, 0, 5, 0))
    assert _imported(tmp_path / "summary", db)[0]["pass_to_pass_count"] is None
    (row,) = _imported(tmp_path / "detail", db)
    assert pick(row, "pass_to_pass_count", "patch_applies") == (5, 1)
    (again,) = _imported(tmp_path / "summary", db)
    assert again["pass_to_pass_count"] == 5
    (tmp_path / "detail/run_evaluation/r/m/x/report.json").write_text("{")
    _imported(tmp_path / "detail", db)
    assert _problems(db) == [("run_evaluation/r/m/x/report.json", "malformed_json")]
    _put(tmp_path / "detail", "run_evaluation/r/m/x/report.json", _report("x", 2, 0, 5, 0))
    _imported(tmp_path / "detail", db)
    assert _problems(db) == []


def test_links_out_of_the_directory_are_not_followed(tmp_path: Path, root: Path, db: Path) -> None:
    outside = tmp_path / "outside"
    _put(outside, "run_evaluation/r/m/secret/report.json", _report("secret", 1, 0, 1, 0))
    _put(outside, "patch.diff", DIFF.format("secret.py"))
    root.mkdir()
    (root / "away").symlink_to(outside)
    (root / "report.json").symlink_to(outside / "run_evaluation/r/m/secret/report.json")
    (root / "round").symlink_to(root)
    _put(root, "run_evaluation/r/m/x/report.json", _report("x", 1, 0, 1, 0))
    (root / "run_evaluation/r/m/x/patch.diff").symlink_to(outside / "patch.diff")
    os.mkfifo(root / "pipe.json")
    (row,) = _imported(root, db)
    assert pick(row, "instance", "touched_files") == ("x", None)
    assert _problems(db) == [
        ("away", "symlink_outside"),
        ("report.json", "symlink_outside"),
    ]


HOSTILE: list[Any] = [
    "",
    "null",
    "[]",
    "{}",
    "3",
    '"text"',
    "[" * 5_000,
    "\ufeff{}",
    '{"a": NaN}',
    "[[{}]]",
    '{"resolved_ids": {}}',
    {"resolved_ids": [1, None, {"a": 1}, "ok"], "submitted_ids": "no list"},
    {
        "x": {
            "resolved": "yes",
            "patch_exists": [],
            "tests_status": {"FAIL_TO_PASS": {"success": 3}, "PASS_TO_PASS": []},
        }
    },
    {"x": {"resolved": True, "tests_status": "none"}},
    {
        "task_id": {"a": 1},
        "trial_name": ["b"],
        "is_resolved": "maybe",
        "parser_results": [1],
        "failure_mode": 7,
    },
    {"results": [{"task_id": "t", "trial_name": "n", "is_resolved": None}, 5]},
    {"task_name": None, "agent_info": "a", "verifier_result": [], "config": "c"},
    {
        "task_name": "t",
        "trial_name": "\x1b[2J\ud800",
        "agent_info": {"name": 5},
        "verifier_result": {"rewards": {"reward": "NaN"}},
    },
    {"reward": 10**400, "task_id": "big"},
    {
        "reward": 1,
        "task_id": "many",
        "turn_count": 10**30,
        "started_at": "99999-01-01",
        "finished_at": -1,
        "cost_usd": "free",
    },
    {"reward": True, "task_id": "x" * 100_000, "info": {"info": {"info": {"model_stats": []}}}},
    {"attempts": [{"reward": 1}, {"reward": 0}], "task_id": "spans"},
    {"attempts": [1, 2]},
    {"treatment": [], "reward": 1, "task_id": []},
]


def test_strange_documents_end_in_rows_or_problems(root: Path, db: Path) -> None:
    for number, value in enumerate(HOSTILE):
        for name in (
            "report.json",
            "result.json",
            "results.json",
            "run_metadata.json",
            "x.jsonl",
            "trajs/y.json",
            "verifier/report.json",
        ):
            text = value if isinstance(value, str) else json.dumps(value)
            _put(root, f"{number}/{name}", text)
    (root / "bytes.json").write_bytes(b"\xff\xfe{\x00")
    found = _imported(root, db)
    assert "ok" in {r["instance"] for r in found} and "many" in {r["instance"] for r in found}
    many = next(r for r in found if r["instance"] == "many")
    assert pick(many, "turn_count", "started_at", "cost_usd") == (None, None, None)
    assert all(r["reward"] is None or r["reward"] <= 1 for r in found)
    shown = json.dumps(found)
    assert "\\u001b" not in shown and "\\ud800" not in shown
    assert _imported(root, db) == found


def test_large_files_are_not_read(root: Path, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attribution.evaluation.attempts.scan.RESULT_BYTES", 1_000)
    _put(root, "run_evaluation/r/m/x/report.json", _report("x", 1, 0, 500, 0))
    assert _imported(root, db) == []
    assert _problems(db) == [("run_evaluation/r/m/x/report.json", "too_large")]


def test_long_values_are_cut(root: Path) -> None:
    extra = {f"k{i}": "v" * 5_000 for i in range(30)} | {
        "API_KEY": "s3cret",
        "deep": {"auth_token": "s3cret", "a": 1},
    }
    _put(root, "result.json", {"task_id": "t", "reward": 1, **extra})
    row = _one(root)
    assert len(row["extra"]) < 30_000 and "s3cret" not in row["extra"]
    assert json.loads(row["extra"])["deep"] == {"a": 1}


# --- rates ----------------------------------------------------------------------------------------


def _tried(instance: str, solved: bool, index: int, **more: Any) -> JsonObject:
    """A row as the rates are made from."""
    head = {
        "harness": "h",
        "agent": "a",
        "model": "m",
        "dataset": "d",
        "treatment": "{}",
        "run": "",
        "label": None,
    }
    known = {
        "instance": instance,
        "solved": solved,
        "attempt_index": index,
        "reward": float(solved),
        "localized": None,
    }
    return {**head, **known, "cost_usd": None, **more}


def test_pass_at_k_by_hand() -> None:
    tries = [_tried("a", solved, i) for i, solved in enumerate((True, True, False, False))]
    tries += [_tried("b", False, i) for i in range(4)]
    first = pass_at(tries, 1)
    two = pass_at(tries, 2)
    assert first.value == pytest.approx((0.5 + 0) / 2)
    assert two.value == pytest.approx((1 - 1 / 6) / 2)  # C(2, 2) / C(4, 2)
    assert pass_at(tries, 5).value is None
    assert (first.low, first.high) == (0.0, 1.0)  # two tasks say little


def test_one_attempt_for_each_task_is_a_share() -> None:
    rate = pass_at([_tried(f"t{i}", i < 3, 0) for i in range(10)], 1)
    assert (rate.low, rate.high) == pytest.approx((0.1078, 0.6032), abs=1e-4)


def test_a_treatment() -> None:
    tries = [
        _tried(
            f"t{i}",
            i % 2 == 0,
            n,
            run=f"r{n}",
            label="correct" if i % 2 == 0 else None,
            reward=0.0 if i else None,
            localized=int(i == 1),
            cost_usd=0.5,
        )
        for i in range(4)
        for n in (0, 1)
    ]
    row = treatment(tries)
    assert [row[name] for name in ("tasks", "attempts", "judged", "solved", "runs")] == [
        4,
        8,
        6,
        4,
        ["r0", "r1"],
    ]
    assert (row["pass_at_1"], "pass_at_2" in row, "pass_at_3" in row) == (0.5, True, False)
    assert row["first"] == row["later"] == 0.5
    assert [
        row[name] for name in ("correct", "partial", "localized", "localizable", "cost_per_solved")
    ] == [4, 0, 2, 8, 1.0]


# --- commands -------------------------------------------------------------------------------------


def test_the_command_imports_and_shows(tmp_path: Path, root: Path, db: Path) -> None:
    for i in range(6):
        broken = _report(f"x-{i}", i % 2, 1 - i % 2, 3, 0)
        _put(root, f"run_evaluation/r/m\x1b/x-{i}/report.json", broken)
    _put(root, "bad.json", "{")
    gold = _put(
        tmp_path, "gold.jsonl", json.dumps({"instance_id": "x-0", "patch": DIFF.format("a")})
    )
    shown = run("data", "attempts", root, "--gold", gold, db=db)
    assert (
        "6 attempts, 6 of them new" in shown.stderr and "1 file could not be used" in shown.stderr
    )
    assert "50.0 %" in shown.stdout and "\x1b" not in shown.stdout + shown.stderr
    again = run("data", "attempts", root, "--csv", db=db)
    assert "6 attempts, 0 of them new" in again.stderr and [r["attempts"] for r in rows(again)] == [
        "6"
    ]
    assert run("data", "attempts", db=db).stdout == shown.stdout
    (row,) = run_rows("data", "attempts", "--by-run", db=db)
    assert pick(row, "tasks", "solved", "correct", "no_effect", "runs") == (
        "6",
        "3",
        "3",
        "3",
        "r",
    )
    assert run_json("data", "attempts", "--min-n", 7, db=db) == []
    assert (
        "treatments with fewer than 7 attempts, not shown: 1"
        in run("data", "attempts", "--min-n", 7, db=db).stderr
    )
    assert "malformed_json" in run("data", "problems", "--csv", db=db).stdout


def test_what_is_wrong_is_said(tmp_path: Path, db: Path) -> None:
    run("data", "attempts", tmp_path / "none", code=2, db=db)
    (tmp_path / "empty").mkdir()
    done = run("data", "attempts", tmp_path / "empty", db=db)
    assert "nothing below" in done.stderr
    assert "data attempts DIR" in run("data", "attempts", code=2, db=db).stderr
