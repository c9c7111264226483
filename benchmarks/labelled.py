"""Regions and outcomes of sessions: cases known by construction, and real ones labelled by a reader (docs/labels.csv)."""

from __future__ import annotations

import csv
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.outcome_cases import CASES, answers  # noqa: E402

from collector.storage.store import Store  # noqa: E402

LABELS = ROOT / "docs" / "labels.csv"
WORDS = ROOT / "docs" / "wordlists.csv"
QUESTIONS = ("same_region", "convergence", "output_applied", "changes_reverted", "session_outcome", "task_type")
Pairs = Sequence[tuple[str, str]]


def constructed() -> dict[str, Any]:
    """Cases, and by question how often it was asked and rightly answered."""
    asked: dict[str, Counter[str]] = defaultdict(Counter)
    for make in CASES.values():
        with tempfile.TemporaryDirectory() as directory:
            for answer in answers(make, Path(directory)):
                asked[answer.question]["asked"] += 1
                asked[answer.question]["right"] += answer.said == answer.expected
    return {"cases": len(CASES), "questions": {name: dict(counts) for name, counts in sorted(asked.items())}}


# --- labelled by a reader ---------------------------------------------------------------------------------------------


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def labelled() -> dict[str, dict[str, Any]]:
    """Question -> items, agreement and kappa at first; then with what the program says now and the labels as they were settled."""
    rows = _rows(LABELS)
    found = {}
    for question in QUESTIONS:
        asked = [row for row in rows if row["question"] == question]
        first = [(row["program"], row["label"]) for row in asked]
        now = [(row["now"], row["settled"] or row["label"]) for row in asked]
        found[question] = {
            "n": len(asked), "first": _agreement(first), "first_kappa": kappa(first),
            "now": _agreement(now), "now_kappa": kappa(now), "settled": sum(1 for row in asked if row["settled"]),
        }  # fmt: skip
    return found


def spread() -> dict[str, int]:
    """Regions and pairs, sessions, repositories and agents among the labelled."""
    rows = _rows(LABELS)
    return {
        "places": len({(row["session"], row["at"]) for row in rows if row["question"] == "same_region"}),
        "sessions": len({row["session"] for row in rows if row["question"] == "task_type"}),
        "repositories": len({row["repository"] for row in rows}),
        "agents": len({row["agent"] for row in rows}),
    }


def _agreement(pairs: Pairs) -> int:
    return sum(a == b for a, b in pairs)


def kappa(pairs: Pairs) -> float | None:
    """Cohen's kappa; None without pairs, or when chance alone would agree always."""
    n = len(pairs)
    said, true = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(said[name] * true[name] for name in said) / n**2 if n else 1.0
    return round((_agreement(pairs) / n - chance) / (1 - chance), 3) if chance < 1 else None


def look_again(database: Path) -> None:
    """What the program says today, as the column `now` of docs/labels.csv."""
    rows = _rows(LABELS)
    with Store(database, create=False) as store:
        for row in rows:
            answer = _of_place(store, row) if row["at"] else _of_session(store, row)
            row["now"] = answer.get(row["question"], "")
    with LABELS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _of_place(store: Store, row: dict[str, str]) -> dict[str, str]:
    """`at` is `call@line call@line`: two hunks that are one region, or are not."""
    regions = []
    for hunk in row["at"].split():
        call, _, line = hunk.rpartition("@")
        found = store.rows(
            "SELECT e.region_id, g.convergence FROM region_edits e JOIN regions g ON g.id = e.region_id JOIN sessions s "
            "ON s.id = e.session_id WHERE s.key = ? AND e.call_id = ? AND e.start_line = ? AND g.path = ?",
            (row["session"], call, int(line), row["path"]),
        )
        regions.append({one["region_id"]: one["convergence"] or "" for one in found})
    shared = set(regions[0]) & set(regions[1])
    return {"same_region": "yes" if shared else "no", "convergence": regions[0][min(shared)] if shared else ""}


def _of_session(store: Store, row: dict[str, str]) -> dict[str, str]:
    (found,) = store.rows(
        "SELECT f.output_applied, f.changes_reverted, f.session_outcome, q.task_type FROM session_features f "
        "JOIN sessions s ON s.id = f.session_id JOIN repos r ON r.id = s.repo_id LEFT JOIN scores q ON q.session_id = s.id "
        "WHERE s.key = ? AND r.name = ?",
        (row["session"], row["repository"]),
    )
    return {name: "" if value is None else str(value) for name, value in found.items()}


# --- word lists -------------------------------------------------------------------------------------------------------


def word_lists() -> dict[str, dict[str, int]]:
    """List -> hits read and those that meant what the list is for, at first and with the list as it is now."""
    found: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(("read", "right", "kept", "kept_right"), 0))
    for row in _rows(WORDS):
        one = found[row["list"]]
        for name in one:
            one[name] += int(row[name])
    return dict(found)


# --- the page ---------------------------------------------------------------------------------------------------------


def section(
    built: dict[str, Any], labels: dict[str, dict[str, Any]], many: dict[str, int], lists: dict[str, dict[str, int]]
) -> str:
    rows = [
        "## Regions and outcomes", "",
        f"{built.get('cases', 0)} small histories whose truth is known because they were made so (`outcome_cases.py`):", "",
        "| question | asked | right |", "|---|---|---|",
    ]  # fmt: skip
    rows += [f"| `{name}` | {n['asked']} | {n['right']} |" for name, n in built.get("questions", {}).items()]
    drawn = f"{many['places']} places of files and {many['sessions']} sessions of {many['repositories']} public repositories"
    rows += ["", f"{drawn} and {many['agents']} agents,", *_HOW.strip().split("\n"), ""]
    rows += ["| question | labelled | agreed at first | kappa | agreed now | kappa | settled otherwise |", "|---" * 7 + "|"]
    for name, n in labels.items():
        shares = [f"{n[when]} ({_percent(n[when], n['n'])}) | {_number(n[f'{when}_kappa'])}" for when in ("first", "now")]
        rows.append(f"| `{name}` | {n['n']} | {shares[0]} | {shares[1]} | {n['settled']} |")
    rows += ["", _NOTE.strip(), ""]
    return "\n".join([*rows, *_lists(lists)]) + "\n"


_HOW = """
drawn at random by class, repository and agent, with pairs of hunks next to each other that were not joined among them. A reader
took the raw edits and commits and labelled them before looking at what the program says; `labels.csv` has every label with its
reason. Now: after mending what was wrong, with a label as it was settled where the reader had overlooked something. The items were
used for mending, so that is too kind.
"""
_NOTE = """
What was wrong: lines that were removed and then put back to their place were two regions (three of ten pairs), and the text before
a session was taken to be the one before all sessions; a new file that was thrown away and written anew counted as undone; looking
with git counted as acting. What stays open: how a rewritten block is cut into hunks decides its sizes; files named without a
directory by agents that record none belong to no repository.
"""


def _lists(lists: dict[str, dict[str, int]]) -> Iterable[str]:
    if not lists:
        return []
    rows = [
        "Word lists: phrases found in real turns, at most 100 of each list drawn at random over repositories and read. Right: the",
        "phrase means there what the list is for. Then: the same hits as far as the list as it is now still finds them.", "",
        "| list | read | right | precision | found now | right | precision |", "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for name, n in lists.items():
        shares = [_percent(n["right"], n["read"]), _percent(n["kept_right"], n["kept"])]
        rows.append(f"| `{name}` | {n['read']} | {n['right']} | {shares[0]} | {n['kept']} | {n['kept_right']} | {shares[1]} |")
    return [*rows, ""]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
