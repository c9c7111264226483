"""Links that a reader decided from raw evidence, verdicts that changed, and what dates answer
(benchmarks/data: links.csv, changed-verdicts.csv, older-projects.csv).

Called by benchmarks/accuracy.py; the tables stand in docs/accuracy-tests.md.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from pages import table  # noqa: E402

from attribution.stats.intervals import wilson  # noqa: E402

LINKS = ROOT / "benchmarks" / "data" / "links.csv"
CHANGED = ROOT / "benchmarks" / "data" / "changed-verdicts.csv"
OLDER = ROOT / "benchmarks" / "data" / "older-projects.csv"
_LINES = {  # of the six repositories, by class before and now
    ("undeclared", "declared"): 16_938,
    ("declared", "unknown"): 666,
    ("undeclared", "tool"): 160,
    ("declared", "agent"): 149,
    ("undeclared", "unknown"): 141,
    ("undeclared", "agent"): 95,
    ("declared", "tool"): 67,
    ("unknown", "declared"): 60,
    ("agent", "declared"): 27,
    ("agent", "unknown"): 20,
    ("likely_human", "unknown"): 7,
    ("unknown", "tool"): 4,
    ("unknown", "agent"): 2,
    ("tool", "likely_human"): 1,
    ("tool", "unknown"): 1,
}


def texts() -> dict[str, object]:
    return {
        "link_readings": _link_readings(),
        "changed_verdicts": _changed_verdicts(),
        "older_projects": _older_projects(),
    }


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _link_readings() -> str:
    """A row for each reading: what the reader said of the links, and of pairs of the same days
    that are no link.
    """
    said: dict[str, Counter[tuple[bool, str]]] = defaultdict(Counter)
    places: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in _rows(LINKS):
        said[row["reading"]][bool(row["method"]), row["took_part"]] += 1
        places[row["reading"]].add((row["repository"], row["home"]))
    result = []
    for reading, count in said.items():
        links = sum(n for (is_link, _), n in count.items() if is_link)
        right = count[True, "yes"]
        low, high = wilson(right, links) or (0.0, 1.0)
        homes = sum(1 for _, home in places[reading] if home)
        others = count[False, "no"] + count[False, "named only"]
        result.append(
            (
                reading,
                (
                    f"{len(places[reading]) - homes} and {homes} homes"
                    if homes
                    else len(places[reading])
                ),
                links,
                right,
                *(count[True, word] for word in ("named only", "cannot be told", "no")),
                f"{100 * right / links:.0f} % ({100 * low:.0f} to {100 * high:.0f})",
                f"{others} of {sum(count.values()) - links}",
            )
        )
    words = (
        "reading",
        "repositories",
        "links",
        "right",
        "only named",
        "not decided",
        "wrong",
        "right, 95 % interval",
    )
    return table((*words, "rightly not linked"), result)


def _changed_verdicts() -> str:
    """A row for each kind of change: lines in all, lines read, and whose verdict the reader's
    decision supports.
    """
    count: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in _rows(CHANGED):
        decided = {name.replace("person", "likely_human") for name in row["decided"].split(" or ")}
        pair = (row["before"] in decided, row["now"] in decided)
        word = {
            (True, True): "both",
            (True, False): "before",
            (False, True): "now",
            (False, False): "neither",
        }[pair]
        count[row["before"], row["now"]][word] += 1
    words = ("now", "both", "before", "neither")
    rows = [
        (
            f"`{before}` → `{now}`",
            f"{lines:,}",
            count[before, now].total(),
            *(count[before, now][word] for word in words),
        )
        for (before, now), lines in sorted(_LINES.items(), key=lambda item: -item[1])
    ]
    return table(
        (
            "class before → now",
            "lines",
            "read",
            "now right",
            "both defensible",
            "before right",
            "neither",
        ),
        rows,
    )


def _older_projects() -> str:
    """A row for each project and one for all: source lines without an author, without the rule
    of dates and with it.
    """
    names = ("lines", "before_completion", "before_agents", "unanswered")
    projects = {row["repository"]: [int(row[name]) for name in names] for row in _rows(OLDER)}
    projects["all"] = [sum(column) for column in zip(*projects.values(), strict=True)]
    rows = [
        (
            name,
            *(f"{n:,}" for n in (lines, left + first + second, first, second, left)),
            f"{100 * (first + second) / (left + first + second):.0f} %",
        )
        for name, (lines, first, second, left) in projects.items()
    ]
    head = (
        "repository",
        "lines of source and tests",
        "without an author before",
        "dated before June 2021",
        "to April 2023",
    )
    return table((*head, "without an author now", "answered by dates"), rows)
