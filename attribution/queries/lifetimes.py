"""Lines of a repository with who wrote them and how long they lived, as the database has them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from attribution.lineage.model import LOST
from attribution.lineage.survival import LifetimeRecord
from collector.storage.store import Store
from collector.vocabulary.lines import line_class


def records(store: Store, repo_id: int) -> list[LifetimeRecord]:
    """All lines with text of files of text; see `left_out` for the others."""
    return [record for _, record in _records(store, repo_id)]


def left_out(store: Store, repo_id: int) -> dict[str, int]:
    """Lines with text that no class has: binary, uncertain (something is missing in the clone), not_attributed (symbolic links)."""
    found = store.rows(
        "SELECT CASE l.kind WHEN 'text' THEN 'not_attributed' ELSE l.kind END AS why, SUM(t.nonblank) AS lines FROM line_fates t "
        "JOIN line_lives l ON l.repo_id = t.repo_id AND l.origin = t.life WHERE t.repo_id = ? "
        "AND (l.kind <> 'text' OR t.origin_id IS NULL) GROUP BY 1",
        (repo_id,),
    )
    return {row["why"]: row["lines"] for row in found if row["lines"]}


_DAY = 86400.0  # seconds
_RECORDS = """
SELECT t.nonblank, t.actor, t.actor_session_id, l.path, l.cause, l.birth, l.death, b.author_at AS born, d.author_at AS died,
  lb.main_line AS arrived, g.main_line AS left_main, b.reverted_by IS NOT NULL AS reverted, o.author, o.evidence, o.reason,
  o.session_id, COALESCE(o.model, s.model) AS model, s.agent, s.agent_label, s.key, c.declared_agent
FROM line_fates t JOIN line_lives l ON l.repo_id = t.repo_id AND l.origin = t.life JOIN history_commits b ON b.id = l.birth
LEFT JOIN history_commits d ON d.id = l.death LEFT JOIN history_commits lb ON lb.id = b.landed
LEFT JOIN history_commits g ON g.id = l.gone_from_main LEFT JOIN origins o ON o.id = t.origin_id
LEFT JOIN sessions s ON s.id = o.session_id LEFT JOIN commits c ON c.repo_id = b.repo_id AND c.commit_sha = b.commit_sha
WHERE t.repo_id = ? AND t.nonblank > 0 AND l.kind = 'text' ORDER BY t.origin
"""


def _records(store: Store, repo_id: int) -> list[tuple[int, LifetimeRecord]]:
    """(commit that ended them or 0, record)."""
    tip = store.rows(
        "SELECT h.author_at, h.committed_at, h.main_line FROM tip_states t JOIN history_commits h ON h.repo_id = t.repo_id "
        "AND h.commit_sha = t.tip_sha WHERE t.repo_id = ?",
        (repo_id,),
    )
    if not tip:
        return []
    end, last = max(_seconds(tip[0]["author_at"]), _seconds(tip[0]["committed_at"])), tip[0]["main_line"]
    return [(r["death"] or 0, _record(r, repo_id, end, last)) for r in store.rows(_RECORDS, (repo_id,))]


def _record(r: dict[str, Any], repo_id: int, end: float, last: int) -> LifetimeRecord:
    born = _seconds(r["born"])
    follow = max(0.0, end - born) / _DAY
    arrived = r["arrived"] if r["arrived"] is not None else last
    lost, dead = r["cause"] == LOST, r["death"] is not None
    days, commits = follow, last - arrived
    if dead:
        days = max(0.0, _seconds(r["died"]) - born) / _DAY
        commits = max(0, r["left_main"] - arrived) if r["left_main"] is not None else 0
    author = line_class(r["author"], r["evidence"], r["reason"]) if r["author"] else ""
    agent = (r["agent"] or r["agent_label"] or "") if author == "agent" else (r["declared_agent"] or "")
    return LifetimeRecord(
        r["nonblank"], author, days, max(follow, days), commits, max(last - arrived, commits), dead and not lost, lost, r["path"],
        repo_id, r["birth"], r["model"] or "", agent, r["session_id"], r["key"] or "", r["actor"] or "", r["actor_session_id"],
        r["cause"] or "", bool(r["reverted"]),
    )  # fmt: skip


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp() if at else 0.0
