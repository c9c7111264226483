"""Any other result: a reward with a task, whatever variables stand beside it; predictions and
trajectories without a result.

Names are compared in snake case. What the table has no column for is stored: under `treatment` when
it stands among settings, else under `extra`. Words like `success` are not taken for a reward:
runners say so of a run that ended.
"""

import re
from collections.abc import Iterator
from typing import Any

from attribution.evaluation.attempts import fields, swe_bench
from attribution.evaluation.attempts.model import PATCH_ONLY, RESULT, TRAJECTORY, Attempt, Document
from collector.json_values import JsonObject

NAME = "other"
ORDER = 90

_RESULTS = frozenset(
    (
        "verification",
        "verifier",
        "behavior",
        "infra",
        "tokens",
        "usage",
        "metrics",
        "info",
        "model_stats",
        "reasoning",
        "localization",
        "localization_signal",
    )
)
_SETTINGS = frozenset(("treatment", "config", "params", "variables", "settings"))
# of tests, as in `stage.py`
COUNTS = ("fail_to_pass_count", "pass_to_pass_count", "pass_to_fail_count", "fail_to_fail_count")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _count(value: object) -> int | None:
    """A count, or the length of a list of tests."""
    return len(value) if isinstance(value, list) else fields.integer(value)


def _list(value: object) -> Any:
    return fields.storable(value) if isinstance(value, list) else None


def _error(value: object) -> str | None:
    """`submitted`, the exit status of a trajectory that ended well, is understood and no error."""
    error = fields.name(value)
    return "" if error is not None and error.lower() == "submitted" else error


# Fields of an attempt, then columns of the table: how each is read, and under which names.
_HEADS: fields.Columns = {
    "instance": (
        fields.name,
        ("instance_id", "task_id", "task_name", "problem_id", "instance", "task"),
    ),
    "reward": (fields.number, ("reward", "resolved", "is_resolved")),
    "patch": (
        lambda value: value if isinstance(value, str) else None,
        ("model_patch", "patch", "submission", "final_diff"),
    ),
    "model": (fields.name, ("model_id", "model_name_or_path", "model_name", "model")),
    "agent": (fields.name, ("agent_type", "agent_name", "agent", "scaffold")),
    "dataset": (fields.name, ("dataset", "dataset_name", "benchmark")),
    "dataset_version": (fields.name, ("dataset_version",)),
    "run": (fields.name, ("run_id", "run", "job_name", "job_id")),
    "trial": (fields.name, ("trial_name", "trial_id", "trial", "attempt_id")),
}
_COLUMNS: fields.Columns = {
    **{name: (_count, (name, name.removesuffix("_count"))) for name in COUNTS},
    "patch_applies": (
        fields.boolean,
        ("patch_applies", "patch_successfully_applied", "patch_applied"),
    ),
    "attempt1_tool_cap": (fields.integer, ("attempt1_tool_cap",)),
    "retry_tool_cap": (fields.integer, ("retry_tool_cap",)),
    "concurrency": (fields.integer, ("concurrency", "n_concurrent", "n_concurrent_trials")),
    "timeout_s": (fields.number, ("timeout_s", "timeout_sec", "timeout_seconds", "timeout")),
    "turn_count": (
        fields.integer,
        ("turn_count", "num_turns", "n_turns", "turns", "api_calls", "total_steps"),
    ),
    "tool_call_count": (fields.integer, ("tool_call_count", "tool_calls")),
    "edit_calls": (fields.integer, ("edit_calls",)),
    "input_tokens": (
        fields.integer,
        ("input_tokens", "input_tokens_total", "n_input_tokens", "tokens_sent"),
    ),
    "output_tokens": (
        fields.integer,
        ("output_tokens", "output_tokens_total", "n_output_tokens", "tokens_received"),
    ),
    "cache_read_tokens": (fields.integer, ("cache_read_tokens", "n_cache_tokens")),
    "cache_write_tokens": (fields.integer, ("cache_write_tokens", "cache_creation_input_tokens")),
    "cost_usd": (fields.number, ("cost_usd", "total_cost_usd", "instance_cost", "cost")),
    "wall_time_s": (
        fields.number,
        ("wall_time_s", "duration_s", "duration_sec", "duration", "wall_s"),
    ),
    "timed_out": (fields.boolean, ("timed_out",)),
    "attempt_index": (fields.integer, ("attempt_index",)),
    "recovery_mode": (fields.name, ("recovery_mode", "trial_recovery_mode")),
    "final_failure_mode": (fields.name, ("final_failure_mode",)),
    "localization_mode": (fields.name, ("localization_mode", "attempt1_mode")),
    "plannotator_phases": (_list, ("plannotator_phases",)),
    "touched_files": (_list, ("touched_files",)),
    "first_touched_file": (
        lambda value: fields.name(value[0]) if isinstance(value, list) and value else None,
        ("touched_files",),
    ),
    "tool_sequence": (_list, ("tool_sequence",)),
    "diff_lines": (fields.integer, ("diff_lines",)),
    "session_key": (fields.name, ("session_id", "session_key", "agent_session_id")),
    "started_at": (fields.moment, ("started_at", "start_time", "timestamp")),
    "finished_at": (fields.moment, ("finished_at", "ended_at", "end_time")),
    "error": (_error, ("exception_type", "error", "exit_status")),
}
_HEAD_NAMES = frozenset(name for _, names in _HEADS.values() for name in names)


def read(document: Document) -> list[Attempt] | None:
    value = document.value
    if isinstance(value, list):
        attempts = [_attempt(document, item) for item in value if isinstance(item, dict)]
        if value and all(attempts):
            return [attempt for attempt in attempts if attempt is not None]
        return None
    if not isinstance(value, dict):
        return None
    spans = next(
        (
            value[key]
            for key in ("attempts", "attempt_spans", "attempt_span")
            if isinstance(value.get(key), list)
        ),
        None,
    )
    if spans and all(isinstance(span, dict) for span in spans):
        return _spans(document, value, spans)
    # predictions by instance
    if value and all(isinstance(item, dict) and "model_patch" in item for item in value.values()):
        predictions = (
            _attempt(document, {"instance_id": key, **item}) for key, item in value.items()
        )
        return [attempt for attempt in predictions if attempt is not None]
    attempt = _attempt(document, value)
    return None if attempt is None else [attempt]


def _spans(document: Document, whole: JsonObject, spans: list[JsonObject]) -> list[Attempt] | None:
    """A trial of several attempts: what is said of the trial holds for each of them unless the
    attempt says otherwise.
    """
    shared = {k: v for k, v in whole.items() if v is not spans and k not in _HEADS["reward"][1]}
    attempts = []
    for index, span in enumerate(spans):
        attempt = _attempt(document, {**shared, "attempt_index": index, **span})
        if attempt is None:
            return None
        attempt.trial = f"{attempt.trial}#{attempt.values.get('attempt_index')}"
        attempts.append(attempt)
    return attempts


def _attempt(document: Document, value: JsonObject) -> Attempt | None:
    """One attempt; None when the object has neither a reward nor a patch nor the place of a
    trajectory, or names no task.
    """
    inside = [
        key
        for key, item in value.items()
        if str(key).lower() in _SETTINGS and isinstance(item, dict)
    ]
    settings = dict(entry for key in inside for entry in _flatten(value[key]))
    outside = dict(_flatten({key: item for key, item in value.items() if key not in inside}))
    heads, _ = fields.read_columns({**settings, **outside}, _HEADS)
    values, used = fields.read_columns({**settings, **outside}, _COLUMNS)
    instance = heads.get("instance") or (
        document.folder(1) if document.name == "result.json" else ""
    )
    strength = _strength(document, outside, heads)
    if strength is None or not instance:
        return None
    values |= {"reward": heads.get("reward"), "error": values.get("error") or None}
    if "patch" in heads:
        values["patch_exists"] = int(bool(heads["patch"].strip()))
    placed = swe_bench.run_and_model(document.folders, instance)
    run = heads.get("run", "")
    model = heads.get("model", "")
    # the model it names may be another than the name it was submitted under
    if strength == TRAJECTORY:
        run, model = placed
    used |= _HEAD_NAMES
    return Attempt(
        NAME if strength == RESULT else swe_bench.NAME,
        document.source,
        instance,
        run or placed[0],
        heads.get("trial", ""),
        heads.get("agent", "") if strength == RESULT else "",
        model,
        "@".join(heads[name] for name in ("dataset", "dataset_version") if name in heads),
        strength,
        values,
        treatment=fields.storable({k: v for k, v in settings.items() if k not in used}),
        extra=fields.limit_size({k: v for k, v in outside.items() if k not in used}),
        patch=heads.get("patch"),
    )


def _strength(document: Document, outside: JsonObject, heads: JsonObject) -> int | None:
    """What kind of record it is: a result, a prediction, a trajectory; None: neither."""
    if "reward" in heads:
        return RESULT
    # `patch` alone is that of the data set
    if "model_patch" in outside and "instance_id" in outside:
        return PATCH_ONLY
    is_placed = not {"trajs", "traj", "trajectories"}.isdisjoint(document.folders[-3:])
    return TRAJECTORY if is_placed or document.name.endswith((".traj", ".traj.json")) else None


def _flatten(value: JsonObject, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Entries with names in snake case; those of sections with results as if they stood outside."""
    for key, item in value.items():
        name = _CAMEL.sub("_", str(key)).replace("-", "_").replace(" ", "_").lower()
        if name in _RESULTS and isinstance(item, dict) and depth < fields.DEEPEST:
            yield from _flatten(item, depth + 1)
        else:
            yield name, item
