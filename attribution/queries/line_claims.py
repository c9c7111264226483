"""What other producers say of one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from collector.git.ranges import common, parse

if TYPE_CHECKING:
    from collector.storage.store import Store


@dataclass(frozen=True, slots=True)
class LineClaim:
    """What another producer says of one line."""

    producer: str
    author: str
    tool: str
    model: str
    session: str
    status: str  # of the line, as in claim_checks

    def words(self) -> str:
        who = ", ".join(w for w in (self.author, self.tool, self.model) if w)
        return f"{self.producer}: {who}" + ("" if self.status == "ok" else f" ({self.status.replace('_', ' ')})")


class _LineClaimRow(NamedTuple):
    producer: str
    author: str
    tool: str
    model: str
    session: str
    status: str
    path: str  # "" is the whole commit
    ranges: str  # of lines that it names


def claims_of(store: Store, repo_id: int, sha: str, path: str, line: int) -> list[LineClaim]:
    """The claims on a line of a commit; a trailer's claim on the whole commit among them."""
    rows = store.select(
        _LineClaimRow,
        "SELECT r.producer, a.author, COALESCE(a.tool, '') AS tool, COALESCE(a.model, '') AS model, "
        "COALESCE(a.session_key, '') AS session, COALESCE(c.status, 'ok') AS status, k.path, COALESCE(c.ranges, '') AS ranges "
        "FROM claim_record_checks x JOIN claim_records r ON r.id = x.record_id JOIN claims k ON k.record_id = r.id "
        "JOIN claim_authors a ON a.id = k.author_id LEFT JOIN claim_checks c ON c.claim_id = k.id "
        "WHERE r.repo_id = ? AND x.commit_sha = ? AND k.path IN ('', ?) ORDER BY r.producer, k.id",
        (repo_id, sha, path),
    )
    naming = (row for row in rows if not row.path or common(parse(row.ranges).ranges, ((line, line),)))
    return list(dict.fromkeys(LineClaim(row.producer, row.author, row.tool, row.model, row.session, row.status) for row in naming))
