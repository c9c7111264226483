"""Distribution of every session feature, and how often and why it has no value: writes
docs/features-measured.md from a database.

    python benchmarks/measured.py DB

Counts only: the page contains no text of any session.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from pages import fill_each, table  # noqa: E402

from attribution.features import Feature, features  # noqa: E402
from attribution.features.nulls import REASONS, VIEW  # noqa: E402
from attribution.queries.features import session_features  # noqa: E402
from collector.storage.store import Store  # noqa: E402

PAGES = ("features-measured.md", "features-missing.md")


def pages(store: Store) -> dict[str, str]:
    found = session_features(store)
    agents = Counter(row["agent"] or "unknown" for row in found)
    repos = Counter(row["repo"] for row in found)
    why: dict[str, Counter[str]] = defaultdict(Counter)
    by_agent: dict[str, Counter[str]] = defaultdict(Counter)
    absent = Counter[str]()
    for row in store.rows(
        f"SELECT n.feature, n.reason, s.agent, COUNT(*) AS n FROM {VIEW} n JOIN sessions s ON s.id"
        " = n.session_id GROUP BY 1, 2, 3"
    ):
        if row["reason"] == "no_transcript":
            absent[row["feature"]] += row["n"]
        else:
            why[row["feature"]][row["reason"]] += row["n"]
            by_agent[row["feature"]][row["agent"] or "unknown"] += row["n"]
    rows = []
    for feature in features():
        values = [row[feature.name] for row in found if row[feature.name] is not None]
        reasons = "; ".join(
            f"{count}: {REASONS[code].text}" for code, count in why[feature.name].most_common()
        )
        rows.append((f"`{feature.name}`", len(values), *_spread(feature, values), reasons))
    names = [name for name, _ in agents.most_common()]
    missing = [
        (
            f"`{feature.name}`",
            *(f"{100 * by_agent[feature.name][name] / agents[name]:.0f} %" for name in names),
        )
        for feature in features()
        if by_agent[feature.name]
    ]
    return fill_each(
        PAGES,
        {
            "day": datetime.now(UTC).date().isoformat(),
            "sessions": len(found),
            "repos": len(repos),
            "absent": max(absent.values(), default=0),
            "agents": ", ".join(f"{name} {count}" for name, count in agents.most_common()),
            "repositories": ", ".join(f"{name} {count}" for name, count in repos.most_common()),
            "distributions": table(
                ("feature", "values", "10 %", "median", "90 %", "without value, and why"), rows
            ),
            "missing": table(("feature", *names), missing),
        },
    )


def _spread(feature: Feature, values: Sequence[Any]) -> tuple[str, str, str]:
    if feature.type == "text":
        if feature.name in ("last_said", "prices_as_of", "output_applied_elsewhere"):
            return "", "", ""
        return "", ", ".join(f"{name} {count}" for name, count in Counter(values).most_common()), ""
    if feature.type == "boolean":
        return "", f"{100 * sum(values) / len(values):.0f} % are 1" if values else "", ""
    numbers = [float(len(v)) if feature.type == "json" else float(v) for v in values]
    if len(numbers) < 2:
        return "", json.dumps(numbers[0]) if numbers else "", ""
    tenths = statistics.quantiles(numbers, n=10, method="inclusive")
    return _short(tenths[0]), _short(statistics.median(numbers)), _short(tenths[8])


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def main(arguments: Sequence[str]) -> int:
    with Store(arguments[0], create=False) as store:
        for name, text in pages(store).items():
            (ROOT / "docs" / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
