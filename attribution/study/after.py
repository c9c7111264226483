"""What no other study has: lines after the commit against people's lines, excess rework, evidence, and our own error rate."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from attribution.study.model import CLASSES, StudyTable, StudyUnit, pooled
from collector.storage.store import Store

NAME = "after"
ORDER = 70

_DAYS = (7, 30, 90)


def tables(store: Store) -> list[StudyTable]:
    return [_survival(store), _rework(store), _evidence(store), _disagreement(store), _errors()]


def _points(store: Store) -> list[dict[str, Any]]:
    return store.rows(
        "SELECT repo_id, author, unit, horizon, at_risk, alive FROM survival WHERE grouping = 'class' AND unit IN ('days', 'head')"
    )


def _survival(store: Store) -> StudyTable:
    points = _points(store)
    found = []
    for author in CLASSES:
        for unit, days in [("days", d) for d in _DAYS] + [("head", 0)]:
            some = [
                StudyUnit(p["repo_id"], p["alive"], p["at_risk"])
                for p in points
                if (p["author"], p["unit"], p["horizon"]) == (author, unit, days)
            ]
            if some:
                found.append({"author": author, "alive after": f"{days} days" if days else "until now", **pooled(some),
                              "lines at risk": int(sum(o.bottom for o in some))})  # fmt: skip
    note = "n: repositories with such lines. Needs `attribute survival PATH` for each repository."
    return StudyTable("survival_after_commit", "Committed lines that are still there", found, [note])


def _rework(store: Store) -> StudyTable:
    points = {(p["repo_id"], p["author"]): p for p in _points(store) if p["unit"] == "days" and p["horizon"] == 30}
    found = []
    for name, classes in (("human", ("human",)), ("human + undeclared", ("human", "undeclared"))):
        pairs = []
        for repo in {repo for repo, _ in points}:
            agent = points.get((repo, "agent"))
            people = [points[repo, c] for c in classes if (repo, c) in points]
            if agent is not None and people:
                pairs.append((agent, sum(p["at_risk"] for p in people), sum(p["alive"] for p in people)))
        risk, alive = sum(a["at_risk"] for a, _, _ in pairs), sum(a["alive"] for a, _, _ in pairs)
        base_risk, base_alive = sum(r for _, r, _ in pairs), sum(x for _, _, x in pairs)
        dead = 1 - alive / risk if risk else None
        base = 1 - base_alive / base_risk if base_risk else None
        excess = dead - base if dead is not None and base is not None else None
        found.append({"against": name, "agent dead within 30 days": dead, "baseline dead within 30 days": base, "excess": excess,
                      "agent lines": risk, "baseline lines": base_risk, "repositories": len(pairs)})  # fmt: skip
    return StudyTable(
        "excess_rework", "Excess rework: lines gone within 30 days, agents against people of the same repositories", found,
        ["Pooled over repositories that have both. The comparison within files, with tests, is in `attribute survival`."],
    )  # fmt: skip


def _evidence(store: Store) -> StudyTable:
    rows = store.rows(
        "SELECT author, how, evidence, reason, SUM(nonblank) AS lines FROM evidence_shares GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC"
    )
    every = sum(r["lines"] for r in rows)
    found = [r | {"share": r["lines"] / every} for r in rows if r["lines"]]
    return StudyTable("evidence", "How we know: non-blank added lines by evidence", found)


def _disagreement(store: Store) -> StudyTable:
    found = store.rows(
        "SELECT disagreement_reason AS reason, COUNT(*) AS records, AVG(vendor_percentage) AS vendor_mean, "
        "AVG(our_percentage) AS our_mean, "
        "SUM(vendor_percentage = 0) AS vendor_zero, SUM(vendor_percentage = 0 AND our_percentage > 0) AS vendor_zero_ours_not "
        "FROM vendor_checks GROUP BY 1 ORDER BY 2 DESC"
    )
    return StudyTable(
        "vendor_disagreement", "The vendor's percentage beside ours, checkpoints on exactly one commit", found,
        ["The paper's percentages are the vendor's."],
    )  # fmt: skip


def measured() -> dict[str, Any]:
    """What `make accuracy` measured, as it was published with this version."""
    inside = resources.files("attribution").joinpath("accuracy.json")
    path = Path(__file__).parent.parent.parent / "benchmarks" / "data" / "accuracy.json"
    text = inside.read_text("utf-8") if inside.is_file() else path.read_text("utf-8") if path.is_file() else "{}"
    found: dict[str, Any] = json.loads(text)
    return found


def _errors() -> StudyTable:
    random = measured().get("random", {})
    found = [
        {
            "author": author,
            "precision": random[author]["precision"],
            "recall": random[author]["recall"],
            "lines said": random[author]["said"],
        }
        for author in ("agent", "human", "unknown")
        if author in random
    ]
    notes = ["Histories with known authors, made at random; docs/accuracy.md has the audits by hand and everything else."]
    if "wrong_with_confidence" in random:
        notes.append(f"Wrong with confidence: {random['wrong_with_confidence']:.2%} of {random['lines']:,} lines.")
    return StudyTable("error_rate", "Our own error rate", found, notes)
