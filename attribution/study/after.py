"""What no other study has: lines after the commit against people's lines, excess rework, evidence, and our own error rate."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from attribution.queries.study import evidence_totals, repository_survival, vendor_disagreements
from attribution.study.model import CLASSES, StudyTable, StudyUnit, pooled
from collector.storage.store import Store

NAME = "after"
ORDER = 70

_DAYS = (7, 30, 90)


def tables(store: Store) -> list[StudyTable]:
    return [_survival(store), _rework(store), _evidence(store), _disagreement(store), _errors()]


def _survival(store: Store) -> StudyTable:
    points = repository_survival(store)
    rows = []
    for author in CLASSES:
        for unit, days in [("days", d) for d in _DAYS] + [("head", 0)]:
            units = [
                StudyUnit(p.repo_id, p.alive, p.at_risk) for p in points if (p.author, p.unit, p.horizon) == (author, unit, days)
            ]
            if units:
                age, lines = f"{days} days" if days else "until now", int(sum(unit.bottom for unit in units))
                rows.append({"author": author, "alive after": age, **pooled(units)._asdict(), "lines at risk": lines})
    note = "n: repositories with such lines. Needs `attribute survival PATH` for each repository."
    return StudyTable("survival_after_commit", "Committed lines that still exist", rows, [note])


def _rework(store: Store) -> StudyTable:
    points = {(p.repo_id, p.author): p for p in repository_survival(store) if p.unit == "days" and p.horizon == 30}
    rows = []
    for name, classes in (("human", ("human",)), ("human + undeclared", ("human", "undeclared"))):
        both = [
            (agent, people)
            for repo in {repo for repo, _ in points}
            if (agent := points.get((repo, "agent"))) and (people := [points[repo, c] for c in classes if (repo, c) in points])
        ]
        risk, alive = sum(agent.at_risk for agent, _ in both), sum(agent.alive for agent, _ in both)
        base_risk = sum(point.at_risk for _, people in both for point in people)
        base_alive = sum(point.alive for _, people in both for point in people)
        dead = 1 - alive / risk if risk else None
        base = 1 - base_alive / base_risk if base_risk else None
        excess = dead - base if dead is not None and base is not None else None
        rows.append({"against": name, "agent removed in 30 days": dead, "baseline removed in 30 days": base, "excess": excess,
                     "agent lines": risk, "baseline lines": base_risk, "repositories": len(both)})  # fmt: skip
    return StudyTable(
        "excess_rework", "Excess rework: lines removed within 30 days, agents and people in the same repositories", rows,
        ["Pooled over repositories that have both. The comparison within files, with tests, is in `attribute survival`."],
    )  # fmt: skip


def _evidence(store: Store) -> StudyTable:
    totals = evidence_totals(store)
    every = sum(total.lines for total in totals)
    rows = [total._asdict() | {"share": total.lines / every} for total in totals if total.lines]
    return StudyTable("evidence", "How we know: non-blank added lines by evidence", rows)


def _disagreement(store: Store) -> StudyTable:
    rows = [disagreement._asdict() for disagreement in vendor_disagreements(store)]
    return StudyTable(
        "vendor_disagreement", "The vendor's percentage compared with ours, for checkpoints on exactly one commit", rows,
        ["The paper's percentages are the vendor's."],
    )  # fmt: skip


def measured() -> dict[str, Any]:
    """What `make accuracy` measured, as it was published with this version."""
    inside = resources.files("attribution").joinpath("accuracy.json")
    path = Path(__file__).parent.parent.parent / "benchmarks" / "data" / "accuracy.json"
    text = inside.read_text("utf-8") if inside.is_file() else path.read_text("utf-8") if path.is_file() else "{}"
    numbers: dict[str, Any] = json.loads(text)
    return numbers


def _errors() -> StudyTable:
    random = measured().get("random", {})
    rows = [
        {
            "author": author,
            "precision": random[author]["precision"],
            "recall": random[author]["recall"],
            "lines said": random[author]["said"],
        }
        for author in ("agent", "human", "unknown")
        if author in random
    ]
    notes = ["Randomly generated histories with known authors; docs/accuracy.md has the audits by hand and everything else."]
    if "wrong_with_confidence" in random:
        notes.append(f"Definite but wrong: {random['wrong_with_confidence']:.2%} of {random['lines']:,} lines.")
    return StudyTable("error_rate", "Our own error rate", rows, notes)
