"""What became of the lines of one or more repositories: the numbers behind `whowrote survival`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from attribution.lineage import minimum, survival
from attribution.queries import lifetimes
from attribution.queries.repo_report import undeclared_notes
from attribution.stats import comparison, estimates
from attribution.stats.accuracy import audited_note
from attribution.stats.kaplan_meier import commit_of, survival_curve, survival_points
from collector.errors import WhoWroteError
from collector.plain_values import jsonable, plain
from collector.vocabulary.lines import LINE_CLASSES

if TYPE_CHECKING:
    from pathlib import Path

    from attribution.lineage.survival import LifetimeRecord
    from collector.storage.store import Store

CLASSES = (*LINE_CLASSES, "")


@dataclass(slots=True)
class SurvivalReport:
    """Plain values, as --json prints them; lines are lines with text."""

    repositories: list[dict[str, Any]]  # see `followed_histories`
    groups: list[dict[str, Any]]  # a row for each group, class and horizon: fields of `Point`, and the lines of the group
    causes: dict[str, dict[str, int]]  # class -> cause -> lines
    agent_lines_ended_by: dict[str, int]
    comparisons: list[dict[str, Any]]  # fields of `Comparison`
    hazards: list[dict[str, Any]]  # rows of `stats.estimates.hazard`
    curves: dict[str, dict[str, Any]]  # class -> fields of `Curve`
    left_out: dict[str, int]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SurvivalOptions:
    """What a report has."""

    groupings: Sequence[str] = ("class",)
    curves: bool = False  # also curves, medians and, where the extra `stats` is installed, hazard ratios
    every_kind: bool = False  # lines of files of every kind, not only of source and test files


class Lifetimes(NamedTuple):
    """Lines of some repositories with what became of them."""

    followed: list[dict[str, Any]]
    records: list[LifetimeRecord]
    left_out: dict[str, int]
    notes: list[str]  # of plug-ins


def lifetimes_of(store: Store, repo_ids: Sequence[int], every_kind: bool) -> Lifetimes:
    """Reads all lines of the repositories; `every_kind` as in `SurvivalOptions`."""
    return Lifetimes(
        followed_histories(store, repo_ids),
        lifetimes.records_of(store, repo_ids, every_kind),
        lifetimes.left_out(store, repo_ids, every_kind),
        undeclared_notes(store, repo_ids),
    )


def survival_report(store: Store, repo_ids: Sequence[int], options: SurvivalOptions) -> SurvivalReport:
    """Numbers over the stored histories of some repositories. Raises WhoWroteError when there is none."""
    return report_of(lifetimes_of(store, repo_ids, options.every_kind), store.path, options)


def report_of(lines: Lifetimes, db: Path, options: SurvivalOptions) -> SurvivalReport:
    """Numbers over lines of the database `db`. Raises as `survival_report`."""
    records = lines.records
    if not lines.followed:
        raise WhoWroteError(f"{db} has no line history yet", f"Compute it with: whowrote survival PATH --db {db}")
    by_class = {author: [r for r in records if r.author == author] for author in CLASSES}
    report = SurvivalReport(
        lines.followed,
        [row for grouping in options.groupings for row in _groups(records, grouping)],
        {author: _causes(of_class) for author, of_class in by_class.items() if of_class},
        survival.ended_by(records),
        [plain(comparison.compare(records, baseline)) for baseline in comparison.BASELINES],
        [],
        {},
        dict(sorted(lines.left_out.items())),
        notes_on(lines.followed, lines.notes),
    )
    if options.curves:
        enough = {author: of_class for author, of_class in by_class.items() if author and _has_curve(author, of_class)}
        report.curves = {author: jsonable(survival_curve(of_class)) for author, of_class in enough.items()}
    if options.curves and estimates.available():
        hazards = (estimates.hazard(records, baseline) for baseline in comparison.BASELINES)
        report.hazards = [hazard for hazard in hazards if hazard is not None]
    return report


def notes_on(followed: Sequence[Mapping[str, Any]], others: Sequence[str]) -> list[str]:
    """What a reader of the numbers should know; `others` are notes of plug-ins."""
    notes = [note for note in [audited_note("agent", "human", "likely_human"), *others] if note]
    return notes + [f"{history['name']} has newer attribution than line history" for history in followed if history["stale"]]


def _has_curve(author: str, lines: Sequence[LifetimeRecord]) -> bool:
    return bool(lines) and not minimum.CURVE.refusal({author: minimum.sample((r.lines, commit_of(r)) for r in lines)})


def followed_histories(store: Store, repo_ids: Sequence[int]) -> list[dict[str, Any]]:
    """Which history the numbers of each repository are about, in this order.

    `after`: "" for the whole history; `since`: author time of the first commit; `stale`: attributed at another tip since.
    """
    rows = store.rows(
        "SELECT r.id, r.name, t.tip_sha AS tip, t.after_sha AS after, t.keep, t.commits, COALESCE((SELECT MIN(author_at) "
        "FROM history_commits h WHERE h.repo_id = r.id), '') AS since, r.head_sha IS NOT t.tip_sha AS stale "
        f"FROM repos r JOIN tip_states t ON t.repo_id = r.id WHERE r.id IN ({', '.join(map(str, repo_ids))})",
    )
    histories = {row.pop("id"): row | {"stale": bool(row["stale"])} for row in rows}
    return [histories[repo_id] for repo_id in repo_ids if repo_id in histories]


def history_coverage(store: Store) -> tuple[list[int], list[str]]:
    """Numbers of the repositories whose lines were followed, names of the others."""
    rows = store.rows("SELECT r.id, r.name, t.repo_id FROM repos r LEFT JOIN tip_states t ON t.repo_id = r.id ORDER BY r.id")
    return [row["id"] for row in rows if row["repo_id"] is not None], [row["name"] for row in rows if row["repo_id"] is None]


def _groups(records: Sequence[LifetimeRecord], grouping: str) -> list[dict[str, Any]]:
    groups = []
    for (name, author), members in survival.group_records(records, grouping).items():
        lines, dead = sum(r.lines for r in members), sum(r.lines for r in members if r.dead)
        reverted = sum(r.lines for r in members if r.reverted_later)  # in commits that were taken back
        about: dict[str, Any] = {"grouping": grouping, "name": name, "author": author}
        about |= {"lines": lines, "dead": dead, "reverted": reverted}
        groups.append((about, survival_points(members, minimum.share_of(grouping))))
    if grouping == "class":
        groups.sort(key=lambda group: CLASSES.index(group[0]["author"]))
    else:
        groups.sort(key=lambda group: (-group[0]["lines"], group[0]["name"], group[0]["author"]))
    return [about | point._asdict() for about, points in groups for point in points]


def _causes(records: Sequence[LifetimeRecord]) -> dict[str, int]:
    count: Counter[str] = Counter()
    for r in records:
        if r.cause:
            count[r.cause] += r.lines
    return dict(count.most_common())
