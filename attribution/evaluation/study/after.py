"""What no query gives: coverage, labels of a judge, and what no other study has: lines after the
commit, our own errors.
"""

from collections.abc import Sequence

from attribution.evaluation.judge.queries import class_shares, judges
from attribution.evaluation.study import audited_notes, join_published
from attribution.lineage import minimum
from attribution.lineage.survival import LifetimeRecord
from attribution.queries.coverage import headline
from attribution.queries.repo_report import undeclared_notes
from attribution.queries.survival import records_of
from attribution.stats.accuracy import (
    confidences,
    corrected_shares,
    correction_refusal,
    measurements,
)
from attribution.stats.comparison import BASELINES, MEANING, compare, spread
from attribution.stats.kaplan_meier import estimate, head_point, observations, sample_of
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.vocabulary import sql_list
from collector.vocabulary.lines import HEADLINE, LINE_CLASSES, FileKind, LineClass

NAME = "after"

_DAYS = (7, 30, 90)


def tables(store: Store) -> list[Table]:
    followed = [
        row["repo_id"] for row in store.rows("SELECT repo_id FROM tip_states ORDER BY repo_id")
    ]
    records = records_of(store, followed)
    return [
        _coverage(store),
        _labels(store),
        _survival(records),
        _rework(store, followed, records),
        _errors(),
        _corrected_table(store),
    ]


def _coverage(store: Store) -> Table:
    """How many lines have a named author, by age, and why the others have none."""
    ages = headline(store, None).coverage
    names = ["whole history" if age.days is None else f"last {age.days} days" for age in ages]
    parts = {"with a named author": [age.attributed for age in ages]}
    for reason in ages[0].missing:
        name = (
            "declared, no session"
            if reason == LineClass.DECLARED
            else f"unknown, {reason.replace('_', ' ')}"
        )
        parts[name] = [age.missing.get(reason, 0) for age in ages]
    rows = [
        {"lines": "all (n)", "n": ages[0].lines}
        | {name: age.lines for name, age in zip(names, ages, strict=True)}
    ]
    for part, lines in parts.items():
        shares = (n / age.lines if age.lines else None for age, n in zip(ages, lines, strict=True))
        rows.append({"lines": part, "n": lines[0]} | dict(zip(names, shares, strict=True)))
    notes = [
        (
            "Non-blank lines added to source and test files, in commits that have a session or name"
            " an agent or a checkpoint. Named: agent, human, likely human or tool. Days are before"
            " the last commit of each repository."
        ),
        *audited_notes(),
    ]
    title = "Coverage: lines with a named author, by age, and why the others have none"
    return table_of(rows, notes=notes, name="coverage", title=title)


def _labels(store: Store) -> Table:
    """Labels of the judge that answered last; its shares are over what it could tell."""
    title = (
        "Labels of the judge: what messages ask for, how often they push back, how sessions went"
    )
    latest = next(iter(judges(store)), None)
    if latest is None:
        note = "No label is stored; `whowrote data judge run` asks a model (docs/judge.md)."
        return table_of([], notes=[note], name="judge_labels", title=title)
    columns = ("label", "class", "n", "of", "share", "corrected", "low", "high")
    rows = []
    for share in class_shares(store, latest, None):
        number = {} if share["class"] else {"class": "mean", "share": share["mean"]}
        rows.append(
            {name: share.get(name) for name in columns} | number | {"note": share.get("note", "")}
        )
    notes = [
        (
            f"Judge: {latest.model}, prompts of version {latest.prompt_version}. Corrected shares"
            " take out the errors measured against people's labels (Rogan and Gladen); without a"
            " validation they are missing, and the counted share may be far off."
        ),
        (
            "The paper's judges were other models with other prompts, on Claude Code's sessions for"
            " pushback. It gives pushback by coding mode; here stands the mean of the three"
            " (`pushback_by_mode` has each)."
        ),
    ]
    rows = join_published("judge_labels", rows, ("label", "class"))
    return table_of(rows, notes=notes, name="judge_labels", title=title)


# --- lines after the commit -----------------------------------------------------------------------


def _survival(records: Sequence[LifetimeRecord]) -> Table:
    rows = []
    for author in LINE_CLASSES:
        members = [r for r in records if r.author == author]
        repositories = len({r.repo for r in members})
        head = {"author": author, "repositories": repositories}
        shares = estimate(observations(members, lambda r: r.repo), _DAYS)
        for days, share in zip(_DAYS, shares, strict=True):
            old = [r for r in members if r.follow_days >= days]
            if minimum.SHARE.refusal({author: sample_of(old)}):
                continue
            low, high = (share.interval() if repositories >= minimum.REPOSITORIES else None) or (
                None,
                None,
            )
            values = {
                "value": share.share,
                "low": low,
                "high": high,
                "lines old enough": sum(r.lines for r in old),
            }
            rows.append(head | {"alive after": f"{days} days"} | values)
        rows += [
            head
            | {
                "alive after": "until now",
                "value": point.share,
                "lines old enough": point.enough,
            }
            for point in head_point(members)
            if point.share is not None
        ]
    notes = [
        "Source and test files. Kaplan-Meier over all repositories; intervals by repository.",
        "Needs `whowrote survival PATH` for each of them.",
        (
            f"No share with fewer than {minimum.SHARE.lines} lines of {minimum.SHARE.commits}"
            " commits that are old enough."
        ),
        *audited_notes(),
    ]
    return table_of(
        rows, notes=notes, name="survival_after_commit", title="Committed lines that still exist"
    )


def _rework(store: Store, followed: Sequence[int], records: Sequence[LifetimeRecord]) -> Table:
    rows, comparisons = [], []
    for name, belongs in BASELINES.items():
        shared = {r.repo for r in records if r.author == LineClass.AGENT} & {
            r.repo for r in records if belongs(r)
        }
        c = compare([r for r in records if r.repo in shared], name)
        comparisons.append(c)
        rows.append(
            {
                "against": name,
                "agent removed in 30 days": c.rework_agent.removed,
                "baseline removed in 30 days": c.rework_baseline.removed,
                "excess": c.excess_rework,
                "low": c.excess_low,
                "high": c.excess_high,
                "agent lines": c.rework_agent.lines,
                "baseline lines": c.rework_baseline.lines,
                "repositories": len(shared),
            }
        )
    notes = [f"{name}: {MEANING[name]}." for name in BASELINES]
    notes.append(
        "Pooled over repositories that have both, intervals by commit. The comparison within"
        " files, with tests, is in `whowrote survival`. No excess with fewer than"
        f" {minimum.SURVIVAL.lines} lines of {minimum.SURVIVAL.commits} commits on a side."
    )
    notes += audited_notes()
    between = spread(comparisons)
    if between is not None:
        notes.append(
            f"The answer moves from {between[0]:+.3f} to {between[1]:+.3f} between baselines."
        )
    claimed = undeclared_notes(store, followed)
    unchecked = (
        "How many undeclared lines other tools' records give to an agent: run whowrote data claims"
    )
    notes += [f"{note}." for note in claimed or [unchecked]]
    title = (
        "Excess rework: lines removed within 30 days, agents and others in the same repositories"
    )
    return table_of(rows, notes=notes, name="excess_rework", title=title)


def _errors() -> Table:
    rows = []
    for (name, evidence), rate in confidences().items():
        low, high = rate.interval or (None, None)
        of_rate = {
            "lines read": rate.checked,
            "right": rate.share,
            "95 % from": low,
            "95 % to": high,
        }
        rows.append({"class": name, "evidence": evidence} | of_rate)
    notes = [
        (
            "Lines decided by blind readers, in repositories that no rule was made on;"
            " docs/accuracy.md has the rest."
        ),
        "Every number of this study that counts lines by author is no better than these rates.",
    ]
    return table_of(rows, notes=notes, name="error_rate", title="Our own error rate")


def _corrected_table(store: Store) -> Table:
    rows = []
    notes = [
        (
            "Corrected by what blind readers found of each class; lines of commits that do not"
            " mention agents are left out."
        ),
        (
            "human: counted are lines with a witness and likely ones together, as readers knew one"
            " person from no other."
        ),
    ]
    matrix = measurements().get("confusion", {})
    for files, kinds in (("source and test", sorted(HEADLINE)), ("every kind", list(FileKind))):
        lines = store.rows(
            "SELECT class, SUM(nonblank) AS lines FROM line_spans "
            f"WHERE kind IN ({sql_list(kinds)}) AND class <> ? GROUP BY 1 ORDER BY 1",
            (LineClass.UNDECLARED,),  # nobody can decide those lines from records: there are none
        )
        counts = {row["class"]: row["lines"] for row in lines}
        rows += [
            {
                "files": files,
                "author": s.author,
                "counted": s.counted,
                "corrected": s.corrected,
                "95 % from": s.interval.low,
                "95 % to": s.interval.high,
                "n": sum(counts.values()),
            }
            for s in corrected_shares(counts, matrix)
        ]
        if refusal := correction_refusal(counts, matrix):
            notes.append(f"{files}: not corrected; {refusal}.")
    title = "Who wrote the lines, as counted and as corrected for our errors"
    return table_of(rows, notes=notes, name="corrected_shares", title=title)
