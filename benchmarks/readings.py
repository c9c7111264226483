"""Findings of the scan for weaknesses, checked by hand (benchmarks/data/findings-review.csv),
and what follows for the rates.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from pages import table  # noqa: E402

from attribution.stats.rates import binomial_interval  # noqa: E402
from attribution.weaknesses.queries.report import weakness_tables  # noqa: E402
from collector.storage.store import Store  # noqa: E402

READ = ROOT / "benchmarks" / "data" / "findings-review.csv"
TIERS = ("taint", "built", "api")
SEEN = ("held out", "tuned on")
VERDICTS = ("true", "false", "unsure")


def verdicts() -> dict[str, Any]:
    """Repositories, and by tier and by whether rules were tuned on the repository the number of
    each verdict.
    """
    with READ.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    counts = Counter((row["tier"], row["seen"], row["verdict"]) for row in rows)
    now = [row for row in rows if row["now"] == "yes" and row["place"] == "source"]
    return {
        "read": len(rows),
        "repositories": {
            seen: len({row["repository"] for row in rows if row["seen"] == seen}) for seen in SEEN
        },
        "counts": [[*key, number] for key, number in sorted(counts.items())],
        "now": [
            [*key, n]
            for key, n in sorted(
                Counter((row["tier"], row["seen"], row["verdict"]) for row in now).items()
            )
        ],
    }


_SCANNED = (
    "SELECT DISTINCT r.name FROM repos r JOIN scanned_lines l ON l.repo_id = r.id WHERE l.scanned ="
    " 1 ORDER BY 1"
)


def rates(databases: Iterable[Path]) -> list[dict[str, Any]]:
    """Rates per 1,000 added lines of scanned databases that hold the verdicts, as they are and
    corrected.
    """
    found = []
    for path in databases:
        with Store(path, create=False) as store:
            tables = {table.name: table.rows for table in weakness_tables(store, by=("class",))}
            repositories = [row["name"] for row in store.rows(_SCANNED)]
        rows = [
            {
                "findings": row["events"],
                "author": row["author"],
                "lines": row["lines"],
                "rate": row["rate"],
                "low": row["low"],
                "high": row["high"],
            }
            for row in tables["class"]
        ]
        review = {row.pop("author"): row for row in tables["reviews"]}
        status = {row["status"]: row["findings"] for row in tables["status"]}
        found.append(
            {"repositories": repositories, "rates": rows, "review": review, "status": status}
        )
    return found


def texts(read: dict[str, Any], measured: list[dict[str, Any]]) -> dict[str, object]:
    """What docs/templates/accuracy.md says of weaknesses."""
    return {
        "findings": read["read"],
        "finding_repositories": sum(read["repositories"].values()),
        "held_out": read["repositories"]["held out"],
        "finding_tiers": _tiers(read),
        "finding_rates": _rates(measured),
        "finding_groups": "\n".join(
            f"- {_letter(i)}: {', '.join(one['repositories'])}" for i, one in enumerate(measured)
        ),
    }


def _tiers(read: dict[str, Any]) -> str:
    rows: list[Sequence[object]] = []
    counts, now = (
        {tuple(key): number for *key, number in read[name]} for name in ("counts", "now")
    )
    for tier, level in zip(TIERS, ("HIGH", "MEDIUM", "LOW"), strict=True):
        for seen in SEEN:
            said = [counts.get((tier, seen, verdict), 0) for verdict in VERDICTS]
            left = [now.get((tier, seen, verdict), 0) for verdict in VERDICTS]
            rows.append(
                (
                    f"{tier} ({level})",
                    seen,
                    sum(said),
                    *said,
                    _share(*said[:2]),
                    f"{left[0]} of {left[0] + left[1]}",
                )
            )
    header = (
        "tier (confidence)",
        "repositories",
        "checked",
        "true",
        "false",
        "unsure",
        "true, of the clear ones",
        "in source files, now",
    )
    return table(header, rows)


def _share(true: int, false: int) -> str:
    if not true + false:
        return "–"
    low, high = binomial_interval(true, true + false)
    return f"{100 * true / (true + false):.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def _rates(measured: list[dict[str, Any]]) -> str:
    rows: list[Sequence[object]] = []
    for number, one in enumerate(measured):
        for row in one["rates"]:
            said = one["review"].get(row["author"])
            read = (said["read"], said["true"], _corrected(said)) if said else (0, "", "")
            rate = f"{row['rate']:.3f} ({row['low']:.3f} to {row['high']:.3f})"
            rows.append(
                (_letter(number), row["author"], row["findings"], f"{row['lines']:,}", rate, *read)
            )
    return table(
        (
            "group",
            "author",
            "findings",
            "added lines",
            "per 1,000 lines",
            "checked",
            "true",
            "corrected",
        ),
        rows,
    )


def _letter(number: int) -> str:
    return chr(ord("A") + number)


def _corrected(said: dict[str, Any]) -> str:
    if said["corrected_rate"] is None:
        return ""
    return (
        f"{said['corrected_rate']:.3f} ({said['corrected_low']:.3f} to"
        f" {said['corrected_high']:.3f})"
    )
