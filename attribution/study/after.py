"""What no other study has: lines after the commit against people's lines, excess rework, evidence, and our own error rate."""

from __future__ import annotations

from collections import Counter

from attribution.lineage import minimum
from attribution.queries.study import evidence_totals, repository_survival, vendor_disagreements
from attribution.stats.accuracy import confidences, corrected, measured
from attribution.study.model import CLASSES, StudyTable, StudyUnit, pooled
from collector.storage.store import Store
from collector.vocabulary.lines import line_class

NAME = "after"
ORDER = 70

_DAYS = (7, 30, 90)


def tables(store: Store) -> list[StudyTable]:
    return [_survival(store), _rework(store), _evidence(store), _disagreement(store), _errors(), _corrected(store)]


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
        enough = min(risk, base_risk) >= minimum.SURVIVAL.lines
        excess = dead - base if dead is not None and base is not None and enough else None
        rows.append({"against": name, "agent removed in 30 days": dead, "baseline removed in 30 days": base, "excess": excess,
                     "agent lines": risk, "baseline lines": base_risk, "repositories": len(both)})  # fmt: skip
    return StudyTable(
        "excess_rework", "Excess rework: lines removed within 30 days, agents and people in the same repositories", rows,
        ["Pooled over repositories that have both. The comparison within files, with tests, is in `attribute survival`. "
         f"No excess with fewer than {minimum.SURVIVAL.lines} lines at risk on either side."],
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


def _errors() -> StudyTable:
    rows = [
        {
            "class": c.line_class, "evidence": c.evidence, "lines read": c.checked, "right": c.rate,
            "95 % from": c.low, "95 % to": c.high,
        }
        for c in confidences()
    ]  # fmt: skip
    notes = [
        "Lines decided by blind readers, in repositories that no rule was made on; docs/accuracy.md has the rest.",
        "Every number of this study that counts lines by author is no better than these rates.",
    ]
    return StudyTable("error_rate", "Our own error rate", rows, notes)


def _corrected(store: Store) -> StudyTable:
    counts: Counter[str] = Counter()
    for one in evidence_totals(store):
        counts[line_class(one.author, one.evidence, one.reason)] += one.lines
    del counts["undeclared"]  # nobody can decide those lines from records: there are none
    shares = corrected(counts, measured().get("confusion", {}))
    rows = [
        {
            "author": s.author, "counted": s.counted, "corrected": s.corrected, "95 % from": s.interval.low,
            "95 % to": s.interval.high, "n": sum(counts.values()),
        }
        for s in shares
    ]  # fmt: skip
    notes = ["Corrected by what blind readers found of each class; lines of commits that do not mention agents are left out."]
    return StudyTable("corrected_shares", "Who wrote the lines, as counted and as corrected for our errors", rows, notes)
