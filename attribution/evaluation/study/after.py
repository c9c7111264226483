"""What no other study has: lines after the commit against people's lines, excess rework, evidence, and our own error rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from attribution.evaluation.study.numbers import LEAST, audited_notes
from attribution.evaluation.study.sessions import Row, evidence_totals
from attribution.lineage import minimum
from attribution.lineage.survival import LifetimeRecord
from attribution.queries.lifetimes import records_of
from attribution.queries.survival import undeclared_notes
from attribution.stats.accuracy import confidences, corrected_shares, correction_refusal, measurements
from attribution.stats.comparison import BASELINES, MEANING, compare, spread
from attribution.stats.intervals import mean
from attribution.stats.kaplan_meier import commit_of, estimate, head_point, observations
from collector.files.kinds import HEADLINE
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.vocabulary.lines import LINE_CLASSES, FileKind, LineClass, line_class

NAME = "after"
ORDER = 70

_DAYS = (7, 30, 90)


def tables(store: Store, sessions: list[Row]) -> list[Table]:
    followed = [row["repo_id"] for row in store.rows("SELECT repo_id FROM tip_states ORDER BY repo_id")]
    records = records_of(store, followed)
    return [
        _survival(records),
        _rework(store, followed, records),
        _evidence(store),
        _disagreement(store),
        _errors(),
        _corrected_table(store),
    ]


def _survival(records: Sequence[LifetimeRecord]) -> Table:
    rows: list[Row] = []
    for author in LINE_CLASSES:
        members = [r for r in records if r.author == author]
        repositories = len({r.repo for r in members})
        head = {"author": author, "repositories": repositories}
        shares = estimate(observations(members, lambda r: r.repo), _DAYS)
        for days, share in zip(_DAYS, shares, strict=True):
            old = [r for r in members if r.follow_days >= days]
            if minimum.SHARE.refusal({author: minimum.sample((r.lines, commit_of(r)) for r in old)}):
                continue
            low, high = (share.interval() if repositories >= LEAST else None) or (None, None)
            values = {"value": share.share, "low": low, "high": high, "lines old enough": sum(r.lines for r in old)}
            rows.append(head | {"alive after": f"{days} days"} | values)
        rows += [
            head | {"alive after": "until now", "value": point.share, "lines old enough": point.enough}
            for point in head_point(members)
            if point.share is not None
        ]
    notes = [
        "Source and test files. Kaplan-Meier over all repositories; intervals by repository.",
        "Needs `whowrote survival PATH` for each of them.",
        f"No share with fewer than {minimum.SHARE.lines} lines of {minimum.SHARE.commits} commits that are old enough.",
        *audited_notes(),
    ]
    return table_of(rows, notes=notes, name="survival_after_commit", title="Committed lines that still exist")


def _rework(store: Store, followed: Sequence[int], records: Sequence[LifetimeRecord]) -> Table:
    rows, comparisons = [], []
    for name, belongs in BASELINES.items():
        shared = {r.repo for r in records if r.author == LineClass.AGENT} & {r.repo for r in records if belongs(r)}
        c = compare([r for r in records if r.repo in shared], name)
        comparisons.append(c)
        rows.append({"against": name, "agent removed in 30 days": c.rework_agent.removed,
                     "baseline removed in 30 days": c.rework_baseline.removed, "excess": c.excess_rework, "low": c.excess_low,
                     "high": c.excess_high, "agent lines": c.rework_agent.lines, "baseline lines": c.rework_baseline.lines,
                     "repositories": len(shared)})  # fmt: skip
    notes = [f"{name}: {MEANING[name]}." for name in BASELINES]
    notes.append(
        "Pooled over repositories that have both, intervals by commit. The comparison within files, with tests, is in "
        "`whowrote survival`. "
        f"No excess with fewer than {minimum.SURVIVAL.lines} lines of {minimum.SURVIVAL.commits} commits on a side."
    )
    notes += audited_notes()
    between = spread(comparisons)
    if between is not None:
        notes.append(f"The answer moves from {between[0]:+.3f} to {between[1]:+.3f} between baselines.")
    claimed = undeclared_notes(store, followed)
    unchecked = "How many undeclared lines other tools' records give to an agent: run whowrote data claims"
    notes += [f"{note}." for note in claimed or [unchecked]]
    title = "Excess rework: lines removed within 30 days, agents and others in the same repositories"
    return table_of(rows, notes=notes, name="excess_rework", title=title)


def _evidence(store: Store) -> Table:
    totals = evidence_totals(store, sorted(HEADLINE))
    every = sum(total["lines"] for total in totals)
    rows = [total | {"share": total["lines"] / every} for total in totals if total["lines"]]
    return table_of(rows, name="evidence", title="How we know: non-blank added lines of source and test files by evidence")


def _disagreement(store: Store) -> Table:
    reasons: dict[str, list[Row]] = {}
    for check in store.rows(
        "SELECT disagreement_reason AS reason, vendor_percentage AS vendor, our_percentage AS ours FROM vendor_checks"
    ):
        reasons.setdefault(check["reason"], []).append(check)
    rows: list[Row] = [
        {
            "reason": reason, "records": len(checks), "vendor_mean": mean(check["vendor"] for check in checks),
            "our_mean": mean(check["ours"] for check in checks), "vendor_zero": sum(check["vendor"] == 0 for check in checks),
            "vendor_zero_ours_not": sum(check["vendor"] == 0 and (check["ours"] or 0) > 0 for check in checks),
        }
        for reason, checks in reasons.items()
    ]  # fmt: skip
    title = "The vendor's percentage compared with ours, for checkpoints on exactly one commit"
    rows.sort(key=lambda row: (-row["records"], row["reason"]))
    return table_of(rows, notes=["The paper's percentages are the vendor's."], name="vendor_disagreement", title=title)


def _errors() -> Table:
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
    return table_of(rows, notes=notes, name="error_rate", title="Our own error rate")


def _corrected_table(store: Store) -> Table:
    rows: list[Row] = []
    refusals = []
    matrix = measurements().get("confusion", {})
    for files, kinds in (("source and test", sorted(HEADLINE)), ("every kind", list(FileKind))):
        counts: Counter[str] = Counter()
        for total in evidence_totals(store, kinds):
            counts[line_class(total["author"], total["evidence"], total["reason"])] += total["lines"]
        del counts[LineClass.UNDECLARED]  # nobody can decide those lines from records: there are none
        rows += [
            {
                "files": files, "author": s.author, "counted": s.counted, "corrected": s.corrected, "95 % from": s.interval.low,
                "95 % to": s.interval.high, "n": sum(counts.values()),
            }
            for s in corrected_shares(counts, matrix)
        ]  # fmt: skip
        if refusal := correction_refusal(counts, matrix):
            refusals.append(f"{files}: not corrected; {refusal}.")
    notes = [
        "Corrected by what blind readers found of each class; lines of commits that do not mention agents are left out.",
        "human: counted are lines with a witness and likely ones together, as readers knew one person from no other.",
        *refusals,
    ]
    return table_of(
        rows, notes=notes, name="corrected_shares", title="Who wrote the lines, as counted and as corrected for our errors"
    )
