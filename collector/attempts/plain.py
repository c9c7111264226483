"""Any other result: a reward with a task, whatever variables stand beside it; predictions and trajectories without a result.

Names are compared in snake case. What the table has no column for is kept: under `treatment` when it stands among settings, else
under `extra`. Words like `success` are not taken for a reward: runners say so of a run that ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from collector.attempts.model import PATCH_ONLY, RESULT, TRAJECTORY, Attempt, Document
from collector.attempts.outcome import COUNTS
from collector.attempts.swe_bench import run_and_model
from collector.attempts.values import boolean, bounded, flattened, integer, kept, moment, number, seconds_between, text

NAME = "other"
ORDER = 90

_RESULTS = frozenset(
    ("verification", "verifier", "behavior", "infra", "tokens", "usage", "metrics", "info", "model_stats", "reasoning")
)
_SETTINGS = frozenset(("treatment", "config", "params", "variables", "settings"))
_INSTANCE = ("instance_id", "task_id", "task_name", "problem_id", "instance", "task")
_REWARD = ("reward", "resolved", "is_resolved")
_PATCH = ("model_patch", "patch", "submission", "final_diff")
_MODEL = ("model_id", "model_name_or_path", "model_name", "model")
_AGENT = ("agent_type", "agent_name", "agent", "scaffold")
_DATASET = ("dataset", "dataset_name", "benchmark")
_RUN = ("run_id", "run", "job_name", "job_id")
_TRIAL = ("trial_name", "trial_id", "trial", "attempt_id")

_Of = Callable[[object], Any]


def _text(value: object) -> str | None:
    return text(value) or None


def _count(value: object) -> int | None:
    """A count, or the length of a list of tests."""
    return len(value) if isinstance(value, list) else integer(value)


def _list(value: object) -> Any:
    return kept(value) if isinstance(value, list) else None


# Column -> how it is read, and under which names.
_COLUMNS: Mapping[str, tuple[_Of, tuple[str, ...]]] = {
    **{name: (_count, (name, name.removesuffix("_count"))) for name in COUNTS},
    "patch_applies": (boolean, ("patch_applies", "patch_successfully_applied", "patch_applied")),
    "attempt1_tool_cap": (integer, ("attempt1_tool_cap",)),
    "retry_tool_cap": (integer, ("retry_tool_cap",)),
    "concurrency": (integer, ("concurrency", "n_concurrent", "n_concurrent_trials")),
    "timeout_s": (number, ("timeout_s", "timeout_sec", "timeout_seconds", "timeout")),
    "turn_count": (integer, ("turn_count", "num_turns", "n_turns", "turns", "api_calls", "total_steps")),
    "tool_call_count": (integer, ("tool_call_count", "tool_calls")),
    "edit_calls": (integer, ("edit_calls",)),
    "input_tokens": (integer, ("input_tokens", "input_tokens_total", "n_input_tokens", "tokens_sent")),
    "output_tokens": (integer, ("output_tokens", "output_tokens_total", "n_output_tokens", "tokens_received")),
    "cache_read_tokens": (integer, ("cache_read_tokens", "n_cache_tokens")),
    "cost_usd": (number, ("cost_usd", "total_cost_usd", "instance_cost", "cost")),
    "wall_time_s": (number, ("wall_time_s", "duration_s", "duration_sec", "duration", "wall_s")),
    "timed_out": (boolean, ("timed_out",)),
    "attempt_index": (integer, ("attempt_index",)),
    "recovery_mode": (_text, ("recovery_mode", "trial_recovery_mode")),
    "final_failure_mode": (_text, ("final_failure_mode",)),
    "localization_mode": (_text, ("localization_mode", "attempt1_mode")),
    "plannotator_phases": (_list, ("plannotator_phases",)),
    "touched_files": (_list, ("touched_files",)),
    "diff_lines": (integer, ("diff_lines",)),
    "session_key": (_text, ("session_id", "session_key", "agent_session_id")),
    "started_at": (moment, ("started_at", "start_time", "timestamp")),
    "finished_at": (moment, ("finished_at", "ended_at", "end_time")),
    "error": (_text, ("exception_type", "error", "exit_status")),
}
_FINE = ("submitted",)  # exit_status of a trajectory that ended well


def read(document: Document) -> list[Attempt] | None:
    value = document.value
    if isinstance(value, list):
        found = [read_one(document, attempt) for attempt in value if isinstance(attempt, dict)]
        return [attempt for attempt in found if attempt is not None] if value and all(found) else None
    if not isinstance(value, dict):
        return None
    spans = next((value[key] for key in ("attempts", "attempt_spans", "attempt_span") if isinstance(value.get(key), list)), None)
    if spans and all(isinstance(attempt, dict) for attempt in spans):
        return _spans(document, value, spans)
    if value and all(
        isinstance(attempt, dict) and "model_patch" in attempt for attempt in value.values()
    ):  # predictions by instance
        return [a for key, attempt in value.items() if (a := read_one(document, {"instance_id": key, **attempt})) is not None]
    attempt = read_one(document, value)
    return None if attempt is None else [attempt]


def _spans(document: Document, whole: dict[str, Any], spans: list[dict[str, Any]]) -> list[Attempt] | None:
    """A trial of several attempts: what is said of the trial holds for each of them unless the attempt says otherwise."""
    shared = {k: v for k, v in whole.items() if v is not spans and k not in _REWARD}
    found = []
    for index, span in enumerate(spans):
        one = read_one(document, {**shared, "attempt_index": index, **span})
        if one is None:
            return None
        one.trial = f"{one.trial}#{one.values.get('attempt_index')}"
        found.append(one)
    return found


def read_one(document: Document, value: dict[str, Any]) -> Attempt | None:
    """One attempt; None when the object has neither a reward nor a patch nor the place of a trajectory, or names no task."""
    inside = [key for key, one in value.items() if str(key).lower() in _SETTINGS and isinstance(one, dict)]
    settings = dict(entry for key in inside for entry in flattened(value[key], _RESULTS))
    told = dict(flattened({key: one for key, one in value.items() if key not in inside}, _RESULTS))
    both = {**settings, **told}
    reward = next((r for key in _REWARD if (r := number(both.get(key))) is not None), None)
    patch = next((both[key] for key in _PATCH if isinstance(both.get(key), str)), None)
    strength = _strength(document, both, reward, patch)
    instance = _named(both, _INSTANCE)
    if not instance and document.name == "result.json" and document.folders:
        instance = document.folders[-1]
    if strength is None or not instance:
        return None
    values, used = _values(both)
    values["reward"] = reward
    if patch is not None:
        values["patch_exists"] = int(bool(patch.strip()))
    run, model = _named(both, _RUN), _named(both, _MODEL)
    by_place = run_and_model(document.folders, instance)
    if strength == TRAJECTORY:  # the model it names may be another than the name it was submitted under
        run, model = by_place
    return Attempt(
        NAME if strength == RESULT else "swe-bench", document.source, instance, run or by_place.run, _named(both, _TRIAL),
        _named(both, _AGENT) if strength == RESULT else "", model, _named(both, _DATASET), strength, values,
        kept({k: v for k, v in settings.items() if k not in used}), {}, bounded({k: v for k, v in told.items() if k not in used}),
        patch, document.where,
    )  # fmt: skip


def _strength(document: Document, told: Mapping[str, Any], reward: float | None, patch: str | None) -> int | None:
    """What kind of record it is: a result, a prediction, a trajectory; None: neither."""
    if reward is not None:
        return RESULT
    if "model_patch" in told and "instance_id" in told:  # `patch` alone is that of the data set
        return PATCH_ONLY
    placed = {"trajs", "traj", "trajectories"} & set(document.folders[-3:])
    return TRAJECTORY if placed or document.name.endswith((".traj", ".traj.json")) else None


def _named(values: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((found for name in names if (found := text(values.get(name), 300))), "")


def _values(told: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """Columns that are known, and the names that were understood."""
    values: dict[str, Any] = {}
    used = {*_REWARD, *_PATCH, *_INSTANCE, *_MODEL, *_AGENT, *_DATASET, *_RUN, *_TRIAL}
    for column, (read_value, spellings) in _COLUMNS.items():
        for name in spellings:
            found = read_value(told.get(name)) if name in told else None
            if found is not None:
                values[column] = found
                used.add(name)
                break
    if values.get("wall_time_s") is None and (milliseconds := number(told.get("duration_ms"))) is not None:
        values["wall_time_s"] = milliseconds / 1000
        used.add("duration_ms")
    if (values.get("error") or "").lower() in _FINE:
        values["error"] = None
    if values.get("wall_time_s") is None:
        values["wall_time_s"] = seconds_between(values.get("started_at"), values.get("finished_at"))
    return values, used
