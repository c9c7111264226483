"""Lines of a repository with who wrote them and how long they lived, as the database has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from attribution.lineage.model import LOST
from attribution.lineage.survival import LifetimeRecord, RemovedLines
from collector.files.kinds import HEADLINE, kind_of
from collector.vocabulary.lines import Evidence, line_class_sql

if TYPE_CHECKING:
    from collector.storage.store import Store


def records(store: Store, repo_id: int, every_kind: bool = False) -> list[LifetimeRecord]:
    """Lines with text of source and test files, or of files of every kind; see `left_out` for the others."""
    return records_of(store, [repo_id], every_kind)


def records_of(store: Store, repo_ids: Sequence[int], every_kind: bool = False) -> list[LifetimeRecord]:
    """The same of several repositories, in order of their numbers."""
    lifetimes = (removed.record for removed in _stream(store, repo_ids))
    return [record for record in lifetimes if every_kind or record.kind in HEADLINE]


def left_out(store: Store, repo_ids: Sequence[int], every_kind: bool = False) -> dict[str, int]:
    """Lines with text of some repositories that are not counted.

    binary; uncertain: something is missing in the clone; copy: of another file of the commit; not_attributed: symbolic links;
    same_text: both sides of a merge had them; they are counted as the lines that the merge kept; docs, lock, …: of such files.
    """
    rows = store.rows(
        "SELECT CASE WHEN l.same_as IS NOT NULL THEN 'same_text' WHEN l.kind <> 'text' THEN l.kind WHEN t.origin_id IS NULL "
        "THEN 'not_attributed' ELSE '' END AS why, f.kind, l.path, SUM(t.nonblank) AS lines FROM line_fates t "
        "JOIN line_lifetimes l ON l.repo_id = t.repo_id AND l.origin = t.life JOIN history_commits b ON b.id = l.birth "
        "LEFT JOIN commits c ON c.repo_id = b.repo_id AND c.commit_sha = b.commit_sha "
        "LEFT JOIN commit_files f ON f.commit_id = c.id AND f.path = l.path "
        f"WHERE t.repo_id IN ({_sql_numbers(repo_ids)}) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    )
    counter: Counter[str] = Counter()
    for row in rows:
        kind = row["kind"] or kind_of(row["path"])
        if row["why"] or (kind not in HEADLINE and not every_kind):
            counter[row["why"] or kind] += row["lines"]
    return {why: lines for why, lines in counter.items() if lines}


def _sql_numbers(numbers: Iterable[int]) -> str:
    """Numbers for `IN (…)`."""
    return ", ".join(map(str, numbers))


class _Lines(NamedTuple):
    """Lines of a file with one author and one fate; commits by their numbers in `history_commits`."""

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
# Rows with one fate are added up before the joins: statistics weigh by lines, and there are several times fewer such groups.
_LINES = """
WITH l AS MATERIALIZED (
  SELECT t.repo_id, MIN(t.origin) AS first, SUM(t.nonblank) AS nonblank, l.path, l.birth, l.death, l.cause, l.gone_from_main,
    t.origin_id, t.actor, t.actor_session_id
  FROM line_fates t JOIN line_lifetimes l ON l.repo_id = t.repo_id AND l.origin = t.life
  WHERE t.repo_id IN ({repositories}) AND t.nonblank > 0 AND l.kind = 'text' AND l.same_as IS NULL
  GROUP BY t.repo_id, l.birth, l.path, l.death, l.cause, l.gone_from_main, t.origin_id, t.actor, t.actor_session_id
)
SELECT l.repo_id, l.nonblank, l.actor, l.actor_session_id, l.path, l.cause, l.birth AS added_in, l.death AS removed_in,
  b.author_at AS added_at, d.author_at AS removed_at, lb.main_line AS arrived, g.main_line AS left_main,
  b.reverted_by IS NOT NULL AS reverted, {line_class} AS line_class, o.session_id, COALESCE(o.model, s.model) AS model,
  COALESCE(NULLIF(s.agent, ''), s.agent_label) AS agent, s.key AS session, c.declared_agent,
  f.kind, o.evidence, o.edited_by
FROM l JOIN history_commits b ON b.id = l.birth
LEFT JOIN history_commits d ON d.id = l.death LEFT JOIN history_commits lb ON lb.id = b.landed
LEFT JOIN history_commits g ON g.id = l.gone_from_main LEFT JOIN origins o ON o.id = l.origin_id
LEFT JOIN sessions s ON s.id = o.session_id LEFT JOIN commits c ON c.repo_id = b.repo_id AND c.commit_sha = b.commit_sha
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
        several = ordered[start : start + _AT_ONCE]
        tips = _tips(store, several)
        rows = store.stream(_Lines, _LINES.format(repositories=_sql_numbers(tips), line_class=line_class_sql("o")))
        yield from [RemovedLines(row.removed_in or 0, _record(row, *tips[row.repo_id])) for row in rows]


def _tips(store: Store, repo_ids: Sequence[int]) -> dict[int, tuple[float, int]]:
    """Repository whose lines were followed -> time of its tip, and its position on the main line; in order of their numbers."""
    tips = store.rows(
        "SELECT t.repo_id, h.author_at, h.committed_at, h.main_line FROM tip_states t JOIN history_commits h "
        "ON h.repo_id = t.repo_id AND h.commit_sha = t.tip_sha "
        f"WHERE t.repo_id IN ({_sql_numbers(repo_ids)}) ORDER BY t.repo_id",
    )
    return {t["repo_id"]: (max(seconds(t["author_at"]), seconds(t["committed_at"])), t["main_line"]) for t in tips}


def _record(row: _Lines, end: float, last: int) -> LifetimeRecord:
    added = seconds(row.added_at)
    follow = max(0.0, end - added) / _DAY
    arrived = row.arrived if row.arrived is not None else last
    lost, removed = row.cause == LOST, row.removed_in is not None
    days, commits = follow, last - arrived
    if removed:
        days = max(0.0, seconds(row.removed_at or "") - added) / _DAY
        commits = max(0, row.left_main - arrived) if row.left_main is not None else 0
    author = row.line_class or ""
    agent = (row.agent if author == "agent" else row.declared_agent) or ""
    return LifetimeRecord(
        row.nonblank, author, days, max(follow, days), commits, max(last - arrived, commits), removed and not lost, lost, row.path,
        row.repo_id, row.added_in, row.model or "", agent, row.session_id, row.session or "", row.actor or "",
        row.actor_session_id,
        row.cause or "", bool(row.reverted), row.kind or kind_of(row.path),
        row.evidence == Evidence.DATED, row.edited_by or "",
    )  # fmt: skip


def seconds(moment: str) -> float:
    """Seconds since 1970 of a time in ISO 8601; 0 for none."""
    return datetime.fromisoformat(moment).timestamp() if moment else 0.0
