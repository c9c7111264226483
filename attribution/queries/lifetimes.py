"""Lines of a repository with who wrote them and how long they lived, as the database has them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from attribution.lineage.model import LOST
from attribution.lineage.survival import LifetimeRecord, RemovedLines
from collector.vocabulary.lines import line_class

if TYPE_CHECKING:
    from collector.storage.store import Store


def records(store: Store, repo_id: int) -> list[LifetimeRecord]:
    """All lines with text of files of text; see `left_out` for the others."""
    return [removed.record for removed in removed_lines(store, repo_id)]


def left_out(store: Store, repo_id: int) -> dict[str, int]:
    """Lines with text that are not counted.

    binary; uncertain: something is missing in the clone; copy: of another file of the commit; not_attributed: symbolic links;
    same_text: both sides of a merge had them; they are counted as the lines that the merge kept.
    """
    rows = store.rows(
        "SELECT CASE WHEN l.same_as IS NOT NULL THEN 'same_text' WHEN l.kind = 'text' THEN 'not_attributed' ELSE l.kind END why, "
        "SUM(t.nonblank) AS lines FROM line_fates t "
        "JOIN line_lifetimes l ON l.repo_id = t.repo_id AND l.origin = t.life WHERE t.repo_id = ? "
        "AND (l.kind <> 'text' OR l.same_as IS NOT NULL OR t.origin_id IS NULL) GROUP BY 1",
        (repo_id,),
    )
    return {row["why"]: row["lines"] for row in rows if row["lines"]}


class _Tip(NamedTuple):
    """The commit up to which the lines were followed."""

    author_at: str
    committed_at: str
    main_line: int  # position on the main line


class _Lines(NamedTuple):
    """Lines with one author and one fate; commits by their numbers in `history_commits`."""

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
    author: str | None
    evidence: str | None
    reason: str | None
    session_id: int | None
    model: str | None
    agent: str | None
    session: str | None
    declared_agent: str | None


_DAY = 86400.0  # seconds
_LINES = """
SELECT t.nonblank, t.actor, t.actor_session_id, l.path, l.cause, l.birth AS added_in, l.death AS removed_in,
  b.author_at AS added_at, d.author_at AS removed_at, lb.main_line AS arrived, g.main_line AS left_main,
  b.reverted_by IS NOT NULL AS reverted, o.author, o.evidence, o.reason, o.session_id, COALESCE(o.model, s.model) AS model,
  COALESCE(NULLIF(s.agent, ''), s.agent_label) AS agent, s.key AS session, c.declared_agent
FROM line_fates t JOIN line_lifetimes l ON l.repo_id = t.repo_id AND l.origin = t.life JOIN history_commits b ON b.id = l.birth
LEFT JOIN history_commits d ON d.id = l.death LEFT JOIN history_commits lb ON lb.id = b.landed
LEFT JOIN history_commits g ON g.id = l.gone_from_main LEFT JOIN origins o ON o.id = t.origin_id
LEFT JOIN sessions s ON s.id = o.session_id LEFT JOIN commits c ON c.repo_id = b.repo_id AND c.commit_sha = b.commit_sha
WHERE t.repo_id = ? AND t.nonblank > 0 AND l.kind = 'text' AND l.same_as IS NULL ORDER BY t.origin
"""


def removed_lines(store: Store, repo_id: int) -> list[RemovedLines]:
    """The records of `records`, each with the commit that removed its lines."""
    tip = store.select_one(
        _Tip,
        "SELECT h.author_at, h.committed_at, h.main_line FROM tip_states t JOIN history_commits h ON h.repo_id = t.repo_id "
        "AND h.commit_sha = t.tip_sha WHERE t.repo_id = ?",
        (repo_id,),
    )
    if tip is None:
        return []
    end = max(seconds(tip.author_at), seconds(tip.committed_at))
    rows = store.select(_Lines, _LINES, (repo_id,))
    return [RemovedLines(row.removed_in or 0, _record(row, repo_id, end, tip.main_line)) for row in rows]


def _record(row: _Lines, repo_id: int, end: float, last: int) -> LifetimeRecord:
    """`end`: time of the tip; `last`: its position on the main line."""
    added = seconds(row.added_at)
    follow = max(0.0, end - added) / _DAY
    arrived = row.arrived if row.arrived is not None else last
    lost, removed = row.cause == LOST, row.removed_in is not None
    days, commits = follow, last - arrived
    if removed:
        days = max(0.0, seconds(row.removed_at or "") - added) / _DAY
        commits = max(0, row.left_main - arrived) if row.left_main is not None else 0
    author = line_class(row.author, row.evidence or "", row.reason or "") if row.author else ""
    agent = (row.agent if author == "agent" else row.declared_agent) or ""
    return LifetimeRecord(
        row.nonblank, author, days, max(follow, days), commits, max(last - arrived, commits), removed and not lost, lost, row.path,
        repo_id, row.added_in, row.model or "", agent, row.session_id, row.session or "", row.actor or "", row.actor_session_id,
        row.cause or "", bool(row.reverted),
    )  # fmt: skip


def seconds(at: str) -> float:
    """Of a time in ISO 8601; 0 for none."""
    return datetime.fromisoformat(at).timestamp() if at else 0.0
