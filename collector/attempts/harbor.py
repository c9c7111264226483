"""Harbor: `result.json` of a trial, with the settings it repeats and those of the job's `config.json`."""

from __future__ import annotations

import json
from typing import Any

from collector.attempts.model import RESULT, Attempt, Document
from collector.attempts.values import (
    boolean,
    bounded,
    dictionary,
    first,
    integer,
    kept,
    moment,
    number,
    seconds_between,
    text,
)

NAME = "harbor"
ORDER = 30
CONTEXT = "config.json"
_MARKS = ("verifier_result", "agent_info", "agent_result")
_TOLD = {
    "task_name", "trial_name", "trial_uri", "config", "agent_info", "agent_result", "verifier_result", "exception_info",
    "started_at", "finished_at", "environment_setup", "agent_setup", "agent_execution", "verifier", "step_results",
}  # fmt: skip
_SIGNALS = ("localization_signal", "localizationSignal", "localization")
_STATED = {
    "localization_mode": ("localization_mode", "attempt1Mode", "attempt1_mode"),
    "recovery_mode": ("recovery_mode", "trialRecoveryMode", "trial_recovery_mode"),
    "final_failure_mode": ("final_failure_mode", "finalFailureMode"),
}
_MULTIPLIERS = (
    "timeout_multiplier", "agent_timeout_multiplier", "verifier_timeout_multiplier", "agent_setup_timeout_multiplier",
    "environment_build_timeout_multiplier",
)  # fmt: skip


def read(document: Document) -> list[Attempt] | None:
    value = document.value
    if not isinstance(value, dict) or "task_name" not in value or not any(mark in value for mark in _MARKS):
        return None
    return [_trial(document, value)]


def _trial(document: Document, trial: dict[str, Any]) -> Attempt:
    config, job = dictionary(trial.get("config")), document.context(CONTEXT)
    agent, info = dictionary(config.get("agent")), dictionary(trial.get("agent_info"))
    used, failure = dictionary(trial.get("agent_result")), dictionary(trial.get("exception_info"))
    started, ended = moment(trial.get("started_at")), moment(trial.get("finished_at"))
    error = text(failure.get("exception_type")) or None
    steps, session = _trajectory(document)
    rewards = dictionary(dictionary(trial.get("verifier_result")).get("rewards"))
    orchestrator = dictionary(job.get("orchestrator"))
    values = {
        "reward": _reward(rewards),
        "error": error,
        "timed_out": int("Timeout" in error) if error else 0,
        "started_at": started,
        "finished_at": ended,
        "wall_time_s": seconds_between(started, ended),
        "input_tokens": integer(used.get("n_input_tokens")),
        "cache_read_tokens": integer(used.get("n_cache_tokens")),
        "output_tokens": integer(used.get("n_output_tokens")),
        "cost_usd": number(used.get("cost_usd")),
        "turn_count": steps,
        "session_key": session or text(dictionary(used.get("metadata")).get("session_id")) or None,
        "concurrency": integer(first({**orchestrator, **job}, ("n_concurrent_trials", "n_concurrent"))),
        "timeout_s": number(first(agent, ("override_timeout_sec", "max_timeout_sec"))),
    }
    values |= {name: found for name, spellings in _STATED.items() if (found := _stated(trial, used, spellings)) is not None}
    values["patch_applies"] = boolean(first({**dictionary(used.get("metadata")), **trial}, ("patch_applies", "patchApplies")))
    treatment = {key: value for key in _MULTIPLIERS if (value := number(config.get(key))) not in (None, 1.0)}
    for name, one in (
        ("agent_version", info.get("version")),
        ("agent_kwargs", agent.get("kwargs")),
        ("agent_import_path", agent.get("import_path")),
        ("environment", dictionary(config.get("environment")).get("type")),
    ):
        if one:
            treatment[name] = kept(one)
    folders = document.folders
    return Attempt(
        NAME, document.source, text(trial["task_name"]), text(job.get("job_name")) or (folders[-2] if len(folders) > 1 else ""),
        text(trial.get("trial_name")) or (folders[-1] if folders else ""), text(info.get("name")) or text(agent.get("name")),
        _model(agent, info), _dataset(trial, config), RESULT, values, treatment, {},
        bounded({**{k: v for k, v in trial.items() if k not in _TOLD}, **({"rewards": rewards} if len(rewards) > 1 else {})}),
        where=document.where,
    )  # fmt: skip


def _stated(trial: dict[str, Any], used: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """A controller's own words on how the place was found, at the trial or in what the agent's runner adds."""
    metadata = dictionary(used.get("metadata"))
    signals = (dictionary(one.get(name)) for one in (trial, metadata) for name in _SIGNALS)
    return next((found for one in (trial, metadata, *signals) if (found := text(first(one, names)))), None)


def _reward(rewards: dict[str, Any]) -> float | None:
    """The reward of that name, or the only one."""
    if "reward" in rewards:
        return number(rewards["reward"])
    return number(next(iter(rewards.values()))) if len(rewards) == 1 else None


def _model(agent: dict[str, Any], info: dict[str, Any]) -> str:
    """The whole name, provider included, as it was asked for."""
    known = dictionary(info.get("model_info"))
    name, provider = text(known.get("name")), text(known.get("provider"))
    return text(agent.get("model_name")) or (f"{provider}/{name}" if provider and name else name)


def _dataset(trial: dict[str, Any], config: dict[str, Any]) -> str:
    return text(trial.get("source")) or text(dictionary(config.get("task")).get("source"))


def _trajectory(document: Document) -> tuple[int | None, str]:
    """(steps, session) of the trajectory that Harbor's agents leave."""
    try:
        found = dictionary(json.loads(document.sibling("agent/trajectory.json") or "{}"))
    except (ValueError, RecursionError):
        return None, ""
    return integer(dictionary(found.get("final_metrics")).get("total_steps")), text(found.get("session_id"))
