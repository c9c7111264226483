"""What no other study has: lines after the commit against people's lines, excess rework, evidence, and our own error rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from attribution.lineage import minimum
from attribution.lineage.survival import AGENT, LifetimeRecord
from attribution.queries.study import evidence_totals, line_records, vendor_disagreements
from attribution.queries.survival import undeclared_notes
from attribution.stats.accuracy import confidences, corrected, measured, not_corrected
from attribution.stats.comparison import BASELINES, MEANING, compare, spread
from attribution.stats.kaplan_meier import by_commit, estimate, head_point, observations
from attribution.study.model import CLASSES, LEAST, StudyRow, StudyTable, audited_notes
from collector.files.kinds import HEADLINE
from collector.storage.store import Store
from collector.vocabulary.lines import FileKind, line_class

NAME = "after"
ORDER = 70

_DAYS = (7, 30, 90)


def tables(store: Store) -> list[StudyTable]:
    records = line_records(store)
    return [_survival(records), _rework(store, records), _evidence(store), _disagreement(store), _errors(), _corrected(store)]


def _survival(records: Sequence[LifetimeRecord]) -> StudyTable:
    rows = []
    for author in CLASSES:
        ours = [r for r in records if r.author == author]
        repositories = len({r.repo for r in ours})
        seen = observations(ours, lambda r: r.repo)
        for days in _DAYS:
            old = [r for r in ours if r.follow_days >= days]
            if minimum.SHARE.refusal({author: minimum.sample((r.lines, by_commit(r)) for r in old)}):
                continue
            found = estimate(seen, [days])[0]
            low, high = (found.interval() if repositories >= LEAST else None) or (None, None)
            rows.append({"author": author, "alive after": f"{days} days", "value": found.share, "low": low, "high": high,
                         "repositories": repositories, "lines old enough": sum(r.lines for r in old)})  # fmt: skip
        rows += [
            {
                "author": author,
                "alive after": "until now",
                "value": p.share,
                "repositories": repositories,
                "lines old enough": p.enough,
            }
            for p in head_point(ours)
            if p.share is not None
        ]
    notes = [
        "Source and test files. Kaplan-Meier over all repositories; intervals by repository.",
        "Needs `whowrote survival PATH` for each of them.",
        f"No share with fewer than {minimum.SHARE.lines} lines of {minimum.SHARE.commits} commits that are old enough.",
        *audited_notes(),
    ]
    return StudyTable("survival_after_commit", "Committed lines that still exist", rows, notes)


def _rework(store: Store, records: Sequence[LifetimeRecord]) -> StudyTable:
    rows, made = [], []
    for name, belongs in BASELINES.items():
        agents, people = ({r.repo for r in records if r.author == AGENT}, {r.repo for r in records if belongs(r)})
        both = [r for r in records if r.repo in agents & people]
        c = compare(both, name)
        made.append(c)
        rows.append({"against": name, "agent removed in 30 days": c.rework_agent.removed,
                     "baseline removed in 30 days": c.rework_baseline.removed, "excess": c.excess_rework, "low": c.excess_low,
                     "high": c.excess_high, "agent lines": c.rework_agent.lines, "baseline lines": c.rework_baseline.lines,
                     "repositories": len(agents & people)})  # fmt: skip
    notes = [f"{name}: {MEANING[name]}." for name in BASELINES]
    notes.append(
        "Pooled over repositories that have both, intervals by commit. The comparison within files, with tests, is in "
        "`whowrote survival`. "
        f"No excess with fewer than {minimum.SURVIVAL.lines} lines of {minimum.SURVIVAL.commits} commits on a side."
    )
    notes += audited_notes()
    between = spread(made)
    if between is not None:
        notes.append(f"The answer moves from {between[0]:+.3f} to {between[1]:+.3f} between baselines.")
    claimed = undeclared_notes(store, [row["repo_id"] for row in store.rows("SELECT repo_id FROM tip_states")])
    unchecked = "How many undeclared lines other tools' records give to an agent: run whowrote data claims"
    notes += [f"{note}." for note in claimed or [unchecked]]
    return StudyTable(
        "excess_rework", "Excess rework: lines removed within 30 days, agents and others in the same repositories", rows, notes
    )


def _evidence(store: Store) -> StudyTable:
    totals = evidence_totals(store, sorted(HEADLINE))
    every = sum(total.lines for total in totals)
    rows = [total._asdict() | {"share": total.lines / every} for total in totals if total.lines]
    return StudyTable("evidence", "How we know: non-blank added lines of source and test files by evidence", rows)


def _disagreement(store: Store) -> StudyTable:
    rows = [disagreement._asdict() for disagreement in vendor_disagreements(store)]
    return StudyTable(
        "vendor_disagreement", "The vendor's percentage compared with ours, for checkpoints on exactly one commit", rows,
        ["The paper's percentages are the vendor's."],
    )  # fmt: skip


def _errors() -> StudyTable:
    rows = [
        {
            "class": c.line_class, "evidence": c.evidence, "lines read": c.rate.checked, "right": c.rate.share,
            "95 % from": c.rate.interval.low if c.rate.interval else None,
            "95 % to": c.rate.interval.high if c.rate.interval else None,
        }
        for c in confidences()
    ]  # fmt: skip
    notes = [
        "Lines decided by blind readers, in repositories that no rule was made on; docs/accuracy.md has the rest.",
        "Every number of this study that counts lines by author is no better than these rates.",
    ]
    return StudyTable("error_rate", "Our own error rate", rows, notes)


def _corrected(store: Store) -> StudyTable:
    rows: list[StudyRow] = []
    refused = {}
    matrix = measured().get("confusion", {})
    for files, kinds in (("source and test", sorted(HEADLINE)), ("every kind", list(FileKind))):
        counts: Counter[str] = Counter()
        for one in evidence_totals(store, kinds):
            counts[line_class(one.author, one.evidence, one.reason)] += one.lines
        del counts["undeclared"]  # nobody can decide those lines from records: there are none
        rows += [
            {
                "files": files, "author": s.author, "counted": s.counted, "corrected": s.corrected, "95 % from": s.interval.low,
                "95 % to": s.interval.high, "n": sum(counts.values()),
            }
            for s in corrected(counts, matrix)
        ]  # fmt: skip
        refused[files] = not_corrected(counts, matrix)
    notes = [
        "Corrected by what blind readers found of each class; lines of commits that do not mention agents are left out.",
        "human: counted are lines with a witness and likely ones together, as readers knew one person from no other.",
        *(f"{files}: not corrected; {why}." for files, why in refused.items() if why),
    ]
    return StudyTable("corrected_shares", "Who wrote the lines, as counted and as corrected for our errors", rows, notes)
