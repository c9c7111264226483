"""Harbor: `result.json` of a trial, with the settings it repeats and those of the job's
`config.json`.
"""

from attribution.evaluation.attempts import fields
from attribution.evaluation.attempts.model import Attempt, Document
from collector.json_values import JsonObject, get, get_dict, get_list, parse_json

NAME = "harbor"
ORDER = 30
CONTEXT = "config.json"
_CACHE_WRITES = ("creation_input", "write_input", "write")  # how the agents' trajectories call them
_MARKS = {"verifier_result", "agent_info", "agent_result"}
_SETTINGS = {
    "agent_version": "agent_info.version",
    "agent_kwargs": "config.agent.kwargs",
    "agent_import_path": "config.agent.import_path",
    "environment": "config.environment.type",
}
_MULTIPLIERS = tuple(
    f"{part}timeout_multiplier"
    for part in ("", "agent_", "verifier_", "agent_setup_", "environment_build_")
)


def _settings(*names: str) -> tuple[str, ...]:
    """Where a controller's own settings stand: Harbor hands them to the agent as arguments or
    variables.
    """
    homes = ("config.agent.kwargs.", "config.agent.env.", "agent_result.metadata.", "(job).")
    return tuple(home + name for home in homes for name in (*names, names[0].upper()))


def _cap(value: object) -> int | None:
    """A number of calls, which a variable holds as text."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        return int(value)
    return fields.integer(value)


def _responses(value: object) -> int | None:
    """The agent's own steps; the total, which stands in where they are not listed, counts those
    of the user too.
    """
    if isinstance(value, list):
        return sum(get(step, "source") == "agent" for step in value) or None
    return fields.integer(value)


def _paths(*names: str) -> tuple[str, ...]:
    """Where a controller says something: at the trial, in what the agent's runner adds, or in an
    object of either.
    """
    signals = ("localization_signal.", "localizationSignal.", "localization.")
    homes = (
        "",
        "agent_result.metadata.",
        *signals,
        *(f"agent_result.metadata.{signal}" for signal in signals),
    )
    return tuple(home + name for home in homes for name in names)


_HEADS: fields.Columns = {
    "instance": (fields.name, ("task_name",)),
    "run": (fields.name, ("(job).job_name", "(folders).job")),
    "trial": (fields.name, ("trial_name", "(folders).trial")),
    "agent": (fields.name, ("agent_info.name", "config.agent.name")),
    "model": (
        fields.name,
        ("config.agent.model_name", "(model)", "agent_info.model_info.name"),
    ),
    "dataset": (fields.name, ("(dataset)", "source", "config.task.source")),
}
_COLUMNS: fields.Columns = {
    "error": (fields.name, ("exception_info.exception_type",)),
    "started_at": (fields.moment, ("started_at",)),
    "finished_at": (fields.moment, ("finished_at",)),
    "input_tokens": (fields.integer, ("agent_result.n_input_tokens",)),
    "cache_read_tokens": (fields.integer, ("agent_result.n_cache_tokens",)),
    "cache_write_tokens": (
        fields.integer,
        tuple(
            f"(trajectory).final_metrics.extra.total_cache_{kind}_tokens" for kind in _CACHE_WRITES
        ),
    ),
    "attempt1_tool_cap": (_cap, _settings("attempt1_tool_cap", "attempt1ToolCap")),
    "retry_tool_cap": (_cap, _settings("retry_tool_cap", "retryToolCap")),
    "output_tokens": (fields.integer, ("agent_result.n_output_tokens",)),
    "cost_usd": (fields.number, ("agent_result.cost_usd",)),
    "turn_count": (
        _responses,
        ("(trajectory).steps", "(trajectory).final_metrics.total_steps"),
    ),
    "session_key": (
        fields.name,
        ("(trajectory).session_id", "agent_result.metadata.session_id"),
    ),
    "concurrency": (
        fields.integer,
        tuple(
            f"(job).{home}{name}"
            for name in ("n_concurrent_trials", "n_concurrent")
            for home in ("", "orchestrator.")
        ),
    ),
    "timeout_s": (
        fields.number,
        ("config.agent.override_timeout_sec", "config.agent.max_timeout_sec"),
    ),
    "patch_applies": (fields.boolean, _paths("patch_applies", "patchApplies")),
    "localization_mode": (
        fields.name,
        _paths("localization_mode", "attempt1Mode", "attempt1_mode"),
    ),
    "recovery_mode": (
        fields.name,
        _paths("recovery_mode", "trialRecoveryMode", "trial_recovery_mode"),
    ),
    "final_failure_mode": (fields.name, _paths("final_failure_mode", "finalFailureMode")),
}
_TREATMENT: fields.Columns = {
    **{
        name: (lambda value: fields.number(value) if value != 1 else None, (f"config.{name}",))
        for name in _MULTIPLIERS
    },
    **{
        name: (lambda value: fields.storable(value) or None, (path,))
        for name, path in _SETTINGS.items()
    },
}
# that need not be stored as `extra`
_KNOWN = frozenset(
    (
        "task_name",
        "trial_name",
        "trial_uri",
        "config",
        "agent_info",
        "agent_result",
        "verifier_result",
        "exception_info",
        "started_at",
        "finished_at",
        "environment_setup",
        "agent_setup",
        "agent_execution",
        "verifier",
        "step_results",
    )
)


def read(document: Document) -> list[Attempt] | None:
    trial = document.value
    if not isinstance(trial, dict) or "task_name" not in trial or _MARKS.isdisjoint(trial):
        return None
    name, provider = (
        fields.text(get(trial, "agent_info", "model_info", part)) for part in ("name", "provider")
    )
    job = document.context(CONTEXT, 1)  # the trial has a file of that name too
    whole = {
        **trial,
        "(folders)": {"trial": document.folder(1), "job": document.folder(2)},
        "(job)": job,
        "(dataset)": _dataset(trial, job),
        # that Harbor's agents leave
        "(trajectory)": parse_json(document.sibling("agent/trajectory.json")),
        "(model)": f"{provider}/{name}" if provider and name else "",  # as it was asked for
    }
    heads, values, treatment = (
        fields.read_columns(whole, part)[0] for part in (_HEADS, _COLUMNS, _TREATMENT)
    )
    extra = fields.limit_size({name: trial[name] for name in trial if name not in _KNOWN})
    attempt = Attempt(
        NAME,
        document.source,
        **{"instance": "", **heads},
        values=values,
        treatment=treatment,
        extra=extra,
    )
    attempt.values["timed_out"] = int("Timeout" in attempt.values.get("error", ""))
    rewards = get_dict(trial, "verifier_result", "rewards")
    if "reward" in rewards or len(rewards) == 1:  # the reward of that name, or the only one
        attempt.values["reward"] = fields.number(
            rewards.get("reward", next(iter(rewards.values())))
        )
    if len(rewards) > 1:
        attempt.extra["rewards"] = fields.storable(rewards)
    return [attempt]


def _dataset(trial: JsonObject, job: JsonObject) -> str:
    """The data set that the trial names, with the version that the job asked for; empty where
    one of them is missing.
    """
    source = fields.text(trial.get("source")) or fields.text(get(trial, "config", "task", "source"))
    for entry in get_list(job, "datasets"):
        if source and get(entry, "name") == source:
            version = fields.text(get(entry, "version")) or fields.text(get(entry, "ref"))
            if version:
                return f"{source}@{version}"
    return ""
