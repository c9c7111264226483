"""The table `attempts`: rows put in once, completed by later imports, numbered in order of time."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from collector.attempts import outcome
from collector.attempts.model import SUMMARY, Attempt
from collector.attempts.scan import STAGE, AttemptsFound
from collector.attempts.values import bounded
from collector.git.patches import touched
from collector.runtime.stages import clear_problems
from collector.storage.store import Store
from collector.text import printable

_TEXTS = ("key", "harness", "run", "instance", "trial", "agent_type", "model_id", "dataset", "treatment", "source")
_KNOWN = (
    "attempt1_tool_cap", "retry_tool_cap", "concurrency", "timeout_s", "reward", "patch_exists", "patch_applies", *outcome.COUNTS,
    "tests_to_fix_failed", "touched_files", "diff_lines", "turn_count", "tool_call_count", "edit_calls", "input_tokens",
    "output_tokens", "cache_read_tokens", "cost_usd", "wall_time_s", "timed_out", "started_at", "finished_at", "error",
    "stated_index", "recovery_mode", "final_failure_mode", "localization_mode", "plannotator_phases", "session_key", "transcript",
    "tests", "extra",
)  # fmt: skip
_CONCLUDED = ("patch_outcome_label", "localized_correct_file")
COLUMNS = (*_TEXTS, "evaluated", *_KNOWN, *_CONCLUDED)
_JSON = ("touched_files", "plannotator_phases", "tests", "extra")
_LARGEST = 2**63
_DIGITS = re.compile(r"(\d+)")


@dataclass(slots=True)
class ImportResult:
    """What an import did to the table."""

    new: int = 0
    changed: int = 0
    same: int = 0


def write(store: Store, scanned: AttemptsFound, gold: Mapping[str, frozenset[str]] | None = None) -> ImportResult:
    """Stores attempts and problems in one transaction; what is known already stays as it is."""
    written = ImportResult()
    with store.transaction() as connection:
        known = {row["key"]: row for row in store.rows("SELECT * FROM attempts")}
        for attempt in scanned.attempts:
            row = row_of(attempt)
            before = known.get(row["key"])
            after = _completed(before, row)
            after["patch_outcome_label"] = outcome.label(after) if after["evaluated"] else None
            _put(store, before, after, written)
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
    return written


def row_of(attempt: Attempt) -> dict[str, Any]:
    """Columns of an attempt, all of them."""
    values = {name: _stored(value) for name, value in attempt.values.items()}
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {
        "key": attempt.key, "harness": attempt.harness, "run": attempt.run, "instance": attempt.instance, "trial": attempt.trial,
        "agent_type": attempt.agent, "model_id": attempt.model, "dataset": attempt.dataset, "treatment": attempt.all_treatment(),
        "source": attempt.source, "evaluated": int(attempt.strength >= SUMMARY),
    }  # fmt: skip
    row |= {name: value for name, value in values.items() if name in row}
    row["stated_index"] = values.get("attempt_index")
    row |= outcome.counts(attempt.tests)
    if attempt.tests:
        row["tests"] = attempt.tests
        row["tests_to_fix_failed"] = attempt.tests["FAIL_TO_PASS"][1] if "FAIL_TO_PASS" in attempt.tests else None
    if attempt.patch is not None:
        files, lines = touched(attempt.patch)
        stated = {name: row[name] for name in ("touched_files", "diff_lines") if row[name] is not None}
        row |= {"touched_files": [*files], "diff_lines": lines} | stated
        row["patch_exists"] = int(bool(attempt.patch.strip())) if row["patch_exists"] is None else row["patch_exists"]
    row["extra"] = bounded(attempt.extra) or None
    return {name: _cell(name, value) for name, value in row.items()}


def _stored(value: Any) -> Any:
    return None if isinstance(value, int) and abs(value) >= _LARGEST else value


def _cell(name: str, value: Any) -> Any:
    if name in _JSON and value is not None:
        return printable(json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")))
    return printable(value) if isinstance(value, str) else value


def _completed(before: Mapping[str, Any] | None, row: dict[str, Any]) -> dict[str, Any]:
    """A row with what an earlier import knew and this one does not."""
    if before is None:
        return row
    poorer = before["evaluated"] > row["evaluated"]
    kept = {name: before[name] for name in COLUMNS if row[name] is None or row[name] == "" or (poorer and before[name] is not None)}
    return {**row, **kept}


def _put(store: Store, before: Mapping[str, Any] | None, after: Mapping[str, Any], written: ImportResult) -> None:
    if before is None:
        store.insert("attempts", COLUMNS, [[after[name] for name in COLUMNS]])
        written.new += 1
    elif changes := [name for name in COLUMNS if before[name] != after[name]]:
        assignments = ", ".join(f"{name} = ?" for name in changes)
        store.connection.execute(
            f"UPDATE attempts SET {assignments} WHERE id = ?", [*(after[name] for name in changes), before["id"]]
        )
        written.changed += 1
    else:
        written.same += 1


def _localize(store: Store, gold: Mapping[str, frozenset[str]]) -> None:
    rows = store.rows("SELECT id, instance, touched_files FROM attempts WHERE touched_files <> '[]'")
    found = [
        (int(not gold[row["instance"]].isdisjoint(json.loads(row["touched_files"]))), row["id"])
        for row in rows
        if row["instance"] in gold
    ]
    store.connection.executemany("UPDATE attempts SET localized_correct_file = ? WHERE id = ?", found)


def _number(store: Store) -> None:
    """attempt_index: the harness's own number, else the place among the attempts of a treatment at a task, in order of time."""
    rows = store.rows("SELECT id, instance, treatment, run, trial, started_at, stated_index, attempt_index FROM attempts")
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    changes = []
    for row in rows:
        if row["stated_index"] is None:
            groups[row["instance"], row["treatment"]].append(row)
        elif row["attempt_index"] != row["stated_index"]:
            changes.append((row["stated_index"], row["id"]))
    for some in groups.values():
        some.sort(key=lambda r: (r["started_at"] is None, r["started_at"] or "", natural(r["run"]), natural(r["trial"]), r["id"]))
        changes += [(index, row["id"]) for index, row in enumerate(some) if row["attempt_index"] != index]
    store.connection.executemany("UPDATE attempts SET attempt_index = ? WHERE id = ?", changes)


def natural(name: str) -> list[tuple[int, int | str]]:
    """`x.10-of-12` after `x.9-of-12`."""
    return [(1, int(part)) if part.isascii() and part.isdigit() else (0, part) for part in _DIGITS.split(name)]


def summary(store: Store, sources: Iterable[str]) -> list[dict[str, Any]]:
    """Attempts of these files by harness and run."""
    wanted = set(sources)
    groups: dict[tuple[str, str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in store.rows("SELECT * FROM attempts ORDER BY harness, run, agent_type, model_id"):
        if row["source"] in wanted:
            groups[row["harness"], row["run"], row["agent_type"], row["model_id"]].append(row)
    return [
        {
            "harness": harness, "run": run, "agent": agent, "model": model, "attempts": len(some),
            "verified": sum(1 for r in some if r["reward"] is not None),
            "resolved": sum(1 for r in some if (r["reward"] or 0) >= 1),
            "labelled": sum(1 for r in some if r["patch_outcome_label"] is not None),
        }
        for (harness, run, agent, model), some in groups.items()
    ]  # fmt: skip
