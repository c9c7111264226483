"""Harbor: `result.json` of a trial, with the settings it repeats and those of the job's `config.json`."""

from __future__ import annotations

import json
from typing import Any

from attribution.evaluation.attempts.model import Attempt, Document
from attribution.evaluation.attempts.values import (
    Columns,
    boolean,
    dictionary,
    dig,
    integer,
    limit_size,
    moment,
    number,
    optional_text,
    read_columns,
    storable,
    text,
)

NAME = "harbor"
ORDER = 30
CONTEXT = "config.json"
_MARKS = ("verifier_result", "agent_info", "agent_result")
_USED = {
    "task_name", "trial_name", "trial_uri", "config", "agent_info", "agent_result", "verifier_result", "exception_info",
    "started_at", "finished_at", "environment_setup", "agent_setup", "agent_execution", "verifier", "step_results",
}  # fmt: skip


def _paths(*names: str) -> tuple[str, ...]:
    """Where a controller says something: at the trial, in what the agent's runner adds, or in an object of either."""
    signals = ("localization_signal.", "localizationSignal.", "localization.")
    homes = ("", "agent_result.metadata.", *signals, *(f"agent_result.metadata.{signal}" for signal in signals))
    return tuple(home + name for home in homes for name in names)


_COLUMNS: Columns = {
    "error": (optional_text, ("exception_info.exception_type",)),
    "started_at": (moment, ("started_at",)),
    "finished_at": (moment, ("finished_at",)),
    "input_tokens": (integer, ("agent_result.n_input_tokens",)),
    "cache_read_tokens": (integer, ("agent_result.n_cache_tokens",)),
    "output_tokens": (integer, ("agent_result.n_output_tokens",)),
    "cost_usd": (number, ("agent_result.cost_usd",)),
    "session_key": (optional_text, ("agent_result.metadata.session_id",)),
    "timeout_s": (number, ("config.agent.override_timeout_sec", "config.agent.max_timeout_sec")),
    "patch_applies": (boolean, _paths("patch_applies", "patchApplies")),
    "localization_mode": (optional_text, _paths("localization_mode", "attempt1Mode", "attempt1_mode")),
    "recovery_mode": (optional_text, _paths("recovery_mode", "trialRecoveryMode", "trial_recovery_mode")),
    "final_failure_mode": (optional_text, _paths("final_failure_mode", "finalFailureMode")),
}
_OF_JOB: Columns = {
    "concurrency": (
        integer,
        ("n_concurrent_trials", "orchestrator.n_concurrent_trials", "n_concurrent", "orchestrator.n_concurrent"),
    ),
}
_OF_TRAJECTORY: Columns = {
    "turn_count": (integer, ("final_metrics.total_steps",)),
    "session_key": (optional_text, ("session_id",)),
}
_SETTINGS = {
    "agent_version": "agent_info.version",
    "agent_kwargs": "config.agent.kwargs",
    "agent_import_path": "config.agent.import_path",
    "environment": "config.environment.type",
}
_MULTIPLIERS = tuple(f"{part}timeout_multiplier" for part in ("", "agent_", "verifier_", "agent_setup_", "environment_build_"))
_TREATMENT: Columns = {
    **{name: (lambda value: number(value) if value != 1 else None, (f"config.{name}",)) for name in _MULTIPLIERS},
    **{name: (lambda value: storable(value) or None, (path,)) for name, path in _SETTINGS.items()},
}


def read(document: Document) -> list[Attempt] | None:
    trial = document.value
    if not isinstance(trial, dict) or "task_name" not in trial or not any(mark in trial for mark in _MARKS):
        return None
    job, rewards = document.context(CONTEXT), dictionary(dig(trial, "verifier_result.rewards"))
    values, _ = read_columns(trial, _COLUMNS)
    values |= read_columns(dict(job), _OF_JOB)[0] | read_columns(_trajectory(document), _OF_TRAJECTORY)[0]
    values["reward"] = _reward(rewards)
    values["timed_out"] = int("Timeout" in values.get("error", ""))
    others = {name: value for name, value in trial.items() if name not in _USED}
    attempt = Attempt(
        NAME, document.source, text(trial["task_name"]), text(job.get("job_name")) or document.folder(2),
        text(trial.get("trial_name")) or document.folder(1),
        text(dig(trial, "agent_info.name")) or text(dig(trial, "config.agent.name")), _model(trial),
        text(trial.get("source")) or text(dig(trial, "config.task.source")), values=values,
        treatment=read_columns(trial, _TREATMENT)[0], extra=limit_size(others | ({"rewards": rewards} if len(rewards) > 1 else {})),
    )  # fmt: skip
    return [attempt]


def _reward(rewards: dict[str, Any]) -> float | None:
    """The reward of that name, or the only one."""
    if "reward" in rewards:
        return number(rewards["reward"])
    return number(next(iter(rewards.values()))) if len(rewards) == 1 else None


def _model(trial: dict[str, Any]) -> str:
    """The whole name, provider included, as it was asked for."""
    name, provider = (text(dig(trial, f"agent_info.model_info.{field}")) for field in ("name", "provider"))
    return text(dig(trial, "config.agent.model_name")) or (f"{provider}/{name}" if provider and name else name)


def _trajectory(document: Document) -> object:
    """The trajectory that Harbor's agents leave."""
    try:
        return json.loads(document.sibling("agent/trajectory.json") or "{}")
    except (ValueError, RecursionError):
        return None
