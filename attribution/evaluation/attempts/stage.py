"""The table `attempts`: rows stored once, completed by later imports, numbered in order of time."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attribution.evaluation.attempts import outcome
from attribution.evaluation.attempts.merge import STAGE
from attribution.evaluation.attempts.model import SUMMARY, Attempt
from attribution.evaluation.attempts.scan import ScannedAttempts
from attribution.evaluation.attempts.values import limit_size
from collector.git.patches import touched
from collector.runtime.stages import clear_problems
from collector.storage.schema import columns_of_table
from collector.storage.store import Store
from collector.text import printable

_ASSIGNED = ("id", "attempt_index", "session_id")  # by the statements below, once the rows are stored
_JSON = ("touched_files", "plannotator_phases", "tests", "extra")
_LARGEST = 2**63
_DIGITS = re.compile(r"(\d+)")


@dataclass(slots=True)
class ImportResult:
    """What an import did to the table."""

    new: int = 0
    changed: int = 0
    same: int = 0


def write(store: Store, scanned: ScannedAttempts, gold: Mapping[str, frozenset[str]] | None = None) -> ImportResult:
    """Stores attempts and problems in one transaction; what is known already stays as it is."""
    result = ImportResult()
    with store.transaction() as connection:
        stored = {row["key"]: row for row in store.rows("SELECT * FROM attempts")}
        for attempt in scanned.attempts:
            row = _row(attempt)
            before = stored.get(row["key"])
            after = row if before is None else _complete(before, row)
            after["patch_outcome_label"] = outcome.label(after) if after["evaluated"] else None
            _put(store, before, after, result)
        if gold:
            _localize(store, gold)
        _number(store)
        connection.execute(
            "UPDATE attempts SET session_id = (SELECT MIN(id) FROM sessions WHERE key = session_key HAVING COUNT(*) = 1) "
            "WHERE session_key IS NOT NULL"
        )
        for source in scanned.sources:
            clear_problems(store, None, (STAGE,), source)
        store.add_problems(None, scanned.problems)
    return result


def _row(attempt: Attempt) -> dict[str, Any]:
    """All columns of an attempt but the ones that are assigned later."""
    row: dict[str, Any] = {name: None for name in columns_of_table("attempts") if name not in _ASSIGNED}
    row |= {name: value for name, value in attempt.values.items() if name in row}
    row |= {
        "key": attempt.key, "harness": attempt.harness, "run": attempt.run, "instance": attempt.instance, "trial": attempt.trial,
        "agent_type": attempt.agent, "model_id": attempt.model, "dataset": attempt.dataset, "treatment": attempt.all_treatment(),
        "source": attempt.source, "evaluated": int(attempt.strength >= SUMMARY), "extra": limit_size(attempt.extra) or None,
        "stated_index": attempt.values.get("attempt_index"), "tests": attempt.tests or None,
        "tests_to_fix_failed": attempt.tests["FAIL_TO_PASS"][1] if "FAIL_TO_PASS" in attempt.tests else None,
        **outcome.counts(attempt.tests),
    }  # fmt: skip
    if attempt.patch is not None:
        files, lines = touched(attempt.patch)
        by_patch = {"touched_files": [*files], "diff_lines": lines, "patch_exists": int(bool(attempt.patch.strip()))}
        row |= {name: value for name, value in by_patch.items() if row[name] is None}
    return {name: _cell(name, value) for name, value in row.items()}


def _cell(name: str, value: Any) -> Any:
    if name in _JSON and value is not None:
        return printable(json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")))
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return None
    return printable(value) if isinstance(value, str) else value


def _complete(before: Mapping[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """A row with what an earlier import knew and this one does not."""
    poorer = before["evaluated"] > row["evaluated"]
    missing = (name for name in row if row[name] in (None, "") or (poorer and before[name] is not None))
    return {**row, **{name: before[name] for name in missing}}


def _put(store: Store, before: Mapping[str, Any] | None, after: Mapping[str, Any], result: ImportResult) -> None:
    if before is None:
        store.insert("attempts", list(after), [list(after.values())])
        result.new += 1
    elif changes := [name for name in after if before[name] != after[name]]:
        assignments = ", ".join(f"{name} = ?" for name in changes)
        store.connection.execute(
            f"UPDATE attempts SET {assignments} WHERE id = ?", [*(after[name] for name in changes), before["id"]]
        )
        result.changed += 1
    else:
        result.same += 1


def _localize(store: Store, gold: Mapping[str, frozenset[str]]) -> None:
    rows = store.rows("SELECT id, instance, touched_files FROM attempts WHERE touched_files <> '[]'")
    changes = [
        (int(not gold[row["instance"]].isdisjoint(json.loads(row["touched_files"]))), row["id"])
        for row in rows
        if row["instance"] in gold
    ]
    store.connection.executemany("UPDATE attempts SET localized_correct_file = ? WHERE id = ?", changes)


def _number(store: Store) -> None:
    """attempt_index: the harness's own number, else the place among the attempts of a treatment at a task, in order of time."""
    store.connection.execute("UPDATE attempts SET attempt_index = stated_index WHERE attempt_index IS NOT stated_index")
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in store.rows("SELECT id, instance, treatment, run, trial, started_at FROM attempts WHERE stated_index IS NULL"):
        groups[row["instance"], row["treatment"]].append(row)
    changes = []
    for rows in groups.values():
        rows.sort(key=lambda r: (r["started_at"] is None, r["started_at"] or "", natural(r["run"]), natural(r["trial"]), r["id"]))
        changes += [(index, row["id"]) for index, row in enumerate(rows)]
    store.connection.executemany("UPDATE attempts SET attempt_index = ? WHERE id = ?", changes)


def natural(name: str) -> list[tuple[int, int | str]]:
    """`x.10-of-12` after `x.9-of-12`."""
    return [(1, int(part)) if part.isascii() and part.isdigit() else (0, part) for part in _DIGITS.split(name)]
