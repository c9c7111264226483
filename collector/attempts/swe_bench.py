"""SWE-bench: the report of an instance, the report of a run, and the older lists of results."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from collector.attempts.model import RESULT, SUMMARY, Attempt, Document
from collector.attempts.values import boolean, bounded, names, test_counts

NAME = "swe-bench"
ORDER = 10
# Directories between a run and its instances that name neither.
STRUCTURE = frozenset(
    ("logs", "run_evaluation", "eval_outputs", "eval_logs", "eval-logs", "evaluation", "trajs", "traj", "trajectories", "verifier",
     "results", "preds", "predictions", "evaluation_logs"),
)  # fmt: skip
_SPLIT = re.compile(r"__(test|dev|train)__")
_REPORTED = ("patch_successfully_applied", "tests_status", "patch_exists", "patch_is_None")
_TOLD = {"patch_is_None", "patch_exists", "patch_successfully_applied", "resolved", "tests_status"}
# The lists of results.json that the leaderboard had before reports, and what each says: (patch exists, applies, reward).
_LISTS: dict[str, tuple[int | None, int | None, float | None]] = {
    "no_generation": (0, None, 0.0),
    "no_apply": (1, 0, 0.0),
    "generated": (1, None, None),
    "applied": (1, 1, None),
    "resolved": (1, 1, 1.0),
}


def read(document: Document) -> list[Attempt] | None:
    value = document.value
    if not isinstance(value, dict) or not value:
        return None
    if isinstance(value.get("resolved_ids"), list) and not isinstance(value.get("results"), list):
        return _run(document, value)
    if isinstance(value.get("resolved"), list) and ("no_generation" in value or "applied" in value):
        return _lists(document, value)
    if all(_is_report(one) for one in value.values()):
        return [_instance(document, str(instance), report) for instance, report in value.items()]
    if _is_report(value) and len(document.folders) > 1:  # the report alone, without the instance around it
        return [_instance(document, document.folders[-1], value)]
    return None


def _is_report(value: object) -> bool:
    return isinstance(value, dict) and "resolved" in value and any(key in value for key in _REPORTED)


class RunName(NamedTuple):
    """What a result belongs to; "" where its place does not say."""

    run: str
    model: str


def run_and_model(folders: tuple[str, ...], instance: str) -> RunName:
    """`…/run_evaluation/RUN/MODEL/INSTANCE/` and `…/SUBMISSION/logs/INSTANCE/`, where the submission is both."""
    rest = list(folders)
    if rest and rest[-1] == instance:
        rest.pop()
    below = False
    while rest and rest[-1] in STRUCTURE:
        rest.pop()
        below = True
    if not rest:
        return RunName("", "")
    model = rest[-1]
    run = rest[-2] if len(rest) > 1 and not below and rest[-2] not in STRUCTURE else model
    return RunName(run, model)


# --- one instance -----------------------------------------------------------------------------------------------------


def _instance(document: Document, instance: str, report: dict[str, Any]) -> Attempt:
    run, model = run_and_model(document.folders, instance)
    resolved = boolean(report.get("resolved"))
    missing = report.get("patch_is_None") is True or report.get("patch_exists") is False
    values = {
        "reward": None if resolved is None else float(resolved),
        "patch_exists": int(not missing) if "patch_exists" in report or "patch_is_None" in report else None,
        "patch_applies": None if missing else boolean(report.get("patch_successfully_applied")),
        "error": "infra_failure" if report.get("infra_failure") is True else None,
    }
    return Attempt(
        NAME, document.source, instance, run, model=model, strength=RESULT, values=values,
        tests=test_counts(report.get("tests_status")), extra=bounded({k: v for k, v in report.items() if k not in _TOLD}),
        patch=document.sibling("patch.diff"), where=document.where,
    )  # fmt: skip


# --- a whole run ------------------------------------------------------------------------------------------------------


def _run(document: Document, value: dict[str, Any]) -> list[Attempt]:
    """`MODEL.RUN.json` of the harness, `SUBSET__SPLIT__RUN.json` of sb-cli; instances that were not submitted are left out."""
    stem = document.name.removesuffix(".json")
    model, _, run = stem.rpartition(".")
    dataset = ""
    split = _SPLIT.search(stem)
    if split:
        model, dataset, run = "", f"{stem[: split.start()]}/{split[1]}", stem[split.end() :]
    told: dict[str, dict[str, Any]] = {}
    for kind, values in (
        ("submitted_ids", {}),
        ("completed_ids", {"patch_exists": 1}),
        ("unresolved_ids", {"patch_exists": 1, "reward": 0.0}),
        ("resolved_ids", {"patch_exists": 1, "patch_applies": 1, "reward": 1.0}),
        ("empty_patch_ids", {"patch_exists": 0, "reward": 0.0}),
        ("error_ids", {"error": "harness_error"}),
        ("failed_ids", {"error": "harness_error"}),
        ("infra_failure_ids", {"error": "infra_failure"}),
    ):
        for instance in names(value.get(kind)):
            told.setdefault(instance, {}).update(values)
    alias = "" if dataset else stem
    return [
        Attempt(
            NAME, document.source, instance, run, model=model, dataset=dataset, strength=SUMMARY, values=values, alias=alias
        )
        for instance, values in told.items()
    ]  # fmt: skip


def _lists(document: Document, value: dict[str, Any]) -> list[Attempt]:
    run, model = run_and_model(document.folders, "")
    told: dict[str, dict[str, Any]] = {}
    for kind, (exists, applies, reward) in _LISTS.items():
        for instance in names(value.get(kind)):
            values = {"patch_exists": exists, "patch_applies": applies, "reward": reward}
            told.setdefault(instance, {}).update({k: v for k, v in values.items() if v is not None})
    for kind in ("install_fail", "reset_failed", "test_errored", "test_timeout"):
        for instance in names(value.get(kind)):
            told.setdefault(instance, {}).update({"error": kind, "timed_out": int(kind == "test_timeout")})
    for values in told.values():
        if values.get("patch_applies") == 1 and "error" not in values:
            values.setdefault("reward", 0.0)
    return [
        Attempt(NAME, document.source, instance, run, model=model, strength=SUMMARY, values=values)
        for instance, values in told.items()
    ]  # fmt: skip


def is_report_name(name: str) -> bool:
    """Whether a file of this name is meant to be read, so that a damaged one is worth a word."""
    return name in ("report.json", "results.json", "result.json")
