"""Terminal-Bench: `results.json` of a trial and of a run, with the settings of `run_metadata.json`."""

from __future__ import annotations

from typing import Any

from attribution.evaluation.attempts.model import Attempt, Document
from attribution.evaluation.attempts.values import (
    Columns,
    boolean,
    dictionary,
    integer,
    limit_size,
    moment,
    number,
    optional_text,
    read_columns,
    storable,
    text,
)

NAME = "terminal-bench"
ORDER = 20
CONTEXT = "run_metadata.json"
_SETTINGS = ("agent_kwargs", "global_timeout_multiplier", "global_agent_timeout_sec", "global_test_timeout_sec", "livestream")
_COLUMNS: Columns = {
    "reward": (lambda value: number(boolean(value)), ("is_resolved",)),
    "started_at": (moment, ("trial_started_at",)),
    "finished_at": (moment, ("trial_ended_at",)),
    "input_tokens": (lambda value: integer(value) or None, ("total_input_tokens",)),  # 0: the agent did not say
    "output_tokens": (lambda value: integer(value) or None, ("total_output_tokens",)),
}
_OF_RUN: Columns = {
    "concurrency": (integer, ("n_concurrent_trials",)),
    "timeout_s": (number, ("global_agent_timeout_sec",)),
}
_USED = {
    "trial_name", "task_id", "is_resolved", "failure_mode", "parser_results", "total_input_tokens", "total_output_tokens",
    "trial_started_at", "trial_ended_at", "instruction",
}  # fmt: skip


def read(document: Document) -> list[Attempt] | None:
    value = document.value
    if _is_trial(value):
        return [_trial(document, value, 3)]  # RUN/TASK/TRIAL/results.json
    results = dictionary(value).get("results")
    if isinstance(results, list) and results and all(_is_trial(trial) for trial in results):
        return [_trial(document, trial, 1) for trial in results]  # RUN/results.json
    return None


def _is_trial(value: object) -> bool:
    return isinstance(value, dict) and "is_resolved" in value and "task_id" in value and "trial_name" in value


def _trial(document: Document, trial: dict[str, Any], depth: int) -> Attempt:
    run, failure = document.context(CONTEXT), optional_text(trial.get("failure_mode"))
    values = read_columns(trial, _COLUMNS)[0] | read_columns(dict(run), _OF_RUN)[0]
    values["error"] = None if failure in ("unset", "none") else failure
    values["timed_out"] = int("timeout" in failure) if failure else None
    outcomes = [text(outcome) for outcome in dictionary(trial.get("parser_results")).values()]
    dataset, version = text(run.get("dataset_name")), text(run.get("dataset_version"))
    return Attempt(
        NAME, document.source, text(trial["task_id"]), text(run.get("run_id")) or document.folder(depth), text(trial["trial_name"]),
        text(run.get("agent_name")), text(run.get("model_name")), f"{dataset}@{version}" if dataset and version else dataset,
        values=values, treatment={name: storable(run[name]) for name in _SETTINGS if run.get(name)},
        tests={"ALL": [outcomes.count("passed"), len(outcomes) - outcomes.count("passed")]} if outcomes else {},
        extra=limit_size({name: value for name, value in trial.items() if name not in _USED}),
    )  # fmt: skip
