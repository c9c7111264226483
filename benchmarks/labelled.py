"""Regions and outcomes of sessions: constructed cases, and real ones labelled by a reader
(benchmarks/data/labels.csv).
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "docs")]

from pages import table  # noqa: E402
from support.outcome_cases import CASES, answers  # noqa: E402

from collector.storage.store import Store  # noqa: E402

LABELS = ROOT / "benchmarks" / "data" / "labels.csv"
WORDS = ROOT / "benchmarks" / "data" / "wordlists.csv"
QUESTIONS = (
    "same_region",
    "convergence",
    "output_applied",
    "changes_reverted",
    "session_outcome",
    "task_type",
)
Pairs = Sequence[tuple[str, str]]


def constructed() -> dict[str, Any]:
    """Cases, and by question how often it was asked and rightly answered."""
    asked: dict[str, Counter[str]] = defaultdict(Counter)
    for make in CASES.values():
        with tempfile.TemporaryDirectory() as directory:
            for answer in answers(make, Path(directory)):
                asked[answer.question]["asked"] += 1
                asked[answer.question]["right"] += answer.said == answer.expected
    return {
        "cases": len(CASES),
        "questions": {name: dict(counts) for name, counts in sorted(asked.items())},
    }


# --- labelled by a reader -------------------------------------------------------------------------


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def labelled() -> dict[str, dict[str, Any]]:
    """Question -> items, agreement and kappa at first; then with what the program says now and
    the labels as they were settled.
    """
    rows = _rows(LABELS)
    found = {}
    for question in QUESTIONS:
        asked = [row for row in rows if row["question"] == question]
        first = [(row["program"], row["label"]) for row in asked]
        now = [(row["now"], row["settled"] or row["label"]) for row in asked]
        found[question] = {
            "n": len(asked),
            "first": _agreement(first),
            "first_kappa": kappa(first),
            "now": _agreement(now),
            "now_kappa": kappa(now),
            "settled": sum(1 for row in asked if row["settled"]),
        }
    return found


def spread() -> dict[str, int]:
    """Regions and pairs, sessions, repositories and agents among the labelled."""
    rows = _rows(LABELS)
    return {
        "places": len(
            {(row["session"], row["at"]) for row in rows if row["question"] == "same_region"}
        ),
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
    """What the program says today, as the column `now` of benchmarks/data/labels.csv."""
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
            "SELECT e.region_id, g.convergence FROM region_edits e JOIN regions g ON g.id ="
            " e.region_id JOIN sessions s ON s.id = e.session_id WHERE s.key = ? AND e.call_id = ?"
            " AND e.start_line = ? AND g.path = ?",
            (row["session"], call, int(line), row["path"]),
        )
        regions.append({one["region_id"]: one["convergence"] or "" for one in found})
    shared = set(regions[0]) & set(regions[1])
    return {
        "same_region": "yes" if shared else "no",
        "convergence": regions[0][min(shared)] if shared else "",
    }


def _of_session(store: Store, row: dict[str, str]) -> dict[str, str]:
    (found,) = store.rows(
        "SELECT f.output_applied, f.changes_reverted, f.session_outcome, q.task_type FROM"
        " session_features f JOIN sessions s ON s.id = f.session_id JOIN repos r ON r.id ="
        " s.repo_id LEFT JOIN scores q ON q.session_id = s.id WHERE s.key = ? AND r.name = ?",
        (row["session"], row["repository"]),
    )
    return {name: "" if value is None else str(value) for name, value in found.items()}


# --- word lists -----------------------------------------------------------------------------------


def word_lists() -> dict[str, dict[str, int]]:
    """List -> hits read and those that meant what the list is for, at first and with the list as
    it is now.
    """
    found: dict[str, dict[str, int]] = defaultdict(
        lambda: dict.fromkeys(("read", "right", "kept", "kept_right"), 0)
    )
    for row in _rows(WORDS):
        one = found[row["list"]]
        for name in one:
            one[name] += int(row[name])
    return dict(found)


# --- the page -------------------------------------------------------------------------------------


def texts(
    built: dict[str, Any],
    labels: dict[str, dict[str, Any]],
    counts: dict[str, int],
    lists: dict[str, dict[str, int]],
) -> dict[str, object]:
    """What docs/templates/accuracy.md says of regions, outcomes and word lists."""
    return {
        "outcome_cases": built.get("cases", 0),
        "outcome_questions": table(
            ("question", "asked", "right"),
            [
                (f"`{name}`", n["asked"], n["right"])
                for name, n in built.get("questions", {}).items()
            ],
        ),
        "places": counts["places"],
        "sessions": counts["sessions"],
        "repositories": counts["repositories"],
        "label_agents": counts["agents"],
        "labels": _labels(labels),
        "word_lists": _lists(lists),
    }


def _labels(labels: dict[str, dict[str, Any]]) -> str:
    rows: list[Sequence[object]] = []
    for name, n in labels.items():
        first, now = (f"{n[when]} ({_percent(n[when], n['n'])})" for when in ("first", "now"))
        rows.append(
            (
                f"`{name}`",
                n["n"],
                first,
                _number(n["first_kappa"]),
                now,
                _number(n["now_kappa"]),
                n["settled"],
            )
        )
    return table(
        (
            "question",
            "labelled",
            "agreed at first",
            "kappa",
            "agree now",
            "kappa",
            "labels corrected",
        ),
        rows,
    )


def _lists(lists: dict[str, dict[str, int]]) -> str:
    rows: list[Sequence[object]] = []
    for name, n in lists.items():
        shares = _percent(n["right"], n["read"]), _percent(n["kept_right"], n["kept"])
        rows.append(
            (f"`{name}`", n["read"], n["right"], shares[0], n["kept"], n["kept_right"], shares[1])
        )
    return table(("list", "read", "right", "precision", "found now", "right", "precision"), rows)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
