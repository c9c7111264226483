"""The table `attempts`: rows stored once, completed by later imports, numbered in order of time.

And gold patches of data sets.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from attribution.evaluation.attempts import fields
from attribution.evaluation.attempts.model import SUMMARY, Attempt
from attribution.evaluation.attempts.scan import STAGE, ScannedAttempts
from attribution.evaluation.words import PatchOutcome
from collector.errors import WhoWroteError
from collector.git.patches import touched_files
from collector.groups import group_pairs
from collector.json_values import JsonObject, Numbers
from collector.runtime.stages import clear_problems
from collector.storage.store import Store
from collector.storage.tablefiles import read_parquet
from collector.storage.views import described
from collector.text import printable

_ASSIGNED = (  # once the rows are stored
    "id",
    "attempt_index",
    "session_id",
    "patch_outcome_label",
    "bash_mediated_edits",
    "localized_correct_file",
    "scope_drift",
    "gd_actions",
)
_JSON = ("touched_files", "plannotator_phases", "tool_sequence", "tests", "extra")
_LARGEST = 2**63
_DIGITS = re.compile(r"(\d+)")


def write(
    store: Store, scanned: ScannedAttempts, gold: Mapping[str, frozenset[str]] | None = None
) -> int:
    """Stores attempts and problems in one transaction, and returns how many attempts are new.

    What an earlier import knew and this one does not stays as it is.
    """
    with store.transaction() as connection:
        columns = _columns()
        before = store.value("SELECT COUNT(*) FROM attempts")
        rows = ([row[name] for name in columns] for row in map(_row, scanned.attempts))
        connection.executemany(_upsert(columns), store.policy.rows("attempts", columns, rows))
        new = int(store.value("SELECT COUNT(*) FROM attempts")) - int(before)
        connection.execute(
            f"UPDATE attempts SET patch_outcome_label = {LABEL}, bash_mediated_edits = edit_calls ="
            " 0 AND touched_files <> '[]'"
        )
        if gold:
            _localize(store, gold)
        _number(store)
        connection.execute(
            "UPDATE attempts SET session_id = (SELECT MIN(id) FROM sessions WHERE key = session_key"
            " HAVING COUNT(*) = 1) WHERE session_key IS NOT NULL"
        )
        for source in scanned.sources:
            clear_problems(store, None, (STAGE,), source)
        store.add_problems(None, scanned.problems)
    return new


@cache
def _columns() -> list[str]:
    return [column.name for column in described("attempts").columns if column.name not in _ASSIGNED]


def _upsert(columns: Sequence[str]) -> str:
    """Inserts a row, or completes the one with its key: a record without a result changes
    nothing that is known.
    """
    changes = ", ".join(
        f"{name} = CASE WHEN evaluated > excluded.evaluated THEN COALESCE({name}, excluded.{name}) "
        f"ELSE COALESCE(NULLIF(excluded.{name}, ''), {name}) END"
        for name in columns
    )
    marks = ", ".join("?" * len(columns))
    return (
        f"INSERT INTO attempts ({', '.join(columns)}) VALUES ({marks}) ON CONFLICT (key) DO UPDATE"
        f" SET {changes}"
    )


def _row(attempt: Attempt) -> JsonObject:
    """All columns of an attempt but the ones that are assigned later."""
    row = dict.fromkeys(_columns())
    row |= {name: value for name, value in attempt.values.items() if name in row}
    row |= {
        "key": attempt.key,
        "harness": attempt.harness,
        "run": attempt.run,
        "instance": attempt.instance,
        "trial": attempt.trial,
        "agent_type": attempt.agent,
        "model_id": attempt.model,
        "dataset": attempt.dataset,
        "treatment": attempt.all_treatment(),
        "source": attempt.source,
        "evaluated": int(attempt.strength >= SUMMARY),
        "extra": fields.limit_size(attempt.extra) or None,
        "stated_index": attempt.values.get("attempt_index"),
        "tests": attempt.tests or None,
        "tests_to_fix_failed": (
            attempt.tests["FAIL_TO_PASS"][1] if "FAIL_TO_PASS" in attempt.tests else None
        ),
        **counts(attempt.tests),
    }
    if attempt.patch is not None:
        files, lines = touched_files(attempt.patch)
        by_patch = {
            "touched_files": [*files],
            "diff_lines": lines,
            "patch_exists": int(bool(attempt.patch.strip())),
        }
        # a transcript has paths of its container
        own = {"touched_files"} if "transcript" in attempt.values else set()
        row |= {name: value for name, value in by_patch.items() if row[name] is None or name in own}
    return {name: _cell(name, value) for name, value in row.items()}


def _cell(name: str, value: Any) -> Any:
    if name in _JSON and value is not None:
        return printable(
            json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        )
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return None
    return printable(value) if isinstance(value, str) else value


def _localize(store: Store, gold: Mapping[str, frozenset[str]]) -> None:
    changes = []
    for row in store.rows(
        "SELECT id, instance, touched_files, first_touched_file AS first FROM attempts WHERE"
        " touched_files <> '[]'"
    ):
        right = gold.get(row["instance"])
        touched = set(json.loads(row["touched_files"]))
        if right:
            is_right = (
                _is_among(row["first"], right)
                if row["first"]
                else any(_is_among(path, right) for path in touched)
            )
            outside = [path for path in touched if not _is_among(path, right)]
            changes.append(
                (int(is_right), len(touched) / len(right), len(outside) / len(touched), row["id"])
            )
    columns = "localized_correct_file = ?, scope_drift = ?, gd_actions = ?"
    store.connection.executemany(f"UPDATE attempts SET {columns} WHERE id = ?", changes)


def _is_among(path: str, files: Iterable[str]) -> bool:
    """Transcripts have paths of the container, such as /testbed/a.py."""
    return any(path == file or path.endswith("/" + file) for file in files)


def _number(store: Store) -> None:
    """attempt_index: the harness's own number, else the place among the attempts of a treatment
    at a task, in order of time.
    """
    store.connection.execute(
        "UPDATE attempts SET attempt_index = stated_index WHERE attempt_index IS NOT stated_index"
    )
    groups = group_pairs(
        ((row["instance"], row["treatment"]), row)
        for row in store.rows(
            "SELECT id, instance, treatment, run, trial, started_at FROM attempts WHERE"
            " stated_index IS NULL"
        )
    )
    changes = []
    for rows in groups.values():
        rows.sort(
            key=lambda r: (
                r["started_at"] is None,
                r["started_at"] or "",
                natural(r["run"]),
                natural(r["trial"]),
                r["id"],
            )
        )
        changes += [(index, row["id"]) for index, row in enumerate(rows)]
    store.connection.executemany("UPDATE attempts SET attempt_index = ? WHERE id = ?", changes)


def natural(name: str) -> list[tuple[int, int | str]]:
    """`x.10-of-12` after `x.9-of-12`."""
    return [
        (1, int(part)) if part.isascii() and part.isdigit() else (0, part)
        for part in _DIGITS.split(name)
    ]


_COLUMNS = ("instance_id", "patch")
_HINT = "It needs records with instance_id and patch: JSON Lines, a JSON list, or Parquet"


def gold_files(path: Path) -> dict[str, frozenset[str]]:
    """Task -> files of its gold patch. Raises WhoWroteError when the file has none."""
    files = {}
    for record in (
        read_parquet(path, _COLUMNS) if path.suffix == ".parquet" else _json_records(path)
    ):
        instance = fields.text(record.get("instance_id"), 500)
        patch = record.get("patch")
        if instance and isinstance(patch, str):
            files[instance] = frozenset(touched_files(patch).files)
    if not files:
        raise WhoWroteError(f"{path} has no reference patches", _HINT)
    return files


def _json_records(path: Path) -> Iterable[JsonObject]:
    try:
        whole = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise WhoWroteError(f"{path} cannot be read: {error}", _HINT) from error
    try:
        is_list = whole.lstrip().startswith("[")
        values = (
            json.loads(whole)
            if is_list
            else [json.loads(line) for line in whole.split("\n") if line.strip()]
        )
    except (ValueError, RecursionError) as error:
        raise WhoWroteError(f"{path} is not valid JSON: {error}", _HINT) from error
    return [value for value in values if isinstance(value, dict)]


# --- what an attempt came to ----------------------------------------------------------------------

# docs/grades.md has the tables of both.


def counts(tests: Mapping[str, list[int]]) -> Numbers:
    """Transitions from the categories; empty when there are none."""
    if "FAIL_TO_PASS" not in tests and "PASS_TO_PASS" not in tests:
        return {}
    categories = ("FAIL_TO_PASS", "PASS_TO_PASS", "FAIL_TO_FAIL", "PASS_TO_FAIL")
    to_fix, to_keep, lost, given_up = (tests.get(name, [0, 0]) for name in categories)
    return {
        "fail_to_pass_count": to_fix[0] + lost[0],
        "fail_to_fail_count": to_fix[1] + lost[1],
        "pass_to_pass_count": to_keep[0] + given_up[0],
        "pass_to_fail_count": to_keep[1],
    }


# Tests that the gold patch does not fix either need not be fixed.
LABEL = f"""
CASE
  WHEN evaluated = 0 OR patch_exists = 0 THEN NULL
  WHEN patch_applies = 0 OR (reward IS NULL AND fail_to_pass_count IS NULL
    AND error <> '') THEN '{PatchOutcome.UNVERIFIABLE}'
  WHEN fail_to_pass_count IS NULL OR pass_to_fail_count IS NULL THEN
    CASE WHEN reward >= 1 THEN '{PatchOutcome.CORRECT}'
      WHEN reward > 0 THEN '{PatchOutcome.PARTIAL}' END
  WHEN pass_to_fail_count = 0 AND COALESCE(tests_to_fix_failed, fail_to_fail_count, 0) = 0
    AND (fail_to_pass_count > 0 OR reward = 1) THEN '{PatchOutcome.CORRECT}'
  WHEN fail_to_pass_count > 0 THEN '{PatchOutcome.PARTIAL}'
  WHEN pass_to_fail_count > 0 THEN '{PatchOutcome.REGRESSIVE}'
  ELSE '{PatchOutcome.NO_EFFECT}'
END
"""
"""patch_outcome_label of a row of `attempts`, as SQL."""
