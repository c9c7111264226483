"""SWE-bench: the report of an instance and the report of a run."""

from collections.abc import Mapping

from attribution.evaluation.attempts import fields
from attribution.evaluation.attempts.model import RESULT, SUMMARY, Attempt, Document
from collector.json_values import JsonObject, get

NAME = "swe-bench"
ORDER = 10
# Directories between a run and its instances that name neither.
STRUCTURE = frozenset(
    (
        "logs",
        "run_evaluation",
        "eval_outputs",
        "eval_logs",
        "eval-logs",
        "evaluation",
        "trajs",
        "traj",
        "trajectories",
        "verifier",
        "results",
        "preds",
        "predictions",
        "evaluation_logs",
    ),
)
# files that are meant to be read: a damaged one is worth a word
REPORT_NAMES = ("report.json", "results.json", "result.json")
_REPORTED = {"patch_successfully_applied", "tests_status", "patch_exists", "patch_is_None"}
_COLUMNS: fields.Columns = {
    "reward": (lambda value: fields.number(fields.boolean(value)), ("resolved",)),
    "patch_applies": (fields.boolean, ("patch_successfully_applied",)),
    "error": (lambda value: "infra_failure" if value is True else None, ("infra_failure",)),
}
_CATEGORIES = ("FAIL_TO_PASS", "PASS_TO_PASS", "FAIL_TO_FAIL", "PASS_TO_FAIL")

# Lists of instances in the report of a run, and what each says of them; a later list knows more.
_LISTS: Mapping[str, JsonObject] = {
    "submitted_ids": {},
    "completed_ids": {"patch_exists": 1},
    "unresolved_ids": {"patch_exists": 1, "reward": 0.0},
    "resolved_ids": {"patch_exists": 1, "patch_applies": 1, "reward": 1.0},
    "empty_patch_ids": {"patch_exists": 0, "reward": 0.0},
    "error_ids": {"error": "harness_error"},
    "failed_ids": {"error": "harness_error"},
    "infra_failure_ids": {"error": "infra_failure"},
}


def read(document: Document) -> list[Attempt] | None:
    value = document.value
    if not isinstance(value, dict) or not value:
        return None
    if isinstance(value.get("resolved_ids"), list) and not isinstance(value.get("results"), list):
        return _run(document, value)
    if all(_is_report(report) for report in value.values()):
        return [_instance(document, str(instance), report) for instance, report in value.items()]
    # the report alone, without the instance around it
    if _is_report(value) and len(document.folders) > 1:
        return [_instance(document, document.folder(1), value)]
    return None


def _is_report(value: object) -> bool:
    return isinstance(value, dict) and "resolved" in value and not _REPORTED.isdisjoint(value)


def run_and_model(folders: tuple[str, ...], instance: str) -> tuple[str, str]:
    """Run and model that a result belongs to; "" where its place does not say.

    `…/run_evaluation/RUN/MODEL/INSTANCE/` and `…/SUBMISSION/logs/INSTANCE/`, where the submission
    is both.
    """
    above = list(folders)
    if above and above[-1] == instance:
        above.pop()
    below = False
    while above and above[-1] in STRUCTURE:
        above.pop()
        below = True
    if not above:
        return "", ""
    model = above[-1]
    return (
        above[-2] if len(above) > 1 and not below and above[-2] not in STRUCTURE else model
    ), model


def _instance(document: Document, instance: str, report: JsonObject) -> Attempt:
    run, model = run_and_model(document.folders, instance)
    values, _ = fields.read_columns(report, _COLUMNS)
    missing = report.get("patch_is_None") is True or report.get("patch_exists") is False
    if "patch_exists" in report or "patch_is_None" in report:
        values["patch_exists"] = int(not missing)
    if missing:
        values.pop("patch_applies", None)
    extra = fields.limit_size(
        {
            name: value
            for name, value in report.items()
            if name not in _REPORTED and name != "resolved"
        }
    )
    return Attempt(
        NAME,
        document.source,
        instance,
        run,
        model=model,
        strength=RESULT,
        values=values,
        tests=_test_counts(report.get("tests_status")),
        extra=extra,
        patch=document.sibling("patch.diff"),
    )


def _test_counts(status: object) -> dict[str, list[int]]:
    """`tests_status` as category -> [succeeded, failed]."""
    counts = {}
    for name in _CATEGORIES:
        sides = [get(status, name, side) for side in ("success", "failure")]
        if any(isinstance(side, list) for side in sides):
            counts[name] = [len(side) if isinstance(side, list) else 0 for side in sides]
    return counts


def _run(document: Document, value: JsonObject) -> list[Attempt]:
    """`MODEL.RUN.json`; instances that were not submitted are left out."""
    stem = document.name.removesuffix(".json")
    model, _, run = stem.rpartition(".")
    instances: dict[str, JsonObject] = {}
    for name, columns in _LISTS.items():
        for instance in fields.names(value.get(name)):
            instances.setdefault(instance, {}).update(columns)
    return [
        Attempt(
            NAME,
            document.source,
            instance,
            run,
            model=model,
            strength=SUMMARY,
            values=values,
            alias=stem,
        )
        for instance, values in instances.items()
    ]
