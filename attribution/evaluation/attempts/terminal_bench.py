"""Terminal-Bench: `results.json` of a trial and of a run, with the settings of
`run_metadata.json`.
"""

from attribution.evaluation.attempts import fields
from attribution.evaluation.attempts.model import Attempt, Document
from collector.json_values import JsonObject, get_dict, get_list

NAME = "terminal-bench"
ORDER = 20
CONTEXT = "run_metadata.json"
_SETTINGS = (
    "agent_kwargs",
    "global_timeout_multiplier",
    "global_agent_timeout_sec",
    "global_test_timeout_sec",
    "livestream",
)
_SHAPE = fields.Shape(
    heads={
        "instance": (fields.name, ("task_id",)),
        "run": (fields.name, ("(run).run_id", "(directory)")),
        "trial": (fields.name, ("trial_name",)),
        "agent": (fields.name, ("(run).agent_name",)),
        "model": (fields.name, ("(run).model_name",)),
    },
    columns={
        "reward": (lambda value: fields.number(fields.boolean(value)), ("is_resolved",)),
        "error": (
            lambda value: None if value in ("unset", "none") else fields.name(value),
            ("failure_mode",),
        ),
        "timed_out": (
            lambda value: int("timeout" in fields.text(value)) if value else None,
            ("failure_mode",),
        ),
        "started_at": (fields.moment, ("trial_started_at",)),
        "finished_at": (fields.moment, ("trial_ended_at",)),
        # 0: the agent did not say
        "input_tokens": (lambda value: fields.integer(value) or None, ("total_input_tokens",)),
        "output_tokens": (lambda value: fields.integer(value) or None, ("total_output_tokens",)),
        "concurrency": (fields.integer, ("(run).n_concurrent_trials",)),
        "timeout_s": (fields.number, ("(run).global_agent_timeout_sec",)),
    },
    treatment={
        name: (lambda value: fields.storable(value) or None, (f"(run).{name}",))
        for name in _SETTINGS
    },
    known=frozenset(
        (
            "trial_name",
            "task_id",
            "is_resolved",
            "failure_mode",
            "parser_results",
            "total_input_tokens",
            "total_output_tokens",
            "trial_started_at",
            "trial_ended_at",
            "instruction",
        )
    ),
)


def read(document: Document) -> list[Attempt] | None:
    value = document.value
    if _is_trial(value):
        return [_trial(document, value, 3)]  # RUN/TASK/TRIAL/results.json
    results = get_list(value, "results")
    if results and all(_is_trial(trial) for trial in results):
        return [_trial(document, trial, 1) for trial in results]  # RUN/results.json
    return None


def _is_trial(value: object) -> bool:
    return (
        isinstance(value, dict)
        and "is_resolved" in value
        and "task_id" in value
        and "trial_name" in value
    )


def _trial(document: Document, trial: JsonObject, depth: int) -> Attempt:
    run = document.context(CONTEXT, 0)
    attempt = fields.attempt_of(
        NAME, document, trial, _SHAPE, {"(run)": run, "(directory)": document.folder(depth)}
    )
    dataset, version = fields.text(run.get("dataset_name")), fields.text(run.get("dataset_version"))
    attempt.dataset = f"{dataset}@{version}" if dataset and version else dataset
    outcomes = [fields.text(outcome) for outcome in get_dict(trial, "parser_results").values()]
    if outcomes:
        attempt.tests = {
            "ALL": [outcomes.count("passed"), len(outcomes) - outcomes.count("passed")]
        }
    return attempt
