"""What became of the lines of one or more repositories: the numbers behind `whowrote survival`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from attribution.lineage import minimum, survival
from attribution.lineage.model import LOST
from attribution.lineage.survival import BY_AGENTS, LifetimeRecord, RemovedLines
from attribution.queries.repo_report import undeclared_notes
from attribution.stats import comparison
from attribution.stats.accuracy import audited_note
from attribution.stats.kaplan_meier import sample_of, survival_curve, survival_points
from collector.errors import WhoWroteError
from collector.files.kinds import kind_of
from collector.json_values import Numbers, Row, jsonable, plain
from collector.storage.store import Store
from collector.text import command_line
from collector.vocabulary.lines import HEADLINE, LINE_CLASSES, Evidence, LineClass, line_class_sql


def records_of(
    store: Store, repo_ids: Sequence[int], every_kind: bool = False
) -> list[LifetimeRecord]:
    """Lines with text of source and test files, or of files of every kind (see `left_out` for the
    others), of some repositories.

    In order of their numbers.
    """
    lifetimes = (removed.record for removed in _stream(store, repo_ids))
    return [record for record in lifetimes if every_kind or record.kind in HEADLINE]


def left_out(store: Store, repo_ids: Sequence[int], every_kind: bool = False) -> Numbers:
    """Lines with text of some repositories that are not counted.

    binary; uncertain: something is missing in the clone; copy: of another file of the commit;
    not_attributed: symbolic links; same_text: both sides of a merge had them; they are counted as
    the lines that the merge kept; docs, lock, …: of such files.
    """
    rows = store.rows(
        "SELECT CASE WHEN l.same_as IS NOT NULL THEN 'same_text' WHEN l.kind <> 'text' THEN l.kind"
        " WHEN t.origin_id IS NULL THEN 'not_attributed' ELSE '' END AS why, f.kind, l.path,"
        " SUM(t.nonblank) AS lines FROM line_fates t JOIN line_lifetimes l ON l.repo_id ="
        " t.repo_id AND l.origin = t.life JOIN history_commits b ON b.id = l.birth LEFT JOIN"
        " commits c ON c.repo_id = b.repo_id AND c.commit_sha = b.commit_sha LEFT JOIN"
        " commit_files f ON f.commit_id = c.id AND f.path = l.path WHERE t.repo_id IN"
        f" ({_sql_numbers(repo_ids)}) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    )
    counter: Counter[str] = Counter()
    for row in rows:
        kind = row["kind"] or kind_of(row["path"])
        if row["why"] or (kind not in HEADLINE and not every_kind):
            counter[row["why"] or kind] += row["lines"]
    return {why: lines for why, lines in counter.items() if lines}


def _sql_numbers(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


class _Lines(NamedTuple):
    """Lines of a file with one author and one fate; commits by their numbers in
    `history_commits`.
    """

    repo_id: int
    nonblank: int
    actor: str | None
    actor_session_id: int | None
    path: str
    cause: str | None
    added_in: int
    removed_in: int | None
    added_at: str
    removed_at: str | None
    arrived: int | None  # position on the main line of the commit that brought the lines there
    left_main: int | None  # and of the first commit without them
    reverted: int
    line_class: str | None  # None where no verdict is
    session_id: int | None
    model: str | None
    agent: str | None
    session: str | None
    declared_agent: str | None
    kind: str | None
    evidence: str | None
    edited_by: str | None


_DAY = 86400.0  # seconds
# Rows with one fate are added up before the joins: statistics weigh by lines, and there are several
# times fewer such groups.
_LINES = """
WITH l AS MATERIALIZED (
  SELECT t.repo_id, MIN(t.origin) AS first, SUM(t.nonblank) AS nonblank, l.path, l.birth, l.death,
    l.cause, l.gone_from_main, t.origin_id, t.actor, t.actor_session_id
  FROM line_fates t JOIN line_lifetimes l ON l.repo_id = t.repo_id AND l.origin = t.life
  WHERE t.repo_id IN ({repositories}) AND t.nonblank > 0 AND l.kind = 'text' AND l.same_as IS NULL
  GROUP BY t.repo_id, l.birth, l.path, l.death, l.cause, l.gone_from_main, t.origin_id, t.actor,
    t.actor_session_id
)
SELECT l.repo_id, l.nonblank, l.actor, l.actor_session_id, l.path, l.cause, l.birth AS added_in,
  l.death AS removed_in, b.author_at AS added_at, d.author_at AS removed_at,
  lb.main_line AS arrived, g.main_line AS left_main, b.reverted_by IS NOT NULL AS reverted,
  {line_class} AS line_class, o.session_id, COALESCE(o.model, s.model) AS model,
  COALESCE(NULLIF(s.agent, ''), s.agent_label) AS agent, s.key AS session, c.declared_agent,
  f.kind, o.evidence, o.edited_by
FROM l JOIN history_commits b ON b.id = l.birth
LEFT JOIN history_commits d ON d.id = l.death
LEFT JOIN history_commits lb ON lb.id = b.landed
LEFT JOIN history_commits g ON g.id = l.gone_from_main
LEFT JOIN origins o ON o.id = l.origin_id
LEFT JOIN sessions s ON s.id = o.session_id
LEFT JOIN commits c ON c.repo_id = b.repo_id AND c.commit_sha = b.commit_sha
LEFT JOIN commit_files f ON f.commit_id = c.id AND f.path = l.path
ORDER BY l.repo_id, l.first
"""


def removed_lines(store: Store, repo_id: int) -> list[RemovedLines]:
    """The records of `records`, each with the commit that removed its lines."""
    return list(_stream(store, [repo_id]))


_AT_ONCE = 25  # repositories in one statement: what it joins and sorts is in memory


def _stream(store: Store, repo_ids: Sequence[int]) -> Iterator[RemovedLines]:
    """Yields records in order of the repositories' numbers, then of the lines."""
    ordered = sorted(repo_ids)
    for start in range(0, len(ordered), _AT_ONCE):
        tips = _tips(store, ordered[start : start + _AT_ONCE])
        rows = store.stream(
            _Lines, _LINES.format(repositories=_sql_numbers(tips), line_class=line_class_sql("o"))
        )
        yield from [
            RemovedLines(row.removed_in or 0, _record(row, *tips[row.repo_id])) for row in rows
        ]


def _tips(store: Store, repo_ids: Sequence[int]) -> dict[int, tuple[float, int]]:
    """Repository whose lines were followed -> time of its tip, and its position on the main
    line; in order of their numbers.
    """
    tips = store.rows(
        "SELECT t.repo_id, h.author_at, h.committed_at, h.main_line FROM tip_states t JOIN"
        " history_commits h ON h.repo_id = t.repo_id AND h.commit_sha = t.tip_sha WHERE t.repo_id"
        f" IN ({_sql_numbers(repo_ids)}) ORDER BY t.repo_id",
    )
    return {
        t["repo_id"]: (max(seconds(t["author_at"]), seconds(t["committed_at"])), t["main_line"])
        for t in tips
    }


def _record(row: _Lines, end: float, last: int) -> LifetimeRecord:
    added = seconds(row.added_at)
    follow = max(0.0, end - added) / _DAY
    arrived = row.arrived if row.arrived is not None else last
    lost = row.cause == LOST
    removed = row.removed_in is not None
    days = follow
    commits = last - arrived
    if removed:
        days = max(0.0, seconds(row.removed_at or "") - added) / _DAY
        commits = max(0, row.left_main - arrived) if row.left_main is not None else 0
    author = row.line_class or ""
    agent = (row.agent if author == "agent" else row.declared_agent) or ""
    return LifetimeRecord(
        row.nonblank,
        author,
        days,
        max(follow, days),
        commits,
        max(last - arrived, commits),
        removed and not lost,
        lost,
        row.path,
        row.repo_id,
        row.added_in,
        row.model or "",
        agent,
        row.session_id,
        row.session or "",
        row.actor or "",
        row.actor_session_id,
        row.cause or "",
        bool(row.reverted),
        row.kind or kind_of(row.path),
        row.evidence == Evidence.DATED,
        row.edited_by or "",
    )


def seconds(moment: str) -> float:
    """Seconds since 1970 of a time in ISO 8601; 0 for none."""
    return datetime.fromisoformat(moment).timestamp() if moment else 0.0


# --- lines with what became of them ---------------------------------------------------------------


CLASSES = (*LINE_CLASSES, "")


@dataclass(slots=True)
class SurvivalReport:
    """Plain values, as --json prints them; lines are lines with text."""

    repositories: list[Row]  # see `followed_histories`
    # a row for each group, class and horizon: fields of `Point`, and the lines of the group
    groups: list[Row]
    causes: dict[str, Numbers]  # class -> cause -> lines
    agent_lines_ended_by: Numbers
    comparisons: list[Row]  # fields of `Comparison`
    hazards: list[Row]  # rows of `stats.comparison.hazard`
    curves: dict[str, Row]  # class -> fields of `Curve`
    left_out: Numbers
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SurvivalOptions:
    groupings: Sequence[str] = ("class",)
    # also curves, medians and, where the extra `stats` is installed, hazard ratios
    curves: bool = False
    every_kind: bool = False  # lines of files of every kind, not only of source and test files


class Lifetimes(NamedTuple):
    """Lines of some repositories with what became of them."""

    followed: list[Row]
    records: list[LifetimeRecord]
    left_out: Numbers
    notes: list[str]  # of plug-ins


def lifetimes_of(store: Store, repo_ids: Sequence[int], every_kind: bool) -> Lifetimes:
    """Reads all lines of the repositories; `every_kind` as in `SurvivalOptions`."""
    return Lifetimes(
        followed_histories(store, repo_ids),
        records_of(store, repo_ids, every_kind),
        left_out(store, repo_ids, every_kind),
        undeclared_notes(store, repo_ids),
    )


def survival_report(
    store: Store, repo_ids: Sequence[int], options: SurvivalOptions
) -> SurvivalReport:
    """Numbers over the stored histories of some repositories.

    Raises WhoWroteError when there is none.
    """
    return report_of(lifetimes_of(store, repo_ids, options.every_kind), store.path, options)


def report_of(lines: Lifetimes, db: Path, options: SurvivalOptions) -> SurvivalReport:
    """Numbers over lines of the database `db`. Raises as `survival_report`."""
    records = lines.records
    if not lines.followed:
        raise WhoWroteError(
            f"{db} has no line history yet",
            f"Compute it with: {command_line('whowrote', 'survival', 'PATH', '--db', db)}",
        )
    by_class = {author: [r for r in records if r.author == author] for author in CLASSES}
    report = SurvivalReport(
        lines.followed,
        [row for grouping in options.groupings for row in _groups(records, grouping)],
        {author: _causes(of_class) for author, of_class in by_class.items() if of_class},
        survival.ended_by(records),
        [
            {"agents": agents, **plain(comparison.compare(lines_of, baseline))}
            for agents, lines_of in as_agents(records).items()
            for baseline in comparison.BASELINES
        ],
        [],
        {},
        dict(sorted(lines.left_out.items())),
        notes_on(lines.followed, lines.notes),
    )
    if options.curves:
        for author, of_class in by_class.items():
            sample = sample_of(of_class)
            if author and of_class and not minimum.CURVE.refusal({author: sample}):
                report.curves[author] = jsonable(survival_curve(of_class))
    if options.curves and comparison.available():
        report.hazards = [
            {"agents": agents, **hazard}
            for agents, lines_of in as_agents(records).items()
            for baseline in comparison.BASELINES
            if (hazard := comparison.hazard(lines_of, baseline)) is not None
        ]
    return report


def as_agents(records: Sequence[LifetimeRecord]) -> dict[str, Sequence[LifetimeRecord]]:
    """The lines as they are compared: for each group of agents its lines as those of agents, and
    everybody else's.
    """
    groups = comparison.agent_groups({r.author for r in records})
    return {
        name: [
            replace(r, author=LineClass.AGENT) if r.author in classes else r
            for r in records
            if r.author in classes or r.author not in BY_AGENTS
        ]
        for name, classes in groups.items()
    }


def notes_on(followed: Sequence[Row], others: Sequence[str]) -> list[str]:
    """What a reader of the numbers should know; `others` are notes of plug-ins."""
    notes = [note for note in [audited_note("agent", "human", "likely_human"), *others] if note]
    return notes + [
        f"{history['name']} has newer attribution than line history"
        for history in followed
        if history["stale"]
    ]


def followed_histories(store: Store, repo_ids: Sequence[int]) -> list[Row]:
    """Which history the numbers of each repository are about, in this order.

    `after`: "" for the whole history; `since`: author time of the first commit; `stale`: attributed
    at another tip since.
    """
    rows = store.rows(
        "SELECT r.id, r.name, t.tip_sha AS tip, t.after_sha AS after, t.keep, t.commits,"
        " COALESCE((SELECT MIN(author_at) FROM history_commits h WHERE h.repo_id = r.id), '') AS"
        " since, r.head_sha IS NOT t.tip_sha AS stale FROM repos r JOIN tip_states t ON t.repo_id"
        f" = r.id WHERE r.id IN ({', '.join(map(str, repo_ids))})",
    )
    histories = {row.pop("id"): row | {"stale": bool(row["stale"])} for row in rows}
    return [histories[repo_id] for repo_id in repo_ids if repo_id in histories]


def history_coverage(store: Store) -> tuple[list[int], list[str]]:
    """Numbers of the repositories whose lines were followed, names of the others."""
    rows = store.rows(
        "SELECT r.id, r.name, t.repo_id FROM repos r LEFT JOIN tip_states t ON t.repo_id = r.id"
        " ORDER BY r.id"
    )
    return [row["id"] for row in rows if row["repo_id"] is not None], [
        row["name"] for row in rows if row["repo_id"] is None
    ]


def _groups(records: Sequence[LifetimeRecord], grouping: str) -> list[Row]:
    groups = []
    for (name, author), members in survival.group_records(records, grouping).items():
        lines = sum(r.lines for r in members)
        dead = sum(r.lines for r in members if r.dead)
        # in commits that were taken back
        reverted = sum(r.lines for r in members if r.reverted_later)
        about: Row = {"grouping": grouping, "name": name, "author": author}
        about |= {"lines": lines, "dead": dead, "reverted": reverted}
        groups.append((about, survival_points(members, minimum.share_of(grouping))))
    if grouping == "class":
        groups.sort(key=lambda group: CLASSES.index(group[0]["author"]))
    else:
        groups.sort(key=lambda group: (-group[0]["lines"], group[0]["name"], group[0]["author"]))
    return [about | point._asdict() for about, points in groups for point in points]


def _causes(records: Sequence[LifetimeRecord]) -> Numbers:
    count: Counter[str] = Counter()
    for r in records:
        if r.cause:
            count[r.cause] += r.lines
    return dict(count.most_common())
